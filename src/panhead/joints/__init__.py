"""Joints: what must stay zero between bodies."""

from panhead.joints.held import Coupled, Driven, Held
from panhead.joints.measured import Travel, Turn
from panhead.joints.points import Distance, PointOnLine, PointOnPlane
from panhead.joints.rotation import Revolute, Spherical, Universal
from panhead.joints.sliding import Sliding
from panhead.joints.translation import (
    Cylindrical,
    Planar,
    Prismatic,
    RevolutePrismatic,
    Rigid,
)

__all__ = [
    "Coupled",
    "Cylindrical",
    "Distance",
    "Driven",
    "Held",
    "Planar",
    "PointOnLine",
    "PointOnPlane",
    "Prismatic",
    "Revolute",
    "RevolutePrismatic",
    "Rigid",
    "Sliding",
    "Spherical",
    "Travel",
    "Turn",
    "Universal",
]
