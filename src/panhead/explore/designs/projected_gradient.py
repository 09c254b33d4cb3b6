"""Minimise under bounds on size and rate by spectral projected gradients [Birgin00]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

_MEMORY = 5  # values of which the worst may not be exceeded
_HALVINGS = 6
_SWEEPS = 2000
_DONE = 1e-3  # of the size: a step that is smaller ends the descent


@dataclass(frozen=True, slots=True)
class LeastPoint:
    """Final point of a descent."""

    x: np.ndarray
    value: float
    slope: np.ndarray  #: gradient there
    history: list[float]  #: value after every step


def nearest(x: np.ndarray, size: float, swing: float | None) -> np.ndarray:
    """The nearest point with |x_k| ≤ size and |x_{k+1} − x_k| ≤ swing, by Dykstra's projections in turn."""
    if swing is None:
        return np.clip(x, -size, size)
    y, parts = x.copy(), [np.zeros_like(x) for _ in range(3)]
    for _ in range(_SWEEPS):
        before = y
        for k, part in enumerate(parts):
            z = y + part
            y = np.clip(z, -size, size) if k == 0 else _limit_rates(z, k - 1, swing)
            parts[k] = z - y
        if np.abs(y - before).max() < 1e-9 * size:
            break
    return _clip_to_bounds(y, size, swing)


def _limit_rates(x: np.ndarray, first: int, swing: float) -> np.ndarray:
    """Pairs (first, first + 1), (first + 2, first + 3) …, each moved together until they are close enough."""
    y = x.copy()
    stop = first + 2 * ((x.size - first) // 2)
    a, b = y[first:stop:2], y[first + 1 : stop : 2]
    over = 0.5 * np.sign(b - a) * np.maximum(0.0, np.abs(b - a) - swing)
    a += over
    b -= over
    return y


def _clip_to_bounds(x: np.ndarray, size: float, swing: float) -> np.ndarray:
    """Clip what alternating projections leave outside the bounds."""
    most = max(float(np.abs(x).max()) / size, float(np.abs(np.diff(x)).max(initial=0.0)) / swing, 1.0)
    return x / most


def steepest_room(slope: np.ndarray, x: np.ndarray, size: float, swing: float | None) -> float:
    """max slope·(x − v) over all v within the bounds: a convex function is nowhere lower by more than that."""
    from scipy.optimize import linprog
    from scipy.sparse import diags, vstack

    if swing is None:
        return float(slope @ x + size * np.abs(slope).sum())
    rows = diags([-1.0, 1.0], [0, 1], shape=(x.size - 1, x.size))
    limits = np.full(2 * (x.size - 1), swing)
    scale = float(np.abs(slope).max()) or 1.0
    found = linprog(slope / scale, vstack([rows, -rows]), limits, bounds=(-size, size))
    return float(slope @ x - scale * found.fun)


def minimise_projected(
    value: Callable[[np.ndarray], tuple[float, Callable[[], np.ndarray]]],
    x: np.ndarray,
    project: Callable[[np.ndarray], np.ndarray],
    size: float,
    iterations: int,
    told: Callable[[int, float], None] = lambda k, value: None,
) -> LeastPoint:
    """Spectral projected gradients: d = P(x − α ∇f) − x with α by Barzilai and Borwein, no worse than the last five."""
    f, gradient = value(x)
    g = gradient()
    history, best = [f], LeastPoint(x, f, g, [])
    alpha = size / (float(np.abs(g).max()) or 1.0)
    for k in range(iterations):
        told(k, best.value)
        d = project(x - alpha * g) - x
        if np.abs(d).max() < _DONE * size:
            break
        share = 1.0
        for _ in range(_HALVINGS):
            new, gradient = value(x + share * d)
            if new <= max(history[-_MEMORY:]) + 1e-4 * share * float(g @ d):
                break
            share *= 0.5
        s, x, f = share * d, x + share * d, new
        before, g = g, gradient()
        curvature = float(s @ (g - before))
        alpha = float(s @ s) / curvature if curvature > 0.0 else 2.0 * alpha
        history.append(f)
        if f < best.value:
            best = LeastPoint(x, f, g, [])
    return LeastPoint(best.x, best.value, best.slope, history)
