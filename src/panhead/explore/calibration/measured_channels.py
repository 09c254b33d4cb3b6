"""Channels of measured passages: tables of force, accelerations and uplift by place, chainage or time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from panhead.desk.evidence.measured_table import COLUMNS as MEASURED_COLUMNS
from panhead.errors import FileError
from panhead.files.sheet_rows import ColumnWanted, SheetRows
from panhead.files.tables import read_rows
from panhead.railway.line.line_places import MastPlaces

COLUMNS: Final = (
    *MEASURED_COLUMNS,
    ColumnWanted("head_acceleration", "m/s**2", others=("acceleration", "head_z_acceleration")),
    ColumnWanted("wire_acceleration", "m/s**2", others=("contact_wire_acceleration",)),
)
ALONG: Final = ("force", "head_acceleration")  #: channels of the pantograph, along the run
AT_MAST: Final = ("uplift", "wire_acceleration")  #: channels of a mast
UNITS: Final = {"force": "N", "head_acceleration": "m/s**2", "uplift": "m", "wire_acceleration": "m/s**2"}


@dataclass(frozen=True, slots=True)
class MeasuredChannel:
    """One quantity of one record."""

    source: str  #: file
    quantity: str  #: one of ``UNITS``
    at: np.ndarray  #: (n,) place from the first mast [m] or time [s], as they stand in the file; empty: a largest value
    values: np.ndarray  #: (n,) in SI units
    by_time: bool
    mast: float | None = None  #: place of the mast [m]; None: on the pantograph
    seconds: np.ndarray | None = None  #: (n,) time, where the file has both places and times [s]

    @property
    def title(self) -> str:
        """Quantity, and mast if there is one."""
        where = "" if self.mast is None else f" at {self.mast:.1f} m"
        return f"{self.quantity.replace('_', ' ')}{where}"


def read_channels(path: Path, places: MastPlaces, wanted: Sequence[str] = ()) -> list[MeasuredChannel]:
    """Every channel of a table; those ``wanted`` must be there."""
    found = read_rows(path, "measurement", COLUMNS, strict=False)
    there = [name for name in UNITS if name in found.places]
    missing = [name for name in wanted if name not in there]
    if missing:
        have = ", ".join(there) or "none"
        raise FileError(path, f"no channel {missing[0]!r}; it has {have}. Correct `channels`, or add the column")
    for name in there:
        if not found.has_unit(name):
            found.problems.append(f"column {name}: its unit is missing; write it below, or {name} [{UNITS[name]}]")
    found.raise_errors()
    channels = [channel for name in there if not wanted or name in wanted for channel in _of(found, name, places)]
    if not channels:
        raise FileError(path, f"holds no channel; name one column {', '.join(UNITS)}, with its unit")
    return channels


def _of(found: SheetRows, name: str, places: MastPlaces) -> Iterator[MeasuredChannel]:
    by_mast: dict[str, list[dict[str, Any]]] = {}
    for _, cells in found.rows:
        if cells[name] is not None:
            by_mast.setdefault(_mast(cells, name), []).append(cells)
    timed = "time" in found.places
    for mast, rows in by_mast.items():
        values = np.array([cells[name] for cells in rows])
        if name in ALONG:
            yield _along(found, name, rows, values, places)
        elif timed:
            x = places.position(mast, name)
            yield MeasuredChannel(found.source, name, _column(found, rows, "time"), values, True, x)
        elif name == "uplift":
            x = places.position(mast, name)
            yield MeasuredChannel(found.source, name, np.zeros(0), values[:1], False, x)
        else:
            raise FileError(found.source, f"column {name} needs a column time")


def _mast(cells: dict[str, Any], name: str) -> str:
    """The mast of a row, as ``MastPlaces`` reads it; empty on the pantograph."""
    if name in ALONG:
        return ""
    if cells["mast"] is not None:
        return f"mast {cells['mast']}"
    if cells["place"] is not None:
        return f"{cells['place']} m"
    return f"km {cells['chainage'] / 1e3:.6f}" if cells["chainage"] is not None else ""


def _along(
    found: SheetRows, name: str, rows: Sequence[dict[str, Any]], values: np.ndarray, places: MastPlaces
) -> MeasuredChannel:
    by = next((k for k in ("place", "chainage", "time") if k in found.places), None)
    if by is None:
        raise FileError(found.source, f"{name} needs a column place, chainage or time")
    at = _column(found, rows, by) - (places.chainage if by == "chainage" else 0.0)
    seconds = _column(found, rows, "time") if by != "time" and "time" in found.places else None
    return MeasuredChannel(found.source, name, at, values, by == "time", None, seconds)


def _column(found: SheetRows, rows: Sequence[dict[str, Any]], name: str) -> np.ndarray:
    column = np.array([np.nan if cells[name] is None else cells[name] for cells in rows], float)
    if np.isnan(column).any():
        raise FileError(found.source, f"column {name} is empty in {int(np.isnan(column).sum())} rows that hold values")
    return column
