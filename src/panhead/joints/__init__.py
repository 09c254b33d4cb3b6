"""Joints: what must stay zero between bodies."""

from panhead.joints.rotation import Revolute, Spherical, Universal

__all__ = ["Revolute", "Spherical", "Universal"]
