"""Virtual bodies: massless bodies that connect joints and forces to a flexible body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import casadi as ca

from panhead.engine.bodies.measure import at_start
from panhead.engine.bodies.rigid import RigidBody
from panhead.engine.roles import Body, Coordinate, Expression, Marker, Row, Symbols, Terms, Triple
from panhead.engine.rotations import quaternion_of, rates_of

_NAMES = ("x", "y", "z", "e0", "e1", "e2", "e3")
_UNITS = ("m",) * 3 + ("",) * 4


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualBody(Body):
    """A rigid body without mass and inertia                            [Ambrosio11, sec. 2.2].

        q = (p_WB, e),   e·e = 1,   T = 0,   V = 0

    It starts where the place ``on`` of another body is, with the axes and the rates of that place, and must be
    fastened there with a ``RigidFlexible`` joint: left free, it has no inertia and the model has no motion.
    """

    name: str
    on: Marker  #: where it starts, and is to be fastened

    def coordinates(self) -> tuple[Coordinate, ...]:
        start = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        together = zip(_NAMES, _UNITS, start, strict=True)
        return tuple(Coordinate(name=n, unit=unit, start=x) for n, unit, x in together)

    def start_coordinates(self, start: Mapping[str, tuple[float, float]]) -> tuple[Coordinate, ...]:
        """Position, attitude and rates of the place."""
        pose, rate = at_start(VirtualBody, (self.on,), _pose, start)
        R, R_dot = pose[3:].reshape(3, 3), rate[3:].reshape(3, 3)
        e, turning = quaternion_of(R), R.T @ R_dot
        spin = (turning[2, 1], turning[0, 2], turning[1, 0])
        values = zip(_NAMES, _UNITS, (*pose[:3], *e), (*rate[:3], *rates_of(e, spin)), strict=True)
        return tuple(Coordinate(name=n, unit=unit, start=float(x), rate=float(r)) for n, unit, x, r in values)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        return (
            Row(
                law="virtual body",
                terms=lambda s: Terms(constraint=ca.sumsqr(s.own_q[3:7]) - 1),
                owned=self.own(*_NAMES),
                constraints=self.own("unit length"),
            ),
        )

    def at(
        self, point: Triple = (0.0, 0.0, 0.0), *, axis: Triple | None = None, across: Triple | None = None
    ) -> Marker:
        """A place on it, in the axes of the place it starts on; without ``axis`` these are its axes too."""
        if axis is None:
            axis, across = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)
        # what is fastened to it sees a rigid body: mass is the only thing it lacks
        standing_in = RigidBody(name=self.name, mass=1.0, inertia=(1.0, 1.0, 1.0))
        return standing_in.at(point, axis=axis, across=across)


def _pose(s: Symbols) -> Expression:
    """p, then R row by row, (12,)."""
    frame = s.frames[0]
    return ca.vertcat(frame.p, ca.reshape(frame.R.T, 9, 1))
