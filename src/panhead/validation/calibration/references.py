"""Twin experiments with known truth, models wrong on purpose, samplers and a bench test against closed forms."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from panhead.desk.evidence.instrument_error import calibrate_instrument, error_on_run, filtered_noise
from panhead.desk.evidence.virtual_instrument import Instrument
from panhead.errors import RunWarning
from panhead.explore.calibration.bench_identification import identify
from panhead.explore.calibration.calibration_problem import problem_of
from panhead.explore.calibration.chain_diagnostics import split_r_hat
from panhead.explore.calibration.hmc import Whitened, rotate, sample
from panhead.explore.calibration.laplace import left_open
from panhead.explore.calibration.map_estimate import maximise
from panhead.explore.calibration.residual_checks import distrust, trace_residuals
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph, read_pantograph
from panhead.runs.batch import simulate_batch
from panhead.runs.description import Run
from panhead.validation.calibration.twins import INSTRUMENT, calibration_of, coverage, measure, true_runs, twin
from panhead.validation.checks import AFTER, BEFORE, CLOSED_FORM, Check, at_least, below, near

_SEEDS = range(1, 13)
#: intervals of 90 % of 36 that hold the truth: all but one in a hundred sets of a right method
_INSIDE = (27, 36)


def calibration() -> list[Check]:
    """All rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        return [*_twins(), *_wrong_models(), *_samplers(), *_bench(), *_instrument()]


def _twins() -> Iterator[Check]:
    inside, count, _ = coverage(_SEEDS)
    words = (
        f"binomial, {count} intervals of twin experiments whose truth ran in lanes and was read by the noisy instrument"
    )
    yield Check(
        quantity="90 % intervals that hold the truth", value=float(inside), unit="1", reference=0.9 * count,
        low=float(_INSIDE[0]), high=float(_INSIDE[1]), source=words, bound_by=BEFORE,
    )  # fmt: skip
    fine = twin(101, (60.0, 70.0), finer=True)
    worst = float(np.abs(fine.scores).max() * fine.deviations.max())
    yield below(
        "error where the truth has half the step and mesh, in deviations of the prior", worst, 0.5, "1",
        "the truth", by=BEFORE,
    )  # fmt: skip
    estimate, misfit = fine.estimate, fine.problem.misfit
    exact = misfit.potential_and_gradient(estimate.z)[1] - estimate.z
    off = np.abs(estimate.J.T @ estimate.r - exact) / np.linalg.norm(estimate.J, axis=0)
    yield below(
        "gradient by backward sweeps against differenced residuals, in posterior deviations", float(off.max()), 0.05,
        "1", "central differences over runs", by=BEFORE,
    )  # fmt: skip
    loose = left_open(misfit.coordinates, estimate)
    yield below(
        "combinations told as open where all are determined", float(len(loose)), 0.5, "1", "the twin", by=BEFORE
    )


def _wrong_models() -> Iterator[Check]:
    """Structural errors in the truth that the fitted model cannot make: the fit must be distrusted."""
    cases = {
        "dry friction in the head for a damper": _with_friction,
        "registration arms that the model lacks": _with_arms,
    }
    for words, change in cases.items():
        given = calibration_of((60.0,), instrument=INSTRUMENT)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            runs = [change(run) for run in true_runs(given, np.zeros(3))]
            measure(simulate_batch(runs), folder, 7)  # type: ignore[arg-type]
            problem = problem_of("wrong", given, folder)
        estimate = maximise(problem.misfit, given.iterations, exact=False)
        doubts = distrust(trace_residuals(problem.misfit, estimate, problem.misfit.series(estimate.z)))
        yield at_least(f"distrusted: {words}", float(len(doubts)), 1.0, "1", "structural error in the truth", by=AFTER)
    right = twin(201, instrument=INSTRUMENT)
    series = right.problem.misfit.series(right.estimate.z)
    doubts = distrust(trace_residuals(right.problem.misfit, right.estimate, series))
    yield below("distrusted: the right model", float(len(doubts)), 0.5, "1", "the twin", by=BEFORE)


def _with_friction(run: Run) -> Run:
    on = run.train[0]
    p = on.pantograph
    assert isinstance(p, LumpedPantograph)  # resolved by the calibration
    head = replace(p.stages[0], damping=0.0, friction=12.0, friction_speed=0.01)
    return replace(run, train=(replace(on, pantograph=replace(p, stages=(head, *p.stages[1:]))),))


def _with_arms(run: Run) -> Run:
    """Registration arms at the masts, of which the fitted line knows nothing."""
    line = run.line
    assert not isinstance(line, str)  # resolved by the calibration
    return replace(run, line=replace(line, support=replace(line.support, contact_mass=2.0, contact_damping=20.0)))


