"""Numbers of a contact force over the judged part, each with its derivative by every sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from panhead.errors import ModelError

Valued = tuple[float, np.ndarray]  #: a number, and ∂/∂ of it by every sample (n,)
SOFT = 2.0  #: [N] over which a smooth maximum looks at the samples below the highest
FAINT = 5.0  #: [N] a force below which counts as being nearly lost


def mean(x: np.ndarray) -> Valued:
    """(1/n) Σ x."""
    return float(x.mean()), np.full(x.size, 1.0 / x.size)


def deviation(x: np.ndarray) -> Valued:
    """σ, the root of the mean square of x − x̄."""
    sigma = float(x.std())
    return sigma, (x - x.mean()) / (x.size * sigma)


def deviation_ratio(x: np.ndarray) -> Valued:
    """σ over the mean."""
    (m, by_m), (sigma, by_sigma) = mean(x), deviation(x)
    return sigma / m, by_sigma / m - sigma / m**2 * by_m


def band(step: float, low: float, high: float) -> Callable[[np.ndarray], Valued]:
    """σ of the part with low ≤ f < high, f > 0, as ``assess.band_deviation``: P x with sharp edges, σ² = |P x|²/n."""

    def of(x: np.ndarray) -> Valued:
        frequencies, found = np.fft.rfftfreq(x.size, step), np.fft.rfft(x)
        found[(frequencies < low) | (frequencies >= high) | (frequencies == 0.0)] = 0.0
        part = np.fft.irfft(found, x.size)
        sigma = float(np.sqrt(np.mean(part**2)))
        if sigma == 0.0:
            raise ModelError(f"gradient: the judged force has nothing between {low:g} Hz and {high:g} Hz")
        return sigma, part / (x.size * sigma)

    return of


def statistical(sign: float) -> Callable[[np.ndarray], Valued]:
    """Mean ± 3 σ."""

    def of(x: np.ndarray) -> Valued:
        (m, by_m), (sigma, by_sigma) = mean(x), deviation(x)
        return m + sign * 3.0 * sigma, by_m + sign * 3.0 * by_sigma

    return of


def extreme(sign: float) -> Callable[[np.ndarray], Valued]:
    """The sample that attains the maximum (sign 1) or minimum (−1)."""

    def of(x: np.ndarray) -> Valued:
        at = int(np.argmax(sign * x))
        return float(x[at]), np.eye(1, x.size, at)[0]

    return of


def smooth_extreme(sign: float) -> Callable[[np.ndarray], Valued]:
    """± τ ln Σ exp(± x/τ), τ = ``SOFT``: smooth for optimisers, at most τ ln n beyond the extreme sample."""

    def of(x: np.ndarray) -> Valued:
        top = float((sign * x).max())
        share = np.exp((sign * x - top) / SOFT)
        return sign * (top + SOFT * float(np.log(share.sum()))), share / share.sum()

    return of


def faint_share(x: np.ndarray) -> Valued:
    """Mean of exp(−F/τ), τ = ``FAINT``: the share of time without contact, where weak contact counts in part."""
    share = np.exp(-np.maximum(x, 0.0) / FAINT)
    return float(share.mean()), -share / (FAINT * x.size)


#: of the force after the filter of EN 50317
OF_FILTERED: Mapping[str, Callable[[np.ndarray], Valued]] = {
    "mean_force": mean,
    "deviation": deviation,
    "deviation_ratio": deviation_ratio,
    "statistical_max": statistical(1.0),
    "statistical_min": statistical(-1.0),
    "actual_max": extreme(1.0),
    "actual_min": extreme(-1.0),
    "smooth_max": smooth_extreme(1.0),
    "smooth_min": smooth_extreme(-1.0),
}
#: of the force as it is
OF_RAW: Mapping[str, Callable[[np.ndarray], Valued]] = {"contact_loss_smooth": faint_share}
