"""``panhead compare``: results side by side, with differences and whether they exceed the numerical error."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from panhead.assess import Criterion
from panhead.assess.criteria import shown_unit
from panhead.assess.number_text import number, with_bar
from panhead.desk.drawing import figures
from panhead.desk.evidence.result_reader import StoredRun
from panhead.desk.reports.judgement import Entry
from panhead.desk.reports.line_places import name_track
from panhead.desk.reports.page import Block, Page, PageTable, Picture, page_with
from panhead.desk.reports.page import PageVerdict as Verdict
from panhead.desk.reports.run import input_changes
from panhead.desk.reports.run_force import mark_supports, passages
from panhead.files.variants import separate
from panhead.railway.line.line_places import MastPlaces

if TYPE_CHECKING:
    import xarray as xr

_MOST: Final = 10  # supports in a table
_LIFTED: Final = 1e-5  # a support moved by less was not lifted [m]
FIRST_SHOWN: Final = ("mean_force", "deviation", "actual_max", "actual_min", "contact_loss", "uplift")


@dataclass(frozen=True, slots=True)
class Difference:
    """Difference of a value from that of the first result, in the unit of the criterion."""

    value: float
    error: float | None  #: ±, both bars together: one method made both, so they may not cancel

    def __bool__(self) -> bool:
        return bool(self.value or self.error)

    @property
    def significant(self) -> bool | None:
        """True if larger than its error bar; None if no error bar is known."""
        return None if self.error is None else abs(self.value) > self.error

    def text(self, unit: str) -> str:
        """Text with sign and error bar, in the displayed unit."""
        _, scale = shown_unit(unit)
        sign = "+" if self.value > 0 else ""
        text = sign + with_bar(scale * self.value, None if self.error is None else scale * self.error, 3)
        return text + (" ~" if self.significant is False and self.value else "")


def difference(mine: Criterion, first: Criterion) -> Difference:
    """x − x₀ with the bar e + e₀."""
    known = mine.error is not None and first.error is not None
    return Difference(mine.value - first.value, (mine.error or 0.0) + (first.error or 0.0) if known else None)


@dataclass(frozen=True, slots=True)
class ComparedEntry:
    """One pantograph of one variant of one result, and whom it is compared with."""

    name: str
    entry: Entry
    first: Entry | None  #: None: it belongs to the first result

    def criterion(self, key: str) -> Criterion | None:
        return _by_key(self.entry).get(key)

    def difference(self, key: str) -> Difference | None:
        """From the first result; None where either has no such number."""
        mine, other = self.criterion(key), None if self.first is None else _by_key(self.first).get(key)
        return None if mine is None or other is None else difference(mine, other)


def _by_key(entry: Entry) -> dict[str, Criterion]:
    return {c.key: c for c in entry.criteria}


def compare_results(runs: Sequence[StoredRun]) -> list[ComparedEntry]:
    """Every entry of every result; the k-th is compared with the k-th of the first, or with its only one."""
    first = runs[0].entries
    found = []
    for run in runs:
        of = run.entries
        for k, entry in enumerate(of):
            name = run.name if len(of) == 1 else f"{run.name} · {entry.name}"
            other = first[k] if k < len(first) else first[0]
            found.append(ComparedEntry(name, entry, None if run is runs[0] else other))
    return found


def rows(found: Sequence[ComparedEntry], *, limited: bool | None = None) -> Iterator[tuple[Criterion, list[str]]]:
    """For every number its first criterion and a cell for each entry: value ± bar, then the difference."""
    keys = dict.fromkeys(c.key for one in found for c in one.entry.criteria)
    for key in keys:
        every = [c for one in found if (c := one.criterion(key)) is not None]
        if limited is None or (every[0].limit is not None) is limited:
            same = len({c.limit for c in every}) == 1
            first = every[0] if same else replace(every[0], limit=None)
            yield first, [_cell(one, key) + ("" if same else _limit(one.criterion(key))) for one in found]


def _limit(c: Criterion | None) -> str:
    if c is None or c.limit is None:
        return ""
    return f" {'≤' if c.bound == 'upper' else '≥'} {number(c.shown()[1] or 0.0, c.digits)}"


def _cell(one: ComparedEntry, key: str, *, alone: bool = False) -> str:
    c = one.criterion(key)
    if c is None:
        return "–"
    value, _, error, _ = c.shown()
    text = with_bar(value, error, c.digits)
    apart = None if alone else one.difference(key)
    mark = {"met": "", "not met": " ✕", "undecided": " ?", "for information": ""}[c.verdict]
    return f"{text}{mark}" + ("" if not apart else f" ({apart.text(c.unit)})")


def compare_page(runs: Sequence[StoredRun]) -> Page:
    """One page of several results: tables, differences with their error bars, curves on one axis."""
    found = compare_results(runs)
    sections: dict[str, Sequence[Block | None]] = {
        "Side by side": [_verdicts(found), _table("Criteria", found, True), _table("For information", found, False)],
        "Contact force": _forces(runs),
        "Uplift at the supports": _uplifts(runs),
        "Differences in the inputs": _inputs(runs),
        "Result files": [_places(runs)],
    }
    apart = [d for one in found for c in one.entry.criteria if (d := one.difference(c.key)) is not None]
    barred = [d.significant for d in apart if d.significant is not None]
    sentence = f"{len(runs)} results side by side, differences against ‘{runs[0].name}’."
    details = [f"{sum(barred)} of {len(barred)} differences exceed their error bars; the others are marked ~."]
    if len(barred) < len(apart):
        unknown = f"{len(apart) - len(barred)} differences have no error bar, because a result has none"
        details = [*(details if barred else []), f"{unknown}: whether they are significant is not known."]
    return page_with(
        "Results compared", ", ".join(run.name for run in runs), Verdict("neutral", sentence, details), sections
    )


def _verdicts(found: Sequence[ComparedEntry]) -> PageTable:
    rows_ = [[one.name, one.entry.verdict, *(_cell(one, key, alone=True) for key in FIRST_SHOWN)] for one in found]
    heads = ["", "Verdict", "Mean (N)", "σ (N)", "Max (N)", "Min (N)", "Lost (%)", "Uplift (mm)"]
    return PageTable("Key values", heads, rows_, [one.entry.mood for one in found])


def _table(title: str, found: Sequence[ComparedEntry], limited: bool) -> PageTable:
    note = (
        "In brackets: difference from the first result ± the sum of both error bars; ~ marks a difference within its "
        "error bar. ✕ not met, ? undecided."
    )
    table = [[_words(c), *cells] for c, cells in rows(found, limited=limited)]
    return PageTable(title, ["Quantity", *(one.name for one in found)], table, note=note if limited else "")


def _words(c: Criterion) -> str:
    unit = shown_unit(c.unit)[0]
    name = f"{c.name} ({unit})" if unit and unit != "1" else c.name
    return name + _limit(c)


def _forces(runs: Sequence[StoredRun]) -> list[Block]:
    chart, (panel,) = figures.chart(280)
    ways = [(run, way) for run in runs for way in passages(run.result, run.entries)]
    places = np.concatenate([way.curve("contact_x")[way.judged] for _, way in ways])
    mark_supports(panel, ways[0][1].result, places.min(), places.max())
    for k, (run, way) in enumerate(ways):
        name = run.name if len(run.entries) == 1 else f"{run.name} · {way.name}"
        panel.curve(way.curve("contact_x")[way.judged], way.smooth[way.judged], name, color=figures.hue(k))
    name_track(panel, ways[0][1].result, "contact force (N)")
    return [Picture("compare_force", "Contact force, filtered to 20 Hz, in the assessed section", chart)]


def _uplifts(runs: Sequence[StoredRun]) -> list[Block]:
    chart, (panel,) = figures.chart(220)
    several = [(run.name, variant, one) for run in runs for variant, one in separate(run.result).items()]
    drawn = False
    for k, (name, variant, one) in enumerate(several):
        if "support_uplift" not in one:
            continue
        x, lift = one["support_x"].to_numpy(), 1e3 * one["support_uplift"].to_numpy()
        known = np.isfinite(lift) & (lift > 0)
        label = f"{name} · {variant}" if variant else name
        panel.dots(x[known], lift[known], label, color=figures.hue(k), size=3.5)
        drawn = drawn or bool(known.any())
    name_track(panel, several[0][2], "largest uplift (mm)")
    return [Picture("compare_uplift", "Largest uplift at every support", chart), _uplift_table(runs)] if drawn else []


def _uplift_table(runs: Sequence[StoredRun]) -> PageTable:
    """The supports lifted most, by mast and chainage, with every result's uplift there."""
    firsts = [next(iter(separate(run.result).values())) for run in runs]
    known = [_uplift_by_place(one) for one in firsts if "support_uplift" in one]
    places = MastPlaces.from_result(firsts[0])
    most = sorted({x for found in known for x in found}, key=lambda x: -max(found.get(x, 0.0) for found in known))
    rows_ = [
        [places.describe(x), *(number(found[x], 3) if x in found else "–" for found in known)] for x in most[:_MOST]
    ]
    heads = ["Support", *(f"{run.name} (mm)" for run, one in zip(runs, firsts, strict=True) if "support_uplift" in one)]
    return PageTable("Supports lifted most", heads, rows_)


