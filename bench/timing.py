"""How the benches take time: interleaved repeats, median and spread, after a warm-up."""

from collections.abc import Callable
from time import perf_counter

import numpy as np


def interleaved(runs: dict[str, Callable[[], object]], repeats: int = 7) -> dict[str, np.ndarray]:
    """Seconds of every run, ``repeats`` times in turn, so that a busy moment hits all of them alike."""
    for run in runs.values():
        run()
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            start = perf_counter()
            run()
            seconds[name].append(perf_counter() - start)
    return {name: np.array(values) for name, values in seconds.items()}


def spread(seconds: np.ndarray, per: float = 1.0, unit: float = 1.0) -> str:
    """``median [low–high]`` of seconds divided by ``per`` and expressed in ``unit`` seconds."""
    low, middle, high = np.quantile(seconds / per / unit, [0.0, 0.5, 1.0])
    return f"{middle:.3g} [{low:.3g}–{high:.3g}]"
