"""Modes of a step (slack, taut, contact): chosen by the laws, or imposed from another run.

``choose_modes`` adds droppers to the small system until none that is taken as taut would push. ``given_modes`` holds
every mode as another run found it: a contact that was closed stays closed and may pull, a slack dropper stays slack.
That is the smooth continuation of the side taken, whose derivative at the other run is the one of ``step_adjoint``.
"""

from __future__ import annotations

from panhead.engine.jit.compiler import part
from panhead.runs.linear.step.active_set import NO_ANSWER, OK, TOO_MANY, connect, empty_slots
from panhead.runs.linear.step.dropper import give_slot, reach_of_forces, refresh_slot, stretch, would_slacken
from panhead.runs.linear.step.unilateral import CLOSED, respond, solve_modes, solve_slots

ROUNDS = 10_000  # at most: each gives slots to the droppers that were found to push


@part()
def choose_modes(line, sc, speed, nc, m0, state, given, row, w):
    """Solve the active set, adding droppers until none pushes; return (status, slots)."""
    drop = state.drop
    m = m0 + w.count[0]
    for i in range(m0, m):
        refresh_slot(drop[w.slot[i].ref], w.slot[i])
    for i in range(nc):
        connect(m, i, speed, sc.C_u, w)
    for i in range(m):
        w.slot[i].g, w.slot[i].g_dot = w.slot[i].g_free, w.slot[i].g_dot_free
    solved, before = False, m
    for _ in range(ROUNDS):
        low, high = reach_of_forces(before, w) if solved else (0, 0)
        for r in range(drop.shape[0]):
            d = drop[r]
            if w.slot_of[r] < 0 and (
                d.mode != CLOSED
                or d.p != 0.0
                or (solved and would_slacken(d, sc.C_u, before if low <= d.station < high else 0, w))
            ):
                if m >= w.slot.shape[0]:
                    return TOO_MANY, m
                give_slot(line.F, d, r, m, speed, sc.C_u, w)
                m += 1
        if solved and m == before:
            return OK, m
        if not solve_slots(m, w.slot, w.S, w.R, w.A, w.r):
            return NO_ANSWER, m
        solved, before = True, m
    return NO_ANSWER, m


@part()
def given_modes(line, sc, speed, nc, m0, state, given, row, w):
    """Solve λ of all slots in the modes of row ``row`` of another run's states, given (KeptSteps); (status, slots)."""
    drop, contact, element, other = state.drop, given.contact[row], given.element[row], given.drop[row]
    empty_slots(w)
    for i in range(nc):
        connect(m0, i, speed, sc.C_u, w)
    m = m0
    for r in range(drop.shape[0]):
        d = drop[r]
        if other[r].mode != CLOSED or other[r].p != 0.0 or d.mode != CLOSED or d.p != 0.0:
            give_slot(line.F, d, r, m, speed, sc.C_u, w)
            w.slot[m].mode = other[r].mode
            m += 1
    for i in range(nc):
        s = w.slot[i]
        if s.on == 1:
            s.mode, s.g, s.g_dot = contact[i].mode, contact[i].g, contact[i].g_dot
    for k in range(m0 - nc):
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
def set_modes_by_law(state, given, row, q):
    """Set droppers by their law after attenuation."""


@part()
def set_given_modes(state, given, row, q):
    """Set droppers to the modes of rows row and row + 1 of another run's states after attenuation."""
    before, after = given.drop[row], given.drop[row + 1]
    for r in range(state.drop.shape[0]):
        d = state.drop[r]
        if after[r].e != before[r].e:
            e, e_dot = stretch(d, q)
            d.mode = after[r].mode
            d.p = min(d.N0, 0.0) if d.mode == CLOSED else -(max(d.N0, 0.0) + d.k * e + d.c * e_dot)
