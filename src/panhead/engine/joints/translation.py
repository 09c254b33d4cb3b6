"""Translational joints: prismatic, cylindrical, revolute–prismatic, planar, rigid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca

from panhead.engine.joints.joint import Joint, in_plane_normal
from panhead.engine.roles import Expression, Frame, Symbols


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Prismatic(Joint):
    """A guide along the common z axis that does not turn.

        d·x_A = 0, d·y_A = 0, x_A·z_B = 0, y_A·z_B = 0, x_A·y_B = 0

    The axes of both sides are parallel at the start. In the plane the z axes lie in it (``axis=(1, 0, 0)``).
    """

    labels = ("across x", "across y", "tilt about y", "tilt about x", "turn")
    planar_labels = ("across", "turn")

    @staticmethod
    def residual(A: Frame, B: Frame, s: Symbols) -> Expression:
        d = B.p - A.p
        tilt = (ca.dot(A.x, B.z), ca.dot(A.y, B.z))
        return ca.vertcat(ca.dot(d, A.x), ca.dot(d, A.y), *tilt, ca.dot(A.x, B.y))

    @staticmethod
    def planar_residual(A: Frame, B: Frame, s: Symbols) -> Expression:
        n = in_plane_normal(A.z)
        return ca.vertcat(ca.dot(B.p - A.p, n), ca.dot(n, B.z))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Cylindrical(Joint):
    """A sleeve on a pin: it slides along the common z axis and turns about it.

    d·x_A = 0, d·y_A = 0, x_A·z_B = 0, y_A·z_B = 0
    """

    labels = ("across x", "across y", "tilt about y", "tilt about x")

    @staticmethod
    def residual(A: Frame, B: Frame, s: Symbols) -> Expression:
        d = B.p - A.p
        return ca.vertcat(ca.dot(d, A.x), ca.dot(d, A.y), ca.dot(A.x, B.z), ca.dot(A.y, B.z))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RevolutePrismatic(Joint):
    """A hinge on a slider: it slides along the z axis of A and turns about the common x axis.

        d·x_A = 0, d·y_A = 0, y_A·x_B = 0, z_A·x_B = 0

    In the plane it slides along z_A, which lies in the plane, and turns about the plane's normal: n_A·d = 0.
    """

    labels = ("across x", "across y", "tilt about z", "tilt about y")
    planar_labels = ("across",)

    @staticmethod
    def residual(A: Frame, B: Frame, s: Symbols) -> Expression:
        d = B.p - A.p
        return ca.vertcat(ca.dot(d, A.x), ca.dot(d, A.y), ca.dot(A.y, B.x), ca.dot(A.z, B.x))

    @staticmethod
    def planar_residual(A: Frame, B: Frame, s: Symbols) -> Expression:
        return ca.dot(B.p - A.p, in_plane_normal(A.z))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Planar(Joint):
    """Two faces that slide on one another: d·z_A = 0, x_A·z_B = 0, y_A·z_B = 0."""

    labels = ("apart", "tilt about y", "tilt about x")

    @staticmethod
    def residual(A: Frame, B: Frame, s: Symbols) -> Expression:
        return ca.vertcat(ca.dot(B.p - A.p, A.z), ca.dot(A.x, B.z), ca.dot(A.y, B.z))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Rigid(Joint):
    """Two bodies welded together, their axes parallel: d = 0, x_A·z_B = 0, y_A·z_B = 0, x_A·y_B = 0.

    In the plane the turn is the z component of ½ Σ aᵢ × bᵢ over the axes of both sides.
    """

    labels = ("x", "y", "z", "tilt about y", "tilt about x", "turn")
    planar_labels = ("x", "y", "turn")

    @staticmethod
    def residual(A: Frame, B: Frame, s: Symbols) -> Expression:
        tilt = (ca.dot(A.x, B.z), ca.dot(A.y, B.z))
        return ca.vertcat(B.p - A.p, *tilt, ca.dot(A.x, B.y))

    @staticmethod
    def planar_residual(A: Frame, B: Frame, s: Symbols) -> Expression:
        turn = ca.cross(A.x, B.x) + ca.cross(A.y, B.y) + ca.cross(A.z, B.z)
        return ca.vertcat((B.p - A.p)[:2], turn[2] / 2)
