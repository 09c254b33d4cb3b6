"""Parse URDF files, checked and in SI units: links with their masses, joints with their frames and limits.

Frames are written as ``xyz`` and ``rpy``: R = R_z(yaw) R_y(pitch) R_x(roll). Visuals, collision shapes, transmissions
and simulator-specific elements do not change the motion and are ignored.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final
from xml.etree.ElementTree import Element

import numpy as np

from panhead.errors import FileError, RunWarning, alternatives
from panhead.files.parse import read_text
from panhead.files.safe_xml import xml_tree

KINDS: Final = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
_MOMENTS: Final = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


@final
@dataclass(frozen=True, slots=True)
class Inertial:
    """Mass, centre and moments about it [kg, m, kg·m²], in some link's axes."""

    mass: float
    centre: np.ndarray  # (3,)
    J: np.ndarray  # (3, 3)


def combine(parts: Iterable[Inertial | None]) -> Inertial | None:
    """Mass, centre and moments of several parts, all in the same axes; None without mass."""
    there = [x for x in parts if x is not None]
    mass = sum(x.mass for x in there)
    if not mass > 0:
        return None
    centre = sum((x.mass * x.centre for x in there), np.zeros(3)) / mass
    J = np.zeros((3, 3))
    for x in there:
        d = x.centre - centre
        J += x.J + x.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return Inertial(mass, centre, J)


@final
@dataclass(frozen=True, slots=True)
class UrdfJoint:
    """One joint: its frame on the parent, its axis there, its limits."""

    name: str
    kind: str
    parent: str
    child: str
    p: np.ndarray  # (3,) [m], in the parent's axes
    R: np.ndarray  # (3, 3)
    axis: np.ndarray  # (3,) of length 1, in the joint's axes
    limits: tuple[float, float, float, float]  #: lower, upper [rad, m], effort [N·m, N], velocity [rad/s, m/s]


@final
@dataclass(frozen=True, slots=True)
class UrdfFile:
    """Links in the order of the file, and the joints between them."""

    path: Path
    name: str
    links: dict[str, Inertial | None]  #: None: a frame without mass
    joints: tuple[UrdfJoint, ...]


def urdf_file(path: str | Path) -> UrdfFile:
    """Read a file; FileError names the link or joint, the value and the remedy."""
    path = Path(path)
    root = xml_tree(path, read_text(path), called="it", language="URDF")
    if root.tag != "robot":
        raise FileError(path, f"begins with <{root.tag}>, not <robot>; give a URDF file (expand xacro, convert SDF)")
    if any(str(part.tag).startswith("{") and "xacro" in str(part.tag) for part in root.iter()):
        raise FileError(path, "contains xacro macros; expand them first: xacro FILE.xacro > FILE.urdf")
    links = {_name(path, x): _inertial(path, x) for x in root.findall("link")}
    joints = tuple(_joint(path, x) for x in root.findall("joint"))
    names = [*(x.get("name", "") for x in root.findall("link")), *(j.name for j in joints)]
    _check_names(path, names)
    _check_tree(path, links, joints)
    return UrdfFile(path, root.get("name") or path.stem, links, joints)


def _name(path: Path, part: Element) -> str:
    name = part.get("name", "")
    if not name or "." in name or name == "ground":
        raise FileError(
            path,
            f"<{part.tag}> has the name {name!r}; give it a name that is not empty, has no dot and is not 'ground'",
        )
    return name


def _check_names(path: Path, names: list[str]) -> None:
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        raise FileError(path, f"several links or joints have the name {', '.join(twice)}; give each a different name")
    if not names:
        raise FileError(path, "has no <link>; a robot needs at least one")


def _check_tree(path: Path, links: dict[str, Inertial | None], joints: tuple[UrdfJoint, ...]) -> None:
    """Check the tree: joints join existing links, every link but the root is the child of one joint, all connected."""
    for j in joints:
        for side, link in (("parent", j.parent), ("child", j.child)):
            if link not in links:
                raise FileError(
                    path, f"joint {j.name!r}: no link is called {link!r} ({side}); {alternatives(link, links)}"
                )
    carried = Counter(j.child for j in joints)
    for link, n in carried.items():
        if n > 1:
            raise FileError(
                path, f"link {link!r} is the child of {n} joints; URDF allows only trees, so close loops in Python"
            )
    roots = [link for link in links if link not in carried]
    if len(roots) != 1:
        raise FileError(
            path,
            f"must have one root link (child of no joint), has {', '.join(roots) or 'none: its joints form a loop'}",
        )
    reached = {roots[0]}
    while more := {j.child for j in joints if j.parent in reached} - reached:
        reached |= more
    if lost := [link for link in links if link not in reached]:
        raise FileError(path, f"links {', '.join(lost)} form a closed loop of joints; connect them to {roots[0]!r}")


