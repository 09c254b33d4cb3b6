"""Spanning tree of a model: which joints carry bodies, and the initial values of their coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import casadi as ca
import numpy as np

from panhead.engine.bodies.planar import PlanarBody
from panhead.engine.bodies.rigid import RigidBody
from panhead.engine.joints.joint import is_planar
from panhead.engine.multibody.model import Model
from panhead.engine.multibody.tree_kinematics import MOTIONS, Motion, Path, Pose, TreeLink, states_of
from panhead.engine.roles import Coordinate, Frame, Item, Marker, Symbols, numbers
from panhead.engine.rotations import quaternion_of
from panhead.errors import ModelError

_CLOSED = 1e-6  # [m, rad, …/s]: how well bodies must have been put together


@final
@dataclass(frozen=True, slots=True)
class TreeStart:
    """Initial values of a joint's coordinates."""

    link: TreeLink
    q: tuple[float, ...]
    v: tuple[float, ...]


@final
class SpanningTreeBuilder:
    """Grows the tree from the bases, joint by joint in the order of the model."""

    def __init__(self, model: Model, loops: frozenset[str]) -> None:
        self.model = model
        self.bodies = {i.name: i for i in model.items if isinstance(i, (RigidBody, PlanarBody))}
        able: list[Any] = [i for i in model.items if type(i) in MOTIONS]
        unknown = sorted(loops - {i.name for i in able})
        if unknown:
            raise ModelError(
                f"model {model.name!r} has no joint {', '.join(unknown)} that could carry a body; "
                f"it has {', '.join(j.name for j in able)}"
            )
        self.joints = [j for j in able if j.name not in loops]
        self.known: set[str] = set()
        self.paths: dict[str, Path] = {}
        self.links: list[TreeLink] = []
        self.values: list[float] = []
        while self._grow() or self._add_base():
            pass

    def _grow(self) -> bool:
        """Follow the first joint that leads from something known to a body that is not."""
        for joint in self.joints:
            for a, b in ((joint.a, joint.b), (joint.b, joint.a)):
                if a.coordinates and a.body not in self.known:
                    continue
                if b.body not in self.bodies or b.body in self.known:
                    continue
                motion = self._motion(joint, a, b)
                if motion is None or (motion.one_way and a is not joint.a):
                    continue
                link = self._link(joint, motion, a, b)
                self.links.append(link)
                self.paths[b.body] = self._path_before(a, b).with_link(link)
                self.known.add(b.body)
                return True
        return False

    def _add_base(self) -> bool:
        """Choose a new base: the first body from which an unused joint leads on keeps its coordinates."""
        for joint in self.joints:
            ends = (joint.a.body, joint.b.body)
            if all(name in self.bodies and name not in self.known for name in ends):
                self.known.add(ends[0])
                return True
        return False

    def _motion(self, joint: Item, a: Marker, b: Marker) -> Motion | None:
        """Return the motion that the joint leaves free; None if it cannot carry b from a."""
        if not all("R.8" in m.numbers and "p.2" in m.numbers for m in (a, b)):
            return None  # on a wire or a point
        planar = isinstance(self.bodies[b.body], PlanarBody)
        if planar != is_planar(a) and a.coordinates:
            return None
        return MOTIONS[type(joint)][1 if planar else 0]

    def _path_before(self, a: Marker, b: Marker) -> Path:
        """The path to the body before the joint."""
        if a.body in self.paths:
            return self.paths[a.body]
        if a.coordinates:
            return Path(a.coordinates, lambda s: Pose.of(s.q), ("own", len(a.coordinates)), {}, ())
        planar = isinstance(self.bodies[b.body], PlanarBody)
        return Path((), Base(a, planar), ("base", a.law, planar), dict(a.numbers), ())

    def _link(self, joint: Item, motion: Motion, a: Marker, b: Marker) -> TreeLink:
        """Constants of the two sides; keeps the values of the coordinates at the start."""
        loose = motion.names[:2] == ("x", "y")  # counted in the bodies' own axes
        R_a, R_b = (np.eye(3) if loose else _axes(m) for m in (a, b))
        A, B = self._start(a), self._start(b)
        body_A, body_B = A.R @ _axes(a).T, B.R @ _axes(b).T
        d = (body_A @ R_a).T @ (B.p - A.p)
        turn: Any
        turn_a: Any
        turn_b: Any
        if isinstance(self.bodies[b.body], PlanarBody):
            turn_a, turn_b = _angle_of(R_a), -_angle_of(R_b)
            turn = self._angle(b.body) - self._angle(a.body) - turn_a - turn_b
            turn_b += turn if motion.fixed else 0.0
        else:
            turn = (body_A @ R_a).T @ body_B @ R_b
            turn_a = quaternion_of(R_a)
            turn_b = quaternion_of((turn if motion.fixed else np.eye(3)) @ R_b.T)
        self.values += motion.reads(d, turn)
        at = _point(a) if a.coordinates else np.zeros(3)  # the world's markers are bases themselves
        sides = numbers("a", at) | numbers("axes", R_a) | numbers("b", _point(b))
        turns = numbers("turn_a", turn_a) | numbers("turn_b", turn_b)
        # what rounding left of a zero or a one
        clean = {n: round(x) if abs(x - round(x)) < 1e-15 else x for n, x in (sides | turns).items()}
        return TreeLink(joint.name, motion, {n: float(x) for n, x in clean.items()})

    def _angle(self, name: str) -> float:
        body = self.bodies.get(name)
        return float(body.angle) if isinstance(body, PlanarBody) else 0.0

    def _start(self, marker: Marker) -> Frame:
        """A marker's frame at the start, as numbers."""
        body = self.bodies.get(marker.body)
        q = ca.SX([c.start for c in body.coordinates()]) if body else ca.SX(0, 1)
        p = {name: ca.SX(x) for name, x in marker.numbers.items()}
        frame = marker.frame(Symbols(ca.SX(0), q, q, q, q, ca.SX(0, 1), p, ()))
        value = lambda x: np.array(ca.DM(ca.evalf(ca.densify(x))))
        return Frame(value(frame.p)[:, 0], value(frame.R))

    def starts(self, own: Sequence[tuple[str, Coordinate]]) -> list[TreeStart]:
        """Values and rates of every joint's coordinates; ModelError if the bodies do not fit together."""
        names = [f"{k.name}.{n}" for k in self.links for n in k.motion.names]
        kept = list(dict.fromkeys(n for p in self.paths.values() for n in p.root))
        free = {f"{b.name}.{c.name}": c for b in self.bodies.values() for c in b.coordinates()}
        q = np.array(self.values + [free[n].start for n in kept])
        order = list(dict.fromkeys(name for name, _ in own))
        states = states_of([self.paths[name] for name in order], [*names, *kept])
        X = np.array(states(0.0, q, np.zeros(len(q)))[0])[:, 0]
        wanted, rates = (np.array([getattr(c, f) for _, c in own]) for f in ("start", "rate"))
        sign = _signs(own, X, wanted)
        self._require(own, X - sign * wanted, "position")
        columns = [np.array(states(0.0, q, e)[1])[:, 0] for e in np.eye(len(q))]
        J = np.column_stack(columns) if columns else np.zeros((len(X), 0))
        shift = np.array(states(0.0, q, np.zeros(len(q)))[1])[:, 0]
        J = J - shift[:, None]
        n = len(names)
        aim = sign * rates - shift - J[:, n:] @ np.array([free[x].rate for x in kept])
        v = np.linalg.lstsq(J[:, :n], aim, rcond=None)[0]
        self._require(own, J[:, :n] @ v - aim, "rate")
        found, at = [], 0
        for link in self.links:
            here = slice(at, at + len(link.motion.names))
            found.append(TreeStart(link, tuple(map(float, q[here])), tuple(map(float, v[here]))))
            at = here.stop
        return found

    def _require(self, own: Sequence[tuple[str, Coordinate]], gap: np.ndarray, what: str) -> None:
        if len(gap) and np.abs(gap).max() > _CLOSED:
            name, c = own[int(np.abs(gap).argmax())]
            raise ModelError(
                f"model {self.model.name!r}: the starting {what} {c.name} of {name!r} is "
                f"{np.abs(gap).max():.3g} away from the value that the joints before it allow; assemble the "
                "model first, for example with panhead.engine.methods.equilibrium.assemble_configuration"
            )


