"""Kinematics of a tree of joints: positions and attitudes from joint coordinates, base to tip.

    p_B = p_A + R_A (a + R_a d) − R_B b,   e_B = e_A ∘ e_a ∘ e_d ∘ e_b         [Lipinski23, eqs (1)–(2)]

a, e_a: where the joint sits on the body before; d, e_d: what the joint's coordinates move; b, e_b: how the
body after hangs on it. In the plane angles add up instead of Euler parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import casadi as ca
import numpy as np

from panhead.engine.joints.free_joint import Free
from panhead.engine.joints.rotation import Revolute, Spherical, Universal
from panhead.engine.joints.translation import Cylindrical, Planar, Prismatic, RevolutePrismatic, Rigid
from panhead.engine.roles import Expression, Symbols
from panhead.engine.rotations import matrix_of, product, quaternion_of

SPATIAL = ("x", "y", "z", "e0", "e1", "e2", "e3")
PLANAR = ("x", "y", "angle")
_PLAIN = (0.0, 1.0, -1.0)
_Moves = Callable[[Expression], tuple[Expression, Expression]]


@final
@dataclass(frozen=True, slots=True)
class Pose:
    """A body's frame: p_WB (3,) and its Euler parameters (4,), or in the plane its angle (1,)."""

    p: Expression
    turn: Expression

    @property
    def R(self) -> Expression:
        """R_WB, (3, 3)."""
        if self.turn.numel() == 4:
            return ca.vertcat(*(ca.horzcat(*row) for row in matrix_of(self.turn)))
        c, s = ca.cos(self.turn), ca.sin(self.turn)
        return ca.vertcat(ca.horzcat(c, -s, 0), ca.horzcat(s, c, 0), ca.horzcat(0, 0, 1))

    @property
    def coordinates(self) -> Expression:
        """Absolute coordinates of the body: (x, y, z, e0 … e3) or (x, y, angle)."""
        return ca.vertcat(self.p[:2] if self.turn.numel() == 1 else self.p, self.turn)

    @staticmethod
    def of(q: Expression) -> Pose:
        """Pose from the body's own coordinates."""
        return Pose(ca.vertcat(q[:2], 0), q[2]) if q.numel() == len(PLANAR) else Pose(q[:3], q[3:7])


