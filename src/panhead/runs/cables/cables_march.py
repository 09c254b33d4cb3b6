"""Time integration of cable runs in chunks, with checkpoints; an interrupted run keeps its output.

A run integrates from one sample to the next and appends its output to streams: files in the folder of its job, or
memory where there is none. With a folder its memory does not grow with its duration.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from panhead.engine.jobs import Job
from panhead.engine.methods.checkpoints import Checkpoint, resume, write
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.integrators.table_alpha import TabledMarch
from panhead.engine.methods.trajectory import Problem, Trajectory
from panhead.errors import Interrupted, ModelError, SimulationError, require_positive
from panhead.runs.cables.cables_assembly import CableSystem
from panhead.runs.cables.cables_options import HeadLaw
from panhead.runs.cables.head_laws import HeadFeedback, Replayed
from panhead.runs.cables.observers import HeadObserver, static_forces
from panhead.runs.checkpoints import RunCheckpoints, run_inputs
from panhead.runs.linear.frames import FrameRecorder
from panhead.runs.streams import Streams

CURVES = "curves"  #: name of their stream
#: Wires want damping of the highest frequencies and a factor that lasts.
METHOD = GeneralizedAlpha(spectral_radius=0.7, factor="while it serves", tolerance=1e-9, rates="free")
_SLACK = 1e-6  # of a dropper's force: below it counts as slack [N]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """Control law called every ``period``; its output holds until the next call."""

    law: HeadFeedback
    period: float = 1e-3  #: [s]

    def __post_init__(self) -> None:
        require_positive(self, "period")


def march_of(
    whole: CableSystem, law: HeadLaw | None, job: Job | None = None, *, steps: int | None = None
) -> CableMarch:
    """Time integration of an assembled system with its control law; ``steps``: fewer than the run's."""
    numerics, head = whole.resolved.run.numerics, whole.mechanics[0].head
    known = {} if head is None else head.numbers()
    feedback = None if law is None else law.controller(known)
    control = None if feedback is None else Sampled(law=feedback, period=numerics.step)
    method = replace(METHOD, spectral_radius=numerics.radius("cables"))
    return CableMarch(whole, method=method, control=control, job=job, steps=steps)


