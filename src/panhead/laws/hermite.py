"""Cubic interpolation between nodes with position and slope, and integration over an element."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np


def hermite(x: Any, length: Any, order: int = 0) -> Any:
    """The four cubic shape functions of (r₀, r₀′, r₁, r₁′) at x, or their derivative of ``order`` by x; (4,).

    With ξ = x / ℓ:  1 − 3ξ² + 2ξ³,  ℓ (ξ − 2ξ² + ξ³),  3ξ² − 2ξ³,  ℓ (ξ³ − ξ²).
    """
    z = x / length
    if order == 0:
        rows = (
            1 - z**2 * (3 - 2 * z),
            length * z * (1 - z) ** 2,
            z**2 * (3 - 2 * z),
            -length * z**2 * (1 - z),
        )
    elif order == 1:
        rows = (
            6 * z * (z - 1) / length,
            (1 - z) * (1 - 3 * z),
            6 * z * (1 - z) / length,
            z * (3 * z - 2),
        )
    else:
        rows = (
            (12 * z - 6) / length**2,
            (6 * z - 4) / length,
            (6 - 12 * z) / length**2,
            (6 * z - 2) / length,
        )
    return ca.vertcat(*rows)


def gauss(points: int) -> list[tuple[float, float]]:
    """Points and weights of Gauss's rule on 0 … 1."""
    x, w = np.polynomial.legendre.leggauss(points)
    return [(float(a), float(b)) for a, b in zip((x + 1) / 2, w / 2, strict=True)]
