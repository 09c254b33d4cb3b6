"""Joints: what must stay zero between bodies."""

from panhead.joints.flexible import RigidFlexible
from panhead.joints.free import Free
from panhead.joints.held import Coupled, Driven, Held
from panhead.joints.measured import Travel, Turn
from panhead.joints.points import Distance, PointOnLine, PointOnPlane
from panhead.joints.riding import Riding
from panhead.joints.rotation import Revolute, Spherical, Universal
from panhead.joints.sliding import Sliding
from panhead.joints.translation import Cylindrical, Planar, Prismatic, RevolutePrismatic, Rigid

__all__ = [
    "Coupled",
    "Cylindrical",
    "Distance",
    "Driven",
    "Free",
    "Held",
    "Planar",
    "PointOnLine",
    "PointOnPlane",
    "Prismatic",
    "Revolute",
    "RevolutePrismatic",
    "Riding",
    "Rigid",
    "RigidFlexible",
    "Sliding",
    "Spherical",
    "Travel",
    "Turn",
    "Universal",
]