@final
@dataclass(frozen=True, slots=True)
class Motion:
    """Free motion of a kind of joint: names and units of its coordinates, and the displacement they give in frame A."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    moves: _Moves  #: coordinates → d (3,), e_d (4,) or in the plane the angle
    reads: Callable[[Any, Any], tuple[float, ...]]  #: d, R_AB or the angle → coordinates
    fixed: bool = False  #: the attitude of the start is kept
    one_way: bool = False  #: the first side is special and must come first


def _about_z(angle: Expression) -> Expression:
    return ca.vertcat(ca.cos(angle / 2), 0, 0, ca.sin(angle / 2))


def _along_z(travel: Expression) -> Expression:
    return ca.vertcat(0, 0, travel)


def _cross(q: Expression) -> tuple[Expression, Expression]:
    """z_A turned by the first angle, a right angle about x, z_B turned by the second."""
    corner = ca.DM([np.sqrt(0.5), np.sqrt(0.5), 0, 0])
    turn = product(product(_about_z(q[0]), corner), _about_z(q[1]))
    return ca.SX.zeros(3), ca.vertcat(*turn)


def _angle(R: np.ndarray) -> float:
    return float(np.arctan2(R[1, 0], R[0, 0]))


_NO_TURN = ca.SX([1, 0, 0, 0])
_HERE = ca.SX.zeros(3)
_M, _RAD = ("m",), ("rad",)
_REVOLUTE = Motion(("angle",), _RAD, lambda q: (_HERE, _about_z(q[0])), lambda d, R: (_angle(R),))
_SPHERICAL = Motion(SPATIAL[3:], ("",) * 4, lambda q: (_HERE, q), lambda d, R: quaternion_of(R))
_UNIVERSAL = Motion(
    ("first", "second"),
    2 * _RAD,
    _cross,
    # z_B in A is (sin φ₁, −cos φ₁, 0), z_A in B is (sin φ₂, cos φ₂, 0)
    lambda d, R: (float(np.arctan2(R[0, 2], -R[1, 2])), float(np.arctan2(R[2, 0], R[2, 1]))),
)
_FREE = Motion(SPATIAL, 3 * _M + ("",) * 4, lambda q: (q[:3], q[3:7]), lambda d, R: (*d, *quaternion_of(R)))
_PRISMATIC = Motion(("travel",), _M, lambda q: (_along_z(q[0]), _NO_TURN), lambda d, R: (d[2],), fixed=True)
_CYLINDRICAL = Motion(
    ("travel", "angle"), _M + _RAD, lambda q: (_along_z(q[0]), _about_z(q[1])), lambda d, R: (d[2], _angle(R))
)
_REVOLUTE_PRISMATIC = Motion(
    ("travel", "angle"),
    _M + _RAD,
    lambda q: (_along_z(q[0]), ca.vertcat(ca.cos(q[1] / 2), ca.sin(q[1] / 2), 0, 0)),
    lambda d, R: (d[2], float(np.arctan2(R[2, 1], R[1, 1]))),
    one_way=True,
)
_PLANAR = Motion(
    ("along x", "along y", "angle"),
    2 * _M + _RAD,
    lambda q: (ca.vertcat(q[:2], 0), _about_z(q[2])),
    lambda d, R: (d[0], d[1], _angle(R)),
)
_RIGID = Motion((), (), lambda q: (_HERE, _NO_TURN), lambda d, R: (), fixed=True)
# in the plane: the turn is an angle
_HINGE_2D = Motion(("angle",), _RAD, lambda q: (_HERE, q[0]), lambda d, turn: (turn,))
_FREE_2D = Motion(PLANAR, 2 * _M + _RAD, lambda q: (ca.vertcat(q[:2], 0), q[2]), lambda d, turn: (d[0], d[1], turn))
_SLIDE_2D = Motion(("travel",), _M, lambda q: (_along_z(q[0]), ca.SX(0)), lambda d, turn: (d[2],), fixed=True)
_SLIDING_HINGE_2D = Motion(
    ("travel", "angle"), _M + _RAD, lambda q: (_along_z(q[0]), q[1]), lambda d, turn: (d[2], turn), one_way=True
)
_RIGID_2D = Motion((), (), lambda q: (_HERE, ca.SX(0)), lambda d, turn: (), fixed=True)

#: class of joint → what it leaves free, in space and in the plane
MOTIONS: Mapping[type, tuple[Motion | None, Motion | None]] = {
    Revolute: (_REVOLUTE, _HINGE_2D),
    Spherical: (_SPHERICAL, _HINGE_2D),
    Universal: (_UNIVERSAL, None),
    Prismatic: (_PRISMATIC, _SLIDE_2D),
    Cylindrical: (_CYLINDRICAL, None),
    RevolutePrismatic: (_REVOLUTE_PRISMATIC, _SLIDING_HINGE_2D),
    Planar: (_PLANAR, None),
    Rigid: (_RIGID, _RIGID_2D),
    Free: (_FREE, _FREE_2D),
}


@final
@dataclass(frozen=True, slots=True)
class TreeLink:
    """One joint of a tree, with the constants of its two sides."""

    name: str
    motion: Motion
    constants: Mapping[str, float]  #: a.0 …, axes.0 …, b.0 …, turn_a.0 …, turn_b.0 …

    @property
    def plain(self) -> dict[str, float]:
        """Zeros and ones: written into the expressions, which shrink."""
        return {name: x for name, x in self.constants.items() if x in _PLAIN}

    @property
    def numbers(self) -> dict[str, float]:
        """The other constants: columns of the table."""
        return {name: x for name, x in self.constants.items() if x not in _PLAIN}

    @property
    def key(self) -> tuple[Any, ...]:
        """Cache key: everything that determines the expressions."""
        return (id(self.motion), tuple(self.plain.items()), tuple(self.numbers))

    def after(self, before: Pose, q: Expression, p: Mapping[str, Expression]) -> Pose:
        """The pose of the body after the joint; ``p`` holds its numbers."""
        value = {name: ca.SX(x) for name, x in self.plain.items()} | dict(p)
        vector = lambda name, n: ca.vertcat(*(value[f"{name}.{i}"] for i in range(n)))
        n = before.turn.numel()
        d, turn = self.motion.moves(q)
        turn = _compose_rotations(
            _compose_rotations(_compose_rotations(before.turn, vector("turn_a", n)), turn), vector("turn_b", n)
        )
        at = vector("a", 3)
        if not d.is_zero():
            at = at + ca.reshape(vector("axes", 9), 3, 3).T @ d
        after = Pose(ca.SX.zeros(3), turn)
        return Pose(before.p + before.R @ at - after.R @ vector("b", 3), turn)


def _compose_rotations(first: Expression, then: Expression) -> Expression:
    if first.numel() == 1:
        return first + then
    return ca.vertcat(*product(first, then))


@final
@dataclass(frozen=True, slots=True)
class Path:
    """The way from the world, or from a body that keeps its own coordinates, to a body."""

    root: tuple[str, ...]  #: coordinates of the body it starts from; none: the world
    base: Callable[[Symbols], Pose]
    base_key: Any
    base_numbers: Mapping[str, float]
    links: tuple[TreeLink, ...]

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Full names, base to tip."""
        return (*self.root, *(f"{k.name}.{n}" for k in self.links for n in k.motion.names))

    @property
    def key(self) -> tuple[Any, ...]:
        """Cache key: everything that determines the expressions."""
        return ("tree", self.base_key, *(link.key for link in self.links))

    @property
    def numbers(self) -> dict[str, float]:
        """Constants of the base and of every joint on the way."""
        found = {f"base.{name}": x for name, x in self.base_numbers.items()}
        for k, link in enumerate(self.links):
            found |= {f"way.{k}.{name}": x for name, x in link.numbers.items()}
        return found

    def pose(self, t: Expression, q: Expression, p: Mapping[str, Expression]) -> Pose:
        """The body's pose from the coordinates on its way."""
        n = len(self.root)
        pose = self.base(_at(t, q[:n], within(p, "base.")))
        for k, link in enumerate(self.links):
            count = len(link.motion.names)
            pose = link.after(pose, q[n : n + count], within(p, f"way.{k}."))
            n += count
        return pose

    def with_link(self, link: TreeLink) -> Path:
        """The path extended by one joint."""
        return Path(self.root, self.base, self.base_key, self.base_numbers, (*self.links, link))


