"""All contacts of a wheel: from a coarse scan of the whole wheel, or of a tabulated part of it.

Contacts of one wheel share. Two minima of the distance that are apart, no interpenetration between
them, carry a force each. If the saddle between them is δ_s deep, below both depths δ₁ and δ₂, the
patches have grown together, and with t = δ_s/min(δ₁, δ₂), p = δ − δ_s the forces are weighted by

    (1 − t) + t p/(p₁ + p₂)

which is 1 when they begin to touch and leaves all to one where the other disappears into the
saddle, so that forces have no jump where contact points merge or jump.
"""

from __future__ import annotations

import math

from panhead.engine.jit.compiler import whole
from panhead.railway.vehicle.kernels.wheel_rail_contact import (
    CURV_Y,
    DEPTH,
    NZ,
    RECORD,
    SADDLE,
    SEED_S,
    SEED_U,
    SHARE,
    S,
    U,
    curve,
    describe,
    gap_at,
    outline,
    scan,
    solve_contact,
    squeeze,
)

_NEAR = 2e-3  # a root further than this from its start belongs to another contact [m]
_BAND = 2e-4  # the table holds this far below the height of first contact [m]
_RESOLVED = 5e-7  # a minimum less prominent may escape the coarse scan [m]
_TOUCH = 1e-5  # coarse minima nearer than this are looked at [m]


@whole
def polish(geometry, pose, record):
    """Turn a record's start into a contact."""
    u0, s0 = record[SEED_U], record[SEED_S]
    ok, u, beta, s = solve_contact(geometry, pose, u0, s0)
    near = ok and abs(u - u0) < _NEAR
    if near:
        describe(geometry, pose, u, beta, s, record)
        if record[CURV_Y] > -0.5:
            return
    # close to a merger Newton's matrix is singular; the distance itself is not
    width = geometry.wheel_scan[1, 0] - geometry.wheel_scan[0, 0]
    u, s = squeeze(geometry, pose, u0, s0, width, 1.0)
    eta, rho, eta_u, rho_u, _, _ = curve(geometry.wheel, geometry.wheel_start, geometry.wheel_step, u)
    c = math.sqrt(1.0 - pose[2] * pose[2])
    beta = math.asin(max(-0.9, min(0.9, rho_u * pose[2] / (eta_u * c))))
    describe(geometry, pose, u, beta, s, record)


@whole
def saddle_depth(geometry, pose, first, second, u):
    """Depth of the shallowest point between two contacts, from a guess of its u [m]."""
    low, high = first[U], second[U]
    if not (low < u < high):
        u = 0.5 * (low + high)
    s = first[S] + (second[S] - first[S]) * (u - low) / (high - low)
    ok, u1, _, s1 = solve_contact(geometry, pose, u, s)
    if not (ok and low < u1 < high):
        u1, s1 = squeeze(geometry, pose, 0.5 * (low + high), s, 0.5 * (high - low), -1.0)
    d, _ = gap_at(geometry, pose, u1, s1)
    return -d


@whole
def _prominence(p):
    """p, but nothing below what the coarse scan resolves, so that contacts appear without a jump."""
    return p * p * p / (p * p + _RESOLVED * _RESOLVED) if p > 0.0 else 0.0


@whole
def share(geometry, pose, records, count):
    """Weigh contacts that have grown together, see the head of the module."""
    for k in range(count - 1):
        first, second = records[k], records[k + 1]
        if math.isnan(first[SADDLE]):
            continue
        lesser = min(first[DEPTH], second[DEPTH])
        depth = min(saddle_depth(geometry, pose, first, second, first[SADDLE]), lesser)
        if depth > 0.0:
            p1, p2 = _prominence(first[DEPTH] - depth), _prominence(second[DEPTH] - depth)
            t = 1.0 - min(p1, p2) / lesser
            total = p1 + p2
            part = p1 / total if total > 0.0 else 0.5
            first[SHARE] *= 1.0 - t + t * part
            second[SHARE] *= 1.0 - t + t * (1.0 - part)


@whole
def keep_loaded(geometry, pose, records, count):
    """Polish all starts, keep those that touch; their number."""
    kept = 0
    apart = True  # something that does not touch lies between this contact and the last kept one
    for k in range(count):
        record = records[k]
        polish(geometry, pose, record)
        if record[DEPTH] <= 0.0:
            apart = True
            continue
        if kept > 0 and record[U] - records[kept - 1, U] < 1e-5:
            records[kept - 1, SADDLE] = record[SADDLE]
            continue  # two starts, one contact
        if kept > 0 and apart:
            records[kept - 1, SADDLE] = math.nan
        if kept != k:
            for i in range(RECORD):
                records[kept, i] = record[i]
        kept += 1
        apart = False
    if kept > 1:
        share(geometry, pose, records, kept)
    return kept


