"""Recorded runs taken back: ∂J/∂ of everything their equations are made of, for one number J or for several at once.

Several numbers share the states, which are computed anew between checkpoints, the factors and the columns of every
step; each is a lane of the vectors that go back (``kernels/interaction_adjoint``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from panhead.errors import SimulationError
from panhead.kernels.interaction_adjoint import sweep_back
from panhead.kernels.interaction_arrays import TrainWay
from panhead.kernels.interaction_outer import SIDE, add_outer, average_steps
from panhead.kernels.interaction_slopes import Back, KeptSteps, Slope, Wanted
from panhead.kernels.lanes import in_lanes, lane_type
from panhead.runs.solvers.linear.adjoint import RunTape, restore, room_for_steps, run_stretch

LANES = 8  #: numbers taken back at once; more leave the cache
_ROOM = 4e6  # numbers η of a stretch may have; a longer one is taken back in parts


@dataclass(frozen=True, slots=True)
class TakenBack:
    """∂J/∂ of the arrays of a run."""

    smooth: Slope  #: what smooth steps contribute
    kinked: Slope  #: what steps at kinks do
    first: np.ndarray  #: (masses,) of where the masses begin

    @property
    def whole(self) -> Slope:
        """Of all steps."""
        return Slope(*(a + b for a, b in zip(self.smooth, self.kinked, strict=True)))


def slopes(tape: RunTape, wanted: Wanted) -> Slope:
    """∂J/∂ of the arrays of a run."""
    return taken_back(tape, [wanted])[0].whole


def taken_back(tape: RunTape, wanted: Sequence[Wanted], kinks: np.ndarray | None = None) -> list[TakenBack]:
    """One sweep back for every number; ``kinks`` (steps,) bool: steps that are told apart, those of the tape."""
    kinks = tape.kinks if kinks is None else kinks
    order = sorted(range(len(wanted)), key=lambda k: _last(wanted[k]))
    width = 1 if len(wanted) == 1 else LANES
    groups = [_Lanes(tape, [wanted[k] for k in order[i : i + width]], width) for i in range(0, len(order), width)]
    kept = room_for_steps(tape.session, max(b - a for a, b in pairwise(tape.marks)))
    for k in range(len(tape.states) - 1, -1, -1):
        first, stop = tape.marks[k], tape.marks[k + 1]
        active = [group for group in groups if group.last >= first]
        if active:
            restore(tape.session, tape.states[k])
            way = run_stretch(tape.session, tape.way, first, stop, kept)
            for group in active:
                group.sweep(tape, way, first, stop, kept, kinks)
    found = [one for group in groups for one in group.results()]
    return [found[order.index(k)] for k in range(len(wanted))]


def _last(wanted: Wanted) -> int:
    """The last step that a number depends on directly."""
    rows = [np.flatnonzero(x.any(axis=1)) for x in wanted if x.size]
    return max((int(r[-1]) for r in rows if r.size), default=-1)


class _Lanes:
    """Several numbers on their way back."""

    def __init__(self, tape: RunTape, wanted: Sequence[Wanted], width: int) -> None:
        self.count, self.last = len(wanted), max(map(_last, wanted))
        self.wanted = Wanted(*(_stacked(parts, width) for parts in zip(*wanted, strict=True)))
        shape = tape.session.window.work.s.shape
        self.steps = min(max(b - a for a, b in pairwise(tape.marks)), max(1, int(_ROOM / (width * np.prod(shape)))))
        self.back, self.smooth, self.kinked = _back(tape, width, self.steps), _slope(tape, width), _slope(tape, width)
        self.mean = np.zeros((3, self.steps, *shape))

    def sweep(self, tape: RunTape, way: TrainWay, first: int, stop: int, kept: KeptSteps, kinks: np.ndarray) -> None:
        """Over one stretch, part by part."""
        session, step = tape.session, self.steps
        line, w = session.window.line, session.window.work
        for end in range(stop - first, 0, -step):
            begin = max(0, end - step)
            rows, states = slice(first + begin, first + end), slice(begin, end + 1)
            part = KeptSteps(*(x[states] for x in kept))
            mine, track = Wanted(*(x[rows] for x in self.wanted)), TrainWay(*(x[states] for x in way))
            if not sweep_back(line, session.train, session.sc, session.state, track, first + begin, part, mine,
                self.back, w, kinks, self.smooth, self.kinked):  # fmt: skip
                t = (first + begin) * session.sc.h
                raise SimulationError(f"the step at t = {t:.3f} s cannot be taken back: singular laws")
            self._add_matrices(tape, part, end - begin, kinks[rows])

    def _add_matrices(self, tape: RunTape, kept: KeptSteps, steps: int, kinks: np.ndarray) -> None:
        """∂J/∂K, ∂J/∂M and ∂J/∂C of steps that have been taken back: first the smooth ones, then those at kinks."""
        average_steps(tape.session.sc, kept, steps, self.mean)
        order = np.argsort(kinks, kind="stable")
        split = np.full_like(order, steps - int(kinks.sum()))
        line = tape.session.window.line
        add_outer(line, self.back.past, self.mean, np.stack([order, split]), self.smooth, self.kinked)

    def results(self) -> list[TakenBack]:
        """Lane by lane."""
        return [
            TakenBack(
                Slope(*(_lane(x, k) for x in self.smooth)),
                Slope(*(_lane(x, k) for x in self.kinked)),
                _lane(self.back.z, k)[0],
            )
            for k in range(self.count)
        ]


def _lane(array: np.ndarray, k: int) -> np.ndarray:
    return np.ascontiguousarray(array["lanes"][..., k])


def _room(width: int, *shape: int) -> np.ndarray:
    return np.zeros(shape, lane_type(width))


def _stacked(parts: Sequence[np.ndarray], width: int) -> np.ndarray:
    """Tables of several numbers in lanes; of no columns if nothing is wanted of any."""
    if not any(part.any() for part in parts):
        return _room(width, len(parts[0]), 0)
    nothing = [np.zeros_like(parts[0])] * (width - len(parts))
    return in_lanes(np.ascontiguousarray(np.stack([*parts, *nothing], axis=-1)))


def _back(tape: RunTape, width: int, steps: int) -> Back:
    state, shape = tape.session.state, tape.session.window.work.s.shape
    nm, nc, m = state.z.shape[1], state.contact.size, tape.session.window.work.slot.size
    q, load, mu = np.zeros((3, *shape, width)), np.zeros((*shape, width)), np.zeros((m, width))
    return Back(
        q=in_lanes(q), q_flat=q.reshape(3, -1), z=_room(width, 3, nm), contact=_room(width, nc),
        element=_room(width, state.element.size), drop=_room(width, state.drop.size), impact=_room(width, nc),
        load=in_lanes(load), load_flat=load.reshape(-1), half=_room(width, *shape), tile=_room(width, 2, 4),
        eta=_room(width, *shape), past=_room(width, -(-shape[0] // SIDE), steps, SIDE, *shape[1:]),
        f=_room(width, nm), eta_z=_room(width, nm), mu=in_lanes(mu), mu_each=mu,
    )  # fmt: skip


def _slope(tape: RunTape, width: int) -> Slope:
    session, n = tape.session, tape.steps
    line, state, train = session.window.line, session.state, session.train
    nd, nm, heads, room = state.drop.size, state.z.shape[1], train.head.size, lambda *shape: _room(width, *shape)
    return Slope(
        M=room(*line.M.pair.shape), C=room(*line.C.pair.shape), K=room(*line.K.pair.shape),
        M_rest=room(line.M.value.size), C_rest=room(line.C.value.size), K_rest=room(line.K.value.size),
        k=room(nd), c=room(nd), N0=room(nd), shape=room(*line.shape.shape), x=room(line.x.size),
        M_train=room(nm, nm), C_train=room(nm, nm), K_train=room(nm, nm),
        uplift=room(n + 1, nm), position=room(n + 1, heads), speed=room(n + 1),
        head=room(heads, 6), element=room(state.element.size, 3),
    )  # fmt: skip
