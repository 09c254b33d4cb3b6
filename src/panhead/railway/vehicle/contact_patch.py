"""Elliptic contact patch: Hertz parameters and Kalker coefficients over the ratio of curvatures."""

from __future__ import annotations

import functools
from importlib import resources
from pathlib import Path

import numpy as np

from panhead.engine.kernels.hertz import hertz_numbers
from panhead.errors import ModelError
from panhead.files import parse

RANGE = 7.0  #: the table reaches from exp(−RANGE) to exp(RANGE) in A/B
NODES = 281


@functools.cache
def kalker_table() -> dict[str, np.ndarray]:
    """Kalker's published table: ``poisson`` (3,), ``semi_axis_ratio`` (19,), ``C11`` … ``C33`` (19, 3)."""
    path = Path(str(resources.files("panhead"))) / "data" / "creep" / "kalker.toml"
    raw = parse.read_toml(path)
    return {key: np.array(value, dtype=float) for key, value in raw.items() if key != "sources"}


def kalker_coefficients(ratio: np.ndarray, poisson: float) -> np.ndarray:
    """(n, 4) C₁₁, C₂₂, C₂₃, C₃₃ at semi-axis ratios a/b (n,), by splines of ln C over ln(a/b).

    Between Poisson's ratios 1/C is a parabola, as the coefficients nearly are flexibilities.
    Beyond the table's a/b = 0.1 … 10 the coefficients go on as powers of a/b.
    """
    if not 0.0 <= poisson <= 0.5:
        raise ModelError(f"Poisson's ratio must lie between 0 and 0.5, got {poisson!r}")
    table = kalker_table()
    x = np.log(table["semi_axis_ratio"])
    at = np.log(np.asarray(ratio, dtype=float))
    inside = np.clip(at, x[0], x[-1])
    from scipy.interpolate import CubicSpline  # not before there is a wheel

    out = []
    for name in ("C11", "C22", "C23", "C33"):
        flexibility = (1.0 / table[name]) @ _parabola(table["poisson"], poisson)
        spline = CubicSpline(x, -np.log(flexibility))
        out.append(spline(inside) + spline(inside, 1) * (at - inside))
    return np.exp(np.column_stack(out))


def _parabola(nodes: np.ndarray, x: float) -> np.ndarray:
    """Weights of three nodes in the parabola through them."""
    others = [np.delete(nodes, k) for k in range(3)]
    return np.array([np.prod((x - o) / (n - o)) for n, o in zip(nodes, others, strict=True)])


@functools.lru_cache(maxsize=8)
def patch_table(poisson: float) -> np.ndarray:
    """(NODES, 7) â, b̂, N̂, C₁₁ … C₃₃ over equal steps of ln(A/B), for kernels."""
    grid = np.linspace(-RANGE, RANGE, NODES)
    shape = np.array([hertz_numbers(float(r)) for r in np.exp(grid)])
    return np.hstack([shape, kalker_coefficients(shape[:, 0] / shape[:, 1], poisson)])
