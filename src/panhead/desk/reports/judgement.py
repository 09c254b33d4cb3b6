"""Assessment of a run as text and tables; the verdict itself is read from the result, not computed here."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from panhead.assess import Criterion, judgement, overall
from panhead.assess.criteria import group_verdicts
from panhead.assess.limits import STANDINGS
from panhead.assess.number_text import brief, number, percent, with_bar
from panhead.assess.reference_model import by_quantity, reference_criteria, reference_name
from panhead.assess.variant_comparison import VariantFigures, side_by_side
from panhead.assess.verdict_sentence import passage_name, quoted, verdict_sentences
from panhead.desk.reports.line_places import station
from panhead.desk.reports.page import Block, Mood, PageTable, PageVerdict
from panhead.files.chainage import format_chainage
from panhead.files.variants import separate

if TYPE_CHECKING:
    import xarray as xr

MOODS: Final[dict[str, Mood]] = {"met": "good", "not met": "bad", "undecided": "warning", "for information": "neutral"}
_MARKS: Final = {"met": "✓ ", "not met": "✕ ", "undecided": "? ", "for information": ""}
_BARS: Final = (
    "± is the numerical error of time step and mesh at 95 % confidence, estimated from a second run with another step "
    "and mesh. If the limit lies within the error bar, the criterion is undecided. A contact loss that neither run "
    "shows has no error bar. The error bar does not include the choice of spans{spans}, the start of the run, or the "
    "uncertainty of damping and other inputs; use a study for those."
)
_GROUPS: Final = (
    "The mean contact force is a setting of the pantograph, its static force; all other criteria are contact quality."
)
_STANDING: Final = {**STANDINGS, "quoted": "quoted", "law": "law", "described": "as described"}
_INSIDE: Final = {"met": "inside", "not met": "outside", "undecided": "at the edge"}
_UNBROKEN: Final = re.compile(r"(?<=\bEN) (?=\d)|(?<=\d) (?=%|(?:N|mm|m|s|km/h)\b)")  # gaps that hold
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
    """One pantograph of one variant with its criteria."""

    name: str  #: variant, pantograph or both: what tells it from the others
    figures: VariantFigures
    criteria: Sequence[Criterion]
    first_mast: float | None = None  #: its chainage [m], if the line has one

    @property
    def verdict(self) -> str:
        """Verdict of the contact quality, and of the setting where that one is worse news."""
        contact, setting = group_verdicts(self.criteria).values()
        return contact if setting in (contact, "met", "for information") else f"{contact}; setting {setting}"

    @property
    def mood(self) -> Mood:
        return mood_of(*group_verdicts(self.criteria).values())

    def worst_place(self, c: Criterion) -> str:
        """Place and time of the worst value of a criterion; chainage where the line has it."""
        if c.time is None:
            return "–"
        start, when = self.first_mast, f"{number(c.time)}\u00a0s"
        if c.place is None:
            return when
        place = f"{number(c.place, 5)}\u00a0m" if start is None else format_chainage(start + c.place, 1)
        return f"{place.replace(' ', chr(0xA0))}, {when}"


def entries(dataset: xr.Dataset) -> list[Entry]:
    """Every pantograph of every variant, in the order they were run."""
    found, criteria = side_by_side(dataset), judgement(dataset)
    several = any(len(pantographs) > 1 for pantographs in criteria.values())
    name = lambda one: passage_name(one.variant, one.pantograph, several)
    start = station(dataset)
    return [Entry(name(one), one, criteria[one.variant][one.pantograph], start) for one in found]


def headline(dataset: xr.Dataset, found: Sequence[Entry]) -> PageVerdict:
    """The verdict's first sentence and its mood, the other groups beside it; below them warnings, and one line of
    numbers for each pantograph."""
    details = [*_warnings(dataset), *(f"{one.name}: {_summary(one.criteria)}" for one in found)]
    if len({one.figures.variant for one in found}) > 1:
        details = [*_smallest_deviation(found), *details]
    first, *others = verdict_sentences(dataset)
    reference = first.group == "reference model"  # the limits of lines in service are told of it, not asked
    beside = [("neutral" if reference else MOODS[one.verdict], unbroken(one.sentence)) for one in others]
    groups = {one.group: one.verdict for one in others}
    mood = MOODS[first.verdict] if reference else mood_of(first.verdict, groups.get("setting", first.verdict))
    return PageVerdict(mood, unbroken(first.sentence), details, beside)


def unbroken(text: str) -> str:
    """Keep numbers and their units on one line."""
    return _UNBROKEN.sub("\u00a0", text)


def _warnings(dataset: xr.Dataset) -> list[str]:
    """Warnings of the run, each once, with the variants they apply to."""
    said: dict[str, list[str]] = {}
    for name, one in separate(dataset).items():
        for words in json.loads(str(one.attrs.get("warnings", "[]"))):
            said.setdefault(words, []).append(name)
    several = len(separate(dataset)) > 1
    found = [words for one in separate(dataset).values() for words in json.loads(str(one.attrs.get("found", "[]")))]
    doubts = [f"Warning: {words}." for words in json.loads(str(dataset.attrs.get("doubts", "[]")))]
    warned = [f"Warning{f', {quoted(names)}' if several else ''}: {words}." for words, names in said.items()]
    return [*warned, *doubts, *found]


def _summary(criteria: Sequence[Criterion]) -> str:
    """Key numbers in one line."""
    shown = {c.key: c.shown() for c in criteria}
    parts = [
        f"{word} {with_bar(shown[k][0], shown[k][2])}\u00a0{shown[k][3]}"
        for k, word in _SUMMARY.items()
        if k in shown and not math.isnan(shown[k][0])
    ]
    return ", ".join(parts)


def _smallest_deviation(found: Sequence[Entry]) -> list[str]:
    """Sentence naming the variant with the smallest standard deviation, compared with the first one."""
    best = min((one.figures for one in found), key=lambda figures: figures.filtered)
    first = found[0].figures.variant
    if best.change is None:
        return [f"No variant has a smaller standard deviation of the contact force than ‘{first}’."]
    return [
        f"‘{best.variant}’ has the smallest standard deviation of the contact force, {number(-100 * best.change, 3)} "
        f"% below ‘{first}’."
    ]


def tables(dataset: xr.Dataset, found: Sequence[Entry]) -> list[Block]:
    """Ranges of a reference model, comparison, criteria with limits, then the quantities for information."""
    ranges = reference_criteria(dataset)
    title = f"Ranges of the reference model of {reference_name(dataset)}" if ranges else ""
    note = "The ranges a simulation of this model must fall into; the limits below are those of lines in service."
    blocks: list[Block] = [
        ranges_table(f"{title}, {name}" if len(ranges) > 1 else title, of, note) for name, of in ranges.items()
    ]
    blocks += [*([_side_by_side(found)] if len(found) > 1 else []), *_published_comparison(dataset, found)]
    if len(found) == 1:
        return [*blocks, criteria_table(found[0]), information_table(found[0])]
    blocks += [_matrix(found, limited=True), *([_sources(found)] if len(found) > _BESIDE else [])]
    return [*blocks, _matrix(found, limited=False), _worst_places(found)]


def _sources(found: Sequence[Entry]) -> PageTable:
    """Sources of the limits, as a table of its own where the main table has no room."""
    clauses = dict.fromkeys((c.name, _clause(c)) for one in found for c in one.criteria if c.limit is not None)
    return PageTable("Sources of the limits", ["Criterion", "Clause"], [list(pair) for pair in clauses])


def _worst_places(found: Sequence[Entry]) -> PageTable:
    """Place and time of the worst value of each criterion."""
    held = [{c.key: c for c in one.criteria if c.time is not None} for one in found]
    keys = dict.fromkeys(key for one in held for key in one)
    first = {key: next(one[key] for one in held if key in one) for key in keys}
    both = list(zip(found, held, strict=True))
    rows = [
        [first[key].name, *(entry.worst_place(one[key]) if key in one else "–" for entry, one in both)] for key in keys
    ]
    return PageTable("Location and time of the worst values", ["Quantity", *(one.name for one in found)], rows)


def _side_by_side(found: Sequence[Entry]) -> PageTable:
    """Mean and standard deviation of each entry, change against the first, and verdict."""
    changed = any(one.figures.moved is not None for one in found)
    rows = [
        [
            one.name, one.verdict.replace(" ", "\u00a0").replace(";\u00a0", "; "),
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
    note = "Changes are relative to the first variant. " if changed else ""
    note += "σ, raw: unfiltered force. All other values: force filtered to 20 Hz."
    return PageTable("Comparison", headings, rows, [one.mood for one in found], note)


def mood_of(contact: str, setting: str) -> Mood:
    """Mood of the contact; good news is a warning where the setting is not met or undecided."""
    good = MOODS[contact] == "good" and MOODS[setting] in ("bad", "warning")
    return "warning" if good else MOODS[contact]


def _cell(one: Entry, key: str) -> str:
    """A value with its error bar, without its unit."""
    c = next((c for c in one.criteria if c.key == key), None)
    return "–" if c is None else _value(c).removesuffix(f" {c.shown()[3]}")


def _published_comparison(dataset: xr.Dataset, found: Sequence[Entry]) -> list[Block]:
    """Computed values beside published ones, where available."""
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
    which = "σ by eq. (27) (N)" if estimated else "σ, 20 Hz (N)"
    headings = ["", "Mean (N)", "published (N)", which, "published (N)", "change (%)", "published (%)"]
    note = f"Published: {dataset.attrs.get('source') or 'see the inputs'}."
    if estimated:
        note += (
            " The publication assesses control laws by the lumped estimate, equation (27), which omits the actuator "
            "force: it can decrease where the contact force does not."
        )
    return [PageTable("Comparison with published values", headings, rows, note=note)]


def criteria_table(one: Entry) -> PageTable:
    """Every criterion with a limit: value, error bar, limit, verdict, source of the limit."""
    limited = [c for c in one.criteria if c.limit is not None]
    source = lambda c: "; ".join(filter(None, (_clause(c), c.unjudged and f"not assessed: {c.unjudged}", c.note)))
    rows = [
        [c.name, _value(c), limit_text(c), c.verdict.replace(" ", "\u00a0"), one.worst_place(c), source(c)]
        for c in limited
    ]
    headings = ["Criterion", "Value", "Limit", "Verdict", "Worst at", "Clause"]
    return PageTable("Criteria", headings, rows, [MOODS[c.verdict] for c in limited], _note(one.criteria))


def ranges_table(title: str, criteria: Sequence[Criterion], note: str) -> PageTable:
    """Every quantity of a reference model beside both ends of its range."""
    rows, moods = [], []
    for of in by_quantity(criteria).values():
        value, _, error, unit = of[0].shown()
        ends = sorted(c.shown()[1] or 0.0 for c in of)
        verdict = overall(of)
        rows.append(
            [
                of[0].name.removesuffix(", lower limit"),
                with_bar(value, error),
                " … ".join(map(number, ends))
                if len(ends) > 1
                else f"{'≤' if of[0].bound == 'upper' else '≥'} {brief(ends[0])}",
                unit,
                "not judged" if any(c.unjudged for c in of) else _INSIDE.get(verdict, verdict),
                of[0].standing,
            ]
        )
        moods.append(MOODS[verdict])
    heads = ["Quantity", "Value", "Range", "Unit", "", "Status of the range"]
    return PageTable(title, heads, rows, moods, note)


def information_table(one: Entry) -> PageTable:
    """Every quantity the standards ask to report, without a limit of its own."""
    rows = [[c.name, _value(c), one.worst_place(c), c.note] for c in one.criteria if c.limit is None]
    return PageTable("For information", ["Quantity", "Value", "Worst at", "Remark"], rows)


def _matrix(found: Sequence[Entry], *, limited: bool) -> PageTable:
    """Criteria of several entries, one column for each variant or pantograph; the limit states the unit."""
    rows, moods, seen = [], [], []
    held = [{c.key: c for c in one.criteria if (c.limit is not None) is limited} for one in found]
    for key in dict.fromkeys(key for one in held for key in one):
        row = [one.get(key) for one in held]
        known = [c for c in row if c is not None]
        seen += known
        same = limited and len({c.limit for c in known}) == 1
        cells = ["–" if c is None else value_with_verdict(c, bare=same) for c in row]
        limit = [limit_text(known[0]) if same else "per cell"] if limited else []
        rows.append(
            [known[0].name, *limit, *cells, *([_clause(known[0])] if limited and len(found) <= _BESIDE else [])]
        )
        moods.append(MOODS[overall(known)])
    names = [one.name for one in found]
    if not limited:
        return PageTable("For information", ["Quantity", *names], rows)
    open_ = [f"{c.name} not assessed: {c.unjudged}." for c in seen if c.unjudged and limited]
    notes = dict.fromkeys([*open_, *(f"{c.name}: {c.note}." for c in seen if c.note)])
    every = [c for one in found for c in one.criteria]
    note = " ".join(filter(None, [_note(every), *(text[0].upper() + text[1:] for text in notes)]))
    clause = ["Clause"] if len(found) <= _BESIDE else []
    return PageTable("Criteria", ["Criterion", "Limit", *names, *clause], rows, moods, note)


def value_with_verdict(c: Criterion, *, bare: bool) -> str:
    """A value with its verdict; ``bare``: the limit and its unit stand elsewhere."""
    text = f"{_MARKS[c.verdict]}{_value(c)}"
    if bare:
        return text.removesuffix(f" {c.shown()[3]}")
    return f"{text} ({limit_text(c)})" if c.limit is not None else text


def _note(criteria: Sequence[Criterion]) -> str:
    """Note on groups, and on the meaning of error bars, with the spread of σ over span pairs where known."""
    groups = _GROUPS if any(c.group == "setting" and c.limit is not None for c in criteria) else ""
    if all(c.error is None for c in criteria):
        return groups
    spreads = [c.value for c in criteria if c.key == "deviation_spread"]
    share = brief(100.0 * max(spreads), 2) if spreads else ""
    bars = _BARS.format(spans=f" (σ varies by {share} % from one pair of spans to the next)" if spreads else "")
    return f"{groups} {bars}".strip()


def limit_text(c: Criterion) -> str:
    """Limit of a criterion with its unit, "≤ 350 N"."""
    _, limit, _, unit = c.shown()
    return f"{'≤' if c.bound == 'upper' else '≥'}\u00a0{brief(limit or 0.0, c.digits)}\u00a0{unit}".strip()


def _clause(c: Criterion) -> str:
    return f"{c.clause} ({_STANDING[c.standing]})" if c.standing else c.clause


def _value(c: Criterion) -> str:
    value, _, error, unit = c.shown()
    if math.isnan(value):
        return "–"
    if not unit and value == round(value):
        return brief(value)  # a count
    return f"{with_bar(value, error, c.digits)} {unit}".strip()
