"""``panhead measure``: a result read through the virtual instrument, with its calibration and its error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from panhead.assess.number_text import number
from panhead.desk.drawing import figures
from panhead.desk.evidence.instrument import read_measurement
from panhead.desk.evidence.instrument_error import (
    ACCURACY,
    InstrumentCalibration,
    InstrumentError,
    calibrate_instrument,
    error_on_run,
)
from panhead.desk.evidence.instrument_record import write_record
from panhead.desk.evidence.result_reader import judged_result
from panhead.desk.evidence.virtual_instrument import Instrument
from panhead.desk.reports.page import Block, Page, PageTable, PageVerdict, Picture, page_with
from panhead.errors import ModelError
from panhead.files import results
from panhead.files.variants import separate
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph
from panhead.railway.pantograph.pantograph_files import resolve_pantograph
from panhead.runs import scenarios
from panhead.runs.description import Run


def measure_file(
    result: Path, measurement: Path | None, out: Path, pantograph: int
) -> tuple[InstrumentError, Path, Page]:
    """Read a stored result into ``record.csv``: the error of the instrument, the record, the page."""
    dataset = next(iter(separate(judged_result(result)).values()))
    count = dataset.sizes["pantograph"]
    if not 1 <= pantograph <= count:
        raise ModelError(f"--pantograph {pantograph}: the run has {count}")
    one = dataset.isel(pantograph=pantograph - 1)
    instrument = Instrument() if measurement is None else read_measurement(measurement).instrument
    error = error_on_run(instrument, one)
    record = write_record(out / "record.csv", instrument, one)
    head = _pantograph(result, pantograph)
    calibration = None if head is None else calibrate_instrument(instrument, head)
    return error, record, instrument_page(instrument, calibration, error, str(result))


def _pantograph(result: Path, number_: int) -> LumpedPantograph | None:
    """The pantograph of a stored run, if it is one of lumped masses."""
    found = scenarios.read(str(result)).description if results.load(result).attrs.get("inputs") else None
    if not isinstance(found, Run):
        return None
    on = found.train[number_ - 1]
    pantograph = resolve_pantograph(on.pantograph, on.changes)
    return pantograph if isinstance(pantograph, LumpedPantograph) else None


def instrument_page(
    instrument: Instrument, calibration: InstrumentCalibration | None, error: InstrumentError, source: str
) -> Page:
    """The page: error on the run, calibration on the bench."""
    share = error.rms / max(float(error.true.std()), 1e-12)
    details = [
        f"Error of the mean force {number(error.mean, 3)} N, of the standard deviation {number(error.sigma, 3)} N.",
        f"Root mean square error {number(error.rms, 3)} N, {number(100 * share, 2)} % of the standard deviation.",
    ]
    mood, sentence = "good", f"The instrument reads the mean force within {number(abs(error.mean), 2)} N."
    if calibration is not None and not calibration.accepted:
        mood = "bad"
        sentence = (
            f"The instrument does not pass its calibration: {number(100 * calibration.deviation, 3)} % mean deviation, "
            f"{100 * ACCURACY:g} % allowed."
        )
    sections: dict[str, Sequence[Block | None]] = {
        "Error on the run": [_record(error), _numbers(error)],
        "Calibration": [] if calibration is None else [_transfer(calibration), _steady(calibration)],
        "Instrument": [_instrument(instrument)],
    }
    return page_with("Virtual instrument", source, PageVerdict(mood, sentence, details), sections)  # type: ignore[arg-type]


def _record(error: InstrumentError) -> Picture:
    chart, (panel, lower) = figures.chart(230, 110)
    panel.curve(error.place, error.true, "contact force, filtered alike", color=figures.GREY)
    panel.curve(error.place, error.read, "read by the instrument", color=figures.BLUE)
    lower.curve(error.place, error.read - error.true, color=figures.GREEN)
    panel.name("distance along the track (m)", "contact force (N)")
    lower.name("distance along the track (m)", "error (N)")
    return Picture("instrument_record", "Contact force, as it is and as it is read", chart, "Assessed section.")


def _numbers(error: InstrumentError) -> PageTable:
    pairs: dict[str, Callable[[np.ndarray], float]] = {
        "mean force": np.mean,
        "standard deviation": np.std,
        "largest force": np.max,
        "smallest force": np.min,
    }
    rows = [
        [f"{name} [N]", *(number(float(of(v)), 4) for v in (error.true, error.read)),
         number(float(of(error.read)) - float(of(error.true)), 3)]
        for name, of in pairs.items()
    ]  # fmt: skip
    return PageTable("Numbers", ["", "true", "read", "error"], rows)


def _transfer(calibration: InstrumentCalibration) -> Picture:
    chart, (panel,) = figures.chart(180)
    panel.curve(calibration.frequencies, np.abs(calibration.transfer), "read over applied force", color=figures.BLUE)
    for y in (1.0 - ACCURACY, 1.0 + ACCURACY):
        panel.rule(y=y, color=figures.GREY, dash=figures.DOTTED)
    panel.name("frequency (Hz)", "amplitude ratio (1)")
    words = (
        f"A sine of force on the head, before the filter. Mean deviation {number(100 * calibration.deviation, 3)} %; "
        f"{100 * ACCURACY:g} % allowed (EN 50317, as recalled)."
    )
    return Picture("instrument_transfer", "Dynamic calibration", chart, words)


def _steady(calibration: InstrumentCalibration) -> PageTable:
    rows = [
        ["gain", number(calibration.gain, 5), "1"],
        ["offset", number(calibration.offset, 3), "N"],
        ["largest deviation of a steady force, over places across the head", number(calibration.worst, 3), "N"],
        ["standard deviation of the noise after the filter", number(calibration.noise, 3), "N"],
    ]
    return PageTable("Steady calibration and noise", ["", "Value", "Unit"], rows)


def _instrument(instrument: Instrument) -> PageTable:
    mass, lift = instrument.correction
    rows = [
        ["strips, load cells", f"{instrument.strips}, {instrument.cells}", ""],
        ["mass above the cells, corrected", f"{number(instrument.mass_above, 3)}, {number(mass, 3)}", "kg"],
        ["lift above the cells, corrected", f"{number(instrument.lift_above, 3)}, {number(lift, 3)}", "N·s²/m²"],
        ["filter", f"order {instrument.order}, {instrument.cutoff:g}", "Hz"],
        ["sampling", f"{instrument.sampling:g}", "Hz"],
        ["delay", number(1e3 * instrument.delay, 3), "ms"],
        [
            "noise of a cell, of the accelerometers",
            f"{instrument.cell_noise:g} N, {instrument.accelerometer_noise:g} m/s²",
            "",
        ],
    ]
    return PageTable("", ["", "Value", "Unit"], rows)
