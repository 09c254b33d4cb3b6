"""Independent beam solution: the differential equations of a rod in space by the shooting method.

    r′ = R (e₁ + C_n⁻¹ Rᵀ n),   R′ = R κ̃,  κ = C_m⁻¹ Rᵀ m,   n′ = 0,   m′ = −r′ × n           [Simo85]

Dead force n and dead torque at the end; the unknown is the moment in the clamp.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, fsolve

from panhead.engine.bodies import Section
from panhead.engine.rotations import matrix_of

Triple = tuple[float, float, float]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Rod:
    """Straight segments in series, each rotated against the previous one about the third axis."""

    section: Section
    young: float
    poisson: float
    lengths: tuple[float, ...]
    corners: tuple[float, ...] = ()  #: angles between the pieces [rad]

    def _compliance(self) -> tuple[np.ndarray, np.ndarray]:
        """1 / C_n and 1 / C_m, (3,) each."""
        s, E, G = self.section, self.young, self.young / (2 * (1 + self.poisson))
        y, z = s.shear_areas
        return 1 / np.array([E * s.area, G * y, G * z]), 1 / np.array([G * s.torsion, E * s.inertia_y, E * s.inertia_z])

    def end(self, n: np.ndarray, m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Position and moment at the end for the force n and the moment m in the clamp, (3,) each."""
        (soft_n, soft_m), along = self._compliance(), np.array([1.0, 0.0, 0.0])

        def rate(s: float, y: np.ndarray) -> np.ndarray:
            R = np.array(matrix_of(y[3:7]))
            w, i, j, k = y[3:7]
            (a, b, c), slope = soft_m * (y[7:] @ R), R @ (along + soft_n * (n @ R))
            turn = -i * a - j * b - k * c, w * a + j * c - k * b, w * b + k * a - i * c, w * c + i * b - j * a
            return np.concatenate([slope, 0.5 * np.array(turn), np.cross(n, slope)])

        y = np.concatenate([np.zeros(3), [1.0, 0.0, 0.0, 0.0], m])
        for length, corner in zip(self.lengths, (*self.corners, 0.0), strict=True):
            y = solve_ivp(rate, (0.0, length), y, method="DOP853", rtol=1e-8, atol=1e-10).y[:, -1]
            c, s = np.cos(corner / 2), np.sin(corner / 2)
            w, i, j, k = y[3:7]
            y[3:7] = w * c - k * s, i * c + j * s, j * c - i * s, k * c + w * s
        return y[:3], y[7:]

    def solve_under_load(
        self, force: Triple, torque: Triple = (0.0, 0.0, 0.0), steps: int = 8
    ) -> tuple[np.ndarray, np.ndarray]:
        """Position of the end and moment in the clamp under dead end loads, applied in steps."""
        n, wanted, m = np.array(force), np.array(torque), np.zeros(3)
        for share in np.arange(1, steps + 1) / steps:
            m = fsolve(lambda m, a=share: self.end(a * n, m)[1] - a * wanted, m, xtol=1e-10)
        return self.end(n, m)[0], m

    def buckling_load(self, force: Triple, between: tuple[float, float]) -> float:
        """Multiple of a force in the plane of the first two axes at which the rod buckles out of that plane.

        There a small moment in the clamp about the first two axes leaves no moment at the end.
        """
        n = np.array(force)

        def stiffness(P: float) -> float:
            about = fsolve(lambda m: self.end(P * n, np.array([0.0, 0.0, m[0]]))[1][2], np.zeros(1), xtol=1e-10)[0]
            plane, small = np.array([0.0, 0.0, about]), 1e-4
            moved: Callable[[int], np.ndarray] = lambda k: self.end(P * n, plane + small * np.eye(3)[k])[1][:2]
            return float(np.linalg.det(np.column_stack([moved(0), moved(1)])) / small**2)

        return float(brentq(stiffness, *between, rtol=1e-5))
