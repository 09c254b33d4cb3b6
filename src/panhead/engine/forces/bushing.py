"""Elastic connections in all directions: bushings and bearings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from panhead.engine.bodies.measure import LineBetween, measure
from panhead.engine.forces.springs import one_sided
from panhead.engine.roles import Effort, Expression, Force, Frame, Marker, Row, Symbols, Terms, Triple
from panhead.errors import ModelError, require_finite, require_not_negative

Matrix6 = tuple[tuple[float, ...], ...]  #: six rows of six


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Bushing(Force):
    """A rubber bushing between frame A and frame B, in the axes of A.

        ξ = (R_Aᵀ d, θ),   θ = 2 tan(φ/2) n   from the relative rotation R_AᵀR_B by φ about n
        F = K ξ + C ξ̇,   V = ½ ξᵀ K ξ,   D = ξ̇ᵀ C ξ̇

    θ is the rotation vector to third order in φ and grows all the way to a half turn. If K is not symmetric, its
    skew part has no potential; its power is written to the drivers. Forces act on A and B so that no work is
    lost, also under large displacements.
    """

    name: str
    a: Marker
    b: Marker
    stiffness: Matrix6  #: K, for three displacements and three rotations [N/m, N, N·m]
    damping: Matrix6 = ((0.0,) * 6,) * 6  #: C

    def __post_init__(self) -> None:
        measure(self, LineBetween(a=self.a, b=self.b))
        for field in ("stiffness", "damping"):
            matrix = np.array(getattr(self, field), dtype=float)
            if matrix.shape != (6, 6) or not np.isfinite(matrix).all():
                raise ModelError(f"Bushing {self.name!r}: {field} must be six rows of six finite numbers")
            least = np.linalg.eigvalsh((matrix + matrix.T) / 2)[0]
            if least < -1e-9 * np.abs(matrix).max():
                raise ModelError(
                    f"Bushing {self.name!r}: {field} must be positive semidefinite; its least eigenvalue is {least:.6g}"
                )

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        K, C = (np.array(x, dtype=float) for x in (self.stiffness, self.damping))
        parts = {"K": (K + K.T) / 2, "skew": (K - K.T) / 2, "C": C}
        entries = {
            (name, int(i), int(j)): float(matrix[i, j])
            for name, matrix in parts.items()
            for i, j in zip(*np.nonzero(matrix), strict=True)
        }
        places = tuple(entries)

        def terms(s: Symbols) -> Terms:
            full = {name: ca.SX(6, 6) for name in parts}
            for name, i, j in places:
                full[name][i, j] = s.p[f"{name}.{i}.{j}"]
            x = deformation(*s.frames)
            x_dot = s.rate(x)
            efforts = (Effort(-full["C"] @ x_dot, x_dot, "dissipated"), Effort(-full["skew"] @ x, x_dot, "driver"))
            return Terms(potential=0.5 * ca.dot(x, full["K"] @ x), efforts=efforts)

        return (
            Row(
                law=(type(self), places),
                terms=terms,
                numbers={f"{name}.{i}.{j}": x for (name, i, j), x in entries.items()},
                markers=(self.a, self.b),
            ),
        )


def deformation(A: Frame, B: Frame) -> Expression:
    """Displacement and rotation of B from A in the axes of A, (6,)."""
    Q = A.R.T @ B.R
    axis = ca.vertcat(Q[2, 1] - Q[1, 2], Q[0, 2] - Q[2, 0], Q[1, 0] - Q[0, 1])
    return ca.vertcat(A.R.T @ (B.p - A.p), 2 * axis / (1 + ca.trace(Q)))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Bearing(Force):
    """An elastic bearing about the z axis of A: it holds across and along the axis, and leaves the turn free.

        across:  N(k x, c ẋ) of ``unilateral_spring``, x = r − clearance, r = √(x² + y²)   (linear without clearance)
        along:   F = k_a z + c_a ż,     tilt:  M = k_t τ + c_t τ̇,   τ = (−y_A·z_B, x_A·z_B)

    ``cross_stiffness`` is that of an oil film, F_x = −κ y, F_y = κ x on the journal B: it has no potential, and its
    power is written to the drivers.
    """

    name: str
    a: Marker
    b: Marker
    stiffness: float  #: k, across [N/m]
    damping: float = 0.0  #: c, across [N·s/m]
    clearance: float = 0.0  #: radial [m]
    cross_stiffness: float = 0.0  #: κ [N/m]
    axial_stiffness: float = 0.0  #: k_a [N/m]
    axial_damping: float = 0.0  #: c_a [N·s/m]
    tilt_stiffness: float = 0.0  #: k_t [N·m/rad]
    tilt_damping: float = 0.0  #: c_t [N·m·s/rad]

    def __post_init__(self) -> None:
        measure(self, LineBetween(a=self.a, b=self.b))
        require_not_negative(self, *(n for n in _NUMBERS if n != "cross_stiffness"))
        require_finite(self, "cross_stiffness")

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        loose = self.clearance > 0
        return (
            Row(
                law=(type(self), loose),
                terms=lambda s: _bearing(s, loose=loose),
                numbers={n: float(getattr(self, n)) for n in _NUMBERS},
                markers=(self.a, self.b),
            ),
        )


_NUMBERS = (
    "stiffness", "damping", "clearance", "cross_stiffness", "axial_stiffness", "axial_damping",
    "tilt_stiffness", "tilt_damping",
)  # fmt: skip


def _bearing(s: Symbols, *, loose: bool) -> Terms:
    A, B = s.frames
    d = A.R.T @ (B.p - A.p)
    tilt = ca.vertcat(-ca.dot(A.y, B.z), ca.dot(A.x, B.z))
    if loose:
        # inside the clearance the root is kept away from zero, where it has no slope
        gap = s.p["clearance"]
        x = ca.sqrt(ca.fmax(ca.sumsqr(d[:2]), gap**2)) - gap
        across = one_sided(x, s.rate(x), s.p["stiffness"], s.p["damping"])
    else:
        across = _linear(d[:2], s, "")
    along, tilted = _linear(d[2], s, "axial_"), _linear(tilt, s, "tilt_")
    film = s.p["cross_stiffness"] * ca.vertcat(-d[1], d[0])
    return Terms(
        potential=across.potential + along.potential + tilted.potential,
        efforts=(
            *across.efforts, *along.efforts, *tilted.efforts,
            Effort(film, s.rate(d[:2]), "driver"),
        ),
    )  # fmt: skip


def _linear(x: Expression, s: Symbols, kind: str) -> Terms:
    x_dot = s.rate(x)
    return Terms(
        potential=0.5 * s.p[f"{kind}stiffness"] * ca.sumsqr(x),
        efforts=(Effort(-s.p[f"{kind}damping"] * x_dot, x_dot, "dissipated"),),
    )
