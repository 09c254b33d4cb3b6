"""Estimates with their 95 % intervals: means, shares and quantiles, plain or sharpened by a control variate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Z95 = 1.959963984540054  # of a two-sided 95 % interval
LEVELS = (0.05, 0.5, 0.95)  # of quantiles
_RESAMPLED = 2000  # bootstrap repetitions
DRAWS = 1 << 16  # by which the distribution of a control is known
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
    """A control variate (``control_variates``): its value in every sample, and what is known of its distribution."""

    c: np.ndarray  #: (n,)
    mean: float
    deviation: float
    quantiles: np.ndarray  #: (3,) at LEVELS
    limit: float = float("nan")
    share: float = float("nan")  #: probability that it lies above the limit


def wilson(count: int, of: int) -> Share:
    """The share count/of with Wilson's interval [Wilson27].

    (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n),  z = 1.96
    """
    if of == 0:
        return Share(0, 0, 0.0, 1.0)
    _, low, high = _wilson(np.array(count), of)
    return Share(count, of, float(low), float(high))


def samples_without_a_miss(share: float) -> int:
    """Samples, none of which misses, that show a probability below ``share``: n with Wilson's upper end there.

        z²/(n + z²) ≤ share,   73 for 5 %

    The exact one-sided bound at 95 % confidence, (1 − share)ⁿ ≤ 5 %, asks for fewer: 59.
    """
    return int(np.ceil(Z95**2 * (1.0 - share) / share))


def _wilson(count: np.ndarray, of: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Share, low and high end for any shape of counts."""
    p, z2 = count / of, Z95**2
    middle = (p + z2 / (2 * of)) / (1 + z2 / of)
    half = Z95 * np.sqrt(p * (1 - p) / of + z2 / (4 * of**2)) / (1 + z2 / of)
    return p, np.maximum(0.0, middle - half), np.minimum(1.0, middle + half)


def _join_strata(first: np.ndarray, of_first: int, rest: np.ndarray, of_rest: int, w: float) -> np.ndarray:
    """p = w p₁ + (1 − w) p₀ with low and high end, (3, …): Wilson's halves joined by their squares [ZouDonner08]."""
    (p1, low1, high1), (p0, low0, high0) = _wilson(first, of_first), _wilson(rest, of_rest)
    p = w * p1 + (1 - w) * p0
    low = p - np.hypot(w * (p1 - low1), (1 - w) * (p0 - low0))
    high = p + np.hypot(w * (high1 - p1), (1 - w) * (high0 - p0))
    return np.array([p, np.maximum(0.0, low), np.minimum(1.0, high)])


def share(missed: np.ndarray, control: Control | None = None) -> Share:
    """P(missed) from samples (n,), by Wilson; with a control from those on either side of where it meets the limit.

        p = w p₁ + (1 − w) p₀,   w = P(c > limit)

    Where one side has fewer than four samples the control is left out.
    """
    above = np.zeros(missed.size, bool) if control is None else control.c > control.limit
    count, many = int(missed.sum()), int(above.sum())
    if control is None or min(many, missed.size - many) < _FEW:
        return wilson(count, missed.size)
    p, low, high = _join_strata(missed[above].sum(), many, missed[~above].sum(), missed.size - many, control.share)
    return Share(count, missed.size, float(low), float(high), float(p))


