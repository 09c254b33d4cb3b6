"""The line as one of two codes: steps under strips whose height and rate are given.

A strip is a head that nothing moves: the small system of ``interaction_slots`` with no mass in it. Contact
force, contact point and slack droppers are then exact answers of the line's own step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from panhead.kernels.compiling import part, whole
from panhead.kernels.interaction import apply_forces, keep_contact, keep_droppers, predict_line, stretch
from panhead.kernels.interaction_arrays import Array, U, V
from panhead.kernels.interaction_ledger import at_contact, remember_damping
from panhead.kernels.interaction_slots import (
    NOT_FINITE,
    OK,
    displacement,
    empty_slots,
    open_contact,
    place_contact,
    solve_small,
)
from panhead.kernels.laws import shape_x
from panhead.kernels.unilateral import OPEN

FORCE, LATERAL, LATERAL_RATE, HEIGHT, PENETRATION = range(5)  # columns of a strip's contact


class Strips(NamedTuple):
    """The strips under the line, and what is noted on the way."""

    head: Array  #: (strips,) HEAD: their contact laws
    position: Array  #: (strips,) where they are [m]
    slack: Array  #: (events, 3) dropper, moment it went slack, moment it was taut again [s]
    events: Array  #: (1,) how many of them there are


@part()
def _answer(line, sc, state, q1, f1, position, speed, time, w, strips):
    """From the free answer in q1 to the new line: contacts and droppers, then all that hangs on them."""
    contact, drop = state.contact, state.drop
    nc, wires = contact.shape[0], line.path.shape[0]
    for i in range(nc):
        p = i // wires
        open_contact(line, strips.head[p], contact[i], i % wires, i, position[p], speed, q1, w.z, w)
    status, m = solve_small(line, sc, speed, nc, nc, drop, w)
    if status != OK:
        return status
    apply_forces(sc, m, q1, w)
    for i in range(nc):
        keep_contact(contact[i], w.slot[i], strips.head[i // wires].impact)
    if line.damped:
        remember_damping(line, sc, q1, f1, w.s, w.s_flat)
    keep_droppers(drop, sc, nc, m, q1, time, w, strips, state.ledger)
    return OK


@part()
def _of_wire(line, c, wire, u, v, x, speed):
    """Lateral place of the contact point, its rate, and the height of the wire there."""
    path, shape = line.path[wire], line.shape[wire]
    ell = line.x[c.station + 1] - line.x[c.station]
    slope = shape_x((x - line.x[c.station]) / ell, ell)
    y, y_dot = 0.0, 0.0
    for k in range(4):
        i = c.station + (k >> 1)
        value, along = shape[i, 2 + (k & 1)], slope[k]
        y -= c.weight[k] * value
        y_dot += speed * along * value
        if path.dof_y >= 0:
            r, j = path.dof_y >> 2, (path.dof_y & 3) + (k & 1)
            y -= c.weight[k] * u[i, r, j]
            y_dot += speed * along * u[i, r, j] - c.weight[k] * v[i, r, j]
    return y, y_dot, c.z - at_contact(u, c.station, path.dof_w, c.weight)


@part()
def _answers(line, state, position, speed, q, out):
    """out (strips, 5): force, lateral place and its rate, height of the wire, penetration.

    Of several wires over one strip the forces add up, at their common centre; without force the lowest counts.
    """
    wires = line.path.shape[0]
    for p in range(out.shape[0]):
        total, y_sum, rate_sum, lowest = 0.0, 0.0, 0.0, np.inf
        out[p, 3] = np.nan
        for wire in range(wires):
            c = state.contact[p * wires + wire]
            if c.on == 0:
                continue
            y, y_dot, z = _of_wire(line, c, wire, q[U], q[V], position[p], speed)
            total += c.F
            y_sum += c.F * y
            rate_sum += c.F * y_dot
            if z < lowest:
                lowest = z
                out[p, 1], out[p, 2], out[p, 3], out[p, 4] = y, y_dot, z, c.g
        out[p, 0] = total
        if total > 0.0:
            out[p, 1], out[p, 2] = y_sum / total, rate_sum / total


@whole
def contact_answers(line, state, position, speed, out):
    """The contacts of the strips in the state as it is; see ``_answers``."""
    _answers(line, state, position, speed, state.q, out)


@whole
def put_under(line, state, position, speed, given, w):
    """Contact records where the strips are, with penetration and its rate but without force.

    given (strips, 2): height and rate of each strip.
    """
    wires = line.path.shape[0]
    for i in range(state.contact.shape[0]):
        c, s, p = state.contact[i], w.slot[i], i // wires
        place_contact(line, i % wires, position[p], s)
        c.on, c.F, c.g, c.g_dot, c.mode = s.on, 0.0, 0.0, 0.0, OPEN
        if s.on == 1:
            c.station, c.z = s.station[0], s.z
            c.g = displacement(s, s.weight, state.q[U], 0) + given[p, 0] - s.z
            slope = displacement(s, s.weight_x, state.q[U], 0) - s.z_x
            c.g_dot = displacement(s, s.weight, state.q[V], 0) + given[p, 1] + speed * slope
            for k in range(4):
                c.weight[k] = s.weight[k]


@whole
def march_line(line, sc, state, t0, position, speed, given, w, strips, out):
    """As many steps as ``given`` has rows but one; returns a status and the steps done.

    position (steps + 1, strips), speed (steps + 1,): the strips' way from t0 on; given (steps + 1, strips, 2):
    height and rate of each strip at both ends of every step; strips.head: their contact laws.
    """
    empty_slots(w)
    for n in range(1, given.shape[0]):
        time = t0 + n * sc.h
        predict_line(line, sc, state.q, state.flat, state.eta, state.contact, state.drop, w, w.flat)
        for p in range(given.shape[1]):
            w.z[0, p], w.z[1, p], w.z[2, p] = given[n, p, 0], given[n, p, 1], 0.0
            strips.position[p] = position[n, p]
        for r in range(state.drop.shape[0]):
            d = state.drop[r]
            d.e_free, d.e_dot_free = stretch(d, w.q)
        v = speed[n]
        status = _answer(line, sc, state, w.q, w.flat, strips.position, v, time, w, strips)
        if status != OK:
            return status, n - 1
        for k in range(state.flat.shape[0]):
            for j in range(state.flat.shape[1]):
                state.flat[k, j] = w.flat[k, j]
        _answers(line, state, strips.position, v, state.q, out)
        for p in range(out.shape[0]):
            if not np.isfinite(out[p, FORCE]):
                return NOT_FINITE, n - 1
    return OK, given.shape[0] - 1
