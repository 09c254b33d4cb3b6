"""Numbers and judgements as a reader wants them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from panhead.assess import Criterion
from panhead.report.page import Mood, Table

_RAISED: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
MOODS: Final[dict[str, Mood]] = {
    "met": "good",
    "not met": "bad",
    "undecided": "warning",
    "for information": "neutral",
}


def number(value: float, digits: int = 4) -> str:
    """A number with ``digits`` significant figures, a real minus sign and no needless exponent."""
    if not math.isfinite(value):
        return "–" if math.isnan(value) else "∞"
    if value == 0:
        return "0"
    power = int(f"{value:.{digits - 1}e}".partition("e")[2])  # after rounding: 0.99999 is 1.000
    if -5 < power < 7:
        text = f"{value:.{max(0, digits - 1 - power)}f}"
    else:
        mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
        text = f"{mantissa}\u00a0·\u00a010{str(int(exponent)).translate(_RAISED)}"
    return text.replace("-", "−")


def brief(value: float, digits: int = 4) -> str:
    """The same without trailing zeros, for numbers that are exact, such as limits."""
    digits_, gap, power = number(value, digits).partition("\u00a0")
    return (digits_.rstrip("0").rstrip(".") if "." in digits_ else digits_) + gap + power


def criteria_table(criteria: Sequence[Criterion], title: str) -> Table:
    """Every criterion with a limit: value, error bar, limit, verdict, source of the limit."""
    limited = [c for c in criteria if c.limit is not None]
    bars = any(c.error is not None for c in limited)
    note = (
        "± is the numerical error estimated by one repeat on another step or mesh; "
        "a limit inside the bar leaves the criterion undecided."
        if bars
        else ""
    )
    return Table(
        title,
        ["Criterion", "Value", "Limit", "Verdict", "Source of the limit"],
        [_row(c) for c in limited],
        [MOODS[c.verdict] for c in limited],
        note,
    )


def information_table(criteria: Sequence[Criterion], title: str) -> Table:
    """Every quantity the standards ask to report, without a limit of its own."""
    free = [c for c in criteria if c.limit is None]
    return Table(
        title, ["Quantity", "Value", "Remark"], [[c.name, _value(c), c.note] for c in free]
    )


def _row(c: Criterion) -> list[str]:
    _, limit, _, unit = c.shown()
    sign = "≤" if c.bound == "upper" else "≥"
    source = "; ".join(text for text in (c.clause, c.note) if text)
    return [
        c.name,
        _value(c),
        f"{sign} {brief(limit or 0.0)} {unit}".strip(),
        c.verdict.replace(" ", "\u00a0"),
        source,
    ]


def _value(c: Criterion) -> str:
    value, _, error, unit = c.shown()
    bar = "" if not error else f" ± {number(error, 2)}"
    return f"{number(value)}{bar} {unit}".strip()
