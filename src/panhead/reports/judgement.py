"""The judge's findings in words and tables: nothing is judged here, the result carries its verdict."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from panhead.assess import Criterion, judgement, limits, overall
from panhead.assess.criteria import DEFAULT_EDITION
from panhead.assess.side_by_side import VariantFigures, side_by_side
from panhead.files.variants import separate
from panhead.reports.page import Block, Mood, PageTable, PageVerdict
from panhead.reports.words import brief, number, percent, with_bar

if TYPE_CHECKING:
    import xarray as xr

MOODS: Final[dict[str, Mood]] = {"met": "good", "not met": "bad", "undecided": "warning", "for information": "neutral"}
_MARKS: Final = {"met": "✓ ", "not met": "✕ ", "undecided": "? ", "for information": ""}
_BARS: Final = (
    "± is the numerical error of step and mesh, estimated from a repeat on others so that it holds the truth in 19 of "
    "20 cases; a limit inside the bar leaves the criterion undecided. Losses of contact are events: what both runs "
    "miss has no bar. The bar does not contain which spans are judged{spans}, how the run starts, nor the "
    "uncertainty of damping and other inputs, for which there are studies."
)
_STANDING: Final = {
    "quoted": "quoted",
    "recalled": "recalled, to be checked in the text",
    "described": "as described",
    "usual": "usual value, no standard's",
}
_BESIDE: Final = 2  # columns beside which clauses have room
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
    details = [*_warned(dataset), *(f"{one.name}: {_summary(one.criteria)}" for one in found)]
    names = list(dict.fromkeys(one.figures.variant for one in found))
    if len(names) == 1:
        said = _sentence(verdict, found, standard)
    else:
        said, details = _of_variants(found, names, standard), [*_evener(found), *details]
    return PageVerdict(MOODS[verdict], said + _unchecked(verdict, found), details)


def _of_variants(found: Sequence[Entry], names: Sequence[str], standard: str) -> str:
    missed = {one.figures.variant for one in found if one.verdict != "met"}
    kept = [name for name in names if name not in missed]
    if not missed:
        return f"The contact is good enough in all {len(names)} variants by {standard}."
    if kept:
        others = [name for name in names if name in missed]
        reasons = "; ".join(_reasons([one for one in found if one.figures.variant in missed]))
        why = f": {reasons}" if reasons else ""
        return f"By {standard} the contact is good enough with {_listed(kept)}, but not with {_listed(others)}{why}."
    if all(one.verdict == "not met" for one in found):
        reasons = "; ".join(_reasons([one for one in found if one.figures.variant == names[0]]))
        return f"No variant is good enough by {standard}; with ‘{names[0]}’ {reasons}."
    return f"No variant is shown to be good enough by {standard}; see the criteria."


def _unchecked(verdict: str, found: Sequence[Entry]) -> str:
    """What the verdict owes to limits that were recalled and not checked; nothing if it stands without them."""
    limited = [c for one in found for c in one.criteria if c.limit is not None and not c.unjudged]
    decisive = limited if verdict == "met" else [c for c in limited if c.verdict == verdict]
    unsure = dict.fromkeys(c.name for c in decisive if c.standing == "recalled")
    if not unsure or (verdict == "not met" and len(unsure) < len({c.name for c in decisive})):
        return ""
    limits_ = f"the limit of {next(iter(unsure))}, which is" if len(unsure) == 1 else f"{len(unsure)} limits that are"
    return f" This hangs on {limits_} recalled and not yet checked in the standard's text."


def _warned(dataset: xr.Dataset) -> list[str]:
    """What was said about the run, once, with the variants it was said of."""
    said: dict[str, list[str]] = {}
    for name, one in separate(dataset).items():
        for words in json.loads(str(one.attrs.get("warnings", "[]"))):
            said.setdefault(words, []).append(name)
    several = len(separate(dataset)) > 1
    found = [words for one in separate(dataset).values() for words in json.loads(str(one.attrs.get("found", "[]")))]
    doubts = [f"Warning: {words}." for words in json.loads(str(dataset.attrs.get("doubts", "[]")))]
    warned = [f"Warning{f', {_listed(names)}' if several else ''}: {words}." for words, names in said.items()]
    return [*warned, *doubts, *found]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"‘{name}’" for name in names)


def _and(words: Sequence[str]) -> str:
    """One, two and three."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _standard(edition: str) -> str:
    table = limits.read(edition)
    names = [table.name, *table.includes]
    return _and(names).replace("EN ", "EN\u00a0")  # a name is not torn apart


