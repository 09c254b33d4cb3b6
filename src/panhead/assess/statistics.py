"""Statistics of a contact force: mean, deviation by band, extremes, histogram, spectrum.

Each statistic has its derivative by every sample beside it, with which a gradient of it begins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from panhead.errors import ModelError
from panhead.files.units import Hertz, Newtons, Seconds

#: the bands whose deviations are reported, in Hz; neighbours share their border
BANDS: Final = ((0.0, 2.0), (0.0, 5.0), (5.0, 20.0), (0.0, 20.0))
SOFT: Final = 2.0  #: [N] over which a smooth maximum looks at the samples below the highest
FAINT: Final = 5.0  #: [N] a force below which counts as being nearly lost


@dataclass(frozen=True, slots=True)
class Statistic:
    """Scalar statistic of a record (n,), with its cotangent."""

    value: Callable[[np.ndarray], float]
    cotangent: Callable[[np.ndarray], np.ndarray]  #: ∂/∂ of it by every sample (n,)


@dataclass(frozen=True, slots=True)
class Composition:
    """Statistic computed from mean m and deviation σ."""

    value: Callable[[float, float], float]
    slopes: Callable[[float, float], tuple[float, float]]  #: ∂/∂m, ∂/∂σ


#: m = (1/n) Σ x
MEAN: Final = Statistic(lambda x: float(x.mean()), lambda x: np.full(x.size, 1.0 / x.size))
#: σ² = (1/n) Σ (x − m)²
DEVIATION: Final = Statistic(lambda x: float(x.std()), lambda x: (x - x.mean()) / (x.size * x.std()))
COMPOSED: Final[Mapping[str, Composition]] = {
    "deviation_ratio": Composition(lambda m, s: s / m if m > 0 else np.inf, lambda m, s: (-s / m**2, 1.0 / m)),
    "statistical_max": Composition(lambda m, s: m + 3.0 * s, lambda m, s: (1.0, 3.0)),
    "statistical_min": Composition(lambda m, s: m - 3.0 * s, lambda m, s: (1.0, -3.0)),
}


def _composition(of: Composition) -> Statistic:
    def cotangent(x: np.ndarray) -> np.ndarray:
        by_mean, by_deviation = of.slopes(MEAN.value(x), DEVIATION.value(x))
        return by_mean * MEAN.cotangent(x) + by_deviation * DEVIATION.cotangent(x)

    return Statistic(lambda x: of.value(MEAN.value(x), DEVIATION.value(x)), cotangent)


def extreme(sign: float) -> Statistic:
    """Maximum (sign 1) or minimum (−1) sample of a record."""
    at = lambda x: int(np.argmax(sign * x))
    return Statistic(lambda x: float(x[at(x)]), lambda x: np.eye(1, x.size, at(x))[0])


def smooth_extreme(sign: float) -> Statistic:
    """± τ ln Σ exp(± x/τ), τ = ``SOFT``: smooth for optimisers, at most τ ln n beyond the extreme sample."""

    def shares(x: np.ndarray) -> tuple[float, np.ndarray]:
        top = float((sign * x).max())
        return top, np.exp((sign * x - top) / SOFT)

    def value(x: np.ndarray) -> float:
        top, share = shares(x)
        return sign * (top + SOFT * float(np.log(share.sum())))

    def cotangent(x: np.ndarray) -> np.ndarray:
        _, share = shares(x)
        return np.asarray(share / share.sum())

    return Statistic(value, cotangent)


def band(step: Seconds, low: Hertz, high: Hertz) -> Statistic:
    """σ of the part P x of a record with low ≤ f < high, f > 0, sharp edges: σ² = |P x|²/n."""

    def cotangent(x: np.ndarray) -> np.ndarray:
        frequencies, found = np.fft.rfftfreq(x.size, step), np.fft.rfft(x)
        found[(frequencies < low) | (frequencies >= high) | (frequencies == 0.0)] = 0.0
        sigma = band_deviation(x, step, low, high)
        if sigma == 0.0:
            raise ModelError(f"gradient: the assessed force has no content between {low:g} Hz and {high:g} Hz")
        return np.asarray(np.fft.irfft(found, x.size) / (x.size * sigma))

    return Statistic(lambda x: band_deviation(x, step, low, high), cotangent)


def _faint(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.exp(-np.maximum(x, 0.0) / FAINT))


#: of the force after the filter of EN 50317
OF_FILTERED: Final[Mapping[str, Statistic]] = {
    "mean_force": MEAN,
    "deviation": DEVIATION,
    **{name: _composition(of) for name, of in COMPOSED.items()},
    "actual_max": extreme(1.0),
    "actual_min": extreme(-1.0),
    "smooth_max": smooth_extreme(1.0),
    "smooth_min": smooth_extreme(-1.0),
}
#: of the force as it is; the mean of exp(−F/τ), τ = ``FAINT``, is the share of time without contact, where weak contact
#: counts in part
OF_RAW: Final[Mapping[str, Statistic]] = {
    "contact_loss_smooth": Statistic(
        lambda x: float(_faint(x).mean()), lambda x: np.where(x < 0.0, 0.0, -_faint(x) / (FAINT * x.size))
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ForceStatistics:
    """Statistics of a contact force filtered to 20 Hz, as EN 50317 and EN 50318 require."""

    duration: Seconds
    mean: Newtons  #: F_m
    deviation: Newtons  #: σ of the filtered force
    deviation_ratio: float  #: σ/F_m, ∞ where the mean is not positive
    statistical_max: Newtons  #: F_m + 3σ
    statistical_min: Newtons  #: F_m − 3σ
    actual_max: Newtons
    actual_min: Newtons
    band_deviation: dict[tuple[Hertz, Hertz], Newtons]  #: σ by band of the unfiltered force


def force_statistics(raw: np.ndarray, filtered: np.ndarray, step: Seconds) -> ForceStatistics:
    """Statistics of one record: ``filtered`` (samples,) by EN 50317, ``raw`` for the bands.

        F_m = (1/N) Σ F,   σ² = (1/N) Σ (F − F_m)²

    A band's σ is taken from the spectrum of the unfiltered force with sharp edges, so that the
    variances of neighbouring bands add up (Parseval).
    """
    filtered = np.asarray(filtered, float)
    of = lambda name: OF_FILTERED[name].value(filtered)
    return ForceStatistics(
        duration=filtered.size * step,
        mean=of("mean_force"),
        deviation=of("deviation"),
        deviation_ratio=of("deviation_ratio"),
        statistical_max=of("statistical_max"),
        statistical_min=of("statistical_min"),
        actual_max=of("actual_max"),
        actual_min=of("actual_min"),
        band_deviation={band: band_deviation(raw, step, *band) for band in BANDS},
    )


def spectrum(values: np.ndarray, step: Seconds) -> tuple[np.ndarray, np.ndarray]:
    """One-sided power spectral density: frequencies (n,) [Hz] and density (n,) [unit²/Hz].

    Σ density · Δf over f > 0 is the variance, exactly; the mean is taken out first.
    """
    values = np.asarray(values, float)
    n = values.size
    if n < 4:
        raise ModelError(f"spectrum: at least four samples are needed, got {n}")
    frequencies = np.fft.rfftfreq(n, step)
    power = np.abs(np.fft.rfft(values - values.mean())) ** 2 / n**2
    power[1:] *= 2.0  # the negative frequencies
    if n % 2 == 0:
        power[-1] /= 2.0  # Nyquist's own has no negative twin
    return frequencies, power * (n * step)


def band_deviation(values: np.ndarray, step: Seconds, low: Hertz, high: Hertz) -> float:
    """σ of the part of a signal with low ≤ f < high; the mean (f = 0) does not count."""
    frequencies, density = spectrum(values, step)
    inside = (frequencies >= low) & (frequencies < high) & (frequencies > 0)
    return float(np.sqrt(density[inside].sum() / (np.size(values) * step)))


def histogram(values: np.ndarray, width: float) -> tuple[np.ndarray, np.ndarray]:
    """Edges (n + 1,) at whole multiples of ``width`` and the share of samples (n,) in each bin."""
    values = np.asarray(values, float)
    first, last = np.floor(values.min() / width), np.floor(values.max() / width) + 1
    edges = np.arange(first, last + 1) * width
    counts, _ = np.histogram(values, edges)
    return edges, counts / values.size
