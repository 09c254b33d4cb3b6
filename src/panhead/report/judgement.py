"""The judge's findings in words and tables: nothing is judged here, the result carries its verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from panhead.assess import Criterion, limits
from panhead.assess.comparison import VariantNumbers
from panhead.assess.criteria import DEFAULT_EDITION
from panhead.report.page import Block, Mood, PageTable, PageVerdict
from panhead.report.words import brief, number, percent

if TYPE_CHECKING:
    import xarray as xr

MOODS: Final[dict[str, Mood]] = {
    "met": "good",
    "not met": "bad",
    "undecided": "warning",
    "for information": "neutral",
}
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


def headline(dataset: xr.Dataset, found: Sequence[VariantNumbers]) -> PageVerdict:
    """Whether the contact is good enough, by which standard, and if not, why; one line of numbers for each."""
    standard = _standard(str(dataset.attrs.get("edition", DEFAULT_EDITION)))
    verdict = str(dataset.attrs["verdict"])
    details = [f"{name_of(one, found)}: {_summary(one.criteria)}" for one in found]
    names = list(dict.fromkeys(one.variant for one in found))
    if len(names) == 1:
        every = [c for one in found for c in one.criteria]
        return PageVerdict(MOODS[verdict], _sentence(verdict, every, standard), details)
    missed = {one.variant for one in found if one.verdict != "met"}
    kept = [name for name in names if name not in missed]
    mood = MOODS[verdict]
    if not missed:
        said = f"The contact is good enough in all {len(names)} variants by {standard}."
    elif kept:
        mood, others = "warning", ", ".join(name for name in names if name in missed)
        said = (
            f"By {standard} the contact is good enough with {', '.join(kept)}; not with {others}."
        )
    else:
        words = _sentence(found[0].verdict, found[0].criteria, standard)
        said = f"No variant is shown to be good enough. With ‘{names[0]}’: {words}"
    return PageVerdict(mood, said, [*_evener(found), *details])


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"‘{name}’" for name in names)


def _standard(edition: str) -> str:
    table = limits.read(edition)
    names = [table.name, *(limits.read(name).name for name in table.includes)]
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
            words = f"{c.name} {number(value, 3)} {unit}, {sign} {brief(limit or 0.0)} {unit}"
            found.setdefault(c.name, words)
    return list(found.values())


def _summary(criteria: Sequence[Criterion]) -> str:
    """One line of the numbers an engineer asks for first."""
    shown = {c.key: c.shown() for c in criteria}
    parts = [
        f"{word} {number(shown[k][0], 3)} {shown[k][3]}"
        for k, word in _SUMMARY.items()
        if k in shown
    ]
    return ", ".join(parts)


def _evener(found: Sequence[VariantNumbers]) -> list[str]:
    """Which variant has the evenest force, against the first one."""
    first = found[0]
    best = min(found, key=lambda one: one.value("deviation"))
    if best is first:
        return [f"No variant has an evener force than ‘{first.variant}’."]
    cut = 1 - best.value("deviation") / first.value("deviation")
    return [
        f"The force is evenest with ‘{best.variant}’: its deviation is {number(100 * cut, 3)} % below that of "
        f"‘{first.variant}’."
    ]


def name_of(one: VariantNumbers, found: Sequence[VariantNumbers]) -> str:
    """Variant, pantograph, or both: what tells it from the others."""
    several = len({other.pantograph for other in found if other.variant == one.variant}) > 1
    return " · ".join(
        text for text in (one.variant, one.pantograph if several or not one.variant else "") if text
    )


def tables(dataset: xr.Dataset, found: Sequence[VariantNumbers]) -> list[Block]:
    """Side by side, then every criterion beside its limit, then what the standards want reported."""
    blocks: list[Block] = [_side_by_side(found)] if len(found) > 1 else []
    blocks += _beside_print(dataset, found)
    if len(found) == 1:
        return [*blocks, _criteria(found[0].criteria), _information(found[0].criteria)]
    return [*blocks, _matrix(found, limited=True), _matrix(found, limited=False)]


def _side_by_side(found: Sequence[VariantNumbers]) -> PageTable:
    """Mean and deviation of each, what they change against the first, and the verdict."""
    first, rows = found[0], []
    for one in found:
        change = [
            math.nan if one is first else one.value(key) / first.value(key) - 1
            for key in ("mean_force", "deviation")
        ]
        rows.append(
            [
                name_of(one, found), one.verdict.replace(" ", "\u00a0"),
                _cell(one, "mean_force"), percent(change[0]), _cell(one, "deviation"), percent(change[1]),
                *(number(x) for x in (one.raw_deviation, one.value("actual_max"), one.value("actual_min"))),
            ]
        )  # fmt: skip
    headings = [
        "", "Verdict", "Mean (N)", "change (%)", "σ, 20 Hz (N)", "change (%)", "σ, raw (N)", "Max (N)", "Min (N)",
    ]  # fmt: skip
    note = "Changes are against the first row. σ raw: of the force as computed; all else of the force to 20 Hz."
    return PageTable("Side by side", headings, rows, [MOODS[one.verdict] for one in found], note)


def _cell(one: VariantNumbers, key: str) -> str:
    """A value with its error bar, without its unit."""
    c = next((c for c in one.criteria if c.key == key), None)
    return "–" if c is None else _value(c).removesuffix(f" {c.shown()[3]}")


def _beside_print(dataset: xr.Dataset, found: Sequence[VariantNumbers]) -> list[Block]:
    """Our numbers and those in print, where there are some."""
    printed = [one for one in found if not math.isnan(one.published[1])]
    if not printed:
        return []
    estimated = all(not math.isnan(one.estimate_deviation) for one in printed)
    ours = lambda one: one.estimate_deviation if estimated else one.value("deviation")
    first = printed[0]
    rows = [
        [
            name_of(one, found), number(one.value("mean_force"), 5), number(one.published[0], 5), number(ours(one)),
            number(one.published[1]), percent(math.nan if one is first else ours(one) / ours(first) - 1),
            percent(math.nan if one is first else one.published[1] / first.published[1] - 1),
        ]
        for one in printed
    ]  # fmt: skip
    sigma = "σ by (27) (N)" if estimated else "σ, 20 Hz (N)"
    headings = ["", "Mean (N)", "print (N)", sigma, "print (N)", "change (%)", "print (%)"]
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
    rows = [
        [c.name, _value(c), _limit(c), c.verdict.replace(" ", "\u00a0"), _source(c)]
        for c in limited
    ]
    headings = ["Criterion", "Value", "Limit", "Verdict", "Clause"]
    return PageTable(
        "Criteria", headings, rows, [MOODS[c.verdict] for c in limited], _note(limited)
    )


def _information(criteria: Sequence[Criterion]) -> PageTable:
    """Every quantity the standards ask to report, without a limit of its own."""
    rows = [[c.name, _value(c), c.note] for c in criteria if c.limit is None]
    return PageTable("For information", ["Quantity", "Value", "Remark"], rows)


def _matrix(found: Sequence[VariantNumbers], *, limited: bool) -> PageTable:
    """The same for several: a column for each variant or pantograph."""
    keys = dict.fromkeys(
        c.key for one in found for c in one.criteria if (c.limit is not None) is limited
    )
    rows, moods, seen = [], [], []
    for key in keys:
        row = [next((c for c in one.criteria if c.key == key), None) for one in found]
        known = [c for c in row if c is not None]
        seen += known
        same = len({c.limit for c in known}) == 1
        cells = ["–" if c is None else _marked(c, with_limit=limited and not same) for c in row]
        limit = [_limit(known[0]) if same else "see cells"] if limited else []
        remark = _source(known[0]) if limited else known[0].note if len(known) == 1 else ""
        rows.append([known[0].name, *limit, *cells, *([remark] if limited else [])])
        order = ("not met", "undecided", "met", "for information")
        moods.append(MOODS[next(v for v in order if v in {c.verdict for c in known})])
    names = [name_of(one, found) for one in found]
    if limited:
        return PageTable(
            "Criteria", ["Criterion", "Limit", *names, "Clause"], rows, moods, _note(seen)
        )
    return PageTable("For information", ["Quantity", *names], rows)


def _marked(c: Criterion, *, with_limit: bool) -> str:
    text = f"{_MARKS[c.verdict]}{_value(c)}"
    return f"{text} ({_limit(c)})" if with_limit and c.limit is not None else text


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
