"""Runs in lanes: the step of ``interaction`` for several runs at once.

The line is advanced with vectors, one number for each lane; the few things that are not linear (contacts, stops,
slack droppers) are solved lane by lane with the functions of the single run. A dropper is looked at alone only where
the free answer says that it does not pull, or where a column of A⁻¹ reaches it. No books are kept and no pictures
taken: that is what a single run is for.

Every number is found by the operations of the single run in their order, so that a lane has the single run's bits;
it depends on nothing but its own numbers, whatever its company.
"""

from __future__ import annotations

import numpy as np

from panhead.kernels.compiling import part, whole
from panhead.kernels.interaction import apply_forces, keep_contact, record_contact, stretch
from panhead.kernels.interaction_arrays import TrainArrays, U, V
from panhead.kernels.interaction_slots import (
    NO_ANSWER,
    NOT_FINITE,
    OK,
    TOO_MANY,
    begin_contact,
    connect,
    contact_gap,
    give_slot,
    open_element,
    roll_contact,
    take_column,
    would_slacken,
)
from panhead.kernels.lane_arrays import LaneSight, SmallWork
from panhead.kernels.lane_solve import right_side, solve_and_advance
from panhead.kernels.lanes import fma, least, put, take, which_not_above
from panhead.kernels.pantograph import predict_masses
from panhead.kernels.unilateral import CLOSED, solve_slots

_DOUBT = 1e-6  # a pull that rounding may turn into none [N]


@part()
def _elongation(line, r, u):
    """e = Σ weight · u of dropper r, all lanes; u (ns, nt, 4) lanes."""
    i, dof = line.station[r], line.dof[r]
    e = take(line.weight, (r, 0)) * take(u, (i, dof[0] >> 2, dof[0] & 3))
    e = fma(take(line.weight, (r, 1)), take(u, (i, dof[1] >> 2, dof[1] & 3)), e)
    if line.lateral:
        e = fma(take(line.weight, (r, 2)), take(u, (i, dof[2] >> 2, dof[2] & 3)), e)
        e = fma(take(line.weight, (r, 3)), take(u, (i, dof[3] >> 2, dof[3] & 3)), e)
    return e


@part()
def _add_old_forces(line, alpha_f, l, state, w, y):
    """y −= α_f of the contact forces and, unless dampers are added, dropper corrections of the old time, lane l."""
    wires = line.path.shape[0]
    for i in range(state.contact.shape[1]):
        c = state.contact[l, i]
        if c.F != 0.0:
            dof = line.path[i % wires].dof_w
            for k in range(4):
                y[c.station + (k >> 1), dof >> 2, (dof & 3) + (k & 1), l] -= alpha_f * c.weight[k] * c.F
    for j in range(0 if line.viscous else w.slack_count[l]):
        d = state.drop[l, w.slack[l, j]]
        if d.p != 0.0:
            load = alpha_f * d.p
            for k in range(4):
                y[d.station, d.dof[k] >> 2, d.dof[k] & 3, l] -= d.weight[k] * load


@part()
def _add_dampers(line, sc, u, p, y):
    """y −= dropper corrections of the old time and what its dampers have of C s."""
    used = 4 if line.lateral else 2
    for r in range(line.station.shape[0]):
        i, dof = line.station[r], line.dof[r]
        load = take(p, (r,)) * sc.alpha_f
        for k in range(used):
            s = take(u, (i, dof[k] >> 2, dof[k] & 3)) * sc.C_u
            load = load - take(line.c, (r,)) * take(line.weight, (r, k)) * s
        for k in range(used):
            at = (i, dof[k] >> 2, dof[k] & 3)
            put(y, at, take(y, at) - take(line.weight, (r, k)) * load)


@part()
def _find_loose(line, q, w):
    """Which droppers may not pull in the free answer q; ``would_slacken`` knows it to the last digit."""
    for l in range(w.loose_count.shape[0]):
        w.loose_count[l] = 0
    for r in range(line.station.shape[0]):
        e = _elongation(line, r, q[U])
        if line.bilateral:
            continue
        pull = fma(take(line.k, (r,)), e, take(line.N0, (r,)))
        if line.viscous:
            pull = least(pull, fma(take(line.c, (r,)), _elongation(line, r, q[V]), pull))
        found = which_not_above(pull, _DOUBT)
        if found:
            for l in range(w.loose_count.shape[0]):
                if (found >> l) & 1:
                    w.loose[l, w.loose_count[l]] = r
                    w.loose_count[l] += 1


