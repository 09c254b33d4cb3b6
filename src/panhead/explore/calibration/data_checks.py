"""Checks of measured records before a fit: order, gaps, outliers, units, speed.

What makes a record useless is refused by name, what can be left out is left out and named.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from panhead.engine.laws.gravity import GRAVITY
from panhead.errors import FileError
from panhead.explore.calibration.measured_channels import UNITS, MeasuredChannel
from panhead.explore.calibration.trace_filter import TraceFilter

_GAP: Final = 4.0  # a spacing so many times the usual one is a gap
_OUTLIER: Final = 8.0  # robust standard deviations from the running median
_QUIET: Final = 0.05  # of the standard deviation of a record: the least scatter that outliers are measured by
_MANY: Final = 0.05  # a larger share of outliers is no share of outliers
_SPEED: Final = 0.02  # by which the speed of a record may differ
_FAR: Final = 2.5  # ratio of measured and computed values beyond which the unit is doubted
_NEAR: Final = 1.35  # and a unit named, if it brings them so near
#: factor that measured values lack → what they then are
_UNITS: Final = {
    "force": {1e3: "kN, not N", GRAVITY: "kgf, not N", 1e-3: "mN, not N"},
    "acceleration": {GRAVITY: "g, not m/s²", 1e-3: "mm/s², not m/s²"},
    "uplift": {1e-3: "mm, not m", 1e-2: "cm, not m", 1e3: "km, not m"},
}


@dataclass(frozen=True, slots=True)
class CheckedRecord:
    """A record in order of time: instants after its first, values, and what was found."""

    channel: MeasuredChannel
    at: np.ndarray  #: (n,) place [m] or time [s], increasing
    values: np.ndarray  #: (n,) without outliers
    gaps: tuple[tuple[float, float], ...]  #: first and last place or time of each
    notes: tuple[str, ...]

    def covers(self, at: np.ndarray, reach: float) -> np.ndarray:
        """Mask of places or times around which a record has no gap and no end within ``reach``."""
        inside = (at - reach >= self.at[0]) & (at + reach <= self.at[-1])
        for first, last in self.gaps:
            inside &= (at + reach <= first) | (at - reach >= last)
        return np.asarray(inside)


def checked(channel: MeasuredChannel, speed: float, cutoff: float) -> CheckedRecord:
    """A record that can be fitted; FileError if it cannot."""
    at, values = _in_order(channel)
    _check_speed(channel, speed)
    apart, unit = float(np.median(np.diff(at))), "s" if channel.by_time else "m"
    rate = 1.0 / apart if channel.by_time else speed / apart
    if rate < 2.0 * cutoff:
        raise FileError(
            channel.source,
            f"{channel.title}: {rate:.3g} samples a second cannot hold {cutoff:g} Hz; lower `cutoff` below "
            f"{0.5 * rate:.3g} Hz",
        )
    keep, notes = _outliers(channel, at, values, max(9, 2 * int(0.15 * rate) + 1))
    at, values = at[keep], values[keep]
    wide = np.flatnonzero(np.diff(at) > _GAP * apart)
    gaps = tuple((float(at[k]), float(at[k + 1])) for k in wide)
    if gaps:
        longest = max(b - a for a, b in gaps)
        notes.append(
            f"{channel.source}, {channel.title}: {len(gaps)} gaps, the longest of {longest:.3g} {unit}; what the "
            "filter would take across them is left out"
        )
    return CheckedRecord(channel, at, values, gaps, tuple(notes))


def _in_order(channel: MeasuredChannel) -> tuple[np.ndarray, np.ndarray]:
    """Places and values with rising places; FileError if they turn back."""
    if not np.isfinite(channel.values).all():
        raise FileError(channel.source, f"{channel.title}: some values are not finite; leave those cells empty")
    steps = np.diff(channel.at)
    if channel.at.size < 16:
        raise FileError(channel.source, f"{channel.title}: {channel.at.size} samples are too few to fit")
    what = "time" if channel.by_time else "chainage"
    if (steps <= 0.0).all():
        raise FileError(
            channel.source,
            f"{channel.title}: the {what} falls along the record: it was driven against the run, or is written "
            "backwards. Reverse the run (a line mirrored), or write places in the direction of travel",
        )
    falls = np.flatnonzero(steps < 0.0)
    if falls.size:
        where = float(channel.at[falls[0]])
        raise FileError(
            channel.source,
            f"{channel.title}: the {what} turns back at {where:.6g} ({falls.size} times in all); "
            "give one passage a file",
        )
    single = np.concatenate([[True], steps > 0.0])
    return channel.at[single], channel.values[single]


def _check_speed(channel: MeasuredChannel, speed: float) -> None:
    """FileError if places and times of a record tell another speed than its run."""
    if channel.seconds is None:
        return
    own = float((channel.at[-1] - channel.at[0]) / (channel.seconds[-1] - channel.seconds[0]))
    if abs(own / speed - 1.0) > _SPEED:
        raise FileError(
            channel.source,
            f"{channel.title}: it was measured at {3.6 * own:.4g} km/h, its run has {3.6 * speed:.4g} km/h; set "
            f"changes = {{speed = {own:.5g}}} of this passage",
        )


def _outliers(channel: MeasuredChannel, at: np.ndarray, values: np.ndarray, width: int) -> tuple[np.ndarray, list[str]]:
    """Mask of samples that are no outliers, and what to say of the others."""
    from scipy.ndimage import median_filter

    off = values - median_filter(values, size=width, mode="nearest")
    # a quiet part must not make the rest of a record conspicuous
    spread = max(1.4826 * float(np.median(np.abs(off))), _QUIET * float(np.std(values)), 1e-300)
    # what is smooth over the filter's reach is signal; a lone sample is not
    lone = np.abs(values[1:-1] - 0.5 * (values[:-2] + values[2:])) > _OUTLIER * spread
    bad = np.concatenate([[False], lone, [False]]) & (np.abs(off) > _OUTLIER * spread)
    if not bad.any():
        return ~bad, []
    share = float(bad.mean())
    if share > _MANY:
        raise FileError(
            channel.source, f"{channel.title}: {100 * share:.2g} % of its samples are outliers; check sensor and cable"
        )
    first = float(at[np.flatnonzero(bad)[0]])
    unit = "s" if channel.by_time else "m"
    return ~bad, [
        f"{channel.source}, {channel.title}: {int(bad.sum())} outliers left out, the first at {first:.6g} {unit}"
    ]


def check_magnitude(channel: MeasuredChannel, measured: float, computed: float) -> list[str]:
    """A doubt about the unit of a channel, by a measured and a computed magnitude; FileError if a unit explains it."""
    if not (measured > 0.0 and computed > 0.0):
        return []
    ratio = computed / measured
    if 1.0 / _FAR < ratio < _FAR:
        return []
    kind = "acceleration" if channel.quantity.endswith("acceleration") else channel.quantity
    for factor, words in _UNITS[kind].items():
        if 1.0 / _NEAR < ratio / factor < _NEAR:
            raise FileError(
                channel.source,
                f"{channel.title}: {measured:.3g} {UNITS[channel.quantity]} where the run gives {computed:.3g}: the "
                f"values look like {words}; correct the unit of the column",
            )
    return [
        f"{channel.source}, {channel.title}: measured {measured:.3g}, computed {computed:.3g} "
        f"{UNITS[channel.quantity]} with the prior values: unit, calibration or run may be wrong"
    ]


def filtered_values(record: CheckedRecord, to_time: float, at: np.ndarray, trace: TraceFilter) -> np.ndarray:
    """Filtered values of a record at places or times; to_time: seconds of one unit of them."""
    step = float(np.median(np.diff(record.at)))
    even = np.arange(record.at[0], record.at[-1], step)
    values = np.interp(even, record.at, record.values)
    return np.asarray(trace.rows(at * to_time, even * to_time) @ values)
