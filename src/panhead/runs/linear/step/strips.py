"""Line under strips with prescribed height and rate, for co-simulation.

A strip is a head that nothing moves: the small system of a step with no mass in it. Contact force, contact point and
slack droppers are then exact answers of the line's own step.
"""

from __future__ import annotations

import numpy as np

from panhead.engine.jit.compiler import part, whole
from panhead.engine.kernels.compiled_laws import shape_x
from panhead.runs.linear.step.active_set import displacement
from panhead.runs.linear.step.contact import at_contact, place_contact
from panhead.runs.linear.step.step_arrays import U, V
from panhead.runs.linear.step.unilateral import OPEN

FORCE, LATERAL, LATERAL_RATE, HEIGHT, PENETRATION = range(5)  # columns of a strip's contact


@part()
def answer_strips(line, state, track, n, number, row, q, sc, out):
    """Write out.contact after step n; return False if a force is not a number."""
    _answers(line, state, track.position[n + 1], track.speed[n + 1], q, out.contact)
    finite = True
    for p in range(out.contact.shape[0]):
        finite = finite and np.isfinite(out.contact[p, FORCE])
    return finite


@part()
def no_samples(line, train, state, q, f, number, row, faded, w, out):
    """Record nothing else."""


@part()
def _of_wire(line, c, wire, u, v, x, speed):
    """Lateral position of the contact point, its rate, and the height of the wire there."""
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
    """Write out (strips, 5): force, lateral position and its rate, height of the wire, penetration.

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
    """Contacts of the strips in the present state; see ``_answers``."""
    _answers(line, state, position, speed, state.q, out)


@whole
def place_contacts(line, state, position, speed, given, w):
    """Place contact records at the strips, with penetration and its rate but without force.

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
