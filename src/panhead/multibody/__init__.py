"""Models of bodies, joints and forces, in absolute or in joint coordinates."""

from panhead.multibody.model import Model
from panhead.multibody.observing import observed
from panhead.multibody.tree import Tree, in_joint_coordinates

__all__ = ["Model", "Tree", "in_joint_coordinates", "observed"]