@part()
def _refresh(d, q):
    """Elongation of a dropper and its rate in the free answer q (2, ns, nt, 4) of its lane."""
    d.e_free, d.e_dot_free = stretch(d, q)


@part()
def _mark(line, drop, before, l, small, w):
    """Mark droppers that may not pull, in the free answer or where a column of A⁻¹ reaches them; first, last + 1."""
    low, high = drop.shape[0], 0
    for n in range(w.loose_count[l]):
        r = w.loose[l, n]
        w.marked[r] = 1
        low, high = min(low, r), max(high, r + 1)
    for j in range(0 if line.bilateral else before):
        s = small.slot[j]
        if s.lam != 0.0 and s.last > s.first:
            first, last = line.before[s.first], line.before[s.last]
            for r in range(first, last):
                w.marked[r] = 1
            if last > first:
                low, high = min(low, first), max(high, last)
    return low, high


@part()
def _solve_small(line, sight, speed, C_u, nc, m0, l, drop, q, small, w):
    """``solve_small`` of lane l, in the same order; returns (status, slots)."""
    m = m0 + small.count[0]
    for i in range(m0, m):
        s, d = small.slot[i], drop[small.slot[i].ref]
        _refresh(d, q)
        s.mode, s.lam, s.g_free, s.g_dot_free = d.mode, d.p, d.e_free, d.e_dot_free
    for i in range(nc):
        connect(m, i, speed, C_u, small)
    for i in range(m):
        small.slot[i].g, small.slot[i].g_dot = small.slot[i].g_free, small.slot[i].g_dot_free
    for j in range(small.count[0], w.slack_count[l]):
        if m >= small.slot.shape[0]:
            return TOO_MANY, m
        d = drop[w.slack[l, j]]
        _refresh(d, q)
        give_slot(sight.F, d, w.slack[l, j], m, speed, C_u, small)
        m += 1
    while True:
        if not solve_slots(m, small.slot, small.S, small.R, small.A, small.r):
            return NO_ANSWER, m
        before = m
        low, high = _mark(line, drop, before, l, small, w)
        for r in range(low, high):
            if w.marked[r] == 0:
                continue
            w.marked[r] = 0
            if small.slot_of[r] >= 0:
                continue
            _refresh(drop[r], q)
            if would_slacken(drop[r], C_u, before, small):
                if m >= small.slot.shape[0]:
                    w.marked[:] = 0
                    return TOO_MANY, m
                w.slack[l, small.count[0]] = r
                give_slot(sight.F, drop[r], r, m, speed, C_u, small)
                m += 1
        w.slack_count[l] = small.count[0]
        if m == before:
            return OK, m


@part()
def _keep_droppers(drop, m0, m, l, small, w):
    """Take droppers over; if one is simply taut again, the others get new slots in the next step, in their order."""
    kept, taut = 0, False
    for i in range(m0, m):
        s = small.slot[i]
        d = drop[s.ref]
        d.p, d.mode = s.lam, s.mode
        w.each_p[s.ref, l] = s.lam
        if s.mode == CLOSED and s.lam == 0.0:
            taut = True
    if not taut:
        return
    for i in range(m0, m):
        r = small.slot[i].ref
        small.slot_of[r] = -1
        if drop[r].mode != CLOSED or drop[r].p != 0.0:
            _put_in_order(w.slack[l], kept, r)
            kept += 1
    small.count[0] = 0
    w.slack_count[l] = kept


@part()
def _begin_chunk(l, w):
    """What ``empty_slots`` does for a single run: lane l gives its slots anew, in the order of the droppers."""
    slack = w.slack[l]
    for n in range(w.slack_count[l]):
        r = slack[n]
        w.slot_of[l, r] = -1
        _put_in_order(slack, n, r)
    w.count[l, 0] = 0


@part()
def _put_in_order(slack, count, r):
    """Put r among the first ``count`` droppers, which rise."""
    at = count
    while at > 0 and slack[at - 1] > r:
        slack[at] = slack[at - 1]
        at -= 1
    slack[at] = r


@part()
def _lend_column(i, l, w):
    """Copy the column of contact i from lane 0, which is at the same place; returns whether there is one."""
    a, b = w.slot[0, i], w.slot[l, i]
    if a.on == 0:
        return False
    b.begin, b.first, b.last = a.begin, a.first, a.last
    for n in range(a.first - a.begin, a.last - a.begin):
        for r in range(w.X.shape[3]):
            for k in range(4):
                w.X[l, i, n, r, k] = w.X[0, i, n, r, k]
    return True


