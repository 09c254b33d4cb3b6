"""Convex solids: what bodies that may meet are shaped like, with their volumes and moments of inertia."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from scipy.spatial import ConvexHull, HalfspaceIntersection, QhullError

from panhead.engine.roles import Triple
from panhead.errors import ModelError, require_positive

_FLAT = 1e-9  # of the size: corners that lie nearer to a plane belong to it
ROUNDING = 0.02  # of the smallest half width: edges are rounded by it where two flat-sided solids meet


class Polyhedron(NamedTuple):
    """Corners, and faces with outward normals and their corners counter-clockwise from outside."""

    vertices: np.ndarray  # (n, 3) [m]
    normals: np.ndarray  # (faces, 3)
    faces: tuple[tuple[int, ...], ...]
    inner: np.ndarray  # corners of what is left if every face moves inwards by ``rounding``
    rounding: float  # [m]


@final
@dataclass(frozen=True, slots=True)
class HalfSpace:
    """Everything below the x–y plane of its place: a floor, a wall, a slope. Fixed to the ground."""


@final
@dataclass(frozen=True, slots=True)
class Sphere:
    """A ball about its place."""

    radius: float  #: [m]

    def __post_init__(self) -> None:
        require_positive(self, "radius")

    def inertia(self, mass: float) -> Triple:
        """Moments about its centre, 2/5 m r² [kg·m²]."""
        return (0.4 * mass * self.radius**2,) * 3


@final
@dataclass(frozen=True, slots=True)
class Capsule:
    """A cylinder along z with half balls at its ends."""

    radius: float  #: [m]
    length: float  #: between the centres of the half balls [m]

    def __post_init__(self) -> None:
        require_positive(self, "radius", "length")

    def inertia(self, mass: float) -> Triple:
        """Moments about its centre: those of a cylinder and of a ball whose halves are L/2 ± 3/8 r away [kg·m²]."""
        r, L = self.radius, self.length
        rod = mass * L / (L + 4 * r / 3)
        ball = mass - rod
        across = rod * (3 * r**2 + L**2) / 12 + ball * (0.4 * r**2 + L**2 / 4 + 3 / 8 * L * r)
        return across, across, rod * r**2 / 2 + 0.4 * ball * r**2


@final
@dataclass(frozen=True, slots=True)
class Cylinder:
    """A round bar or a disc about z."""

    radius: float  #: [m]
    length: float  #: [m]

    def __post_init__(self) -> None:
        require_positive(self, "radius", "length")

    def inertia(self, mass: float) -> Triple:
        """Moments about its centre [kg·m²]."""
        across = mass * (3 * self.radius**2 + self.length**2) / 12
        return across, across, mass * self.radius**2 / 2


@final
@dataclass(frozen=True, slots=True)
class Box:
    """A box about its place."""

    size: Triple  #: whole widths along x, y, z [m]

    def __post_init__(self) -> None:
        if np.shape(self.size) != (3,) or not (np.isfinite(self.size).all() and min(self.size) > 0):
            raise ModelError(f"Box: size must be three widths > 0 [m], got {self.size!r}")

    def inertia(self, mass: float) -> Triple:
        """Moments about its centre [kg·m²]."""
        x, y, z = (w**2 for w in self.size)
        return mass * (y + z) / 12, mass * (x + z) / 12, mass * (x + y) / 12

    def polyhedron(self) -> Polyhedron:
        """Its corners and faces."""
        signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
        return polyhedron_of(signs * np.array(self.size) / 2)


@final
@dataclass(frozen=True, slots=True)
class Hull:
    """The convex hull of given points."""

    points: tuple[Triple, ...]  #: at least four, not all in one plane [m]

    def __post_init__(self) -> None:
        points = np.array(self.points, dtype=float)
        if points.ndim != 2 or points.shape[1] != 3 or len(points) < 4 or not np.isfinite(points).all():
            raise ModelError(f"Hull: points must be at least four points (x, y, z) [m], got shape {points.shape}")
        object.__setattr__(self, "points", tuple(tuple(float(x) for x in p) for p in points))
        self.polyhedron()

    def polyhedron(self) -> Polyhedron:
        """Its corners and faces."""
        return _polyhedron(self.points)

    def centred(self) -> Hull:
        """The hull moved so that its centre of mass is the origin, as a RigidBody needs it."""
        return Hull(tuple(np.array(self.points) - self.centre))

    @property
    def volume(self) -> float:
        """[m³]."""
        return float(_moments(self.points)[0])

    @property
    def centre(self) -> np.ndarray:
        """Centre of mass (3,) [m]."""
        return _moments(self.points)[1]

    def inertia(self, mass: float) -> tuple[float, ...]:
        """Moments about its centre of mass: xx, yy, zz, xy, xz, yz [kg·m²]."""
        volume, _, C = _moments(self.points)
        J = (np.trace(C) * np.eye(3) - C) * mass / volume
        return tuple(float(J[i, k]) for i, k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))


Form = HalfSpace | Sphere | Capsule | Cylinder | Box | Hull


@functools.cache
def _polyhedron(points: tuple[Triple, ...]) -> Polyhedron:
    return polyhedron_of(np.array(points))


def polyhedron_of(points: np.ndarray) -> Polyhedron:
    """The convex hull of points (n, 3), triangles in one plane joined to one face."""
    try:
        hull = ConvexHull(points)
    except QhullError:
        raise ModelError(
            f"Hull: the {len(points)} points lie in one plane; give points that enclose a volume"
        ) from None
    vertices = points[np.sort(hull.vertices)]
    size = float(np.ptp(vertices, axis=0).max())
    planes = np.unique(np.round(hull.equations / [1, 1, 1, size], 9), axis=0) * [1, 1, 1, size]
    faces, normals = [], []
    for *n, offset in planes:
        on = np.flatnonzero(np.abs(vertices @ n + offset) < max(_FLAT, 1e-8) * size)
        if len(on) >= 3:
            faces.append(_around(vertices, on, np.array(n)))
            normals.append(n)
    inside = vertices.mean(axis=0)
    depth = float(np.min(-(planes[:, :3] @ inside + planes[:, 3])))
    rounding = ROUNDING * depth
    moved = planes + [0, 0, 0, rounding]
    inner = HalfspaceIntersection(moved, inside).intersections
    inner = np.unique(np.round(inner / size, 12), axis=0) * size
    return Polyhedron(vertices, np.array(normals), tuple(faces), inner, rounding)


def _around(vertices: np.ndarray, on: np.ndarray, n: np.ndarray) -> tuple[int, ...]:
    """Corners of a face in the order of their angle about its normal."""
    arms = vertices[on] - vertices[on].mean(axis=0)
    x = arms[0] / np.linalg.norm(arms[0])
    angle = np.arctan2(arms @ np.cross(n, x), arms @ x)
    return tuple(int(i) for i in on[np.argsort(angle)])


@functools.cache
def _moments(points: tuple[Triple, ...]) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume, centre, and ∫ r rᵀ dV about the centre, from tetrahedra over the triangles of the hull."""
    p = np.array(points)
    hull = ConvexHull(p)
    origin = p.mean(axis=0)
    volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for triangle in hull.simplices:
        a, b, c = p[triangle] - origin
        v = abs(float(np.linalg.det([a, b, c]))) / 6
        s = a + b + c
        volume += v
        first += v * s / 4
        second += v / 20 * (np.outer(a, a) + np.outer(b, b) + np.outer(c, c) + np.outer(s, s))
    centre = first / volume
    return volume, centre + origin, second - volume * np.outer(centre, centre)
