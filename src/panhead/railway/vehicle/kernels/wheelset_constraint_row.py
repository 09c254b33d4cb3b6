"""A wheelset held on its rails as a row of a table: two constraints and creep, in six coordinates.

    q = (p, ψ, φ, χ),   ω = J α̇ as in ``wheelset_row``;   g_q = −(F_n, Jᵀ M_n),   r = g_qᵀ λ − (F, Jᵀ M) of creep

λ = (N left, N right). Creep needs N: where a caller asks for forces without multipliers (λ = 0) the last ones told
are taken, kept in the row's memory behind the place on the track. The derivative of creep by λ is left out of the
tangent, which has no room for it: |∂F/∂N| ≤ μ, so Newton's method converges linearly there, and fast.

A directory lists the fields of ``TrackArrays``, ``WheelRail`` and ``Aboard``, the memory (3,), ε, and ``HeldRoom``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import carray, types

from panhead.engine.jit.array_from_address import cube_at, directory_at, matrix_at, vector_at
from panhead.engine.jit.compiler import allocating, entrance, part
from panhead.engine.kernels.element_families import LANES
from panhead.railway.vehicle.kernels.wheelset_constraint import DEPTH, PUSH, held_creep, hold_wheels
from panhead.railway.vehicle.kernels.wheelset_row import aboard_at, axle_axes, axle_rates, track_at, wheel_rail_at

N, M = 6, 2  #: coordinates, constraints
PLACES = 148  #: of a directory
_NUMBERS = 4 + 3 * N + M  # where a row's own numbers begin
_LAM = 4 + 3 * N
_ENERGIES = 5
_MOVE = 1e-7  # displacement [m] and rotation [rad] of the differences
_SPEED = 1e-6  # velocity [m/s] and angular velocity [rad/s]


class HeldRoom(NamedTuple):
    """Room of one held wheelset."""

    depths: np.ndarray  #: (m,) of the wheel's scan
    feet: np.ndarray  #: (m,)
    blended: np.ndarray  #: (BLENDED,)
    frame: np.ndarray  #: (4, 3)
    known: np.ndarray  #: (2, KNOWN)
    circles: np.ndarray  #: (2, ·, CIRCLE) circles that carry
    axes: np.ndarray  #: (5, 3)


@allocating
def _held(i):
    return HeldRoom(
        vector_at(i, 120),
        vector_at(i, 124),
        vector_at(i, 128),
        matrix_at(i, 132),
        matrix_at(i, 136),
        cube_at(i, 140),
        matrix_at(i, 144),
    )


@allocating
def _geometry(track, wr, blend, aboard, held, memory, q, g, G):
    """g (2,) and g_q (2, 6) at q (6,); what creep needs stays in aboard and held."""
    R, J = np.empty((3, 3)), np.empty((3, 3))
    axle_axes(q[3], q[4], R)
    axle_rates(R, J)
    memory[0], found = hold_wheels(track, wr, blend, q[:3], R, memory[0], aboard, held)
    T = aboard.axes
    for k in range(2):
        push = held.known[k, PUSH : PUSH + 6]
        g[k] = held.known[k, DEPTH] if found else math.nan
        for i in range(3):
            G[k, i] = -(T[i, 0] * push[0] + T[i, 1] * push[1] + T[i, 2] * push[2])
            moment = 0.0
            for j in range(3):
                moment += J[j, i] * (T[j, 0] * push[3] + T[j, 1] * push[4] + T[j, 2] * push[5])
            G[k, 3 + i] = -moment


@allocating
def _creep(wr, aboard, held, q, v, normal, Q):
    """Q (6,) of creep at the geometry found last, velocities v (6,) and normal forces (2,); the power lost."""
    R, J, wrench = np.empty((3, 3)), np.empty((3, 3)), np.zeros(6)
    axle_axes(q[3], q[4], R)
    axle_rates(R, J)
    T = aboard.axes
    for i in range(3):
        aboard.v[i] = T[0, i] * v[0] + T[1, i] * v[1] + T[2, i] * v[2]
        aboard.w[i] = 0.0
        for j in range(3):
            aboard.w[i] += T[j, i] * (J[j, 0] * v[3] + J[j, 1] * v[4] + J[j, 2] * v[5])
    lost = 0.0
    for k in range(2):
        lost += held_creep(wr.steel, normal[k], aboard, held, k, wrench)[0]
    for i in range(3):
        Q[i] = T[i, 0] * wrench[0] + T[i, 1] * wrench[1] + T[i, 2] * wrench[2]
        Q[3 + i] = 0.0
        for j in range(3):
            Q[3 + i] += J[j, i] * (T[j, 0] * wrench[3] + T[j, 1] * wrench[4] + T[j, 2] * wrench[5])
    return lost


@allocating
def evaluate(track, wr, blend, aboard, held, memory, q, v, lam, r, g, G):
    """r (6,), g (2,) and g_q (2, 6) of a held wheelset; the power lost to creep."""
    if lam[0] != 0.0 or lam[1] != 0.0:
        memory[1], memory[2] = lam[0], lam[1]
    _geometry(track, wr, blend, aboard, held, memory, q, g, G)
    lost = _creep(wr, aboard, held, q, v, memory[1:], r)
    for i in range(6):
        r[i] = lam[0] * G[0, i] + lam[1] * G[1, i] - r[i]
    return lost


@allocating
def slopes(track, wr, blend, aboard, held, memory, q, v, lam, by_q, by_v, g, G):
    """∂r/∂q and ∂r/∂v, (6, 6) each, by central differences, and g_q (2, 6)."""
    ends, lost = np.empty((2, 6)), 0.0
    x = q.copy()
    for k in range(5):  # nothing depends on the turn
        for side in range(2):
            x[k] = q[k] + (_MOVE if side == 0 else -_MOVE)
            lost += evaluate(track, wr, blend, aboard, held, memory, x, v, lam, ends[side], g, G)
        x[k] = q[k]
        for i in range(6):
            by_q[i, k] = (ends[0, i] - ends[1, i]) / (2.0 * _MOVE)
    by_q[:, 5] = 0.0
    _geometry(track, wr, blend, aboard, held, memory, q, g, G)
    x = v.copy()
    for k in range(6):
        for side in range(2):
            x[k] = v[k] + (_SPEED if side == 0 else -_SPEED)
            lost += _creep(wr, aboard, held, q, x, memory[1:], ends[side])
        x[k] = v[k]
        for i in range(6):
            by_v[i, k] = -(ends[0, i] - ends[1, i]) / (2.0 * _SPEED)


@allocating
def bias(track, wr, blend, aboard, held, memory, q, v, out):
    """out (2,) = −v·g_qq v, by a central difference of g_q along v."""
    largest = 0.0
    for k in range(5):
        largest = max(largest, abs(v[k]))
    out[0], out[1] = 0.0, 0.0
    if largest == 0.0:
        return
    h = 1e-5 / largest
    g, G = np.empty(2), np.empty((2, 6))
    for side in range(2):
        sign = 1.0 - 2.0 * side
        _geometry(track, wr, blend, aboard, held, memory, q + sign * h * v, g, G)
        for k in range(2):
            for i in range(6):
                out[k] -= sign * G[k, i] * v[i] / (2.0 * h)


_SIGNATURE = types.void(types.CPointer(types.float64), types.CPointer(types.float64))


@part()
def _is_idle_lane(x, lane):
    """Return whether the lane is idle: the same wheelset as the lane before."""
    return lane > 0 and x[_NUMBERS * LANES + lane] == x[_NUMBERS * LANES + lane - 1]


@part()
def _read(x, lane, q, v, lam):
    for k in range(N):
        q[k] = x[(4 + k) * LANES + lane]
        v[k] = x[(4 + N + k) * LANES + lane]
    for k in range(M):
        lam[k] = x[(_LAM + k) * LANES + lane]


@entrance(_SIGNATURE)
def residual(inputs, outputs):
    """r (6), g (2)."""
    x = carray(inputs, ((_NUMBERS + 1) * LANES,))
    y = carray(outputs, ((N + M) * LANES,))
    q, v, lam, r, g, G = np.empty(N), np.empty(N), np.empty(M), np.zeros(N), np.zeros(M), np.empty((M, N))
    for lane in range(LANES):
        if not _is_idle_lane(x, lane):
            i, f = directory_at(x[_NUMBERS * LANES + lane], PLACES)
            _read(x, lane, q, v, lam)
            memory = vector_at(i, 115)
            evaluate(track_at(i, f), wheel_rail_at(i, f), f[119], aboard_at(i), _held(i), memory, q, v, lam, r, g, G)
        for k in range(N):
            y[k * LANES + lane] = r[k]
        for k in range(M):
            y[(N + k) * LANES + lane] = g[k]


@entrance(_SIGNATURE)
def tangent(inputs, outputs):
    """c_v ∂r/∂v + c_q ∂r/∂q, row by row, then g_q."""
    x = carray(inputs, ((_NUMBERS + 1) * LANES,))
    y = carray(outputs, ((N * N + M * N) * LANES,))
    q, v, lam, g, G = np.empty(N), np.empty(N), np.empty(M), np.zeros(M), np.zeros((M, N))
    by_q, by_v = np.zeros((N, N)), np.zeros((N, N))
    for lane in range(LANES):
        c_v, c_q = x[2 * LANES + lane], x[3 * LANES + lane]
        if not _is_idle_lane(x, lane):
            i, f = directory_at(x[_NUMBERS * LANES + lane], PLACES)
            _read(x, lane, q, v, lam)
            track, wr, aboard, held = track_at(i, f), wheel_rail_at(i, f), aboard_at(i), _held(i)
            memory = vector_at(i, 115)
            if c_v == 0.0 and c_q == 0.0:
                _geometry(track, wr, f[119], aboard, held, memory, q, g, G)
            else:
                slopes(track, wr, f[119], aboard, held, memory, q, v, lam, by_q, by_v, g, G)
        for r in range(N):
            for c in range(N):
                y[(r * N + c) * LANES + lane] = c_v * by_v[r, c] + c_q * by_q[r, c]
        for r in range(M):
            for c in range(N):
                y[(N * N + r * N + c) * LANES + lane] = G[r, c]


@entrance(_SIGNATURE)
def rates(inputs, outputs):
    """g_t (2), gamma (2)."""
    x = carray(inputs, ((_NUMBERS + 1) * LANES,))
    y = carray(outputs, (2 * M * LANES,))
    q, v, lam, gamma = np.empty(N), np.empty(N), np.empty(M), np.zeros(M)
    for lane in range(LANES):
        if not _is_idle_lane(x, lane):
            i, f = directory_at(x[_NUMBERS * LANES + lane], PLACES)
            _read(x, lane, q, v, lam)
            bias(track_at(i, f), wheel_rail_at(i, f), f[119], aboard_at(i), _held(i), vector_at(i, 115), q, v, gamma)
        for k in range(M):
            y[k * LANES + lane] = 0.0
            y[(M + k) * LANES + lane] = gamma[k]


@entrance(_SIGNATURE)
def account(inputs, outputs):
    """T, V, power of drivers, of controls, dissipated."""
    x = carray(inputs, ((_NUMBERS + 1) * LANES,))
    y = carray(outputs, (_ENERGIES * LANES,))
    q, v, lam, r, g, G = np.empty(N), np.empty(N), np.empty(M), np.zeros(N), np.zeros(M), np.empty((M, N))
    lost = 0.0
    for lane in range(LANES):
        if not _is_idle_lane(x, lane):
            i, f = directory_at(x[_NUMBERS * LANES + lane], PLACES)
            _read(x, lane, q, v, lam)
            memory = vector_at(i, 115)
            lost = evaluate(
                track_at(i, f), wheel_rail_at(i, f), f[119], aboard_at(i), _held(i), memory, q, v, lam, r, g, G
            )
        for k in range(_ENERGIES - 1):
            y[k * LANES + lane] = 0.0
        y[(_ENERGIES - 1) * LANES + lane] = lost
