"""Taped run: forward run with checkpoints for the backward sweep (``backward``).

Between two checkpoints the states are recomputed when they are needed, so that memory grows with the square root of the
number of steps and a gradient costs one more run and one backward sweep, however many parameters there are. Where that
is still too much, there is a second level of checkpoints, which costs one more run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from panhead.errors import ModelError, SimulationError
from panhead.runs.linear.session import Session, ends_of, room_for_record, room_for_steps, start
from panhead.runs.linear.step.active_set import OK
from panhead.runs.linear.step.adjoint_arrays import KeptSteps, OutputCotangents
from panhead.runs.linear.step.march import RunOutput, run_frozen, run_plain
from panhead.runs.linear.step.step_arrays import TrainWay
from panhead.runs.linear.tape_checkpoints import Replay, TapeCheckpoint, save_checkpoint, stretches
from panhead.runs.linear.tape_outputs import Key, Peaks, TapeOutputs
from panhead.runs.linear.window import Window
from panhead.runs.resolve import ResolvedRun

NEAR = 0.5  #: [N] a force by which a mode, less than that from flipping, is at a kink


@dataclass(frozen=True, slots=True)
class RunTape:
    """Differentiable run of the linear solver."""

    session: Session  #: at its end
    start: Window  #: it began with
    way: TrainWay  #: of all steps
    marks: tuple[int, ...]  #: first step of every stretch, and the last step
    states: tuple[TapeCheckpoint, ...]  #: at every ``stride``-th of the marks
    stride: int
    force: np.ndarray  #: (steps, nc), in a moving window of every pantograph (steps, np) [N]
    height: np.ndarray  #: (steps, nc) of the wire over the contact [m]; NaN: none there; moving: (steps, 0)
    support: np.ndarray  #: (steps, nu) uplift [m]; of a long run (steps, 0)
    dropper: np.ndarray  #: (steps, nd) [N]; of a long run (steps, 0)
    margin: np.ndarray  #: (steps,) how near a step is to a kink: the least force by which a mode is what it is [N]
    seen_supports: dict[Key, int]  #: mast and name → column
    seen_droppers: dict[Key, int]  #: span and name → column
    highest: Peaks  #: of all supports
    pulls: Peaks  #: of all droppers
    modes: bytes  #: a digest of every mode at every step: equal in runs that are the same map

    @property
    def model(self) -> ResolvedRun:
        """Resolved run."""
        return self.session.model

    @property
    def step(self) -> float:
        """Length of a step [s]."""
        return float(self.session.sc.h)

    @property
    def steps(self) -> int:
        """Number of steps of the whole run."""
        return self.marks[-1]

    @property
    def seen(self) -> np.ndarray:
        """Times of the records: the ends of the steps [s]."""
        return (np.arange(self.steps) + 1) * self.model.run.numerics.step

    def support_names(self) -> list[str]:
        return [name for _, name in self.seen_supports]

    def support_masts(self) -> np.ndarray:
        """Number of the mast of every support."""
        return np.array([mast for mast, _ in self.seen_supports])

    def dropper_names(self) -> list[str]:
        return [name for _, name in self.seen_droppers]

    @property
    def times(self) -> np.ndarray:
        """Times of the start and of all steps, (steps + 1,) [s]."""
        return np.arange(self.steps + 1) * self.session.sc.h

    @property
    def series(self) -> tuple[np.ndarray, ...]:
        """Recorded time series, in the order of ``OutputCotangents``."""
        return self.force, self.height, self.support, self.dropper

    @property
    def kinks(self) -> np.ndarray:
        """Steps at which a mode would flip if its force changed by less than ``NEAR``; (steps,) bool."""
        return self.margin < NEAR

    def zero_seed(self) -> OutputCotangents:
        """Zero seed: cotangents of an objective that depends on nothing, to be filled in; rows are steps, supports and
        droppers sparse."""
        sparse = [sp.csr_array((self.steps, len(keys))) for keys in (self.seen_supports, self.seen_droppers)]
        return OutputCotangents(np.zeros(self.force.shape), np.zeros(self.height.shape), *sparse)


def tape_run(model: ResolvedRun, push: np.ndarray | None = None, steps: int | None = None) -> RunTape:
    """Run a model of the solver "linear" to its end, or for so many steps, with a tape.

    ``push`` (steps + 1, masses) [N]: upward forces beside all others, whose derivative is ``Slope.uplift``.
    """
    model.require("taped")
    session = start(model)
    n = model.steps if steps is None else min(steps, model.steps)
    way = session.track(n)
    if push is not None:
        if push.shape != way.uplift.shape:
            raise ModelError(f"tape_run: push must have the shape {way.uplift.shape}, got {push.shape}")
        way = way._replace(uplift=way.uplift + push)
    marks, stride = stretches(session, n)
    notes, replay, states = TapeOutputs(session, n), Replay(session), []
    window, kept = session.window, room_for_steps(session, 0)
    longest = max((b - a for a, b in pairwise(marks)), default=0)
    for k, (first, stop) in enumerate(pairwise(marks)):
        session.step = first
        if k % stride == 0:
            states.append(save_checkpoint(session))
        if replay.move() or k == 0:
            kept = room_for_steps(session, longest)
        row, _ = run_stretch(session, way, first, stop, kept, noted=True)
        notes.add(session, kept, row)
    session.step = n
    return RunTape(session, window, way, marks, tuple(states), stride, *notes.columns())


def tape_every_state(model: ResolvedRun, modes: Sequence[KeptSteps] = ()) -> tuple[RunTape, list[KeptSteps]]:
    """Tape of a short run with every state stored, stretch by stretch; ``modes`` of another run are imposed."""
    session = start(model)
    way, n, window = session.track(model.steps), model.steps, session.window
    marks = stretches(session, n)[0] if model.moving else (0, n)
    notes, replay, states, found = TapeOutputs(session, n), Replay(session), [], []
    for k, (first, stop) in enumerate(pairwise(marks)):
        session.step = first
        states.append(save_checkpoint(session))
        replay.move()
        kept = room_for_steps(session, stop - first)
        row, _ = run_stretch(session, way, first, stop, kept, modes[k] if modes else None)
        notes.add(session, kept, row)
        found.append(kept)
    return RunTape(session, window, way, marks, tuple(states), 1, *notes.columns()), found


def run_stretch(
    session: Session,
    way: TrainWay,
    first: int,
    stop: int,
    kept: KeptSteps,
    modes: KeptSteps | None = None,
    *,
    noted: bool = False,
) -> tuple[np.ndarray, TrainWay]:
    """Compute the steps from first to stop, storing every state: row in which each begins, and the motion of the train.

    modes: of another run, which are held; noted: no more is kept of a state than ``TapeOutputs`` take of it.
    """
    part = TrainWay(way.position[first : stop + 1], way.speed[first : stop + 1], way.uplift[first : stop + 1])
    ends, w = ends_of(session), session.window
    row = np.arange(stop - first)
    if ends.every:
        row += np.arange(first, stop) // ends.every - first // ends.every
    state = session.state  # the tape's row 0
    kept.q[0], kept.z[0], kept.eta[0] = state.q[:3], state.z, state.eta.reshape(3, -1)
    kept.contact[0], kept.element[0], kept.drop[0] = state.contact, state.element, state.drop
    given = w.line, session.train, session.sc, ends, state, part, first, w.work
    levels = 1 if noted else 2 if session.sc.lossless else 3
    out = RunOutput(room_for_record(session, stop - first), stop + 1, stop + 1, np.zeros(2, np.int64), kept, levels)
    status, _ = run_plain(*given, (), out) if modes is None else run_frozen(*given, modes, out)
    if status != OK:
        raise SimulationError(f"the run stopped between t = {first * session.sc.h:.3f} s and the next checkpoint")
    return row, part
