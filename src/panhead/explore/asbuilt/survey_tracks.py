"""Place readings on a line as drawn: chainage in km or shifted, and rows of another track told from this one's.

No wire moves 50 mm up or 100 mm across within a metre. Where neighbouring rows often do, two tracks are mixed, and the
rows nearer to the drawing are those of this one:

    d = √((Δy/0.1 m)² + (Δz/0.05 m)²),     kept if d ≤ min d of the rows around + ½
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
from scipy.ndimage import maximum_filter1d, minimum_filter1d, uniform_filter1d

from panhead.explore.asbuilt.survey_rows import TrainReadings
from panhead.railway.line.layout import Layout, PlacedTensionLength

_UP: Final = 0.05  # m that no wire rises within _NEAR
_ACROSS: Final = 0.1  # m that no wire goes aside within _NEAR
_NEAR: Final = 1.0  # m
_DENSE: Final = 0.3  # share of jumps among the rows around; outliers are rarer
_OFTEN: Final = 0.04  # share of rows with so many jumps around from which two tracks are mixed
_AROUND: Final = 21  # rows
_FARTHER: Final = 0.5  # of d
_SHIFTS: Final = np.arange(-15.0, 15.25, 0.25)  # of the chainage that are tried [m]
_LEAST: Final = 1.0  # shift that is told [m]


def drawn_stagger(layout: Layout, piece: PlacedTensionLength, x: np.ndarray) -> np.ndarray:
    """Stagger as drawn (n,) at x from the line's first mast; NaN: not this tension length."""
    masts, last = layout.mast_x[piece.first : piece.stop + 1], len(piece.spans) - 1
    plans = [layout.plan(piece, piece.first + k) for k in range(last + 1)]
    y = [*(plan.left.y_contact for plan in plans), plans[-1].right.y_contact]
    return np.where((x >= masts[0]) & (x <= masts[-1]), np.interp(x, masts, y), np.nan)


def usual_stagger(layout: Layout) -> float:
    """Median of what the wires lie aside as drawn [m]."""
    x = np.linspace(layout.mast_x[0], layout.mast_x[-1], 10 * layout.mast_x.size)
    off = np.concatenate([np.abs(drawn_stagger(layout, piece, x)) for piece in layout.pieces])
    return float(np.nanmedian(off))


def in_metres_of_line(found: TrainReadings, layout: Layout) -> TrainReadings:
    """Chainage in metres: a file that covers a stretch of the line only if its numbers are kilometres is in km."""
    begin, end = layout.line.chainage, layout.line.chainage + float(layout.mast_x[-1])
    covered = lambda x: float(np.ptp(here)) if (here := x[(x >= begin) & (x <= end)]).size else 0.0
    if covered(1e3 * found.x) <= 100.0 * covered(found.x):
        return found
    return replace(found, x=1e3 * found.x, notes=(*found.notes, "the chainage was in km"))


def one_of_two_tracks(found: TrainReadings, layout: Layout) -> TrainReadings:
    """The rows nearer to the drawing where rows of two tracks are mixed; found: in order of chainage."""
    x, z, y = found.x, found.height, found.stagger
    with np.errstate(invalid="ignore"):
        jump = (np.abs(np.diff(z)) > _UP) | (np.abs(np.diff(y)) > _ACROSS)
    jump &= np.diff(x) < _NEAR
    if x.size < _AROUND or (uniform_filter1d(jump.astype(float), _AROUND) > _DENSE).mean() < _OFTEN:
        return found
    up = (z - layout.line.contact_height) / _UP
    distances = [np.hypot(_aside(sign * y, x, layout) / _ACROSS, up) for sign in (1.0, -1.0)]  # or run the other way
    nearest = [minimum_filter1d(d, _AROUND, mode="nearest") for d in distances]
    way = int(np.median(nearest[1]) < 0.5 * np.median(nearest[0]))
    mine = distances[way] <= nearest[way] + _FARTHER
    mine &= ~_undecided(~mine)
    lost = int((~mine).sum())
    note = f"two tracks mixed: kept the rows nearer to the drawing, left out {lost} of {x.size}"
    return found.at(mine, note) if lost else found


def _undecided(other: np.ndarray) -> np.ndarray:
    """(n,) bool: rows among mixed ones where too few are of the other track, so that both lie alike there."""
    share = uniform_filter1d(other.astype(float), _AROUND, mode="nearest")
    usual = float(np.median(share[share > 0.0])) if other.any() else 0.0
    return (share < 0.5 * usual) & maximum_filter1d(other, 10 * _AROUND, mode="nearest")


def _aside(y: np.ndarray, x: np.ndarray, layout: Layout) -> np.ndarray:
    """Distance across the track from the nearest wire as drawn; 0 where no stagger was measured."""
    off = np.full(x.size, np.inf)
    for piece in layout.pieces:
        off = np.fmin(off, np.abs(y - drawn_stagger(layout, piece, x - layout.line.chainage)))
    return np.where(np.isfinite(off), off, 0.0)


def chainage_shift(found: TrainReadings, layout: Layout, piece: PlacedTensionLength) -> float:
    """How far the chainage of a pass is ahead of the drawing, by the kinks of the stagger at masts; 0: not certain [m].

    It is the shift with the least median distance across, if that is less than half of what it is without a shift.
    """
    off = [np.abs(found.stagger - drawn_stagger(layout, piece, found.x - s)) for s in _SHIFTS]
    known = np.isfinite(off)
    if known.sum(axis=1).min() < _AROUND:
        return 0.0
    away = np.array([np.median(one[mine]) for one, mine in zip(off, known, strict=True)])
    best, none = int(np.argmin(away)), int(np.argmin(np.abs(_SHIFTS)))
    certain = abs(_SHIFTS[best]) >= _LEAST and away[best] < 0.5 * away[none]
    return float(_SHIFTS[best]) if certain else 0.0
