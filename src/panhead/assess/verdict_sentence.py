"""Verdict of an assessed run in words: one sentence for each group, shared by terminal, page and interface."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from panhead.assess import limits
from panhead.assess.criteria import DEFAULT_EDITION, Criterion, Group, Verdict, of_group, overall
from panhead.assess.judge import Judgement, judgement
from panhead.assess.mean_force_remedy import static_force_change, static_forces
from panhead.assess.number_text import brief, with_bar
from panhead.assess.reference_model import by_quantity, reference_criteria, reference_name
from panhead.assess.ride_outcome import ride_warnings, verdict_of_ride

if TYPE_CHECKING:
    import xarray as xr

_SHORT: Final = {
    "deviation_ratio": "σ/Fm",
    "statistical_max": "statistical maximum",
    "statistical_min": "statistical minimum",
}  # without their formulas, which would stand before a number
_AT: Final = {"upper": "at most", "lower": "at least"}
_WHY_REFERENCE: Final = (
    "A reference model exists so that simulations can be compared; it is simpler than a line in service and was not "
    "designed to meet these limits."
)
_NO_LIMIT: Final = "No limit applies to this run; its quantities are reported for information."


@dataclass(frozen=True, slots=True)
class GroupSentence:
    """Verdict on one group of criteria."""

    group: str  #: "reference model", "contact quality" or "setting"; "" where no limit applies
    verdict: Verdict
    sentence: str


@dataclass(frozen=True, slots=True)
class _Passage:
    """One pantograph of one variant."""

    variant: str
    pantograph: str
    name: str  # variant, pantograph or both: what distinguishes it from the others
    criteria: Sequence[Criterion]


def verdict_sentence(dataset: xr.Dataset) -> str:
    """Write the verdict on an assessed result: a sentence on its contact quality, and one on the setting."""
    return " ".join(one.sentence for one in verdict_sentences(dataset))


def verdict_sentences(dataset: xr.Dataset) -> list[GroupSentence]:
    """The verdict group by group: a reference model beside its ranges, then contact quality, then the setting.

    "Contact quality complies with …", "… does not comply with …: reasons" or "… undecided: reasons"; the same of the
    setting, with the static force that would meet it. A vehicle that derailed or lifted a wheel is said first.
    """
    found, standard = judgement(dataset), standard_name(str(dataset.attrs.get("edition", DEFAULT_EDITION)))
    ride, verdict = ride_warnings(dataset), overall(_every(found))
    if verdict != verdict_of_ride(dataset, verdict):
        undecided = f"Undecided: the contact force after that has no meaning. Compliance with {standard} is not shown."
        return [GroupSentence("vehicle", "undecided", " ".join([*ride, undecided]))]
    said = [*_reference_sentence(dataset), *_quality_sentence(found, standard)]
    if said and said[0].group == "reference model" and said[-1].verdict in ("not met", "undecided"):
        said[-1] = GroupSentence(said[-1].group, said[-1].verdict, f"{said[-1].sentence} {_WHY_REFERENCE}")
    said += _setting_sentence(dataset, found)
    said = said or [GroupSentence("", "for information", _NO_LIMIT)]
    said[-1] = GroupSentence(said[-1].group, said[-1].verdict, said[-1].sentence + limits_left_out(dataset))
    return [*([GroupSentence("vehicle", verdict, " ".join(ride))] if ride else []), *said]


def _reference_sentence(dataset: xr.Dataset) -> Iterator[GroupSentence]:
    """How many quantities of a reference model lie in the ranges it is checked by."""
    criteria = [c for of in reference_criteria(dataset).values() for c in of]
    if not criteria:
        return
    ends, verdict = by_quantity(criteria), overall(criteria)
    subject = f"Reference model of {reference_name(dataset)}"
    outside = [_straddle_text(c) for c in criteria if c.verdict == "undecided" and not c.unjudged]
    outside += [f"{_name(c)} {_excess_text(c)}" for c in criteria if c.verdict == "not met"]
    if verdict == "met":
        words = f"all {len(ends)} quantities lie within the ranges that a simulation must reproduce"
    elif outside:
        words = f"{'; '.join(outside)}. The ranges hold for the model without changes"
    else:
        words = "; ".join(_not_judged(criteria))
    yield GroupSentence("reference model", verdict, f"{subject}: {words}.")


def _quality_sentence(found: Judgement, standard: str) -> Iterator[GroupSentence]:
    found, every, verdict = _group(found, "contact quality")
    said = {"met": _met, "not met": _not_met, "undecided": _undecided}.get(verdict)
    if said is not None:
        yield GroupSentence("contact quality", verdict, said(found, standard) + _recalled_limits_note(verdict, every))


def _setting_sentence(dataset: xr.Dataset, found: Judgement) -> Iterator[GroupSentence]:
    """The mean force beside its limits; where it misses them, the static force that would not."""
    found, every, verdict = _group(found, "setting")
    if verdict == "for information":
        return
    words = _setting_met(found) if verdict == "met" else _setting_missed(dataset, found, verdict)
    yield GroupSentence("setting", verdict, words + _unchecked_limits(verdict, every))


def _setting_met(found: Judgement) -> str:
    passages = _passages(found, _variants_with(found, "met"))
    if len(passages) > 1:
        where = " in every variant" * (len(found) > 1) or " for every pantograph"
        return f"Setting: mean contact force within its limits{where}."
    limited = [c for c in passages[0].criteria if c.limit is not None]
    value, _, error, unit = limited[0].shown()
    ends = " to ".join(_limit(c) for c in sorted(limited, key=lambda c: c.limit or 0.0))
    bound = f"within {ends}" if len(limited) > 1 else f"{_AT[limited[0].bound]} {ends}"
    return f"Setting: mean contact force {with_bar(value, error, limited[0].digits)} {unit}, {bound}."


def _setting_missed(dataset: xr.Dataset, found: Judgement, verdict: Verdict) -> str:
    wrong = _variants_with(found, verdict)
    several = sum(map(len, found.values())) > 1
    passages = [p for p in _passages(found, wrong) if overall(p.criteria) == verdict]
    if verdict == "not met":
        reasons = [*_reasons(passages, several=several)]
    else:
        criteria = [c for p in passages for c in p.criteria if c.verdict == verdict]
        reasons = [*_not_judged(criteria), *dict.fromkeys(_straddle_text(c) for c in criteria if not c.unjudged)]
    where = f" in {quoted(wrong)}" if len(found) > 1 else ""
    told = f"Setting {verdict}{where}: {'; '.join(reasons)}."
    return " ".join(filter(None, (told, _remedy(dataset, passages, several=several))))


def _remedy(dataset: xr.Dataset, passages: Sequence[_Passage], *, several: bool) -> str:
    """The static force that would meet the limits, of each pantograph that misses them."""
    changes = {
        one.name: change
        for one in passages
        if (change := static_force_change(one.criteria, static_forces(dataset, one.variant).get(one.pantograph)))
    }
    if not changes:
        return ""
    each = [f"{change.words}{f' ({name})' * several}" for name, change in changes.items()]
    aims = list(dict.fromkeys(f'mean_force = "{change.mean:g} N"' for change in changes.values()))
    text = f"{'; '.join(each)}, or write {in_words(aims)} in [[train]] and the run finds it."
    return text[0].upper() + text[1:]


def _group(found: Judgement, group: Group) -> tuple[Judgement, list[Criterion], Verdict]:
    """Criteria of one group: by variant and pantograph, all of them, and their verdict."""
    mine = {v: {name: of_group(criteria, group) for name, criteria in of.items()} for v, of in found.items()}
    return mine, _every(mine), overall(_every(mine))


def _every(found: Judgement) -> list[Criterion]:
    return [c for of in found.values() for criteria in of.values() for c in criteria]


def standard_name(edition: str) -> str:
    """Names of the standards whose limits an edition holds: "EN 50367:2012 and EN 50119:2009"."""
    table = limits.read(edition)
    return in_words([table.name, *table.includes])


def limits_left_out(dataset: xr.Dataset) -> str:
    """Sentence on limits that the standard has and the file of limits has no number for; empty if there are none."""
    table = limits.read(str(dataset.attrs.get("edition", DEFAULT_EDITION)))
    speed, supply = dataset.attrs.get("speed"), str(dataset.attrs.get("supply", limits.SUPPLIES[0]))
    gaps = table.gaps(None if speed is None else float(speed), supply)
    names = dict.fromkeys(f"{g.bound} limit of {g.quantity.replace('_', ' ')} ({g.clause})" for g in gaps)
    return f" Not assessed, because the file of limits has no number for it: {in_words([*names])}." if names else ""


def in_words(words: Sequence[str]) -> str:
    """Join words as "one, two and three"."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def quoted(names: Sequence[str]) -> str:
    """Quote names of variants."""
    return ", ".join(f"‘{name}’" for name in names)


