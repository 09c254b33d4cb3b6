"""``panhead compare result.nc measured.csv``: computed and measured force and uplift, aligned and filtered alike.

The measured force is read at the places the pantograph passes, so that both are signals over the run's time, then both
pass one filter. Alignment by chainage takes the places as they are; by correlation the measured ones are shifted by s,

    s = arg max Σ (F − F̄)(F̂(x + s) − F̂̄) / (σ σ̂),   |s| ≤ half a span

since a line repeats itself span by span and a longer shift would compare one span with another.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from panhead.assess.assessment_inputs import judged_samples, judged_window
from panhead.assess.filters import CUTOFF, low_pass, sampling_step
from panhead.assess.statistics import BANDS, band_deviation
from panhead.desk.evidence.instrument import SIGMA_AGREES, UPLIFT_AGREES, Agreement, read_measurement
from panhead.desk.evidence.measured_table import MeasuredTable, read_measured
from panhead.desk.evidence.result_reader import judged_result
from panhead.desk.evidence.virtual_instrument import Instrument
from panhead.errors import ModelError
from panhead.files.column_names import ColumnMapping
from panhead.files.variants import separate
from panhead.railway.line.line_places import MastPlaces

if TYPE_CHECKING:
    import xarray as xr

Align = Literal["chainage", "correlation"]
_GRID: Final = 0.1  # of shifts tried [m]
_SHORTEST: Final = 1.0  # part of the line that both must have, in seconds of the run
_SIGMA: Final = "standard deviation"
_NEAR: Final = 1.0  # a measured uplift belongs to a support no further away [m]


@dataclass(frozen=True, slots=True)
class MeasuredComparison:
    """Computed and measured curves on common samples, and their numbers side by side."""

    x: np.ndarray  #: (n,) from the first mast [m]
    computed: np.ndarray  #: (n,) filtered force [N]
    measured: np.ndarray  #: (n,) filtered force [N]
    numbers: tuple[Agreement, ...]
    uplifts: tuple[tuple[str, Agreement], ...]  #: support and its uplift
    shift: float  #: added to the measured places [m]
    correlation: float  #: of both curves as compared
    cutoff: float  #: of the filter of both [Hz]
    notes: tuple[str, ...] = ()


def compare_with_measured(
    one: xr.Dataset, table: MeasuredTable, *, align: Align = "chainage", most: float | None = None,
    cutoff: float = CUTOFF, instrument: Instrument | None = None,
) -> MeasuredComparison:  # fmt: skip
    """Compare one pantograph of a result with a table; ``most``: the largest shift of a correlation [m].

    instrument: through which the computed force is read, without noise; None: the contact force itself.
    """
    places = MastPlaces.from_result(one)
    nothing = MeasuredComparison(*(np.zeros(0),) * 3, (), _uplifts(one, table, places), 0.0, np.nan, cutoff)
    if not table.force.size:
        return nothing
    if table.by_time and align != "correlation":
        raise ModelError("compare: the table tells times and no places; give --align correlation")
    times, x = one["time"].to_numpy(), one["contact_x"].to_numpy()
    step = sampling_step(times)
    force = one["contact_force"].to_numpy() if instrument is None else np.interp(times, *instrument.reads(one))
    own = low_pass(force, step, cutoff=cutoff, zero_phase=True)
    judged = judged_samples(times, judged_window(one))
    best = lambda: _best_shift(x[judged], own[judged], table, step, _most(one, table, most))
    shift = best() if align == "correlation" else 0.0
    inside = _common(x, table.x + shift) & judged
    if inside.sum() * step < _SHORTEST:
        here, there = (f"{places.to_text(a)} to {places.to_text(b)}" for a, b in _ends(x[judged], table.x + shift))
        words = f"the run is assessed from {here}, the measurement is from {there}; they have no second in common"
        raise ModelError(f"compare: {words}. Check unit and origin of the places, or assess another section")
    measured = _low_pass_at(x, inside, table.x + shift, table.force, step, cutoff)
    numbers = _numbers(own[inside], measured, step)
    alike = float(np.corrcoef(own[inside], measured)[0, 1])
    notes = tuple(_notes(table, x, times, cutoff))
    return replace(
        nothing, x=x[inside], computed=own[inside], measured=measured, numbers=numbers, shift=shift,
        correlation=alike, notes=notes,
    )  # fmt: skip


def compare_file(
    result: Path, measured: Path, pantograph: int, columns: ColumnMapping, *, align: Align, most: float | None,
    cutoff: float,
) -> tuple[MeasuredComparison, MastPlaces]:  # fmt: skip
    """Compare a stored result with a table, or with the files that a measurement (TOML) names.

    The force of a run is then read through the instrument of the measurement, if that is described.
    """
    dataset, instrument = next(iter(separate(judged_result(result)).values())), None
    if measured.suffix.lower() == ".toml":
        described = read_measurement(measured)
        pantograph, cutoff = described.pantograph, described.instrument.cutoff
        instrument = described.instrument if described.instrument != Instrument() else None
        files = [measured.parent / Path(name).name for name in (described.force, described.uplift) if name]
    else:
        files = [measured]
    count = dataset.sizes["pantograph"]
    if not 1 <= pantograph <= count:
        raise ModelError(f"--pantograph {pantograph}: the run has {count}")
    one = dataset.isel(pantograph=pantograph - 1)
    places = MastPlaces.from_result(one)
    speed = float(np.median(np.gradient(one["contact_x"].to_numpy(), one["time"].to_numpy())))
    tables = [read_measured(file, places, speed, columns) for file in files]
    force = next((table for table in tables if table.force.size), tables[0])
    both = replace(force, uplift=tuple(row for table in tables for row in table.uplift))
    found = compare_with_measured(one, both, align=align, most=most, cutoff=cutoff, instrument=instrument)
    return found, places


def _most(one: xr.Dataset, table: MeasuredTable, most: float | None) -> tuple[float, float]:
    """Smallest and largest shift [m]: half a span each way, or anywhere along the run if places are not known."""
    if table.by_time:
        x = one["contact_x"].to_numpy()
        return float(x[0] - table.x[0]), float(max(x[0] - table.x[0], x[-1] - table.x[-1]))
    spans = np.diff(np.unique(one["mast_x"].to_numpy())) if "mast_x" in one else np.array([60.0])
    reach = 0.5 * float(np.median(spans)) if most is None else most
    return -reach, reach


def _common(x: np.ndarray, measured: np.ndarray) -> np.ndarray:
    return np.asarray((x >= measured[0]) & (x <= measured[-1]))


def _ends(*places: np.ndarray) -> list[tuple[float, float]]:
    return [(float(x.min()), float(x.max())) for x in places]


def _low_pass_at(
    x: np.ndarray, inside: np.ndarray, at: np.ndarray, force: np.ndarray, step: float, cutoff: float
) -> np.ndarray:
    return low_pass(np.interp(x[inside], at, force), step, cutoff=cutoff, zero_phase=True)


def _best_shift(x: np.ndarray, own: np.ndarray, table: MeasuredTable, step: float, ends: tuple[float, float]) -> float:
    """Shift of the largest correlation, by a parabola through it and its neighbours [m]."""
    # no farther than the two meet, whatever is asked
    first = ends[0] + _GRID * max(0.0, np.floor((x[0] - table.x[-1] - ends[0]) / _GRID))
    last = min(ends[1], x[-1] - table.x[0])
    shifts = np.arange(first, last + 0.5 * _GRID, _GRID)
    begin, end = max(table.x[0], x[0] - last), min(table.x[-1], x[-1] - first)
    even = np.arange(begin, end, 0.5 * float(np.median(np.diff(x))))
    there = np.interp(even, table.x, table.force)
    common = min(x.size, int(np.searchsorted(x - x[0], table.x[-1] - table.x[0])))
    least = max(_SHORTEST / step, 0.5 * common)  # a short piece at either end is alike by chance
    values = np.full(shifts.size, -np.inf)
    for k, shift in enumerate(shifts):
        inside = _common(x, table.x + shift)
        if inside.sum() >= least:
            values[k] = np.corrcoef(own[inside], np.interp(x[inside] - shift, even, there))[0, 1]
    if not np.isfinite(values).any():
        raise ModelError("compare: no shift brings run and measurement together; check unit and origin of the places")
    k = int(np.argmax(values))
    if not 0 < k < shifts.size - 1 or not np.isfinite(values[k - 1 : k + 2]).all():
        return float(shifts[k])
    before, top, after = values[k - 1 : k + 2]
    bend = before - 2.0 * top + after
    return float(shifts[k] + (0.5 * _GRID * (before - after) / bend if bend < 0 else 0.0))


def _numbers(computed: np.ndarray, measured: np.ndarray, step: float) -> tuple[Agreement, ...]:
    """Statistics and bands; σ is judged by the accuracy of EN 50318:2002."""
    sigma = float(measured.std())
    statistics: dict[tuple[str, str], Callable[[np.ndarray], float]] = {
        ("mean force", "N"): lambda f: float(f.mean()),
        (_SIGMA, "N"): lambda f: float(f.std()),
        ("standard deviation / mean", "%"): lambda f: 100.0 * float(f.std() / f.mean()),
        ("largest force", "N"): lambda f: float(f.max()),
        ("smallest force", "N"): lambda f: float(f.min()),
        ("time without force", "%"): lambda f: 100.0 * float((f <= 0.0).mean()),
    }
    for low, high in BANDS:
        statistics[f"σ from {low:g} to {high:g} Hz", "N"] = functools.partial(
            band_deviation, step=step, low=low, high=high
        )
    return tuple(
        Agreement(name, unit, of(measured), of(computed), SIGMA_AGREES * sigma if name == _SIGMA else None)
        for (name, unit), of in statistics.items()
    )


def _uplifts(one: xr.Dataset, table: MeasuredTable, places: MastPlaces) -> tuple[tuple[str, Agreement], ...]:
    found = []
    for x, lift in table.uplift:
        at = one["support_x"].to_numpy() if "support_x" in one else np.zeros(0)
        near = int(np.argmin(np.abs(at - x))) if at.size else -1
        if near < 0 or abs(at[near] - x) > _NEAR:
            raise ModelError(f"compare: the run has no support at {places.to_text(x)}, where an uplift was measured")
        computed = float(one["support_uplift"].to_numpy()[near])
        found.append((places.describe(float(at[near])), Agreement("uplift", "m", lift, computed, UPLIFT_AGREES)))
    return tuple(found)


def _notes(table: MeasuredTable, x: np.ndarray, times: np.ndarray, cutoff: float) -> list[str]:
    """Restrictions of the comparison, in sentences."""
    speed = float((x[-1] - x[0]) / (times[-1] - times[0]))
    apart = float(np.median(np.diff(table.x)))
    if apart > 0.0 and speed / apart < 2.0 * cutoff:
        return [
            f"The force was measured every {apart:.2g} m, {speed / apart:.3g} times a second: it cannot hold "
            f"{cutoff:g} Hz. Compare the low bands, or give a lower --cutoff."
        ]
    return []
