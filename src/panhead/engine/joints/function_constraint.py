"""Constraints by functions of coordinates and places."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import casadi as ca

from panhead.engine.bodies.measure import coordinate_marker
from panhead.engine.roles import Constraint, Marker, Row, Symbols, Terms, Triple, corners_of
from panhead.errors import ModelError


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionConstraint(Constraint):
    """law(t, q₁, …, p₁, …) = 0 for coordinates by full name and the positions (3,) of places.

    ``law`` is an expression of its arguments (CasADi), or a ``PlainFunction``; it is twice differentiable and returns
    as many numbers as there are ``labels``. Scale them to lengths or angles: then multipliers are forces or torques.
    """

    name: str
    law: Callable[..., Any]  #: [m] or [rad]
    coordinate_names: tuple[str, ...] = ()  #: full names
    places: tuple[Marker, ...] = ()
    labels: tuple[str, ...] = ("law",)  #: one for each equation

    def __post_init__(self) -> None:
        if not callable(self.law):
            raise ModelError(f"FunctionConstraint {self.name!r}: law must be a function, got {self.law!r}")
        if not self.coordinate_names and not self.places:
            raise ModelError(f"FunctionConstraint {self.name!r}: give coordinate_names or places that it ties")
        odd = [name for name in self.coordinate_names if not isinstance(name, str) or "." not in name]
        if odd:
            raise ModelError(
                f"FunctionConstraint {self.name!r}: coordinate_names are full names such as 'body.x', got {odd[0]!r}"
            )
        wrong = [place for place in self.places if not isinstance(place, Marker)]
        if wrong:
            raise ModelError(f"FunctionConstraint {self.name!r}: places are such as body.at(), got {wrong[0]!r:.60}")

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        law, count, size = self.law, len(self.coordinate_names), len(self.labels)

        def terms(s: Symbols) -> Terms:
            g = law(s.t, *(s.q[k] for k in range(count)), *(frame.p for frame in s.frames[count:]))
            found = ca.vertcat(*g) if isinstance(g, list | tuple) else ca.vertcat(g)
            if found.numel() != size:
                raise ModelError(f"FunctionConstraint: the law returns {found.numel()} numbers for {size} labels")
            return Terms(constraint=found)

        return (
            Row(
                law=(type(self), law, count, size),
                terms=terms,
                markers=(*(coordinate_marker(name) for name in self.coordinate_names), *self.places),
                constraints=self.own(*self.labels),
                corners=corners_of(law),
            ),
        )
