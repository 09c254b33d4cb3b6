"""In-memory checkpoints of a taped run: contents, spacing and restoring.

The state here is the least that the steps read, for a sweep backwards saves many; ``session.save_state`` holds all of
it, for the disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from panhead.runs.linear.run_driver import chunk_steps
from panhead.runs.linear.session import Session, is_window, move_window, window_at
from panhead.runs.linear.step.step_arrays import A, LineState
from panhead.runs.linear.window import Window, resting_state

_BUDGET = 60e6  # bytes that checkpoints and the states of one stretch may take if each stretch is computed twice only
_SHORT = 64  # steps of a stretch that are worth a call
_WINDOWS = 3  # windows kept at hand: what is left behind is soon come to again on the way back
_MEMORY = ("mode", "p", "e", "N")  # of a dropper


@dataclass(frozen=True, slots=True)
class TapeCheckpoint:
    """State between two steps."""

    step: int
    spans: tuple[int, int]
    bands: tuple[float, ...]
    q: np.ndarray  #: (4 or 3, n) without accelerations where the scheme has none
    eta: np.ndarray
    z: np.ndarray
    drop: np.ndarray  #: (4, nd) what changes of a dropper
    contact: np.ndarray
    element: np.ndarray


def save_checkpoint(session: Session) -> TapeCheckpoint:
    """Copy of the current state of a session."""
    state, linear = session.state, session.window.linear
    rows = [k for k in range(4) if k != A or not session.sc.lossless]
    drop = np.stack([state.drop[name] for name in _MEMORY])
    copies = state.flat[rows].copy(), state.eta.copy(), state.z.copy(), drop, state.contact.copy(), state.element.copy()
    return TapeCheckpoint(session.step, (linear.first_span, linear.stop_span), linear.bands, *copies)


class Replay:
    """Session that can be restored to its checkpoints; windows of the line are rebuilt where needed."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._windows = [session.window]

    def restore(self, saved: TapeCheckpoint) -> None:
        """Restore the session to a checkpoint."""
        session, rows = self.session, [k for k in range(4) if k != A or not self.session.sc.lossless]
        window = self.window(saved)
        if window is not session.window:
            session.window = window
            session.state = resting_state(window, session.train, session.elements, saved.z[0])
        state: LineState = session.state
        state.flat[:] = 0.0
        state.flat[rows] = saved.q
        state.eta[:], state.z[:], state.contact[:], state.element[:] = saved.eta, saved.z, saved.contact, saved.element
        for name, values in zip(_MEMORY, saved.drop, strict=True):
            state.drop[name] = values
        session.step = saved.step

    def window(self, saved: TapeCheckpoint) -> Window:
        """Window in which a checkpoint was saved."""
        for known in self._windows:
            if is_window(known, saved.spans, saved.bands):
                return known
        return self._keep(window_at(self.session, saved.spans, saved.bands))

    def move(self) -> bool:
        """Move the window where the run itself moves it; the new window is cached."""
        model, sc = self.session.model, self.session.sc
        due = model.moving and self.session.step % chunk_steps(model, sc.h) == 0
        moved = due and move_window(self.session, self._windows)
        if moved and all(self.session.window is not known for known in self._windows):
            self._keep(self.session.window)
        return moved

    def _keep(self, window: Window) -> Window:
        self._windows = [window, *self._windows[: _WINDOWS - 1]]
        return window


def stretches(session: Session, steps: int) -> tuple[tuple[int, ...], int]:
    """Ends of the stretches of a run of so many steps, and the number of stretches between two stored states.

    With c bytes of a checkpoint and r bytes of a step kept, stretches of e steps take n c/e + r e; or, with checkpoints
    of their own in every m of them, n c/(e m) + m c + r e.
    """
    state, lengths = session.state, np.arange(1, max(2, steps + 1), dtype=float)
    c = float(0.75 * state.flat.nbytes + state.eta.nbytes + 32 * state.drop.size + state.contact.nbytes)
    r = 8.0 * (7 * state.flat.shape[1] + 8 * state.eta.size / 3) + state.drop.nbytes + state.contact.nbytes
    once = steps * c / lengths + r * lengths
    again = np.maximum(1.0, np.sqrt(steps / lengths))
    twice = steps * c / (lengths * again) + again * c + r * lengths
    single = once.min() <= _BUDGET
    length = max(min(_SHORT, steps), int(lengths[np.argmin(once if single else twice)]))
    marks = tuple(_marks(session, steps, length))
    return marks, 1 if single else max(1, round(float(again[length - 1])))


def _marks(session: Session, steps: int, length: int) -> Iterator[int]:
    """Stretches of about equal length; one ends wherever the window may move."""
    chunk = chunk_steps(session.model, session.sc.h) if session.model.moving else steps
    yield 0
    for first, stop in pairwise((*range(0, steps, chunk), steps)):
        parts = max(1, -(-(stop - first) // length))
        yield from (first + (stop - first) * k // parts for k in range(1, parts + 1))
