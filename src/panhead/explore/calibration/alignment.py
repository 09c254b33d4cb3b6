"""First alignment of a record with its run: the shift of the largest correlation, and signs of a wrong record."""

from __future__ import annotations

from typing import Final

import numpy as np

from panhead.errors import FileError
from panhead.explore.calibration.data_checks import CheckedRecord

_FINE: Final = 0.005  # grid of shifts [s]
_SHORTEST: Final = 0.5  # of a record that is compared [s]
_BETTER: Final = 0.2  # by which another reading of a record must correlate better to be named
_SURE: Final = 0.6
_STRETCHES: Final = (0.8, 0.85, 0.9, 0.95, 1.05, 1.1, 1.15, 1.2)


def first_shift(
    record: CheckedRecord, times: np.ndarray, model: np.ndarray, at: np.ndarray, ends: tuple[float, float]
) -> float:
    """Shift added to the instants ``at`` (n,) of a record that brings it nearest to a computed trace [s].

    FileError if the record correlates much better when it is read backwards or at another speed.
    """
    values, shifts = record.values, np.arange(ends[0], ends[1] + 0.5 * _FINE, _FINE)
    best, found = _best(values, at, times, model, shifts)
    if not np.isfinite(found):
        raise FileError(record.channel.source, f"{record.channel.title}: the run does not pass where it was measured")
    _refuse_better(record, (at[0] + at[-1]) - at[::-1], values[::-1], (times, model, shifts), found)
    if record.channel.by_time:
        _refuse_other_speed(record, at, (times, model, shifts), found)
    return float(shifts[best])


def _best(
    values: np.ndarray, at: np.ndarray, times: np.ndarray, model: np.ndarray, shifts: np.ndarray
) -> tuple[int, float]:
    """Number of the best shift and its correlation."""
    every = max(1, at.size // 4000)
    at, values = at[::every], values[::every]
    found = np.full(shifts.size, -np.inf)
    fewest = _SHORTEST / float(np.median(np.diff(at)))
    for k, shift in enumerate(shifts):
        inside = (at + shift >= times[0]) & (at + shift <= times[-1])
        if inside.sum() >= fewest:
            there = np.interp(at[inside] + shift, times, model)
            if there.std() > 0.0 and values[inside].std() > 0.0:
                found[k] = np.corrcoef(there, values[inside])[0, 1]
    k = int(np.argmax(found))
    return k, float(found[k])


def _refuse_better(
    record: CheckedRecord, at: np.ndarray, values: np.ndarray, run: tuple[np.ndarray, np.ndarray, np.ndarray],
    found: float,
) -> None:  # fmt: skip
    """FileError if the record read backwards fits much better."""
    times, model, shifts = run
    other = _best(values, at, times, model, shifts)[1]
    if other > max(_SURE, found + _BETTER):
        raise FileError(
            record.channel.source,
            f"{record.channel.title}: read backwards it correlates with the run by {other:.2f}, as it is by "
            f"{found:.2f}: its chainage is reversed. Write places in the direction of travel",
        )


def _refuse_other_speed(
    record: CheckedRecord, at: np.ndarray, run: tuple[np.ndarray, np.ndarray, np.ndarray], found: float
) -> None:
    times, model, shifts = run
    others = {s: _best(record.values, at[0] + s * (at - at[0]), times, model, shifts)[1] for s in _STRETCHES}
    stretch = max(others, key=lambda s: others[s])
    if others[stretch] > max(_SURE, found + _BETTER):
        raise FileError(
            record.channel.source,
            f"{record.channel.title}: at {stretch:g} times its speed it correlates with the run by "
            f"{others[stretch]:.2f}, as it is by {found:.2f}: it was measured at about "
            f"{1.0 / stretch:.2g} times the speed of the run",
        )
