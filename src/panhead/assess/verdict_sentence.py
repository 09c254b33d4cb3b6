"""Verdict of an assessed run as one sentence, shared by terminal, page and interface."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from panhead.assess import limits
from panhead.assess.criteria import DEFAULT_EDITION, Criterion, Verdict, overall
from panhead.assess.judge import Judgement, judgement
from panhead.assess.number_text import brief, with_bar

if TYPE_CHECKING:
    import xarray as xr

_SHORT: Final = {
    "deviation_ratio": "σ/Fm",
    "statistical_max": "statistical maximum",
    "statistical_min": "statistical minimum",
}  # without their formulas, which would stand before a number
_NO_LIMIT: Final = "No limit applies to this run; its quantities are reported for information."


@dataclass(frozen=True, slots=True)
class _Passage:
    """One pantograph of one variant."""

    variant: str
    name: str  # variant, pantograph or both: what distinguishes it from the others
    criteria: Sequence[Criterion]


def verdict_sentence(dataset: xr.Dataset) -> str:
    """Write "Complies with …", "Does not comply with …: reasons" or "Undecided: reasons" for a judged result."""
    found = judgement(dataset)
    every = [c for of in found.values() for criteria in of.values() for c in criteria]
    verdict = overall(every)
    standard = standard_name(str(dataset.attrs.get("edition", DEFAULT_EDITION)))
    said = {"met": _met, "not met": _not_met, "undecided": _undecided}.get(verdict)
    return _NO_LIMIT if said is None else said(found, standard) + _unchecked(verdict, every)


def standard_name(edition: str) -> str:
    """Names of the standards whose limits an edition holds: "EN 50367:2012 and EN 50119:2009"."""
    table = limits.read(edition)
    return in_words([table.name, *table.includes])


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
        return f"Complies with {standard} in {quoted(kept)}; no limit applies in {quoted(free)}."
    if len(found) > 1:
        return f"Complies with {standard} in all {len(found)} variants."
    passages = _passages(found, [*found])
    count = len({c.key for one in passages for c in one.criteria if c.limit is not None})
    return f"Complies with {standard}: all {count} criteria are met{' by every pantograph' * (len(passages) > 1)}."


def _not_met(found: Judgement, standard: str) -> str:
    failing = _variants_with(found, "not met")
    beside = {"undecided in": _variants_with(found, "undecided"), "complies in": _variants_with(found, "met")}
    others = [f"{words} {quoted(names)}" for words, names in beside.items() if names]
    reasons = _reasons(_passages(found, failing), several=sum(map(len, found.values())) > 1)
    where = f" in {quoted(failing)}" if len(found) > 1 else ""
    return f"Does not comply with {standard}{where}: {'; '.join([*reasons, *(others if where else [])])}."


def _undecided(found: Judgement, standard: str) -> str:
    open_ = _variants_with(found, "undecided")
    criteria = [c for one in _passages(found, open_) for c in one.criteria if c.verdict == "undecided"]
    where = f" in {quoted(open_)}" if len(found) > 1 else ""
    straddling = dict.fromkeys(_straddle_text(c) for c in criteria if not c.unjudged)
    reasons = [*_not_judged(criteria), *straddling]
    remedies = ["Assess a longer section (journey.judged_from, judged_to)."] * (len(reasons) > len(straddling))
    remedies += ["Halve numerics.step and numerics.element_length and run again."] * bool(straddling)
    return " ".join([f"Undecided{where}: {'; '.join(reasons)}. Compliance with {standard} is not shown.", *remedies])


def _variants_with(found: Judgement, verdict: Verdict) -> list[str]:
    """Variants with a given verdict."""
    return [name for name, of in found.items() if overall([c for cs in of.values() for c in cs]) == verdict]


def _passages(found: Judgement, variants: Sequence[str]) -> list[_Passage]:
    several = any(len(of) > 1 for of in found.values())
    return [_Passage(v, passage_name(v, name, several), cs) for v in variants for name, cs in found[v].items()]


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
    verb = "exceeds" if c.bound == "upper" else "is below"
    return f"{with_bar(value, error, c.digits)} {unit}".strip() + f" {verb} {_limit(c)}"


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


def _unchecked(verdict: Verdict, every: Sequence[Criterion]) -> str:
    """Note on limits that were recalled and not checked; empty if the verdict does not depend on them."""
    limited = [c for c in every if c.limit is not None and not c.unjudged]
    decisive = limited if verdict == "met" else [c for c in limited if c.verdict == verdict]
    unsure = dict.fromkeys(_name(c) for c in decisive if c.standing == "recalled")
    if not unsure or (verdict == "not met" and len(unsure) < len({c.name for c in decisive})):
        return ""
    which = f"the limit of {next(iter(unsure))}, which is" if len(unsure) == 1 else f"{len(unsure)} limits that are"
    return f" This verdict depends on {which} recalled and not yet checked against the text of the standard."


def _name(c: Criterion) -> str:
    return _SHORT.get(c.key, c.name)


def _limit(c: Criterion) -> str:
    _, limit, _, unit = c.shown()
    return f"{brief(limit or 0.0, c.digits)} {unit}".strip()
