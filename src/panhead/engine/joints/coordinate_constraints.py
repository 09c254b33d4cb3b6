"""Constraints on coordinates: held at a value, coupled by ratios, or driven in time."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import final

from panhead.engine.bodies.measure import coordinate_marker
from panhead.engine.roles import Constraint, Expression, Row, Symbols, Terms, Triple, corners_of
from panhead.errors import ModelError


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Held(Constraint):
    """Coordinates held at a value: q_k − value = 0."""

    name: str
    values: Mapping[str, float]  #: full name of a coordinate → value

    def __post_init__(self) -> None:
        if not self.values or not all(math.isfinite(x) for x in self.values.values()):
            raise ModelError(f"Held {self.name!r}: values must be given and finite, got {dict(self.values)!r}")

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        return tuple(
            Row(
                law=type(self),
                terms=lambda s: Terms(constraint=s.q[0] - s.p["value"]),
                numbers={"value": value},
                markers=(coordinate_marker(name),),
                constraints=(f"{self.name} {name}",),
            )
            for name, value in self.values.items()
        )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Coupled(Constraint):
    """Coordinates coupled by ratios, as by gears: Σ ratio_k q_k − motion(t) = 0."""

    name: str
    ratios: Mapping[str, float]  #: full name of a coordinate → ratio
    motion: Callable[[Expression], Expression] | float = field(default=0.0)  #: of time; a number: constant

    def __post_init__(self) -> None:
        if not self.ratios or not all(0 < abs(x) < math.inf for x in self.ratios.values()):
            raise ModelError(
                f"Coupled {self.name!r}: ratios must be given, finite and not zero, got {dict(self.ratios)!r}"
            )
        if not callable(self.motion) and not math.isfinite(self.motion):
            raise ModelError(f"Coupled {self.name!r}: motion must be finite or a function of time, got {self.motion!r}")

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        motion = self.motion if callable(self.motion) else None
        count = len(self.ratios)

        def terms(s: Symbols) -> Terms:
            total = sum(s.p[f"ratio.{k}"] * s.q[k] for k in range(count))
            return Terms(constraint=total - (s.p["value"] if motion is None else motion(s.t)))

        constant = {} if motion is not None else {"value": float(self.motion)}  # type: ignore[arg-type]
        return (
            Row(
                law=(type(self), count, motion),
                corners=corners_of(motion),
                terms=terms,
                numbers={f"ratio.{k}": x for k, x in enumerate(self.ratios.values())} | constant,
                markers=tuple(coordinate_marker(name) for name in self.ratios),
                constraints=self.own("tie"),
            ),
        )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Driven(Constraint):
    """A coordinate with prescribed motion: q − motion(t) = 0; its power counts as that of a driver.

    With a Turn or a Travel the relative motion of two bodies is driven. ``motion`` writes an expression of t,
    twice differentiable; the multiplier is the force or torque against the motion.
    """

    name: str
    coordinate: str  #: full name
    motion: Callable[[Expression], Expression]  #: [m] or [rad]

    def __post_init__(self) -> None:
        if not callable(self.motion):
            raise ModelError(
                f"Driven {self.name!r}: motion must be a function of time, got {self.motion!r}; "
                "use Held for a constant value"
            )

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        motion = self.motion
        return (
            Row(
                law=(type(self), motion),
                corners=corners_of(motion),
                terms=lambda s: Terms(constraint=s.q[0] - motion(s.t)),
                markers=(coordinate_marker(self.coordinate),),
                constraints=self.own("motion"),
            ),
        )
