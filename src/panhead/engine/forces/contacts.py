"""Unilateral contacts with impact and friction: gaps that must not become negative, each with an impact law.

They stand in a model like joints and forces, but they are no terms of its equations: a method that knows impacts
(``panhead.engine.methods.integrators.MoreauJean``) asks for their gaps and slips.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import casadi as ca

from panhead.engine.bodies.measure import distance, spin_of
from panhead.engine.forces.contact_base import PLAIN, MeetingSurfaces, contact_row, require_two_bodies
from panhead.engine.roles import Contact, Frame, ImpactLaw, Marker, Row, Symbols, Terms, Triple, numbers
from panhead.errors import ModelError, require_not_negative, require_positive


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
    law: ImpactLaw = PLAIN
    two_sided: bool = False  #: the plane holds the point as well: a constraint with friction
    shown: float = 1.0  #: half width of what pictures show of the plane [m]

    def __post_init__(self) -> None:
        require_not_negative(self, "radius", "shown")
        require_two_bodies(self, self.plane.body, self.point.body)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        rubs, values = self.law.friction > 0, {"radius": self.radius}
        return (contact_row(self, self.law, _Plane(rubs), values, (self.plane, self.point), two_sided=self.two_sided),)

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
    law: ImpactLaw = PLAIN

    def __post_init__(self) -> None:
        if not (min(self.radii) >= 0 and sum(self.radii) > 0):
            raise ModelError(f"BallContact {self.name!r}: radii must be ≥ 0 and not both zero, got {self.radii!r}")
        require_two_bodies(self, self.a.body, self.b.body)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        rubs = self.law.friction > 0
        return (contact_row(self, self.law, _Balls(rubs), numbers("radius", self.radii), (self.a, self.b)),)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RopeContact(Contact):
    """A rope that bends freely and cannot stretch: g = length − |d|, d = p_B − p_A; taut, it pulls at both."""

    name: str
    a: Marker
    b: Marker
    length: float  #: [m]
    law: ImpactLaw = PLAIN

    def __post_init__(self) -> None:
        require_positive(self, "length")
        require_two_bodies(self, self.a.body, self.b.body)
        if self.law.friction > 0:
            raise ModelError(
                f"RopeContact {self.name!r}: a rope has no friction; law.friction must be 0, got {self.law.friction!r}"
            )

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        return (contact_row(self, self.law, _rope, {"length": self.length}, (self.a, self.b)),)


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
        return MeetingSurfaces(ca.dot(n, d) - r, n, B.p - r * n, velocity, A.planar and B.planar).terms(self.rubs)


@final
@dataclass(frozen=True, slots=True)
class _Balls:
    rubs: bool

    def __call__(self, s: Symbols) -> Terms:
        (A, B), r_A, r_B = s.frames, s.p["radius.0"], s.p["radius.1"]
        n = (B.p - A.p) / distance(A, B)
        velocity = s.rate(B.p - A.p) - ca.cross(r_A * spin_of(A, s) + r_B * spin_of(B, s), n)
        gap, planar = distance(A, B) - r_A - r_B, A.planar and B.planar
        return MeetingSurfaces(gap, n, A.p + r_A * n, velocity, planar).terms(self.rubs)


def _rope(s: Symbols) -> Terms:
    A, B = s.frames
    pull = (A.p - B.p) / distance(A, B)
    gap, planar = s.p["length"] - distance(A, B), A.planar and B.planar
    return MeetingSurfaces(gap, pull, B.p, s.rate(B.p - A.p), planar).terms(False)
