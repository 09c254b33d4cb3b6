"""Forces of both rails on a wheelset, for a pose and a velocity in the frame of the track.

    δ̇ = −n·(v_c − v_r),   N = N̂ E* δ^(3/2) (1 + d δ̇)₊ / √(A + B)              Hertz; [Hunt75]
    ξ = t₁·v_c/V,   η = t₂·v_c/V,   φ = n·ω/V,   t₁ = e_x,  t₂ = n × t₁

v_c is the velocity of the wheel's material at the contact, V the speed of the wheelset along the track. An irregular
rail lies still: its displacement changes under a rolling wheel by v_r, but its material, against which the wheel
slips, does not move. Geometry in ``wheel_rail_search``, creep in ``creep_force``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from panhead.engine.jit.compiler import whole
from panhead.engine.kernels.hertz import bounded_below
from panhead.railway.vehicle.kernels.creep_force import Friction, creep_force
from panhead.railway.vehicle.kernels.wheel_rail_contact import (
    AXIS_A,
    AXIS_B,
    CREEP_SPIN,
    CREEP_X,
    CREEP_Y,
    CURV_X,
    CURV_Y,
    DEPTH,
    FORCE_N,
    FORCE_X,
    FORCE_Y,
    NY,
    NZ,
    RATE,
    RX,
    RY,
    RZ,
    SHARE,
    SPIN_M,
    Geometry,
    U,
)
from panhead.railway.vehicle.kernels.wheel_rail_search import find_contacts, look_up_contacts

TREAD, FLANGE, LIFTED, DERAILED = 0, 1, 2, 3
FLANGE_ANGLE = 0.5  # sine of the contact angle from which a contact is the flange's
FLATTEST = 0.02  # least lateral relative curvature [1/m], see hertz.bounded_below


class Steel(NamedTuple):
    """Elasticity, damping and friction of wheel on rail."""

    patch: np.ndarray  #: (n, 7) over ln(A/B): â, b̂, N̂, C₁₁, C₂₂, C₂₃, C₃₃
    patch_start: float  #: first ln(A/B)
    patch_step: float
    E_star: float  #: [Pa]
    G: float  #: [Pa]
    damping: float  #: d [s/m]
    friction: Friction
    crawl: float  #: speed below which creepages stop growing [m/s]


class WheelRail(NamedTuple):
    """All that is constant about the contact of a wheelset with its rails."""

    geometry: Geometry
    steel: Steel
    tabulated: bool  #: the scan is confined by the table
    drop: float  #: a wheelset's centre lower than this has fallen between or beside the rails [m]


@whole
def patch_at(table, start, step, A, B):
    """The seven numbers of an elliptic patch at curvatures A, B [1/m]: cubic through four nodes."""
    x = (math.log(A / B) - start) / step
    i = max(1, min(table.shape[0] - 3, int(x)))
    t = x - i
    w0 = -t * (t - 1.0) * (t - 2.0) / 6.0
    w1 = (t + 1.0) * (t - 1.0) * (t - 2.0) / 2.0
    w2 = -(t + 1.0) * t * (t - 2.0) / 2.0
    w3 = (t + 1.0) * t * (t - 1.0) / 6.0
    return (
        w0 * table[i - 1, 0] + w1 * table[i, 0] + w2 * table[i + 1, 0] + w3 * table[i + 2, 0],
        w0 * table[i - 1, 1] + w1 * table[i, 1] + w2 * table[i + 1, 1] + w3 * table[i + 2, 1],
        w0 * table[i - 1, 2] + w1 * table[i, 2] + w2 * table[i + 1, 2] + w3 * table[i + 2, 2],
        w0 * table[i - 1, 3] + w1 * table[i, 3] + w2 * table[i + 1, 3] + w3 * table[i + 2, 3],
        w0 * table[i - 1, 4] + w1 * table[i, 4] + w2 * table[i + 1, 4] + w3 * table[i + 2, 4],
        w0 * table[i - 1, 5] + w1 * table[i, 5] + w2 * table[i + 1, 5] + w3 * table[i + 2, 5],
        w0 * table[i - 1, 6] + w1 * table[i, 6] + w2 * table[i + 1, 6] + w3 * table[i + 2, 6],
    )


@whole
def contact_force(steel, side, v, w, rail_v, record, out):
    """Add the wrench of one contact about the wheelset's centre to out (6,); note it in the record.

    side +1 left, −1 right; v, w (3,) velocity of the centre and angular velocity; rail_v the y and z
    velocities of the rail as the wheel sees it go by.
    """
    r_x, r_y, r_z = record[RX], side * record[RY], record[RZ]
    n_y, n_z = side * record[NY], record[NZ]
    # velocity of the wheel's material at the contact
    c_x = v[0] + w[1] * r_z - w[2] * r_y
    c_y = v[1] + w[2] * r_x - w[0] * r_z
    c_z = v[2] + w[0] * r_y - w[1] * r_x
    rate = -(n_y * (c_y - rail_v[0]) + n_z * (c_z - rail_v[1]))
    A, B = record[CURV_X], bounded_below(record[CURV_Y], FLATTEST)
    a, b, N, C11, C22, C23, C33 = patch_at(steel.patch, steel.patch_start, steel.patch_step, A, B)
    size = math.sqrt(record[DEPTH] / (A + B))
    a, b = a * size, b * size
    N *= steel.E_star * record[DEPTH] * size * max(0.0, 1.0 + steel.damping * rate)
    V = math.sqrt(v[0] * v[0] + steel.crawl * steel.crawl)
    slip_x, slip_y = c_x, n_z * c_y - n_y * c_z
    xi, eta, phi = slip_x / V, slip_y / V, (n_y * w[1] + n_z * w[2]) / V
    C23 *= v[0] / V  # the leading edge is behind when the wheel rolls back
    F_x, F_y, M = creep_force(
        xi,
        eta,
        phi,
        math.sqrt(slip_x * slip_x + slip_y * slip_y),
        (steel.G * a * b, math.sqrt(a * b), C11, C22, C23, C33),
        N,
        steel.friction,
    )
    share = record[SHARE]
    N, F_x, F_y, M = share * N, share * F_x, share * F_y, share * M
    f_y, f_z = N * n_y + F_y * n_z, N * n_z - F_y * n_y
    out[0] += F_x
    out[1] += f_y
    out[2] += f_z
    out[3] += r_y * f_z - r_z * f_y
    out[4] += r_z * F_x - r_x * f_z + M * n_y
    out[5] += r_x * f_y - r_y * F_x + M * n_z
    record[FORCE_N], record[FORCE_X], record[FORCE_Y], record[SPIN_M] = N, F_x, F_y, M
    record[CREEP_X], record[CREEP_Y], record[CREEP_SPIN] = xi, eta, phi
    record[AXIS_A], record[AXIS_B], record[RATE] = a, b, rate


@whole
def wheel_pose(side, p, R, rail):
    """Pose of a wheel in its own mirrored frame, relative to its displaced rail."""
    return (side * (p[1] - rail[0]), p[2] - rail[1], side * R[0, 1], R[1, 1], side * R[2, 1])


@whole
def wheel_status(wr, pose, records, count):
    """TREAD, FLANGE, LIFTED or DERAILED: where the wheel carries, or that it does not."""
    if count == 0:
        return DERAILED if pose[1] < wr.drop else LIFTED
    status = TREAD
    for k in range(count):
        if records[k, U] < wr.geometry.tip:
            return DERAILED
        if -records[k, NY] > FLANGE_ANGLE:
            status = FLANGE
    return status


@whole
def wheel_rail_force(wr, p, R, v, w, rail, records, status, out):
    """Add force and moment of both rails on a wheelset to out.

    wr        ``WheelRail``
    p (3,)    centre of the wheelset in the track frame, x forward, y left, z up from the rails [m];
              x is not used
    R (3, 3)  rotation from wheelset to track frame, column 1 the axle, to the left
    v, w (3,) velocity of the centre and angular velocity, in track axes [m/s, rad/s]
    rail (2, 4)  left and right rail: displacement y, z [m] and its rate seen by the wheel [m/s]
    records (2, CONTACTS, RECORD)  what is known of the contacts; written
    status (2,)  TREAD, FLANGE, LIFTED, DERAILED of the left and right wheel; written
    out (6,)  force [N] and moment about the centre [N·m] in track axes; added to
    Returns the number of loaded contacts of left and right wheel.
    """
    left, right = 0, 0
    for k in range(2):
        side = 1.0 - 2.0 * k
        pose = wheel_pose(side, p, R, rail[k])
        if wr.tabulated:
            count = look_up_contacts(wr.geometry, pose, records[k])
        else:
            count = find_contacts(wr.geometry, pose, records[k])
        status[k] = wheel_status(wr, pose, records[k], count)
        for i in range(count):
            contact_force(wr.steel, side, v, w, rail[k, 2:], records[k, i], out)
        if k == 0:
            left = count
        else:
            right = count
    return left, right


@whole
def wheel_rail_account(wr, v, rail, records, counts, out):
    """Energy balance of the last ``wheel_rail_force``; out (5,), added to.

    energy stored in the contacts, 2/5 N_e δ [J]; power into it, N_e δ̇; power lost to damping; to creep;
    power the rails put in by being displaced as the wheel goes by [W]. N_e is the elastic part of N.
    F·v + M·ω of the wrench = −(into storage) − damping − creep + rails, exactly; that the energy is the
    integral of what goes into it holds as far as curvatures stay the same along the profiles.
    """
    V = math.sqrt(v[0] * v[0] + wr.steel.crawl * wr.steel.crawl)
    for k in range(2):
        side = 1.0 - 2.0 * k
        for i in range(counts[k]):
            c = records[k, i]
            n_y, n_z = side * c[NY], c[NZ]
            growth = 1.0 + wr.steel.damping * c[RATE]
            elastic = c[FORCE_N] / growth if growth > 0.0 else 0.0
            out[0] += 0.4 * elastic * c[DEPTH]
            out[1] += elastic * c[RATE]
            out[2] += (c[FORCE_N] - elastic) * c[RATE]
            out[3] -= V * (c[FORCE_X] * c[CREEP_X] + c[FORCE_Y] * c[CREEP_Y] + c[SPIN_M] * c[CREEP_SPIN])
            out[4] += c[FORCE_N] * (n_y * rail[k, 2] + n_z * rail[k, 3])
