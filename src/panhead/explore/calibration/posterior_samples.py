"""Chains of a calibration, each in a process of its own, and what they tell together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from panhead.engine.jobs import ignore_progress
from panhead.errors import PanheadError
from panhead.explore.calibration.calibration_description import Calibration
from panhead.explore.calibration.chain_diagnostics import effective_size, split_r_hat
from panhead.explore.calibration.evaluations import Evaluations
from panhead.explore.calibration.hmc import MarkovChain, Whitened, rotate, sample
from panhead.explore.calibration.map_estimate import MapEstimate
from panhead.explore.calibration.misfit import Misfit
from panhead.runs.checkpoints.evaluation_cache import EvaluationCache

_MIXED = 1.05  # R̂ above which chains have not met
_FEWEST = 40.0  # effective draws below which intervals are rough


@dataclass(frozen=True, slots=True)
class PosteriorSamples:
    """Draws of all chains with their diagnostics."""

    z: np.ndarray  #: (chains, draws, size)
    r_hat: np.ndarray  #: (size,)
    effective: np.ndarray  #: (size,)
    accepted: float
    divergent: int

    @property
    def doubts(self) -> list[str]:
        """What makes the draws unsafe to use."""
        found = []
        if self.r_hat.max() > _MIXED:
            found.append(f"The chains have not met: largest R̂ {self.r_hat.max():.3f}; give more `draws`.")
        if self.effective.min() < _FEWEST:
            found.append(f"Only {self.effective.min():.0f} effective draws; intervals of the chains are rough.")
        if self.divergent:
            found.append(f"{self.divergent} trajectories diverged; the posterior is far from normal.")
        return found


def chain(
    misfit: Misfit, estimate: MapEstimate, calibration: Calibration, number: int,
    cache: EvaluationCache | None = None, told: Callable[[int], None] = lambda done: None,
) -> MarkovChain:  # fmt: skip
    """One chain of the sampler that the calibration asks for."""
    misfit.noise = dict(estimate.noise)
    space = Whitened(estimate.z, np.linalg.cholesky(estimate.hessian))
    rng = np.random.default_rng([calibration.seed, number])
    known = Evaluations(misfit, {} if cache is None else {"gradient": cache, "potential": cache})
    warm_up = max(10, calibration.draws // 4)
    if calibration.posterior == "surrogate":
        return rotate(partial(_potential, known), space, calibration.draws, warm_up, rng, told)
    return sample(partial(_gradient, known), space, calibration.draws, warm_up, rng, told)


def _potential(known: Evaluations, z: np.ndarray) -> float:
    try:
        return known.potential(z)
    except PanheadError:  # parameters of which no run can be computed
        return float("inf")


def _gradient(known: Evaluations, z: np.ndarray) -> tuple[float, np.ndarray]:
    try:
        return known.potential_and_gradient(z)
    except PanheadError:
        return float("inf"), np.zeros(z.size)


def gather(chains: list[MarkovChain]) -> PosteriorSamples:
    """All chains with their diagnostics."""
    z = np.array([one.z for one in chains])
    each = range(z.shape[2])
    return PosteriorSamples(
        z,
        np.array([split_r_hat(z[:, :, k]) for k in each]),
        np.array([effective_size(z[:, :, k]) for k in each]),
        float(np.mean([one.accepted for one in chains])),
        sum(one.divergent for one in chains),
    )


@dataclass(frozen=True, slots=True)
class ChainTask:
    """What a process needs to compute a chain: files are read again there."""

    name: str
    calibration: Calibration
    folder: Path  #: of the records
    out: Path  #: of the calibration
    estimate: MapEstimate
    number: int


def compute_chain(task: ChainTask, told: Callable[[float, str], None] = ignore_progress) -> MarkovChain:
    """Compute a chain, going on from what is in its folder."""
    from panhead.engine.jobs import Job
    from panhead.explore.calibration.calibration_problem import problem_of

    problem = problem_of(task.name, task.calibration, task.folder)
    fitted = [k for k, passage in enumerate(task.calibration.passages) if not passage.validate_only]
    total = task.calibration.draws + max(10, task.calibration.draws // 4)
    job = Job(out=task.out, resume=True)
    cache = EvaluationCache(job, f"chain-{task.number}", task.calibration, task.estimate.z.tolist())
    tell = lambda done: told(done / total, f"chain {task.number + 1}: {done} of {total}")
    return chain(problem.misfit.only(fitted), task.estimate, task.calibration, task.number, cache, tell)
