"""Joints: constraints between bodies."""

from panhead.engine.joints.coordinate_constraints import Coupled, Driven, Held
from panhead.engine.joints.free_joint import Free
from panhead.engine.joints.function_constraint import FunctionConstraint
from panhead.engine.joints.point_on_beam import Riding
from panhead.engine.joints.points import Distance, PointOnLine, PointOnPlane
from panhead.engine.joints.relative_coordinates import Travel, Turn
from panhead.engine.joints.rotation import Revolute, Spherical, Universal
from panhead.engine.joints.sliding_joint import Sliding
from panhead.engine.joints.translation import Cylindrical, Planar, Prismatic, RevolutePrismatic, Rigid
from panhead.engine.joints.virtual_body_joint import RigidFlexible

__all__ = [
    "Coupled",
    "Cylindrical",
    "Distance",
    "Driven",
    "Free",
    "FunctionConstraint",
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