@final
class CableMarch:
    """Time integration of a run from its start; ``streams`` hold its output.

    Streams: ``curves`` (n, width) at every step from t = 0; ``sample`` (m, 3): time, T, V; ``support_history``,
    ``dropper_history`` at the samples; ``frame``: animation frames; and, after ``finish``, ``support`` and
    ``dropper`` with their extremes.
    """

    def __init__(
        self,
        whole: CableSystem,
        *,
        method: GeneralizedAlpha = METHOD,
        control: Sampled | None = None,
        job: Job | None = None,
        steps: int | None = None,
    ) -> None:
        if (control is not None) != bool(whole.system.controls):
            raise ModelError(
                "a sampled controller needs an actuator at the head, and an actuator needs a controller; give both or "
                "none"
            )
        resolved, job = whole.resolved, job or Job()
        self.whole, self.dt = whole, resolved.run.numerics.step
        self.progress, self.show = job.progress, job.watch
        self.total = resolved.steps if steps is None else steps
        self.streams = Streams(job.out)
        self.piece = max(1, round(resolved.run.numerics.keep / self.dt))
        self.camera, self.watch = FrameRecorder.of(resolved), HeadObserver(whole)
        self.controller: Replayed | None = None
        self.hold = self.piece
        if control is not None:
            self.hold = _steps(control.period, self.dt)
            self.controller = Replayed(control.law.begin(control.period))
        t = np.arange(min(self.piece, self.hold, self.camera.every) + 1) * self.dt
        u = np.zeros((len(t), len(whole.system.controls)))
        problem = Problem(system=whole.system, start=whole.start, t=t, u=u)
        families = whole.system.families
        assert families is not None
        self.march = TabledMarch(method, problem, families)
        self.last = 0  # steps done
        self.force = float(static_forces(whole)[0])
        self.largest = _Extremes(whole)
        self.checkpoints = RunCheckpoints(job, *run_inputs(resolved), streams=self.streams)
        found = self.checkpoints.restore()
        if found is not None:
            self._restore(found)

    def run(self) -> None:
        """Run to the end; a failure or Ctrl-C leaves the output before it in the streams."""
        try:
            while self.last < self.total:
                self.progress(self.last / self.total, f"t = {self.last * self.dt:.2f} s")
                self._next()
                if self.last % self.piece == 0 and self.checkpoints.due():
                    self.checkpoints.save(self._checkpoint())
        except SimulationError as error:
            if isinstance(error.partial, Trajectory):
                self._keep(error.partial)
            raise
        except KeyboardInterrupt:
            raise Interrupted(f"interrupted at t = {self.last * self.dt:.6g} s") from None
        finally:
            self.largest.write(self.streams)

    def _state(self) -> dict[str, np.ndarray]:
        """State to resume from besides that of the integrator: the last rows and the extremes."""
        march = self.march
        found = {f"kept_{k}": rows[len(march.problem.t) - 1] for k, rows in enumerate(march.kept)}
        return found | {name: getattr(self.largest, name) for name in _Extremes.NAMES}

    def _checkpoint(self) -> Checkpoint:
        state = self._state() | self.march.save_state() | {"force": np.array(self.force)}
        return Checkpoint(self.last, state, {} if self.controller is None else self.controller.tables())

    def _restore(self, found: Checkpoint) -> None:
        with resume(found, self.total):
            self.march.restore_state(found.state)
            write(self._state(), found.state)
            self.last, self.force = found.step, float(found.state["force"])
            if self.controller is not None:
                self.controller.show({name: found.rows[name] for name in ("seen", "answers")})

    def _next(self) -> None:
        """Integrate one chunk: to the next sample, frame, call of the law, or end."""
        due = min((self.last // n + 1) * n for n in (self.piece, self.hold, self.camera.every))
        due = min(due, self.total)
        march, n = self.march, due - self.last
        t = (self.last + np.arange(n + 1)) * self.dt
        u = np.zeros((n + 1, len(self.whole.system.controls)))
        if self.controller is not None:
            motion = march.motion
            seen = self.watch.measured(float(t[0]), motion.q, motion.v, self.force)
            u[:] = float(self.controller(float(t[0]), seen))
        for rows in march.kept:
            rows[0] = rows[len(march.problem.t) - 1] if self.last else rows[0]
        march.problem = replace(march.problem, t=t, u=u)
        self._keep(march.trajectory())

    def _keep(self, piece: Trajectory) -> None:
        first = 1 if self.streams.rows else 0
        found = self.watch.curves(piece)
        if len(found) > first:  # a piece that failed at once has nothing new
            self.streams.append(CURVES, found[first:])
            self.show(self.whole.resolved.places(piece.t[first:]), found[first:, : len(self.whole.mechanics)])
        self.force = float(found[-1, 0])
        self.last += len(piece.t) - 1
        if self.last % self.piece == 0 or self.last == self.total:
            self._sample(piece)
        if self.camera.due(self.last):
            self._picture(piece, found[-1])

    def _sample(self, piece: Trajectory) -> None:
        watch, t, q, v, u = self.watch, float(piece.t[-1]), piece.q[-1], piece.v[-1], piece.u[-1]
        uplift, pull = q[watch.supports] - watch.support_rest, watch.droppers.at(t, q, v, u)
        self.streams.append("sample", np.array([[t, *watch.energies(piece)]]))
        self.streams.append("support_history", uplift[None])
        self.streams.append("dropper_history", pull[None])
        self.largest.note(t, self.piece * self.dt, uplift, pull)
        if watch.roof is not None:
            (roof,) = watch.roof.along(piece.t[-1:], *(x[-1:] for x in (piece.q, piece.v, piece.a)))
            axles = np.concatenate([q[watch.axles], v[watch.axles], piece.lam[-1, watch.rails]])
            self.streams.append("roof", np.array([[t, roof.p[1, 0], roof.p[2, 0], roof.v[2, 0], *axles]]))

    def _picture(self, piece: Trajectory, curves: np.ndarray) -> None:
        resolved, q, n = self.whole.resolved, piece.q[-1], len(self.whole.mechanics)
        (position,) = resolved.places(piece.t[-1:])
        x = position.mean() + np.linspace(-self.camera.half, self.camera.half, self.camera.points)
        wires = [
            np.interp(x, [p[0] for p in self.whole.line.catenary.cables[role].nodes], q[places],
                      left=np.nan, right=np.nan)
            for role, places in self.watch.wires.items()
        ]  # fmt: skip
        head = curves[2 * n : 3 * n]
        row = np.concatenate([piece.t[-1:], position, head, x, *wires])
        self.streams.append("frame", row[None])


class _Extremes:
    """Largest uplifts, smallest and largest dropper forces, over all samples."""

    NAMES = ("uplift", "moment", "low", "high", "slack")

    def __init__(self, whole: CableSystem) -> None:
        self.catenary, self.line = whole.line.catenary, whole.line
        self.uplift, self.moment = np.zeros((2, len(self.catenary.supports)))
        self.low = np.full(len(self.catenary.droppers), np.inf)
        self.high, self.slack = -self.low, np.zeros(len(self.catenary.droppers))

    def note(self, t: float, span: float, uplift: np.ndarray, pull: np.ndarray) -> None:
        higher = uplift > self.uplift
        self.uplift[higher], self.moment[higher] = uplift[higher], t
        self.low, self.high = np.minimum(self.low, pull), np.maximum(self.high, pull)
        self.slack += span * (np.abs(pull) < _SLACK)

    def write(self, streams: Streams) -> None:
        """Write the extremes in the format of the linear solver."""
        s, d = self.catenary.supports, self.catenary.droppers
        masts, places = [x.mast for x in s], [x.x for x in s]
        streams.append("support", np.column_stack([masts, places, self.uplift, self.moment]))
        static = [self.line.dropper_forces[x.name] for x in d]
        number, spans, at = np.arange(len(d)), [x.span for x in d], [x.x for x in d]
        rows = np.column_stack([number, spans, at, static, self.low, self.high, self.slack])
        streams.append("dropper", rows)


def _steps(time: float, dt: float) -> int:
    n = round(time / dt)
    if n < 1 or abs(n * dt - time) > 1e-9 * max(time, dt):
        raise ModelError(f"controller period {time!r} s is not a whole number of steps of {dt!r} s; change one of them")
    return n
