"""One Euler–Bernoulli beam element in space: stiffness and consistent mass in its own axes.

Coordinates (u, v, w, θx, θy, θz) of both ends; x along the element, θz = v′, θy = −w′.
"""

from __future__ import annotations

import numpy as np

from panhead.engine.laws.hermite import CURVATURE, SLOPE, VALUE
from panhead.engine.structures.sections import BeamMaterial, Section

_AXIAL, _TWIST = np.array([0, 6]), np.array([3, 9])
_V, _W = np.array([1, 5, 7, 11]), np.array([2, 4, 8, 10])
_SIGNS = np.outer([1, -1, 1, -1], [1, -1, 1, -1])  # θy = −w′


def stiffness(section: Section, material: BeamMaterial, h: float) -> np.ndarray:
    """K of an element of length h, (12, 12)                             [Przemieniecki68, ch. 5]."""
    E, G = material.young, material.shear
    K = np.zeros((12, 12))
    bar = np.array([[1.0, -1.0], [-1.0, 1.0]]) / h
    K[np.ix_(_AXIAL, _AXIAL)] = E * section.area * bar
    K[np.ix_(_TWIST, _TWIST)] = G * section.torsion * bar
    K[np.ix_(_V, _V)] = E * section.inertia_z * _curvature(h)
    K[np.ix_(_W, _W)] = E * section.inertia_y * _curvature(h) * _SIGNS
    return K


def consistent_mass(section: Section, material: BeamMaterial, h: float) -> np.ndarray:
    """M of an element of length h with the rotary inertia of its sections, (12, 12)     [Przemieniecki68, ch. 11]."""
    rho, A = material.density, section.area
    M = np.zeros((12, 12))
    bar = np.array([[2.0, 1.0], [1.0, 2.0]]) * h / 6
    M[np.ix_(_AXIAL, _AXIAL)] = rho * A * bar
    M[np.ix_(_TWIST, _TWIST)] = rho * (section.inertia_y + section.inertia_z) * bar
    M[np.ix_(_V, _V)] = rho * (A * _value(h) + section.inertia_z * _slope(h))
    M[np.ix_(_W, _W)] = rho * (A * _value(h) + section.inertia_y * _slope(h)) * _SIGNS
    return M


def _scale_slopes(h: float, integral: tuple[tuple[float, ...], ...]) -> np.ndarray:
    """An integral of the cubic shapes over an element of length h: a slope counts in metres."""
    unit = np.array([1.0, h, 1.0, h])
    return np.outer(unit, unit) * integral


def _curvature(h: float) -> np.ndarray:
    """∫ N″ N″ᵀ dx of the cubic shapes."""
    return _scale_slopes(h, CURVATURE) / h**3


def _slope(h: float) -> np.ndarray:
    """∫ N′ N′ᵀ dx."""
    return _scale_slopes(h, SLOPE) / (30 * h)


def _value(h: float) -> np.ndarray:
    """∫ N Nᵀ dx."""
    return _scale_slopes(h, VALUE) * h / 420
