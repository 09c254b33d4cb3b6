"""Posterior of ten parameters from three passages of 1 km, by Laplace and by Hamiltonian Monte Carlo.

python bench/calibration.py --draws 50 --workers 2
"""

import argparse
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from panhead.errors import RunWarning
from panhead.explore.calibration.calibration_description import Calibration, MeasuredPassage, UnknownParameter
from panhead.explore.calibration.calibration_problem import problem_of
from panhead.explore.calibration.laplace import covariance
from panhead.explore.calibration.run_calibration import conduct
from panhead.runs.batch import simulate_batch
from panhead.validation.calibration.twins import INSTRUMENT, true_runs
from panhead.validation.calibration.twins import measure as write_records

SPEEDS = (60.0, 68.0, 76.0)
SEED = 10
UNKNOWNS = (
    ("pantograph.mass", "*stage 1", "20 %"),
    ("pantograph.mass", "*stage 2", "20 %"),
    ("pantograph.stiffness", "*stage 2", "20 %"),
    ("pantograph.damping", "*stage 1", "30 %"),
    ("pantograph.static_force", "*", "10 %"),
    ("contact.stiffness", "*", "20 %"),
    ("wire.tension", "contact", "5 %"),
    ("wire.tension", "messenger", "5 %"),
    ("wire.mass_damping", "contact", "50 %"),
    ("wire.mass", "contact", "3 %"),
)
RUN = {
    "line_changes": {"tension_lengths": [{"name": "T", "spans": [{"length": 60.0, "count": 22, "dropper_count": 9}]}]},
    "numerics": {"step": 2e-3, "element_length": 2.0, "coarse": True},
    "journey": {"judged_from": 180.0, "judged_to": 1180.0, "stop": 1240.0},
}


def calibration_of(posterior: str, draws: int, chains: int) -> Calibration:
    """Three passages of 1 km at three speeds, the noise of the instrument not told."""
    passages = tuple(
        MeasuredPassage(
            run="en50318-300", name=f"passage {k}", measured=(f"passage-{k}.csv",), changes=RUN | {"speed": speed},
            instrument=replace(INSTRUMENT, cell_noise=0.0),
        )
        for k, speed in enumerate(SPEEDS)
    )  # fmt: skip
    unknowns = tuple(UnknownParameter(parameter=p, names=n, within=w) for p, n, w in UNKNOWNS)
    return Calibration(
        passages=passages, unknowns=unknowns, posterior=posterior, draws=draws, chains=chains, leave_out=False
    )


def measure(*, long: bool = False) -> dict[str, object]:
    """Laplace's approximation; with ``long`` chains, too."""
    return measure_posterior("laplace") | (measure_posterior("hmc", workers=2) if long else {})


def measure_posterior(posterior: str, *, draws: int = 50, chains: int = 2, workers: int = 1) -> dict[str, object]:
    """Time on the wall and of this process, errors in standard deviations, and what the chains say of themselves."""
    calibration = calibration_of(posterior, draws, chains)
    x = np.random.default_rng(SEED).standard_normal(len(UNKNOWNS))
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        folder = Path(name)
        write_records(simulate_batch(true_runs(calibration, x)), folder, SEED)
        begun, own = perf_counter(), process_time()
        problem = problem_of("bench", calibration, folder)
        found = conduct(problem, folder / "out", folder, workers=workers, told=_print_progress)
        wall, own = perf_counter() - begun, process_time() - own
    scores = (found.estimate.z[: x.size] - x) / np.sqrt(np.diag(covariance(found.estimate)))[: x.size]
    figures: dict[str, object] = {
        f"{posterior}, wall, min": wall / 60.0,
        f"{posterior}, processor time of this process, min": own / 60.0,
        f"{posterior}, runs": found.runs,
        f"{posterior}, errors over standard deviations, rms": float(np.sqrt(np.mean(scores**2))),
        f"{posterior}, difference of Jᵀr from the exact gradient": found.estimate.gradient_error,
    }
    if found.samples is None:
        return figures
    draws_of_all = found.samples.z.reshape(-1, found.samples.z.shape[-1])
    laplace = np.sqrt(np.diag(covariance(found.estimate)))
    return figures | {
        "chains, accepted": found.samples.accepted,
        "chains, diverged": found.samples.divergent,
        "chains, largest R̂": float(found.samples.r_hat.max()),
        "chains, least effective draws": float(found.samples.effective.min()),
        "chains, standard deviations over Laplace's": np.round(draws_of_all.std(axis=0) / laplace, 2)[: x.size],
    }


def _print_progress(share: float, words: str) -> None:
    print(f"  {process_time():7.1f} s {100 * share:3.0f} % {words}", flush=True)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--draws", type=int, default=50)
    options.add_argument("--chains", type=int, default=2)
    options.add_argument("--workers", type=int, default=1)
    options.add_argument("--posterior", default="hmc")
    given = options.parse_args()
    for name, value in measure_posterior(
        given.posterior, draws=given.draws, chains=given.chains, workers=given.workers
    ).items():
        print(f"{name}: {value}")
