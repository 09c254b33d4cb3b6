"""Tables of measured forces and uplifts: by metres from the first mast, by chainage, by mast or by time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from panhead.errors import FileError
from panhead.files.column_names import ColumnMapping, units_by_column, with_languages
from panhead.files.sheet_rows import ColumnWanted, SheetRows
from panhead.files.tables import compared_names, read_rows, require_names
from panhead.railway.line.line_places import MastPlaces

_W = ColumnWanted
COLUMNS: Final = with_languages(
    (
        _W("place", "m", others=("x", "position")),
        _W("chainage", "m", others=("km", "kilometrage"), stations=True),
        _W("mast", kind="text", others=("support", "pole")),
        _W("time", "s", others=("t",)),
        _W("force", "N", others=("contact_force",), usual=(0.0, 2000.0), largest=5.0),
        _W("uplift", "m", others=("support_uplift",), usual=(0.0, 0.5), largest=0.002),
    ),
    "measurement",
)


@dataclass(frozen=True, slots=True)
class MeasuredTable:
    """Contents of a table of measurements, in SI units."""

    source: str
    x: np.ndarray  #: (n,) of the force from the first mast, increasing; by time: from the first sample [m]
    force: np.ndarray  #: (n,) [N]; empty: none measured
    uplift: tuple[tuple[float, float], ...]  #: place [m] and largest uplift [m] of each support measured
    by_time: bool = False  #: the places follow from times and the run's speed: only a correlation can align them


def read_measured(path: Path, places: MastPlaces, speed: float, columns: ColumnMapping | None = None) -> MeasuredTable:
    """Read a table with the columns force or uplift, and one of place, chainage, mast (uplift) and time (force)."""
    mapping = columns or ColumnMapping()
    named = compared_names(mapping.columns, COLUMNS)
    found = read_rows(path, "measurement", COLUMNS, named, units_by_column(mapping.units, COLUMNS, named), strict=False)
    require_names(named, [found])
    _require_columns(found)
    x, force, by_time = _force(found, places, speed)
    uplift = tuple(_uplifts(found, places))
    found.raise_errors()
    if not force.size and not uplift:
        raise FileError(path, "holds no number of force or uplift")
    return MeasuredTable(found.source, x, force, uplift, by_time)


def _require_columns(found: SheetRows) -> None:
    there = found.places
    if not ("force" in there or "uplift" in there):
        found.problems.append("no column force or uplift; --columns can name them")
    if "force" in there and not any(name in there for name in ("place", "chainage", "time")):
        found.problems.append("force needs a column place, chainage or time")
    if "uplift" in there and not any(name in there for name in ("place", "chainage", "mast")):
        found.problems.append("uplift needs a column mast, chainage or place")
    for name in ("force", "uplift"):
        if name in there and not found.has_unit(name):
            found.problems.append(f"column {name}: its unit is missing; write it below, or {name} [N], or give --units")
    found.raise_errors()


def _force(found: SheetRows, places: MastPlaces, speed: float) -> tuple[np.ndarray, np.ndarray, bool]:
    """Places and forces, sorted by place; rows without a force or a place are passed over."""
    by = next((name for name in ("place", "chainage", "time") if name in found.places), "")
    if "force" not in found.places:
        return np.zeros(0), np.zeros(0), False
    rows = [(cells[by], cells["force"]) for _, cells in found.rows if None not in (cells[by], cells["force"])]
    if not rows:
        return np.zeros(0), np.zeros(0), False
    at, force = np.array(rows, float).T
    x = {"place": at, "chainage": at - places.chainage, "time": speed * (at - at.min())}[by]
    order = np.argsort(x, kind="stable")
    x, force = x[order], force[order]
    single = np.concatenate([[True], np.diff(x) > 0])
    return x[single], force[single], by == "time"


def _uplifts(found: SheetRows, places: MastPlaces) -> list[tuple[float, float]]:
    rows = []
    for _, cells in found.rows:
        if cells["uplift"] is None:
            continue
        if cells["mast"] is not None:
            rows.append((places.position(f"mast {cells['mast']}", "uplift"), cells["uplift"]))
        elif cells["chainage"] is not None:
            rows.append((cells["chainage"] - places.chainage, cells["uplift"]))
        elif cells["place"] is not None:
            rows.append((cells["place"], cells["uplift"]))
    return rows
