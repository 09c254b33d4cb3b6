"""A wheelset held on its rails by two constraints, one a wheel, and its creep forces; curved and irregular track.

With T the axes of the track at the place s beside the wheelset, c its middle, Ω = Tᵀ T′ (axial) and τ = Tᵀ c′, the
wheel's contact ``blended_contact`` of normal n at r gives, for P = Tᵀ (p − c) and rails displaced by y(s), z(s),

    g = depth = 0,   dg = −n·Tᵀ dp − (r × n)·Tᵀ dθ + D ds,   D = n·(τ + Ω × P + (0, y′, z′)) + (r × n)·Ω
    ds = S·dp,       S = (X′, Y′, 0)/(X′² + Y′² − κ side)

so a rail that climbs also pushes back along the track: the rails stand still and do no work. The multiplier is the
normal force N. Every circle creeps with its weight, as a contact that carries all of N would: at its point, in the
plane t₁ along the rail, t₂ = n × t₁, with the patch of Hertz for N at its curvatures, δ = (N √(A + B)/(N̂ E*))^(2/3).
"""

from __future__ import annotations

import math

from panhead.engine.jit.compiler import whole
from panhead.railway.vehicle.kernels.blended_contact import (
    CURV_X,
    CURV_Y,
    FY,
    FZ,
    MEAN_U,
    MX,
    MY,
    MZ,
    NY,
    NZ,
    RX,
    RY,
    RZ,
    WEIGHT,
    G,
    blended_contact,
)
from panhead.railway.vehicle.kernels.creep_force import creep_force
from panhead.railway.vehicle.kernels.track_frame import hermite_at, place_on_track, rails_at, track_frame
from panhead.railway.vehicle.kernels.wheel_rail import patch_at, wheel_pose

#: columns of what is known of a held wheel: depth; −∂g/∂(p, θ) in track axes; mean u; number of circles; y′, z′
DEPTH, PUSH, MEAN, COUNT, SLOPE = 0, 1, 7, 8, 9
KNOWN = 11
_LEAST = 1e-6  # weight of a circle that creeps
_X, _Y, _Z, _HEADING, _ROLL = range(0, 10, 2)  # columns of a track's line


@whole
def _cross(a, b, out):
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@whole
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@whole
def _unit(a):
    size = math.sqrt(_dot(a, a))
    for k in range(3):
        a[k] /= size


@whole
def _motion_of_the_frame(track, s, side, T, room):
    """Write τ, Ω and S, all in track axes, as rows of room (5, 3); side: how far left of the middle [m]."""
    s = max(0.0, min(track.length, s))
    X_s = hermite_at(track.line, track.step, _X, s)[1]
    Y_s = hermite_at(track.line, track.step, _Y, s)[1]
    Z_s = hermite_at(track.line, track.step, _Z, s)[1]
    bend = hermite_at(track.line, track.step, _HEADING, s)[1]
    twist = hermite_at(track.line, track.step, _ROLL, s)[1]
    scale = 1.0 / (X_s * X_s + Y_s * Y_s - bend * side)
    for k in range(3):
        room[0, k] = T[0, k] * X_s + T[1, k] * Y_s + T[2, k] * Z_s
        room[1, k] = bend * T[2, k]
        room[2, k] = scale * (T[0, k] * X_s + T[1, k] * Y_s)
    room[1, 0] += twist


