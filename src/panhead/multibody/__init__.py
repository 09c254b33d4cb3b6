"""Models of bodies, joints and forces in absolute coordinates."""

from panhead.multibody.model import Model
from panhead.multibody.observing import observed

__all__ = ["Model", "observed"]
