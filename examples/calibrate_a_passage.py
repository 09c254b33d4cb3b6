"""Find head mass, static force and wire tension from a measured passage, with their uncertainty.

The measurement is a run with other parameters, read by a virtual EN 50317 instrument with four noisy load cells. From
the record the parameters are found by exact gradients; the page tells which intervals hold, and what noise does not
explain.
"""

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

import panhead as ph
from panhead.desk.evidence.instrument_record import write_record
from panhead.desk.evidence.virtual_instrument import Instrument
from panhead.explore.calibration.calibration_description import Calibration, MeasuredPassage, UnknownParameter

#: The largest error of the three parameters in their own standard deviations [1]; of a right method rarely above 3.
EXPECTED = (0.0, 3.0)

SHORT = {
    "speed": 60.0,
    "line_changes": {"tension_lengths": [{"name": "T", "spans": [{"length": 50.0, "count": 4, "dropper_count": 5}]}]},
    "numerics": {"step": 2e-3, "element_length": 2.0, "coarse": True},
    "journey": {"judged_from": 60.0, "judged_to": 150.0, "stop": 165.0, "ramp": 0.4, "run_in": 10.0},
}
TRUE = {"mass": 8.0, "static_force": 114.0, "tension": 20800.0}
COACH = Instrument(mass_above=3.0, cell_noise=2.0)
WITHIN = {"pantograph.mass": "20 %", "pantograph.static_force": "10 %", "wire.tension": "5 %"}
NAMES = {"pantograph.mass": "*stage 1", "wire.tension": "contact"}


def measured(folder: Path) -> None:
    """A record of the truth."""
    head = {"stages": {"0": {"mass": TRUE["mass"]}}, "static_force": TRUE["static_force"]}
    tension = {"wires": {"contact": {"tension": TRUE["tension"]}}}
    line = SHORT["line_changes"] | tension
    changes = SHORT | {"line_changes": line, "train": [{"pantograph": "en50318-2002", "changes": head}]}
    result = ph.run("en50318-300", changes=changes)
    write_record(folder / "record.csv", replace(COACH, seed=1), result.isel(pantograph=0), shift=0.2)


def main() -> float:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        measured(folder)
        record = str(folder / "record.csv")
        passage = MeasuredPassage(run="en50318-300", measured=(record,), changes=SHORT, instrument=COACH)
        unknowns = tuple(UnknownParameter(parameter=p, names=NAMES.get(p, "*"), within=w) for p, w in WITHIN.items())
        found = ph.calibrate(Calibration(passages=(passage,), unknowns=unknowns), folder / "out")
    errors = [(p.value - true) / p.deviation for p, true in zip(found.parameters, TRUE.values(), strict=True)]
    for p in found.parameters:
        print(f"{p.title}: {p.value:.5g} ± {p.deviation:.2g} {p.unit}, before {p.prior:.5g}")
    return float(np.abs(errors).max())


if __name__ == "__main__":
    main()
