"""Cubic Hermite interpolation between two nodes: shape functions, derivatives, integrals over an element.

w(x) = N(ξ) · (w₀, w₀′, w₁, w₁′),   ξ = (x − x₀)/ℓ                                     [Przemieniecki68, ch. 5]
N = (1 − 3ξ² + 2ξ³,  ℓ (ξ − 2ξ² + ξ³),  3ξ² − 2ξ³,  ℓ (ξ³ − ξ²))
"""

from __future__ import annotations

from typing import Any

import numpy as np

Four = tuple[Any, Any, Any, Any]

#: 420 ∫ N Nᵀ dx / ℓ, 30 ℓ ∫ N′ N′ᵀ dx and ℓ³ ∫ N″ N″ᵀ dx for ℓ = 1; row and column of a slope carry ℓ each
VALUE = ((156.0, 22.0, 54.0, -13.0), (22.0, 4.0, 13.0, -3.0), (54.0, 13.0, 156.0, -22.0), (-13.0, -3.0, -22.0, 4.0))
SLOPE = ((36.0, 3.0, -36.0, 3.0), (3.0, 4.0, -3.0, -1.0), (-36.0, -3.0, 36.0, -3.0), (3.0, -1.0, -3.0, 4.0))
CURVATURE = ((12.0, 6.0, -12.0, 6.0), (6.0, 4.0, -6.0, 2.0), (-12.0, -6.0, 12.0, -6.0), (6.0, 2.0, -6.0, 4.0))


def shape(xi: Any, ell: Any) -> Four:
    """N(ξ)."""
    return (
        1.0 - xi * xi * (3.0 - 2.0 * xi),
        ell * xi * (1.0 - xi) * (1.0 - xi),
        xi * xi * (3.0 - 2.0 * xi),
        ell * xi * xi * (xi - 1.0),
    )


def shape_x(xi: Any, ell: Any) -> Four:
    """dN/dx."""
    return (
        6.0 * xi * (xi - 1.0) / ell,
        1.0 + xi * (3.0 * xi - 4.0),
        6.0 * xi * (1.0 - xi) / ell,
        xi * (3.0 * xi - 2.0),
    )


def shape_xx(xi: Any, ell: Any) -> Four:
    """d²N/dx²."""
    return (
        (12.0 * xi - 6.0) / (ell * ell),
        (6.0 * xi - 4.0) / ell,
        (6.0 - 12.0 * xi) / (ell * ell),
        (6.0 * xi - 2.0) / ell,
    )


def interpolate(xi: Any, ell: Any, w0: Any, s0: Any, w1: Any, s1: Any) -> Any:
    """w = N · (w₀, s₀, w₁, s₁) with fewer products; s₀, s₁ are the slopes."""
    one, blend = 1.0 - xi, xi * xi * (3.0 - 2.0 * xi)
    return w0 * (1.0 - blend) + w1 * blend + ell * xi * one * (s0 * one - s1 * xi)


def interpolate_x(xi: Any, ell: Any, w0: Any, s0: Any, w1: Any, s1: Any) -> Any:
    """dw/dx of the same."""
    one = 1.0 - xi
    return (w1 - w0) * (6.0 * xi * one / ell) + s0 * one * (1.0 - 3.0 * xi) - s1 * xi * (2.0 - 3.0 * xi)


def gauss(points: int) -> list[tuple[float, float]]:
    """Points and weights of Gauss's rule on 0 … 1."""
    x, w = np.polynomial.legendre.leggauss(points)
    return [(float(a), float(b)) for a, b in zip((x + 1) / 2, w / 2, strict=True)]
