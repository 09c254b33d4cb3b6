"""A point that slides along a wire: the arc length kept as a coordinate, or eliminated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final

import casadi as ca

from panhead.bodies.cable import tangent_frame
from panhead.roles import (
    Constraint,
    Coordinate,
    Expression,
    Marker,
    Row,
    Symbols,
    Terms,
    Track,
    Triple,
)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Sliding(Constraint):
    """A point p of a body stays on a wire r(s), without friction            [Pappalardo16, eqs (4)–(19)].

    ``augmented``: the arc length s is a coordinate without inertia,
        p − r(s) = 0,   and its own equation  λ·r′ = 0  makes the force normal to the wire.
    ``embedded``: s follows from (r − p)·r′ = 0 and is eliminated at every level; what remains is
        n₁·(r − p) = 0,   n₂·(r − p) = 0,   n₁, n₂ from the slope alone.
    """

    name: str
    point: Marker
    wire: Track
    form: Literal["augmented", "embedded"] = "embedded"

    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate(name="s", start=self.wire.start),) if self.form == "augmented" else ()

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        planar = len(self.wire.elements[0]) == 8
        augmented = self.form == "augmented"
        labels = (
            ("x", "y", "z")[: 2 if planar else 3]
            if augmented
            else ("normal", "across")[: 1 if planar else 2]
        )
        return (
            Row(
                law=(type(self), self.form),
                terms=_augmented if augmented else _embedded,
                owned=self.own("s") if augmented else (),
                numbers={} if augmented else {"slide": self.wire.start},
                markers=(self.point,),
                track=self.wire,
                constraints=self.own(*labels),
            ),
        )


def _augmented(s: Symbols) -> Terms:
    assert s.wire is not None
    gap = s.frames[0].p - s.wire(s.own_q)
    planar = gap[2].is_zero()
    return Terms(constraint=gap[:2] if planar else gap)


def _embedded(s: Symbols) -> Terms:
    arc = s.p["slide"]
    r, slope, planar = wire_at(s, arc)
    gap = r - s.frames[0].p
    frame = tangent_frame(r[:2], slope[:2]) if planar else tangent_frame(r, slope)
    g = ca.dot(gap, frame.x) if planar else ca.vertcat(ca.dot(gap, frame.x), ca.dot(gap, frame.y))
    return Terms(constraint=g, hidden=arc, closure=ca.dot(gap, slope))


def wire_at(s: Symbols, arc: Expression) -> tuple[Expression, Expression, bool]:
    """Position and slope of the wire at an arc length, and whether it stays in the plane."""
    assert s.wire is not None
    r = s.wire(arc)
    return r, ca.jacobian(r, arc), bool(r[2].is_zero())
