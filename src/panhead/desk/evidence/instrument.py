"""Measurements on a line, and their comparison with a run that is read by the same instrument."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from panhead.desk.evidence.virtual_instrument import Instrument
from panhead.errors import FileError, ModelError, require_positive
from panhead.files import parse
from panhead.files.file_kinds import without_kind
from panhead.files.sheet_rows import ColumnWanted
from panhead.files.tables import read_rows
from panhead.files.units import MetresPerSecond

if TYPE_CHECKING:
    import xarray as xr

#: EN 50318:2002 on agreement with measurements (recalled): σ within ±20 %, uplift at a support within ±20 mm
SIGMA_AGREES, UPLIFT_AGREES = 0.2, 0.02
_COLUMNS: Final = {
    "place": ColumnWanted("place", "m", required=True),
    "force": ColumnWanted("force", "N", required=True, usual=(0.0, 2000.0), largest=5.0),
    "uplift": ColumnWanted("uplift", "m", required=True, usual=(0.0, 0.5), largest=0.002),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """Measurements on a line (kind of file "measurement"): CSV files with names and units in two rows."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    name: str
    speed: MetresPerSecond
    force: str | None = None  #: CSV with the columns place and force, as recorded by the instrument
    uplift: str | None = None  #: CSV with the columns place and uplift, one row for each measured support
    pantograph: int = 1  #: number of the pantograph, from the front
    instrument: Instrument = field(default_factory=Instrument)
    source: str = ""  #: who measured what, where and when

    def __post_init__(self) -> None:
        require_positive(self, "speed", "pantograph")
        if self.force is None and self.uplift is None:
            raise ModelError("Measurement: give force, uplift or both")


@dataclass(frozen=True, slots=True)
class Agreement:
    """One number measured and computed."""

    name: str
    unit: str
    measured: float
    computed: float
    allowed: float | None  #: difference, in the unit; None: not judged

    @property
    def agrees(self) -> bool | None:
        return None if self.allowed is None else abs(self.computed - self.measured) <= self.allowed


def read_measurement(path: Path) -> Measurement:
    """Read a measurement and check its CSV files, so that errors are reported before any run."""
    raw = without_kind(parse.read_toml(path), "measurement", path)
    found = parse.build(Measurement, raw, source=path)  # names of files count from its folder
    for name, column in ((found.force, "force"), (found.uplift, "uplift")):
        if name is None:
            continue
        if not (path.parent / name).is_file():
            raise FileError(path, f"{name!r}: file not found beside it")
        read_columns(path.parent / name, "place", column)
    return found


def read_columns(path: Path, *names: str) -> list[np.ndarray]:
    """Columns of a table (CSV or Excel) in SI units, by name in its first row and unit beside it or in its second."""
    wanted = [_COLUMNS[name] for name in names]
    found = read_rows(path, "measurement", wanted, strict=False)
    for name in names:
        if not found.has_unit(name):
            found.problems.append(
                f"column {name}: its unit is missing; write it below, or {name} [{_COLUMNS[name].unit}]"
            )
    for row, cells in found.rows:
        for name in names:
            if cells[name] is None and not found.problems:
                found.add_error(row, name, "is empty")
    found.raise_errors()
    if not found.rows:
        raise FileError(path, "holds no numbers below its names and units")
    return [np.array([cells[name] for _, cells in found.rows]) for name in names]


def agreement(one: xr.Dataset, measurement: Measurement, folder: Path) -> list[Agreement]:
    """Force and uplift of one pantograph's run through the virtual instrument, beside what was measured there."""
    found: list[Agreement] = []
    if measurement.force is not None:
        place, force = read_columns(folder / Path(measurement.force).name, "place", "force")
        mine = _computed_force(one, measurement, (float(place.min()), float(place.max())))
        found += [
            Agreement("mean force", "N", float(force.mean()), float(mine.mean()), None),
            Agreement(
                "standard deviation", "N", float(force.std()), float(mine.std()), SIGMA_AGREES * float(force.std())
            ),
            Agreement("largest force", "N", float(force.max()), float(mine.max()), None),
            Agreement("smallest force", "N", float(force.min()), float(mine.min()), None),
        ]
    if measurement.uplift is not None:
        place, lift = read_columns(folder / Path(measurement.uplift).name, "place", "uplift")
        for x, u in zip(place, lift, strict=True):
            found.append(Agreement(f"uplift at {x:.1f} m", "m", float(u), _uplift(one, float(x)), UPLIFT_AGREES))
    return found


def _computed_force(one: xr.Dataset, measurement: Measurement, part: tuple[float, float]) -> np.ndarray:
    at, force = measurement.instrument.reads(one)
    x = np.interp(at, one["time"].to_numpy(), one["contact_x"].to_numpy())
    inside = (x >= part[0]) & (x <= part[1])
    if inside.sum() < 4:
        raise ModelError(f"measurement {measurement.name!r}: taken at {part[0]:g} … {part[1]:g} m, outside the run")
    return np.asarray(force[inside])


def _uplift(one: xr.Dataset, place: float) -> float:
    x = one["support_x"].to_numpy()
    near = int(np.argmin(np.abs(x - place)))
    if abs(x[near] - place) > 1.0:
        raise ModelError(f"measurement: there is no support at {place:g} m in the run; the nearest is at {x[near]:g} m")
    return float(one["support_uplift"].to_numpy()[near])
