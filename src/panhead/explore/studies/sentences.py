"""Answer of a study as a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import numpy as np

from panhead.assess.criteria import shown_unit
from panhead.assess.number_text import brief, number, value_and_bar, with_bar
from panhead.desk.reports.page import Mood
from panhead.explore.studies import answers, limit_search
from panhead.explore.studies.intervals import Share, samples_without_a_miss
from panhead.explore.studies.run_study import verdicts
from panhead.explore.studies.sample_index import unit_as_written
from panhead.explore.studies.sample_plan import Plan

if TYPE_CHECKING:
    import xarray as xr

ALLOWED: Final = 0.05  #: probability of missing a limit that a tolerance study is asked to show


def _subject(index: xr.Dataset) -> str:
    """Subject of the verdict, with its verb."""
    return "All limits are" if index.attrs.get("judged") == "all limits" else "Contact quality is"


def _of_what(index: xr.Dataset) -> str:
    return "" if index.attrs.get("judged") == "all limits" else " of contact quality"


def _say_limit(plan: Plan, index: xr.Dataset) -> tuple[Mood, str]:
    found = limit_search.bracket(plan, *verdicts(index))
    name, unit, subject = plan.study.vary[0].input, found.unit, _subject(index)
    if found.low is None:
        return "bad", f"{subject} met at no computed {name}."
    lower = f" A limit{_of_what(index)} is violated below that, at {{}} {unit}."
    below = lower.format(brief(found.missed[-1], 5)) if found.missed else ""
    mood: Mood = "warning" if found.missed else "good"
    if found.high is None:
        return mood, f"{subject} met at the highest {name} computed, {brief(found.low, 5)} {unit}.{below}"
    error = limit_search.numerical_range(index, found)
    if error is not None and error.met_to is None:
        mood = "warning"  # no computed value is surely within the limits
    return mood, f"{_limit_with_bar(subject, name, found, error)}{below}"


def _limit_with_bar(
    subject: str, name: str, found: limit_search.Bracket, open_: limit_search.NumericalRange | None
) -> str:
    """The limit to the figures that the numerical error of the runs leaves, with what that error is."""
    assert found.low is not None
    assert found.high is not None
    unit = found.unit
    ends = f"{brief(found.low, 5)} {unit}; at {brief(found.high, 5)} {unit} a limit is violated"
    if open_ is None:
        return f"{subject} met up to {name} = {ends}. This does not include the numerical error, which is not known."
    shown, scale = shown_unit(open_.unit)
    why = f"the numerical error of the runs ({open_.criterion} ± {number(open_.error * scale, 2)} {shown})"
    if open_.met_to is None:
        return f"Undecided at every computed {name}: {why} exceeds the margins. Without it: met up to {ends}."
    if open_.missed_from is None:
        return f"{subject} met up to {name} = {ends}, but within {why} no computed value surely violates the limits."
    half = max(found.low - open_.met_to, open_.missed_from - found.low)
    low, high = (value_and_bar(x, half)[0] for x in (open_.met_to, open_.missed_from))
    told = f"{subject} met up to {name} = {with_bar(found.low, half)} {unit}"
    return f"{told}. Because of {why}, {low} to {high} {unit} is undecided."


def _say_chance(plan: Plan, index: xr.Dataset) -> tuple[Mood, str]:
    share, what = answers.not_compliant(index), _of_what(index)
    mood = share_mood(share)
    interval = f"95 % interval {100 * share.low:.3g} to {100 * share.high:.3g} %"
    if not share.count and share.controlled is None:
        return mood, f"0 of {share.of} samples miss a limit{what}{_samples_needed(share)} ({interval})."
    if share.controlled is not None:
        counted = f"{share.count} of {share.of} samples do, with gradients as control variates"
        return mood, f"A limit{what} is missed with a probability of {100 * share.value:.3g} % ({interval}; {counted})."
    return mood, f"{share.count} of {share.of} samples miss a limit{what}: {100 * share.value:.3g} % ({interval})."


def share_mood(share: Share) -> Mood:
    """Good or bad where the whole interval lies below or above 5 %; no miss at all is no reason for attention."""
    if share.high <= ALLOWED:
        return "good"
    return "bad" if share.low > ALLOWED else "neutral" if not share.count else "warning"


def _samples_needed(share: Share) -> str:
    """How many samples without a miss would show a probability below 5 %, where those at hand do not."""
    needed = samples_without_a_miss(ALLOWED)
    said = f"; {needed} samples without a miss would show that less than {100 * ALLOWED:.0f} % miss one"
    return said if share.of < needed else ""


def _say_count(plan: Plan, index: xr.Dataset) -> tuple[Mood, str]:
    said = answers.judged(index)
    missed = [k for k, v in enumerate(said) if v == "not met"]
    if not missed:
        return "good", f"{_subject(index)} met in all {said.size} runs."
    what = ", ".join(_missed_in(index, np.array(missed)))
    met = [k for k, v in enumerate(said) if v in ("met", "for information")]
    if met and len(met) < len(missed):
        told = f"{_subject(index)} met in {len(met)} of {said.size} runs only: {_list_inputs(index, met)}."
        return "warning", f"{told} The others miss one or more limits ({what})."
    few = _list_inputs(index, missed)
    return "warning", f"{len(missed)} of {said.size} runs miss a limit{_of_what(index)} ({what}): {few}."


def setting_sentence(index: xr.Dataset) -> tuple[Mood, str] | None:
    """The setting, the mean contact force, told beside the contact quality; None where it has no limit or is judged."""
    if "setting" not in index or index.attrs.get("judged") == "all limits":
        return None
    said = index["setting"].to_numpy()
    known = np.isin(said, ("met", "not met"))
    missed = said == "not met"
    if not known.any():
        return None
    what = "Setting: mean contact force"
    if not missed.any():
        return "good", f"{what} within its limits in all {int(known.sum())} runs."
    ranges = _ranges(index, missed, lambda rows: "") if index.sizes.get("varied") == 1 else None
    where = f"{int(missed.sum())} of {int(known.sum())} runs"
    told = f"{what} {ranges}." if ranges else f"{what} outside its limits in {where}."
    return "warning", f"{told} Write mean_force in [[train]], and each run finds the static force that gives it."


def _list_inputs(index: xr.Dataset, rows: list[int]) -> str:
    """The inputs of some samples, the first four of many."""
    names = ", ".join(" · ".join(map(str, index["input"].to_numpy()[k])) for k in rows[:4])
    return names + (f" and {len(rows) - 4} more" if len(rows) > 4 else "")


def _say_ranges(plan: Plan, index: xr.Dataset) -> tuple[Mood, str]:
    """Ranges of the varied input in which what is judged is met or not, with the criteria missed there."""
    missed = answers.judged(index) == "not met"
    told = _ranges(index, missed, lambda rows: f" ({', '.join(_missed_in(index, rows))})") if missed.any() else None
    return _say_count(plan, index) if told is None else ("warning", f"{_subject(index)} {told}.")


def _ranges(index: xr.Dataset, missed: np.ndarray, reasons: Callable[[np.ndarray], str]) -> str | None:
    """ "met at 120 to 180 km/h; not met at 210 km/h (…)"; None where the varied input is no number."""
    values = index["number"].to_numpy()[:, 0]
    if not np.isfinite(values).all():
        return None
    unit = unit_as_written(index["input"].to_numpy()[0, 0])
    order = np.argsort(values, kind="stable")
    parts, missed = [], missed[order]
    starts = np.flatnonzero(np.diff(missed, prepend=~missed[0]))
    for a, b in zip(starts, [*starts[1:], missed.size], strict=True):
        ends = " to ".join(dict.fromkeys(brief(values[order[k]], 5) for k in (a, b - 1)))
        place = f"at {ends} {unit}".strip()
        parts.append(f"not met {place}{reasons(order[a:b])}" if missed[a] else f"met {place}")
    return "; ".join(parts)


def _missed_in(index: xr.Dataset, rows: np.ndarray) -> list[str]:
    """Names of the criteria that count and that some of the samples miss."""
    failed = index["failed"].to_numpy()[rows].any(axis=(0, 1)) & answers.judged_criteria(index)
    return [str(name) for name, wrong in zip(index["criterion_name"].to_numpy(), failed, strict=True) if wrong]


def with_undecided(index: xr.Dataset, mood: Mood, sentence: str) -> tuple[Mood, str]:
    """The sentence with the number of samples in which some criterion could not be assessed; they count as not met."""
    said = answers.judged(index)
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