def passage_name(variant: str, pantograph: str, several: bool) -> str:
    """Label that distinguishes a pantograph of a variant from the others; ``several``: more than one on the train."""
    return " · ".join(word for word in (variant, pantograph if several or not variant else "") if word)


def _met(found: Judgement, standard: str) -> str:
    kept, free = _variants_with(found, "met"), _variants_with(found, "for information")
    if free:
        return f"Contact quality complies with {standard} in {quoted(kept)}; no limit applies in {quoted(free)}."
    if len(found) > 1:
        return f"Contact quality complies with {standard} in all {len(found)} variants."
    passages = _passages(found, [*found])
    count = len({c.key for one in passages for c in one.criteria if c.limit is not None})
    what = f"all {count} criteria are" if count > 1 else "its one criterion is"
    return f"Contact quality complies with {standard}: {what} met{' by every pantograph' * (len(passages) > 1)}."


def _not_met(found: Judgement, standard: str) -> str:
    failing = _variants_with(found, "not met")
    beside = {"undecided in": _variants_with(found, "undecided"), "complies in": _variants_with(found, "met")}
    others = [f"{words} {quoted(names)}" for words, names in beside.items() if names]
    reasons = _reasons(_passages(found, failing), several=sum(map(len, found.values())) > 1)
    where = f" in {quoted(failing)}" if len(found) > 1 else ""
    return (
        f"Contact quality does not comply with {standard}{where}: {'; '.join([*reasons, *(others if where else [])])}."
    )


