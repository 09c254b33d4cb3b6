"""Bodies without rotation: points in space, and masses on a guide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca

from panhead.engine.roles import Body, Coordinate, Frame, Marker, Row, Symbols, Terms, Triple, numbers, require_axis
from panhead.errors import require_positive


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PointMass(Body):
    """A particle: q = (x, y, z), or (x, y) if ``planar``; T = ½ m v·v, V = −m g·p."""

    name: str
    mass: float  #: [kg]
    position: Triple = (0.0, 0.0, 0.0)  #: at the start [m]
    velocity: Triple = (0.0, 0.0, 0.0)  #: [m/s]
    planar: bool = False

    def __post_init__(self) -> None:
        require_positive(self, "mass")

    def _names(self) -> tuple[str, ...]:
        return ("x", "y") if self.planar else ("x", "y", "z")

    def coordinates(self) -> tuple[Coordinate, ...]:
        together = zip(self._names(), self.position, self.velocity, strict=False)
        return tuple(Coordinate(name=n, start=p, rate=v) for n, p, v in together)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        values = {"mass": self.mass} | numbers("gravity", gravity[: len(self._names())])
        return (Row(law=("point", len(self._names())), terms=_terms, owned=self.own(*self._names()), numbers=values),)

    def at(self) -> Marker:
        """The particle itself."""
        names = self._names()
        return Marker(body=self.name, law=("point", len(names)), coordinates=self.own(*names), numbers={}, frame=_frame)


def _frame(s: Symbols) -> Frame:
    planar = s.q.numel() == 2
    return Frame(ca.vertcat(s.q, 0) if planar else s.q, ca.SX.eye(3), planar)


def _terms(s: Symbols) -> Terms:
    n = s.own_q.numel()
    return Terms(
        kinetic=0.5 * s.p["mass"] * ca.sumsqr(s.own_v), potential=-s.p["mass"] * ca.dot(s.vector("gravity", n), s.own_q)
    )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class GuidedMass(Body):
    """A mass on a straight guide: p = origin + x · axis; q = (x)."""

    name: str
    mass: float  #: [kg]
    axis: Triple  #: direction of the guide
    origin: Triple = (0.0, 0.0, 0.0)  #: [m]
    position: float = 0.0  #: x at the start [m]
    velocity: float = 0.0  #: [m/s]

    def __post_init__(self) -> None:
        require_positive(self, "mass")
        require_axis(f"GuidedMass {self.name!r}", "axis", self.axis)

    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate(name="x", start=self.position, rate=self.velocity),)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        axis = require_axis(self.name, "axis", self.axis)
        pull = float(sum(a * g for a, g in zip(axis, gravity, strict=True)))
        values = {"mass": self.mass, "pull": pull}
        return (Row(law="guided", terms=_guided_terms, owned=self.own("x"), numbers=values),)

    def at(self) -> Marker:
        """The mass itself."""
        axis = require_axis(self.name, "axis", self.axis)
        return Marker(
            body=self.name,
            law="guided",
            coordinates=self.own("x"),
            numbers=numbers("o", self.origin) | numbers("a", axis),
            frame=_guided_frame,
        )


def _guided_frame(s: Symbols) -> Frame:
    return Frame(s.vector("o") + s.q[0] * s.vector("a"), ca.SX.eye(3), True)


def _guided_terms(s: Symbols) -> Terms:
    m = s.p["mass"]
    return Terms(kinetic=0.5 * m * s.own_v**2, potential=-m * s.p["pull"] * s.own_q)
