"""Estimates with their 95 % intervals: means, shares and quantiles, plain or sharpened by a control variate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Z95 = 1.959963984540054  # of a two-sided 95 % interval
_AT = (0.05, 0.5, 0.95)  # quantiles
_RESAMPLED = 2000  # bootstrap repetitions
_FEW = 4  # samples below which a part of a control's distribution tells nothing


@dataclass(frozen=True, slots=True)
class Share:
    """An estimated probability and its 95 % interval."""

    count: int
    of: int
    low: float
    high: float
    controlled: float | None = None  #: the estimate where a control variate has moved it

    @property
    def value(self) -> float:
        """The estimate."""
        if self.controlled is not None:
            return self.controlled
        return self.count / self.of if self.of else float("nan")


@dataclass(frozen=True, slots=True)
class Control:
    """A control variate (``controls``): its value in every sample, and what is known of its distribution."""

    c: np.ndarray  #: (n,)
    mean: float
    quarters: np.ndarray  #: (3,) its quantiles at 25, 50 and 75 %
    limit: float = float("nan")
    share: float = float("nan")  #: probability that it lies above the limit


def wilson(count: int, of: int) -> Share:
    """The share count/of with Wilson's interval [Wilson27].

    (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n),  z = 1.96
    """
    if of == 0:
        return Share(0, 0, 0.0, 1.0)
    p, z2 = count / of, Z95**2
    middle = (p + z2 / (2 * of)) / (1 + z2 / of)
    half = Z95 * np.sqrt(p * (1 - p) / of + z2 / (4 * of**2)) / (1 + z2 / of)
    return Share(count, of, max(0.0, float(middle - half)), min(1.0, float(middle + half)))


def share(missed: np.ndarray, control: Control | None = None) -> Share:
    """P(missed) from samples (n,), by Wilson; with a control from those on either side of where it meets the limit.

        p = w p₁ + (1 − w) p₀,   w = P(c > limit)

    with Wilson's intervals of p₁ and p₀ joined by the squares of their halves [ZouDonner08]. Where one side has
    fewer than four samples the control is left out.
    """
    above = np.zeros(missed.size, bool) if control is None else control.c > control.limit
    if control is None or min(above.sum(), (~above).sum()) < _FEW:
        return wilson(int(missed.sum()), int(missed.size))
    sides = (control.share, missed[above]), (1.0 - control.share, missed[~above])
    parts = [(w, wilson(int(side.sum()), side.size)) for w, side in sides]
    p = sum(w * part.value for w, part in parts)
    low = np.sqrt(sum((w * (part.value - part.low)) ** 2 for w, part in parts))
    high = np.sqrt(sum((w * (part.high - part.value)) ** 2 for w, part in parts))
    return Share(int(missed.sum()), int(missed.size), max(0.0, float(p - low)), min(1.0, float(p + high)), float(p))


def mean_interval(y: np.ndarray, control: Control | None = None) -> tuple[float, float]:
    """The mean of samples (n,) and half of its 95 % interval by Student's t, t s/√n.

    With a control c of known mean μ by regression on it [Cochran77, sec. 7],

        ȳ − β (c̄ − μ) ± t s √(1/n + (c̄ − μ)²/Σ(c − c̄)²),   β = Σ(c − c̄) y/Σ(c − c̄)²

    where s² is the mean square of what is left, with n − 2 degrees of freedom.
    """
    from scipy.special import stdtrit

    n = y.size
    if n < 2:
        return float(y.mean()) if n else float("nan"), float("nan")
    if control is None or n < _FEW or not np.ptp(control.c) > 0.0:
        return float(y.mean()), float(stdtrit(n - 1, 0.975) * y.std(ddof=1) / np.sqrt(n))
    dc, away = control.c - control.c.mean(), control.c.mean() - control.mean
    square = float(dc @ dc)
    beta = float(dc @ y) / square
    left = y - y.mean() - beta * dc
    s = np.sqrt(float(left @ left) / (n - 2))
    return float(y.mean() - beta * away), float(stdtrit(n - 2, 0.975) * s * np.sqrt(1.0 / n + away**2 / square))


def quantiles(
    x: np.ndarray, seed: int, control: Control | None = None
) -> tuple[tuple[float, float, float], tuple[tuple[float, float], ...]]:
    """Quantiles at 5, 50 and 95 % and their 95 % intervals by resampling.

    With a control a sample weighs as much as the quarter of the control's distribution that it lies in asks for.
    """
    if x.size < 2:
        value = float(x[0]) if x.size else float("nan")
        return (value, value, value), ((value, value),) * 3
    drawn = np.random.default_rng(seed).integers(0, x.size, (_RESAMPLED, x.size))
    quarter = None if control is None else np.searchsorted(control.quarters, control.c)
    if quarter is None or np.bincount(quarter, minlength=4).min() < _FEW:
        q, again = np.quantile(x, _AT), np.quantile(x[drawn], _AT, axis=1)
    else:
        order = np.argsort(x)  # once: a resample is told by how often each sample is in it
        flat = drawn + x.size * np.arange(_RESAMPLED)[:, None]
        times = np.bincount(flat.ravel(), minlength=drawn.size).reshape(drawn.shape)[:, order].astype(float)
        q = _weighted(x[order], np.ones((1, x.size)), quarter[order])[:, 0]
        again = _weighted(x[order], times, quarter[order])
    ends = np.quantile(again, (0.025, 0.975), axis=1).T
    return (float(q[0]), float(q[1]), float(q[2])), tuple((float(a), float(b)) for a, b in ends)


def _weighted(x: np.ndarray, times: np.ndarray, quarter: np.ndarray) -> np.ndarray:
    """Quantiles (3, m) of rising x (n,), each in it ``times`` (m, n), with a fourth of all weight in each quarter.

    The share below xᵢ is that of the samples before it and half of its own; between them it is interpolated.
    """
    weight = np.zeros_like(times)
    for k in range(4):
        inside = quarter == k
        weight[:, inside] = times[:, inside] / np.maximum(times[:, inside].sum(axis=1, keepdims=True), 1.0)
    below = (np.cumsum(weight, axis=1) - 0.5 * weight) / weight.sum(axis=1, keepdims=True)
    rows = np.arange(len(times))
    found = []
    for at in _AT:
        high = np.clip((below < at).sum(axis=1), 1, x.size - 1)
        a, b = below[rows, high - 1], below[rows, high]
        share = np.clip(np.divide(at - a, b - a, out=np.ones_like(a), where=b > a), 0.0, 1.0)
        found.append(x[high - 1] + share * (x[high] - x[high - 1]))
    return np.array(found)