def mean_interval(y: np.ndarray, control: Control | None = None) -> tuple[float, float]:
    """The mean of samples (n,) and half of its 95 % interval by Student's t, t s/√n.

    With a control c of known mean μ and deviation σ by regression on it and its square [Cochran77, sec. 7],

        y ≈ a + β₁ d + β₂ (d² − 1),   d = (c − μ)/σ

    where a, the mean, is Σ wᵢ yᵢ. Its interval makes no use of residuals e being alike: eᵢ/(1 − hᵢ) is how far a sample
    is from the curve fitted without it [MacKinnonWhite85], and μ and σ are known from ``DRAWS`` draws of c only,

        ± t √(Σ wᵢ² eᵢ²/(1 − hᵢ)² + Var[a + β₁ d + β₂ (d² − 1)]/DRAWS)

    with t of n − 3 degrees of freedom, three coefficients being fitted.
    """
    from scipy.special import stdtrit

    n = y.size
    if n < 2:
        return float(y.mean()) if n else float("nan"), float("nan")
    if control is None or np.unique(control.c).size <= _FEW:
        return float(y.mean()), float(stdtrit(n - 1, 0.975) * y.std(ddof=1) / np.sqrt(n))
    d = (control.c - control.mean) / control.deviation
    X = np.stack([np.ones(n), d, d**2 - 1.0], axis=1)
    fit = np.linalg.pinv(X)  # (3, n): coefficients from samples
    a, fitted = float(fit[0] @ y), X @ (fit @ y)
    alone = (y - fitted) / np.maximum(1.0 - np.einsum("nk,kn->n", X, fit), 1e-12)
    square = float(np.square(fit[0] * alone).sum()) + float(fitted.var()) / DRAWS
    return a, float(stdtrit(n - X.shape[1], 0.975) * np.sqrt(square))


def quantiles(
    x: np.ndarray, seed: int, control: Control | None = None
) -> tuple[tuple[float, float, float], tuple[tuple[float, float], ...]]:
    """Quantiles at 5, 50 and 95 % and their 95 % intervals: by resampling, or by a control where it serves."""
    if x.size < 2:
        value = float(x[0]) if x.size else float("nan")
        return (value, value, value), ((value, value),) * 3
    sides = [None] * 3 if control is None else [control.c <= c for c in control.quantiles]
    found = [
        None if side is None else _controlled_quantile(x, side, at) for side, at in zip(sides, LEVELS, strict=True)
    ]
    plain = [] if None not in found else _bootstrap(x, seed)
    rows = [plain[k] if one is None else one for k, one in enumerate(found)]
    return (rows[0][0], rows[1][0], rows[2][0]), tuple(row[1:] for row in rows)


def _bootstrap(x: np.ndarray, seed: int) -> list[tuple[float, float, float]]:
    """Each quantile with the ends of its interval, by resampling.

    Only two samples of a resample matter, the k-th and the next. Drawing n ranks ⌊n u⌋ with u uniform and sorting them
    gives these the ranks ⌊n u₍ₖ₎⌋, and the sorted u are u₍ₖ₊₁₎ ~ Beta(k + 1, n − k), u₍ₖ₎ = u₍ₖ₊₁₎ v^(1/k), v uniform
    [DavidNagaraja03, ch. 2]: the same distribution as that of n draws, at the price of two.
    """
    rng, ordered, n = np.random.default_rng(seed), np.sort(x), x.size
    rows = []
    for level in LEVELS:
        k, between = divmod(level * (n - 1), 1.0)
        upper = rng.beta(k + 2, n - k - 1, _RESAMPLED)
        lower = upper * rng.random(_RESAMPLED) ** (1.0 / (k + 1))
        low, high = (ordered[np.minimum((n * u).astype(np.int64), n - 1)] for u in (lower, upper))
        ends = np.quantile(low + between * (high - low), (0.025, 0.975))
        rows.append((float(np.quantile(x, level)), float(ends[0]), float(ends[1])))
    return rows


def _controlled_quantile(x: np.ndarray, below: np.ndarray, level: float) -> tuple[float, float, float] | None:
    """The quantile of x and its interval; ``below``: whether the control lies below its own quantile at that level.

    The distribution function F = w F₁ + (1 − w) F₀, w = ``level``, is estimated with its interval at every sample; the
    quantile is where F crosses the level, its ends where the ends of F do [Woodruff52].
    """
    many = int(below.sum())
    if min(many, x.size - many) < _FEW:
        return None
    order = np.argsort(x, kind="stable")
    first, rest = np.cumsum(below[order]), np.cumsum(~below[order])
    F, low, high = _join_strata(first, many, rest, x.size - many, level)
    before = np.concatenate([[0.0], F[:-1]])
    last = x.size - 1
    ends = [
        min(int(np.searchsorted(end, level, side="left")), last)
        for end in (np.maximum.accumulate(high), np.maximum.accumulate(low))
    ]
    return float(np.interp(level, 0.5 * (before + F), x[order])), float(x[order][ends[0]]), float(x[order][ends[1]])
