"""Point joints: at a fixed distance, on a line, on a plane."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import casadi as ca

from panhead.engine.bodies.measure import distance
from panhead.engine.joints.joint import Joint, check_ends, in_plane_normal
from panhead.engine.roles import Expression, Frame, Symbols
from panhead.errors import require_positive


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Distance(Joint):
    """A massless rod with balls at its ends: |d| − length = 0; its multiplier is the rod's tension [N]."""

    labels = ("length",)
    planar_labels = ("length",)

    length: float  #: [m]

    def __post_init__(self) -> None:
        check_ends(self)
        require_positive(self, "length")

    def numbers(self) -> Mapping[str, float]:
        return {"length": self.length}

    @staticmethod
    def residual(A: Frame, B: Frame, s: Symbols) -> Expression:
        return distance(A, B) - s.p["length"]

    @staticmethod
    def planar_residual(A: Frame, B: Frame, s: Symbols) -> Expression:
        return Distance.residual(A, B, s)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PointOnLine(Joint):
    """The point of B stays on the line through A along z_A: d·x_A = 0, d·y_A = 0; in the plane n_A·d = 0."""

    labels = ("across x", "across y")
    planar_labels = ("across",)

    @staticmethod
    def residual(A: Frame, B: Frame, s: Symbols) -> Expression:
        d = B.p - A.p
        return ca.vertcat(ca.dot(d, A.x), ca.dot(d, A.y))

    @staticmethod
    def planar_residual(A: Frame, B: Frame, s: Symbols) -> Expression:
        return ca.dot(B.p - A.p, in_plane_normal(A.z))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PointOnPlane(Joint):
    """The point of B stays on the plane through A whose normal is z_A: d·z_A = 0."""

    labels = ("apart",)
    planar_labels = ("apart",)

    @staticmethod
    def residual(A: Frame, B: Frame, s: Symbols) -> Expression:
        return ca.dot(B.p - A.p, A.z)

    @staticmethod
    def planar_residual(A: Frame, B: Frame, s: Symbols) -> Expression:
        return PointOnPlane.residual(A, B, s)
