"""Bodies: what owns coordinates and inertia."""

from panhead.bodies.beam import Beam
from panhead.bodies.cable import Cable
from panhead.bodies.euler_bernoulli import EulerBernoulliBeam
from panhead.bodies.floating import FloatingBody
from panhead.bodies.ground import Carrier, Ground, ground
from panhead.bodies.lump import Lump
from panhead.bodies.planar import PlanarBody
from panhead.bodies.point import GuidedMass, PointMass
from panhead.bodies.rigid import RigidBody
from panhead.bodies.virtual import VirtualBody

__all__ = [
    "Beam",
    "Cable",
    "Carrier",
    "EulerBernoulliBeam",
    "FloatingBody",
    "Ground",
    "GuidedMass",
    "Lump",
    "PlanarBody",
    "PointMass",
    "RigidBody",
    "VirtualBody",
    "ground",
]
