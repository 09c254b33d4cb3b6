"""Overview of limits: what each edition holds, how far its numbers are known, and how editions differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from panhead.assess import limits
from panhead.assess.criteria import shown_unit
from panhead.assess.limits import QUANTITIES, STANDINGS, SUPPLIES, DesignRule, Edition, Limit, SurveyLimit
from panhead.files.units import MetresPerSecond

#: quantities without which an edition judges no run: bound, and whether a limit is needed at every supply
CORE: Final = (
    ("mean_force", "upper"),
    ("deviation_ratio", "upper"),
    ("statistical_max", "upper"),
    ("statistical_min", "lower"),
    ("uplift_space_factor", "lower"),
    ("wave_speed_ratio", "upper"),
)
_SPEEDS: Final = (
    100 / 3.6,
    180 / 3.6,
    240 / 3.6,
    300 / 3.6,
    350 / 3.6,
)  # one in each range that a standard tells apart
_PER_MILLE: Final = ("wire_gradient", "gradient_change")


@dataclass(frozen=True, slots=True)
class LimitRow:
    """One limit in words."""

    quantity: str
    limit: str  #: "≤ 350 N"
    holds: str  #: speed and supply for which it holds
    clause: str
    standing: str


def overview_rows() -> Iterator[tuple[str, str, str, str, str]]:
    """Shipped editions: name, full name, region, limits by standing, what is missing."""
    for name in limits.editions():
        table = limits.read(name)
        counts: Counter[str] = Counter(limit.status for limit in table.limit)
        held = ", ".join(f"{counts[status]} {status}" for status in STANDINGS if counts[status])
        yield name, table.name, table.region, held or "none", f"{len(table.missing)} missing" if table.missing else ""


def limit_rows(table: Edition) -> Iterator[LimitRow]:
    """Every limit of an edition, then every limit that is missing."""
    for limit in table.limit:
        yield LimitRow(_name(limit.quantity), limit_text(limit), _holds(limit), limit.clause, limit.status)
    for gap in table.missing:
        filled = any((x.quantity, x.bound) == (gap.quantity, gap.bound) for x in table.limit)
        if not filled or gap.supply != SUPPLIES:
            words = f"{'≤' if gap.bound == 'upper' else '≥'} ?"
            yield LimitRow(_name(gap.quantity), words, _supplies(gap.supply), gap.clause, "missing")


def comparison_rows(tables: Sequence[Edition], speed: MetresPerSecond, supply: str) -> Iterator[tuple[str, ...]]:
    """Quantity and its limit by each edition at one speed and supply, for quantities that an edition limits."""
    for quantity in QUANTITIES:
        for bound in ("upper", "lower"):
            found = [table.find(quantity, bound, speed, supply) for table in tables]
            gaps = [table.lacks(quantity, bound, supply) for table in tables]
            if any(found) or any(gaps):
                cells = (
                    f"{_at(limit, speed)} ({limit.status})" if limit else "missing" if gap else "–"
                    for limit, gap in zip(found, gaps, strict=True)
                )
                yield (_name(quantity), *cells)


def rule_rows(rules: Sequence[DesignRule]) -> list[tuple[str, str, str, str]]:
    """Rules that are shown and not judged."""
    return [(rule.topic, rule.rule, rule.clause, rule.status) for rule in rules]


def survey_rows(surveys: Sequence[SurveyLimit]) -> list[tuple[str, str, str, str, str]]:
    """Survey limits in millimetres."""
    span = lambda ends: f"{1e3 * ends[0]:.0f} to {1e3 * ends[1]:.0f} mm"
    return [(s.of, _name(s.quantity), span(s.maintenance), span(s.critical), s.status) for s in surveys]


def core_gaps(table: Edition) -> list[str]:
    """Limits that an edition lacks to judge a run at any usual speed: quantity, and supplies if it has some of them."""
    found = []
    for quantity, bound in CORE:
        without = [s for s in SUPPLIES if any(table.find(quantity, bound, speed, s) is None for speed in _SPEEDS)]
        if without:
            found.append(_name(quantity) + (f" ({', '.join(without)})" if len(without) < len(SUPPLIES) else ""))
    return found


def limit_text(limit: Limit) -> str:
    """A limit as an engineer writes it, with its formula in the speed."""
    sign = "≤" if limit.bound == "upper" else "≥"
    formula = f" + {limit.quadratic:g} v² (v in km/h)" if limit.quadratic else ""
    return f"{sign} {_value(limit.quantity, limit.value)}{formula}"


def _at(limit: Limit, speed: float) -> str:
    return f"{'≤' if limit.bound == 'upper' else '≥'} {_value(limit.quantity, limit.at(speed))}"


def _value(quantity: str, value: float) -> str:
    if quantity in _PER_MILLE:
        return f"{1e3 * value:g} ‰"
    if quantity == "contact_height":
        return f"{value:g} m"
    symbol = QUANTITIES[quantity] or ("" if quantity == "uplift_space_factor" else "1")
    unit, factor = shown_unit(symbol)
    return f"{value * factor:.4g} {unit}".strip()


def _holds(limit: Limit) -> str:
    low, high = 3.6 * limit.above, 3.6 * limit.up_to
    words = [f"above {low:.4g}" if limit.above >= 0.0 else "", f"up to {high:.4g}" if limit.up_to < 1e8 else ""]
    speed = " ".join(filter(None, words))
    return ", ".join(filter(None, (f"{speed} km/h" if speed else "", _supplies(limit.supply)))) or "always"


def _supplies(supply: Sequence[str]) -> str:
    return "" if tuple(supply) == SUPPLIES else ", ".join(supply)


def _name(quantity: str) -> str:
    return quantity.replace("_", " ")
