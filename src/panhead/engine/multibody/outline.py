"""Positions of the parts of a model, for drawing and animation."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, final

import casadi as ca
import numpy as np

from panhead.engine.bodies import Beam, Cable, EulerBernoulliBeam, FloatingBody, ground
from panhead.engine.bodies.weightless import Weightless
from panhead.engine.forces import PlaneContact, RopeContact
from panhead.engine.methods.trajectory import Trajectory
from panhead.engine.multibody.model import Model
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.engine.multibody.tree_kinematics import states_of
from panhead.engine.roles import Body, Force, Frame, Item, Marker, Symbols, WirePath
from panhead.engine.system import Matrix, Vector
from panhead.errors import ModelError

if TYPE_CHECKING:
    from panhead.engine.multibody.tree import Tree

_WIRES = (Beam, Cable, EulerBernoulliBeam)
_FEW, _MANY = 4, 400  # points drawn in an element; at most so many a wire


class HasCoordinateNames(Protocol):
    """Protocol of objects that name their coordinates."""

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Full names, in the order of q."""


class MotionLike(Protocol):
    """Times and coordinates."""

    @property
    def t(self) -> Vector:
        """(n,) [s]."""

    @property
    def q(self) -> Matrix:
        """(n, coordinates)."""


@final
@dataclass(frozen=True, slots=True)
class MotionView:
    """A motion with the coordinates of all bodies, also of those that a tree of joints carries."""

    coordinates: tuple[str, ...]
    t: Vector
    q: Matrix


def motion_view(system: MultibodySystem, motion: Trajectory, tree: Tree | None = None) -> MotionView:
    """The motion in the bodies' own coordinates; for a model in absolute coordinates the motion itself."""
    if tree is None:
        return MotionView(system.coordinates, motion.t, motion.q)
    of_bodies = states_of(tuple(tree.paths.values()), system.coordinates)
    q = np.array(of_bodies(motion.t[None], motion.q.T, motion.v.T)[0]).T
    return MotionView((*system.coordinates, *tree.carried), motion.t, np.hstack([motion.q, q]))


def positions(system: HasCoordinateNames, motion: MotionLike, markers: Sequence[Marker]) -> np.ndarray:
    """p_WP of every marker at every kept time, (n, markers, 3) [m]."""
    out = np.zeros((len(motion.t), len(markers), 3))
    place = {name: i for i, name in enumerate(system.coordinates)}
    for k, marker in enumerate(markers):
        q = motion.q[:, [place[name] for name in marker.coordinates]]
        p = np.repeat(np.array([list(marker.numbers.values())]).T, len(motion.t), axis=1)
        found = _at_marker(marker)(motion.t[None], q.T, p)
        out[:, k] = np.array(found).T
    return out


def _at_marker(marker: Marker) -> Any:
    key = (marker.law, len(marker.coordinates), tuple(marker.numbers))
    if key not in _FUNCTIONS:
        inputs, numbers, frame = _frame_of(marker)
        _FUNCTIONS[key] = ca.Function("place", [*inputs, ca.vertcat(*numbers, ca.SX(0, 1))], [frame.p])
    return _FUNCTIONS[key]


def _frame_of(marker: Marker) -> tuple[list[Any], list[Any], Frame]:
    """t and q, numbers, and the frame they make, as expressions."""
    t, q = ca.SX.sym("t"), ca.SX.sym("q", len(marker.coordinates))
    numbers = [ca.SX.sym(name) for name in marker.numbers]
    p = dict(zip(marker.numbers, numbers, strict=True))
    return [t, q], numbers, marker.frame(Symbols(t, q, q, q, q, ca.SX(0, 1), p, ()))


_FUNCTIONS: dict[Any, Any] = {}


