"""Forces: what pushes or pulls, and accounts for its energy."""

from panhead.bodies.measure import Along, LineBetween, Slide
from panhead.forces.bushing import Bearing, Bushing
from panhead.forces.contacts import BallContact, PlaneContact, RopeContact
from panhead.forces.friction import DryFriction, SmoothFriction
from panhead.forces.line_load import LineLoad
from panhead.forces.push import Actuator, Push, Thrust, Twist
from panhead.forces.sliding_contact import Rubbing, SlidingContact, contact_events
from panhead.forces.springs import SpringDamper, Stop, TabulatedSpringDamper, TensionOnly
from panhead.forces.tables import Table
from panhead.forces.wire_contacts import BeamContact, CrossingContact
from panhead.roles import ImpactLaw

__all__ = [
    "Actuator",
    "Along",
    "BallContact",
    "BeamContact",
    "Bearing",
    "Bushing",
    "CrossingContact",
    "DryFriction",
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
    "SpringDamper",
    "Stop",
    "Table",
    "TabulatedSpringDamper",
    "TensionOnly",
    "Thrust",
    "Twist",
    "contact_events",
]
