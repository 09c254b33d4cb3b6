"""Models of bodies, joints and forces, in absolute or in joint coordinates."""

from panhead.engine.multibody.model import Model
from panhead.engine.multibody.model_outputs import motion_outputs
from panhead.engine.multibody.tree import Tree, in_joint_coordinates

__all__ = ["Model", "Tree", "in_joint_coordinates", "motion_outputs"]
