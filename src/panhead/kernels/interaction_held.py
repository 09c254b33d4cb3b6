"""The steps of ``interaction`` with every mode held as another run found it: a map without kinks, for Taylor's test.

A contact that was closed stays closed and may pull, a slack dropper stays slack: the smooth continuation of the side
taken, whose derivative at the other run is the one that ``interaction_adjoint`` computes.
"""

from __future__ import annotations

from panhead.kernels.compiling import part, whole
from panhead.kernels.interaction import apply_forces, fade, gust_load, keep_contact, keep_droppers, predict_line, stretch
from panhead.kernels.interaction_far import keep_far
from panhead.kernels.interaction_kept import keep_state
from panhead.kernels.interaction_ledger import remember_damping
from panhead.kernels.interaction_slots import NO_ANSWER, OK, connect, empty_slots, give_slot, open_contact, open_element
from panhead.kernels.pantograph import book_element, predict_masses
from panhead.kernels.unilateral import CLOSED, respond, solve_modes


@part()
def _solve_held(line, sc, speed, nc, ne, drop, contact, element, slack, w):
    """λ of all slots in the modes of another run's records (contact, element, slack); (status, slots)."""
    empty_slots(w)
    for i in range(nc):
        connect(nc + ne, i, speed, sc.C_u, w)
    m = nc + ne
    for r in range(drop.shape[0]):
        d = drop[r]
        if slack[r].mode != CLOSED or slack[r].p != 0.0 or d.mode != CLOSED or d.p != 0.0:
            give_slot(line.F, d, r, m, speed, sc.C_u, w)
            w.slot[m].mode = slack[r].mode
            m += 1
    for i in range(nc):
        s = w.slot[i]
        if s.on == 1:
            s.mode, s.g, s.g_dot = contact[i].mode, contact[i].g, contact[i].g_dot
    for k in range(ne):
        w.slot[nc + k].mode = element[k].mode
        w.slot[nc + k].g, w.slot[nc + k].g_dot = w.slot[nc + k].g_free, w.slot[nc + k].g_dot_free
    for _ in range(60):
        change = solve_modes(m, w.slot, w.S, w.R, w.A, w.r)
        if change < 0.0:
            return NO_ANSWER, m
        respond(m, w.slot, w.S, w.R)
        if change < 1e-13:
            break
    return OK, m


@part()
def _settle_held(drop, before, after, q):
    """Droppers that fading set by their law alone, in the modes of another run's records before and after it."""
    for r in range(drop.shape[0]):
        d = drop[r]
        if after[r].e != before[r].e:
            e, e_dot = stretch(d, q)
            d.mode = after[r].mode
            d.p = min(d.N0, 0.0) if d.mode == CLOSED else -(max(d.N0, 0.0) + d.k * e + d.c * e_dot)


@whole
def run_held(line, train, sc, ends, state, track, first, w, record, modes, kept):
    """The steps of ``track`` in the modes of ``modes`` (KeptSteps of another run), every state kept in ``kept``."""
    at = 0
    q0, f0, q1, f1 = state.q, state.flat, w.q, w.flat
    contact, element, drop, ledger = state.contact, state.element, state.drop, state.ledger
    nc, ne, wires = contact.shape[0], element.shape[0], line.path.shape[0]
    keep_state(state, q0, 0, kept)
    for n in range(track.speed.shape[0] - 1):
        x, speed, time = track.position[n + 1], track.speed[n + 1], (first + n + 1) * sc.h
        at += 1
        gust_load(line, sc, first + n + 1, w.push)
        predict_line(line, sc, q0, f0, state.eta, contact, drop, w, f1)
        predict_masses(train, sc, state.z, contact, element, track.uplift[n], track.uplift[n + 1], w.f, w.z)
        for r in range(drop.shape[0]):
            drop[r].e_free, drop[r].e_dot_free = stretch(drop[r], q1)
        for i in range(nc):
            open_contact(line, train.head[i // wires], contact[i], i % wires, i, x[i // wires], speed, q1, w.z, w)
        for k in range(ne):
            open_element(element[k], train.direction[k], w.z, w.slot[nc + k])
        held = modes.contact[at], modes.element[at], modes.drop[at]
        status, m = _solve_held(line, sc, speed, nc, ne, drop, held[0], held[1], held[2], w)
        if status != OK:
            return status
        apply_forces(sc, m, q1, w)
        for i in range(nc):
            keep_contact(contact[i], w.slot[i], train.head[i // wires].impact)
        for k in range(ne):
            book_element(sc, element[k], w.slot[nc + k], ledger)
        if state.eta.shape[1] > 0:
            keep_far(line, sc, f0, f1, state.eta, w, ledger)
        keep_droppers(drop, sc, nc + ne, m, q1, time, w, record, ledger)
        for k in range(w.z.shape[1]):
            for j in range(3):
                state.z[j, k] = w.z[j, k]
        if line.damped:
            remember_damping(line, sc, q1, f1, w.s, w.s_flat)
        q0, f0, q1, f1 = q1, f1, q0, f0
        keep_state(state, q0, at, kept)
        if ends.every > 0 and (first + n + 1) % ends.every == 0:
            fade(line, sc, ends, x[0], x[-1], q0, f0, state.eta, drop, time, w, record)
            _settle_held(drop, modes.drop[at], modes.drop[at + 1], q0)
            at += 1
            keep_state(state, q0, at, kept)
    if (track.speed.shape[0] - 1) % 2 == 1:
        for j in range(state.flat.shape[0]):
            for k in range(state.flat.shape[1]):
                state.flat[j, k] = f0[j, k]
    return OK
