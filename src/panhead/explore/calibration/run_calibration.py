"""Run a calibration: maximum, posterior, residuals, cross-validation, files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from panhead import __version__
from panhead.engine.jobs import Job, ignore_progress
from panhead.explore.calibration.calibration_problem import CalibrationProblem
from panhead.explore.calibration.cross_validation import LeftOut, leave_each_out
from panhead.explore.calibration.evaluations import Evaluations
from panhead.explore.calibration.hmc import MarkovChain
from panhead.explore.calibration.laplace import ParameterEstimate, left_open, parameter_estimates
from panhead.explore.calibration.map_estimate import MapEstimate, maximise
from panhead.explore.calibration.misfit import Misfit
from panhead.explore.calibration.posterior_samples import ChainTask, PosteriorSamples, compute_chain, gather
from panhead.explore.calibration.residual_checks import TraceResidual, distrust, trace_residuals
from panhead.runs.checkpoints.evaluation_cache import EvaluationCache
from panhead.runs.worker_processes import end, pool


@dataclass(frozen=True, slots=True)
class CalibrationOutcome:
    """Result of a calibration, as shown on its page."""

    problem: CalibrationProblem
    misfit: Misfit  #: of the passages that were fitted
    estimate: MapEstimate
    parameters: list[ParameterEstimate]
    open: list[str]  #: combinations that the data leave open
    residuals: list[TraceResidual]
    unseen: list[TraceResidual]  #: of passages that were only predicted
    left_out: list[LeftOut]
    samples: PosteriorSamples | None
    doubts: list[str]  #: why the fit is not to be trusted
    runs: int

    @property
    def trusted(self) -> bool:
        """True if noise explains the residuals."""
        return not self.doubts


def conduct(
    problem: CalibrationProblem, folder: Path, records: Path, *, workers: int = 1,
    told: Callable[[float, str], None] = ignore_progress,
) -> CalibrationOutcome:  # fmt: skip
    """Fit, sample and check; what an interrupted calibration has computed in the folder is used again."""
    calibration = problem.calibration
    fitted = [k for k, passage in enumerate(calibration.passages) if not passage.validate_only]
    misfit = problem.misfit.only(fitted)
    processes = pool(workers) if workers > 1 else None
    share = 0.5 if calibration.posterior != "laplace" else 0.9
    try:
        misfit.workers = processes
        known = Evaluations(misfit, _caches(problem, misfit, folder))
        estimate = maximise(misfit, calibration.iterations, lambda f, w: told(share * f, w), known)
        left_out = leave_each_out(misfit, estimate) if calibration.leave_out else []
        samples = None
        if calibration.posterior != "laplace":
            tasks = [
                ChainTask(problem.name, calibration, records, folder, estimate, k) for k in range(calibration.chains)
            ]
            samples = gather(_chains(tasks, processes, lambda f, w: told(share + (0.95 - share) * f, w)))
    except BaseException:
        if processes is not None:
            end(processes)
        raise
    if processes is not None:
        processes.shutdown()
    misfit.workers = None
    residuals = trace_residuals(misfit, estimate, known.series(estimate.z))
    unseen = _predictions(problem, estimate, [k for k in range(len(calibration.passages)) if k not in fitted])
    told(1.0, "checked")
    return CalibrationOutcome(
        problem, misfit, estimate, parameter_estimates(misfit.coordinates, estimate, calibration.confidence),
        left_open(misfit.coordinates, estimate), residuals, unseen, left_out, samples, distrust(residuals), misfit.runs,
    )  # fmt: skip


def _chains(
    tasks: Sequence[ChainTask], processes: ProcessPoolExecutor | None, told: Callable[[float, str], None]
) -> list[MarkovChain]:
    """All chains, one after the other or side by side."""
    if processes is None:
        return [compute_chain(task, partial(_part, told, k, len(tasks))) for k, task in enumerate(tasks)]
    futures = [processes.submit(compute_chain, task) for task in tasks]
    for done, _ in enumerate(as_completed(futures), 1):
        told(done / len(tasks), f"{done} of {len(tasks)} chains")
    return [future.result() for future in futures]


def _part(told: Callable[[float, str], None], number: int, count: int, share: float, words: str) -> None:
    told((number + share) / count, words)


def _predictions(problem: CalibrationProblem, estimate: MapEstimate, passages: list[int]) -> list[TraceResidual]:
    """Residuals of passages that were not fitted, with clocks aligned by correlation only."""
    if not passages:
        return []
    misfit = problem.misfit.only(passages)
    series = misfit.series(estimate.z)
    misfit.estimate_noise(estimate.z, series, 0)
    return trace_residuals(misfit, estimate, series, fitted=False)


def _caches(problem: CalibrationProblem, misfit: Misfit, folder: Path) -> dict[str, EvaluationCache]:
    """Jacobians of an interrupted search of the same inputs."""
    data = hashlib.sha256(b"".join(t.data.tobytes() + t.instants.tobytes() for t in misfit.traces)).hexdigest()
    runs = [misfit.run(k, np.zeros(misfit.size)) for k in range(len(misfit.models))]
    inputs = (__version__, problem.calibration, runs, data)
    job = Job(out=folder, resume=True)
    return {name: EvaluationCache(job, name, *inputs) for name in ("one-sided", "central")}