@part()
def _step_lane(line, train, sc, state, track, n, l, lent, out, w):
    """What is not linear in step n of lane l; out (nc, 4) is its record. lent: lane 0 has columns to lend."""
    contact, element, drop = state.contact[l], state.element[l], state.drop[l]
    nc, ne, wires = contact.shape[0], element.shape[0], line.path.shape[0]
    q = state.each_q[:, :, :, :, l]
    sight = LaneSight(line.x, line.whole_F[l if line.whole_F.shape[0] > 1 else 0], line.path, line.shape[l])
    mine = TrainArrays(train.M[l], train.C[l], train.K[l], train.A_inv[l], train.head[l], train.direction[l])
    small = SmallWork(
        w.z[l], w.slot[l], w.slot_of[l], w.count[l], w.D[l], w.P[l], w.X[l], w.S[l], w.R[l], w.A[l], w.r[l], w.load,
        w.column,
    )  # fmt: skip
    position, speed = track.position[n + 1, l], track.speed[n + 1, l]
    predict_masses(mine, sc, state.z[l], contact, element, track.uplift[n, l], track.uplift[n + 1, l], w.f[l], w.z[l])
    for i in range(nc):
        p = i // wires
        if begin_contact(sight, contact[i], i % wires, position[p], small.slot[i]):
            if not (lent and position[p] == track.position[n + 1, 0, p] and _lend_column(i, l, w)):
                take_column(sight.F, i, small)
            contact_gap(mine.head[p], small.slot[i], speed, q, w.z[l])
        if mine.head[p].roll > 0:
            roll_contact(sight, mine, mine.head[p].roll - 1, i % wires, i, speed, q, small)
    for k in range(ne):
        open_element(element[k], mine.direction[k], w.z[l], w.slot[l, nc + k])
    status, m = _solve_small(line, sight, speed, sc.C_u, nc, nc + ne, l, drop, q, small, w)
    if status != OK:
        return status
    apply_forces(sc, m, q, small)
    total = 0.0
    for i in range(nc):
        keep_contact(contact[i], w.slot[l, i], mine.head[i // wires].impact)
        record_contact(sight, contact[i], i % wires, q[U], out[i])
        total += contact[i].F
    for k in range(ne):
        s = w.slot[l, nc + k]
        element[k].g, element[k].force, element[k].mode = s.g, s.lam, s.mode
    _keep_droppers(drop, nc + ne, m, l, small, w)
    for j in range(3):
        for k in range(w.z.shape[2]):
            state.z[l, j, k] = w.z[l, j, k]
    return OK if np.isfinite(total) else NOT_FINITE


@part()
def _keep_uplifts(state, going, time):
    """Largest uplift so far of every support, and its moment, in the lanes whose bits are set."""
    for k in range(state.station.shape[0]):
        i, r, j = state.station[k], state.dof[k] >> 2, state.dof[k] & 3
        for l in range(state.status.shape[0]):
            now = state.each_q[U, i, r, j, l]
            if now > state.uplift[k, l] and (going >> l) & 1:
                state.uplift[k, l], state.uplift_time[k, l] = now, time


@whole
def run_lanes(line, train, sc, state, track, chunk, w, record):
    """Advance all lanes to their ends; record (steps, L, nc, 4). chunk: steps of a single run in one call.

    A lane that fails stops with its status; a lane that is done rests while the others go on.
    """
    lanes = state.status.shape[0]
    u, v = state.q[U], state.q[V]
    for n in range(record.shape[0]):
        right_side(line.M, line.C, sc, line.damped, u, v, w.scratch, w.y)
        for l in range(lanes):
            if n % chunk == 0:
                _begin_chunk(l, w)
            if state.status[l] == OK and n < track.steps[l]:
                _add_old_forces(line, sc.alpha_f, l, state, w, w.each_y)
        if line.viscous:
            _add_dampers(line, sc, u, w.p, w.y)
        solve_and_advance(line.F, w.y, sc, u, v)
        _find_loose(line, state.q, w)
        going = 0
        for l in range(lanes):
            if state.status[l] == OK and n < track.steps[l]:
                lent = l > 0 and going & 1 == 1 and line.whole_F.shape[0] == 1
                state.status[l] = _step_lane(line, train, sc, state, track, n, l, lent, record[n, l], w)
                if state.status[l] == OK:
                    state.done[l] += 1
                    going |= 1 << l
        if going == 0:
            return
        _keep_uplifts(state, going, (n + 1) * sc.h)
