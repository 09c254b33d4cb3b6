"""The judge's findings in words and tables: nothing is judged here, the result carries its verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from panhead.assess import Criterion, judgement, limits, overall
from panhead.assess.criteria import DEFAULT_EDITION
from panhead.assess.side_by_side import VariantFigures, side_by_side
from panhead.reports.page import Block, Mood, PageTable, PageVerdict
from panhead.reports.words import brief, number, percent

if TYPE_CHECKING:
    import xarray as xr

MOODS: Final[dict[str, Mood]] = {"met": "good", "not met": "bad", "undecided": "warning", "for information": "neutral"}
_MARKS: Final = {"met": "✓ ", "not met": "✕ ", "undecided": "? ", "for information": ""}
_BARS: Final = (
    "± is the numerical error estimated by one repeat on another step or mesh; a limit inside the bar leaves the "
    "criterion undecided."
)
_SUMMARY: Final = {
    "mean_force": "mean",
    "deviation": "σ",
    "actual_max": "maximum",
    "actual_min": "minimum",
    "uplift": "uplift",
    "contact_loss": "contact lost",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One pantograph of one variant, with what the judge found."""

    name: str  #: variant, pantograph or both: what tells it from the others
    figures: VariantFigures
    criteria: Sequence[Criterion]

    @property
    def verdict(self) -> str:
        return self.figures.verdict


def entries(dataset: xr.Dataset) -> list[Entry]:
    """Every pantograph of every variant, in the order they were run."""
    found, criteria = side_by_side(dataset), judgement(dataset)
    several = any(one.pantograph != found[0].pantograph for one in found if one.variant == found[0].variant)
    entries = []
    for one in found:
        words = (one.variant, one.pantograph if several or not one.variant else "")
        name = " · ".join(word for word in words if word)
        entries.append(Entry(name, one, criteria[one.variant][one.pantograph]))
    return entries


def headline(dataset: xr.Dataset, found: Sequence[Entry]) -> PageVerdict:
    """Whether the contact is good enough, by which standard, and if not, why; one line of numbers for each."""
    standard = _standard(str(dataset.attrs.get("edition", DEFAULT_EDITION)))
    verdict = str(dataset.attrs["verdict"])
    details = [f"{one.name}: {_summary(one.criteria)}" for one in found]
    names = list(dict.fromkeys(one.figures.variant for one in found))
    if len(names) == 1:
        every = [c for one in found for c in one.criteria]
        return PageVerdict(MOODS[verdict], _sentence(verdict, every, standard), details)
    missed = {one.figures.variant for one in found if one.verdict != "met"}
    kept = [name for name in names if name not in missed]
    mood = MOODS[verdict]
    if not missed:
        said = f"The contact is good enough in all {len(names)} variants by {standard}."
    elif kept:
        mood, others = "warning", [name for name in names if name in missed]
        said = f"By {standard} the contact is good enough with {_listed(kept)}, but not with {_listed(others)}."
    elif all(one.verdict == "not met" for one in found):
        reasons = "; ".join(_reasons([c for c in found[0].criteria if c.limit is not None]))
        said = f"No variant is good enough by {standard}; with ‘{names[0]}’ {reasons}."
    else:
        said = f"No variant is shown to be good enough by {standard}; see the criteria."
    return PageVerdict(mood, said, [*_evener(found), *details])


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"‘{name}’" for name in names)


def _standard(edition: str) -> str:
    table = limits.read(edition)
    names = [table.name, *table.includes]
    return " and ".join(names).replace("EN ", "EN\u00a0")  # a name is not torn apart


def _sentence(verdict: str, criteria: Sequence[Criterion], standard: str) -> str:
    limited = [c for c in criteria if c.limit is not None]
    opened = dict.fromkeys(c.name for c in limited if c.verdict == "undecided")
    return {
        "met": f"The contact is good enough: all {len(limited)} criteria of {standard} are met.",
        "not met": f"The contact is not good enough by {standard}: {'; '.join(_reasons(limited))}.",
        "undecided": f"By {standard} it cannot be decided: the numerical error bar of {', '.join(opened)} "
        "straddles the limit.",
        "for information": "No limit applies to this run; the numbers stand for themselves.",
    }[verdict]


def _reasons(criteria: Sequence[Criterion]) -> list[str]:
    """Each criterion not met in a few words: name, value, limit; the worst of each."""
    found: dict[str, str] = {}
    for c in criteria:
        if c.verdict == "not met":
            value, limit, _, unit = c.shown()
            sign = "above" if c.bound == "upper" else "below"
            words = f"{c.name} {number(value, 3)}\u00a0{unit}, {sign} {brief(limit or 0.0)}\u00a0{unit}"
            found.setdefault(c.name, words)
    return list(found.values())


def _summary(criteria: Sequence[Criterion]) -> str:
    """One line of the numbers an engineer asks for first."""
    shown = {c.key: c.shown() for c in criteria}
    parts = [f"{word} {number(shown[k][0], 3)}\u00a0{shown[k][3]}" for k, word in _SUMMARY.items() if k in shown]
    return ", ".join(parts)


def _evener(found: Sequence[Entry]) -> list[str]:
    """Which variant has the evenest force, against the first one."""
    best = min((one.figures for one in found), key=lambda figures: figures.filtered)
    first = found[0].figures.variant
    if best.change is None:
        return [f"No variant has an evener force than ‘{first}’."]
    return [
        f"The force is evenest with ‘{best.variant}’: its deviation is {number(-100 * best.change, 3)} % below that "
        f"of ‘{first}’."
    ]


