"""Geoms of MJCF files: shapes that meet, and the mass they give their bodies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

import numpy as np

from panhead.engine.forces.collision_shape import SurfaceLaw
from panhead.engine.forces.solid_forms import Box, Capsule, Cylinder, Form, HalfSpace, Sphere
from panhead.errors import FileError
from panhead.files.mjcf_frames import Frames, turn_to
from panhead.files.urdf_file import Inertial

GEOMS: Final = ("plane", "sphere", "capsule", "cylinder", "box")
_SIZES: Final = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3}


@final
@dataclass(frozen=True, slots=True)
class MjcfGeom:
    """A geom on a link."""

    name: str
    link: str
    kind: str
    form: Form
    p: np.ndarray  # (3,) in the link's frame [m]
    R: np.ndarray  # (3, 3)
    mass: float  # [kg]; 0: of a plane
    surface: SurfaceLaw
    group: int
    meets: int


def read_geom(
    path: Path, frames: Frames, values: Mapping[str, str], name: str, link: str, anchor: np.ndarray
) -> MjcfGeom:
    """Read one geom; ``anchor``: origin of the link's frame in the body's."""
    where, kind = f"geom {name!r}", values.get("type", "sphere")
    if kind not in GEOMS:
        raise FileError(path, f"{where}: type {kind!r} is not supported; use {', '.join(GEOMS)}, or Hull in Python")
    if kind == "plane" and link != "world":
        raise FileError(path, f"{where}: a plane belongs to the world, and this one to {link!r}; use a box")
    p, R = frames.pose(where, values)
    size = frames.numbers(where, values, "size", None, (0.0,))
    if "fromto" in values:
        ends = frames.numbers(where, values, "fromto", 6).reshape(2, 3)
        p, R = ends.mean(axis=0), turn_to(ends[1] - ends[0])
        size = np.array([*size[: 2 if kind == "box" else 1], np.linalg.norm(ends[1] - ends[0]) / 2])
    if kind != "plane" and (len(size) < _SIZES[kind] or not (size[: _SIZES[kind]] > 0).all()):
        raise FileError(path, f"{where}: size of a {kind} must be {_SIZES[kind]} numbers > 0, got {size.tolist()}")
    slide, spin, roll = [*frames.numbers(where, values, "friction", None, (1.0, 0.005, 0.0001)), 0.005, 0.0001][:3]
    width = int(frames.numbers(where, values, "condim", 1, (3,))[0])
    surface = SurfaceLaw(
        friction=slide if width > 1 else 0.0, spinning=spin if width > 3 else 0.0, rolling=roll if width > 4 else 0.0
    )
    group, meets = (int(frames.numbers(where, values, key, 1, (1,))[0]) for key in ("contype", "conaffinity"))
    form = _form(kind, size)
    mass = _mass(frames, where, values, form)
    return MjcfGeom(name, link, kind, form, p - anchor, R, mass, surface, group, meets)


def _form(kind: str, size: np.ndarray) -> Form:
    x = [float(s) for s in size]
    if kind == "plane":
        return HalfSpace()
    if kind == "sphere":
        return Sphere(x[0])
    if kind == "box":
        return Box((2 * x[0], 2 * x[1], 2 * x[2]))
    return Capsule(x[0], 2 * x[1]) if kind == "capsule" else Cylinder(x[0], 2 * x[1])


def _mass(frames: Frames, where: str, values: Mapping[str, str], form: Form) -> float:
    if isinstance(form, HalfSpace):
        return 0.0
    density = float(frames.numbers(where, values, "density", 1, (1000.0,))[0])
    return float(frames.numbers(where, values, "mass", 1, (density * _volume(form),))[0])


def _volume(form: Form) -> float:
    if isinstance(form, Box):
        return float(np.prod(form.size))
    if isinstance(form, Sphere):
        return float(4 / 3 * np.pi * form.radius**3)
    assert isinstance(form, Capsule | Cylinder)
    ends = 4 / 3 * form.radius if isinstance(form, Capsule) else 0.0
    return float(np.pi * form.radius**2 * (form.length + ends))


def geom_inertial(geom: MjcfGeom) -> Inertial | None:
    """Mass and moments of a geom in its link's axes; None of what has no mass."""
    if isinstance(geom.form, HalfSpace) or not geom.mass > 0:
        return None
    J = np.diag(geom.form.inertia(geom.mass)[:3])
    return Inertial(geom.mass, geom.p, geom.R @ J @ geom.R.T)
