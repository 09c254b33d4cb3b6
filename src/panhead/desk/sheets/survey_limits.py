"""Survey limits: heights and staggers beyond which a line needs maintenance, or is critical."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from panhead.assess.limits import Edition, SurveyLimit
from panhead.desk.sheets.line_issue import Finding, Level
from panhead.desk.sheets.line_measures import LineMeasure

if TYPE_CHECKING:
    from panhead.desk.sheets.survey_fit import Survey

_NAMES = {"contact_height": "contact wire height", "stagger": "stagger"}


def survey_findings(limit: SurveyLimit, measure: LineMeasure) -> Iterator[Finding]:
    """The finding of a quantity beyond its survey limits: doubtful beyond maintenance, wrong beyond critical."""
    levels: tuple[tuple[Level, str, tuple[float, float]], ...] = (
        ("wrong", "critical", limit.critical),
        ("doubtful", "maintenance", limit.maintenance),
    )
    for level, word, (low, high) in levels:
        if low <= measure.value <= high:
            continue
        bound = low if measure.value < low else high
        yield Finding(
            level=level,
            quantity=measure.quantity,
            place=measure.place,
            x=measure.x,
            value=measure.value,
            limit=bound,
            unit="m",
            words=f"{_NAMES[measure.quantity]} {1e3 * measure.value:.0f} mm, beyond the {word} limit of "
            f"{1e3 * bound:.0f} mm ({limit.clause}, {limit.of})",
            remedy="adjust the support"
            if word == "maintenance"
            else "adjust the support before trains run at line speed",
            clause=limit.clause,
            status=limit.status,
        )
        return


def survey_sentences(table: Edition, nominal: float, survey: Survey) -> Iterator[str]:
    """One sentence for each surveyed quantity: how much of it is beyond its limits, and the worst place."""
    if not table.survey:
        yield f"{table.name} has no survey limits; panhead limits lists editions"
    for quantity, values in (("contact_height", survey.height), ("stagger", survey.stagger)):
        limit = table.survey_limit(quantity, nominal)
        if limit is None or values is None:
            continue
        parts = [_beyond(word, ends, survey.x, values) for word, ends in _ranges(limit)]
        yield f"{_NAMES[quantity]} by {limit.clause} ({limit.of}, {limit.status}): {'; '.join(parts)}"


def _ranges(limit: SurveyLimit) -> tuple[tuple[str, tuple[float, float]], ...]:
    return ("maintenance", limit.maintenance), ("critical", limit.critical)


def _beyond(word: str, ends: tuple[float, float], x: np.ndarray, values: np.ndarray) -> str:
    excess = np.maximum(ends[0] - values, values - ends[1])
    known = np.isfinite(excess)
    count = int((excess[known] > 0.0).sum())
    if not count:
        return f"none beyond {word}"
    worst = int(np.nanargmax(excess))
    return f"{count} of {int(known.sum())} points beyond {word}, worst {1e3 * values[worst]:.0f} mm at {x[worst]:.1f} m"
