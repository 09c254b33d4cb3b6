"""Surfaces that touch, part, strike and rub: gaps that must not become negative, with an impact law each.

They stand in a model like joints and forces, but they are no terms of its equations: a method that knows impacts
(``panhead.methods.integrators.MoreauJean``) asks for their gaps and slips.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import final

import casadi as ca

from panhead.bodies.measure import distance, spin_of
from panhead.errors import ModelError, require_not_negative
from panhead.roles import (
    Contact,
    Expression,
    Frame,
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

_PLAIN = ImpactLaw()  # neither bounces nor rubs


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PlaneContact(Contact):
    """A point or a ball of one body above a plane of another, whose normal is the plane's z axis.

    g = z·d − radius,   d = p − p_plane;   slip across z of the material points that touch
    """

    name: str
    plane: Marker
    point: Marker
    radius: float = 0.0  #: of a ball about the point [m]
    law: ImpactLaw = _PLAIN
    two_sided: bool = False  #: the plane holds the point as well: a constraint with friction
    shown: float = 1.0  #: half width of what pictures show of the plane [m]

    def __post_init__(self) -> None:
        require_not_negative(self, "radius", "shown")
        _check_bodies(self, self.plane.body, self.point.body)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        rubs, values = self.law.friction > 0, {"radius": self.radius}
        return (_row(self, rubs, _Plane(rubs), values, (self.plane, self.point)),)

    def ends(self) -> tuple[Marker, Marker]:
        """Two places on the plane for pictures, on both sides of the marker."""
        before, beyond = (
            replace(self.plane, law=("beside", self.plane.law, x), frame=_Beside(self.plane, x))
            for x in (-self.shown, self.shown)
        )
        return before, beyond


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class BallContact(Contact):
    """Two balls: g = |d| − r_A − r_B, d = p_B − p_A; slip across d of the material points that touch."""

    name: str
    a: Marker
    b: Marker
    radii: tuple[float, float]  #: [m]
    law: ImpactLaw = _PLAIN

    def __post_init__(self) -> None:
        if not (min(self.radii) >= 0 and sum(self.radii) > 0):
            raise ModelError(f"BallContact {self.name!r}: radii must be ≥ 0 and not both zero, got {self.radii!r}")
        _check_bodies(self, self.a.body, self.b.body)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        rubs = self.law.friction > 0
        return (_row(self, rubs, _Balls(rubs), numbers("radius", self.radii), (self.a, self.b)),)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class BeamContact(Contact):
    """A point of a body on one side of a wire or a beam, r(s) its nearest point: d = p − r, d·r′ = 0.

        g = n·d,   n: ``normal`` without its part along the wire;   slip along the wire, in space also across n

    Beside the ends of the wire there is nothing to touch. With ``two_sided`` it is the sliding constraint with
    Coulomb's friction: |F_T| ≤ μ |F_N|, and what sticks stays where it is.
    """

    name: str
    point: Marker
    wire: WirePath
    normal: Triple  #: the direction in which the wire pushes the point
    law: ImpactLaw = _PLAIN
    two_sided: bool = False

    def __post_init__(self) -> None:
        require_axis(f"BeamContact {self.name!r}", "normal", self.normal)
        _check_bodies(self, self.point.body, self.wire.body)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        rubs = self.law.friction > 0
        values = {"slide": self.wire.start} | numbers("normal", require_axis(self.name, "normal", self.normal))
        return (_row(self, rubs, _Beam(rubs, self.wire.planar), values, (self.point,), self.wire),)


def _check_bodies(contact: Contact, a: str, b: str) -> None:
    if a == b:
        raise ModelError(f"{type(contact).__name__} {contact.name!r}: {a!r} cannot touch itself; name two bodies")


def _row(
    contact: PlaneContact | BallContact | BeamContact,
    rubs: bool,
    terms: Callable[[Symbols], Terms],
    values: dict[str, float],
    markers: tuple[Marker, ...],
    track: WirePath | None = None,
) -> Row:
    return Row(
        law=(type(contact), rubs),
        terms=terms,
        numbers=values,
        markers=markers,
        track=track,
        constraints=contact.own("gap"),
        impact=contact.law,
        two_sided=not isinstance(contact, BallContact) and contact.two_sided,
    )


def _across(normal: Expression, velocity: Expression, planar: bool) -> Expression:
    """The part of a velocity across the normal: one number in the plane, else three that span two directions."""
    if planar:
        return ca.dot(ca.vertcat(-normal[1], normal[0], 0), velocity)
    return velocity - normal * ca.dot(normal, velocity)


@final
@dataclass(frozen=True, slots=True)
class _Beside:
    """A place of a plane at a distance from its marker."""

    marker: Marker
    shift: float

    def __call__(self, s: Symbols) -> Frame:
        A = self.marker.frame(s)
        along = ca.vertcat(-A.z[1], A.z[0], 0) if A.planar else A.x
        return Frame(A.p + self.shift * along, A.R, A.planar)


@final
@dataclass(frozen=True, slots=True)
class _Plane:
    rubs: bool

    def __call__(self, s: Symbols) -> Terms:
        A, B = s.frames
        d, r = B.p - A.p, s.p["radius"]
        gap = ca.dot(A.z, d) - r
        if not self.rubs:
            return Terms(constraint=gap)
        spin = spin_of(A, s)
        slip = s.rate(d) - ca.cross(spin, d) - r * ca.cross(spin_of(B, s) - spin, A.z)
        return Terms(constraint=gap, slip=_across(A.z, slip, A.planar and B.planar))


@final
@dataclass(frozen=True, slots=True)
class _Balls:
    rubs: bool

    def __call__(self, s: Symbols) -> Terms:
        A, B = s.frames
        gap = distance(A, B) - s.p["radius.0"] - s.p["radius.1"]
        if not self.rubs:
            return Terms(constraint=gap)
        n = (B.p - A.p) / distance(A, B)
        rolls = s.p["radius.0"] * spin_of(A, s) + s.p["radius.1"] * spin_of(B, s)
        slip = s.rate(B.p - A.p) - ca.cross(rolls, n)
        return Terms(constraint=gap, slip=_across(n, slip, A.planar and B.planar))


@final
@dataclass(frozen=True, slots=True)
class _Beam:
    rubs: bool
    planar: bool

    def __call__(self, s: Symbols) -> Terms:
        assert s.wire is not None
        arc = s.p["slide"]
        r = s.wire(arc)
        d, slope = s.frames[0].p - r, ca.jacobian(r, arc)
        t = slope / ca.norm_2(slope)
        n = s.vector("normal")
        n = n - t * ca.dot(t, n)
        n = n / ca.norm_2(n)
        slip = _across(n, s.rate(d), self.planar and s.frames[0].planar) if self.rubs else None
        return Terms(
            constraint=ca.dot(n, d), slip=slip, hidden=arc, closure=ca.dot(d, slope), outputs={"arc": arc}
        )  # fmt: skip
