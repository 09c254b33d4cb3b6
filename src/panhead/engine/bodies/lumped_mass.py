"""Lumped mass attached to a place on another body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca

from panhead.engine.roles import Body, Marker, Row, Symbols, Terms, Triple, numbers
from panhead.errors import require_positive


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Lump(Body):
    """A lumped mass without coordinates of its own, such as a clamp on a wire: T = ½ m ṗ·ṗ, V = −m g·p."""

    name: str
    at: Marker
    mass: float  #: m [kg]

    def __post_init__(self) -> None:
        require_positive(self, "mass")

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        values = {"mass": self.mass} | numbers("gravity", gravity)
        return (Row(law="lump", terms=_terms, numbers=values, markers=(self.at,)),)


def _terms(s: Symbols) -> Terms:
    p, m = s.frames[0].p, s.p["mass"]
    return Terms(kinetic=0.5 * m * ca.sumsqr(s.rate(p)), potential=-m * ca.dot(s.vector("gravity"), p))
