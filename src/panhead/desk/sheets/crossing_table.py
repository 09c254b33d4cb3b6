"""``panhead line crossing``: what a head meets where the wires of two tracks cross or run together."""

from __future__ import annotations

from typing import Final

import numpy as np

from panhead.desk.sheets.table_rows import DeskTable, TableColumn
from panhead.files.cell_text import Cell
from panhead.files.chainage import format_chainage
from panhead.railway.line.line_places import MastPlaces
from panhead.railway.line.two_track_wires import WirePassage

_C = TableColumn
_COLUMNS: Final = (
    _C("chainage", "m", 2),
    _C("km", about="chainage as railways write it"),
    _C("second_wire_across", "m", 3, "+ to the left of the first track"),
    _C("gap", "m", 4, "second wire above the first, at rest"),
    _C("force_first", "N", 1),
    _C("force_second", "N", 1),
    _C("lift_first", "m", 4),
    _C("lift_second", "m", 4),
)


def crossing_table(found: WirePassage, places: MastPlaces) -> DeskTable:
    """Every place in reach of the second wire, with forces and lifts."""
    columns = (found.y, found.gap, found.force_first, found.force_second, found.lift_first, found.lift_second)
    rows: list[list[Cell]] = [
        [places.chainage + float(x), format_chainage(places.chainage + float(x), 2), *map(float, values)]
        for x, *values in zip(found.x, *columns, strict=True)
    ]
    return DeskTable("crossing", _COLUMNS, rows)


def crossing_words(found: WirePassage, places: MastPlaces) -> list[str]:
    """Result of the crossing in sentences: which wire is touched where, and how far the second is lifted."""
    ends = [places.to_text(float(x), 1) for x in (found.x[0], found.x[-1])]
    words = [f"The second wire is within the head's reach from {ends[0]} to {ends[1]}."]
    if found.crossing is not None:
        gap = 1e3 * float(np.interp(found.crossing, found.x, found.gap))
        over = "above" if gap >= 0 else "below"
        apart = f"at rest the second is {abs(gap):.0f} mm {over} the first"
        words.append(f"The wires cross at {places.describe(found.crossing, 1)}; {apart}.")
    if found.touched is None:
        return [*words, f"The second wire is not touched; the smallest gap is {1e3 * found.gap.min():.0f} mm."]
    begin, end = (places.to_text(x, 1) for x in found.touched)
    k = int(np.argmax(found.lift_second))
    words.append(f"The second wire is touched from {begin} to {end}, at most {found.force_second.max():.0f} N.")
    words.append(
        f"It is lifted by at most {1e3 * found.lift_second[k]:.0f} mm, at {places.to_text(float(found.x[k]), 1)}."
    )
    alone = found.force_first <= 0.0
    if alone.any():
        words.append("Where the second wire is the lower one by more than its own lift, the first is not touched.")
    return words
