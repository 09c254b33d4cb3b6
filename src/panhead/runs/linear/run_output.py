"""Output buffers of the march: the record of a chunk of steps, and the tape of a differentiable run."""

from __future__ import annotations

import numpy as np

from panhead.runs.linear.session import Session, ends_of
from panhead.runs.linear.step.adjoint_arrays import KeptSteps
from panhead.runs.linear.step.step_arrays import CONTACT, DROPPER, ELEMENT, ENERGIES, LEDGER, Record

EVENTS = 4096  #: slackenings kept of one chunk


def room_for_record(
    session: Session, steps: int, samples: int = 0, shapes: int = 0, *, history: bool = False
) -> Record:
    """Record buffers for a number of steps, samples and shapes; ``history``: of supports and droppers too."""
    state = session.state
    return Record(
        contact=np.zeros((steps, state.contact.size, 4)),
        masses=np.zeros((steps, state.z.shape[1])),
        energy=np.zeros((samples, len(ENERGIES) + len(LEDGER))),
        support=np.zeros((samples, state.support.size if history else 0)),
        dropper=np.zeros((samples, state.drop.size if history else 0)),
        shape=np.zeros((shapes, *session.window.work.s.shape)),
        slack=np.zeros((EVENTS, 3)),
        events=np.zeros(1, dtype=np.int64),
    )


def room_for_steps(session: Session, steps: int) -> KeptSteps:
    """Tape buffers for the states of a number of steps, and for those after each absorption among them."""
    every = ends_of(session).every
    return _room_for_states(session, steps + 1 + (steps // every + 1 if every else 0))


def no_tape(session: Session) -> KeptSteps:
    """Empty tape."""
    return _room_for_states(session, 0)


def _room_for_states(session: Session, rows: int) -> KeptSteps:
    state, shape = session.state, session.window.work.s.shape
    q = np.zeros((rows, 3, *shape))
    return KeptSteps(
        q,
        q.reshape(rows, 3, int(np.prod(shape))),
        np.zeros((rows, 3, state.z.shape[1])),
        np.zeros((rows, state.contact.size), CONTACT),
        np.zeros((rows, state.element.size), ELEMENT),
        np.zeros((rows, state.drop.size), DROPPER),
        np.zeros((rows, 3, state.eta.size // 3)),
    )
