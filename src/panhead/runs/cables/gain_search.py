"""Search for control parameters on the model itself: coarse grid, then Nelder–Mead simplex [Nelder65]."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import scipy.optimize

from panhead.engine.jobs import Job
from panhead.errors import SimulationError
from panhead.runs.cables.cables_assembly import assemble
from panhead.runs.cables.cables_march import CURVES, CableMarch, march_of
from panhead.runs.cables.cables_options import HeadLaw
from panhead.runs.cables.cables_statics import RestingLine
from panhead.runs.checkpoints import EvaluationCache
from panhead.runs.resolve import ResolvedRun

_REACH = 0.4  # of the first simplex, in logarithms
Cost = Callable[[Mapping[str, float]], float]  #: of a law's numbers [N]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class BestNumbers:
    """Best parameters found, their cost, and every trial."""

    numbers: Mapping[str, float]
    cost: float  #: [N]
    trials: Sequence[tuple[Mapping[str, float], float]]


def search_gains(resolved: ResolvedRun, line: RestingLine, law: HeadLaw | None, job: Job) -> HeadLaw | None:
    """Control law with the parameters that its search finds."""
    if law is None or law.search is None:
        return law
    known, tried = EvaluationCache(job, "law", resolved.run, resolved.line, law), trial_cost(resolved, line, law)

    def cost(numbers: Mapping[str, float]) -> float:
        return float(known.at(np.array([*numbers.values()]), lambda: np.array([tried(numbers)]))[0])

    found = grid_and_simplex(cost, law.search.grid, evaluations=law.search.evaluations)
    return law.at(found.numbers)


def trial_cost(resolved: ResolvedRun, line: RestingLine, law: HeadLaw) -> Cost:
    """σ of the contact force in a short run with given parameters; nothing is recompiled."""
    search = law.search
    assert search is not None
    first = law.at(search.first)
    whole = assemble(resolved, line, first)
    steps = round(search.duration / resolved.run.numerics.step)

    def cost(numbers: Mapping[str, float]) -> float:
        tried = law.at(numbers)
        damped = tried.controller() is None
        march = march_of(whole.with_damper(numbers) if damped else whole, tried, steps=steps)
        return _deviation(march)

    return cost


def _deviation(march: CableMarch) -> float:
    """σ of the contact force [N]; a law with which the run fails gets a bad cost."""
    try:
        march.run()
    except SimulationError:
        return float("inf")
    return float(march.streams.table(CURVES)[:, 0].std())


def grid_and_simplex(cost: Cost, grid: Mapping[str, Sequence[float]], *, evaluations: int = 30) -> BestNumbers:
    """Evaluate every point of the grid, then a simplex from the best one in the logarithms of the parameters."""
    names = list(grid)
    trials: list[tuple[dict[str, float], float]] = []

    def tried(values: Sequence[float]) -> float:
        numbers = dict(zip(names, map(float, values), strict=True))
        trials.append((numbers, cost(numbers)))
        return trials[-1][1]

    for values in itertools.product(*grid.values()):
        tried(values)
    left = evaluations - len(trials)
    best = min(trials, key=lambda trial: trial[1])[0]
    if left > len(names):
        start = np.log([best[name] for name in names])
        simplex = start + np.vstack([np.zeros(len(names)), _REACH * np.eye(len(names))])
        scipy.optimize.minimize(
            lambda x: min(tried(np.exp(x)), 1e12),
            start,
            method="Nelder-Mead",
            options={"maxfev": left, "initial_simplex": simplex, "xatol": 0.02, "fatol": 1e-3},
        )
    numbers, least = min(trials, key=lambda trial: trial[1])
    return BestNumbers(numbers=numbers, cost=least, trials=tuple(trials))
