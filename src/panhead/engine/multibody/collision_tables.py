"""Shapes of a model for solvers: where they touch in a given position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from panhead.engine.forces.collision_shape import CollisionShape
from panhead.engine.forces.solid_forms import ROUNDING, Box, Capsule, Cylinder, HalfSpace, Hull, Sphere
from panhead.engine.kernels.collision_pairs import find_contacts
from panhead.engine.kernels.convex_shapes import (
    CAPSULE,
    CYLINDER,
    PLANE,
    POLYHEDRON,
    SPHERE,
    Poses,
    ShapeTable,
    place_shapes,
)
from panhead.engine.kernels.sliders import NO_SLIDES
from panhead.engine.roles import Item
from panhead.engine.system import CompiledFamilies, TouchingShapes, Vector
from panhead.errors import ModelError, SimulationError

_KINDS = {HalfSpace: PLANE, Sphere: SPHERE, Capsule: CAPSULE, Cylinder: CYLINDER, Box: POLYHEDRON, Hull: POLYHEDRON}


@final
class Collisions:
    """Shapes of a model that may meet; see ``panhead.engine.system.CollisionTerms``."""

    def __init__(
        self, shapes: Sequence[CollisionShape], coordinates: Sequence[str], joined: set[frozenset[str]]
    ) -> None:
        self.names = tuple(shape.name for shape in shapes)
        carriers = list(dict.fromkeys(s.at.body for s in shapes if s.at.coordinates))
        place = {name: k for k, name in enumerate(coordinates)}
        for shape in shapes:
            if shape.at.coordinates and shape.at.coordinates[0] not in place:
                raise ModelError(
                    f"shape {shape.name!r} is on {shape.at.body!r}, which has no coordinates of its own in this model; "
                    "add that body, or simulate the model itself, not its tree of joints"
                )
        first = {s.at.body: place[s.at.coordinates[0]] for s in shapes if s.at.coordinates}
        self.first_q = np.array([first[name] for name in carriers], dtype=np.int64)
        body = np.array([carriers.index(s.at.body) if s.at.coordinates else -1 for s in shapes], dtype=np.int64)
        self.body = body
        self.table = _table(shapes, body)
        laws = [shape.surface for shape in shapes]
        self.laws = np.array([(x.friction, x.spinning, x.rolling, x.restitution) for x in laws]).reshape(-1, 4)
        self.may_meet = _may_meet(shapes, joined)
        n = len(shapes)
        self._poses = Poses(np.zeros((n, 3)), np.zeros((n, 3, 3)))
        self._room = 64
        offset = np.linalg.norm(self.table.place, axis=1)
        box = self.table.box
        self.radius = offset + np.linalg.norm(np.abs(box[:, 0]) + box[:, 1], axis=1)
        self.radius[self.table.kind == PLANE] = 0.0

    @property
    def families(self) -> CompiledFamilies:
        """None: shapes are no elements."""
        return CompiledFamilies(None, None, NO_SLIDES, np.zeros(0, np.int64))

    def touching(self, t: float, q: Vector, reach: Vector) -> TouchingShapes:
        """Contacts with gaps up to the reach [m] of both shapes; SimulationError where two overlap deeply."""
        place_shapes(self.table, self.first_q, np.ascontiguousarray(q, dtype=float), np.zeros((3, 3)), self._poses)
        while True:
            most = self._room
            pair, gaps = np.zeros((most, 2), np.int64), np.zeros(most)
            points, normals = np.zeros((most, 3)), np.zeros((most, 3))
            n, a, b = find_contacts(self.table, self._poses, reach, self.may_meet, pair, points, normals, gaps)
            if a >= 0:
                raise SimulationError(
                    f"{self.names[a]!r} and {self.names[b]!r} lie inside one another at t = {t:.6g} s. Place them "
                    "apart, or halve dt: in one step they moved by more than they are thick"
                )
            if n <= most:
                return TouchingShapes(pair[:n], points[:n], normals[:n], gaps[:n])
            self._room = 2 * n


def joined_bodies(items: Sequence[Item]) -> set[frozenset[str]]:
    """Pairs of bodies that a joint holds together; what is joined to the ground meets it all the same."""
    found = set()
    for item in items:
        if isinstance(item, CollisionShape):
            continue
        for row in item.rows((0.0, 0.0, 0.0)):
            if row.constraints and row.impact is None and len(row.markers) > 1:
                found.add(frozenset(m.body for m in row.markers))
    return {pair for pair in found if "ground" not in pair}


def _may_meet(shapes: Sequence[CollisionShape], joined: set[frozenset[str]]) -> np.ndarray:
    """(n, n) bool, symmetric."""
    group, meets = (np.array([getattr(s, key) for s in shapes], dtype=np.int64) for key in ("group", "meets"))
    allowed = (group[:, None] & meets[None]) | (meets[:, None] & group[None])
    bodies = [s.at.body for s in shapes]
    names = {name: k for k, name in enumerate(dict.fromkeys(bodies))}
    number = np.array([names[b] for b in bodies])
    apart = number[:, None] != number[None]
    for pair in joined:
        if len(pair) == 2 and all(b in names for b in pair):
            a, b = (names[x] for x in pair)
            at = (number[:, None] == a) & (number[None] == b)
            apart &= ~(at | at.T)
    return np.ascontiguousarray((allowed != 0) & apart)


def _table(shapes: Sequence[CollisionShape], body: np.ndarray) -> ShapeTable:
    solids = {k: s.form.polyhedron() for k, s in enumerate(shapes) if isinstance(s.form, Box | Hull)}
    faces = [face for p in solids.values() for face in p.faces]
    counted = lambda size: np.concatenate([[0], np.cumsum([size(k) for k in range(len(shapes))])]).astype(np.int64)
    stack = lambda parts: np.vstack([np.zeros((0, 3)), *parts])
    numbers = [s.at.numbers for s in shapes]
    return ShapeTable(
        kind=np.array([_KINDS[type(s.form)] for s in shapes], dtype=np.int64),
        body=body,
        place=np.array([[n[f"p.{i}"] for i in range(3)] for n in numbers]),
        axes=np.array([[n[f"R.{i}"] for i in range(9)] for n in numbers]).reshape(-1, 3, 3),
        size=np.array([_size(s) for s in shapes]),
        rounding=np.array([_rounding(s) for s in shapes]),
        box=np.array([_box(s) for s in shapes]),
        first_vertex=counted(lambda k: len(solids[k].vertices) if k in solids else 0),
        vertices=stack(p.vertices for p in solids.values()),
        first_core=counted(lambda k: len(solids[k].inner) if k in solids else 0),
        cores=stack(p.inner for p in solids.values()),
        first_face=counted(lambda k: len(solids[k].faces) if k in solids else 0),
        normals=stack(p.normals for p in solids.values()),
        first_corner=np.concatenate([[0], np.cumsum([len(f) for f in faces])]).astype(np.int64),
        corners=np.array([v for f in faces for v in f], dtype=np.int64),
    )


def _size(shape: CollisionShape) -> tuple[float, float]:
    form = shape.form
    if isinstance(form, Sphere):
        return form.radius, 0.0
    return (form.radius, form.length / 2) if isinstance(form, Capsule | Cylinder) else (0.0, 0.0)


def _rounding(shape: CollisionShape) -> float:
    form = shape.form
    if isinstance(form, Box | Hull):
        return form.polyhedron().rounding
    return ROUNDING * min(form.radius, form.length / 2) if isinstance(form, Cylinder) else 0.0


def _box(shape: CollisionShape) -> np.ndarray:
    """Centre and half widths of a box about a shape, (2, 3)."""
    form = shape.form
    if isinstance(form, Box | Hull):
        corners = form.polyhedron().vertices
        low, high = corners.min(axis=0), corners.max(axis=0)
        return np.array([(low + high) / 2, (high - low) / 2])
    radius, half = _size(shape)
    end = half + (radius if isinstance(form, Capsule | Sphere) else 0.0)
    return np.array([(0.0, 0.0, 0.0), (radius, radius, end)])