@final
@dataclass(frozen=True, slots=True)
class Base:
    """The place on which a tree stands: in the world, or on a body whose motion is given and does not turn."""

    marker: Marker
    planar: bool

    def __call__(self, s: Symbols) -> Pose:
        return Pose(self.marker.frame(s).p, ca.SX(0) if self.planar else ca.SX([1, 0, 0, 0]))


def _signs(own: Sequence[tuple[str, Coordinate]], X: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """−1 where a body's Euler parameters came out with the other sign: the same attitude."""
    sign = np.ones(len(X))
    for i, (_, c) in enumerate(own):
        if c.name == "e0" and X[i : i + 4] @ wanted[i : i + 4] < 0:
            sign[i : i + 4] = -1.0
    return sign


def _axes(marker: Marker) -> np.ndarray:
    return np.array([marker.numbers[f"R.{i}"] for i in range(9)]).reshape(3, 3)


def _point(marker: Marker) -> np.ndarray:
    return np.array([marker.numbers[f"p.{i}"] for i in range(3)])


def _angle_of(R: np.ndarray) -> float:
    """The angle of a marker in the plane; an axis may lie in it, then that one tells."""
    column = 2 if abs(R[2, 2]) < 0.5 else 0
    return float(np.arctan2(R[1, column], R[0, column]))
