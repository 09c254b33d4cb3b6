"""Bodies: items with coordinates and inertia."""

from panhead.engine.bodies.ancf_beam import AncfBeam
from panhead.engine.bodies.beam import Beam
from panhead.engine.bodies.cable import Cable
from panhead.engine.bodies.euler_bernoulli import EulerBernoulliBeam
from panhead.engine.bodies.floating_body import FloatingBody
from panhead.engine.bodies.ground import Carrier, Ground, ground
from panhead.engine.bodies.lumped_mass import Lump
from panhead.engine.bodies.planar import PlanarBody
from panhead.engine.bodies.point import GuidedMass, PointMass
from panhead.engine.bodies.rigid import RigidBody
from panhead.engine.bodies.stress_recovery import StressRecovery
from panhead.engine.bodies.virtual import VirtualBody
from panhead.engine.structures.general_section import GeneralSection
from panhead.engine.structures.sections import Section

__all__ = [
    "AncfBeam",
    "Beam",
    "Cable",
    "Carrier",
    "EulerBernoulliBeam",
    "FloatingBody",
    "GeneralSection",
    "Ground",
    "GuidedMass",
    "Lump",
    "PlanarBody",
    "PointMass",
    "RigidBody",
    "Section",
    "StressRecovery",
    "VirtualBody",
    "ground",
]
