"""Long runs in pieces: whatever is interrupted keeps what it has.

A run holds one piece of motion, from one shape or sample to the next, and appends what is kept of it to streams:
files in the folder of its job, or memory where there is none. With a folder its memory does not grow with its duration.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import final

import numpy as np

from panhead.errors import ModelError, SimulationError, require_positive
from panhead.jobs import Job
from panhead.methods.integrators import GeneralizedAlpha
from panhead.methods.integrators.tabled_alpha import TabledMarch
from panhead.methods.trajectory import Problem, Trajectory
from panhead.run.solvers.cables.assembly import Assembled
from panhead.run.solvers.cables.laws import Controller, Law
from panhead.run.solvers.cables.watch import CURVES, Watch
from panhead.run.streams import Streams

_CURVES = "curves"  # name of their stream
#: Wires want damping of the highest frequencies and a factor that lasts.
METHOD = GeneralizedAlpha(spectral_radius=0.7, factor="while it serves", tolerance=1e-9)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What a run leaves: curves at every step, the line's shape at every ``shape_time``."""

    made: Assembled
    time: np.ndarray  # (n,) [s]
    curves: dict[str, np.ndarray]  #: by the names of CURVES, (n,) each
    shape_time: np.ndarray  # (m,) [s]
    shapes: dict[
        str, np.ndarray
    ]  #: (m, ·) each: heights of nodes, dropper forces, bodies, energies
    notes: dict[str, float] = field(default_factory=dict)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """A law called every ``period``; its answer holds until the next call."""

    law: Law
    period: float = 1e-3  #: [s]

    def __post_init__(self) -> None:
        require_positive(self, "period")


def ridden(
    made: Assembled,
    *,
    duration: float,
    dt: float = 1e-3,
    shape_every: float = 0.02,
    method: GeneralizedAlpha = METHOD,
    control: Sampled | None = None,
    job: Job | None = None,
) -> Record:
    """March from the static start; a failure or Ctrl-C carries the record so far as ``partial``.

    ``job`` is told how far the run is; what is kept goes to files in its folder, if it has one.
    """
    if (control is not None) != bool(made.system.controls):
        raise ModelError(
            "a sampled controller needs a pantograph with controlled = true, and such a pantograph a controller"
        )
    return _Run(made, duration, dt, shape_every, method, control, job or Job()).record()


class _Run:
    """The pieces of one run."""

    def __init__(
        self,
        made: Assembled,
        duration: float,
        dt: float,
        shape_every: float,
        method: GeneralizedAlpha,
        control: Sampled | None,
        job: Job,
    ) -> None:
        self.made, self.dt, self.progress = made, dt, job.progress
        self.streams = Streams(job.out)
        self.streams.begin()
        self.total = _steps(duration, dt, "duration")
        self.piece = _steps(shape_every, dt, "shape_every")
        self.watch = Watch(made)
        self.controller: Controller | None = None
        self.hold = self.piece
        if control is not None:
            self.hold = _steps(control.period, dt, "period of the controller")
            self.controller = control.law.begin(control.period)
        nu = len(made.system.controls)
        t = np.arange(min(self.piece, self.hold) + 1) * dt
        problem = Problem(system=made.system, start=made.start, t=t, u=np.zeros((len(t), nu)))
        families = made.system.families
        assert families is not None
        self.march = TabledMarch(method, problem, families)
        self.last = 0  # steps done
        self.force = made.static_force

    def record(self) -> Record:
        try:
            while self.last < self.total:
                self.progress(self.last / self.total, f"t = {self.last * self.dt:.2f} s")
                self._next()
        except SimulationError as error:
            if isinstance(error.partial, Trajectory):
                self._keep(error.partial)
                error.partial = self._result()
            raise
        except KeyboardInterrupt:
            from panhead.errors import Interrupted

            raise Interrupted(
                f"interrupted at t = {self.last * self.dt:.6g} s", partial=self._result()
            ) from None
        return self._result()

    def _next(self) -> None:
        """One piece: to the next shape, sample or end."""
        due = min(
            (self.last // self.piece + 1) * self.piece,
            (self.last // self.hold + 1) * self.hold,
            self.total,
        )
        march, n = self.march, due - self.last
        t = (self.last + np.arange(n + 1)) * self.dt
        u = np.zeros((n + 1, len(self.made.system.controls)))
        if self.controller is not None:
            seen = self.watch.measured(march.motion.q, march.motion.v, self.force)
            u[:] = float(self.controller(float(t[0]), seen))
        for rows in march.kept:
            rows[0] = rows[len(march.problem.t) - 1] if self.last else rows[0]
        march.problem = replace(march.problem, t=t, u=u)
        self._keep(march.trajectory())

    def _keep(self, piece: Trajectory) -> None:
        first = 1 if self.streams.rows else 0
        found = self.watch.curves(piece)
        if found.shape[1] > first:  # a piece that failed at once has nothing new
            self.streams.append(_CURVES, found[:, first:].T)
        self.force = float(found[0, -1])
        self.last += len(piece.t) - 1
        if self.last % self.piece == 0 or self.last == self.total:
            for name, values in self.watch.shape(piece).items():
                self.streams.append(name, values[None])

    def _result(self) -> Record:
        table = self.streams.table(_CURVES)
        columns = table.T if len(table) else np.zeros((len(CURVES), 0))
        shapes = {name: self.streams.table(name) for name in self.streams.rows if name != _CURVES}
        m = max((len(rows) for rows in shapes.values()), default=0)
        counts = self.march.motion.counts
        return Record(
            made=self.made,
            time=np.arange(len(table)) * self.dt,
            curves=dict(zip(CURVES, columns, strict=True)),
            shape_time=np.arange(1, m + 1) * self.piece * self.dt,
            shapes=shapes,
            notes={"iterations": float(counts[0]), "factorisations": float(counts[1])},
        )


def _steps(time: float, dt: float, what: str) -> int:
    n = round(time / dt)
    if n < 1 or abs(n * dt - time) > 1e-9 * max(time, dt):
        raise ModelError(f"{what} {time!r} s is not a whole number of steps of {dt!r} s")
    return n
