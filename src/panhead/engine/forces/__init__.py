"""Forces: items that act on bodies and account for their energy."""

from panhead.engine.bodies.measure import Along, LineBetween, Slide
from panhead.engine.forces.applied_force import Actuator, Push, Thrust, Twist
from panhead.engine.forces.bushing import Bearing, Bushing
from panhead.engine.forces.collision_shape import CollisionShape, SurfaceLaw
from panhead.engine.forces.contacts import BallContact, PlaneContact, RopeContact
from panhead.engine.forces.friction import DryFriction, SmoothFriction
from panhead.engine.forces.function_force import FunctionForce, FunctionPush
from panhead.engine.forces.line_load import LineLoad
from panhead.engine.forces.sliding_contact import Rubbing, SlidingContact, contact_events
from panhead.engine.forces.solid_forms import Box, Capsule, Cylinder, HalfSpace, Hull, Sphere
from panhead.engine.forces.springs import SpringDamper, Stop, TabulatedSpringDamper, TensionOnly
from panhead.engine.forces.tabulated_function import Table
from panhead.engine.forces.wire_contacts import BeamContact, CrossingContact
from panhead.engine.roles import ImpactLaw

__all__ = [
    "Actuator",
    "Along",
    "BallContact",
    "BeamContact",
    "Bearing",
    "Box",
    "Bushing",
    "Capsule",
    "CollisionShape",
    "CrossingContact",
    "Cylinder",
    "DryFriction",
    "FunctionForce",
    "FunctionPush",
    "HalfSpace",
    "Hull",
    "ImpactLaw",
    "LineBetween",
    "LineLoad",
    "PlaneContact",
    "Push",
    "RopeContact",
    "Rubbing",
    "Slide",
    "SlidingContact",
    "SmoothFriction",
    "Sphere",
    "SpringDamper",
    "Stop",
    "SurfaceLaw",
    "Table",
    "TabulatedSpringDamper",
    "TensionOnly",
    "Thrust",
    "Twist",
    "contact_events",
]
