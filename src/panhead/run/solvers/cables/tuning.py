"""A law's numbers found by trial on the model itself: a coarse grid, then the simplex of Nelder and Mead [Nelder65]."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import scipy.optimize

from panhead.errors import SimulationError
from panhead.run.solvers.cables.assembly import Assembled
from panhead.run.solvers.cables.laws import Law
from panhead.run.solvers.cables.run import Record, Sampled, ridden

_REACH = 0.4  # of the first simplex, in logarithms
Cost = Callable[[Mapping[str, float]], float]  #: of a law's numbers [N]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The best numbers tried, their cost, and every trial."""

    numbers: Mapping[str, float]
    cost: float  #: [N]
    trials: Sequence[tuple[Mapping[str, float], float]]


def deviation(record: Record, *, since: float = 0.0) -> float:
    """σ of the contact force as computed [N]."""
    return float(record.curves["force"][record.time >= since].std())


def cost_of_damper(made: Assembled, *, duration: float, since: float = 0.0) -> Cost:
    """σ with other numbers of the damper in the model; nothing is compiled anew."""

    def cost(numbers: Mapping[str, float]) -> float:
        changed = made.with_damper(numbers)
        return _tried(lambda: ridden(changed, duration=duration), since)

    return cost


def cost_of_law(
    made: Assembled,
    make: Callable[[Mapping[str, float]], Law],
    *,
    duration: float,
    period: float = 1e-3,
    since: float = 0.0,
) -> Cost:
    """σ with a sampled law made of the numbers."""

    def cost(numbers: Mapping[str, float]) -> float:
        control = Sampled(law=make(numbers), period=period)
        return _tried(lambda: ridden(made, duration=duration, control=control), since)

    return cost


def _tried(run: Callable[[], Record], since: float) -> float:
    """A law with which the run fails is a bad law, not the end of the search."""
    try:
        return deviation(run(), since=since)
    except SimulationError:
        return float("inf")


def tuned(cost: Cost, grid: Mapping[str, Sequence[float]], *, evaluations: int = 30) -> Found:
    """Every point of the grid, then a simplex from the best one in the logarithms of the numbers."""
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
    return Found(numbers=numbers, cost=least, trials=tuple(trials))
