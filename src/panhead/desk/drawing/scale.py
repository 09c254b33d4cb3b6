"""Axis limits and tick marks at round numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

_RAISED: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LEAST: Final = 1e-300  # what a logarithm can bear


@dataclass(frozen=True, slots=True)
class Scale:
    """One axis of a panel: ends, marks as shares 0 … 1 of its length, and what stands beside them."""

    low: float
    high: float
    log: bool
    shares: tuple[float, ...]
    labels: tuple[str, ...]

    def share(self, values: np.ndarray) -> np.ndarray:
        """Position of values on the axis, 0 at the low end and 1 at the high end."""
        if self.log:
            low, high = math.log(self.low), math.log(self.high)
            return np.asarray((np.log(np.maximum(values, _LEAST)) - low) / (high - low))
        return np.asarray((values - self.low) / (self.high - self.low))


def axis(
    values: np.ndarray, limits: tuple[float | None, float | None], log: bool, pixels: float, margin: float, apart: float
) -> Scale:
    """The scale that shows all values, a ``margin`` of its length at either end, marks ``apart`` pixels apart."""
    values = values[np.isfinite(values) & (values > 0 if log else True)]
    low, high = _ends(values, limits, log, margin)
    wanted = max(2.0, pixels / apart)
    ticks = _decades(low, high, wanted) if log else _round(low, high, wanted)
    plain = Scale(low, high, log, (), ())
    shares = tuple(plain.share(np.array([value for value, _ in ticks])).tolist())
    return Scale(low, high, log, shares, tuple(text for _, text in ticks))


def stations(made: Scale, station: float, pixels: float) -> Scale:
    """The axis with ticks at round chainages, written as km + m; ``station`` is the chainage of x = 0 [m]."""
    from panhead.files.chainage import format_chainage

    ticks = [value for value, _ in _round(made.low + station, made.high + station, max(2.0, pixels / 100.0))]
    shares = tuple(made.share(np.array(ticks) - station).tolist())
    return replace(made, shares=shares, labels=tuple(format_chainage(value).removeprefix("km ") for value in ticks))


def _ends(
    values: np.ndarray, limits: tuple[float | None, float | None], log: bool, margin: float
) -> tuple[float, float]:
    low, high = (float(values.min()), float(values.max())) if values.size else (0.1, 1.0)
    if log:
        room = (high / low) ** margin if high > low else 2.0
        low, high = low / room, high * room
    else:
        room = margin * (high - low) or 0.05 * abs(high) or 0.5
        low, high = low - room, high + room
    low = low if limits[0] is None else limits[0]
    high = high if limits[1] is None else limits[1]
    return low, high if high > low else low + (abs(low) or 1.0)


def _round(low: float, high: float, wanted: float) -> list[tuple[float, str]]:
    """Multiples of 1, 2 or 5 times a power of ten, about ``wanted`` of them and never one alone, which is no scale."""
    raw = (high - low) / wanted
    power = 10.0 ** math.floor(math.log10(raw))
    steps = [power * m for m in (0.5, 1, 2, 5, 10)]
    above = next(k for k, step in enumerate(steps) if step >= 0.999 * raw)
    step = next(s for s in (steps[above], steps[above - 1]) if math.floor(high / s) > math.ceil(low / s) or s < raw)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [(k * step, _label(k * step, step)) for k in range(first, last + 1)]


def _label(value: float, step: float) -> str:
    """As many digits as the step needs; a power of ten for what is very small or large."""
    if value == 0:
        return "0"
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    if digits > 4 or abs(value) >= 1e6:
        power = math.floor(math.log10(abs(value)) + 1e-9)
        mantissa = f"{value / 10.0**power:.{max(0, power - math.floor(math.log10(step) + 1e-9))}f}"
        return f"{mantissa}·10{str(power).translate(_RAISED)}".replace("-", "−")
    return f"{value:.{digits}f}".replace("-", "−")


def _decades(low: float, high: float, wanted: float) -> list[tuple[float, str]]:
    """Powers of ten, every second or third of them if there are many; 1, 2, 5 within a short range."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    if last - first < 1:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        marks = [m * 10.0**p for p in powers for m in (1, 2, 5) if low <= m * 10.0**p <= high]
        return [(value, _label(value, 10.0 ** math.floor(math.log10(value)))) for value in marks]
    every = max(1, math.ceil((last - first + 1) / wanted))
    label = lambda p: f"{10.0**p:g}" if -3 <= p <= 3 else f"10{str(p).translate(_RAISED)}"
    return [(10.0**p, label(p)) for p in range(first, last + 1) if p % every == 0]
