"""Explicit one-step methods with a fixed step: Euler and the classical Runge–Kutta method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from panhead.engine.kernels import constrained_acceleration, explicit_steps
from panhead.engine.methods.checkpoints import Checkpoint, resume, write
from panhead.engine.methods.formulations import Embedded
from panhead.engine.methods.integrators.first_order import FirstOrderForm
from panhead.engine.methods.trajectory import Problem, Trajectory
from panhead.errors import Interrupted, NotConverged, SimulationError

#: Steps between two looks at the clock, the progress bar and Ctrl-C.
CHUNK = 2000
_REASONS = {
    constrained_acceleration.SINGULAR: "the equations became singular",
    constrained_acceleration.NOT_CONVERGED: "the motion could not be projected onto the constraints",
    constrained_acceleration.NOT_FINITE: "the motion became infinite or not a number",
    constrained_acceleration.OFF_THE_WIRE: "a slider left the end of its wire",
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Euler:
    """y₁ = y₀ + dt ẏ(t₀, y₀)                                     [Pappalardo20, eq. (21)]"""

    order: ClassVar[int] = 1
    stages: ClassVar[int] = 1

    def run(self, problem: Problem) -> Trajectory:
        """March over the grid of the problem."""
        return _run(problem, self.stages)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RungeKutta4:
    """The classical fourth-order method                          [Pappalardo20, eqs (22)–(23)]"""

    order: ClassVar[int] = 4
    stages: ClassVar[int] = 4

    def run(self, problem: Problem) -> Trajectory:
        """March over the grid of the problem."""
        return _run(problem, self.stages)


def _run(problem: Problem, stages: int) -> Trajectory:
    march = _ExplicitMarch(problem, stages)
    total, done = len(problem.t) - 1, march.begin()
    chunk = max(1, CHUNK // problem.every) * problem.every
    try:
        while done < total:
            status, steps = march.advance(done, min(done + chunk, total))
            done += steps
            if status != constrained_acceleration.OK:
                raise _failure(problem, done, status, march.trajectory(done))
            if problem.checkpoints.due():
                problem.checkpoints.save(march.checkpoint(done))
            problem.progress(done / total, f"t = {problem.t[done]:.3g} s")
    except KeyboardInterrupt:
        partial = march.trajectory(done)
        raise Interrupted(f"interrupted at t = {problem.t[done]:.6g} s", partial=partial) from None
    return march.trajectory(done)


def _failure(problem: Problem, step: int, status: int, partial: Trajectory) -> SimulationError:
    t, dt = problem.t[step], problem.t[min(step + 1, len(problem.t) - 1)] - problem.t[step]
    worst = ""
    if partial.g.size:
        k = int(np.abs(partial.g[-1]).argmax())
        worst = f"; largest constraint residual there: {problem.system.constraints[k]} = {partial.g[-1, k]:.2e}"
    hint = "Halve the step, or check for a singular configuration, where constraints become linearly dependent."
    if isinstance(problem.formulation, Embedded):
        hint = "Halve the step, or use the augmented formulation."
    kind = NotConverged if status == constrained_acceleration.NOT_CONVERGED else SimulationError
    return kind(
        f"{_REASONS[status]} after t = {t:.6g} s (dt = {dt:.3g} s) in {problem.system.name!r}{worst}. {hint}",
        partial=partial,
    )


@final
class _ExplicitMarch:
    """Marching by compiled kernels."""

    def __init__(self, problem: Problem, stages: int) -> None:
        self.problem, self.motion = problem, FirstOrderForm(problem, stages)
        self.y = np.concatenate([problem.start.q, problem.start.v, np.zeros(3)])
        self.stages, self.u = np.zeros((6, self.y.size)), np.zeros(problem.u.shape[1])
        self.kept = np.empty((len(problem.kept), self.y.size))
        self.kept[0] = self.y

    def _state(self) -> dict[str, np.ndarray]:
        return {"y": self.y, "u": self.u}

    def checkpoint(self, done: int) -> Checkpoint:
        """Everything that a run is resumed from at grid point ``done``."""
        return Checkpoint(
            done, self._state() | self.motion.save_state(), {"y": self.kept[: done // self.problem.every + 1]}
        )

    def begin(self) -> int:
        """The grid point to start from: the first, or that of a checkpoint."""
        found = self.problem.checkpoints.restore()
        if found is None:
            return 0
        with resume(found, len(self.problem.t) - 1):
            write(self._state(), found.state)
            self.motion.restore_state(found.state)
            self.kept[: found.step // self.problem.every + 1] = found.rows["y"]
        return found.step

    def advance(self, first: int, last: int) -> tuple[int, int]:
        """March from grid point ``first`` to ``last``: status, steps done."""
        every, p, m = self.problem.every, self.problem, self.motion
        status, steps, switches = explicit_steps.march(
            m.equations, m.form, p.t[first : last + 1], self.y, p.u[first : last + 1], self.u, every, m.nc, m.room,
            m.a, m.lam, self.stages, self.kept[first // every + 1 : last // every + 1],
        )  # fmt: skip
        m.switches += switches
        return status, steps

    def trajectory(self, done: int) -> Trajectory:
        """Return the motion computed up to grid point ``done``."""
        notes = {"steps": float(done), "switches": float(self.motion.switches[0])}
        return self.motion.to_trajectory(self.kept[: done // self.problem.every + 1], notes)
