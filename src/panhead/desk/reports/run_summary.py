"""Executive page of a run: five numbers, the force along the line, what to look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from panhead.assess import Criterion, overall
from panhead.assess.criteria import quantity_of
from panhead.assess.number_text import number
from panhead.assess.reference_model import reference_criteria
from panhead.desk.reports import run_attribution, run_force
from panhead.desk.reports.judgement import MOODS, Entry, limit_text, value_with_verdict
from panhead.desk.reports.line_places import place_words
from panhead.desk.reports.page import Block, PageList, PageTable
from panhead.desk.reports.run_line import slackenings

if TYPE_CHECKING:
    import xarray as xr

#: the five numbers
_FIVE: Final = {
    "mean_force": "Mean contact force",
    "deviation_ratio": "σ / mean force",
    "deviation": "Standard deviation σ",
    "actual_max": "Largest contact force",
    "actual_min": "Smallest contact force",
    "uplift": "Largest uplift at a support",
}
_NOTE: Final = "Limits are the ranges of the reference model; those of lines in service stand in the assessment."
_WORST: Final = {"actual_max": "Largest force", "actual_min": "Smallest force", "uplift": "Largest uplift"}


def blocks(
    found: Sequence[Entry], ways: Sequence[run_force.Passage], results: dict[str, xr.Dataset], largest: float | None
) -> list[Block | None]:
    """The executive page below the verdict; ``largest``: limit of the largest force [N]."""
    reference = reference_criteria(next(iter(results.values()))) if len(results) == 1 else {}
    look = PageList("What to look at", list(dict.fromkeys(_look(found, ways, results))))
    figures = _five_numbers(
        [one.name for one in found], [reference.get(o.figures.pantograph, o.criteria) for o in found]
    )
    return [
        replace(figures, note=_NOTE if reference else ""),
        run_force.force_along_track(ways, largest),
        look if look.items else None,
    ]


def _five_numbers(names: Sequence[str], criteria: Sequence[Sequence[Criterion]]) -> PageTable:
    """The five numbers with their limits, one column for each pantograph; σ itself where its ratio is not judged."""
    held = [{c.key: c for c in one} for one in criteria]
    rows, moods = [], []
    for key, name in _FIVE.items():
        row = [one.get(key) for one in held]
        known = [c for c in row if c is not None]
        if not known or (key == "deviation" and any("deviation_ratio" in one for one in held)):
            continue
        rows.append(
            [
                name,
                _limits(held, key),
                *("–" if c is None else value_with_verdict(c, bare=False).partition(" (")[0] for c in row),
            ]
        )
        moods.append(MOODS[overall([c for one in held for c in one.values() if quantity_of(c.key) == key])])
    return PageTable("", ["", "Limit", *names], rows, moods)


def _limits(held: Sequence[dict[str, Criterion]], key: str) -> str:
    """Limits of a quantity, lower and upper; "–" where it has none, or where they differ between columns."""
    of = [
        tuple(limit_text(c) for c in one.values() if quantity_of(c.key) == key and c.limit is not None) for one in held
    ]
    return ", ".join(of[0]) or "–" if len(set(of)) == 1 else "see the criteria"


def _look(found: Sequence[Entry], ways: Sequence[run_force.Passage], results: dict[str, xr.Dataset]) -> Iterator[str]:
    """Worst values with their places, slack droppers, causes of the largest peak."""
    for key, words in _WORST.items():
        yield from _worst_place(found, ways, key, words)
    for variant, one in list(results.items())[:1]:
        yield from _slack(one)
        if "why_force" in one:
            yield f"{f'{variant}: ' if variant else ''}{run_attribution.sentence(one)}"


def _worst_place(found: Sequence[Entry], ways: Sequence[run_force.Passage], key: str, words: str) -> Iterator[str]:
    """The worst value over all pantographs and where it stands."""
    known = [(c, one, way) for one, way in zip(found, ways, strict=True) for c in one.criteria if c.key == key]
    known = [row for row in known if row[0].place is not None and np.isfinite(row[0].value)]
    if not known:
        return
    sign = -1.0 if key == "actual_min" else 1.0
    c, one, way = max(known, key=lambda row: sign * row[0].value)
    value, _, _, unit = c.shown()
    whose = f" ({one.name})" if len(found) > 1 else ""
    yield f"{words} {number(value, 3)} {unit} at {place_words(way.result, float(c.place or 0.0))}{whose}."


def _slack(result: xr.Dataset) -> Iterator[str]:
    if "dropper_x" not in result or ("slack_start" not in result and "dropper_force" not in result):
        return
    which, begin, finish = slackenings(result)
    if not which.size:
        yield "No dropper slackens."
        return
    longest = int(np.argmax(finish - begin))
    at = place_words(result, float(result["dropper_x"].to_numpy()[which[longest]]))
    yield (
        f"{np.unique(which).size} of {result['dropper_x'].size} droppers slacken, for up to "
        f"{number(1e3 * float((finish - begin)[longest]), 3)} ms at {at}."
    )
