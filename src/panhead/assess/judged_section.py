"""Checks of the assessed section: at least one whole span, and σ settled from span to span."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from panhead.assess.assessment_inputs import judged_window
from panhead.assess.criteria import Criterion
from panhead.assess.quantities import Site

if TYPE_CHECKING:
    import xarray as xr


#: whole spans that σ and what is made of it need: as many as EN 50318:2002 judges of its reference line
SPANS_NEEDED: Final = 2
TIME_NEEDED: Final = 1.0  #: [s], two periods of 2 Hz, the end of the lowest band
NOT_OF_THE_PART: Final = ("wave_speed_ratio", "judged_spans")  #: do not depend on what is judged
#: spread below which a run counts as settled: half of the ±20 % to which EN 50318 wants σ to agree
SETTLED: Final = 0.1
CARRIED_ON: Final = 10  #: spans over which a trend is carried on before it is set beside ``SETTLED``
_AFTER = 3  # spans after the assessed section that are looked at
_END = 2  # last spans of a line, where its end sends waves back: looked at only if they follow at once
#: 97.5 % quantile of Student's t for 2, 3 … degrees of freedom: a trend beyond it is no scatter, with 95 %
_STUDENT: Final = (4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)


def settled_quantities(filtered: np.ndarray, judged: np.ndarray, site: Site) -> Iterator[Criterion]:
    """Number of whole spans assessed, and whether the force to 20 Hz (samples,) [N] has settled there.

    The spread of σ over successive pairs of spans shows what would have been found a span earlier or later,

        s = (max σ_k − min σ_k) / σ,   σ_k over the spans k and k + 1

    from one span before the assessed section to one span after it, as far as they were passed. The trend is that of
    ln σ from span to span, up to three spans after the assessed section.
    """
    if site.contact_place is None or site.mast_place is None:
        return
    places, masts = site.contact_place, np.unique(site.mast_place)
    inside, passed = _masts_between(masts, places[judged]), _masts_between(masts, places)
    spans = int(max(inside.sum() - 1, 0))
    yield Criterion(key="judged_spans", name="whole spans assessed", value=float(spans), unit="")
    if not inside.any():
        return
    first, last = int(np.flatnonzero(inside)[0]), int(np.flatnonzero(inside)[-1])
    around = masts[max(first - 1, 0) : last + 2][passed[max(first - 1, 0) : last + 2]]
    if spans < 1 or around.size < 4:  # fewer than two pairs, or no whole span judged
        return
    pairs = _deviations(filtered, places, around[:-2], around[2:])
    whole = float(_deviations(filtered, places, around[:1], around[-1:])[0])
    spread = float((pairs.max() - pairs.min()) / whole) if whole > 0 else 0.0
    further = np.arange(max(first - 1, 0), min(last + _AFTER, max(masts.size - 1 - _END, last + 1)) + 1)
    seen = masts[further[passed[further]]]
    trend = significant_trend(_deviations(filtered, places, seen[:-1], seen[1:]))
    unsettled = f"not settled, {trend_words(trend)}" if trend else "not settled, or the spans differ"
    words = "settled" if has_settled(spread, trend) else unsettled
    yield Criterion(
        key="deviation_spread",
        name="spread of σ over successive pairs of spans",
        value=spread,
        unit="1",
        note=f"{words}: {pairs.min():.4g} … {pairs.max():.4g} N over {pairs.size} pairs, {spans} spans assessed",
    )
    yield Criterion(key="deviation_trend", name="trend of σ from span to span", value=trend, unit="1")


def has_settled(spread: float, trend: float) -> bool:
    """True if neither the spread nor the trend over ten spans exceeds 10 % of σ."""
    return spread <= SETTLED and CARRIED_ON * abs(trend) <= SETTLED


def significant_trend(deviations: np.ndarray) -> float:
    """Relative growth of σ (spans,) per span; 0 where it could be scatter, or where it has ended.

    The slope of the straight line through ln σ_k, if it is more than Student's t times its standard error, and of the
    same sign as the change over the last two spans; of both the smaller one.
    """
    n = deviations.size
    if n < 4 or not (deviations > 0).all():
        return 0.0
    y, k = np.log(deviations), np.arange(n) - 0.5 * (n - 1)
    slope = float(k @ y / (k @ k))
    rest = y - y.mean() - slope * k
    error = float(np.sqrt(rest @ rest / (n - 2) / (k @ k)))
    lately = float(y[-1] - y[-3]) / 2.0
    if abs(slope) <= _STUDENT[min(n - 4, len(_STUDENT) - 1)] * error or slope * lately <= 0.0:
        return 0.0
    return float(np.sign(slope)) * min(abs(slope), abs(lately))


def trend_words(trend: float) -> str:
    """Describe a trend."""
    return f"σ {'grows' if trend > 0 else 'falls'} by {100 * abs(trend):.2g} % per span"


def _deviations(filtered: np.ndarray, places: np.ndarray, begins: np.ndarray, ends: np.ndarray) -> np.ndarray:
    return np.array(
        [filtered[(places >= a) & (places < b)].std() for a, b in zip(begins, ends, strict=True)], dtype=float
    )


def _masts_between(masts: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Mask of the masts passed within a section; a section that ends on a mast includes it."""
    slack = 2.0 * abs(places[-1] - places[0]) / max(places.size - 1, 1)
    return np.asarray((masts >= places.min() - slack) & (masts <= places.max() + slack))


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
