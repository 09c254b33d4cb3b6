"""Forces of a track's rails on a wheelset that is given in the world: frames in, frames out.

The track frame at the wheelset's place is taken as the frame of a straight track. What is left of its
curvature is that a canted track twists: with roll φ(s) the rails, y_r to the left, climb by y_r φ′
out of the frame's plane, which the wheels see like an irregularity's slope.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from panhead.engine.jit.compiler import whole
from panhead.railway.vehicle.kernels.track_frame import hermite_at, on_track, place_on_track, rails_at, track_frame
from panhead.railway.vehicle.kernels.wheel_rail import wheel_rail_force
from panhead.railway.vehicle.kernels.wheel_rail_tangent import wheel_rail_tangent

_HEADING, _ROLL = 6, 8  # columns of a track's line


class Aboard(NamedTuple):
    """Scratch and records of one wheelset on its track; make it with ``panhead.railway.vehicle.aboard``."""

    centre: np.ndarray  #: (3,) of the track frame [m]
    axes: np.ndarray  #: (3, 3) its axes, columns along, left, up
    p: np.ndarray  #: (3,) of the wheelset in it
    R: np.ndarray  #: (3, 3)
    v: np.ndarray  #: (3,)
    w: np.ndarray  #: (3,)
    rail: np.ndarray  #: (2, 4)
    records: np.ndarray  #: (2, CONTACTS, RECORD) contacts, mirrored for the right wheel
    scratch: np.ndarray  #: (CONTACTS + 1, RECORD)
    status: np.ndarray  #: (2,) of left and right wheel
    wrench: np.ndarray  #: (6,) in the track frame
    f_q: np.ndarray  #: (6, 6) in the track frame
    f_v: np.ndarray  #: (6, 6)


@whole
def enter_track(track, lever, p, R, v, w, s, room):
    """Write the wheelset's state in the track frame into room; returns its place s on the track [m].

    p, v, w (3,), R (3, 3) in the world; s a guess of the place; lever: half the rails' distance [m].
    """
    s = place_on_track(track, p[0], p[1], s)
    track_frame(track, s, room.centre, room.axes)
    T = room.axes
    for i in range(3):
        room.p[i] = 0.0
        room.v[i] = 0.0
        room.w[i] = 0.0
        for j in range(3):
            room.p[i] += T[j, i] * (p[j] - room.centre[j])
            room.v[i] += T[j, i] * v[j]
            room.w[i] += T[j, i] * w[j]
            x = 0.0
            for k in range(3):
                x += T[k, i] * R[k, j]
            room.R[i, j] = x
    at = max(0.0, min(track.length, s))
    bend = hermite_at(track.line, track.step, _HEADING, at)[1]
    twist = hermite_at(track.line, track.step, _ROLL, at)[1]
    speed = room.v[0] / (1.0 - bend * room.p[1])  # of the place along the track's middle
    rails_at(track, s, speed, room.rail)
    room.rail[0, 3] += lever * twist * speed
    room.rail[1, 3] -= lever * twist * speed
    return s


@whole
def _turn(T, x, out):
    """out (6,) += both halves of x turned from track to world axes."""
    for i in range(3):
        for j in range(3):
            out[i] += T[i, j] * x[j]
            out[3 + i] += T[i, j] * x[3 + j]


@whole
def _turn_matrix(T, A, out):
    """out (6, 6) += T A Tᵀ, block by block."""
    for a in range(0, 6, 3):
        for b in range(0, 6, 3):
            for i in range(3):
                for j in range(3):
                    x = 0.0
                    for k in range(3):
                        for l in range(3):
                            x += T[i, k] * A[a + k, b + l] * T[j, l]
                    out[a + i, b + j] += x


@whole
def track_force(track, wr, p, R, v, w, s, room, out):
    """Add the rails' force and moment about the wheelset's centre, in world axes, to out (6,).

    Arguments as in ``enter_track``. Returns the place s and whether the track is still there; beyond
    its end the wheelset has no force.
    """
    s = enter_track(track, wr.geometry.lever, p, R, v, w, s, room)
    if not on_track(track, s):
        return s, False
    room.wrench[:] = 0.0
    wheel_rail_force(wr, room.p, room.R, room.v, room.w, room.rail, room.records, room.status, room.wrench)
    _turn(room.axes, room.wrench, out)
    return s, True


@whole
def track_tangent(track, wr, p, R, v, w, s, room, out, f_q, f_v):
    """``track_force``, and add ∂/∂(p, θ) and ∂/∂(v, w), (6, 6) in world axes, to f_q and f_v.

    The track frame is held: what its turning with s would add is smaller by the curvature.
    """
    s = enter_track(track, wr.geometry.lever, p, R, v, w, s, room)
    if not on_track(track, s):
        return s, False
    room.wrench[:] = 0.0
    room.f_q[:] = 0.0
    room.f_v[:] = 0.0
    wheel_rail_tangent(
        wr,
        room.p,
        room.R,
        room.v,
        room.w,
        room.rail,
        room.records,
        room.scratch,
        room.status,
        room.wrench,
        room.f_q,
        room.f_v,
    )
    _turn(room.axes, room.wrench, out)
    _turn_matrix(room.axes, room.f_q, f_q)
    _turn_matrix(room.axes, room.f_v, f_v)
    return s, True
