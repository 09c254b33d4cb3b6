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
from panhead.bodies.wires import nearest_place
from panhead.errors import ModelError, require_not_negative, require_positive
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

    def corners(self, planar: bool) -> tuple[Marker, ...]:
        """Places on the plane for pictures: two on both sides of the marker, in space those around a square."""
        around = ((-1, 0), (1, 0)) if planar else ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))
        shifts = [(self.shown * x, self.shown * y) for x, y in around]
        return tuple(
            replace(self.plane, law=("beside", self.plane.law, planar, s), frame=_Beside(self.plane, planar, s))
            for s in shifts
        )


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
    law: ImpactLaw = _PLAIN
    two_sided: bool = False

    def __post_init__(self) -> None:
        require_not_negative(self, "radius")
        if self.normal is not None:
            require_axis(f"BeamContact {self.name!r}", "normal", self.normal)
        elif not self.radius > 0:
            raise ModelError(f"BeamContact {self.name!r}: give a normal, or a radius > 0 that tells how near is near")
        _check_bodies(self, self.point.body, self.wire.body)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        rubs, sided = self.law.friction > 0, self.normal is not None
        values = {"slide": self.wire.start, "radius": self.radius}
        if self.normal is not None:
            values |= numbers("normal", require_axis(self.name, "normal", self.normal))
        return (_row(self, rubs, _Beam(rubs, self.wire.planar, sided), values, (self.point,), self.wire),)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RopeContact(Contact):
    """A rope that bends freely and cannot stretch: g = length − |d|, d = p_B − p_A; taut, it pulls at both."""

    name: str
    a: Marker
    b: Marker
    length: float  #: [m]
    law: ImpactLaw = _PLAIN

    def __post_init__(self) -> None:
        require_positive(self, "length")
        _check_bodies(self, self.a.body, self.b.body)
        if self.law.friction > 0:
            raise ModelError(f"RopeContact {self.name!r}: a rope does not rub, got a friction of {self.law.friction!r}")

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        return (_row(self, False, _rope, {"length": self.length}, (self.a, self.b)),)


_AnyContact = PlaneContact | BallContact | BeamContact | RopeContact


def _check_bodies(contact: Contact, a: str, b: str) -> None:
    if a == b:
        raise ModelError(f"{type(contact).__name__} {contact.name!r}: {a!r} cannot touch itself; name two bodies")


def _row(
    contact: _AnyContact,
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
        two_sided=isinstance(contact, PlaneContact | BeamContact) and contact.two_sided,
    )


@final
@dataclass(frozen=True, slots=True)
class _Touch:
    """Where and how two surfaces meet."""

    gap: Expression
    normal: Expression  #: n, (3,): what the first pushes the second along
    place: Expression  #: (3,) [m]
    velocity: Expression  #: of the second's surface over the first's, (3,) [m/s]
    planar: bool

    def terms(self, rubs: bool) -> Terms:
        """The gap, and the slip across the normal: one number in the plane, else three that span two directions."""
        n, slip = self.normal, None
        if rubs:
            along = lambda v: ca.dot(ca.vertcat(-n[1], n[0], 0), v)
            slip = along(self.velocity) if self.planar else self.velocity - n * ca.dot(n, self.velocity)
        outputs = {f"{x}.{i}": e[i] for x, e in (("place", self.place), ("normal", n)) for i in range(3)}
        return Terms(constraint=self.gap, slip=slip, outputs=outputs)


@final
@dataclass(frozen=True, slots=True)
class _Beside:
    """A place of a plane at distances from its marker."""

    marker: Marker
    planar: bool
    shift: tuple[float, float]

    def __call__(self, s: Symbols) -> Frame:
        A, (x, y) = self.marker.frame(s), self.shift
        along = ca.vertcat(-A.z[1], A.z[0], 0) if self.planar else A.x
        return Frame(A.p + x * along + y * A.y, A.R, A.planar)


@final
@dataclass(frozen=True, slots=True)
class _Plane:
    rubs: bool

    def __call__(self, s: Symbols) -> Terms:
        A, B = s.frames
        d, r, n = B.p - A.p, s.p["radius"], A.z
        spin = spin_of(A, s)
        velocity = s.rate(d) - ca.cross(spin, d) - r * ca.cross(spin_of(B, s) - spin, n)
        return _Touch(ca.dot(n, d) - r, n, B.p - r * n, velocity, A.planar and B.planar).terms(self.rubs)


@final
@dataclass(frozen=True, slots=True)
class _Balls:
    rubs: bool

    def __call__(self, s: Symbols) -> Terms:
        (A, B), r_A, r_B = s.frames, s.p["radius.0"], s.p["radius.1"]
        n = (B.p - A.p) / distance(A, B)
        velocity = s.rate(B.p - A.p) - ca.cross(r_A * spin_of(A, s) + r_B * spin_of(B, s), n)
        return _Touch(distance(A, B) - r_A - r_B, n, A.p + r_A * n, velocity, A.planar and B.planar).terms(self.rubs)


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
        touch = _Touch(ca.dot(n, near.d) - r, n, B.p - r * n, velocity, self.planar and B.planar)
        return replace(touch.terms(self.rubs), hidden=near.arc, closure=near.closure)


def _rope(s: Symbols) -> Terms:
    A, B = s.frames
    pull = (A.p - B.p) / distance(A, B)
    return _Touch(s.p["length"] - distance(A, B), pull, B.p, s.rate(B.p - A.p), A.planar and B.planar).terms(False)
