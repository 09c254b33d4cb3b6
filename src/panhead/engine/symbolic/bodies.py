"""Bodies of a mechanism: position and rotation as functions of the coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import casadi as ca

from panhead.errors import ModelError


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedBody:
    """A rigid body by the position of its centre of mass and its orientation, P(q, t) and R(q, t).

        Ṙ = J q̇ + v(t),   ω = Ω q̇ + w(t)                        [Pappalardo20, eq. (4)]

    In the plane give ``angle`` and a scalar ``inertia``; in space ``rotation`` (3×3, body to world) and
    an inertia matrix in the body's frame. A point mass has no inertia, a pure rotor no mass.
    """

    name: str
    position: Sequence[Any] = ()  #: 2 or 3 expressions [m]
    mass: Any = None  #: number or parameter [kg]
    angle: Any = None  #: expression [rad]
    rotation: Any = None  #: 3×3 expression
    inertia: Any = None  #: scalar, or 3×3 in the body's frame [kg·m²]

    def __post_init__(self) -> None:
        if self.mass is None and self.inertia is None:
            raise ModelError(f"body {self.name!r} has neither mass nor inertia")
        if self.mass is not None and len(self.position) not in (1, 2, 3):
            raise ModelError(
                f"body {self.name!r}: a mass needs a position of 1, 2 or 3 components, got {len(self.position)}"
            )
        if self.inertia is not None and (self.angle is None) == (self.rotation is None):
            raise ModelError(f"body {self.name!r}: an inertia needs either an angle or a rotation")
        if self.rotation is not None and ca.SX(self.rotation).shape != (3, 3):
            raise ModelError(f"body {self.name!r}: rotation must be 3×3, got {ca.SX(self.rotation).shape}")

    def inertia_matrix(self) -> Any:
        """I_G: 1×1 in the plane, 3×3 in space."""
        inertia = ca.SX(ca.DM(self.inertia)) if _is_plain(self.inertia) else ca.SX(self.inertia)
        wanted = (1, 1) if self.rotation is None else (3, 3)
        if inertia.shape != wanted:
            raise ModelError(f"body {self.name!r}: inertia must be {wanted[0]}×{wanted[1]}, got {inertia.shape}")
        return inertia


def _is_plain(value: Any) -> bool:
    return not isinstance(value, ca.SX)


def angular_velocity(body: PlacedBody, q: Any, v: Any, t: Any) -> Any:
    """ω as an expression of (q, v, t): 1 component in the plane, 3 in the body's frame in space.

    In space ω̄ is read off the skew matrix Rᵀ Ṙ.
    """
    if body.rotation is None:
        angle = ca.SX(body.angle)
        return ca.jtimes(angle, q, v) + ca.jtimes(angle, t, ca.SX(1))
    R = ca.SX(body.rotation)
    flat = ca.reshape(R, 9, 1)
    R_dot = ca.reshape(ca.jtimes(flat, q, v) + ca.jtimes(flat, t, ca.SX(1)), 3, 3)
    skew = R.T @ R_dot
    return ca.vertcat(skew[2, 1], skew[0, 2], skew[1, 0])


def rotation_x(angle: Any) -> Any:
    """Rotation about x by ``angle``, body to world."""
    c, s = ca.cos(angle), ca.sin(angle)
    return ca.vertcat(ca.horzcat(1, 0, 0), ca.horzcat(0, c, -s), ca.horzcat(0, s, c))


def rotation_y(angle: Any) -> Any:
    """Rotation about y by ``angle``, body to world."""
    c, s = ca.cos(angle), ca.sin(angle)
    return ca.vertcat(ca.horzcat(c, 0, s), ca.horzcat(0, 1, 0), ca.horzcat(-s, 0, c))


def rotation_z(angle: Any) -> Any:
    """Rotation about z by ``angle``, body to world."""
    c, s = ca.cos(angle), ca.sin(angle)
    return ca.vertcat(ca.horzcat(c, -s, 0), ca.horzcat(s, c, 0), ca.horzcat(0, 0, 1))
