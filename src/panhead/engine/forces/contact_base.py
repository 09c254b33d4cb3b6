"""Common base of contacts: the meeting of two surfaces, and the row it becomes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import casadi as ca

from panhead.engine.roles import Contact, Expression, ImpactLaw, Marker, Row, Symbols, Terms, WirePath
from panhead.errors import ModelError

PLAIN = ImpactLaw()  # neither bounces nor rubs


def require_two_bodies(contact: Contact, a: str, b: str) -> None:
    """ModelError if both surfaces belong to one body."""
    if a == b:
        raise ModelError(f"{type(contact).__name__} {contact.name!r}: {a!r} cannot touch itself; name two bodies")


def contact_row(
    contact: Contact,
    law: ImpactLaw,
    terms: Callable[[Symbols], Terms],
    values: dict[str, float],
    markers: tuple[Marker, ...] = (),
    *,
    tracks: tuple[WirePath, ...] = (),
    two_sided: bool = False,
) -> Row:
    """The row of a contact whose terms come from ``MeetingSurfaces.terms``."""
    return Row(
        law=(type(contact), terms),
        terms=terms,
        numbers=values,
        markers=markers,
        tracks=tracks,
        constraints=contact.own("gap"),
        impact=law,
        two_sided=two_sided,
    )


@final
@dataclass(frozen=True, slots=True)
class MeetingSurfaces:
    """Position and directions of the contact of two surfaces."""

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
