"""Textbook matrices of a straight beam, six coordinates a node, no rotary inertia of bending [Przemieniecki68]."""

from __future__ import annotations

import numpy as np

E, G, RHO = 2.1e11, 8.1e10, 7850.0
LENGTH, AREA, IY, IZ, JX = 1.2, 6e-4, 2e-8, 4.5e-8, 5e-8  #: [m], [m²], second moments and torsion [m⁴]
EI = E * IY  #: of bending along z [N·m²]
HEIGHT = 0.02  #: of the section along z [m]
N = 12  #: elements


def _element() -> tuple[np.ndarray, np.ndarray]:
    """Stiffness and consistent mass of one element, (12, 12)."""
    h = LENGTH / N
    K, M = np.zeros((12, 12)), np.zeros((12, 12))
    line_k, line_m = np.array([[1.0, -1.0], [-1.0, 1.0]]) / h, h * np.array([[2.0, 1.0], [1.0, 2.0]]) / 6
    for at, stiffness, inertia in ((0, E * AREA, RHO * AREA), (3, G * JX, RHO * (IY + IZ))):
        place = np.ix_((at, at + 6), (at, at + 6))
        K[place] += stiffness * line_k
        M[place] += inertia * line_m
    for shift, turn, sign, second in ((1, 5, 1.0, IZ), (2, 4, -1.0, IY)):
        a = sign * h
        bend = np.array([
            [12.0, 6 * a, -12.0, 6 * a], [6 * a, 4 * h * h, -6 * a, 2 * h * h],
            [-12.0, -6 * a, 12.0, -6 * a], [6 * a, 2 * h * h, -6 * a, 4 * h * h],
        ])  # fmt: skip
        move = np.array([
            [156.0, 22 * a, 54.0, -13 * a], [22 * a, 4 * h * h, 13 * a, -3 * h * h],
            [54.0, 13 * a, 156.0, -22 * a], [-13 * a, -3 * h * h, -22 * a, 4 * h * h],
        ])  # fmt: skip
        place = np.ix_((shift, turn, shift + 6, turn + 6), (shift, turn, shift + 6, turn + 6))
        K[place] += E * second / h**3 * bend
        M[place] += RHO * AREA * h / 420 * move
    return K, M


def matrices() -> tuple[np.ndarray, np.ndarray]:
    """K and M of the free beam, (N, N)."""
    K, M = (np.zeros((6 * (N + 1), 6 * (N + 1))) for _ in range(2))
    k, m = _element()
    for e in range(N):
        part = slice(6 * e, 6 * e + 12)
        K[part, part] += k
        M[part, part] += m
    return K, M
