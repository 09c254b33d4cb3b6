"""The measuring chain of EN 50317: a low-pass at 20 Hz, sixth-order Butterworth.

|H(f)|² = 1 / (1 + (f / f_c)^2n),   n = 6, f_c = 20 Hz
"""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy import signal

from panhead.errors import ModelError
from panhead.files.units import Hertz, Seconds

CUTOFF: Final = 20.0  #: [Hz]
ORDER: Final = 6


def low_pass(
    values: np.ndarray,
    step: Seconds,
    *,
    cutoff: Hertz = CUTOFF,
    order: int = ORDER,
    zero_phase: bool = False,
) -> np.ndarray:
    """The signal (samples,) as an instrument of EN 50317 would see it, −3 dB at ``cutoff``.

    It starts in the steady state of its first sample, so a constant passes unchanged. As measured,
    the output lags (about 31 ms at low frequency for the default). With ``zero_phase`` half the
    order runs forward and half backward: no lag, the same −3 dB point and the same slope,

        |H(f)| = 1 / (1 + (f / f₀)^n),   f₀ = cutoff / (√2 − 1)^(1/n).
    """
    values = np.asarray(values, float)
    if not step > 0 or cutoff >= 0.5 / step:
        raise ModelError(
            f"low_pass: a step of {step} s cannot carry {cutoff} Hz; "
            f"take a step below {0.5 / cutoff} s"
        )
    if not zero_phase:
        sections = _sections(order, cutoff, step)
        state = signal.sosfilt_zi(sections) * values[0]
        return signal.sosfilt(sections, values, zi=state)[0]
    if order % 2:
        raise ModelError(f"low_pass: zero phase needs an even order, got {order}")
    corner = cutoff / (np.sqrt(2.0) - 1.0) ** (1.0 / order)
    return signal.sosfiltfilt(_sections(order // 2, corner, step), values)


def _sections(order: int, cutoff: float, step: float) -> np.ndarray:
    return signal.butter(order, cutoff, fs=1.0 / step, output="sos")


def sampling_step(times: np.ndarray) -> float:
    """The step of equally spaced times (samples,) [s]; ModelError if they are not."""
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
