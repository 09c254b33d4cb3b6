"""A reference integrator that shares nothing with the package's.

Gragg's modified midpoint rule with 2, 4, … 2k substeps, extrapolated to zero step by
Aitken–Neville in h² (Bulirsch and Stoer): order 2k with a fixed step. k = 8 and steps that
resolve the motion reach the round-off of double precision, so halving the step is the
error estimate.
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np

Rate = Callable[[float, np.ndarray], np.ndarray]


def _midpoint(f: Rate, t: float, x: np.ndarray, step: float, n: int) -> np.ndarray:
    """Gragg's rule with n (even) substeps and the closing smoothing step."""
    h = step / n
    before, now = x, x + h * f(t, x)
    for i in range(1, n):
        before, now = now, before + 2.0 * h * f(t + i * h, now)
    return 0.5 * (before + now + h * f(t + step, now))


def extrapolated_step(f: Rate, t: float, x: np.ndarray, step: float, columns: int = 8) -> np.ndarray:
    """x(t + step) of ẋ = f(t, x), order 2·columns."""
    n = 2 * np.arange(1, columns + 1)
    row: list[np.ndarray] = []
    for i in range(columns):
        new = [_midpoint(f, t, x, step, int(n[i]))]
        for k in range(1, i + 1):
            ratio = (n[i] / n[i - k]) ** 2
            new.append(new[k - 1] + (new[k - 1] - row[k - 1]) / (ratio - 1.0))
        row = new
    return row[-1]


def integrate(f: Rate, times: np.ndarray, x0: np.ndarray, step: float, columns: int = 8) -> np.ndarray:
    """States (nt, nx) at `times` (nt,), with steps of at most `step`."""
    x = np.array(x0, dtype=float)
    states = [x]
    for t0, t1 in pairwise(times):
        n = max(1, int(np.ceil((t1 - t0) / step - 1e-9)))
        for i in range(n):
            x = extrapolated_step(f, t0 + i * (t1 - t0) / n, x, (t1 - t0) / n, columns)
        states.append(x)
    return np.array(states)
