"""Joints: what must stay zero between bodies."""

from panhead.joints.held import Coupled, Held
from panhead.joints.rotation import Revolute, Spherical, Universal
from panhead.joints.sliding import Sliding

__all__ = ["Coupled", "Held", "Revolute", "Sliding", "Spherical", "Universal"]
