"""Statistics against closed forms: sinusoids, Parseval, counted losses."""

from __future__ import annotations

import numpy as np
import pytest

from panhead.assess.filters import low_pass
from panhead.assess.loss_of_contact import contact_losses
from panhead.assess.statistics import OF_FILTERED, OF_RAW, band_deviation, force_statistics, histogram, spectrum
from panhead.assess.statistics import band as band_statistic

STEP = 1e-3
TIMES = np.arange(0, 10, STEP)


def sines(*parts: tuple[float, float]) -> np.ndarray:
    return 115.0 + sum(a * np.sin(2 * np.pi * f * TIMES + f) for f, a in parts)


@pytest.mark.parametrize("samples", [10_000, 9_999])
def test_variance_of_the_spectrum_is_the_variance_of_the_signal(samples: int) -> None:
    """Parseval: exact to round-off, for an even and an odd number of samples."""
    values = np.random.default_rng(3).standard_normal(samples) + 7.0
    frequencies, density = spectrum(values, STEP)
    assert density.sum() * frequencies[1] == pytest.approx(values.var(), rel=1e-12)


def test_bands_add_up() -> None:
    values = np.random.default_rng(4).standard_normal(TIMES.size)
    low, high, both = (band_deviation(values, STEP, *b) for b in ((0, 5), (5, 20), (0, 20)))
    assert low**2 + high**2 == pytest.approx(both**2, rel=1e-12)
    assert low > 0
    assert high > 0


def test_each_sine_falls_into_its_band() -> None:
    """σ of whole periods is a/√2: 1 Hz in 0–2, 3 Hz in 0–5, 10 Hz in 5–20, 30 Hz in none."""
    force = sines((1.0, 30.0), (3.0, 8.0), (10.0, 12.0), (30.0, 5.0))
    found = force_statistics(force, force, STEP).band_deviation
    expected = {(0, 2): 30.0, (0, 5): np.hypot(30, 8), (5, 20): 12.0, (0, 20): np.sqrt(30**2 + 8**2 + 12**2)}
    for band, amplitude in expected.items():
        assert found[band] == pytest.approx(amplitude / np.sqrt(2), rel=1e-9)


def test_mean_deviation_and_extremes_of_a_sine() -> None:
    found = force_statistics(sines((1.0, 30.0)), sines((1.0, 30.0)), STEP)
    sigma = 30 / np.sqrt(2)
    assert found.duration == pytest.approx(10.0)
    assert found.mean == pytest.approx(115.0)
    assert found.deviation == pytest.approx(sigma)
    assert found.statistical_max == pytest.approx(115 + 3 * sigma)
    assert found.statistical_min == pytest.approx(115 - 3 * sigma)
    # the sampled sine misses its crest by at most 1 − cos(π f Δt) = 5e-6
    assert found.actual_max == pytest.approx(145.0, rel=1e-5)
    assert found.actual_min == pytest.approx(85.0, rel=1e-5)


def test_filtered_deviation_agrees_with_the_band() -> None:
    """Below 10 Hz the Butterworth gain differs from 1 by less than 2e-4, so both routes agree."""
    force = sines((1.4, 30.0), (7.0, 10.0), (60.0, 20.0))
    found = force_statistics(force, low_pass(force, STEP), STEP)
    assert found.deviation == pytest.approx(found.band_deviation[0.0, 20.0], rel=0.01)


def test_histogram_counts_every_sample_once() -> None:
    edges, shares = histogram(np.array([-5.0, 0.0, 4.9, 5.0, 12.0]), 5.0)
    np.testing.assert_array_equal(edges, [-5, 0, 5, 10, 15])
    np.testing.assert_allclose(shares, [0.2, 0.4, 0.2, 0.2])


def test_losses_are_counted_where_they_are() -> None:
    """3 ms inside, 2 ms at the end, none where the force is small but not zero."""
    force = np.full(1000, 50.0)
    force[200:203] = 0.0
    force[500] = 1e-6
    force[998:] = 0.0
    lost = contact_losses(force, TIMES[:1000], 80.0)
    assert lost.count == 2
    np.testing.assert_allclose(lost.starts, [0.2, 0.998])
    np.testing.assert_allclose(lost.durations, [3e-3, 2e-3])
    assert lost.longest == pytest.approx(3e-3)
    assert lost.share == pytest.approx(5e-3)
    assert lost.arcing == pytest.approx(5e-3)
    assert lost.length == pytest.approx(0.4)  # 5 ms at 80 m/s


def test_short_losses_need_not_arc() -> None:
    force = np.full(1000, 50.0)
    force[200:203] = 0.0
    force[300:310] = 0.0
    lost = contact_losses(force, TIMES[:1000], 80.0, shortest_arc=5e-3)
    assert lost.share == pytest.approx(0.013)
    assert lost.arcing == pytest.approx(0.010)


def test_no_loss_is_zero_not_nothing() -> None:
    lost = contact_losses(np.full(10, 1.0), TIMES[:10], 80.0)
    assert (lost.count, lost.total, lost.longest, lost.share, lost.arcing) == (0, 0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("name", [*OF_FILTERED, *OF_RAW, "band"])
def test_a_cotangent_is_the_derivative_of_its_value(name: str) -> None:
    """Central differences of 1 mN along a random direction; the second derivative leaves 1e-6 of it at most."""
    rng = np.random.default_rng(5)
    statistic = {**OF_FILTERED, **OF_RAW, "band": band_statistic(0.01, 2.0, 20.0)}[name]
    x, along = 30.0 + 20.0 * rng.standard_normal(200), rng.standard_normal(200)
    slope = (statistic.value(x + 1e-3 * along) - statistic.value(x - 1e-3 * along)) / 2e-3
    assert statistic.cotangent(x) @ along == pytest.approx(slope, rel=1e-5, abs=1e-9)


def test_deviation_over_a_mean_that_is_not_positive_is_infinite() -> None:
    assert OF_FILTERED["deviation_ratio"].value(np.array([-1.0, -2.0])) == np.inf
