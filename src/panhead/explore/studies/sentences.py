"""Answer of a study as a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from panhead.assess.criteria import shown_unit
from panhead.assess.number_text import brief, number, value_and_bar, with_bar
from panhead.desk.reports.page import Mood
from panhead.explore.studies import answers, limit_search
from panhead.explore.studies.run_study import verdicts
from panhead.explore.studies.sample_index import unit_as_written
from panhead.explore.studies.sample_plan import Plan

if TYPE_CHECKING:
    import xarray as xr


def _say_limit(plan: Plan, index: xr.Dataset) -> tuple[Mood, str]:
    found = limit_search.bracket(plan, *verdicts(index))
    name, unit = plan.study.vary[0].input, found.unit
    if found.low is None:
        return "bad", f"No computed {name} meets all limits."
    below = f" A limit is violated below that, at {brief(found.missed[-1], 5)} {unit}." if found.missed else ""
    mood: Mood = "warning" if found.missed else "good"
    if found.high is None:
        return mood, f"All limits are met at the highest {name} computed, {brief(found.low, 5)} {unit}.{below}"
    return mood, f"{_limit_with_bar(name, found, limit_search.numerical_range(index, found))}{below}"


def _limit_with_bar(name: str, found: limit_search.Bracket, open_: limit_search.NumericalRange | None) -> str:
    """The limit to the figures that the numerical error of the runs leaves, with what that error is."""
    assert found.low is not None
    assert found.high is not None
    unit = found.unit
    ends = f"{brief(found.low, 5)} {unit}; at {brief(found.high, 5)} {unit} one is violated"
    if open_ is None:
        return (
            f"All limits are met up to {name} = {ends}. This does not include the numerical error, which is not known."
        )
    shown, scale = shown_unit(open_.unit)
    why = f"the numerical error of the runs ({open_.criterion} ± {number(open_.error * scale, 2)} {shown})"
    if open_.met_to is None or open_.missed_from is None:
        sure = f"no computed value surely {'meets' if open_.met_to is None else 'violates'} the limits"
        return f"All limits are met up to {name} = {ends}, but within {why} {sure}."
    half = max(found.low - open_.met_to, open_.missed_from - found.low)
    low, high = (value_and_bar(x, half)[0] for x in (open_.met_to, open_.missed_from))
    told = f"All limits are met up to {name} = {with_bar(found.low, half)} {unit}"
    return f"{told}. Because of {why}, {low} to {high} {unit} is undecided."


def _say_chance(plan: Plan, index: xr.Dataset) -> tuple[Mood, str]:
    share = answers.not_compliant(index)
    mood: Mood = "good" if share.high <= 0.05 else "bad" if share.low > 0.05 else "warning"
    interval = f"95 % interval {100 * share.low:.3g} to {100 * share.high:.3g} %"
    if share.controlled is not None:
        counted = f"{share.count} of {share.of} samples do, with gradients as control variates"
        return mood, f"A limit is violated with a probability of {100 * share.value:.3g} % ({interval}; {counted})."
    return mood, f"{100 * share.value:.3g} % of {share.of} samples violate a limit ({interval})."


def _say_count(plan: Plan, index: xr.Dataset) -> tuple[Mood, str]:
    said = index["verdict"].to_numpy()
    missed = [k for k, v in enumerate(said) if v == "not met"]
    if not missed:
        return "good", f"All {said.size} runs meet all limits."
    what = ", ".join(_missed_in(index, np.array(missed)))
    met = [k for k, v in enumerate(said) if v in ("met", "for information")]
    if met and len(met) < len(missed):
        told = f"Of {said.size} runs only {len(met)} meet all limits: {_list_inputs(index, met)}."
        return "warning", f"{told} The others violate one or more ({what})."
    return "warning", f"{len(missed)} of {said.size} runs violate a limit ({what}): {_list_inputs(index, missed)}."


def _list_inputs(index: xr.Dataset, rows: list[int]) -> str:
    """The inputs of some samples, the first four of many."""
    names = ", ".join(" · ".join(map(str, index["input"].to_numpy()[k])) for k in rows[:4])
    return names + (f" and {len(rows) - 4} more" if len(rows) > 4 else "")


def _say_ranges(plan: Plan, index: xr.Dataset) -> tuple[Mood, str]:
    """Ranges of the varied input in which all limits are met or violated, with the criteria violated there."""
    values = index["number"].to_numpy()[:, 0]
    said = index["verdict"].to_numpy()
    if not np.isfinite(values).all() or not (said == "not met").any():
        return _say_count(plan, index)
    unit = unit_as_written(index["input"].to_numpy()[0, 0])
    order = np.argsort(values, kind="stable")
    parts, missed = [], said[order] == "not met"
    starts = np.flatnonzero(np.diff(missed, prepend=~missed[0]))
    for a, b in zip(starts, [*starts[1:], missed.size], strict=True):
        ends = " to ".join(dict.fromkeys(brief(values[order[k]], 5) for k in (a, b - 1)))
        place, names = f"at {ends} {unit}".strip(), ", ".join(_missed_in(index, order[a:b]))
        parts.append(f"violated {place} ({names})" if missed[a] else f"met {place}")
    return "warning", f"Limits are {'; '.join(parts)}."


def _missed_in(index: xr.Dataset, rows: np.ndarray) -> list[str]:
    """Names of the criteria that some of the samples miss."""
    failed = index["failed"].to_numpy()[rows].any(axis=(0, 1))
    return [str(name) for name, wrong in zip(index["criterion_name"].to_numpy(), failed, strict=True) if wrong]


def with_undecided(index: xr.Dataset, mood: Mood, sentence: str) -> tuple[Mood, str]:
    """The sentence with the samples of which not every criterion could be judged: they have met nothing."""
    said = index["verdict"].to_numpy()
    open_ = int((said == "undecided").sum())
    if not open_:
        return mood, sentence
    words = (
        f"{open_} of {said.size} runs are undecided because not every criterion could be assessed; assess whole spans"
    )
    return "warning" if mood == "good" else mood, f"{words} (journey.judged_from, judged_to). Of the others: {sentence}"


SENTENCES = {
    "speed": _say_ranges,
    "compare": _say_count,
    "limit": _say_limit,
    "tolerance": _say_chance,
    "sensitivity": _say_chance,
}
