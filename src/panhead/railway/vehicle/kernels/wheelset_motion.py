"""A single wheelset on straight rails, hung in a suspension that runs ahead at constant speed.

State (11,): y, z [m], yaw ψ, roll φ [rad] of the axle; v_x, v_y, v_z [m/s]; ω_x, ω_y, ω_z [rad/s] in the
frame of the axle (that yaws and rolls, but does not spin); x [m]. R = R_z(ψ) R_x(φ). With the axle
frame's own angular velocity Ω_F = (ω_x, ω_z tan φ, ω_z) the equations are

    m v̇ = F,   I ω̇ + Ω_F × (I ω) = M,   I = diag(I_x, I_y, I_x)
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from panhead.engine.jit.compiler import whole
from panhead.engine.kernels.machine_code_calls import put
from panhead.railway.vehicle.kernels.track_frame import TrackArrays, on_track, rails_at
from panhead.railway.vehicle.kernels.wheel_rail import wheel_rail_force

STATES = 11
_Y, _Z, _YAW, _ROLL, _VX, _VY, _VZ, _WX, _WY, _WZ, _X = range(STATES)


class Suspended(NamedTuple):
    """A wheelset and what holds it."""

    m: float  #: [kg]
    I_x: float  #: about a diameter [kg·m²]
    I_y: float  #: about the axle [kg·m²]
    load: float  #: vertical, down, weight included [N]
    k_y: float  #: [N/m]
    c_y: float  #: [N·s/m]
    k_yaw: float  #: [N·m/rad]
    c_yaw: float  #: [N·m·s/rad]
    k_roll: float  #: [N·m/rad]
    c_roll: float  #: [N·m·s/rad]
    c_x: float  #: pulls towards the speed V [N·s/m]
    V: float  #: speed of the suspension [m/s]
    track: TrackArrays  #: straight, rails displaced or not


class Room(NamedTuple):
    """Scratch of ``wheelset_rate``."""

    p: np.ndarray  #: (3,)
    R: np.ndarray  #: (3, 3)
    w: np.ndarray  #: (3,)
    rail: np.ndarray  #: (2, 4)
    records: np.ndarray
    status: np.ndarray  #: (2,) int
    wrench: np.ndarray  #: (6,)


@whole
def wheelset_rate(wr, s, x, room, out):
    """out = dx/dt (11,)."""
    cp, sp, cf, sf = math.cos(x[_YAW]), math.sin(x[_YAW]), math.cos(x[_ROLL]), math.sin(x[_ROLL])
    R = room.R
    R[0, 0], R[0, 1], R[0, 2] = cp, -sp * cf, sp * sf
    R[1, 0], R[1, 1], R[1, 2] = sp, cp * cf, -cp * sf
    R[2, 0], R[2, 1], R[2, 2] = 0.0, sf, cf
    for i in range(3):
        room.w[i] = R[i, 0] * x[_WX] + R[i, 1] * x[_WY] + R[i, 2] * x[_WZ]
    room.p[0], room.p[1], room.p[2] = 0.0, x[_Y], x[_Z]
    rails_at(s.track, x[_X], x[_VX], room.rail)
    f = room.wrench
    f[:] = 0.0
    wheel_rail_force(wr, room.p, R, x[_VX : _VZ + 1], room.w, room.rail, room.records, room.status, f)
    yaw_rate = x[_WZ] / cf
    f[0] -= s.c_x * (x[_VX] - s.V)
    f[1] -= s.k_y * x[_Y] + s.c_y * x[_VY]
    f[2] -= s.load
    m_x = R[0, 0] * f[3] + R[1, 0] * f[4] + R[2, 0] * f[5] - s.k_roll * x[_ROLL] - s.c_roll * x[_WX]
    m_y = R[0, 1] * f[3] + R[1, 1] * f[4] + R[2, 1] * f[5]
    m_z = R[0, 2] * f[3] + R[1, 2] * f[4] + R[2, 2] * f[5]
    torque = -s.k_yaw * x[_YAW] - s.c_yaw * yaw_rate  # about the vertical
    m_y += sf * torque
    m_z += cf * torque
    o_y = x[_WZ] * sf / cf  # of the axle frame about the axle
    out[_Y], out[_Z], out[_X] = x[_VY], x[_VZ], x[_VX]
    out[_YAW], out[_ROLL] = yaw_rate, x[_WX]
    out[_VX], out[_VY], out[_VZ] = f[0] / s.m, f[1] / s.m, f[2] / s.m
    out[_WX] = (m_x - (o_y * s.I_x * x[_WZ] - x[_WZ] * s.I_y * x[_WY])) / s.I_x
    out[_WY] = (m_y - (x[_WZ] * s.I_x * x[_WX] - x[_WX] * s.I_x * x[_WZ])) / s.I_y
    out[_WZ] = (m_z - (x[_WX] * s.I_y * x[_WY] - o_y * s.I_x * x[_WX])) / s.I_x


@whole
def march_wheelset(wr, s, x, dt, every, room, work, out, worst):
    """Runge–Kutta steps; out (n, 11) states every so many steps, the first one the start.

    work (5, 11) scratch; worst (2,): worst status each wheel had. Returns how many rows are written:
    all, unless the track ends before.
    """
    k = work[:4]
    y = work[4]
    put(out[0], 0, x)
    for i in range(1, out.shape[0]):
        if not on_track(s.track, x[_X]):
            return i
        for _ in range(every):
            for stage in range(4):  # one call, compiled once
                h = dt if stage == 3 else 0.5 * dt
                for j in range(STATES):
                    y[j] = x[j] + h * k[stage - 1, j] if stage > 0 else x[j]
                wheelset_rate(wr, s, y, room, k[stage])
                for j in range(2):
                    worst[j] = max(worst[j], room.status[j])
            for j in range(STATES):
                x[j] += dt / 6.0 * (k[0, j] + 2.0 * (k[1, j] + k[2, j]) + k[3, j])
        put(out[i], 0, x)
    return out.shape[0]
