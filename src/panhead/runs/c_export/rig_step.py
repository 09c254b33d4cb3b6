"""Steps of a rig, from the parts of the solver's own step and in the same notation; they are read as text, never run.

Three interfaces of one line:

    closed   uplift forces of the pantographs → contact force: the run itself
    motion   height and rate of every strip → contact force
    force    force on the wire under every strip → height of the wire there, and its rate

and the other side of the contact:

    pantograph   force on every strip → its height and rate

Work is bounded: if the small system of a step is not solved within the sweeps there are, the step goes on with what was
found and says so.
"""

from __future__ import annotations

from typing import Any

from panhead.runs.linear.step.active_set import OK, apply_forces, displacement, take_column
from panhead.runs.linear.step.contact import begin_contact, update_contact
from panhead.runs.linear.step.dropper import predict_droppers, update_droppers
from panhead.runs.linear.step.ledger import book_step
from panhead.runs.linear.step.line import predict_line, remember_damping
from panhead.runs.linear.step.march import LEDGER, RECORD, make_march
from panhead.runs.linear.step.masses import (
    book_element,
    book_masses,
    given_heights,
    lifted_masses,
    open_element,
    quadratic,
    stop_energy,
    update_masses,
)
from panhead.runs.linear.step.step_arrays import U, V
from panhead.runs.linear.step.step_modes import choose_modes, set_modes_by_law
from panhead.runs.linear.step.unilateral import OPEN, respond, solve_slots


def modes_in_bounded_work(line, sc, speed, nc, m0, state, given, row, w):
    """Solve the active set within the sweeps there are; what is left unsolved is noted in w.missed, not a failure."""
    status, m = choose_modes(line, sc, speed, nc, m0, state, given, row, w)
    if status != OK:
        w.missed[0] = status
        respond(m, w.slot, w.S, w.R)
    return OK, m


def step_under_forces(line, train, sc, state, q0, f0, q1, f1, track, n, number, row, w, given, out):
    """A step of the line under given forces, one for each strip and the wire above it.

    The force is part of the free answer: u₁ = u₁_free − A⁻¹ D F. What is left of the small system is the droppers.
    """
    contact, drop = state.contact, state.drop
    nc, speed = contact.shape[0], track.speed[n + 1]
    predict_line(line, sc, q0, f0, state.eta, contact, drop, w, f1)
    for i in range(nc):
        if begin_contact(line, contact[i], 0, track.position[n + 1, i], w.slot[i]):
            take_column(line.F, i, w)
            w.slot[i].lam = track.given[n + 1, i, 0]
    apply_forces(sc, nc, q1, w)
    predict_droppers(sc, drop, q1)
    for i in range(nc):  # the forces are known: none of them is an unknown
        w.slot[i].on, w.slot[i].mode, w.slot[i].lam = 0, OPEN, 0.0
        w.slot[i].g_free, w.slot[i].g_dot_free = 0.0, 0.0
    status, m = modes_in_bounded_work(line, sc, speed, nc, nc, state, given, row, w)
    apply_forces(sc, m, q1, w)
    if line.damped:
        remember_damping(line, sc, q1, f1, w.s, w.s_flat)
    for i in range(nc):
        s = w.slot[i]
        w.z[0, i], w.z[1, i] = state.z[0, i], 0.0
        s.g, s.g_dot = 0.0, 0.0
        if s.first < s.last:
            s.on, s.lam = 1, track.given[n + 1, i, 0]
            w.z[0, i], w.z[1, i] = wire_motion(s, speed, q1)
            if contact[i].on == 0:
                state.z[0, i] = w.z[0, i]
    book_step(line, train, sc, state, q0, f0, q1, f1, track, n, w)
    for i in range(nc):
        update_contact(contact[i], w.slot[i], 0.0)
        state.z[0, i], state.z[1, i] = w.z[0, i], w.z[1, i]
    update_droppers(drop, sc, nc, m, q1, number * sc.h, w, out.record, state.ledger)
    return status


def step_under_contact(train, sc, state, track, n, w):
    """A step of the pantographs under given contact forces: M z̈ + C ż + K z = f_uplift − F − Σ directions · λ.

    The forces are part of the free answer; what is left of the small system is stops and friction.
    """
    nc, ne = state.contact.shape[0], state.element.shape[0]
    lifted_masses(train, sc, state, track, n, w)
    for i in range(nc):
        w.slot[i].lam = track.given[n + 1, i, 0]
    push_masses(sc, nc, w)
    for i in range(nc):  # the forces are known: none of them is an unknown
        w.slot[i].mode, w.slot[i].lam = OPEN, 0.0
    for k in range(ne):
        open_element(state.element[k], train.direction[k], w.z, w.slot[nc + k])
        w.slot[nc + k].g, w.slot[nc + k].g_dot = w.slot[nc + k].g_free, w.slot[nc + k].g_dot_free
    if ne > 0:
        if not solve_slots(nc + ne, w.slot, w.S, w.R, w.A, w.r):
            w.missed[0] = 1
            respond(nc + ne, w.slot, w.S, w.R)
        push_masses(sc, nc + ne, w)
    for k in range(ne):
        book_element(sc, state.element[k], w.slot[nc + k], state.ledger)
    book_masses(train, sc, state.z, w.z, track.uplift[n], track.uplift[n + 1], state.ledger)
    for i in range(nc):
        state.contact[i].F = track.given[n + 1, i, 0]
    update_masses(state, nc, w)


def push_masses(sc, m, w):
    """Subtract z₁ −= Σ A⁻¹ Dⱼ λⱼ, and velocities and accelerations likewise."""
    for j in range(m):
        lam = w.slot[j].lam
        for k in range(w.z.shape[1]):
            dz = w.P[j, k] * lam
            w.z[0, k] -= dz
            w.z[1, k] -= sc.C_u * dz
            w.z[2, k] -= sc.a_u * dz


def pantograph_energy(train, state):
    """Energy stored in masses, springs and stops [J]: ½ żᵀM ż + ½ zᵀK z + Σ stops."""
    stored = 0.5 * (quadratic(train.M, state.z[1], state.z[1]) + quadratic(train.K, state.z[0], state.z[0]))
    for k in range(state.element.shape[0]):
        stored += stop_energy(state.element[k], state.element[k].g)
    return stored


def wire_motion(s, speed, q):
    """Height of the wire at a contact point, and its rate along the point's way: ż = n·v + V (z₀′ + n′·u)."""
    height = s.z - displacement(s, s.weight, q[U], 0)
    slope = s.z_x - displacement(s, s.weight_x, q[U], 0)
    return height, speed * slope - displacement(s, s.weight, q[V], 0)


def _bound_step(masses: Any) -> Any:
    """The solver's step with bounded work; masses: what moves the strips."""
    march = make_march(masses=masses, modes=(modes_in_bounded_work, set_modes_by_law), books=LEDGER, notes=RECORD)
    plain = getattr(march, "py_func", march)
    cells = dict(zip(plain.__code__.co_freevars, plain.__closure__ or (), strict=True))
    return cells["step"].cell_contents


#: interface → its step
STEPS = {"closed": _bound_step(lifted_masses), "motion": _bound_step(given_heights), "force": step_under_forces}