def _undecided(found: Judgement, standard: str) -> str:
    open_ = _variants_with(found, "undecided")
    criteria = [c for one in _passages(found, open_) for c in one.criteria if c.verdict == "undecided"]
    where = f" in {quoted(open_)}" if len(found) > 1 else ""
    straddling = dict.fromkeys(_straddle_text(c) for c in criteria if not c.unjudged)
    reasons = [*_not_judged(criteria), *straddling]
    remedies = ["Assess a longer section (journey.judged_from, judged_to)."] * (len(reasons) > len(straddling))
    remedies += ["Halve numerics.step and numerics.element_length and run again."] * bool(straddling)
    return " ".join(
        [f"Contact quality undecided{where}: {'; '.join(reasons)}. Compliance with {standard} is not shown.", *remedies]
    )


def _variants_with(found: Judgement, verdict: Verdict) -> list[str]:
    """Variants with a given verdict."""
    return [name for name, of in found.items() if overall([c for cs in of.values() for c in cs]) == verdict]


def _passages(found: Judgement, variants: Sequence[str]) -> list[_Passage]:
    several = any(len(of) > 1 for of in found.values())
    return [
        _Passage(v, name, re.sub(r"(^|· )(\d+): .*", r"\1pantograph \2", passage_name(v, name, several)), cs)
        for v in variants
        for name, cs in found[v].items()
    ]


def _reasons(passages: Sequence[_Passage], *, several: bool) -> Iterator[str]:
    """One text per criterion not met: its name, then the excess of each pantograph."""
    missed: dict[str, dict[str, list[str]]] = {}
    for one in passages:
        for c in one.criteria:
            if c.verdict == "not met":
                missed.setdefault(_name(c), {}).setdefault(_excess_text(c), []).append(one.name)
    for name, cases in missed.items():
        yield f"{name} {in_words([said + f' ({in_words(of)})' * several for said, of in cases.items()])}"


def _excess_text(c: Criterion) -> str:
    value, _, error, unit = c.shown()
    if math.isnan(value):
        return f"has no value (limit {_limit(c)})"
    side = "exceeds" if c.bound == "upper" else "is below"
    return f"{with_bar(value, error, c.digits)} {unit}".strip() + f" {side} {_limit(c)}"


def _straddle_text(c: Criterion) -> str:
    value, _, error, unit = c.shown()
    return f"{_name(c)} {with_bar(value, error, c.digits)} {unit}".strip() + f" straddles its limit {_limit(c)}"


def _not_judged(criteria: Sequence[Criterion]) -> Iterator[str]:
    """Reasons why criteria cannot be assessed, each once."""
    why: dict[str, dict[str, None]] = {}
    for c in criteria:
        why.setdefault(c.unjudged, {})[_name(c)] = None
    for reason, names in why.items():
        if reason:
            few = f"{in_words([*names])} {'is' if len(names) == 1 else 'are'}"
            yield f"{reason}, so {few if len(names) < 4 else f'{len(names)} criteria are'} not assessed"


def _recalled_limits_note(verdict: Verdict, every: Sequence[Criterion]) -> str:
    """Note on limits that were not checked against their text; empty if the verdict does not depend on them."""
    limited = [c for c in every if c.limit is not None and not c.unjudged]
    decisive = limited if verdict == "met" else [c for c in limited if c.verdict == verdict]
    unsure = dict.fromkeys(_name(c) for c in decisive if c.standing in limits.UNCHECKED)
    if not unsure or (verdict == "not met" and len(unsure) < len({c.name for c in decisive})):
        return ""
    which = f"the limit of {next(iter(unsure))}, which is" if len(unsure) == 1 else f"{len(unsure)} limits that are"
    return (
        f" This verdict depends on {which} {_standings(decisive)} and not yet checked against the text of the standard."
    )


def _standings(criteria: Sequence[Criterion]) -> str:
    """Standings of the limits that were not checked against their text: "recalled or transcribed"."""
    return " or ".join(sorted({c.standing for c in criteria if c.standing in limits.UNCHECKED}))


def _unchecked_limits(verdict: Verdict, every: Sequence[Criterion]) -> str:
    """Note on the limits of the mean force that were recalled and not checked."""
    decisive = [c for c in every if c.limit is not None and not c.unjudged and verdict in ("met", c.verdict)]
    unsure = sorted({c.bound for c in decisive if c.standing in limits.UNCHECKED})
    if not unsure:
        return ""
    which = f"Its {in_words(unsure)} limit{'s are' * (len(unsure) > 1) or ' is'}"
    return f" {which} {_standings(decisive)}, not yet checked against the text of the standard."


def _name(c: Criterion) -> str:
    return _SHORT.get(c.key, c.name)


def _limit(c: Criterion) -> str:
    _, limit, _, unit = c.shown()
    return f"{brief(limit or 0.0, c.digits)} {unit}".strip()
