"""Scenario kind ``run_kind``: pantographs under an overhead contact line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from panhead.assess.limits import UNCHECKED
from panhead.assess.number_text import with_bar
from panhead.errors import FileError
from panhead.files.variants import separate
from panhead.runs.description import Run
from panhead.runs.scenarios import ScenarioKind, SummaryRow
from panhead.runs.self_contained_run import run_with_contents
from panhead.runs.simulate import simulate

if TYPE_CHECKING:
    import xarray as xr

    from panhead.assess import Criterion

_SHORT = ("mean_force", "deviation", "deviation_spread", "actual_max", "actual_min", "contact_loss", "uplift")


def summarise(result: xr.Dataset) -> Sequence[SummaryRow]:
    """Assessed quantities with their limits, then accuracy checks."""
    from panhead.assess import judgement

    found = judgement(result)
    rows: list[SummaryRow] = []
    for variant, pantographs in found.items():
        for name, criteria in pantographs.items():
            labels = [variant] if variant else []
            labels += [name] if len(pantographs) > 1 else []
            rows += _rows(" · ".join(labels), criteria)
    for words in [words for one in separate(result).values() for words in json.loads(one.attrs.get("found", "[]"))]:
        rows.append(SummaryRow("found", words))
    if "balance" in result:
        missing = float(abs(result["balance"]).max())
        rows.append(SummaryRow("energy not accounted for", missing, "J", "largest of the run"))
    return rows


def _rows(label: str, criteria: Sequence[Criterion]) -> Iterator[SummaryRow]:
    for c in criteria:
        if c.limit is None and c.key not in _SHORT:
            continue
        value, limit, error, unit = c.shown()
        sign = "≤" if c.bound == "upper" else "≥"
        note = "" if limit is None else f"{f'{sign} {limit:.{c.digits}g} {unit}'.strip()}: {c.verdict}"
        note += f" ({c.unjudged})" if note and c.unjudged else ""
        note += " (limit to be checked)" if c.standing in UNCHECKED else ""
        note = c.note if c.key == "deviation_spread" else note
        yield SummaryRow(f"{label}: {c.name}" if label else c.name, with_bar(value, error, c.digits), unit, note)


#: kinds before there was one run → what to write instead
OLD_KINDS = {
    "line": 'kind = "run" (solver = "linear"); pantographs is now train, its model is pantograph',
    "catenary": 'kind = "run" with solver = "cables"; wiring is now line, line_changes, numerics and cables, laws are '
    "variants with control, run is journey and numerics",
    "cosimulation": 'kind = "run" with solver = "coupled"; models are variants with train.0.changes.flexible, force '
    "and height are changes of the pantograph, judged_from is in metres along the line",
    "train": 'kind = "run"; line.* moves to the top level, vehicle, track, foot, start and numerics into the table '
    "vehicle",
    "mechanism": 'kind = "motion"; every key stays',
    "multibody": 'kind = "motion"; every key stays',
}
OLD_KEYS = {"pantographs": "train", "model": "pantograph", "wiring": "line_changes and cables", "laws": "variants"}


def check_keys(raw: dict[str, Any], source: object) -> None:
    """FileError that names the new keys for a file with old ones."""
    found = [f"{old}: is now called {new}" for old, new in OLD_KEYS.items() if old in raw]
    if found:
        raise FileError(source, [*found, "`panhead schema run` lists every key"])


KIND = ScenarioKind("run", Run, simulate, summarise, run_with_contents)
