"""March: the only loop over time steps of the linear solver, and the kernels built from it.

One step of the scheme (``arrays.Scheme``):

1. the free answer: line and pantographs without the forces of the new time, one solve with the factorised matrix;
2. the small system of everything not linear (``unilateral``), with columns of A⁻¹ that are exact to round-off and a few
   elements long; droppers found to slacken are added until none is left;
3. the answer: u₁ = u₁_free − Σ A⁻¹ Dⱼ λⱼ, velocities and accelerations likewise;
4. the ledger of works;
5. the records of contacts, masses, far spans and droppers.

A march is made of what moves the masses, what chooses the modes, what is booked and what is written down: compiled
functions that are bound when it is built, so that nothing is decided at run time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from panhead.engine.jit.compiler import part, whole
from panhead.runs.linear.step.absorbing_ends import fade
from panhead.runs.linear.step.active_set import NOT_FINITE, OK, apply_forces, empty_slots
from panhead.runs.linear.step.adjoint_arrays import KeptSteps
from panhead.runs.linear.step.contact import open_contacts, update_contact
from panhead.runs.linear.step.dropper import predict_droppers, update_droppers
from panhead.runs.linear.step.ledger import book_nothing, book_step, line_energy, no_energy
from panhead.runs.linear.step.line import predict_line, remember_damping
from panhead.runs.linear.step.masses import given_heights, lifted_masses, open_element, update_masses
from panhead.runs.linear.step.step_arrays import D_ABSORBED, Array, Record
from panhead.runs.linear.step.step_modes import choose_modes, given_modes, set_given_modes, set_modes_by_law
from panhead.runs.linear.step.step_recorder import record_samples, record_step
from panhead.runs.linear.step.strips import answer_strips, no_samples
from panhead.runs.linear.step.superelement import update_far
from panhead.runs.linear.step.wind import gust_load


class Slackenings(NamedTuple):
    """Times at which droppers went slack and became taut again."""

    slack: Array  #: (events, 3) dropper, moment it went slack, moment it was taut again [s]
    events: Array  #: (1,) how many of them there are, even if there was no room for all


class RunOutput(NamedTuple):
    """Output of a run: its record and, if it is to be differentiated, every state."""

    record: Record
    every: int  #: steps between samples
    shape_every: int  #: steps between shapes of the window
    next: Array  #: (2,) the next sample and the next shape
    tape: KeptSteps
    levels: int  #: of the tape; 0: none; 1: of the line u alone is kept; 2: u, v and the far spans; 3: a as well


class StripOutput(NamedTuple):
    """Output of a line under given strips."""

    record: Slackenings
    contact: Array  #: (strips, 5) as ``strips`` has it


class StripWay(NamedTuple):
    """Given motion of strips; row 0 is the state the march starts from."""

    position: Array  #: (steps + 1, strips) [m]
    speed: Array  #: (steps + 1,) [m/s]
    given: Array  #: (steps + 1, strips, 2) height [m] and its rate [m/s]


def make_march(*, masses: Any, modes: Any, books: Any, notes: Any) -> Any:
    """Build a compiled march.

    masses: moves the masses in the free answer; modes: solves the small system, and sets droppers after fading;
    books: the ledger of a step, and the energy of the line; notes: writes down a step, and what comes after it.
    """
    solve, settle = modes
    book, energy = books
    note_step, note_end = notes

    @part()
    def step(line, train, sc, state, q0, f0, q1, f1, track, n, number, row, w, given, out):
        contact, drop = state.contact, state.drop
        nc, ne, wires = contact.shape[0], state.element.shape[0], line.path.shape[0]
        speed = track.speed[n + 1]
        # 1. the free answer
        gust_load(line, sc, number, w.push)
        predict_line(line, sc, q0, f0, state.eta, contact, drop, w, f1)
        masses(train, sc, state, track, n, w)
        predict_droppers(sc, drop, q1)
        # 2. what is not linear
        open_contacts(line, train, contact, track.position[n + 1], speed, q1, w)
        for k in range(ne):
            open_element(state.element[k], train.direction[k], w.z, w.slot[nc + k])
        status, m = solve(line, sc, speed, nc, nc + ne, state, given, row, w)
        if status != OK:
            return status
        # 3. the answer
        apply_forces(sc, m, q1, w)
        if line.damped:
            remember_damping(line, sc, q1, f1, w.s, w.s_flat)
        # 4. the ledger, while records are still the old ones
        book(line, train, sc, state, q0, f0, q1, f1, track, n, w)
        # 5. the records
        for i in range(nc):
            update_contact(contact[i], w.slot[i], train.head[i // wires].impact)
        update_masses(state, nc, w)
        if state.eta.shape[1] > 0:
            update_far(line, sc, f0, f1, state.eta, w, state.ledger)
        update_droppers(drop, sc, nc + ne, m, q1, number * sc.h, w, out.record, state.ledger)
        return OK

    @whole
    def march(line, train, sc, ends, state, track, first, w, given, out):
        """Advance by as many steps as ``track`` has; returns (status, steps done).

        first: number of the step the march starts from. On failure the state is that of the last good step but for
        the tables of contacts and droppers and the modes of far spans.
        """
        empty_slots(w)
        status, done, row = OK, 0, 0
        q0, f0, q1, f1 = state.q, state.flat, w.q, w.flat
        while status == OK and done < track.speed.shape[0] - 1:
            n, number = done, first + done + 1
            status = step(line, train, sc, state, q0, f0, q1, f1, track, n, number, row + 1, w, given, out)
            if status != OK:
                break
            q0, f0, q1, f1 = q1, f1, q0, f0
            row += 1
            if not note_step(line, state, track, n, number, row, q0, sc, out):
                status = NOT_FINITE
                break
            done += 1
            faded = ends.every > 0 and number % ends.every == 0
            if faded:
                where = track.position[n + 1]
                kinetic, potential = energy(line, q0, f0, state.eta, state.drop, w.s, w.s_flat, w.masts)
                fade(line, sc, ends, where[0], where[-1], q0, f0, state.eta, state.drop, number * sc.h, w, out.record)
                settle(state, given, row, q0)
                left, stored = energy(line, q0, f0, state.eta, state.drop, w.s, w.s_flat, w.masts)
                state.ledger[D_ABSORBED] += kinetic + potential - left - stored
                row += 1
            note_end(line, train, state, q0, f0, number, row, faded, w, out)
        if done % 2 == 1:
            for j in range(state.flat.shape[0]):
                for k in range(state.flat.shape[1]):
                    state.flat[j, k] = w.flat[j, k]
        return status, done

    return march


CHOSEN, GIVEN = (choose_modes, set_modes_by_law), (given_modes, set_given_modes)
LEDGER, NO_LEDGER = (book_step, line_energy), (book_nothing, no_energy)
RECORD, ANSWERS = (record_step, record_samples), (answer_strips, no_samples)

#: a run with its ledger and its record and, if it is to be differentiated (``step_adjoint``), its tape
run_plain = make_march(masses=lifted_masses, modes=CHOSEN, books=LEDGER, notes=RECORD)
#: the same in the modes of another run: a map without kinks, for Taylor's test
run_frozen = make_march(masses=lifted_masses, modes=GIVEN, books=LEDGER, notes=RECORD)
#: a line under strips whose heights are given, as one of two coupled codes
run_strips = make_march(masses=given_heights, modes=CHOSEN, books=NO_LEDGER, notes=ANSWERS)
