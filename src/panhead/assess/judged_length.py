"""Checks of the assessed section: undecided below one span, warning below two spans or before settling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from panhead.assess.assessment_inputs import judged_window
from panhead.assess.criteria import Criterion
from panhead.assess.steady_state import has_settled, trend_words

if TYPE_CHECKING:
    import xarray as xr

#: whole spans that σ and what is made of it need: as many as EN 50318:2002 judges of its reference line
SPANS_NEEDED: Final = 2
TIME_NEEDED: Final = 1.0  #: [s], two periods of 2 Hz, the end of the lowest band
NOT_OF_THE_PART: Final = ("wave_speed_ratio", "judged_spans")  #: do not depend on what is judged


def without_partial_spans(criteria: Sequence[Criterion]) -> list[Criterion]:
    """Return the criteria, all marked as not assessable if less than one whole span is assessed."""
    spans = next((c.value for c in criteria if c.key == "judged_spans"), None)
    if spans is None or spans >= 1.0:
        return list(criteria)
    why = "less than one whole span is assessed"
    return [c if c.unjudged or c.key in NOT_OF_THE_PART else replace(c, unjudged=why) for c in criteria]


def section_warnings(one: xr.Dataset, criteria: Sequence[Criterion]) -> Iterator[str]:
    """Warnings about the assessed section of one pantograph: too short, or not settled."""
    values, name = {c.key: c.value for c in criteria}, f"pantograph {str(one['pantograph'].item())!r}"
    if values.get("judged_spans", 0.0) < 1.0:
        return  # the verdict says it, or nobody knows of spans
    begin, end = judged_window(one)
    if values["judged_spans"] < SPANS_NEEDED or end - begin < TIME_NEEDED:
        yield (
            f"{name}: only {values['judged_spans']:.0f} whole span(s), {end - begin:.2g} s, are assessed; the mean, σ "
            f"and quantities derived from them need at least {SPANS_NEEDED} spans and {TIME_NEEDED:g} s. Assess a "
            "longer section (journey.judged_from, judged_to); lengthen the line if necessary"
        )
    spread, trend = values.get("deviation_spread"), values.get("deviation_trend", 0.0)
    if spread is not None and has_settled(spread, trend):
        return
    first, run_in = float(one["contact_x"].sel(time=begin, method="nearest")), float(one.attrs.get("run_in_end", 0.0))
    if trend:
        yield (
            f"{name}: not settled, {trend_words(trend)} in the assessed section, which starts at {first:.4g} m. "
            f"{_unlike_spans(one, begin, end)}Increase journey.judged_from; lengthen the line if necessary"
        )
    elif first < run_in - 1.0:
        yield (
            f"{name}: assessment starts at {first:.4g} m, before the run-in ends ({run_in:.0f} m), and σ has not "
            "settled there, so the statistics may include start-up transients. Set journey.judged_from to "
            f"{run_in:.0f} m or more, or shorten journey.run_in"
        )


def _unlike_spans(one: xr.Dataset, begin: float, end: float) -> str:
    """How far the spans of the assessed section differ: σ then differs from span to span without any transient."""
    first, last = (float(one["contact_x"].sel(time=t, method="nearest")) for t in (begin, end))
    masts = np.unique(one["mast_x"].to_numpy())
    spans = np.diff(masts[(masts >= first - 1.0) & (masts <= last + 1.0)])
    if spans.size < 2 or np.ptp(spans) < 0.01 * spans.max():
        return ""
    return f"Its spans differ ({spans.min():.4g} to {spans.max():.4g} m), which may be the reason. If not: "
