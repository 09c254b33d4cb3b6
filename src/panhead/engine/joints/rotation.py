"""Rotational joints: spherical, revolute, universal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca

from panhead.engine.joints.joint import Joint
from panhead.engine.roles import Expression, Frame, Symbols


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Spherical(Joint):
    """Two points stay together: d = 0."""

    labels = ("x", "y", "z")
    planar_labels = ("x", "y")

    @staticmethod
    def residual(A: Frame, B: Frame, s: Symbols) -> Expression:
        return B.p - A.p

    @staticmethod
    def planar_residual(A: Frame, B: Frame, s: Symbols) -> Expression:
        return (B.p - A.p)[:2]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Revolute(Joint):
    """A hinge about the common z axis: d = 0, x_A·z_B = 0, y_A·z_B = 0."""

    labels = ("x", "y", "z", "tilt about y", "tilt about x")
    planar_labels = ("x", "y")

    @staticmethod
    def residual(A: Frame, B: Frame, s: Symbols) -> Expression:
        return ca.vertcat(B.p - A.p, ca.dot(A.x, B.z), ca.dot(A.y, B.z))

    @staticmethod
    def planar_residual(A: Frame, B: Frame, s: Symbols) -> Expression:
        return (B.p - A.p)[:2]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Universal(Joint):
    """A cross: points together, the z axes of both sides at a right angle: d = 0, z_A·z_B = 0."""

    labels = ("x", "y", "z", "twist")

    @staticmethod
    def residual(A: Frame, B: Frame, s: Symbols) -> Expression:
        return ca.vertcat(B.p - A.p, ca.dot(A.z, B.z))
