"""Models of bodies, joints and forces, in absolute or in joint coordinates."""

from panhead.multibody.model import Model
from panhead.multibody.observing import observed
from panhead.multibody.tree import Tree, in_joint_coordinates
from panhead.multibody.urdf import JointLimits, LinkPlace, Robot, read_urdf

__all__ = ["JointLimits", "LinkPlace", "Model", "Robot", "Tree", "in_joint_coordinates", "observed", "read_urdf"]
