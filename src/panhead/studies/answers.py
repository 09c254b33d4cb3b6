"""Answers with their uncertainty: shares with Wilson's interval, quantiles by bootstrap, what drives a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import xarray as xr

_Z95 = 1.959963984540054  # of a two-sided 95 % interval
_RESAMPLED = 2000  # bootstrap repetitions


@dataclass(frozen=True, slots=True)
class Share:
    """An estimated probability and its 95 % interval."""

    count: int
    of: int
    low: float
    high: float

    @property
    def value(self) -> float:
        """The estimate."""
        return self.count / self.of if self.of else float("nan")


def wilson(count: int, of: int) -> Share:
    """The share count/of with Wilson's interval [Wilson27].

    (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n),  z = 1.96
    """
    if of == 0:
        return Share(0, 0, 0.0, 1.0)
    p, z2 = count / of, _Z95**2
    middle = (p + z2 / (2 * of)) / (1 + z2 / of)
    half = _Z95 * np.sqrt(p * (1 - p) / of + z2 / (4 * of**2)) / (1 + z2 / of)
    return Share(count, of, max(0.0, float(middle - half)), min(1.0, float(middle + half)))


@dataclass(frozen=True, slots=True)
class Spread:
    """How one judged number is distributed over the samples, in SI units."""

    key: str
    name: str
    unit: str
    mean: float
    mean_error: float  #: half of its 95 % interval
    deviation: float
    quantiles: tuple[float, float, float]  #: at 5, 50 and 95 %
    intervals: tuple[tuple[float, float], ...]  #: 95 % intervals of these
    limit: float | None
    failing: Share


def good(index: xr.Dataset) -> np.ndarray:
    """Which samples have been computed, (n,)."""
    return index["verdict"].to_numpy() != "failed"


def spreads(index: xr.Dataset, pantograph: int = 0, seed: int = 0) -> list[Spread]:
    """Every judged number of one pantograph."""
    use = good(index)
    found = []
    for k, key in enumerate(index["criterion"].to_numpy()):
        x = index["value"].to_numpy()[use, pantograph, k]
        limits = index["limit"].to_numpy()[use, pantograph, k]
        failing = int((index["failed"].to_numpy()[use, pantograph, k] > 0).sum())
        known = limits[np.isfinite(limits)]
        quantiles, intervals = _quantiles(x, seed)
        deviation = float(x.std(ddof=1)) if x.size > 1 else float("nan")
        found.append(
            Spread(
                str(key),
                str(index["criterion_name"].to_numpy()[k]),
                str(index["criterion_unit"].to_numpy()[k]),
                *mean_interval(x),
                deviation,
                quantiles,
                intervals,
                float(known[0]) if known.size else None,
                wilson(failing, int(x.size)),
            )
        )
    return found


def mean_interval(x: np.ndarray) -> tuple[float, float]:
    """The mean of samples (n,) and half of its 95 % interval by Student's t, t s/√n."""
    from scipy.special import stdtrit

    if x.size < 2:
        return float(x.mean()) if x.size else float("nan"), float("nan")
    return float(x.mean()), float(stdtrit(x.size - 1, 0.975) * x.std(ddof=1) / np.sqrt(x.size))


def _quantiles(x: np.ndarray, seed: int) -> tuple[tuple[float, float, float], tuple[tuple[float, float], ...]]:
    """Quantiles at 5, 50 and 95 % and their 95 % intervals by resampling."""
    if x.size < 2:
        value = float(x[0]) if x.size else float("nan")
        return (value, value, value), ((value, value),) * 3
    at = (0.05, 0.5, 0.95)
    q = np.quantile(x, at)
    drawn = np.random.default_rng(seed).integers(0, x.size, (_RESAMPLED, x.size))
    again = np.quantile(x[drawn], at, axis=1)  # (3, resampled)
    ends = np.quantile(again, (0.025, 0.975), axis=1).T
    return (float(q[0]), float(q[1]), float(q[2])), tuple((float(a), float(b)) for a, b in ends)


def not_compliant(index: xr.Dataset) -> Share:
    """The probability that a sample misses a limit, with any pantograph."""
    verdicts = index["verdict"].to_numpy()[good(index)]
    return wilson(int((verdicts == "not met").sum()), int(verdicts.size))


def running(index: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """The estimate of ``not_compliant`` over the number of samples, with its interval: n (m,), (m, 3)."""
    missed = index["verdict"].to_numpy()[good(index)] == "not met"
    at = np.unique(np.linspace(1, max(1, missed.size), min(200, max(1, missed.size))).astype(int))
    shares = [wilson(int(missed[:n].sum()), int(n)) for n in at]
    return at, np.array([[s.low, s.value, s.high] for s in shares])


def by_span(index: xr.Dataset, pantograph: int = 0) -> tuple[np.ndarray, list[Share]]:
    """Numbers of the judged spans, and the probability that the force leaves its limits in each."""
    use = good(index)
    keys = [str(k) for k in index["criterion"].to_numpy()]
    limits = {}
    for key in ("actual_max", "actual_min"):
        column = index["limit"].to_numpy()[use, pantograph, keys.index(key)] if key in keys else np.array([np.nan])
        limits[key] = column[0] if column.size else np.nan
    high = index["span_max"].to_numpy()[use, pantograph] > limits["actual_max"]
    low = index["span_min"].to_numpy()[use, pantograph] < limits["actual_min"]
    missed = high | low
    return index["span"].to_numpy(), [wilson(int(c), int(use.sum())) for c in missed.sum(axis=0)]


def ranks(inputs: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Rank correlation of each input (n, m) with values (n,): (m,), by Spearman."""
    from scipy.stats import rankdata

    x = rankdata(inputs, axis=0)
    y = rankdata(values)
    x, y = x - x.mean(axis=0), y - y.mean()
    scale = np.sqrt((x**2).sum(axis=0) * (y**2).sum())
    return np.asarray(np.divide(x.T @ y, scale, out=np.zeros(x.shape[1]), where=scale > 0))


def significant(n: int) -> float:
    """The rank correlation that n unrelated samples exceed in one case of twenty, 1.96/√(n − 1)."""
    return float(_Z95 / np.sqrt(max(1, n - 1)))
