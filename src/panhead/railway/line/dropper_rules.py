"""Dropper rules: where the droppers of a span of any length stand, as a drawing office lays them down.

Equal gaps between the first droppers, as few droppers as the largest gap allows:

    x₁ = a,   n p + (n − 1) g = ℓ − 2 a,   g ≤ g_max

a from the mast to the first dropper, g between neighbours, p the distance of the two droppers of a pair (one for each
of two contact wires; p = 0: single droppers). A row of a table for exactly this span takes precedence.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Final

from panhead.errors import ModelError, require_not_negative, require_parts, require_positive
from panhead.files.units import Metres
from panhead.railway.line.parts import Dropper

_CLOSES: Final = 0.011  # a row of a table is printed to 5 cm, its sum to a centimetre [m]
_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class DropperRow:
    """One row of a dropper table: a span and its droppers."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    span: Metres
    count: int  #: droppers, or pairs of them
    first: Metres  #: from the mast to the first [m]
    gap: Metres  #: between neighbours [m]

    def __post_init__(self) -> None:
        require_positive(self, "span", "count", "first", "gap")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanRule:
    """Droppers and stitch wire of spans of a length and above."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    from_span: Metres = 0.0  #: holds for spans of this length and longer, up to the next rule [m]
    first: Metres  #: a, from the mast to the first dropper [m]
    gap: Metres | None = None  #: g_max; None: the number is given [m]
    between: int | None = None  #: number of droppers between the two first ones, instead of a largest gap
    stitch_length: Metres | None = None  #: of the stitch wire; None: the design's [m]

    def __post_init__(self) -> None:
        require_positive(self, "first")
        require_not_negative(self, "from_span")
        if (self.gap is None) == (self.between is None):
            raise ModelError("SpanRule: give either gap or between")
        for name in ("gap", "stitch_length"):
            if getattr(self, name) is not None:
                require_positive(self, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class DropperRule:
    """Droppers of every span of a design."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    rules: tuple[SpanRule, ...]  #: from short spans to long ones
    pair: Metres = 0.0  #: p, between the two droppers of a pair, one for each contact wire; 0: single droppers [m]
    alternate: bool = False  #: single droppers carry the right and the left contact wire in turn
    table: tuple[DropperRow, ...] = ()  #: rows for single spans; they take precedence

    def __post_init__(self) -> None:
        require_parts(self, SpanRule, "rules")
        require_not_negative(self, "pair")
        if not self.rules or [r.from_span for r in self.rules] != sorted({r.from_span for r in self.rules}):
            raise ModelError("DropperRule: list rules by increasing from_span")
        if self.pair and self.alternate:
            raise ModelError("DropperRule: pair and alternate cannot be combined; remove one of them")
        for row in self.table:
            total = 2.0 * row.first + row.count * self.pair + (row.count - 1) * row.gap
            if abs(total - row.span) > _CLOSES:
                raise ModelError(
                    f"DropperRule: {row.count} droppers, {row.first:g} m from the mast and {row.gap:g} m apart, make "
                    f"{total:g} m, not the span of {row.span:g} m; correct this row of the table"
                )

    def rule(self, span: Metres) -> SpanRule:
        """The rule for a span."""
        found = [r for r in self.rules if r.from_span <= span + _ROUNDING]
        if not found:
            raise ModelError(f"no dropper rule for a span of {span:g} m; the shortest is {self.rules[0].from_span:g} m")
        return found[-1]

    def droppers(self, span: Metres, *, twin: bool) -> tuple[Dropper, ...]:
        """The droppers of a span; ``twin``: there are two contact wires."""
        row = next((r for r in self.table if abs(r.span - span) < _ROUNDING * span), None)
        first, count = (row.first, row.count) if row else self._first_and_count(span)
        step = (span - 2.0 * first - self.pair) / (count - 1) if count > 1 else 0.0
        places = [first + k * step for k in range(count)]
        if twin and self.pair:
            return tuple(d for x in places for d in (_one(x, "right"), _one(x + self.pair, "left")))
        if twin and self.alternate:
            return tuple(_one(x, "left" if k % 2 else "right") for k, x in enumerate(places))
        return tuple(_one(x + 0.5 * self.pair, "contact") for x in places)

    def _first_and_count(self, span: float) -> tuple[float, int]:
        rule = self.rule(span)
        room = span - 2.0 * rule.first
        if room < self.pair - _ROUNDING:
            raise ModelError(f"a span of {span:g} m has no room for droppers {rule.first:g} m from its masts")
        if rule.between is not None:
            return rule.first, rule.between + 2
        assert rule.gap is not None  # __post_init__
        return rule.first, math.ceil((room + rule.gap) / (rule.gap + self.pair) - _ROUNDING)


def _one(position: float, wire: str) -> Dropper:
    return Dropper(position=round(position, 4), wire=wire)  # type: ignore[arg-type]  # one of the literals
