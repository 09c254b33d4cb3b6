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
    apart = found.x.size > 0 and found.correlation < _ALIKE
    mood: Mood = "neutral" if not judged else "good" if right == len(judged) and not apart else "warning"
    beside: list[tuple[Mood, str]] = [("warning", _alike_words(found))] if apart else []
    sections: dict[str, Sequence[Block | None]] = {
        "Force": [_table("Statistics and bands", found.numbers), *_curves(found, places)] if found.x.size else [],
        "Uplift": [_uplift_table(found)] if found.uplifts else [],
        "How it was compared": [" ".join(alignment_words(found, places)), *found.notes, _files(result, table)],
    }
    return page_with(
        "Computed and measured", f"{result} and {table}", PageVerdict(mood, sentence, (), beside), sections
    )


def alignment_words(found: MeasuredComparison, places: MastPlaces) -> list[str]:
    """Sentences on place, shift and filter."""
    if not found.x.size:
        return ["Uplifts are those of the supports nearest to the places measured."]
    ends = f"{places.to_text(float(found.x[0]))} to {places.to_text(float(found.x[-1]))}"
    words = [f"Compared from {ends}, both filtered to {found.cutoff:g} Hz without phase lag."]
    words.append(f"The measured places are shifted by {found.shift:+.2f} m." if found.shift else "Places as measured.")
    words.append(f"Correlation of the two curves {found.correlation:.3f}.")
    if found.correlation < _ALIKE:
        words.append(_alike_words(found))
    return words


def _alike_words(found: MeasuredComparison) -> str:
    """What to do about curves that do not follow each other."""
    remedy = "the chainage, or find a shift with --align correlation"
    remedy = "speed, line and pantograph of the run" if found.shift else remedy
    return f"The curves hardly agree place by place (correlation {found.correlation:.2f}): check {remedy}."


def _table(title: str, numbers: Sequence[Agreement]) -> PageTable:
    moods = [_MOODS[one.agrees] for one in numbers]
    note = "σ within ± 20 % and uplift within ± 20 mm: EN 50318:2002 on agreement with measurements, as recalled."
    return PageTable(title, list(HEADS), [agreement_row(one) for one in numbers], moods, note)


def _uplift_table(found: MeasuredComparison) -> PageTable:
    rows = [agreement_row(one, f"uplift at {where}") for where, one in found.uplifts]
    return PageTable("Largest uplift at supports", list(HEADS), rows, [_MOODS[one.agrees] for _, one in found.uplifts])


def _curves(found: MeasuredComparison, places: MastPlaces) -> list[Block]:
    chart, (panel,) = figures.chart(280, zoom=True)
    panel.curve(found.x, found.measured, "measured", color=figures.hue(1), points=figures.ZOOM_POINTS)
    panel.curve(found.x, found.computed, "computed", color=figures.hue(0), points=figures.ZOOM_POINTS)
    apart, (lower,) = figures.chart(160, zoom=True)
    lower.curve(
        found.x, found.computed - found.measured, "difference", color=figures.hue(2), points=figures.ZOOM_POINTS
    )
    for one, label in ((panel, "contact force (N)"), (lower, "computed − measured (N)")):
        _name_track(one, found, places, label)
    rms = float(np.sqrt(np.mean((found.computed - found.measured) ** 2)))
    note = "Vertical lines: masts, with their names above."
    return [
        Picture("measured_force", "Contact force, computed and measured", chart, note),
        Picture("measured_difference", "Difference", apart, f"Root mean square {rms:.3g} N."),
    ]


def _name_track(panel: figures.Panel, found: MeasuredComparison, places: MastPlaces, label: str) -> None:
    """Axes of a panel along the track, its masts, and their chainage where the line has one."""
    seen = [(float(x), names[0]) for x, names in zip(places.x, places.names, strict=True)]
    panel.names = [(x, name) for x, name in seen if found.x[0] <= x <= found.x[-1]]
    panel.station = places.chainage or None
    for x, _ in panel.names:
        panel.rule(x=x, color=figures.PALE)
    panel.name("chainage (km + m)" if places.chainage else "distance along the track (m)", label)


def _files(result: Path, table: Path) -> PageTable:
    return PageTable("", ["", "File"], [["computed", str(result)], ["measured", str(table)]])
