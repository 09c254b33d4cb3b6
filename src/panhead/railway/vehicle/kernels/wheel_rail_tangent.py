"""Derivatives of the wheel–rail force, by differences about contacts already found.

No search is repeated: each contact is followed from where it is, by Newton's method, to where a small
displacement of the wheelset takes it. Differences with respect to velocities need no geometry.
"""

from __future__ import annotations

from panhead.engine.jit.compiler import whole
from panhead.railway.vehicle.kernels.wheel_rail import contact_force, wheel_pose, wheel_rail_force
from panhead.railway.vehicle.kernels.wheel_rail_contact import RECORD, SADDLE, S, U, describe, solve_contact
from panhead.railway.vehicle.kernels.wheel_rail_search import share

_MOVE = 1e-8  # displacement [m] and rotation [rad] of the differences
_SPEED = 1e-6  # velocity [m/s] and angular velocity [rad/s]


@whole
def _follow(geometry, pose, count, contacts, records):
    """Copy contacts into records as they are in another pose nearby."""
    for k in range(count):
        for i in range(RECORD):
            records[k, i] = contacts[k, i]
        ok, u, beta, s = solve_contact(geometry, pose, contacts[k, U], contacts[k, S])
        if ok and abs(u - contacts[k, U]) < 1e-4:
            describe(geometry, pose, u, beta, s, records[k])
        records[k, SADDLE] = contacts[k, SADDLE]
    if count > 1:
        share(geometry, pose, records, count)


@whole
def _perturbed_pose(pose, side, i, h):
    """The wheel's pose after a displacement (i < 3) or a rotation about a track axis by h."""
    y, z, a_x, a_y, a_z = pose
    if i == 1:
        return y + side * h, z, a_x, a_y, a_z
    if i == 2:
        return y, z + h, a_x, a_y, a_z
    # δa = h e × a; in the mirror of a right wheel rotations about x and z turn round
    if i == 3:
        return y, z, a_x, a_y - side * h * a_z, a_z + side * h * a_y
    if i == 4:
        return y, z, a_x + h * a_z, a_y, a_z - h * a_x
    return y, z, a_x - side * h * a_y, a_y + side * h * a_x, a_z


@whole
def wheel_rail_tangent(wr, p, R, v, w, rail, records, scratch, status, out, f_q, f_v):
    """``wheel_rail_force``, and add its derivatives.

    Arguments as there; besides
    scratch (CONTACTS + 1, RECORD)
    f_q (6, 6)  ∂(force, moment)/∂(p, θ), R → (1 + θ×) R, v and w held           [N/m, N, N/rad, N·m]
    f_v (6, 6)  ∂(force, moment)/∂(v, w)                                       [N·s/m, N·s, N·m·s]
    Both are added to. Returns the numbers of contacts.
    """
    counts = wheel_rail_force(wr, p, R, v, w, rail, records, status, out)
    base, moved = scratch[-1, :6], scratch[-1, 6:12]
    for k in range(2):
        count = counts[k]
        if count == 0:
            continue
        side = 1.0 - 2.0 * k
        pose = wheel_pose(side, p, R, rail[k])
        _follow(wr.geometry, pose, count, records[k], scratch)
        base[:] = 0.0
        for c in range(count):
            contact_force(wr.steel, side, v, w, rail[k, 2:], scratch[c], base)
        for i in range(6):
            vector, j = (v, i) if i < 3 else (w, i - 3)
            kept = vector[j]
            vector[j] = kept + _SPEED
            moved[:] = 0.0
            for c in range(count):
                contact_force(wr.steel, side, v, w, rail[k, 2:], scratch[c], moved)
            vector[j] = kept
            for r in range(6):
                f_v[r, i] += (moved[r] - base[r]) / _SPEED
        for i in range(1, 6):
            _follow(wr.geometry, _perturbed_pose(pose, side, i, _MOVE), count, records[k], scratch)
            moved[:] = 0.0
            for c in range(count):
                contact_force(wr.steel, side, v, w, rail[k, 2:], scratch[c], moved)
            for r in range(6):
                f_q[r, i] += (moved[r] - base[r]) / _MOVE
    return counts