@whole
def find_contacts(geometry, pose, records):
    """Contacts of a wheel by the full search: their number, described in records (CONTACTS, RECORD)."""
    count = scan(geometry, pose, _TOUCH, 0, geometry.wheel_scan.shape[0] - 1, 0, records)
    return keep_loaded(geometry, pose, records, count)


@whole
def look_up_contacts(geometry, pose, records):
    """The same, the scan confined to where the table says contacts can be."""
    y_c, z_c, a_x, _, a_z = pose
    grid = geometry.grid
    i = round((y_c - grid[0]) / grid[1])
    j = round((a_z - grid[2]) / grid[3])
    if not (0 <= i < geometry.touch.shape[0] and 0 <= j < geometry.touch.shape[1]):
        return find_contacts(geometry, pose, records)
    clear = z_c + geometry.lever * a_z - geometry.touch[i, j]
    if not (-_BAND < clear < 10.0 * _BAND and abs(a_x) < 0.008):  # also where the table has nothing
        return find_contacts(geometry, pose, records)
    first, last, foot = geometry.window[i, j]
    count = scan(geometry, pose, _TOUCH, first, last, foot, records)
    return keep_loaded(geometry, pose, records, count)


@whole
def clearance(geometry, pose):
    """Least height of the scanned points of the wheel above the scanned rail [m]; inf if none is above it."""
    W, R = geometry.wheel_scan, geometry.rail_scan
    best, j = math.inf, 0
    for i in range(W.shape[0]):
        y, z = outline(W[i, 1], W[i, 2], W[i, 3], pose)
        while j < R.shape[0] - 2 and R[j + 1, 1] < y:
            j += 1
        wide = R[j + 1, 1] - R[j, 1]
        if wide > 0.0 and R[j, 1] <= y <= R[j + 1, 1]:
            Z = R[j, 2] + (R[j + 1, 2] - R[j, 2]) * (y - R[j, 1]) / wide
            best = min(best, z - Z)
    return best


@whole
def touch_height(geometry, y, roll, z, records):
    """Height of the wheelset's centre at which the wheel just touches [m]; nan if it cannot.

    From a height z above it the wheel is lowered onto the scanned rail, and then again and again by
    the least way any of its contact points has left to go.
    """
    a_y = math.sqrt(1.0 - roll * roll)
    z -= clearance(geometry, (y, z, 0.0, a_y, roll))
    if not math.isfinite(z):
        return math.nan
    for _ in range(30):
        pose = (y, z, 0.0, a_y, roll)
        count = scan(geometry, pose, 1e-3, 0, geometry.wheel_scan.shape[0] - 1, 0, records)
        best = math.inf
        for k in range(count):
            polish(geometry, pose, records[k])
            if records[k, NZ] > 0.05:
                best = min(best, -records[k, DEPTH] / records[k, NZ])
        if not math.isfinite(best):
            return math.nan
        z -= best
        if abs(best) < 1e-10:
            break
    return z


@whole
def window_at(geometry, pose, margin, out):
    """out = first and last row of the wheel's scan nearer than ``margin`` to the rail, and the rail's row.

    Distances are those from every row of the wheel's to every row of the rail's scan: slow and sure.
    """
    W, R = geometry.wheel_scan, geometry.rail_scan
    out[0], out[1], out[2] = W.shape[0], -1, 0
    for i in range(W.shape[0]):
        y, z = outline(W[i, 1], W[i, 2], W[i, 3], pose)
        best, foot = math.inf, 0
        for j in range(R.shape[0]):
            d = (y - R[j, 1]) ** 2 + (z - R[j, 2]) ** 2
            if d < best:
                best, foot = d, j
        n = -R[foot, 4] * (y - R[foot, 1]) + R[foot, 3] * (z - R[foot, 2])
        if n < margin and math.sqrt(best) < 2e-3:
            out[1] = i
            if i < out[0]:
                out[0], out[2] = i, foot
    out[0], out[1] = max(0, out[0] - 2), min(W.shape[0] - 1, out[1] + 2)


@whole
def fill_table(geometry, top, records, window, touch):
    """Write height of first contact and window of the scan at every node; ``top`` a free height [m].

    In between the nodes and down to _BAND below first contact a point of the wheel comes nearer
    to the rail by less than the margin with which the window is drawn.
    """
    grid = geometry.grid
    for i in range(touch.shape[0]):
        for j in range(touch.shape[1]):
            y, roll = grid[0] + i * grid[1], grid[2] + j * grid[3]
            z = touch_height(geometry, y, roll, top + abs(roll), records)
            touch[i, j] = z + geometry.lever * roll
            if math.isfinite(z):
                pose = (y, z, 0.0, math.sqrt(1.0 - roll * roll), roll)
                # half a step of y or roll moves a point of the wheel less than this
                moves = 0.5 * grid[1] + 0.05 * 0.5 * grid[3]
                window_at(geometry, pose, _BAND + 2.0 * moves, window[i, j])
