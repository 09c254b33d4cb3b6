"""Models of bodies, joints and forces in absolute coordinates."""

from panhead.multibody.model import Model

__all__ = ["Model"]