def _uplift_by_place(one: xr.Dataset) -> dict[float, float]:
    """Place [m] → uplift [mm] of the supports that were lifted."""
    pairs = zip(one["support_x"].to_numpy(), one["support_uplift"].to_numpy(), strict=True)
    return {round(float(x), 3): 1e3 * float(u) for x, u in pairs if u > _LIFTED}


def _inputs(runs: Sequence[StoredRun]) -> list[Block]:
    every = [json.loads(str(next(iter(separate(run.result).values())).attrs.get("inventory", "{}"))) for run in runs]
    changed = [
        row for run, of in zip(runs[1:], every[1:], strict=True) for row in input_changes(every[0], of, run.name)
    ]
    if not changed:
        return ["The first variants of all results have the same inputs."]
    heads = ["Result", "Part", "Input", runs[0].name, "here", "Unit"]
    return [PageTable("", heads, changed, note=f"All other inputs are those of ‘{runs[0].name}’. SI units.")]


def _places(runs: Sequence[StoredRun]) -> PageTable:
    cells = [
        [run.name, str(run.path), *(str(run.result.attrs.get(k, "–")) for k in ("created", "input_sha256"))]
        for run in runs
    ]
    return PageTable("", ["Result", "File", "Computed", "Hash of the inputs"], [[*c[:3], c[3][:12]] for c in cells])
