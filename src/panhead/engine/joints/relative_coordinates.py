"""Relative motions as additional coordinates, so that gears, springs, drivers and actuators can act on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import final

import casadi as ca
import numpy as np

from panhead.engine.bodies.measure import at_start
from panhead.engine.joints.joint import check_ends
from panhead.engine.roles import Constraint, Coordinate, Expression, Marker, Row, Symbols, Terms, Triple
from panhead.errors import require_finite


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Turn(Constraint):
    """The angle θ by which B is turned about the z axis of A, as the coordinate ``angle``; it counts full turns.

        g = c sin θ − s cos θ = 0,   c = x_A·x_B,   s = y_A·x_B

    θ has no inertia and follows the bodies; a torque on it acts on both, opposite and equal. Use it where the
    z axes stay parallel or nearly so, as in a hinge.
    """

    name: str
    a: Marker
    b: Marker
    near: float = 0.0  #: the start is the angle nearest to this one, out of those full turns apart [rad]

    def __post_init__(self) -> None:
        check_ends(self)
        require_finite(self, "near")

    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate(name="angle", unit="rad", start=self.near),)

    def start_coordinates(self, start: Mapping[str, tuple[float, float]]) -> tuple[Coordinate, ...]:
        """θ and its rate from where the bodies start."""
        (c, s), (c_dot, s_dot) = at_start(type(self), (self.a, self.b), _cosine_and_sine, start)
        angle = float(np.arctan2(s, c))
        angle += 2 * np.pi * round((self.near - angle) / (2 * np.pi))
        rate = float((c * s_dot - s * c_dot) / (c * c + s * s))
        return (replace(self.coordinates()[0], start=angle, rate=rate),)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        return (_row(self, _turn, "angle"),)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Travel(Constraint):
    """Displacement of B along the z axis of A as the coordinate ``x``: g = x − z_A·d = 0."""

    name: str
    a: Marker
    b: Marker

    def __post_init__(self) -> None:
        check_ends(self)

    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate(name="x"),)

    def start_coordinates(self, start: Mapping[str, tuple[float, float]]) -> tuple[Coordinate, ...]:
        """x and its rate from where the bodies start."""
        x, rate = at_start(type(self), (self.a, self.b), _displacement, start)
        return (Coordinate(name="x", start=float(x[0]), rate=float(rate[0])),)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        return (_row(self, _travel, "x"),)


def _row(owner: Turn | Travel, terms, coordinate: str) -> Row:  # type: ignore[no-untyped-def]
    return Row(
        law=type(owner),
        terms=terms,
        owned=owner.own(coordinate),
        markers=(owner.a, owner.b),
        constraints=owner.own(coordinate),
    )


def _cosine_and_sine(s: Symbols) -> Expression:
    A, B = s.frames
    return ca.vertcat(ca.dot(A.x, B.x), ca.dot(A.y, B.x))


def _turn(s: Symbols) -> Terms:
    cs = _cosine_and_sine(s)
    return Terms(constraint=cs[0] * ca.sin(s.own_q) - cs[1] * ca.cos(s.own_q))


def _displacement(s: Symbols) -> Expression:
    A, B = s.frames
    return ca.dot(A.z, B.p - A.p)


def _travel(s: Symbols) -> Terms:
    return Terms(constraint=s.own_q - _displacement(s))
