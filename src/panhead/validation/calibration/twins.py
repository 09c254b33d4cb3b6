"""Twin experiments: parameters drawn from the prior, a run of them read through a noisy instrument, and calibrated.

The truth is not computed by the code that fits: its runs advance in lanes or on a finer mesh, and are read from their
results by the virtual instrument into files. ``python -m panhead.validation.calibration.twins 100`` repeats it so
many times.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.desk.evidence.instrument_record import write_record
from panhead.desk.evidence.virtual_instrument import Instrument
from panhead.errors import RunWarning
from panhead.explore.calibration.calibration_description import Calibration, MeasuredPassage, UnknownParameter
from panhead.explore.calibration.calibration_problem import CalibrationProblem, problem_of, read_parts
from panhead.explore.calibration.laplace import covariance
from panhead.explore.calibration.map_estimate import MapEstimate, maximise
from panhead.explore.calibration.unknowns import coordinates_of, parts_at
from panhead.runs.batch import simulate_batch
from panhead.runs.description import Run
from panhead.runs.simulate import simulate

if TYPE_CHECKING:
    import xarray as xr

QUANTILE = 1.6448536269514722  #: of a 90 % interval
UNKNOWNS = (
    UnknownParameter(parameter="pantograph.mass", names="*stage 1", within="20 %"),
    UnknownParameter(parameter="pantograph.static_force", within="10 %"),
    UnknownParameter(parameter="wire.tension", names="contact", within="5 %"),
)
SHORT: dict[str, Any] = {
    "line_changes": {"tension_lengths": [{"name": "T", "spans": [{"length": 50.0, "count": 4, "dropper_count": 5}]}]},
    "numerics": {"step": 2e-3, "element_length": 2.0, "coarse": True},
    "journey": {"judged_from": 60.0, "judged_to": 150.0, "stop": 165.0, "ramp": 0.4, "run_in": 10.0},
}
INSTRUMENT = Instrument(mass_above=3.0, cell_noise=2.0)


@dataclass(frozen=True, slots=True)
class Twin:
    """A calibration beside the truth it should find."""

    problem: CalibrationProblem
    estimate: MapEstimate
    true: np.ndarray  #: (parameters,) coordinates of the truth

    @property
    def deviations(self) -> np.ndarray:
        """Standard deviations of the parameters (parameters,)."""
        return np.sqrt(np.diag(covariance(self.estimate)))[: self.true.size]

    @property
    def scores(self) -> np.ndarray:
        """Errors in standard deviations (parameters,)."""
        return (self.estimate.z[: self.true.size] - self.true) / self.deviations


def calibration_of(speeds: Sequence[float], **given: Any) -> Calibration:
    """A calibration of short passages at some speeds; by default the noise of the instrument is not told."""
    instrument = given.pop("instrument", replace(INSTRUMENT, cell_noise=0.0))
    passages = tuple(
        MeasuredPassage(
            run="en50318-300", name=f"passage {k}", measured=(f"passage-{k}.csv",), changes=SHORT | {"speed": speed},
            instrument=instrument,
        )
        for k, speed in enumerate(speeds)
    )  # fmt: skip
    return Calibration(passages=passages, unknowns=given.pop("unknowns", UNKNOWNS), **given)


def true_runs(calibration: Calibration, x: np.ndarray) -> list[Run]:
    """Runs of the truth."""
    looked, parts = read_parts(calibration, Path())
    true = parts_at(parts, coordinates_of(calibration.unknowns, parts), x)
    return [one.of(true) for one in looked]


def measure(results: Sequence[xr.Dataset], folder: Path, seed: int, instrument: Instrument = INSTRUMENT) -> None:
    """Read every result through the noisy instrument, with places that are wrong by some decimetres."""
    rng = np.random.default_rng(seed)
    for k, result in enumerate(results):
        noisy = replace(instrument, seed=1000 * seed + k)
        write_record(folder / f"passage-{k}.csv", noisy, result.isel(pantograph=0), shift=float(rng.normal(0.0, 0.3)))


def twin(seed: int, speeds: Sequence[float] = (60.0,), *, finer: bool = False, **given: Any) -> Twin:
    """One twin experiment; ``finer``: the truth is run plainly with half the step and half the element length."""
    rng = np.random.default_rng(seed)
    calibration = calibration_of(speeds, **given)
    x = rng.standard_normal(len(calibration.unknowns))
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        folder, runs = Path(name), true_runs(calibration, x)
        results: list[Any] = [simulate(_finer(run)) for run in runs] if finer else simulate_batch(runs)
        measure(results, folder, seed)
        problem = problem_of("twin", calibration, folder)
    return Twin(problem, maximise(problem.misfit, calibration.iterations, exact=False), x)


def _finer(run: Run) -> Run:
    n = run.numerics
    return replace(run, numerics=replace(n, step=0.5 * n.step, element_length=0.5 * n.element_length))


def coverage(seeds: Sequence[int]) -> tuple[int, int, np.ndarray]:
    """How many 90 % intervals hold the truth, of how many, and the scores of all."""
    scores = np.array([twin(seed).scores for seed in seeds])
    return int((np.abs(scores) <= QUANTILE).sum()), scores.size, scores


def _main() -> None:
    inside, count, scores = coverage(range(1, 1 + int(sys.argv[1])))
    print(f"{inside} of {count} intervals of 90 % hold the truth: {100 * inside / count:.1f} %")
    print(
        "each parameter",
        (np.abs(scores) <= QUANTILE).mean(axis=0),
        "mean",
        scores.mean(axis=0),
        "sd",
        scores.std(axis=0),
    )


if __name__ == "__main__":
    _main()
