"""Measurement filter of EN 50317: sixth-order Butterworth low-pass at 20 Hz.

|H(f)|² = 1 / (1 + (f / f_c)^2n),   n = 6, f_c = 20 Hz

Its poles lie on a half circle, in pairs with the damping 2ζ = 2 sin((2k − 1)π/2n). The bilinear transform
with the corner prewarped, s = (1 − z⁻¹)/(1 + z⁻¹)/K, K = tan(π f_c T), turns each pair into a recursion
[Oppenheim10, sections 7.2 and B.1],

    y₀ + a₁ y₁ + a₂ y₂ = b (x₀ + 2 x₁ + x₂),   (a₁, a₂, b) = (2 (K² − 1), 1 − 2ζ K + K², K²)/(1 + 2ζ K + K²)

where index k is k samples ago; written for all samples at once it is a triangular system with three bands.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from panhead.errors import ModelError
from panhead.files.units import Hertz, Seconds

CUTOFF: Final = 20.0  #: [Hz]
ORDER: Final = 6


def low_pass(
    values: np.ndarray, step: Seconds, *, cutoff: Hertz = CUTOFF, order: int = ORDER, zero_phase: bool = False
) -> np.ndarray:
    """Filter a signal (samples,) as an instrument of EN 50317 does, −3 dB at ``cutoff``.

    It starts in the steady state of its first sample, so a constant passes unchanged. As measured,
    the output lags (about 31 ms at low frequency for the default). With ``zero_phase`` half the
    order runs forward and half backward: no lag, the same −3 dB point and the same slope,

        |H(f)| = 1 / (1 + (f / f₀)^n),   f₀ = cutoff / (√2 − 1)^(1/n).
    """
    values = np.asarray(values, float)
    if not step > 0 or cutoff >= 0.5 / step:
        raise ModelError(f"low_pass: a step of {step} s cannot resolve {cutoff} Hz; use a step below {0.5 / cutoff} s")
    if not zero_phase:
        return _recursions(values, order, cutoff * step)
    if order % 2:
        raise ModelError(f"low_pass: zero phase needs an even order, got {order}")
    half, edge = order // 2, 3 * (order // 2 + 1)
    if values.size <= edge:
        raise ModelError(f"low_pass: zero phase needs more than {edge} samples, got {values.size}")
    corner = cutoff * step / (np.sqrt(2.0) - 1.0) ** (1.0 / order)
    begin = 2.0 * values[0] - values[edge:0:-1]  # turned about the ends, where the transients then are
    end = 2.0 * values[-1] - values[-2 : -edge - 2 : -1]
    forward = _recursions(np.concatenate([begin, values, end]), half, corner)
    return _recursions(forward[::-1], half, corner)[::-1][edge:-edge]


def low_pass_transposed(
    cotangent: np.ndarray, step: Seconds, *, cutoff: Hertz = CUTOFF, order: int = ORDER
) -> np.ndarray:
    """Hᵀ of ``low_pass``, which is H₀ (x − x₀) + x₀ with H₀ causal: its transpose is H₀ on time reversed."""
    turned = np.concatenate([[0.0], cotangent[::-1]])  # a zero first: the filter starts at rest
    back = low_pass(turned, step, cutoff=cutoff, order=order)[1:][::-1].copy()
    back[0] += cotangent.sum() - back.sum()
    return back


def _recursions(values: np.ndarray, order: int, cutoff: float) -> np.ndarray:
    """All recursions of a filter one after the other, at rest at the first sample; cutoff in cycles per sample."""
    K, x = np.tan(np.pi * cutoff), values - values[0]
    for k in range(1, order // 2 + 1):
        damping = 2.0 * np.sin((2 * k - 1) * np.pi / (2 * order)) * K
        a = np.array([1.0 + damping + K * K, 2.0 * (K * K - 1.0), 1.0 - damping + K * K])
        x = _recursion(x, a / a[0], K * K / a[0] * np.array([1.0, 2.0, 1.0]))
    if order % 2:
        x = _recursion(x, np.array([1.0, (K - 1.0) / (K + 1.0)]), np.full(2, K / (K + 1.0)))
    return x + values[0]


def _recursion(x: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Σ aₖ y(i − k) = Σ bₖ x(i − k) with nothing before the first sample; a₀ = 1."""
    from scipy.linalg.blas import dtbsv  # a run begins without it

    right = np.convolve(x, b)[: x.size]
    return dtbsv(a.size - 1, np.repeat(a[:, None], x.size, axis=1), right, lower=1, diag=1)


def sampling_step(times: np.ndarray) -> float:
    """Step of equally spaced times (samples,) [s]; ModelError if they are not."""
    times = np.asarray(times, float)
    if times.ndim != 1 or times.size < 3:
        raise ModelError(f"times: at least three samples are needed, got shape {times.shape}")
    steps = np.diff(times)
    step = float((times[-1] - times[0]) / (times.size - 1))
    if not step > 0 or np.abs(steps - step).max() > 1e-4 * step + 1e-12 * abs(times[-1]):
        worst = int(np.argmax(np.abs(steps - step)))
        raise ModelError(
            f"times: must be equally spaced; at {times[worst]:.6g} s the step is "
            f"{steps[worst]:.6g} s, the mean step {step:.6g} s. Interpolate to a fixed step first"
        )
    return step
