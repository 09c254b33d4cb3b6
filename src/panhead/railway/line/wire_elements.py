"""Euler–Bernoulli wires under tension: cubic Hermite elements and station-numbered blocks.

A wire's element runs from station i to station i + 1. Its four coordinates are (w, w′) at the left
and (w, w′) at the right station; w is any transverse displacement, vertical or lateral. All of a wire's
elements are computed at once: ell, T, EI, mu are numbers or arrays of one shape.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from panhead.engine.laws.hermite import CURVATURE, SLOPE, VALUE, interpolate

_SLOPES = np.add.outer(np.arange(4) & 1, np.arange(4) & 1)  # of the two coordinates of an entry, how many are slopes


def locate(x: Any, stations: np.ndarray) -> Any:
    """The element e with stations[e] ≤ x < stations[e + 1]; the first or last one outside."""
    return np.clip(np.searchsorted(stations, x, side="right") - 1, 0, stations.size - 2)


def wire_at(x: Any, stations: np.ndarray, w: np.ndarray, w_x: np.ndarray) -> Any:
    """Value of the wire at x from its values and slopes at the stations, each (ns,)."""
    e = locate(x, stations)
    ell = stations[e + 1] - stations[e]
    return interpolate((x - stations[e]) / ell, ell, w[e], w_x[e], w[e + 1], w_x[e + 1])


def wire_stiffness(ell: Any, T: Any, EI: Any) -> np.ndarray:
    """∫ (T N′ N′ᵀ + EI N″ N″ᵀ) dx over each element; (…, 4, 4) [N/m, N, N·m].

    The first term is the stiffness a tension gives, the second the bending stiffness.
    """
    a, b = _column(T / (30.0 * ell)), _column(EI / (ell * (ell * ell)))
    unit = _unit(ell)
    return np.array(SLOPE) * unit * a + np.array(CURVATURE) * unit * b


def wire_mass(ell: Any, mu: Any) -> np.ndarray:
    """∫ μ N Nᵀ dx, the consistent mass of each element; (…, 4, 4) [kg, kg·m, kg·m²]."""
    return np.array(VALUE) * _unit(ell) * _column(mu * ell / 420.0)


def mass_by_length(ell: Any, mu: Any) -> np.ndarray:
    """∂(``wire_mass``)/∂ell: an entry between coordinates of which p are slopes goes with ellᵖ⁺¹."""
    return wire_mass(ell, mu) * (_SLOPES + 1.0) / _column(ell)


def stiffness_by_length(ell: Any, T: Any, EI: Any) -> np.ndarray:
    """∂(``wire_stiffness``)/∂ell: with ellᵖ⁻¹ for the tension, with ellᵖ⁻³ for bending."""
    none = np.zeros_like(ell)
    tension, bending = wire_stiffness(ell, T, none), wire_stiffness(ell, none, EI)
    return (tension * (_SLOPES - 1.0) + bending * (_SLOPES - 3.0)) / _column(ell)


def _column(values: Any) -> np.ndarray:
    return np.asarray(values, float)[..., None, None]


def _unit(ell: Any) -> np.ndarray:
    """Powers of length in the entries of an element's matrix: each slope adds one."""
    ell = np.asarray(ell, float)
    scale = np.stack([np.ones_like(ell), ell, ell * ell], axis=-1)
    slopes = np.arange(4) & 1
    return scale[..., slopes[:, None] + slopes]


def add_wire_blocks(
    ell: np.ndarray, wire: np.ndarray, dof: int, matrices: tuple[np.ndarray, ...], air: np.ndarray | None = None
) -> None:
    """Add one wire's mass, damping C = α M + β K and stiffness to station blocks.

    ell (ne,); wire (ne, 5) columns T [N], EI [N·m²], μ [kg/m], α [1/s], β [s]; an element with
    μ = 0 does not exist. dof: index of w in a station's block (w′ is the next); matrices: diagonal
    (ne + 1, b, b) and upper blocks (ne, b, b) of M, C and K; air (ne,): more damping per length [N·s/m²].
    """
    T, EI, mu, alpha, beta = wire.T
    there = mu != 0.0
    M = np.where(there[:, None, None], wire_mass(ell, mu), 0.0)
    K = np.where(there[:, None, None], wire_stiffness(ell, T, EI), 0.0)
    _scatter([M], dof, *matrices[0:2])
    _scatter([M * _column(alpha), K * _column(beta)], dof, *matrices[2:4])
    _scatter([K], dof, *matrices[4:6])
    if air is not None and air.any():
        _scatter([np.where(there[:, None, None], wire_mass(ell, air), 0.0)], dof, *matrices[2:4])


def _scatter(elements: list[np.ndarray], dof: int, diag: np.ndarray, off: np.ndarray) -> None:
    """Add element matrices (ne, 4, 4); a station takes from its left element first."""
    here = slice(dof, dof + 2)
    for element in elements:
        diag[1:, here, here] += element[:, 2:, 2:]
    for element in elements:
        diag[:-1, here, here] += element[:, :2, :2]
        off[:, here, here] += element[:, :2, 2:]
