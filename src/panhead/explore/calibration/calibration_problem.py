"""A calibration with its runs and records read: errors in files are found here, before a search begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from panhead.errors import FileError, ModelError, alternatives
from panhead.explore.calibration.alignment import first_shift
from panhead.explore.calibration.calibration_description import Calibration, MeasuredPassage
from panhead.explore.calibration.data_checks import CheckedRecord, check_magnitude, checked, filtered_values
from panhead.explore.calibration.measured_channels import UNITS, MeasuredChannel, read_channels
from panhead.explore.calibration.misfit import Misfit, sample_noise
from panhead.explore.calibration.passage_model import FittedTrace, PassageModel, RunSeries, series_of, tape_passage
from panhead.explore.calibration.trace_filter import TraceFilter
from panhead.explore.calibration.unknowns import UnknownCoordinate, coordinates_of
from panhead.explore.designs.problem import ChangedParts, LoadedRun
from panhead.files.units import in_unit
from panhead.railway.line.line_description import Line
from panhead.railway.line.line_places import MastPlaces
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph
from panhead.railway.pantograph.pantograph_files import resolve_pantograph
from panhead.runs import scenarios
from panhead.runs.description import Run
from panhead.runs.linear.taped_run import RunTape
from panhead.runs.resolve import resolve_line
from panhead.runs.static_force_search import wants_mean_force

_NEAR = 1.0  # a measured mast is no further from a support [m]
_REACH = 3.0  # standard deviations over which a record is first aligned
_FEWEST = 16  # filtered samples of a trace


@dataclass(frozen=True, slots=True)
class CalibrationProblem:
    """Everything a search needs."""

    name: str
    calibration: Calibration
    misfit: Misfit
    notes: tuple[str, ...]  #: what was found in the records

    @property
    def coordinates(self) -> Sequence[UnknownCoordinate]:
        """Unknown parameters."""
        return self.misfit.coordinates


def problem_of(name: str, calibration: Calibration, folder: Path) -> CalibrationProblem:
    """Read runs and records (beside ``folder``), align them with the runs at their prior values."""
    looked, parts = read_parts(calibration, folder)
    trace, notes = TraceFilter(calibration.cutoff), []
    models: list[PassageModel] = []
    clocks: list[float] = []
    for number, (passage, run) in enumerate(zip(calibration.passages, looked, strict=True)):
        model = PassageModel(run, passage.pantograph - 1, passage.instrument, trace)
        tape = tape_passage(run.of(parts))
        notes += _add_traces(model, tape, passage, number, folder, calibration, clocks)
        models.append(model)
    unknowns = coordinates_of(calibration.unknowns, parts)
    misfit = Misfit(models, unknowns, parts, np.array(clocks))
    return CalibrationProblem(name, calibration, misfit, tuple(dict.fromkeys(notes)))


def read_parts(calibration: Calibration, folder: Path) -> tuple[list[LoadedRun], ChangedParts]:
    """Runs of all passages with one line and pantographs by name."""
    looked: list[LoadedRun] = []
    pantographs: dict[str, LumpedPantograph] = {}
    for passage in calibration.passages:
        run = _read(passage, folder)
        found = [resolve_pantograph(on.pantograph, on.changes) for on in run.train]
        for p in found:
            if not isinstance(p, LumpedPantograph):
                raise ModelError(f"calibration: pantograph {p.name!r} is not a chain of lumped masses; use one that is")
            if pantographs.setdefault(p.name, p) != p:
                raise ModelError(f"calibration: two pantographs called {p.name!r} differ; rename one of them")
        if passage.pantograph > len(found):
            raise ModelError(f"passage {passage.title!r}: pantograph {passage.pantograph}: its run has {len(found)}")
        whole = replace(run, line=resolve_line(run), line_changes={})
        looked.append(LoadedRun(passage.title, whole, tuple(p.name for p in found), passage.validate_only))
    line = looked[0].run.line
    for one in looked[1:]:
        if one.run.line != line:
            raise ModelError(f"calibration: passage {one.title!r} has another line than {looked[0].title!r}")
    assert isinstance(line, Line)  # resolved above
    if any(one.run.conditions is not None for one in looked):
        raise ModelError("calibration: runs with `conditions` are not calibrated; describe the line of that day")
    return looked, ChangedParts(line, pantographs)


def _read(passage: MeasuredPassage, folder: Path) -> Run:
    beside = folder / passage.run
    source = str(beside) if beside.is_file() else passage.run
    found = scenarios.read(source, changes=dict(passage.changes)).with_contents().description
    if not isinstance(found, Run) or found.variants:
        raise ModelError(f"calibration: {passage.run!r} must be a single run under a line without variants")
    if found.solver != "linear":
        raise ModelError(f'calibration: run {passage.run!r} has solver {found.solver!r}; use solver = "linear"')
    if wants_mean_force(found):
        raise ModelError(f"calibration: run {passage.run!r} sets mean_force; give the static_force of its pantograph")
    if found.speed is None:
        raise ModelError(f"calibration: run {passage.run!r} has a speed table; calibrate passages of constant speed")
    return found


def _add_traces(
    model: PassageModel, tape: RunTape, passage: MeasuredPassage, number: int, folder: Path, calibration: Calibration,
    clocks: list[float],
) -> list[str]:  # fmt: skip
    """Add the traces of a passage to its model; every file has a clock of its own."""
    places, notes = MastPlaces.from_layout(tape.model.strung.layout), []
    series, seen = series_of(tape, model.pantograph), set()
    wrong = [name for name in (*passage.channels, *passage.noise) if name not in UNITS]
    if wrong:
        raise ModelError(
            f"passage {passage.title!r}: no channel is called {wrong[0]!r}; {alternatives(wrong[0], UNITS)}"
        )
    for file in passage.measured:
        path = folder / file
        wanted = (
            [name for name in passage.channels if _holds(path, name)] if len(passage.measured) > 1 else passage.channels
        )
        channels, clock = read_channels(path, places, wanted), -1
        for channel in channels:
            noise = _noise(passage, channel, model.trace)
            if not channel.at.size:
                found = _largest(channel, tape, series, number, noise)
                words: list[str] = []
            else:
                if clock < 0:
                    clock = len(clocks)
                    spread = calibration.clock if channel.by_time else calibration.alignment / _speed(tape)
                    clocks.append(spread)
                found, words = _aligned(model, channel, tape, series, number, clock, noise, clocks[clock])
            notes += words
            seen.add(channel.quantity)
            model.traces.append(found)
    missing = [name for name in passage.channels if name not in seen]
    if missing:
        raise FileError(passage.measured[0], f"no channel {missing[0]!r} in the files of passage {passage.title!r}")
    return notes


def _holds(path: Path, name: str) -> bool:
    from panhead.explore.calibration.measured_channels import COLUMNS
    from panhead.files.tables import read_rows

    return name in read_rows(path, "measurement", COLUMNS, strict=False).places


def _noise(passage: MeasuredPassage, channel: MeasuredChannel, trace: TraceFilter) -> float | None:
    given = passage.noise.get(channel.quantity)
    if given is None:
        own = passage.instrument if channel.quantity == "force" else None
        return None if own is None or not own.noise() else sample_noise(own, trace)
    try:
        value = in_unit(given, UNITS[channel.quantity])
    except ValueError as error:
        raise ModelError(f"passage {passage.title!r}: noise of {channel.quantity}: {error}") from None
    if not value > 0.0:
        raise ModelError(f"passage {passage.title!r}: noise of {channel.quantity} must be positive, got {given!r}")
    return value


def _column(channel: MeasuredChannel, tape: RunTape) -> int:
    x = tape.model.strung.layout.mast_x[tape.support_masts()]
    k = int(np.argmin(np.abs(x - float(channel.mast or 0.0)))) if x.size else -1
    if k < 0 or abs(x[k] - float(channel.mast or 0.0)) > _NEAR or not tape.support.shape[1]:
        raise FileError(
            channel.source, f"{channel.title}: the run records no support there; shorten the run or check it"
        )
    return k


def _largest(
    channel: MeasuredChannel, tape: RunTape, series: RunSeries, number: int, noise: float | None
) -> FittedTrace:
    """A largest uplift at a mast; its standard deviation must be given, since one number has no scatter."""
    if noise is None:
        raise FileError(
            channel.source, f'{channel.title}: give its noise in the passage, such as noise = {{uplift = "2 mm"}}'
        )
    check_magnitude(channel, float(channel.values[0]), float(series.support[:, _column(channel, tape)].max()))
    return FittedTrace(channel, number, np.zeros(0), channel.values[:1], -1, _column(channel, tape), noise)


def _aligned(
    model: PassageModel, channel: MeasuredChannel, tape: RunTape, series: RunSeries, number: int, clock: int,
    noise: float | None, spread: float,
) -> tuple[FittedTrace, list[str]]:  # fmt: skip
    """A record as a trace of the run, aligned by correlation."""
    speed, trace = _speed(tape), model.trace
    record = checked(channel, speed, trace.cutoff)
    column = -1 if channel.mast is None else _column(channel, tape)
    fitted = FittedTrace(channel, number, np.zeros(1), np.zeros(1), clock, column, noise)
    window = _window(model, tape, fitted)
    if channel.quantity == "head_acceleration" and not series.head.size:
        raise FileError(channel.source, "head acceleration: the run has several wires over the head, or loses contact")
    grid = np.arange(window[0], window[1], 0.5 * trace.spacing)
    computed = model.predict(series, replace(fitted, instants=grid), 0.0)[0]
    to_time, offset = (1.0, 0.0) if channel.by_time else (1.0 / speed, _start(tape, model.pantograph))
    delay = 0.0 if model.instrument is None or channel.quantity != "force" else model.instrument.delay
    instants = record.at * to_time - offset - delay
    ends = (grid[0] - instants[-1], grid[-1] - instants[0]) if channel.by_time else (-_REACH * spread, _REACH * spread)
    notes = list(record.notes) + _magnitudes(channel, record, computed)
    shift = first_shift(record, grid, computed, instants, ends)
    at = np.arange(window[0], window[1], trace.spacing) - shift
    places = (at + offset + delay) / to_time
    keep = record.covers(places, trace.reach / to_time)
    if keep.sum() < _FEWEST:
        raise FileError(channel.source, f"{channel.title}: only {int(keep.sum())} filtered samples lie within the run")
    data = filtered_values(record, to_time, places[keep], trace)
    return replace(fitted, instants=at[keep] + shift, data=data), notes


def _magnitudes(channel: MeasuredChannel, record: CheckedRecord, computed: np.ndarray) -> list[str]:
    size = np.mean if channel.quantity == "force" else np.std
    return check_magnitude(channel, abs(float(size(record.values))), abs(float(size(computed))))


def _start(tape: RunTape, pantograph: int) -> float:
    """Time at which the pantograph would have passed the first mast, as seconds before the start of the run."""
    model = tape.model
    return float((model.timetable.start - model.behind[pantograph]) / _speed(tape))


def _speed(tape: RunTape) -> float:
    """Constant speed of a run [m/s]."""
    speed = tape.model.run.speed
    assert speed is not None  # tables of speeds are refused
    return float(speed)


def _window(model: PassageModel, tape: RunTape, fitted: FittedTrace) -> tuple[float, float]:
    """Instants of the run that are fitted: those assessed; of a mast, all after the run-in."""
    begin, end = tape.model.judged_times(model.pantograph)
    last = float(tape.seen[-1]) - model.trace.reach
    return float(begin), min(float(end), last) if fitted.column < 0 else last
