"""Contacts of wires and beams: a point or a ball beside one of them, and two that cross."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import final

import casadi as ca

from panhead.engine.bodies.measure import spin_of
from panhead.engine.bodies.wires import crossing_places, nearest_place
from panhead.engine.forces.contact_base import PLAIN, MeetingSurfaces, contact_row, require_two_bodies
from panhead.engine.roles import (
    Contact,
    ImpactLaw,
    Marker,
    Row,
    Symbols,
    Terms,
    Triple,
    WirePath,
    numbers,
    require_axis,
)
from panhead.errors import ModelError, require_not_negative

_PARALLEL = 1e-3  # sine of the angle between two wires below which they do not cross


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class BeamContact(Contact):
    """A point or a ball of a body beside a wire or a beam, r(s) its nearest point: d = p − r, d·r′ = 0.

        g = n·d − radius,   n: ``normal`` without its part along the wire, or d/|d| without ``normal``

    With ``normal`` the point stays on one side of the wire; without it a ball meets a round wire from any side, and
    ``radius`` is that of both together. Slip along the wire, in space also across n. Beside the ends of the wire
    there is nothing to touch. With ``two_sided`` it is the sliding constraint with Coulomb's friction:
    |F_T| ≤ μ |F_N|, and what sticks stays where it is.
    """

    name: str
    point: Marker
    wire: WirePath
    normal: Triple | None = None  #: the direction in which the wire pushes the point; None: from any side
    radius: float = 0.0  #: of a ball about the point, half the wire's thickness added [m]
    law: ImpactLaw = PLAIN
    two_sided: bool = False

    def __post_init__(self) -> None:
        require_not_negative(self, "radius")
        if self.normal is not None:
            require_axis(f"BeamContact {self.name!r}", "normal", self.normal)
        elif not self.radius > 0:
            raise ModelError(f"BeamContact {self.name!r}: give a normal, or a radius > 0 at which they touch")
        require_two_bodies(self, self.point.body, self.wire.body)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        rubs, sided = self.law.friction > 0, self.normal is not None
        values = {"slide": self.wire.start, "radius": self.radius}
        if self.normal is not None:
            values |= numbers("normal", require_axis(self.name, "normal", self.normal))
        return (
            contact_row(
                self, self.law, _Beam(rubs, self.wire.planar, sided), values, (self.point,), tracks=(self.wire,),
                two_sided=self.two_sided,
            ),
        )  # fmt: skip


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CrossingContact(Contact):
    """Two wires, beams or straight edges that cross, at the points of each that are nearest to the other.

        d = r_B(s_B) − r_A(s_A),   d·r′_A = d·r′_B = 0 gives both lengths;   n ∥ r′_A × r′_B
        g = n·d − radius_A − radius_B

    With ``normal`` the second stays on that side of the first: n is the common perpendicular that points there, even
    where the wires have no thickness. Without it round wires meet from any side, n = d / |d|. The slip is how fast the
    nearest points move along both wires; that a wire turns about itself is not counted. Beyond
    an end of either there is nothing to touch (an end that strikes is a ``BeamContact``), and wires that come to lie
    along one another are refused. One contact follows one crossing, the one nearest to where the tracks start.
    """

    name: str
    a: WirePath
    b: WirePath
    normal: Triple | None = None  #: about the direction in which the first pushes the second; None: from any side
    radii: tuple[float, float] = (0.0, 0.0)  #: of both wires [m]
    law: ImpactLaw = PLAIN

    def __post_init__(self) -> None:
        if not (min(self.radii) >= 0 and math.isfinite(sum(self.radii))):
            raise ModelError(f"CrossingContact {self.name!r}: radii must be ≥ 0 and finite, got {self.radii!r}")
        if self.normal is not None:
            require_axis(f"CrossingContact {self.name!r}", "normal", self.normal)
        elif not sum(self.radii) > 0:
            raise ModelError(f"CrossingContact {self.name!r}: give a normal, or radii at which they touch")
        require_two_bodies(self, self.a.body, self.b.body)
        if self.a.planar and self.b.planar:
            raise ModelError(
                f"CrossingContact {self.name!r}: {self.a.body!r} and {self.b.body!r} are planar and cannot "
                "cross; use BeamContact at places of one of them, or wires in three dimensions"
            )

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        values = {"slide": self.a.start, "slide 2": self.b.start} | numbers("radius", self.radii)
        if self.normal is not None:
            values |= numbers("normal", require_axis(self.name, "normal", self.normal))
        terms = _Crossing(self.law.friction > 0, self.normal is not None)
        return (contact_row(self, self.law, terms, values, tracks=(self.a, self.b)),)


@final
@dataclass(frozen=True, slots=True)
class _Beam:
    rubs: bool
    planar: bool
    sided: bool  #: it has a normal

    def __call__(self, s: Symbols) -> Terms:
        near, r, B = nearest_place(s), s.p["radius"], s.frames[0]
        n = near.across(s.vector("normal")) if self.sided else near.d / ca.norm_2(near.d)
        velocity = s.rate(near.d) - r * ca.cross(spin_of(B, s), n)
        touch = MeetingSurfaces(ca.dot(n, near.d) - r, n, B.p - r * n, velocity, self.planar and B.planar)
        return replace(touch.terms(self.rubs), hidden=near.arc, closure=near.closure)


@final
@dataclass(frozen=True, slots=True)
class _Crossing:
    rubs: bool
    sided: bool  #: it has a normal

    def __call__(self, s: Symbols) -> Terms:
        at, (r_A, r_B) = crossing_places(s), (s.p["radius.0"], s.p["radius.1"])
        sine = ca.norm_2(at.across)
        if self.sided:
            n = at.across / sine * ca.if_else(ca.dot(at.across, s.vector("normal")) < 0, -1, 1)
        else:
            n = at.d / ca.norm_2(at.d)
        gap = ca.if_else(sine < _PARALLEL, math.nan, ca.dot(n, at.d) - r_A - r_B)
        touch = MeetingSurfaces(gap, n, at.p + r_A * n, at.slip, False)
        return replace(touch.terms(self.rubs), hidden=at.arcs, closure=at.closure)
