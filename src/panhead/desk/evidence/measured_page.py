"""Page of a result beside a measurement: numbers, bands, curves along the track, uplifts mast by mast."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from panhead.assess.criteria import shown_unit
from panhead.assess.number_text import number
from panhead.desk.drawing import figures
from panhead.desk.evidence.instrument import Agreement
from panhead.desk.evidence.measured_comparison import MeasuredComparison
from panhead.desk.reports.page import Block, Mood, Page, PageTable, PageVerdict, Picture, page_with
from panhead.railway.line.line_places import MastPlaces

HEADS = ("", "measured", "computed", "difference", "allowed")
_ALIKE: Final = 0.5  # correlation below which places may be those of another chainage
_MOODS: dict[bool | None, Mood] = {True: "good", False: "bad", None: "neutral"}


def agreement_row(one: Agreement, name: str = "") -> list[str]:
    """Measured, computed, difference and allowed difference as text."""
    unit, scale = shown_unit(one.unit)
    apart = scale * (one.computed - one.measured)
    allowed = "–" if one.allowed is None else f"± {number(scale * one.allowed, 3)}"
    values = [number(scale * value, 4) for value in (one.measured, one.computed)]
    return [f"{name or one.name} [{unit}]", *values, f"{'+' if apart > 0 else ''}{number(apart, 3)}", allowed]


def measured_page(found: MeasuredComparison, places: MastPlaces, result: Path, table: Path) -> Page:
    """The page, from verdict to curves."""
    every = [*found.numbers, *(one for _, one in found.uplifts)]
    judged = [one for one in every if one.allowed is not None]
    right = sum(bool(one.agrees) for one in judged)
    sentence = f"{right} of {len(judged)} judged numbers agree with the measurement." if judged else "Side by side."
    mood: Mood = "neutral" if not judged else "good" if right == len(judged) else "warning"
    sections: dict[str, Sequence[Block | None]] = {
        "Force": [_table("Statistics and bands", found.numbers), *_curves(found, places)] if found.x.size else [],
        "Uplift": [_uplift_table(found)] if found.uplifts else [],
        "How it was compared": [" ".join(alignment_words(found, places)), *found.notes, _files(result, table)],
    }
    return page_with("Computed and measured", f"{result} and {table}", PageVerdict(mood, sentence, ()), sections)


def alignment_words(found: MeasuredComparison, places: MastPlaces) -> list[str]:
    """Sentences on place, shift and filter."""
    if not found.x.size:
        return ["Uplifts are those of the supports nearest to the places measured."]
    ends = f"{places.to_text(float(found.x[0]))} to {places.to_text(float(found.x[-1]))}"
    words = [f"Compared from {ends}, both filtered to {found.cutoff:g} Hz without phase lag."]
    words.append(f"The measured places are shifted by {found.shift:+.2f} m." if found.shift else "Places as measured.")
    words.append(f"Correlation of the two curves {found.correlation:.3f}.")
    if found.correlation < _ALIKE and not found.shift:
        words.append("They hardly agree place by place: check the chainage, or find a shift with --align correlation.")
    return words


def _table(title: str, numbers: Sequence[Agreement]) -> PageTable:
    moods = [_MOODS[one.agrees] for one in numbers]
    note = "σ within ± 20 % and uplift within ± 20 mm: EN 50318:2002 on agreement with measurements, as recalled."
    return PageTable(title, list(HEADS), [agreement_row(one) for one in numbers], moods, note)


def _uplift_table(found: MeasuredComparison) -> PageTable:
    rows = [agreement_row(one, f"uplift at {where}") for where, one in found.uplifts]
    return PageTable("Largest uplift at supports", list(HEADS), rows, [_MOODS[one.agrees] for _, one in found.uplifts])


def _curves(found: MeasuredComparison, places: MastPlaces) -> list[Block]:
    chart, (panel,) = figures.chart(280)
    at = (found.x + places.chainage) / 1e3 if places.chainage else found.x
    panel.curve(at, found.measured, "measured", color=figures.hue(1))
    panel.curve(at, found.computed, "computed", color=figures.hue(0))
    masts = places.x + places.chainage if places.chainage else places.x
    for x in masts / 1e3 if places.chainage else masts:
        if at[0] <= x <= at[-1]:
            panel.rule(x=float(x), color=figures.PALE)
    panel.name("chainage (km)" if places.chainage else "distance along the track (m)", "contact force (N)")
    apart, (lower,) = figures.chart(160)
    lower.curve(at, found.computed - found.measured, "difference", color=figures.hue(2))
    lower.name("chainage (km)" if places.chainage else "distance along the track (m)", "computed − measured (N)")
    rms = float(np.sqrt(np.mean((found.computed - found.measured) ** 2)))
    return [
        Picture("measured_force", "Contact force, computed and measured", chart, "Vertical lines: masts."),
        Picture("measured_difference", "Difference", apart, f"Root mean square {rms:.3g} N."),
    ]


def _files(result: Path, table: Path) -> PageTable:
    return PageTable("", ["", "File"], [["computed", str(result)], ["measured", str(table)]])