def _inertial(path: Path, link: Element) -> Inertial | None:
    """J in the link's axes: R J Rᵀ of the inertial frame's."""
    part, where = link.find("inertial"), f"link {link.get('name')!r}"
    if part is None:
        return None
    mass, moments = part.find("mass"), part.find("inertia")
    if mass is None or moments is None:
        raise FileError(path, f"{where}: <inertial> must hold <mass> and <inertia>")
    m = _number(path, where, mass, "value")
    xx, yy, zz, xy, xz, yz = (_number(path, where, moments, key) for key in _MOMENTS)
    if m < 0 or (m == 0 and any((xx, yy, zz, xy, xz, yz))):
        raise FileError(path, f"{where}: mass must be > 0, or 0 with an inertia of 0, got {m:g}; correct <mass>")
    p, R = _origin(path, where, part)
    return Inertial(m, p, R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T) if m else None


def _joint(path: Path, part: Element) -> UrdfJoint:
    name, kind = _name(path, part), part.get("type", "")
    where = f"joint {name!r}"
    if kind not in KINDS:
        raise FileError(path, f"{where}: unknown type {kind!r}; {alternatives(kind, KINDS)}")
    if part.find("mimic") is not None:
        raise FileError(
            path,
            f"{where}: <mimic> is not supported; remove it and couple the coordinates of driven() with joints.Coupled",
        )
    _warn_of_losses(path, where, part)
    parent, child = (
        end.get("link", "") if (end := part.find(side)) is not None else "" for side in ("parent", "child")
    )
    p, R = _origin(path, where, part)
    return UrdfJoint(name, kind, parent, child, p, R, _axis(path, where, part), _limits(path, where, part, kind))


def _warn_of_losses(path: Path, where: str, joint: Element) -> None:
    part = joint.find("dynamics")
    for key in () if part is None else ("damping", "friction"):
        if part is not None and _number(path, where, part, key, 0.0) != 0:
            text = f"{path.name}, {where}: {key} {part.get(key)} is ignored; add a force along its coordinate"
            warnings.warn(text, RunWarning, stacklevel=6)


def _axis(path: Path, where: str, joint: Element) -> np.ndarray:
    part = joint.find("axis")
    axis = np.array([1.0, 0.0, 0.0]) if part is None else _triple(path, where, part, "xyz")
    if not np.linalg.norm(axis) > 1e-9:
        raise FileError(path, f"{where}: its axis has zero length, got xyz = {axis.tolist()}; write for example 0 0 1")
    return axis / np.linalg.norm(axis)


def _limits(path: Path, where: str, joint: Element, kind: str) -> tuple[float, float, float, float]:
    """Limits of a joint; lower and upper default to 0, as URDF defines; a continuous joint has none."""
    part, bounded = joint.find("limit"), kind in ("revolute", "prismatic")
    if part is None and bounded:
        raise FileError(path, f"{where}: a {kind} joint needs <limit lower upper effort velocity>; add it")
    if part is None:
        return -math.inf, math.inf, math.inf, math.inf
    lower, upper = (
        _number(path, where, part, key, 0.0) if bounded else s * math.inf for key, s in (("lower", -1), ("upper", 1))
    )
    if lower > upper:
        raise FileError(path, f"{where}: lower limit {lower:g} is above the upper one, {upper:g}; swap them")
    return lower, upper, _number(path, where, part, "effort"), _number(path, where, part, "velocity")


def _origin(path: Path, where: str, part: Element) -> tuple[np.ndarray, np.ndarray]:
    """p and R = R_z R_y R_x of ``<origin xyz rpy>``."""
    origin = part.find("origin")
    if origin is None:
        return np.zeros(3), np.eye(3)
    p, angles = (_triple(path, where, origin, key) for key in ("xyz", "rpy"))
    (cx, cy, cz), (sx, sy, sz) = np.cos(angles), np.sin(angles)
    R_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    R_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    R_z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    return p, R_z @ R_y @ R_x


def _triple(path: Path, where: str, part: Element, key: str) -> np.ndarray:
    text = part.get(key, "0 0 0")
    values = [_finite(path, f"{where}: <{part.tag} {key}>", x) for x in text.split()]
    if len(values) != 3:
        raise FileError(path, f"{where}: <{part.tag} {key}> must be three numbers, got {text[:60]!r}")
    return np.array(values)


def _number(path: Path, where: str, part: Element, key: str, default: float | None = None) -> float:
    text = part.get(key)
    if text is None and default is not None:
        return default
    return _finite(path, f"{where}: <{part.tag} {key}>", text or "")


def _finite(path: Path, what: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or abs(value) > 1e12:
        raise FileError(path, f"{what} must be a finite number in SI units, got {text[:60]!r}")
    return value
