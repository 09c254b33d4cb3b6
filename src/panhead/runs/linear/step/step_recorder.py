"""Recording of the march: the record of a run and, for a tape, every state."""

from __future__ import annotations

import numpy as np

from panhead.engine.jit.compiler import part
from panhead.runs.linear.step.contact import record_contact
from panhead.runs.linear.step.ledger import energies
from panhead.runs.linear.step.step_arrays import U


@part()
def keep_state(state, q, n, out):
    """Store the present state as row n of the tape, its line in q (4, ns, nt, 4)."""
    kept = out.tape
    for j in range(out.levels):
        for i in range(q.shape[1]):
            for r in range(q.shape[2]):
                for k in range(4):
                    kept.q[n, j, i, r, k] = q[j, i, r, k]
    for j in range(3):
        for k in range(state.z.shape[1]):
            kept.z[n, j, k] = state.z[j, k]
    eta = state.eta.reshape((3, state.eta.size // 3))
    for j in range(out.levels if out.levels > 1 else 0):
        for k in range(eta.shape[1]):
            kept.eta[n, j, k] = eta[j, k]
    for i in range(state.contact.shape[0]):
        kept.contact[n, i] = state.contact[i]
    for i in range(state.element.shape[0]):
        kept.element[n, i] = state.element[i]
    for i in range(state.drop.shape[0]):
        kept.drop[n, i] = state.drop[i]


@part()
def _record_motion(line, state, u, time, contacts, masses):
    """Record contacts, masses and uplifts after a step; return False if a contact force is not a number."""
    total = 0.0
    for i in range(state.contact.shape[0]):
        record_contact(line, state.contact[i], i % line.path.shape[0], u, contacts[i])
        total += state.contact[i].F
    for k in range(masses.shape[0]):
        masses[k] = state.z[0, k]
    for k in range(state.support.shape[0]):
        s = state.support[k]
        uplift = u[s.station, s.dof >> 2, s.dof & 3]
        if uplift > s.uplift:
            s.uplift, s.time = uplift, time
    return np.isfinite(total)


@part()
def record_step(line, state, track, n, number, row, q, sc, out):
    """Record step n of a run; its state is row ``row`` of the tape."""
    if out.levels > 0:
        keep_state(state, q, row, out)
    return _record_motion(line, state, q[U], number * sc.h, out.record.contact[n], out.record.masses[n])


@part()
def record_samples(line, train, state, q, f, number, row, faded, w, out):
    """Energies, uplifts and pulls each ``every`` steps, the window's shape each ``shape_every`` while there is room.

    A state that has faded is a row of the tape too.
    """
    if faded and out.levels > 0:
        keep_state(state, q, row, out)
    if number % out.every == 0:
        _record_sample(line, train, state, q, f, out.next[0], w, out.record)
        out.next[0] += 1
    if number % out.shape_every == 0 and out.next[1] < out.record.shape.shape[0]:
        _copy(q[U], out.record.shape[out.next[1]])
        out.next[1] += 1


@part()
def _record_sample(line, train, state, q, f, n, w, record):
    """Record energies, uplifts and dropper forces, at intervals."""
    energies(line, train, state, q, f, w, record.energy[n])
    for k in range(record.support.shape[1]):
        s = state.support[k]
        record.support[n, k] = q[U, s.station, s.dof >> 2, s.dof & 3]
    for r in range(record.dropper.shape[1]):
        record.dropper[n, r] = state.drop[r].N


@part()
def _copy(x, out):
    """out = x, both (ns, nt, 4)."""
    for i in range(x.shape[0]):
        for r in range(x.shape[1]):
            for k in range(4):
                out[i, r, k] = x[i, r, k]
