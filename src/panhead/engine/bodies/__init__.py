"""Bodies: what owns coordinates and inertia."""

from panhead.bodies.ancf_beam import AncfBeam
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
from panhead.structures.sections import Section

__all__ = [
    "AncfBeam",
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
    "Section",
    "VirtualBody",
    "ground",
]
