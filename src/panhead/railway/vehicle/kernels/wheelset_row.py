"""A wheelset on its rails as a row of a table: the forces of the rails in six coordinates.

    q = (p, ψ, φ, χ),   axes of the axle R = R_z(ψ) R_x(φ),   ω = ψ̇ e_z + φ̇ n + χ̇ a = J α̇
    n = R_z e_x,  a = R e_y the axle;   Q = (F, Jᵀ M),   r = −Q

The turn χ of the wheels is that of a body of revolution: nothing depends on it. The functions at the end
have the form of machine code (see ``families``); the only number of a row is the address of a directory that
lists, in this order, the fields of ``TrackArrays``, ``WheelRail``, ``Aboard`` and the place (1,) on the track.
"""

from __future__ import annotations

import math

import numpy as np
from numba import carray, types

from panhead.engine.jit.array_from_address import cube_at, directory_at, matrix_at, pointer_to, vector_at
from panhead.engine.jit.compiler import allocating, entrance, part, whole
from panhead.engine.kernels.element_families import LANES
from panhead.railway.vehicle.kernels.creep_force import Friction
from panhead.railway.vehicle.kernels.track_frame import TrackArrays, on_track
from panhead.railway.vehicle.kernels.wheel_rail import Steel, WheelRail, wheel_rail_account, wheel_rail_force
from panhead.railway.vehicle.kernels.wheel_rail_contact import Geometry
from panhead.railway.vehicle.kernels.wheel_rail_world import Aboard, enter_track, track_force, track_tangent

N = 6  #: coordinates
PLACES = 119  #: of a directory
_NUMBERS = 4 + 3 * N  # where a row's own numbers begin
_ENERGIES = 5


@allocating
def track_at(i, x):
    return TrackArrays(x[0], x[1], matrix_at(i, 2), x[6], matrix_at(i, 7))


@allocating
def wheel_rail_at(i, x):
    geometry = Geometry(
        matrix_at(i, 11),
        x[15],
        x[16],
        matrix_at(i, 17),
        matrix_at(i, 21),
        x[25],
        x[26],
        matrix_at(i, 27),
        x[31],
        carray(pointer_to(i[32]), (i[33], i[34], i[35]), np.int64),
        matrix_at(i, 36),
        vector_at(i, 40),
        x[44],
    )
    friction = Friction(i[54], x[55], x[56], x[57], x[58], x[59])
    steel = Steel(matrix_at(i, 45), x[49], x[50], x[51], x[52], x[53], friction, x[60])
    return WheelRail(geometry, steel, i[61] != 0, x[62])


@allocating
def aboard_at(i):
    return Aboard(
        vector_at(i, 63),
        matrix_at(i, 67),
        vector_at(i, 71),
        matrix_at(i, 75),
        vector_at(i, 79),
        vector_at(i, 83),
        matrix_at(i, 87),
        cube_at(i, 91),
        matrix_at(i, 95),
        carray(pointer_to(i[99]), (i[100],), np.int64),
        vector_at(i, 103),
        matrix_at(i, 107),
        matrix_at(i, 111),
    )


@part()
def axle_axes(yaw, roll, R):
    """R = R_z(ψ) R_x(φ)."""
    cy, sy, cr, sr = math.cos(yaw), math.sin(yaw), math.cos(roll), math.sin(roll)
    R[0, 0], R[1, 0], R[2, 0] = cy, sy, 0.0
    R[0, 1], R[1, 1], R[2, 1] = -sy * cr, cy * cr, sr
    R[0, 2], R[1, 2], R[2, 2] = sy * sr, -cy * sr, cr


@part()
def axle_rates(R, J):
    """J with ω = J α̇."""
    for k in range(3):
        J[k, 0] = 0.0
        J[k, 1] = R[k, 0]
        J[k, 2] = R[k, 1]
    J[2, 0] = 1.0


@part()
def _pose(x, lane, p, R, v, w, J):
    """The lane's coordinates and rates as p, R, v, ω and J."""
    at = 4 * LANES + lane
    for k in range(3):
        p[k] = x[at + k * LANES]
        v[k] = x[at + (N + k) * LANES]
    axle_axes(x[at + 3 * LANES], x[at + 4 * LANES], R)
    axle_rates(R, J)
    for k in range(3):
        w[k] = 0.0
        for j in range(3):
            w[k] += J[k, j] * x[at + (N + 3 + j) * LANES]


@part()
def _cross(a, b, out):
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@allocating
def add_wheelset_force(track, wr, room, place, x, lane, out):
    """out (6,) += Q of the lane; place (1,) follows along the track."""
    p, v, w, R, J = np.empty(3), np.empty(3), np.empty(3), np.empty((3, 3)), np.empty((3, 3))
    wrench = np.zeros(6)
    _pose(x, lane, p, R, v, w, J)
    place[0], _ = track_force(track, wr, p, R, v, w, place[0], room, wrench)
    for k in range(3):
        out[k] += wrench[k]
        for j in range(3):
            out[3 + k] += J[j, k] * wrench[3 + j]


@whole
def _turned_columns(x, lane, R, J, turned):
    """turned (3, 3, 3): ∂J[:, j]/∂α_k at [j, k]; only ψ and φ turn anything."""
    turned[:] = 0.0
    n, a = R[:, 0], R[:, 1]
    up = J[:, 0]
    _cross(up, n, turned[1, 0])
    _cross(up, a, turned[2, 0])
    _cross(n, a, turned[2, 1])


