"""Statistics of a contact force: mean, deviation by band, extremes, histogram, spectrum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from panhead.errors import ModelError
from panhead.files.units import Hertz, Newtons, Seconds

#: the bands whose deviations are reported, in Hz; neighbours share their border
BANDS: Final = ((0.0, 2.0), (0.0, 5.0), (5.0, 20.0), (0.0, 20.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class ForceStatistics:
    """What EN 50317 and EN 50318 ask of a contact force filtered to 20 Hz."""

    duration: Seconds
    mean: Newtons  #: F_m
    deviation: Newtons  #: σ of the filtered force
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
    mean, deviation = float(filtered.mean()), float(filtered.std())
    return ForceStatistics(
        duration=filtered.size * step,
        mean=mean,
        deviation=deviation,
        statistical_max=mean + 3 * deviation,
        statistical_min=mean - 3 * deviation,
        actual_max=float(filtered.max()),
        actual_min=float(filtered.min()),
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
