"""Joint between a flexible body and the virtual body attached at one of its places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca

from panhead.engine.joints.joint import Joint
from panhead.engine.roles import Expression, Frame, Symbols


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RigidFlexible(Joint):
    """A place A of a flexible body and a place B of a rigid one move as one  [Ambrosio11, eqs (15)–(18)].

        p_B − p_A = 0,   y_A·x_B = 0,   z_A·x_B = 0,   y_A·z_B = 0

    The axes of both sides are parallel, which makes the constants β of eq. (18) zero. Several joints to one
    rigid body hold several places together: the shapes of the flexible body must allow it.
    """

    labels = ("x", "y", "z", "turn", "tilt about y", "tilt about x")

    @staticmethod
    def residual(A: Frame, B: Frame, s: Symbols) -> Expression:
        axes = (ca.dot(A.y, B.x), ca.dot(A.z, B.x), ca.dot(A.y, B.z))
        return ca.vertcat(B.p - A.p, *axes)
