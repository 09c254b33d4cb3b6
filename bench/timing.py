"""Timing of benchmarks: interleaved repeats, median and spread, after a warm-up."""

from collections.abc import Callable, Sequence
from time import perf_counter, process_time
from typing import Any, final

import numpy as np

from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.integrators.table_alpha import TabledMarch
from panhead.engine.methods.trajectory import Problem, Trajectory
from panhead.runs.scenarios.shipped_models import ShippedModel


def interleaved(
    runs: dict[str, Callable[[], object]], repeats: int = 7, clock: Callable[[], float] = perf_counter
) -> dict[str, np.ndarray]:
    """Seconds of every run, ``repeats`` times in turn, so that a busy moment hits all of them alike."""
    for run in runs.values():
        run()
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            start = clock()
            run()
            seconds[name].append(clock() - start)
    return {name: np.array(values) for name, values in seconds.items()}


def spread(seconds: np.ndarray, per: float = 1.0, unit: float = 1.0) -> str:
    """``median [low–high]`` of seconds divided by ``per`` and expressed in ``unit`` seconds."""
    low, middle, high = np.quantile(seconds / per / unit, [0.0, 0.5, 1.0])
    return f"{middle:.3g} [{low:.3g}–{high:.3g}]"


@final
class Marching:
    """Steps of the generalized-α method over a shipped model, compiled before they are timed."""

    def __init__(self, shipped: ShippedModel, duration: float, dt: float, **options: Any) -> None:
        self.system, self.start, self.steps, self.dt = (shipped.system, shipped.start, round(duration / dt), dt)
        self.options = options
        self.last: Any = None
        self._march(5, 5).trajectory()

    def _march(self, steps: int, every: int, **options: Any) -> TabledMarch:
        problem = Problem(
            system=self.system,
            start=self.start,
            t=np.arange(steps + 1) * self.dt,
            u=np.zeros((steps + 1, 0)),
            every=every,
        )
        families = self.system.families
        assert families is not None
        return TabledMarch(GeneralizedAlpha(**self.options | options), problem, families)

    def milliseconds(self) -> float:
        """Processor time per step of one run that stores only its last state [ms]."""
        march = self._march(self.steps, self.steps)
        begin = process_time()
        self.last = march.trajectory()
        return 1e3 * (process_time() - begin) / self.steps

    def every_step(self, **options: Any) -> Trajectory:
        """Motion with every step stored."""
        return self._march(self.steps, 1, **options).trajectory()


def ratio(theirs: Sequence[float], ours: Sequence[float]) -> str:
    """``median [low–high]`` of pairs taken next to each other."""
    return spread(np.array(theirs) / np.array(ours))
