"""Joints: what must stay zero between bodies."""

from panhead.engine.joints.flexible import RigidFlexible
from panhead.engine.joints.free import Free
from panhead.engine.joints.held import Coupled, Driven, Held
from panhead.engine.joints.measured import Travel, Turn
from panhead.engine.joints.points import Distance, PointOnLine, PointOnPlane
from panhead.engine.joints.riding import Riding
from panhead.engine.joints.rotation import Revolute, Spherical, Universal
from panhead.engine.joints.sliding import Sliding
from panhead.engine.joints.translation import Cylindrical, Planar, Prismatic, RevolutePrismatic, Rigid

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
