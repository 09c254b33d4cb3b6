"""Applied forces and torques: at a place, or along a distance, a displacement or a coordinate."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import final

import numpy as np

from panhead.engine.bodies.measure import Along, measure, spin_of
from panhead.engine.roles import Effort, Expression, Force, Marker, Row, Symbols, Terms, Triple, corners_of, numbers
from panhead.errors import ModelError, label, require_finite

Course = Callable[[Expression], Expression]
"""A factor as an expression of time; a Table is one. Its attribute ``corners``, if any, are times where it is not
smooth: adaptive steps end there."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Push(Force):
    """A force at a place; ``course`` scales it in time."""

    name: str
    at: Marker
    force: Triple  #: in the world's axes, or in the place's own if it ``follows`` [N]
    course: Course | None = None
    follows: bool = False

    def __post_init__(self) -> None:
        _check(self, "force", self.force)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        course, follows = self.course, self.follows

        def terms(s: Symbols) -> Terms:
            force = s.frames[0].R @ s.vector("force") if follows else s.vector("force")
            return Terms(efforts=(Effort(_in_time(force, course, s), s.rate(s.frames[0].p), "driver"),))

        return (_row(self, (course, follows), terms, numbers("force", self.force), (self.at,)),)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Twist(Force):
    """A torque on the body at a place; ``course`` scales it in time."""

    name: str
    at: Marker
    torque: Triple  #: in the world's axes, or in the place's own if it ``follows`` [N·m]
    course: Course | None = None
    follows: bool = False

    def __post_init__(self) -> None:
        _check(self, "torque", self.torque)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        course, follows = self.course, self.follows

        def terms(s: Symbols) -> Terms:
            torque = s.frames[0].R @ s.vector("torque") if follows else s.vector("torque")
            return Terms(efforts=(Effort(_in_time(torque, course, s), spin_of(s.frames[0], s), "driver"),))

        return (_row(self, (course, follows), terms, numbers("torque", self.torque), (self.at,)),)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Thrust(Force):
    """A given force along a distance, a displacement or a coordinate; positive: e grows."""

    name: str
    along: Along
    force: float  #: [N] or [N·m]
    course: Course | None = None  #: factor in time

    def __post_init__(self) -> None:
        require_finite(self, "force")
        measure(self, self.along)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        m, course = measure(self, self.along), self.course

        def terms(s: Symbols) -> Terms:
            force = _in_time(s.p["force"], course, s)
            return Terms(efforts=(Effort(force, s.rate(m.write(s)), "driver"),))

        return (_row(self, (course, m.kind), terms, {"force": self.force}, m.markers),)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Actuator(Force):
    """A force set by a control, F = gain · u, along a distance, a displacement or a coordinate; positive: e grows.

    Actuators that name the same control share it.
    """

    name: str
    along: Along
    control: str | None = None  #: name of the control; None: the actuator's own
    gain: float = 1.0  #: [N] or [N·m] per unit of u

    def __post_init__(self) -> None:
        require_finite(self, "gain")
        measure(self, self.along)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        m = measure(self, self.along)

        def terms(s: Symbols) -> Terms:
            return Terms(efforts=(Effort(s.p["gain"] * s.u[0], s.rate(m.write(s)), "control"),))

        return (
            Row(
                law=(type(self), m.kind),
                terms=terms,
                numbers={"gain": self.gain},
                markers=m.markers,
                controls=(self.control or self.name,),
            ),
        )


def _in_time(force: Expression, course: Course | None, s: Symbols) -> Expression:
    return force if course is None else force * course(s.t)


def _row(
    owner: Force,
    key: Hashable,
    terms: Callable[[Symbols], Terms],
    values: Mapping[str, float],
    markers: tuple[Marker, ...],
) -> Row:
    corners = corners_of(getattr(owner, "course", None))
    return Row(law=(type(owner), key), terms=terms, numbers=values, markers=markers, corners=corners)


def _check(owner: Force, field: str, value: Triple) -> None:
    if np.shape(value) != (3,) or not np.isfinite(value).all():
        raise ModelError(f"{label(owner)}: {field} must be three finite numbers, got {value!r}")
