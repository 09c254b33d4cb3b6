"""Backward sweep of several objectives at once, one lane each, and the derivatives it sums.

They share the states, the factors and the columns of every step (``runs/linear/step/step_adjoint``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
import scipy.sparse as sp

from panhead.engine.jit.lanes import in_lanes, lane_type
from panhead.errors import SimulationError
from panhead.runs.linear.far_spans import with_far
from panhead.runs.linear.line_cotangents import OF_WINDOW, GatheredLine
from panhead.runs.linear.session import Session, ends_of
from panhead.runs.linear.step.adjoint_arrays import Back, FarSpans, KeptSteps, OutputCotangents, Slope
from panhead.runs.linear.step.line import SIDE, add_outer_lanes, add_outer_single, average_steps
from panhead.runs.linear.step.step_adjoint import march_back_lanes, march_back_single
from panhead.runs.linear.step.step_arrays import LineArrays, LineState, TrainWay
from panhead.runs.linear.step.superelement_adjoint import far_motion
from panhead.runs.linear.taped_run import RunTape
from panhead.runs.linear.window import Window
from panhead.runs.linear.window_shift_adjoint import FarGathered, far_spans, shift_back

Arrays = TypeVar("Arrays", Back, Slope, OutputCotangents)
_ROOM = 4e6  # numbers η of a stretch may have; a longer one is taken back in parts


@dataclass(frozen=True, slots=True)
class BackShare:
    """∂J/∂ of the arrays of a run, summed over all its steps or over some."""

    slope: Slope  #: of the train; what is of the line in it is that of the first window alone
    line: GatheredLine
    lane: int  #: of ``line``: that of its number


@dataclass(frozen=True, slots=True)
class AdjointResult:
    """Result of a backward sweep: ∂J/∂ of the arrays of a run."""

    smooth: BackShare  #: what smooth steps contribute
    kinked: BackShare  #: what steps at kinks do
    first: np.ndarray  #: (masses,) of where the masses begin


def _rows(table: np.ndarray) -> np.ndarray:
    """Rows of a table, dense or sparse, that are not zero."""
    return np.unique(table.nonzero()[0]) if sp.issparse(table) else np.flatnonzero(table.any(axis=1))


def last_step(wanted: OutputCotangents) -> int:
    """Last step that an objective depends on directly."""
    return max((int(r[-1]) for r in map(_rows, wanted) if r.size), default=-1)


class BackwardLanes:
    """Backward sweep of several objectives."""

    def __init__(self, tape: RunTape, wanted: Sequence[OutputCotangents], width: int, *, line: bool) -> None:
        """line: True if derivatives of the line are requested."""
        self.tape, self.count, self.last, self.width = tape, len(wanted), max(map(last_step, wanted)), width
        self.wanted = list(wanted)
        self.used = [any(_rows(table).size for table in tables) for tables in zip(*wanted, strict=True)]
        self.longest = max((b - a for a, b in pairwise(tape.marks)), default=0)
        self.gathered = GatheredLine(tape.start.linear.source, 2 * width, asked=line)
        self.window: Window | None = None

    def enter(self, session: Session) -> None:
        """Allocate the adjoint of a session's window, still zero."""
        if self.window is None:
            self._open(session)
            self.smooth, self.kinked = (_slope(session, self.line, self.width, self.tape.steps) for _ in range(2))
            self.back = _back(session, self.width, self.steps, self.far)

    def _open(self, session: Session) -> None:
        self.window, shape = session.window, session.window.work.s.shape
        linear, every = session.window.linear, ends_of(session).every
        self.line = with_far(linear, session.window.line)
        self.far = far_spans(linear, session.sc, self.longest + 1 + (self.longest // every + 1 if every else 0))
        self.steps = max(1, min(self.longest, int(_ROOM / (self.width * np.prod(shape)))))
        self.mean = np.zeros((3, self.steps, *shape))
        self.far_gathered = FarGathered(linear, self.far, 2 * self.width)
        window = session.window
        self.columns = [
            np.array([seen[key] for key in keys], dtype=np.int64)
            for seen, keys in (
                (self.tape.seen_supports, window.support_keys), (self.tape.seen_droppers, window.row_keys),
            )
        ]  # fmt: skip

    def sweep(
        self, session: Session, way: TrainWay, first: int, kept: KeptSteps, row: np.ndarray, kinks: np.ndarray
    ) -> None:
        """Sweep one stretch, part by part."""
        sc, w, stop, rows = session.sc, session.window.work, first + len(row), int(row[-1]) + 3
        if self.far.base.size:
            of_modes = session.window.line.far.first
            far_motion(sc, self.far, of_modes, kept.flat[:rows], kept.eta[:rows], self.far.kept)
        back, slopes = self._plain(self.back), (self._plain(self.smooth), self._plain(self.kinked))
        march_back = march_back_single if self.width == 1 else march_back_lanes
        for end in range(stop - first, 0, -self.steps):
            begin = max(0, end - self.steps)
            mine, track = self._seeds(first + begin, first + end), TrainWay(*(x[begin : end + 1] for x in way))
            given = self.line, self.far, session.train, sc, ends_of(session), session.state, track, first + begin
            of_steps = kept, row[begin:end], self._plain(mine), back, w, kinks, *slopes
            if not march_back(*given, *of_steps):
                t = (first + begin) * sc.h
                raise SimulationError(
                    f"the step at t = {t:.3f} s cannot be differentiated: its contact and dropper laws are singular"
                )
            self._add_matrices(session, kept, row[begin:end], kinks[first + begin : first + end])

    def _plain(self, arrays: Arrays) -> Arrays:
        """Arrays for a kernel: scalars for a single objective, lanes for several."""
        return arrays if self.width > 1 else type(arrays)(*(x.view(np.float64) for x in arrays))

    def _seeds(self, first: int, stop: int) -> OutputCotangents:
        """Direct cotangents of the objectives in these steps, by the columns of the window."""
        wires, tables = self.window.line.path.size if self.window else 0, []
        for kind, parts in enumerate(zip(*self.wanted, strict=True)):
            if not self.used[kind]:
                tables.append(_room(self.width, stop - first, 0))
                continue
            rows = [part[first:stop].toarray() if sp.issparse(part) else part[first:stop] for part in parts]
            if kind >= 2:
                rows = [each[:, self.columns[kind - 2]] for each in rows]
            elif self.tape.model.moving:
                rows = [np.repeat(each, wires, axis=1) for each in rows]
            nothing = [np.zeros_like(rows[0])] * (self.width - len(rows))
            tables.append(in_lanes(np.ascontiguousarray(np.stack([*rows, *nothing], axis=-1))))
        return OutputCotangents(*tables)

    def _add_matrices(self, session: Session, kept: KeptSteps, row: np.ndarray, kinks: np.ndarray) -> None:
        """∂J/∂K, ∂J/∂M and ∂J/∂C of swept steps: first the smooth ones, then those at kinks."""
        average_steps(session.sc, kept, row, self.mean)
        order = np.argsort(kinks, kind="stable")
        split = len(row) - int(kinks.sum())
        steps = np.stack([order, np.full_like(order, split)])
        add_outer = add_outer_single if self.width == 1 else add_outer_lanes
        slopes = self._plain(self.smooth), self._plain(self.kinked)
        add_outer(self.line, self._plain(self.back).past, self.mean, steps, *slopes)
        for chosen, lane in ((order[:split], 0), (order[split:], self.width)):
            if chosen.size and self.far.base.size:
                self.far_gathered.add(session.sc, self.back, self.mean, row, chosen, lane)

    def shift(self, session: Session, old: Window, before: LineState, after: LineState) -> None:
        """Adjoint of a window shift: from the session's window to the old one."""
        new, smooth, kinked, rate = session.window, self.smooth, self.kinked, ends_of(session).rate
        line = self.line
        session.window, session.state = old, before
        far = self.far_gathered
        self._open(session)
        empty = _back(session, self.width, self.steps, self.far)
        shift_back(old, before, new, after, self.back, smooth, self.gathered, empty)
        far.leave(self.gathered)
        self.gathered.leave(new.linear, line, (smooth, kinked), rate)
        self.gathered.close(old.linear.first_span, old.linear.bands)
        self.back = empty
        self.smooth, self.kinked = (
            one._replace(**{name: getattr(fresh, name) for name in OF_WINDOW})
            for one, fresh in ((one, _slope(session, self.line, self.width, 0)) for one in (smooth, kinked))
        )
        session.window, session.state = new, after

    def leave(self, session: Session) -> None:
        """Hand over the sums of the last window."""
        self.enter(session)
        self.gathered.leave(session.window.linear, self.line, (self.smooth, self.kinked), ends_of(session).rate)
        self.far_gathered.leave(self.gathered)
        self.gathered.close()

    def results(self) -> list[AdjointResult]:
        """Results, lane by lane."""
        return [
            AdjointResult(
                BackShare(Slope(*(_lane(x, k) for x in self.smooth)), self.gathered, k),
                BackShare(Slope(*(_lane(x, k) for x in self.kinked)), self.gathered, self.width + k),
                _lane(self.back.z, k)[0],
            )
            for k in range(self.count)
        ]


def _lane(array: np.ndarray, k: int) -> np.ndarray:
    return np.ascontiguousarray(array["lanes"][..., k])


def _room(width: int, *shape: int) -> np.ndarray:
    return np.zeros(shape, lane_type(width))


def _back(session: Session, width: int, steps: int, far: FarSpans) -> Back:
    state, shape, modes = session.state, session.window.work.s.shape, far.c.shape
    nm, nc, m = state.z.shape[1], state.contact.size, session.window.work.slot.size
    q, load, mu = np.zeros((3, *shape, width)), np.zeros((*shape, width)), np.zeros((m, width))
    return Back(
        q=in_lanes(q), q_flat=q.reshape(3, -1), z=_room(width, 3, nm), contact=_room(width, nc),
        element=_room(width, state.element.size), drop=_room(width, state.drop.size), impact=_room(width, nc),
        load=in_lanes(load), load_flat=load.reshape(-1), half=_room(width, *shape), tile=_room(width, 2, 4),
        eta=_room(width, *shape), past=_room(width, -(-shape[0] // SIDE), steps, SIDE, *shape[1:]),
        f=_room(width, nm), eta_z=_room(width, nm), mu=in_lanes(mu), mu_each=mu, far=_room(width, 3, *modes),
        far_load=_room(width, *modes), far_eta=_room(width, *modes), far_moved=_room(width, *modes),
        far_past=_room(width, steps, *modes),
    )  # fmt: skip


def _slope(session: Session, line: LineArrays, width: int, n: int) -> Slope:
    state, train = session.state, session.train
    nd, nm, heads, room = state.drop.size, state.z.shape[1], train.head.size, lambda *shape: _room(width, *shape)
    pairs = line.x.size, 3, *line.M.pair.shape[2:]
    return Slope(
        M=room(*pairs), C=room(*pairs), K=room(*pairs),
        M_rest=room(line.M.value.size), C_rest=room(line.C.value.size), K_rest=room(line.K.value.size),
        k=room(nd), c=room(nd), N0=room(nd), weight=room(nd if session.window.linear.numbering.lateral else 0, 4),
        shape=room(*line.shape.shape), x=room(line.x.size),
        M_train=room(nm, nm), C_train=room(nm, nm), K_train=room(nm, nm),
        uplift=room(n + 1, nm), position=room(n + 1, heads), speed=room(n + 1),
        head=room(heads, 6), element=room(state.element.size, 3), fading=room(1),
    )  # fmt: skip
