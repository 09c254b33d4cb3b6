"""A track as arrays: its frame at any place, its rails' irregularities, and where on it a body is.

All quantities are cubic Hermite interpolants on a uniform grid: C1 along the track.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from panhead.engine.jit.compiler import whole
from panhead.engine.kernels.compiled_laws import interpolate, interpolate_x

# pairs of columns (value, slope) of a track's line
_X, _Y, _Z, _HEADING, _ROLL = range(0, 10, 2)


class TrackArrays(NamedTuple):
    """A track for kernels."""

    length: float  #: [m]
    step: float  #: of the line's nodes [m]
    line: np.ndarray  #: (n, 10) X, Y, Z of the middle, heading, roll and their slopes along s
    rough_step: float  #: [m]
    rough: np.ndarray  #: (m, 8) y, z of the left and of the right rail and their slopes


@whole
def hermite_at(table, step, column, s):
    """Value and slope at s of the quantity in columns ``column`` and the next."""
    i = max(0, min(table.shape[0] - 2, int(s / step)))
    xi, p, m = s / step - i, table[i, column], table[i, column + 1]
    q, n = table[i + 1, column], table[i + 1, column + 1]
    return interpolate(xi, step, p, m, q, n), interpolate_x(xi, step, p, m, q, n)


@whole
def on_track(track, s):
    """Return whether s is between the ends of the track."""
    return 0.0 <= s <= track.length


@whole
def track_frame(track, s, p, R):
    """Write the middle of the track at s, p (3,) [m], and its axes R (3, 3); False beyond an end.

    Columns of R: along the track, to the left in the plane of the rails, up from it. Beyond the ends
    the frame of the end is written.
    """
    inside = on_track(track, s)
    s = max(0.0, min(track.length, s))
    heading, _ = hermite_at(track.line, track.step, _HEADING, s)
    roll, _ = hermite_at(track.line, track.step, _ROLL, s)
    for k in range(3):
        p[k] = hermite_at(track.line, track.step, 2 * k, s)[0]
    climb = hermite_at(track.line, track.step, _Z, s)[1]
    ch, sh, cr, sr = math.cos(heading), math.sin(heading), math.cos(roll), math.sin(roll)
    f = 1.0 / math.sqrt(1.0 + climb * climb)
    t = (ch * f, sh * f, climb * f)
    left = (-sh, ch, 0.0)  # level
    up = (-ch * climb * f, -sh * climb * f, f)
    for k in range(3):
        R[k, 0] = t[k]
        R[k, 1] = cr * left[k] + sr * up[k]
        R[k, 2] = cr * up[k] - sr * left[k]
    return inside


@whole
def rails_at(track, s, speed, out):
    """out (2, 4): y, z [m] by which left and right rail are displaced at s, and their rates at ``speed``.

    The rates are those a wheel sees that runs along the track at ``speed`` [m/s].
    """
    s = max(0.0, min(track.length, s))
    for k in range(2):
        for j in range(2):
            value, slope = hermite_at(track.rough, track.rough_step, 4 * k + 2 * j, s)
            out[k, j] = value
            out[k, 2 + j] = slope * speed


@whole
def place_on_track(track, x, y, s):
    """The s of the track's point beside (x, y), from a guess: (p − c)·t = 0 by Newton's method.

    May come out beyond an end; the ends go on straight.
    """
    for _ in range(20):
        clamped = max(0.0, min(track.length, s))
        X, X_s = hermite_at(track.line, track.step, _X, clamped)
        Y, Y_s = hermite_at(track.line, track.step, _Y, clamped)
        _, bend = hermite_at(track.line, track.step, _HEADING, clamped)
        over = s - clamped
        d_x, d_y = x - X - over * X_s, y - Y - over * Y_s
        f = d_x * X_s + d_y * Y_s
        side = d_y * X_s - d_x * Y_s
        ds = f / (1.0 - bend * side)
        s += ds
        if abs(ds) < 1e-12 * (1.0 + abs(s)):
            break
    return s
