"""Write a model of rigid bodies on a tree of joints as a URDF file.

Links are named as bodies, their frames lie in the joints that carry them with z along the axis. The file holds bodies,
joints and shapes; a joint's position is 0 where the axes of both its places coincide. Limits of a robot that was read
are written; other joints are written without limits where URDF allows it.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from panhead.engine.bodies.ground import Ground
from panhead.engine.bodies.rigid import RigidBody
from panhead.engine.forces.collision_shape import CollisionShape
from panhead.engine.forces.solid_forms import Box, Cylinder, Sphere
from panhead.engine.joints.free_joint import Free
from panhead.engine.joints.relative_coordinates import Travel, Turn
from panhead.engine.joints.rotation import Revolute
from panhead.engine.joints.translation import Planar, Prismatic, Rigid
from panhead.engine.multibody.model import Model
from panhead.engine.roles import Body, Constraint, Marker
from panhead.errors import ModelError, RunWarning
from panhead.files.atomic_files import write_atomic
from panhead.files.urdf import Robot

_KINDS: dict[type[Any], str] = {
    Revolute: "continuous",
    Prismatic: "prismatic",
    Planar: "planar",
    Free: "floating",
    Rigid: "fixed",
}
_ROOT = "world"


@final
@dataclass(frozen=True, slots=True)
class _LinkFrame:
    """Frame of a link on its body."""

    p: np.ndarray
    R: np.ndarray

    def of(self, p: np.ndarray, R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A frame on the body, seen from the link's."""
        return self.R.T @ (p - self.p), self.R.T @ R


def write_urdf(source: Robot | Model, path: str | Path) -> None:
    """Write a robot, or a model of rigid bodies whose joints make a tree from the ground; ModelError where it cannot.

    Revolute, Prismatic, Planar, Free and Rigid joints; spheres, boxes and cylinders as collision shapes. Forces have no
    place in URDF and are left out with a warning, as is the initial state: it is given where the file is read.
    """
    model = source.model if isinstance(source, Robot) else source
    bodies: dict[str, RigidBody] = {}
    for item in model.items:
        if isinstance(item, RigidBody):
            bodies[item.name] = item
        elif isinstance(item, Body) and not isinstance(item, Ground):
            raise ModelError(f"URDF holds rigid bodies only; {item.name!r} is a {type(item).__name__}")
    root = Element("robot", name=model.name)
    SubElement(root, "link", name=_ROOT)
    frames = {"ground": _LinkFrame(np.zeros(3), np.eye(3))}
    links = {"ground": root[0]}
    for joint, parent, child in _tree(model, bodies):
        a, b = _pose(joint.a), _pose(joint.b)
        if joint.a.body != parent:
            a, b = b, a
        frames[child] = _LinkFrame(*b)
        links[child] = SubElement(root, "link", name=child)
        _write_inertial(links[child], bodies[child], frames[child])
        _write_joint(root, source, joint, _link(parent), child, frames[parent].of(*a), joint.a.body != parent)
    _write_shapes(model, links, frames)
    _warn_of_the_rest(model)
    ElementTree.indent(root)
    text = '<?xml version="1.0"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"
    write_atomic(Path(path), text.encode())


def _link(body: str) -> str:
    return _ROOT if body == "ground" else body


def _pose(marker: Marker) -> tuple[np.ndarray, np.ndarray]:
    n = marker.numbers
    return np.array([n[f"p.{i}"] for i in range(3)]), np.array([n[f"R.{i}"] for i in range(9)]).reshape(3, 3)


def _tree(model: Model, bodies: dict[str, RigidBody]) -> list[tuple[Any, str, str]]:
    """Joints with the body that carries and the body that is carried, from the ground on."""
    waiting = [x for x in model.items if isinstance(x, Constraint) and not isinstance(x, Turn | Travel)]
    for joint in waiting:
        if type(joint) not in _KINDS:
            kinds = ", ".join(kind.__name__ for kind in _KINDS)
            raise ModelError(f"joint {joint.name!r}: URDF has no {type(joint).__name__}; it has {kinds}")
    reached, found = {"ground"}, []
    while waiting:
        step = next((x for x in waiting if len({x.a.body, x.b.body} & reached)), None)  # type: ignore[attr-defined]
        if step is None:
            break
        waiting.remove(step)
        ends = (step.a.body, step.b.body)  # type: ignore[attr-defined]
        if set(ends) <= reached:
            raise ModelError(f"joint {step.name!r} closes a loop, and URDF holds trees only; leave it out")
        parent, child = ends if ends[0] in reached else ends[::-1]
        reached.add(child)
        found.append((step, parent, child))
    if lost := [name for name in bodies if name not in reached]:
        raise ModelError(f"no joint leads from the ground to {', '.join(lost)}; add a Free joint for what floats")
    return found