@whole
def hold_wheels(track, wr, blend, p, R, s, aboard, room):
    """Write both wheels' contacts to room for a pose in the world; (place s, whether they were found).

    p (3,), R (3, 3) of the axle; s a guess of the place; aboard: an ``Aboard``, of which centre, axes, p, R and rail
    are written; room: a ``HeldRoom``.
    """
    s = place_on_track(track, p[0], p[1], s)
    T = aboard.axes
    track_frame(track, s, aboard.centre, T)
    for i in range(3):
        aboard.p[i] = 0.0
        for j in range(3):
            aboard.p[i] += T[j, i] * (p[j] - aboard.centre[j])
            x = 0.0
            for k in range(3):
                x += T[k, i] * R[k, j]
            aboard.R[i, j] = x
    rails_at(track, s, 1.0, aboard.rail)
    _motion_of_the_frame(track, s, aboard.p[1], T, room.frame)
    tau, omega, S, turned = room.frame[0], room.frame[1], room.frame[2], room.frame[3]
    found = room.blended
    _cross(omega, aboard.p, turned)
    for k in range(2):
        side = 1.0 - 2.0 * k
        wheel, rail = room.known[k], aboard.rail[k]
        pose = wheel_pose(side, aboard.p, aboard.R, rail)
        count = blended_contact(wr.geometry, pose, blend, room.depths, room.feet, room.circles[k], found)
        if count == 0:
            return s, False
        push = wheel[PUSH : PUSH + 6]
        push[0], push[1], push[2] = 0.0, side * found[FY], found[FZ]
        push[3], push[4], push[5] = side * found[MX], found[MY], side * found[MZ]
        D = _dot(push[3:], omega) + push[1] * rail[2] + push[2] * rail[3]
        for i in range(3):
            D += push[i] * (tau[i] + turned[i])
        for i in range(3):
            push[i] -= D * S[i]
        wheel[DEPTH], wheel[MEAN], wheel[COUNT] = found[G], found[MEAN_U], count
        wheel[SLOPE], wheel[SLOPE + 1] = rail[2], rail[3]
    return s, True


@whole
def held_creep(steel, N, aboard, room, k, out):
    """Add the creep wrench of wheel k about the wheelset's centre to out (6,); power lost and |F·creep|.

    aboard.p, v and w of the wheelset, and all else, in track axes. N [N] ≤ 0: nothing.
    """
    lost, worn = 0.0, 0.0
    if not N > 0.0:
        return lost, worn
    side, wheel = 1.0 - 2.0 * k, room.known[k]
    tau, omega, v, w = room.frame[0], room.frame[1], aboard.v, aboard.w
    at, t, n, b = room.axes[0], room.axes[1], room.axes[2], room.axes[3]
    V = math.sqrt(v[0] * v[0] + steel.crawl * steel.crawl)
    for i in range(int(wheel[COUNT])):
        c = room.circles[k, i]
        if c[WEIGHT] < _LEAST:
            continue
        at[0], at[1], at[2] = c[RX], side * c[RY], c[RZ]
        for j in range(3):
            n[j] = aboard.p[j] + at[j]
        _cross(omega, n, t)
        t[0], t[1], t[2] = t[0] + tau[0], t[1] + tau[1] + wheel[SLOPE], t[2] + tau[2] + wheel[SLOPE + 1]
        _unit(t)
        n[0], n[1], n[2] = 0.0, side * c[NY], c[NZ]
        along = _dot(n, t)
        for j in range(3):
            n[j] -= along * t[j]
        _unit(n)
        _cross(n, t, b)
        slip = room.axes[4]
        _cross(w, at, slip)
        for j in range(3):
            slip[j] += v[j]
        slip_x, slip_y, spin = _dot(t, slip), _dot(b, slip), _dot(n, w)
        A, B = c[CURV_X], c[CURV_Y]
        a, wide, N_hat, C11, C22, C23, C33 = patch_at(steel.patch, steel.patch_start, steel.patch_step, A, B)
        depth = (N * math.sqrt(A + B) / (N_hat * steel.E_star)) ** (2.0 / 3.0)
        area, mean = a * wide * depth / (A + B), math.sqrt(a * wide * depth / (A + B))
        C23 *= v[0] / V
        F_x, F_y, M = creep_force(
            slip_x / V,
            slip_y / V,
            spin / V,
            math.sqrt(slip_x * slip_x + slip_y * slip_y),
            (steel.G * area, mean, C11, C22, C23, C33),
            N,
            steel.friction,
        )
        F_x, F_y, M = c[WEIGHT] * F_x, c[WEIGHT] * F_y, c[WEIGHT] * M
        f_x, f_y, f_z = F_x * t[0] + F_y * b[0], F_x * t[1] + F_y * b[1], F_x * t[2] + F_y * b[2]
        out[0] += f_x
        out[1] += f_y
        out[2] += f_z
        out[3] += at[1] * f_z - at[2] * f_y + M * n[0]
        out[4] += at[2] * f_x - at[0] * f_z + M * n[1]
        out[5] += at[0] * f_y - at[1] * f_x + M * n[2]
        lost -= F_x * slip_x + F_y * slip_y + M * spin
        worn += abs(F_x * slip_x + F_y * slip_y) / V
    return lost, worn