def _at(t: Expression, q: Expression, p: Mapping[str, Expression]) -> Symbols:
    v = ca.SX.zeros(q.numel())
    return Symbols(t, q, v, q, v, ca.SX(0, 1), p, ())


def within(p: Mapping[str, Expression], prefix: str) -> dict[str, Expression]:
    """The numbers whose names begin with the prefix, without it."""
    return {name.removeprefix(prefix): x for name, x in p.items() if name.startswith(prefix)}


def states_of(paths: Sequence[Path], coordinates: Sequence[str]) -> ca.Function:
    """(t, q, v) → the bodies' own coordinates and rates, one behind the other."""
    place = {name: i for i, name in enumerate(coordinates)}
    t, q, v = ca.SX.sym("t"), ca.SX.sym("q", len(place)), ca.SX.sym("v", len(place))
    found = []
    for path in paths:
        own = ca.vertcat(*(q[place[name]] for name in path.coordinates), ca.SX(0, 1))
        numbers = {name: ca.SX(x) for name, x in path.numbers.items()}
        found.append(path.pose(t, own, numbers).coordinates)
    X = ca.vertcat(*found, ca.SX(0, 1))
    return ca.Function("states", [t, q, v], [X, ca.jtimes(X, q, v) + ca.jacobian(X, t)])
