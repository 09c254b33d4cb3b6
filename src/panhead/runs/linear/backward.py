"""Backward sweep of taped linear runs: ∂J/∂ of all coefficients of their equations, for one or several objectives.

Between checkpoints states are recomputed, beginning with the last stretch; the adjoints of all objectives are computed
over them (``backward_lanes``).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from panhead.runs.linear.backward_lanes import AdjointResult, BackwardLanes, last_step
from panhead.runs.linear.session import room_for_steps
from panhead.runs.linear.step.adjoint_arrays import KeptSteps, OutputCotangents, Slope
from panhead.runs.linear.tape_checkpoints import Replay, TapeCheckpoint, save_checkpoint
from panhead.runs.linear.taped_run import RunTape, run_stretch

LANES = 8  #: numbers taken back at once; more leave the cache


def slopes(tape: RunTape, wanted: OutputCotangents) -> Slope:
    """∂J/∂ of the arrays of the train in a run."""
    back = backpropagate(tape, [wanted], line=False)[0]
    return Slope(*(a + b for a, b in zip(back.smooth.slope, back.kinked.slope, strict=True)))


def backpropagate(
    tape: RunTape,
    wanted: Sequence[OutputCotangents],
    kinks: np.ndarray | None = None,
    *,
    line: bool = True,
    lanes: int = LANES,
) -> list[AdjointResult]:
    """Backward sweep for every objective; ``kinks`` (steps,) bool: steps summed separately, those of the tape.

    line: whether derivatives by the line are needed. lanes: number of objectives per sweep.
    """
    kinks = tape.kinks if kinks is None else kinks
    order = sorted(range(len(wanted)), key=lambda k: last_step(wanted[k]))
    width = 1 if len(wanted) == 1 else lanes
    parts = [[wanted[k] for k in order[i : i + width]] for i in range(0, len(order), width)]
    groups = [BackwardLanes(tape, part, width, line=line) for part in parts]
    _BackwardSweep(tape, groups, kinks).back()
    found = [one for group in groups for one in group.results()]
    return [found[order.index(k)] for k in range(len(wanted))]


class _BackwardSweep:
    """Backward sweep stretch by stretch: each is recomputed before it is swept."""

    def __init__(self, tape: RunTape, groups: Sequence[BackwardLanes], kinks: np.ndarray) -> None:
        self.tape, self.groups, self.kinks = tape, groups, kinks
        self.replay = Replay(tape.session)
        self.longest = max((b - a for a, b in pairwise(tape.marks)), default=0)
        self.kept: KeptSteps | None = None

    def back(self) -> None:
        tape, stride, count = self.tape, self.tape.stride, len(self.tape.marks) - 1
        for k in range(len(tape.states) - 1, -1, -1):
            first, stop = k * stride, min((k + 1) * stride, count)
            if any(group.last >= tape.marks[first] for group in self.groups):
                marks = self._inner_marks(tape.states[k], first, stop)
                for j in range(stop - 1, first - 1, -1):
                    self._stretch(marks[j - first], j)
        self.replay.restore(tape.states[0])
        for group in self.groups:
            group.leave(tape.session)

    def _inner_marks(self, state: TapeCheckpoint, first: int, stop: int) -> list[TapeCheckpoint]:
        """Checkpoints at the beginnings of the stretches between two stored states."""
        session, found = self.tape.session, [state]
        if stop > first + 1:
            self.replay.restore(state)
        for j in range(first, stop - 1):
            session.step = self.tape.marks[j]
            self.replay.move()
            run_stretch(session, self.tape.way, self.tape.marks[j], self.tape.marks[j + 1], self._room())
            session.step = self.tape.marks[j + 1]
            found.append(save_checkpoint(session))
        return found

    def _room(self) -> KeptSteps:
        """Tape storage for a stretch in the session's window."""
        session = self.tape.session
        if (
            self.kept is None
            or self.kept.q.shape[2:] != session.window.work.s.shape
            or self.kept.drop.shape[1] != session.state.drop.size
            or self.kept.contact.shape[1] != session.state.contact.size
            or self.kept.eta.shape[2] != session.state.eta.size // 3
        ):
            self.kept = room_for_steps(session, self.longest)
        return self.kept

    def _stretch(self, mark: TapeCheckpoint, number: int) -> None:
        """Recompute one stretch and sweep it back, including a window shift at its beginning."""
        tape, (first, stop) = self.tape, self.tape.marks[number : number + 2]
        session, active = tape.session, [group for group in self.groups if group.last >= first]
        if not active:
            return
        self.replay.restore(mark)
        old, before = session.window, session.state
        moved = self.replay.move()
        after = session.state
        if moved:  # what the window began with is needed after the steps have changed it
            start = save_checkpoint(session)
        kept = self._room()
        row, way = run_stretch(session, tape.way, first, stop, kept)
        for group in active:
            group.enter(session)
            group.sweep(session, way, first, kept, row, self.kinks)
        if moved:
            self.replay.restore(start)
            for group in active:
                group.shift(session, old, before, after)