def _write_joint(
    root: Element, source: Robot | Model, joint: Any, parent: str, child: str, pose: Any, turned: bool
) -> None:
    kind, limits = _KINDS[type(joint)], None
    if isinstance(source, Robot) and joint.name in source.limits.names:
        k, x = source.limits.names.index(joint.name), source.limits
        limits = (x.lower[k], x.upper[k], x.effort[k], x.velocity[k])
        kind = "revolute" if kind == "continuous" and math.isfinite(limits[0]) else kind
    part = SubElement(root, "joint", name=joint.name, type=kind)
    SubElement(part, "parent", link=parent)
    SubElement(part, "child", link=child)
    _write_origin(part, *pose)
    if kind in ("revolute", "continuous", "prismatic", "planar"):
        SubElement(part, "axis", xyz="0 0 -1" if turned and kind != "planar" else "0 0 1")
    if kind in ("revolute", "prismatic"):
        lower, upper, effort, velocity = (x if math.isfinite(x) else math.copysign(1e9, x) for x in limits or _WIDE)
        values = {"lower": lower, "upper": upper, "effort": effort, "velocity": velocity}
        SubElement(part, "limit", {key: repr(float(x)) for key, x in values.items()})


_WIDE = (-math.inf, math.inf, math.inf, math.inf)


def _write_inertial(link: Element, body: RigidBody, frame: _LinkFrame) -> None:
    part, J = SubElement(link, "inertial"), body.inertia_matrix()
    _write_origin(part, *frame.of(np.zeros(3), np.eye(3)))
    SubElement(part, "mass", value=repr(float(body.mass)))
    places = {"ixx": (0, 0), "iyy": (1, 1), "izz": (2, 2), "ixy": (0, 1), "ixz": (0, 2), "iyz": (1, 2)}
    SubElement(part, "inertia", {key: repr(float(J[at])) for key, at in places.items()})


def _write_origin(part: Element, p: np.ndarray, R: np.ndarray) -> None:
    """xyz, and rpy of R = R_z R_y R_x; at a pitch of ±90° the roll is 0."""
    pitch = math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0]))
    if abs(math.cos(pitch)) > 1e-9:
        roll, yaw = math.atan2(R[2, 1], R[2, 2]), math.atan2(R[1, 0], R[0, 0])
    else:
        roll, yaw = 0.0, math.atan2(-R[0, 1], R[1, 1])
    text = lambda values: " ".join(repr(float(x)) for x in values)
    SubElement(part, "origin", xyz=text(p), rpy=text((roll, pitch, yaw)))


def _write_shapes(model: Model, links: dict[str, Element], frames: dict[str, _LinkFrame]) -> None:
    for shape in (x for x in model.items if isinstance(x, CollisionShape)):
        form = shape.form
        if not isinstance(form, Sphere | Box | Cylinder):
            _warn(model, f"shape {shape.name!r}: URDF has no {type(form).__name__}; it was left out")
            continue
        part = SubElement(links[shape.at.body], "collision", name=shape.name)
        _write_origin(part, *frames[shape.at.body].of(*_pose(shape.at)))
        geometry = SubElement(part, "geometry")
        if isinstance(form, Box):
            SubElement(geometry, "box", size=" ".join(repr(float(x)) for x in form.size))
        elif isinstance(form, Sphere):
            SubElement(geometry, "sphere", radius=repr(float(form.radius)))
        else:
            SubElement(geometry, "cylinder", radius=repr(float(form.radius)), length=repr(float(form.length)))


def _warn_of_the_rest(model: Model) -> None:
    known = (Body, Constraint, CollisionShape)
    rest = [item.name for item in model.items if not isinstance(item, known)]
    if rest:
        _warn(model, f"{', '.join(rest)} have no place in URDF and were left out")


def _warn(model: Model, text: str) -> None:
    warnings.warn(f"{model.name!r} as URDF: {text}", RunWarning, stacklevel=4)
