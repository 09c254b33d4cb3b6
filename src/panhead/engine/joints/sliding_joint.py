"""Sliding joint of a point on a wire, with the arc length as a coordinate or eliminated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, final

import casadi as ca

from panhead.engine.bodies.wires import nearest, tangent_frame, update_across
from panhead.engine.joints.joint import is_planar
from panhead.engine.roles import Constraint, Coordinate, Expression, Marker, Row, Symbols, Terms, Triple, WirePath
from panhead.errors import require_one_of


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Sliding(Constraint):
    """A point p of a body stays on a wire r(s), without friction            [Pappalardo16, eqs (4)–(19)].

    ``augmented``: the arc length s is a coordinate without inertia,
        p − r(s) = 0,   and its own equation  λ·r′ = 0  makes the force normal to the wire.
    ``embedded``: s follows from (r − p)·r′ = 0 and is eliminated at every level; what remains is
        n₁·(r − p) = 0,   n₂·(r − p) = 0,   n₁, n₂ from the slope and a direction across it that
        turns with the wire before the wire can reach it (``update_across``).
    """

    name: str
    point: Marker
    wire: WirePath
    form: Literal["augmented", "embedded"] = "embedded"

    def __post_init__(self) -> None:
        require_one_of(self, ("augmented", "embedded"), "form")

    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate(name="s", start=self.wire.start),) if self.form == "augmented" else ()

    def start_coordinates(self, start: Mapping[str, tuple[float, float]]) -> tuple[Coordinate, ...]:
        """Initial s at the nearest point of the wire, and its rate."""
        if self.form == "embedded":
            return ()
        s, rate = nearest(self.point, self.wire, start)
        return (Coordinate(name="s", start=s, rate=rate),)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        planar = self.wire.planar and is_planar(self.point)
        augmented = self.form == "augmented"
        names = ("x", "y", "z") if augmented else ("normal", "across")
        return (
            Row(
                law=(type(self), self.form, planar),
                terms=_Terms(augmented, planar),
                owned=self.own("s") if augmented else (),
                numbers={} if augmented else {"slide": self.wire.start},
                markers=(self.point,),
                tracks=(self.wire,),
                constraints=self.own(*(names[:-1] if planar else names)),
            ),
        )


@final
@dataclass(frozen=True, slots=True)
class _Terms:
    """Both forms."""

    augmented: bool
    planar: bool

    def __call__(self, s: Symbols) -> Terms:
        if self.augmented:
            gap = s.frames[0].p - s.wires[0](s.own_q)
            return Terms(constraint=gap[:2] if self.planar else gap)
        arc = s.p["slide"]
        r, slope = wire_at(s, arc)
        gap = r - s.frames[0].p
        d = 2 if self.planar else 3
        frame = tangent_frame(r[:d], slope[:d], s.vector("track.across"))
        g = ca.vertcat(ca.dot(gap, frame.x), ca.dot(gap, frame.y))
        return Terms(
            constraint=g[: d - 1],
            hidden=arc,
            closure=ca.dot(gap, slope),
            across=None if self.planar else update_across(slope, s.vector("track.across")),
            outputs={"arc": arc},
        )


def wire_at(s: Symbols, arc: Expression) -> tuple[Expression, Expression]:
    """Position and slope of the wire at an arc length, both (3,)."""
    r = s.wires[0](arc)
    return r, ca.jacobian(r, arc)
