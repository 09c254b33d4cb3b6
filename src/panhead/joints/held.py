"""Coordinates that are held, tied together or driven."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import final

import casadi as ca

from panhead.errors import ModelError
from panhead.roles import Constraint, Expression, Frame, Marker, Row, Symbols, Terms, Triple


def coordinate_marker(name: str) -> Marker:
    """A coordinate as something to fasten to."""
    return Marker(
        body=name.rsplit(".", 1)[0],
        law="coordinate",
        coordinates=(name,),
        numbers={},
        frame=_nowhere,
    )


def _nowhere(s: Symbols) -> Frame:
    return Frame(ca.SX.zeros(3), ca.SX.eye(3), True)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Held(Constraint):
    """Coordinates that keep a value: q_k − value = 0."""

    name: str
    values: Mapping[str, float]  #: full name of a coordinate → value

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
    """Coordinates tied together, as by gears: Σ ratio_k q_k − motion(t) = 0."""

    name: str
    ratios: Mapping[str, float]  #: full name of a coordinate → ratio
    motion: Callable[[Expression], Expression] | float = field(
        default=0.0
    )  #: of time; a number: constant

    def __post_init__(self) -> None:
        if not self.ratios or not all(abs(x) > 0 for x in self.ratios.values()):
            raise ModelError(
                f"Coupled {self.name!r}: ratios must be given and not zero, got {dict(self.ratios)!r}"
            )

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
                terms=terms,
                numbers={f"ratio.{k}": x for k, x in enumerate(self.ratios.values())} | constant,
                markers=tuple(coordinate_marker(name) for name in self.ratios),
                constraints=self.own("tie"),
            ),
        )