@allocating
def add_wheelset_tangent(track, wr, room, place, x, lane, out_q, out_v):
    """out_q, out_v (6, 6) += ∂Q/∂q and ∂Q/∂v of the lane.

    ∂(F, M)/∂α = f_θ J + f_ω ∂ω/∂α,   ∂ω/∂α = Σ_j α̇_j ∂J_j/∂α,   ∂Q/∂α = Jᵀ ∂M/∂α + (∂J/∂α)ᵀ M
    """
    p, v, w, R, J = np.empty(3), np.empty(3), np.empty(3), np.empty((3, 3)), np.empty((3, 3))
    wrench, f_q, f_v = np.zeros(6), np.zeros((6, 6)), np.zeros((6, 6))
    turned, spun = np.empty((3, 3, 3)), np.zeros((3, 3))
    _pose(x, lane, p, R, v, w, J)
    place[0], _ = track_tangent(track, wr, p, R, v, w, place[0], room, wrench, f_q, f_v)
    _turned_columns(x, lane, R, J, turned)
    at = (4 + N + 3) * LANES + lane
    for j in range(3):
        for k in range(3):
            for i in range(3):
                spun[i, k] += turned[j, k, i] * x[at + j * LANES]
    for side in range(2):
        f, out = (f_q, out_q) if side == 0 else (f_v, out_v)
        by = np.zeros((6, 6))  # of force and moment, by coordinates
        for r in range(6):
            for k in range(3):
                by[r, k] = f[r, k]
                for i in range(3):
                    by[r, 3 + k] += f[r, 3 + i] * J[i, k]
                    if side == 0:
                        by[r, 3 + k] += f_v[r, 3 + i] * spun[i, k]
        for c in range(6):
            for k in range(3):
                out[k, c] += by[k, c]
                for i in range(3):
                    out[3 + k, c] += J[i, k] * by[3 + i, c]
                    if side == 0 and c >= 3:
                        out[3 + k, c] += turned[k, c - 3, i] * wrench[3 + i]


@allocating
def add_wheelset_account(track, wr, room, place, x, lane, out):
    """out (5,) += 0, energy in the contacts [J]; power of the rails, 0, lost to damping and creep [W]."""
    p, v, w, R, J = np.empty(3), np.empty(3), np.empty(3), np.empty((3, 3)), np.empty((3, 3))
    _pose(x, lane, p, R, v, w, J)
    place[0] = enter_track(track, wr.geometry.lever, p, R, v, w, place[0], room)
    if not on_track(track, place[0]):
        return
    room.wrench[:] = 0.0
    counts = wheel_rail_force(wr, room.p, room.R, room.v, room.w, room.rail, room.records, room.status, room.wrench)
    found = np.zeros(5)
    wheel_rail_account(wr, room.v, room.rail, room.records, counts, found)
    out[1] += found[0]
    out[2] += found[4]
    out[4] += found[2] + found[3]


_SIGNATURE = types.void(types.CPointer(types.float64), types.CPointer(types.float64))


@part()
def _is_idle_lane(x, lane):
    """Return whether the lane is idle: the same wheelset as the lane before."""
    return lane > 0 and x[_NUMBERS * LANES + lane] == x[_NUMBERS * LANES + lane - 1]


@entrance(_SIGNATURE)
def residual(inputs, outputs):
    """r (6)."""
    x = carray(inputs, ((_NUMBERS + 1) * LANES,))
    y = carray(outputs, (N * LANES,))
    Q = np.empty(N)
    for lane in range(LANES):
        if not _is_idle_lane(x, lane):
            i, f = directory_at(x[_NUMBERS * LANES + lane], PLACES)
            Q[:] = 0.0
            add_wheelset_force(track_at(i, f), wheel_rail_at(i, f), aboard_at(i), vector_at(i, 115), x, lane, Q)
        for k in range(N):
            y[k * LANES + lane] = -Q[k]


@entrance(_SIGNATURE)
def tangent(inputs, outputs):
    """c_v ∂r/∂v + c_q ∂r/∂q, row by row."""
    x = carray(inputs, ((_NUMBERS + 1) * LANES,))
    y = carray(outputs, (N * N * LANES,))
    by_q, by_v = np.empty((N, N)), np.empty((N, N))
    for lane in range(LANES):
        if not _is_idle_lane(x, lane):
            i, f = directory_at(x[_NUMBERS * LANES + lane], PLACES)
            by_q[:] = 0.0
            by_v[:] = 0.0
            add_wheelset_tangent(
                track_at(i, f), wheel_rail_at(i, f), aboard_at(i), vector_at(i, 115), x, lane, by_q, by_v
            )
        c_v, c_q = x[2 * LANES + lane], x[3 * LANES + lane]
        for r in range(N):
            for c in range(N):
                y[(r * N + c) * LANES + lane] = -c_v * by_v[r, c] - c_q * by_q[r, c]


@entrance(_SIGNATURE)
def account(inputs, outputs):
    """T, V, power of drivers, of controls, dissipated."""
    x = carray(inputs, ((_NUMBERS + 1) * LANES,))
    y = carray(outputs, (_ENERGIES * LANES,))
    E = np.empty(_ENERGIES)
    for lane in range(LANES):
        if not _is_idle_lane(x, lane):
            i, f = directory_at(x[_NUMBERS * LANES + lane], PLACES)
            E[:] = 0.0
            add_wheelset_account(track_at(i, f), wheel_rail_at(i, f), aboard_at(i), vector_at(i, 115), x, lane, E)
        for k in range(_ENERGIES):
            y[k * LANES + lane] = E[k]
