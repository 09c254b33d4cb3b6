"""Effect of noise in an external variable on the factorized and Euler–Lagrange forms.

For one coordinate and no force T is a column, |T ẋ| is constant, and the answer is known whatever
the external variable does:   ẋ = ẋ₀ √(M(q₀, w₀) / M(q, w)).

Three readings of "noise" are told apart, since they give different numbers:

    same tilt     T sees the noisy signal; the form is compared with the exact answer at that signal
    averaged      T sees the noisy signal; both it and the noise-free answer are averaged over one
                  period of the disturbance, so that the instantaneous ripple of M(w) drops out
    rate only     T sees the clean signal, only the differentiated one is noisy
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from panhead.engine.factorized.causality import FactorizedModel, Scheme, finite_difference
from panhead.errors import ModelError

Array = np.ndarray


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Sine:
    """w(t) = offset + A sin Ωt, and d(t) = a sin ωt on top of it when measured."""

    amplitude: float  #: A, in the unit of w
    frequency: float  #: Ω [rad/s]
    noise_amplitude: float = 0.0  #: a, in the unit of w
    noise_frequency: float = 0.0  #: ω [rad/s]
    offset: float = 0.0

    def clean(self, t: Array) -> Array:
        """The external variable itself."""
        return self.offset + self.amplitude * np.sin(self.frequency * t)

    def noise(self, t: Array) -> Array:
        """Noise added by the measurement."""
        return self.noise_amplitude * np.sin(self.noise_frequency * t)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Deviation:
    """|ẋ/ẋ_ref − 1| along a motion, as shares (0.01 is one percent)."""

    mean: float
    largest: float


def deviation(values: Array, reference: Array) -> Deviation:
    """Relative deviation of ``values`` from ``reference``."""
    share = np.abs(values / reference - 1)
    return Deviation(mean=float(share.mean()), largest=float(share.max()))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
    """Deviation of both forms in the three readings, and the ripple M(w) itself shows."""

    same_factorized: Deviation
    same_euler_lagrange: Deviation
    averaged_factorized: Deviation
    averaged_euler_lagrange: Deviation
    rate_factorized: Deviation
    rate_euler_lagrange: Deviation
    ripple: Deviation  #: exact answer at the noisy signal against the noise-free answer


def exact_rate(model: FactorizedModel, q: Array, w: Array, v0: float) -> Array:
    """ẋ₀ √(M₀/M) of a free motion in one coordinate; q (n, 1), w (n, nw), result (n,)."""
    if len(model.mechanism.coordinates) != 1:
        raise ModelError(
            f"{model.mechanism.name!r} has {len(model.mechanism.coordinates)} coordinates; the exact "
            "solution is known only for one"
        )
    M = np.square(model.factors(q, w)).sum(axis=(1, 2))
    return v0 * np.sqrt(M[0] / M)


def grid(duration: float, step: float) -> Array:
    """Evenly spaced times 0, step, …, at least to ``duration``."""
    return step * np.arange(int(np.ceil(duration / step - 1e-9)) + 1)


def sample(signals: Sequence[Sine], t: Array) -> tuple[Array, Array]:
    """The clean and the measured external variables on a grid, each (n, nw)."""
    clean = np.column_stack([s.clean(t) for s in signals])
    return clean, clean + np.column_stack([s.noise(t) for s in signals])


def readings(
    model: FactorizedModel,
    signals: Sequence[Sine],
    *,
    v0: float,
    duration: float,
    step: float,
    scheme: Scheme = "central",
) -> Readings:
    """The three readings of a free motion from q = 0, ẋ₀ = v0, sampled every ``step``."""
    t = grid(duration, step)
    clean, noisy = sample(signals, t)
    start = (np.zeros(1), np.array([v0]))
    q, factorized_clean = model.march(t, *start, w=clean)
    q_noisy, factorized = model.march(t, *start, w=noisy)
    _, lagrange = model.march_euler_lagrange(t, *start, w=noisy, scheme=scheme)
    measured_rate = finite_difference(t, noisy, scheme)
    _, lagrange_rate = model.march_euler_lagrange(t, *start, w=clean, w_dot=measured_rate)
    exact, exact_noisy = exact_rate(model, q, clean, v0), exact_rate(model, q_noisy, noisy, v0)
    count = whole_periods(signals, step)
    smooth_exact = moving_average(exact, count)
    return Readings(
        same_factorized=deviation(factorized[:, 0], exact_noisy),
        same_euler_lagrange=deviation(lagrange[:, 0], exact_noisy),
        averaged_factorized=deviation(moving_average(factorized[:, 0], count), smooth_exact),
        averaged_euler_lagrange=deviation(moving_average(lagrange[:, 0], count), smooth_exact),
        rate_factorized=deviation(factorized_clean[:, 0], exact),
        rate_euler_lagrange=deviation(lagrange_rate[:, 0], exact),
        ripple=deviation(exact_noisy, exact),
    )


def whole_periods(signals: Sequence[Sine], step: float) -> int:
    """The least number of samples that spans whole periods of the disturbance, to 2 % of one."""
    frequency = max(s.noise_frequency for s in signals)
    if not frequency > 0:
        return 1
    period = 2 * np.pi / frequency
    count = max(1, round(period / step))
    while abs(count * step / period - max(1, round(count * step / period))) > 0.02:
        count += 1
    return count


def moving_average(values: Array, count: int) -> Array:
    """Mean of every ``count`` successive values."""
    return np.convolve(values, np.full(count, 1 / count), mode="valid")