def tables(dataset: xr.Dataset, found: Sequence[Entry]) -> list[Block]:
    """Side by side, then every criterion beside its limit, then what the standards want reported."""
    blocks: list[Block] = [_side_by_side(found)] if len(found) > 1 else []
    blocks += _beside_print(dataset, found)
    if len(found) == 1:
        return [*blocks, _criteria(found[0].criteria), _information(found[0].criteria)]
    return [*blocks, _matrix(found, limited=True), _matrix(found, limited=False)]


def _side_by_side(found: Sequence[Entry]) -> PageTable:
    """Mean and deviation of each, what they change against the first, and the verdict."""
    rows = [
        [
            one.name, one.verdict.replace(" ", "\u00a0"), _cell(one, "mean_force"), percent(one.figures.moved),
            _cell(one, "deviation"), percent(one.figures.change), number(one.figures.deviation),
            number(one.figures.largest), number(one.figures.smallest),
        ]
        for one in found
    ]  # fmt: skip
    headings = [
        "", "Verdict", "Mean (N)", "change (%)", "σ, 20 Hz (N)", "change (%)", "σ, raw (N)", "Max (N)", "Min (N)",
    ]  # fmt: skip
    note = "Changes are against the first variant. σ raw: of the force as computed; all else of the force to 20 Hz."
    return PageTable("Side by side", headings, rows, [MOODS[one.verdict] for one in found], note)


def _cell(one: Entry, key: str) -> str:
    """A value with its error bar, without its unit."""
    c = next((c for c in one.criteria if c.key == key), None)
    return "–" if c is None else _value(c).removesuffix(f" {c.shown()[3]}")


def _beside_print(dataset: xr.Dataset, found: Sequence[Entry]) -> list[Block]:
    """Our numbers and those in print, where there are some."""
    printed = [one for one in found if one.figures.published is not None]
    if not printed:
        return []
    estimated = all(one.figures.estimate is not None for one in printed)
    rows = []
    for one in printed:
        ours, print_ = one.figures, one.figures.published or (math.nan, math.nan)
        sigma = ours.estimate if estimated else ours.filtered
        change = ours.estimate_cut and -ours.estimate_cut if estimated else ours.change
        rows.append(
            [
                one.name, number(ours.mean, 5), number(print_[0], 5), number(sigma or math.nan), number(print_[1]),
                percent(change), percent(ours.published_cut and -ours.published_cut),
            ]
        )  # fmt: skip
    which = "σ by (27) (N)" if estimated else "σ, 20 Hz (N)"
    headings = ["", "Mean (N)", "print (N)", which, "print (N)", "change (%)", "print (%)"]
    note = f"Print: {dataset.attrs.get('source') or 'see the inputs'}."
    if estimated:
        note += (
            " Laws in print are judged by the lumped estimate, equation (27), which leaves out the actuator's own "
            "force: it shrinks where the contact force does not."
        )
    return [PageTable("Beside print", headings, rows, note=note)]


def _criteria(criteria: Sequence[Criterion]) -> PageTable:
    """Every criterion with a limit: value, error bar, limit, verdict, source of the limit."""
    limited = [c for c in criteria if c.limit is not None]
    rows = [[c.name, _value(c), _limit(c), c.verdict.replace(" ", "\u00a0"), _source(c)] for c in limited]
    headings = ["Criterion", "Value", "Limit", "Verdict", "Clause"]
    return PageTable("Criteria", headings, rows, [MOODS[c.verdict] for c in limited], _note(limited))


def _information(criteria: Sequence[Criterion]) -> PageTable:
    """Every quantity the standards ask to report, without a limit of its own."""
    rows = [[c.name, _value(c), c.note] for c in criteria if c.limit is None]
    return PageTable("For information", ["Quantity", "Value", "Remark"], rows)


def _matrix(found: Sequence[Entry], *, limited: bool) -> PageTable:
    """The same for several: a column for each variant or pantograph; the limit tells the unit."""
    rows, moods, seen = [], [], []
    held = [{c.key: c for c in one.criteria if (c.limit is not None) is limited} for one in found]
    for key in dict.fromkeys(key for one in held for key in one):
        row = [one.get(key) for one in held]
        known = [c for c in row if c is not None]
        seen += known
        same = limited and len({c.limit for c in known}) == 1
        cells = ["–" if c is None else _marked(c, bare=same) for c in row]
        limit = [_limit(known[0]) if same else "see cells"] if limited else []
        rows.append([known[0].name, *limit, *cells, *([known[0].clause] if limited else [])])
        moods.append(MOODS[overall(known)])
    names = [one.name for one in found]
    if not limited:
        return PageTable("For information", ["Quantity", *names], rows)
    notes = dict.fromkeys(f"{c.name}: {c.note}." for c in seen if c.note)
    note = " ".join(filter(None, [_note(seen), *(text[0].upper() + text[1:] for text in notes)]))
    return PageTable("Criteria", ["Criterion", "Limit", *names, "Clause"], rows, moods, note)


def _marked(c: Criterion, *, bare: bool) -> str:
    """A value with its verdict; ``bare``: the limit and its unit stand elsewhere."""
    text = f"{_MARKS[c.verdict]}{_value(c)}"
    if bare:
        return text.removesuffix(f" {c.shown()[3]}")
    return f"{text} ({_limit(c)})" if c.limit is not None else text


def _note(criteria: Sequence[Criterion]) -> str:
    return _BARS if any(c.error is not None for c in criteria) else ""


def _limit(c: Criterion) -> str:
    _, limit, _, unit = c.shown()
    return f"{'≤' if c.bound == 'upper' else '≥'} {brief(limit or 0.0)} {unit}".strip()


def _source(c: Criterion) -> str:
    return "; ".join(text for text in (c.clause, c.note) if text)


def _value(c: Criterion) -> str:
    value, _, error, unit = c.shown()
    bar = "" if not error else f" ± {number(error, 2)}"
    return f"{number(value)}{bar} {unit}".strip()