def _sentence(verdict: str, found: Sequence[Entry], standard: str) -> str:
    limited = [c for one in found for c in one.criteria if c.limit is not None]
    return {
        "met": f"The contact is good enough: all {len({c.key for c in limited})} criteria of {standard} are met"
        f"{' by every pantograph' if len(found) > 1 else ''}.",
        "not met": f"The contact is not good enough by {standard}: {'; '.join(_reasons(found))}.",
        "undecided": f"By {standard} it cannot be decided: {'; '.join(_open(limited))}.",
        "for information": "No limit applies to this run; the numbers stand for themselves.",
    }[verdict]


def _open(limited: Sequence[Criterion]) -> list[str]:
    """Why criteria are undecided, each reason once, with what to do."""
    why: dict[str, dict[str, None]] = {}
    for c in limited:
        if c.verdict == "undecided":
            why.setdefault(c.unjudged, {})[c.name] = None
    straddling = list(why.pop("", {}))
    said = [f"{reason}, so that {_listed_or_counted(list(names))} not judged" for reason, names in why.items()]
    said += ["judge a longer part of the line (journey.judged_from, judged_to)"] if said else []
    if straddling:
        said.append(f"the numerical error bar of {', '.join(straddling)} straddles the limit")
        said.append("halve step and mesh (numerics) and run it again")
    return said


def _listed_or_counted(names: Sequence[str]) -> str:
    return f"{_and(names)} {'is' if len(names) == 1 else 'are'}" if len(names) < 4 else f"{len(names)} criteria are"


def _reasons(found: Sequence[Entry]) -> list[str]:
    """Each criterion not met, once: its name, then by how much which pantograph missed it."""
    missed: dict[str, dict[str, list[str]]] = {}
    for one in found:
        for c in one.criteria:
            if c.verdict == "not met":
                value, _, error, unit = c.shown()
                beyond = f"{'above' if c.bound == 'upper' else 'below'} {_bare_limit(c)}\u00a0{unit}"
                said = f"{with_bar(value, error, c.digits)}\u00a0{unit}, {beyond}"
                missed.setdefault(c.name, {}).setdefault(said, []).append(one.name)
    whose = lambda names: f" ({_and(names)})" if len(found) > 1 else ""
    return [f"{c} {_and([said + whose(names) for said, names in cases.items()])}" for c, cases in missed.items()]


def _summary(criteria: Sequence[Criterion]) -> str:
    """One line of the numbers an engineer asks for first."""
    shown = {c.key: c.shown() for c in criteria}
    parts = [
        f"{word} {with_bar(shown[k][0], shown[k][2], 3)}\u00a0{shown[k][3]}"
        for k, word in _SUMMARY.items()
        if k in shown and not math.isnan(shown[k][0])
    ]
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
        return [*blocks, criteria_table(found[0].criteria), information_table(found[0].criteria)]
    blocks += [_matrix(found, limited=True), *([_sources(found)] if len(found) > _BESIDE else [])]
    return [*blocks, _matrix(found, limited=False), _worst(found)]


def _sources(found: Sequence[Entry]) -> PageTable:
    """Where the limits come from, where there is no room for it beside the values."""
    clauses = dict.fromkeys((c.name, _clause(c)) for one in found for c in one.criteria if c.limit is not None)
    return PageTable("Where the limits come from", ["Criterion", "Clause"], [list(pair) for pair in clauses])


def _worst(found: Sequence[Entry]) -> PageTable:
    """Place and time of the worst value of each criterion."""
    held = [{c.key: c for c in one.criteria if c.time is not None} for one in found]
    keys = dict.fromkeys(key for one in held for key in one)
    first = {key: next(one[key] for one in held if key in one) for key in keys}
    rows = [[first[key].name, *(_where(one[key]) if key in one else "–" for one in held)] for key in keys]
    return PageTable("Where and when each is worst", ["Quantity", *(one.name for one in found)], rows)


def _where(c: Criterion) -> str:
    if c.time is None:
        return "–"
    place = "" if c.place is None else f"{number(c.place, 5)}\u00a0m, "
    return f"{place}{number(c.time)}\u00a0s"


