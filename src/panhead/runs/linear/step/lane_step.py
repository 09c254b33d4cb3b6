"""Time step of a batch in lanes: the step of ``step/march`` for several runs at once.

The line is advanced with vectors, one number for each lane; the few things that are not linear (contacts, stops,
slack droppers) are solved lane by lane with the functions of the single run. No books are kept and no pictures taken:
that is what a single run is for.

Every number is found by the operations of the single run in their order, so that a lane has the single run's bits;
it depends on nothing but its own numbers, whatever its company.
"""

from __future__ import annotations

import numpy as np

from panhead.engine.jit.compiler import part, whole
from panhead.engine.kernels.block_tridiagonal_lanes import right_side, solve_and_advance
from panhead.runs.linear.step.active_set import NO_ANSWER, NOT_FINITE, OK, TOO_MANY, apply_forces, take_column
from panhead.runs.linear.step.contact import begin_contact, contact_gap, record_contact, roll_contact, update_contact
from panhead.runs.linear.step.dropper_lanes import (
    add_slack,
    begin_chunk,
    find_loose,
    load_dampers,
    load_slack,
    open_slots,
    update_slack,
)
from panhead.runs.linear.step.lane_arrays import LaneSight, SmallWork
from panhead.runs.linear.step.masses import open_element, predict_masses
from panhead.runs.linear.step.step_arrays import TrainArrays, U, V
from panhead.runs.linear.step.unilateral import solve_slots


@part()
def _load_contacts(line, alpha_f, l, contact, y):
    """y −= α_f of the contact forces of the old time in lane l; contact (nc,)."""
    wires = line.path.shape[0]
    for i in range(contact.shape[0]):
        c = contact[i]
        if c.F != 0.0:
            dof = line.path[i % wires].dof_w
            for k in range(4):
                y[c.station + (k >> 1), dof >> 2, (dof & 3) + (k & 1), l] -= alpha_f * c.weight[k] * c.F


@part()
def _choose_modes(line, sight, speed, C_u, nc, m0, l, drop, q, small, w):
    """``choose_modes`` of lane l, in the same order; returns (status, slots)."""
    room, m = open_slots(line, sight, speed, C_u, nc, m0, l, drop, q, small, w)
    while room:
        if not solve_slots(m, small.slot, small.S, small.R, small.A, small.r):
            return NO_ANSWER, m
        before = m
        room, m = add_slack(line, sight, speed, C_u, l, drop, q, m, small, w)
        if room and m == before:
            return OK, m
    return TOO_MANY, m


@part()
def _lend_column(i, l, w):
    """Copy the column of contact i from lane 0, which is at the same position; return whether there is one."""
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
    """Nonlinear part of step n of lane l; out (nc, 4) is its record. lent: lane 0 has columns to lend."""
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
    status, m = _choose_modes(line, sight, speed, sc.C_u, nc, nc + ne, l, drop, q, small, w)
    if status != OK:
        return status
    apply_forces(sc, m, q, small)
    total = 0.0
    for i in range(nc):
        update_contact(contact[i], w.slot[l, i], mine.head[i // wires].impact)
        record_contact(sight, contact[i], i % wires, q[U], out[i])
        total += contact[i].F
    for k in range(ne):
        s = w.slot[l, nc + k]
        element[k].g, element[k].force, element[k].mode = s.g, s.lam, s.mode
    update_slack(drop, nc + ne, m, l, small, w)
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
                begin_chunk(l, w)
            if state.status[l] == OK and n < track.steps[l]:
                _load_contacts(line, sc.alpha_f, l, state.contact[l], w.each_y)
                if not line.viscous:
                    load_slack(sc.alpha_f, l, state.drop[l], w, w.each_y)
        if line.viscous:
            load_dampers(line, sc, u, w.p, w.y)
        solve_and_advance(line.F, w.y, sc, u, v)
        find_loose(line, state.q, w)
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
