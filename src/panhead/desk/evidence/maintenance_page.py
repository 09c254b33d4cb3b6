"""``panhead maintain``: the maintenance report page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from panhead.assess.number_text import brief, number
from panhead.desk.drawing import figures
from panhead.desk.evidence.maintenance import (
    DropperLife,
    Upkeep,
    UpliftRoom,
    dropper_lives,
    missed_range,
    uplift_rooms,
    wear_along,
)
from panhead.desk.reports.line_places import name_track
from panhead.desk.reports.page import Block, Page, PageTable, PageVerdict, Picture, page_with
from panhead.desk.reports.run_force import mark_supports
from panhead.files import library
from panhead.files.variants import separate

if TYPE_CHECKING:
    import xarray as xr

_LISTED: Final = 20  # droppers and supports
_MISSED: Final = 0.04  # share of a range of force beyond which finer samples are asked for
_DOUBTS: Final = (
    "Rainflow count of the stored dropper force with Miner's rule. Use it to compare droppers and runs. Bending at "
    "the clamps of slackening droppers, the most common cause of failure, is reflected only in the last column."
)
_WEAR_DOUBTS: Final = (
    "Wear by friction, current heating and arcing, with the terms of Bucca and Collina (2009, 2015); coefficients are "
    "assumptions unless your file of laws gives them. The index is 1 for one pantograph passage at the reference "
    "force, current and speed. Use it to compare places and runs; it does not give millimetres."
)


def read_upkeep(source: str | None) -> Upkeep:
    """The laws in a file of the kind "upkeep"; without one, the defaults."""
    return Upkeep() if source is None else library.read(Upkeep, "upkeep", source)


def upkeep_page(result: xr.Dataset, upkeep: Upkeep, path: Path) -> Page:
    """Fatigue, wear and room for uplift of every variant of a result."""
    sections: dict[str, Sequence[Block | None]] = {}
    details = []
    for k, (variant, one) in enumerate(separate(result).items()):
        lives, rooms, (x, wear) = dropper_lives(one, upkeep.dropper), uplift_rooms(one), wear_along(one, upkeep)
        of = f", {variant}" if variant else ""
        sections |= {
            f"Droppers{of}": [_droppers(lives, _missing_dropper_loads(one))],
            f"Contact wire wear{of}": [_wear(one, x, wear, k), _worst(x, wear)],
            f"Uplift space{of}": [_rooms(rooms)],
        }
        details += [f"{variant}: {text}" if variant else text for text in _summary(lives, rooms, x, wear)]
    sections["Laws and assumptions"] = [_laws(upkeep)]
    verdict = PageVerdict("neutral", "Effect of one train passage on the line, in the assessed section.", details)
    return page_with("Upkeep", f"{result.attrs.get('title', '')} · {path}", verdict, sections)


def _summary(lives: Sequence[DropperLife], rooms: Sequence[UpliftRoom], x: np.ndarray, wear: np.ndarray) -> list[str]:
    worst = int(np.argmax(wear))
    found = [f"wear index {number(wear.mean(), 3)} on average, most at {x[worst]:.0f} m ({number(wear[worst], 3)})"]
    if lives:
        found.append(
            f"dropper {lives[0].name} has the largest equivalent force range, {number(lives[0].equivalent, 3)} N"
        )
    if rooms:
        factor = f", uplift space over uplift {number(rooms[0].factor, 3)}" if rooms[0].factor else ""
        found.append(f"largest uplift {number(1e3 * rooms[0].uplift, 3)} mm at {rooms[0].name}{factor}")
    return found


def _missing_dropper_loads(one: xr.Dataset) -> str:
    """Note on dropper force peaks that stored samples miss."""
    if "dropper_min_force" not in one:
        return " Peaks between stored samples are not included (numerics.keep)."
    share = missed_range(one)
    remedy = "" if share < _MISSED else '; repeat the run with numerics.keep="1 ms"'
    return f" Stored samples miss up to {number(100 * share, 2)} % of a dropper's force range{remedy}."


def _droppers(lives: Sequence[DropperLife], missed: str) -> PageTable:
    heads = [
        "Dropper",
        "Place (m)",
        "Cycles",
        "Largest range (N)",
        "Equivalent range (N)",
        "Passages to failure",
        "Slack",
    ]
    rows = [
        [life.name, f"{life.place:.1f}", f"{life.cycles:.1f}", number(life.largest), number(life.equivalent),
         number(life.passages, 2), f"{life.slackenings}"]
        for life in lives[:_LISTED]
    ]  # fmt: skip
    more = f" {len(lives) - _LISTED} more are in the CSV file." if len(lives) > _LISTED else ""
    return PageTable("Droppers with the shortest life", heads, rows, note=_DOUBTS + missed + more)


def _wear(one: xr.Dataset, x: np.ndarray, wear: np.ndarray, k: int) -> Picture:
    chart, (panel,) = figures.chart(240)
    mark_supports(panel, one, x.min(), x.max())
    panel.curve(x, wear, thin=False)
    name_track(panel, one, "wear index (1)")
    return Picture(f"wear_{k + 1}" if k else "wear", "Wear index of one passage", chart, _WEAR_DOUBTS)


def _worst(x: np.ndarray, wear: np.ndarray) -> PageTable:
    order = np.argsort(-wear)[:5]
    rows = [[f"{x[k]:.1f}", number(wear[k], 3), number(wear[k] / wear.mean(), 3)] for k in order]
    return PageTable("Places of largest wear", ["Place (m)", "Index", "over the average"], rows)


def _rooms(rooms: Sequence[UpliftRoom]) -> PageTable | str:
    if not rooms:
        return "The result contains no uplift at supports."
    moods = [
        "neutral" if r.factor is None else "good" if r.factor >= 2 else "warning" if r.factor >= 1.5 else "bad"
        for r in rooms
    ]
    cells = [
        [r.name, f"{r.place:.1f}", number(1e3 * r.uplift, 3), "–" if r.room is None else number(1e3 * r.room, 3),
         "–" if r.factor is None else number(r.factor, 3)]
        for r in rooms[:_LISTED]
    ]  # fmt: skip
    note = "EN 50119:2009, 5.10.2 requires space for twice the uplift, 1.5 times with an uplift stop (recalled)."
    if rooms[0].room is None:
        note += " The line gives no uplift space; set uplift_space."
    heads = ["Support", "Place (m)", "Uplift (mm)", "Uplift space (mm)", "Space over uplift"]
    return PageTable("Largest uplift first", heads, cells, moods[:_LISTED], note)  # type: ignore[arg-type]


def _laws(upkeep: Upkeep) -> PageTable:
    from panhead.files import parse

    plain = parse.to_plain(upkeep)
    rows = [["current", brief(plain["current"]), "A, rms through each pantograph"]]
    rows += [[f"wear, {name}", brief(float(v)), ""] for name, v in plain["wear"].items()]
    rows += [[f"dropper, {name}", brief(float(v)), ""] for name, v in plain["dropper"].items()]
    note = "; ".join(upkeep.sources) or "No source is given; these are default assumptions."
    return PageTable("In SI units", ["Number", "Value", ""], rows, note=note)
