"""Parse MJCF files (MuJoCo's XML): bodies as links of a tree, geoms, forces of joints, motors, in SI units.

Frames: ``pos`` and one of ``quat``, ``axisangle``, ``euler``, ``xyaxes``, ``zaxis``; angles in degrees unless the
compiler says radian. A link's frame is its body's, moved to the anchor of its joint. What would change the motion and
is not known here is refused by name; what only shows it (cameras, sites, sensors, visuals) is passed over.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, final
from xml.etree.ElementTree import Element

import numpy as np

from panhead.engine.laws.gravity import DOWN
from panhead.errors import FileError, RunWarning, alternatives
from panhead.files.mjcf_frames import Frames
from panhead.files.mjcf_geoms import GEOMS, MjcfGeom, geom_inertial, read_geom
from panhead.files.parse import read_text
from panhead.files.safe_xml import xml_tree
from panhead.files.urdf_file import Inertial, UrdfFile, UrdfJoint, combine

_KINDS: Final = {"hinge": "revolute", "slide": "prismatic", "ball": "ball", "free": "floating"}
_REFUSED: Final = ("equality", "tendon", "deformable", "contact", "include", "extension")
_IN_BODIES: Final = ("body", "joint", "freejoint", "geom", "inertial", "site", "camera", "light")
_IGNORED_IN_JOINTS: Final = {"armature": "rotor inertia", "frictionloss": "dry friction"}


@final
@dataclass(frozen=True, slots=True)
class JointForce:
    """Spring and damper of a joint."""

    joint: str
    stiffness: float
    damping: float
    rest: float


@final
@dataclass(frozen=True, slots=True)
class Motor:
    """A motor along a joint."""

    name: str
    joint: str
    gear: float


@final
@dataclass(slots=True)
class MjcfFile:
    """A model file: its tree as of a URDF file, and what URDF does not have."""

    tree: UrdfFile
    gravity: tuple[float, float, float]
    geoms: list[MjcfGeom] = field(default_factory=list)
    forces: list[JointForce] = field(default_factory=list)
    motors: list[Motor] = field(default_factory=list)


def mjcf_file(path: str | Path) -> MjcfFile:
    """Read a file; FileError names the element, the value and the remedy."""
    path = Path(path)
    root = xml_tree(path, read_text(path), called="it", language="MJCF")
    if root.tag != "mujoco":
        raise FileError(path, f"begins with <{root.tag}>, not <mujoco>; give an MJCF file (read_urdf reads <robot>)")
    for tag in _REFUSED:
        if (part := root.find(tag)) is not None and len(part) + (tag == "include"):
            raise FileError(path, f"<{tag}> is not supported; remove it, or build that part in Python")
    return _Reader(path, root).read()


@final
class _Reader:
    """Walks the tree of bodies."""

    def __init__(self, path: Path, root: Element) -> None:
        compiler = root.find("compiler")
        self.path, self.root = path, root
        self.frames = Frames(path, {} if compiler is None else compiler.attrib)
        self.defaults: dict[str, dict[str, dict[str, str]]] = {"main": {}}
        for part in root.findall("default"):
            self._read_defaults(part, {})
        self.links: dict[str, Inertial | None] = {}
        self.joints: list[UrdfJoint] = []
        self.file = MjcfFile(UrdfFile(path, root.get("model") or path.stem, self.links, ()), DOWN)
        self.counts: dict[str, int] = {}

    def _read_defaults(self, part: Element, inherited: dict[str, dict[str, str]]) -> None:
        own = {tag: dict(values) for tag, values in inherited.items()}
        for child in part:
            if child.tag != "default":
                own[child.tag] = own.get(child.tag, {}) | child.attrib
        self.defaults[part.get("class") or "main"] = own
        for child in part.findall("default"):
            self._read_defaults(child, own)

    def _with_defaults(self, part: Element, of_body: str) -> dict[str, str]:
        chosen = part.get("class") or of_body
        if chosen not in self.defaults:
            known = alternatives(chosen, self.defaults)
            raise FileError(self.path, f"<{part.tag}>: no default class is called {chosen!r}; {known}")
        return self.defaults[chosen].get(part.tag, {}) | part.attrib

    def _name(self, part: Element, kind: str) -> str:
        self.counts[kind] = self.counts.get(kind, 0) + 1
        name = part.get("name") or f"{kind}{self.counts[kind]}"
        if "." in name or name == "ground":
            raise FileError(self.path, f"<{part.tag}> has the name {name!r}; it must have no dot and not be 'ground'")
        return name

    def read(self) -> MjcfFile:
        world = self.root.find("worldbody")
        if world is None:
            raise FileError(self.path, "has no <worldbody>")
        option = self.root.find("option")
        if option is not None and "gravity" in option.attrib:
            x, y, z = self.frames.numbers("option", option.attrib, "gravity", 3)
            self.file.gravity = float(x), float(y), float(z)
        self.links["world"] = None
        self._body(world, "world", np.zeros(3), "main")
        for part in self.root.findall("actuator/*"):
            self.file.motors.append(self._motor(part))
        self.file.tree = UrdfFile(self.path, self.file.tree.name, self.links, tuple(self.joints))
        return self.file

    def _body(self, body: Element, link: str, anchor: np.ndarray, of_class: str) -> None:
        """Elements of a body whose link's frame lies at ``anchor`` in the body's."""
        for part in body:
            if part.tag not in _IN_BODIES:
                raise FileError(self.path, f"body {link!r}: <{part.tag}> is not supported; write its bodies out")
        parts = []
        for part in body.findall("geom"):
            values = self._with_defaults(part, of_class)
            geom = read_geom(self.path, self.frames, values, self._name(part, "geom"), link, anchor)
            if geom.kind in GEOMS:
                self.file.geoms.append(geom)
            parts.append(geom_inertial(geom))
        given = body.find("inertial")
        if link != "world":
            self.links[link] = self._given_inertial(given, link, anchor) if given is not None else combine(parts)
        for child in body.findall("body"):
            self._child(child, link, anchor, child.get("childclass") or of_class)

    def _child(self, body: Element, parent: str, anchor: np.ndarray, of_class: str) -> None:
        link = self._name(body, "body")
        if link in self.links:
            raise FileError(self.path, f"several bodies are called {link!r}; give each a different name")
        joints = [*body.findall("joint"), *body.findall("freejoint")]
        if len(joints) > 1:
            raise FileError(
                self.path, f"body {link!r} has {len(joints)} joints; put each on a body of its own, with a little mass"
            )
        p, R = self.frames.pose(f"body {link!r}", body.attrib)
        values = self._with_defaults(joints[0], of_class) if joints else {}
        own = self.frames.numbers(f"joint of {link!r}", values, "pos", 3, (0.0, 0.0, 0.0))
        joint = self._joint(joints[0], values, parent, link) if joints else None
        name, kind, axis, limits = joint or (f"weld of {link}", "fixed", np.array([0.0, 0.0, 1.0]), (-math.inf,) * 4)
        own = own if joint and kind != "floating" else np.zeros(3)
        self.joints.append(UrdfJoint(name, kind, parent, link, p + R @ own - anchor, R, axis, limits))
        self._body(body, link, own, of_class)

    def _joint(
        self, part: Element, values: dict[str, str], parent: str, link: str
    ) -> tuple[str, str, np.ndarray, tuple[float, float, float, float]]:
        name = self._name(part, "joint")
        where, kind = f"joint {name!r}", "free" if part.tag == "freejoint" else values.get("type", "hinge")
        if kind not in _KINDS:
            raise FileError(self.path, f"{where}: unknown type {kind!r}; {alternatives(kind, _KINDS)}")
        if kind == "free" and parent != "world":
            raise FileError(self.path, f"{where}: a free joint is allowed on bodies of the world only")
        number: Callable[[str], float] = lambda key: float(self.frames.numbers(where, values, key, 1, (0.0,))[0])
        for key, word in _IGNORED_IN_JOINTS.items():
            if number(key):
                warnings.warn(f"{self.path.name}, {where}: {key} ({word}) is ignored", RunWarning, stacklevel=6)
        if number("ref"):
            raise FileError(self.path, f"{where}: ref is not supported; place the body where its joint is at 0")
        turn = self.frames.angle if kind == "hinge" else 1.0
        if number("stiffness") or number("damping"):
            if kind not in ("hinge", "slide"):
                raise FileError(self.path, f"{where}: stiffness and damping are supported on hinges and slides only")
            rest = turn * number("springref")
            self.file.forces.append(JointForce(name, number("stiffness"), number("damping"), rest))
        low, high = turn * self.frames.numbers(where, values, "range", 2, (-math.inf, math.inf))
        if kind in ("hinge", "slide") and "range" in values and values.get("limited", "auto") != "false":
            text = f"{self.path.name}, {where}: its range is kept as data; nothing stops at it"
            warnings.warn(text, RunWarning, stacklevel=6)
        axis = self.frames.numbers(where, values, "axis", 3, (0.0, 0.0, 1.0))
        if not np.linalg.norm(axis) > 1e-9:
            raise FileError(self.path, f"{where}: its axis has zero length; write for example 0 0 1")
        return name, _KINDS[kind], axis / np.linalg.norm(axis), (float(low), float(high), math.inf, math.inf)

    def _given_inertial(self, part: Element, link: str, anchor: np.ndarray) -> Inertial:
        where = f"inertial of {link!r}"
        mass = float(self.frames.numbers(where, part.attrib, "mass", 1)[0])
        p, R = self.frames.pose(where, part.attrib)
        if "fullinertia" in part.attrib:
            xx, yy, zz, xy, xz, yz = self.frames.numbers(where, part.attrib, "fullinertia", 6)
            J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        else:
            J = np.diag(self.frames.numbers(where, part.attrib, "diaginertia", 3))
        return Inertial(mass, p - anchor, R @ J @ R.T)

    def _motor(self, part: Element) -> Motor:
        values, name = self._with_defaults(part, "main"), self._name(part, "motor")
        known = {j.name for j in self.joints if j.kind in ("revolute", "prismatic")}
        joint = values.get("joint", "")
        if part.tag != "motor":
            raise FileError(self.path, f"actuator {name!r}: <{part.tag}> is not supported; use <motor> and control it")
        if joint not in known:
            raise FileError(
                self.path, f"motor {name!r}: no hinge or slide is called {joint!r}; {alternatives(joint, known)}"
            )
        gear = self.frames.numbers(f"motor {name!r}", values, "gear", None, (1.0,))
        return Motor(name, joint, float(gear[0]))