def marker_on(model: Model, name: str, point: Sequence[float]) -> Marker:
    """A place on the body called ``name``: a point in its axes, or one length along a wire."""
    found = [_bare(item) for item in model.items if item.name == name and isinstance(item, Body)]
    if not found:
        bodies = ", ".join(item.name for item in model.items if isinstance(item, Body))
        raise ModelError(f"{model.name!r} has no body {name!r}; it has {bodies}")
    body: Any = found[0]
    try:
        if isinstance(body, _WIRES):
            (along,) = point
            return body.at(along)
        if isinstance(body, FloatingBody):
            return body.at(body.nearest(tuple(point))) if point else body.at()
        return body.at(tuple(point)) if point else body.at()
    except (TypeError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        wanted = "one length along it" if isinstance(body, _WIRES) else "a point in its axes"
        raise ModelError(f"a place on {name!r} is {wanted}, got {list(point)}") from None


def outline(model: Model, system: HasCoordinateNames, motion: MotionLike) -> dict[str, np.ndarray]:
    """Points of every part over time, (n, points, 3) [m]: attachment points of bodies, curves of wires.

    A rigid body is drawn through the places at which something is fastened to it (a bar if there is only one),
    a force with two ends as the line between them.
    """
    fastened = _fastening_points(model)
    parts = {}
    for item in map(_bare, model.items):
        if isinstance(item, _WIRES):
            parts[item.name] = _shape(system, motion, item.track(0.0))
        elif isinstance(item, FloatingBody):
            nodes = [item.at(item.node(j)) for j in item.drawn()]
            parts[item.name] = positions(system, motion, nodes)
        elif isinstance(item, Body):
            parts[item.name] = _rigid(system, motion, item, fastened.get(item.name, []))
        elif isinstance(item, Force) and len(ends := _ends(model, item)) == 2:
            parts[item.name] = positions(system, motion, ends)
        elif isinstance(item, PlaneContact):
            planar = all(_frame_of(m)[2].planar for m in (item.plane, item.point))
            parts[item.name] = positions(system, motion, item.corners(planar))
        elif isinstance(item, RopeContact):
            parts[item.name] = positions(system, motion, (item.a, item.b))
    if ground.name in fastened:
        parts[ground.name] = positions(system, motion, fastened[ground.name])
    return {name: points for name, points in parts.items() if points.shape[1]}


def _bare(item: Item) -> Item:
    return item.item if isinstance(item, Weightless) else item


def _rigid(system: HasCoordinateNames, motion: MotionLike, body: Any, markers: Sequence[Marker]) -> np.ndarray:
    """Through the places that hold it; one place alone makes a bar of it, the other end as far beyond the centre."""
    if len(markers) > 1 or not body.coordinates():
        return _polygon(system, motion, markers)
    points = positions(system, motion, [*markers, body.at()])
    if len(markers) == 0 or not np.ptp(points[0], axis=0).any():
        return points[:, :1]
    return np.stack([points[:, 0], 2 * points[:, 1] - points[:, 0]], axis=1)


def _ends(model: Model, force: Force) -> list[Marker]:
    """Return the places on which a force acts, if it has any."""
    markers = [m for row in force.rows(model.gravity) for m in row.markers]
    return [m for m in markers if m.law != "coordinate"]


def _fastening_points(model: Model) -> dict[str, list[Marker]]:
    """Body → distinct places to which joints and forces are attached."""
    found: dict[str, dict[Any, Marker]] = {}
    for item in model.items:
        for row in item.rows(model.gravity):
            for marker in row.markers:
                if marker.law != "coordinate":
                    where = tuple(x for n, x in marker.numbers.items() if not n.startswith("R."))
                    found.setdefault(marker.body, {}).setdefault((marker.law, where), marker)
    return {name: list(markers.values()) for name, markers in found.items()}


def _polygon(system: HasCoordinateNames, motion: MotionLike, markers: Sequence[Marker]) -> np.ndarray:
    """The places in their order, closed if they are three or more that span an area."""
    points = positions(system, motion, markers)
    if points.shape[1] < 3 or np.linalg.matrix_rank(points[0, 1:] - points[0, 0], tol=1e-6) < 2:
        return points
    return np.concatenate([points, points[:, :1]], axis=1)


def _shape(system: HasCoordinateNames, motion: MotionLike, track: WirePath) -> np.ndarray:
    """The wire's curve, (n, points, 3)."""
    each = max(1, min(_FEW, _MANY // len(track.elements)))
    place = {name: i for i, name in enumerate(system.coordinates)}
    along = _along(track)
    pieces = []
    for k, names in enumerate(track.elements):
        begin, length = track.breaks[k], track.breaks[k + 1] - track.breaks[k]
        q = motion.q[:, [place[name] for name in names]].T
        last = k == len(track.elements) - 1
        for x in np.arange(each + last) / each * length:
            numbers = np.array([x, length, begin, *track.numbers.values()])
            p = np.repeat(numbers[:, None], len(motion.t), axis=1)
            pieces.append(np.array(along(q, p)).T)
    return np.stack(pieces, axis=1)


def _along(track: WirePath) -> Any:
    """p_WP from an element's coordinates and (x, length, begin, numbers …)."""
    return _along_cached(track.position, track.law, len(track.elements[0]), tuple(track.numbers))


@functools.cache
def _along_cached(position: Any, law: Any, width: int, names: tuple[str, ...]) -> Any:
    del law
    e, p = ca.SX.sym("e", width), ca.SX.sym("p", 3 + len(names))
    numbers = {"begin": p[2], "length": p[1]} | {n: p[3 + i] for i, n in enumerate(names)}
    return ca.Function("along", [e, p], [position(p[0], p[1], e, numbers)])