def _samplers() -> Iterator[Check]:
    """A linear problem with normal noise, whose posterior is known: N(H⁻¹Aᵀy, H⁻¹), H = AᵀA + I."""
    rng = np.random.default_rng(11)
    n, A = 5, rng.normal(size=(30, 5))
    y = A @ rng.normal(size=n) + rng.normal(size=30)
    H = A.T @ A + np.eye(n)
    mean, deviation = np.linalg.solve(H, A.T @ y), np.sqrt(np.diag(np.linalg.inv(H)))
    value = lambda z: 0.5 * float((A @ z - y) @ (A @ z - y) + z @ z)
    both = lambda z: (value(z), A.T @ (A @ z - y) + z)
    rough = Whitened(mean + 0.3 * deviation, np.diag(np.sqrt(np.diag(H))))  # a wrong centre and metric, on purpose
    for words, draw in (
        ("HMC", lambda k: sample(both, rough, 1500, 300, np.random.default_rng(k))),
        ("surrogate", lambda k: rotate(value, rough, 1500, 300, np.random.default_rng(k))),
    ):
        z = np.array([draw(k).z for k in range(4)])
        off = np.abs(z.mean(axis=(0, 1)) - mean) / deviation
        spread = z.reshape(-1, n).std(axis=0) / deviation
        source = "N(H⁻¹Aᵀy, H⁻¹)"
        yield below(f"{words}: mean, in standard deviations", float(off.max()), 0.15, "1", source, by=CLOSED_FORM)
        yield below(f"{words}: standard deviation over the exact one, less 1", float(np.abs(spread - 1).max()), 0.1,
                    "1", source, by=CLOSED_FORM)  # fmt: skip
        r_hat = max(split_r_hat(z[:, :, k]) for k in range(n))
        yield below(f"{words}: largest R̂ less 1", r_hat - 1.0, 0.05, "1", "chains from different starts", by=BEFORE)


def _bench() -> Iterator[Check]:
    """Response of a head by modes, not by the matrix that is fitted, with noise of 2 %."""
    p = read_pantograph("benchmark-2015")
    f = np.linspace(0.4, 30.0, 150)
    clean = _modal_response(p, f)
    inside = count = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        noise = 0.02 * (rng.standard_normal(f.size) + 1j * rng.standard_normal(f.size))
        found = identify(f, clean * (1.0 + noise), 3)
        true = [s.mass for s in p.stages] + [s.stiffness for s in p.stages] + [s.damping for s in p.stages]
        for k, value in enumerate(true):
            if value == p.stages[1].damping and k == 7:
                continue  # 0.1 N·s/m leaves no trace in the response
            low, high = found.interval(k)
            inside, count = inside + (low <= value <= high), count + 1
    yield Check(
        quantity="bench test: 90 % intervals that hold the truth", value=float(inside), unit="1", reference=0.9 * count,
        low=24.0, high=32.0, source=f"binomial, {count} intervals; response by complex modes", bound_by=BEFORE,
    )  # fmt: skip
    two = identify(f, clean * (1.0 + 0.005 * np.random.default_rng(1).standard_normal(f.size)), 2)
    yield at_least(
        "bench test: two masses for three are doubted", float(len(two.doubts)), 1.0, "1", "three masses", by=BEFORE
    )


def _modal_response(p, f: np.ndarray) -> np.ndarray:  # type: ignore[no-untyped-def]
    """R(ω) = Σ φ₁²/(a (iω − s)) over the complex modes of the state matrix."""
    M, C, K = p.matrices()
    n = len(M)
    state = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    s, right = np.linalg.eig(state)
    force = np.linalg.solve(right, np.concatenate([np.zeros(n), np.linalg.inv(M)[:, 0]]))
    return np.array([(right[0] * force / (2j * np.pi * x - s)).sum() for x in f])


def _instrument() -> Iterator[Check]:
    given = calibration_of((60.0,))
    result = simulate_batch(true_runs(given, np.zeros(3)))[0]
    one = result.isel(pantograph=0)  # type: ignore[union-attr]
    many = [error_on_run(replace(INSTRUMENT, seed=k), one) for k in range(40)]
    told = float(np.mean([e.rms**2 for e in many]) ** 0.5)
    yield near("noise of the instrument after its filter, over 40 readings", told, filtered_noise(INSTRUMENT), "N",
               "σ (2 ∫ |H|² df/f_s)^½", by=CLOSED_FORM, rel=0.1)  # fmt: skip
    p = read_pantograph("benchmark-2015")
    plain = calibrate_instrument(Instrument(mass_above=3.0, mass_corrected=0.0), p)
    above = np.array([1.0 + 3.0 * (2 * np.pi * x) ** 2 * _modal_response(p, np.array([x]))[0] for x in (2.0, 12.0)])
    at = np.interp([2.0, 12.0], plain.frequencies, np.abs(plain.transfer))
    yield below("transfer of an uncorrected mass against 1 + m ω² R", float(np.abs(at - np.abs(above)).max()), 5e-3,
                "1", "receptance by complex modes", by=CLOSED_FORM)  # fmt: skip
    perfect = calibrate_instrument(Instrument(mass_above=3.0), p)
    yield below("mean deviation of a corrected instrument", perfect.deviation, 1e-12, "1", "1", by=CLOSED_FORM)
