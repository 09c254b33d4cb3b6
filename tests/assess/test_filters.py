"""The filter of EN 50317 is what its label says."""

from __future__ import annotations

import numpy as np
import pytest

from panhead.assess.filters import low_pass, sampling_step
from panhead.errors import ModelError

STEP = 1e-3


def gain(frequency: float, *, zero_phase: bool) -> float:
    """Amplitude ratio of a long sine, measured over whole periods away from the ends."""
    t = np.arange(0, 20, STEP)
    out = low_pass(np.sin(2 * np.pi * frequency * t), STEP, zero_phase=zero_phase)
    middle = (t >= 5) & (t < 15)
    carrier = np.exp(-2j * np.pi * frequency * t[middle])
    return float(2 * abs(np.mean(out[middle] * carrier)))


@pytest.mark.parametrize("zero_phase", [False, True])
def test_three_decibels_at_20_hz(zero_phase: bool) -> None:
    """−3 dB is 1/√2. The digital corner is prewarped, so it is exact; zero phase warps 2e-4."""
    assert gain(20.0, zero_phase=zero_phase) == pytest.approx(1 / np.sqrt(2), rel=1e-3)


@pytest.mark.parametrize("zero_phase", [False, True])
def test_sixth_order(zero_phase: bool) -> None:
    """Far above the corner the slope is −6; the bilinear transform adds 4 % at 60–80 Hz."""
    slope = np.log2(gain(80.0, zero_phase=zero_phase) / gain(60.0, zero_phase=zero_phase))
    assert slope / np.log2(80 / 60) == pytest.approx(-6.0, rel=0.05)


@pytest.mark.parametrize("zero_phase", [False, True])
def test_a_constant_passes_from_the_first_sample(zero_phase: bool) -> None:
    out = low_pass(np.full(500, 115.0), STEP, zero_phase=zero_phase)
    np.testing.assert_allclose(out, 115.0, rtol=1e-9)


@pytest.mark.parametrize("step", [1e-3, 2.5e-3])
@pytest.mark.parametrize("order", [2, 3, 4, 6])
def test_as_another_implementation_has_it(order: int, step: float) -> None:
    """SciPy designs by poles and zeros and recurs sample by sample; equal but for round-off."""
    signal = pytest.importorskip("scipy.signal")
    x = 115.0 + 30.0 * np.random.default_rng(3).standard_normal(4000)
    sections = signal.butter(order, 20.0, fs=1.0 / step, output="sos")
    expected = signal.sosfilt(sections, x, zi=signal.sosfilt_zi(sections) * x[0])[0]
    np.testing.assert_allclose(low_pass(x, step, order=order), expected, rtol=1e-12)
    if order % 2 == 0:
        corner = 20.0 / (np.sqrt(2.0) - 1.0) ** (1.0 / order)
        sections = signal.butter(order // 2, corner, fs=1.0 / step, output="sos")
        expected = signal.sosfiltfilt(sections, x)
        np.testing.assert_allclose(low_pass(x, step, order=order, zero_phase=True), expected, rtol=1e-12)


def test_slow_signals_lag_only_as_an_instrument_would() -> None:
    """Group delay of the analogue filter at 0 Hz: Σ 2 sin((2k−1)π/2n) / ω_c over k = 1 … n/2."""
    n, corner = 6, 2 * np.pi * 20.0
    delay = sum(2 * np.sin((2 * k - 1) * np.pi / (2 * n)) for k in range(1, n // 2 + 1)) / corner
    t = np.arange(0, 5, STEP)
    ramp = low_pass(100.0 * t, STEP)
    lag = t[4000] - ramp[4000] / 100.0
    assert lag == pytest.approx(delay, rel=5e-3)
    ahead = low_pass(100.0 * t, STEP, zero_phase=True)
    assert ahead[2500] == pytest.approx(250.0, rel=1e-6)


def test_a_step_too_long_is_refused() -> None:
    with pytest.raises(ModelError, match=r"use a step below 0\.025"):
        low_pass(np.zeros(100), 0.03)


def test_unequal_times_are_refused_with_the_place() -> None:
    times = np.arange(0, 1, 0.01)
    times[60:] += 0.003
    with pytest.raises(ModelError, match=r"at 0\.59 s"):
        sampling_step(times)