def _side_by_side(found: Sequence[Entry]) -> PageTable:
    """Mean and deviation of each, what they change against the first, and the verdict."""
    changed = any(one.figures.moved is not None for one in found)
    rows = [
        [
            one.name, one.verdict.replace(" ", "\u00a0"),
            _cell(one, "mean_force"), *[percent(one.figures.moved)] * changed,
            _cell(one, "deviation"), *[percent(one.figures.change)] * changed, number(one.figures.deviation),
            number(one.figures.largest), number(one.figures.smallest),
        ]
        for one in found
    ]  # fmt: skip
    change = ["change (%)"] * changed
    headings = [
        "", "Verdict", "Mean (N)", *change, "σ, 20 Hz (N)", *change, "σ, raw (N)", "Max (N)", "Min (N)",
    ]  # fmt: skip
    note = "Changes are against the first variant. " if changed else ""
    note += "σ raw: of the force as computed; all else of the force to 20 Hz."
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


def criteria_table(criteria: Sequence[Criterion]) -> PageTable:
    """Every criterion with a limit: value, error bar, limit, verdict, source of the limit."""
    limited = [c for c in criteria if c.limit is not None]
    rows = [[c.name, _value(c), _limit(c), c.verdict.replace(" ", "\u00a0"), _where(c), _source(c)] for c in limited]
    headings = ["Criterion", "Value", "Limit", "Verdict", "Worst at", "Clause"]
    return PageTable("Criteria", headings, rows, [MOODS[c.verdict] for c in limited], _note(criteria))


def information_table(criteria: Sequence[Criterion]) -> PageTable:
    """Every quantity the standards ask to report, without a limit of its own."""
    rows = [[c.name, _value(c), _where(c), c.note] for c in criteria if c.limit is None]
    return PageTable("For information", ["Quantity", "Value", "Worst at", "Remark"], rows)


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
        rows.append(
            [known[0].name, *limit, *cells, *([_clause(known[0])] if limited and len(found) <= _BESIDE else [])]
        )
        moods.append(MOODS[overall(known)])
    names = [one.name for one in found]
    if not limited:
        return PageTable("For information", ["Quantity", *names], rows)
    open_ = [f"{c.name} not judged: {c.unjudged}." for c in seen if c.unjudged and limited]
    notes = dict.fromkeys([*open_, *(f"{c.name}: {c.note}." for c in seen if c.note)])
    every = [c for one in found for c in one.criteria]
    note = " ".join(filter(None, [_note(every), *(text[0].upper() + text[1:] for text in notes)]))
    clause = ["Clause"] if len(found) <= _BESIDE else []
    return PageTable("Criteria", ["Criterion", "Limit", *names, *clause], rows, moods, note)


def _marked(c: Criterion, *, bare: bool) -> str:
    """A value with its verdict; ``bare``: the limit and its unit stand elsewhere."""
    text = f"{_MARKS[c.verdict]}{_value(c)}"
    if bare:
        return text.removesuffix(f" {c.shown()[3]}")
    return f"{text} ({_limit(c)})" if c.limit is not None else text


def _note(criteria: Sequence[Criterion]) -> str:
    """What a bar holds and what it does not; how much σ depends on the spans that are judged, where that is known."""
    if all(c.error is None for c in criteria):
        return ""
    spreads = [c.value for c in criteria if c.key == "deviation_spread"]
    share = brief(100.0 * max(spreads), 2) if spreads else ""
    return _BARS.format(spans=f" (σ moves by {share} % from one pair of spans to the next)" if spreads else "")


def _limit(c: Criterion) -> str:
    return f"{'≤' if c.bound == 'upper' else '≥'}\u00a0{_bare_limit(c)}\u00a0{c.shown()[3]}".strip()


def _bare_limit(c: Criterion) -> str:
    return brief(c.shown()[1] or 0.0, c.digits)


def _source(c: Criterion) -> str:
    return "; ".join(text for text in (_clause(c), c.unjudged and f"not judged: {c.unjudged}", c.note) if text)


def _clause(c: Criterion) -> str:
    return f"{c.clause} ({_STANDING[c.standing]})" if c.standing else c.clause


def _value(c: Criterion) -> str:
    value, _, error, unit = c.shown()
    if math.isnan(value):
        return "–"
    if not unit and value == round(value):
        return brief(value)  # a count
    return f"{with_bar(value, error, c.digits)} {unit}".strip()
