"""A run forwards with checkpoints, so that it can be taken back (``sweeps``).

Between two checkpoints the states are computed anew when they are needed, so that memory grows with the root of the
number of steps and a gradient costs one more run and one sweep back, however many parameters there are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from panhead.errors import ModelError, SimulationError
from panhead.kernels.interaction_arrays import CONTACT, DROPPER, ELEMENT, LineState, Record, TrainWay
from panhead.kernels.interaction_held import run_held
from panhead.kernels.interaction_kept import run_kept
from panhead.kernels.interaction_slopes import KeptSteps, Wanted
from panhead.kernels.interaction_slots import OK
from panhead.kernels.unilateral import OPEN, STOP
from panhead.line.extras import beyond_plain
from panhead.runs.resolve import ResolvedRun
from panhead.runs.solvers.linear.session import Session, start

_EVENTS = 4096
NEAR = 0.5  #: [N] a force by which a mode, less than that from flipping, is at a kink


@dataclass(frozen=True, slots=True)
class RunTape:
    """A run that can be taken back."""

    session: Session  #: at its end
    way: TrainWay  #: of all steps
    marks: tuple[int, ...]  #: first step of every stretch, and the last step
    states: tuple[LineState, ...]  #: at the marks but the last
    force: np.ndarray  #: (steps, nc) [N]
    height: np.ndarray  #: (steps, nc) of the wire over the contact [m]; NaN: none there
    support: np.ndarray  #: (steps, nu) uplift [m]
    dropper: np.ndarray  #: (steps, nd) [N]
    margin: np.ndarray  #: (steps,) how near a step is to a kink: the least force by which a mode is what it is [N]

    @property
    def model(self) -> ResolvedRun:
        """The run."""
        return self.session.model

    @property
    def step(self) -> float:
        """Length of a step [s]."""
        return float(self.session.sc.h)

    @property
    def steps(self) -> int:
        """Of the whole run."""
        return self.marks[-1]

    @property
    def seen(self) -> np.ndarray:
        """Times of what is recorded: the ends of the steps [s]."""
        return (np.arange(self.steps) + 1) * self.model.run.numerics.step

    def support_names(self) -> list[str]:
        return [name for _, name in self.session.window.support_keys]

    def support_masts(self) -> np.ndarray:
        """Number of the mast of every support."""
        return np.array([mast for mast, _ in self.session.window.support_keys])

    def dropper_names(self) -> list[str]:
        return [name for _, name in self.session.window.dropper_keys]

    @property
    def times(self) -> np.ndarray:
        """Of all steps and of the start, (steps + 1,) [s]."""
        return np.arange(self.steps + 1) * self.session.sc.h

    @property
    def series(self) -> tuple[np.ndarray, ...]:
        """What the run records, in the order of ``Wanted``."""
        return self.force, self.height, self.support, self.dropper

    @property
    def kinks(self) -> np.ndarray:
        """The steps at which a mode would flip if its force changed by less than ``NEAR``; (steps,) bool."""
        return self.margin < NEAR

    def no_wish(self) -> Wanted:
        """A number that depends on nothing, to be filled in; rows are steps."""
        return Wanted(*(np.zeros(x.shape) for x in self.series))


def record(model: ResolvedRun, push: np.ndarray | None = None, steps: int | None = None) -> RunTape:
    """Run a model of the solver "linear" to its end, or for so many steps, ready to be taken back.

    ``push`` (steps + 1, masses) [N]: upward forces beside all others, whose derivative is ``Slope.uplift``.
    """
    if model.moving:
        raise ModelError("gradient: the line is computed in a moving window; set numerics.window = 'whole'")
    for what in beyond_plain(model.line):
        raise ModelError(f"gradient: {what} of line {model.line.name!r} cannot be taken back; leave it out")
    for p in model.pantographs:
        if p.strips is not None:
            raise ModelError(f"gradient: strips of pantograph {p.name!r} cannot be taken back; leave `strips` out")
    session = start(model)
    n = model.steps if steps is None else min(steps, model.steps)
    way = session.track(n)
    if push is not None:
        if push.shape != way.uplift.shape:
            raise ModelError(f"record: a push on this run has the shape {way.uplift.shape}, got {push.shape}")
        way = way._replace(uplift=way.uplift + push)
    every = max(1, math.isqrt(n))
    marks = (*range(0, n, every), n)
    kept = room_for_steps(session, every)
    rows: list[tuple[np.ndarray, ...]] = []
    states = []
    for first, stop in pairwise(marks):
        states.append(copied(session.state))
        run_stretch(session, way, first, stop, kept)
        rows.append(_outputs(session, kept, stop - first))
        session.step = stop
    columns = [np.concatenate(part) for part in zip(*rows, strict=True)]
    return RunTape(session, way, marks, tuple(states), *columns)


def kept_run(model: ResolvedRun, modes: KeptSteps | None = None) -> tuple[RunTape, KeptSteps]:
    """A short run with every state kept; ``modes`` of another one are held whatever the laws would choose."""
    session = start(model)
    way, n = session.track(model.steps), model.steps
    first, kept = copied(session.state), room_for_steps(session, n)
    if modes is None:
        run_stretch(session, way, 0, n, kept)
    elif run_held(
        session.window.line, session.train, session.sc, session.state, way, session.window.work, _nothing(), modes, kept
    ) != OK:  # fmt: skip
        raise SimulationError("the run in the modes of another one found no answer")
    return RunTape(session, way, (0, n), (first,), *_outputs(session, kept, n)), kept


def run_stretch(session: Session, way: TrainWay, first: int, stop: int, kept: KeptSteps) -> TrainWay:
    """The steps from first to stop, every state kept; what the train does meanwhile."""
    part = TrainWay(way.position[first : stop + 1], way.speed[first : stop + 1], way.uplift[first : stop + 1])
    status = run_kept(
        session.window.line,
        session.train,
        session.sc,
        session.state,
        part,
        first,
        session.window.work,
        _nothing(),
        kept,
    )
    if status != OK:
        raise SimulationError(f"the run stopped between t = {first * session.sc.h:.3f} s and the next checkpoint")
    return part


def _nothing() -> Record:
    """Room for what steps write down, of which only slackenings are used."""
    empty = np.zeros((0, 0))
    return Record(
        contact=np.zeros((0, 0, 4)), masses=empty, energy=empty, support=empty, dropper=empty,
        shape=np.zeros((0, 0, 0, 4)), slack=np.zeros((_EVENTS, 3)), events=np.zeros(1, dtype=np.int64),
    )  # fmt: skip


def room_for_steps(session: Session, steps: int) -> KeptSteps:
    """Room for the states of so many steps."""
    state = session.state
    q = np.zeros((steps + 1, 3, *session.window.work.s.shape))
    return KeptSteps(
        q,
        q.reshape(steps + 1, 3, -1),
        np.zeros((steps + 1, 3, state.z.shape[1])),
        np.zeros((steps + 1, state.contact.size), CONTACT),
        np.zeros((steps + 1, state.element.size), ELEMENT),
        np.zeros((steps + 1, state.drop.size), DROPPER),
    )


def _outputs(session: Session, kept: KeptSteps, steps: int) -> tuple[np.ndarray, ...]:
    """Forces, heights, uplifts and pulls of the steps kept."""
    rows = slice(1, steps + 1)
    c, drop, support = kept.contact[rows], kept.drop[rows], session.state.support
    dof = np.tile(session.window.line.path["dof_w"], session.train.head.size)
    n = np.arange(1, steps + 1)[:, None]
    lifted = np.zeros(c.shape)
    for k in range(4):
        at = dof + (k & 1)
        lifted -= c["weight"][:, :, k] * kept.q[n, 0, c["station"] + (k >> 1), at >> 2, at & 3]
    height = np.where(c["on"] == 1, c["z"] + lifted, np.nan)
    uplift = kept.q[rows, 0, support["station"], support["dof"] >> 2, support["dof"] & 3]
    return c["F"].copy(), height, uplift, drop["N"].copy(), _margin(session, kept, rows)


def _margin(session: Session, kept: KeptSteps, rows: slice) -> np.ndarray:
    """By what force the modes of each step are what they are: pushed while closed, wanting while open; (steps,) [N]."""
    c, drop, element = kept.contact[rows], kept.drop[rows], kept.element[rows]
    k = np.repeat(session.train.head["k"], c.shape[1] // session.train.head.size)
    by_contact = np.where(c["mode"] == OPEN, np.where(c["on"] == 1, k * np.abs(c["g"]), np.inf), c["F"])
    slack = np.abs(drop["N0"] + drop["k"] * drop["e"])
    by_dropper = np.where(drop["bilateral"] == 1, np.inf, np.where(drop["mode"] == OPEN, slack, drop["N"]))
    open_stop = element["k"] * np.abs(element["g"])
    by_stop = np.where(element["kind"] == STOP, np.where(element["mode"] == OPEN, open_stop, element["force"]), np.inf)
    return np.concatenate([by_contact, by_dropper, by_stop], axis=1).min(axis=1, initial=np.inf)


def copied(state: LineState) -> LineState:
    arrays = {name: getattr(state, name).copy() for name in LineState._fields if name != "flat"}
    return LineState(flat=arrays["q"].reshape(4, -1), **arrays)


def restore(session: Session, state: LineState) -> None:
    """Let a session be where a checkpoint is."""
    for name in LineState._fields:
        if name != "flat":
            getattr(session.state, name)[:] = getattr(state, name)
