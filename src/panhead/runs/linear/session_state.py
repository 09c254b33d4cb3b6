"""State of a session as named arrays, for checkpoints of the linear solver."""

from __future__ import annotations

import numpy as np

from panhead.engine.methods.checkpoints import Arrays, write
from panhead.runs.linear.session import Session, reopen
from panhead.runs.linear.step.step_arrays import LineState


def save_state(session: Session) -> dict[str, np.ndarray]:
    """Arrays that the next step starts from, including the window and the numbers of its droppers."""
    linear, ids = session.window.linear, session.ids
    return _arrays(session) | {
        "spans": np.array([linear.first_span, linear.stop_span]),
        "bands": np.array(linear.bands, dtype=float),
        "next_id": np.array(session.next_id),
        "id_span": np.array([span for span, _ in ids], dtype=np.int64),
        "id_name": np.array([name for _, name in ids], dtype=np.str_),
        "id": np.array([*ids.values()], dtype=np.int64),
    }


def restore_state(session: Session, state: Arrays) -> None:
    """Restore a state from ``save_state`` in a new session of the same run."""
    first, stop = state["spans"].tolist()
    reopen(session, session.window.linear.window(first, stop, state["bands"].tolist()))
    write(_arrays(session), state)
    session.next_id = int(state["next_id"])
    keys = zip(state["id_span"].tolist(), state["id_name"].tolist(), strict=True)
    session.ids = dict(zip(keys, state["id"].tolist(), strict=True))


def _arrays(session: Session) -> dict[str, np.ndarray]:
    return {name: getattr(session.state, name) for name in LineState._fields if name != "flat"}
