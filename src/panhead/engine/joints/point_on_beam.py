"""Point on beam: a point guided along a beam's axis at a given height above or below it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca

from panhead.engine.joints.sliding_joint import wire_at
from panhead.engine.roles import Constraint, Marker, Row, Symbols, Terms, Triple, WirePath, numbers


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Riding(Constraint):
    """A point p of a body stays on a beam of small deflection, without friction    [Lipinski23, eqs (19)–(24)].

        Φ = up·(r(s) − p) = 0,   s from along·(r(s) − p) = 0

    s follows p, so that ∂Φ/∂p = r′·up/(r′·along) along − up: the reaction is normal to the deflected beam. One
    equation, linear in the point's height: the height can be eliminated in closed form.
    """

    name: str
    point: Marker
    wire: WirePath
    along: Triple = (1.0, 0.0, 0.0)  #: the beam's axis
    up: Triple = (0.0, 1.0, 0.0)  #: the direction of its deflection

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        return (
            Row(
                law=type(self),
                terms=_terms,
                numbers={"slide": self.wire.start} | numbers("along", self.along) | numbers("up", self.up),
                markers=(self.point,),
                tracks=(self.wire,),
                constraints=self.own("height"),
            ),
        )


def _terms(s: Symbols) -> Terms:
    arc = s.p["slide"]
    r, _ = wire_at(s, arc)
    gap = r - s.frames[0].p
    return Terms(
        constraint=ca.dot(s.vector("up"), gap), hidden=arc, closure=ca.dot(s.vector("along"), gap), outputs={"arc": arc}
    )
