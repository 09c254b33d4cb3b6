"""Generalized-α steps with multipliers and dependent coordinates eliminated from the equations of each step."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import numpy as np

from panhead.engine.kernels import alpha_elimination, constrained_acceleration
from panhead.engine.methods.integrators.first_order import FirstOrderForm, room_for
from panhead.engine.methods.integrators.table_alpha import alpha_numbers
from panhead.engine.methods.trajectory import Problem, Trajectory
from panhead.errors import Interrupted, NotConverged

if TYPE_CHECKING:
    from panhead.engine.methods.integrators.generalized_alpha import GeneralizedAlpha

_CHUNK = 100  # steps between looks at the clock and the keyboard


@final
class EliminatedMarch:
    """One run: see ``panhead.engine.kernels.alpha_elimination``."""

    def __init__(self, method: GeneralizedAlpha, problem: Problem) -> None:
        self.method, self.problem, self.system = method, problem, problem.system
        self.motion = FirstOrderForm(problem)
        nq, nc, start = self.motion.nq, self.motion.nc, problem.start
        x = np.concatenate([start.q, start.v])
        at_start = self.motion.to_trajectory(np.concatenate([x, np.zeros(3)])[None, :], {})
        a, lam = at_start.a[0], at_start.lam[0]
        power = np.array(self.system.power(float(problem.t[0]), start.q, start.v, a, lam, problem.u[0]))
        self.state = alpha_elimination.EliminatedState(
            x, a.copy(), a.copy(), lam.copy(), power, np.zeros(3), room_for(self.system, problem.formulation),
            np.zeros(nq + nc), np.zeros((nq, nq)), np.zeros((nc, nq)), np.zeros(2 * nq), np.zeros((2, nq)),
            np.zeros(1, np.int64),
        )  # fmt: skip
        self.kept = tuple(np.zeros((len(problem.kept), k)) for k in (2 * nq, nq, nc, 3))
        for rows, first in zip(self.kept, (x, a, lam, np.zeros(3)), strict=True):
            rows[0] = first

    def trajectory(self) -> Trajectory:
        """March to the end."""
        p, total, step = self.problem, len(self.problem.t) - 1, 0
        try:
            while step < total:
                p.progress(step / total, f"t = {p.t[step]:.3g} s")
                status, step = alpha_elimination.march(
                    self.motion.equations, self.state, alpha_numbers(self.method), p.t, p.u, step,
                    min(total, step + _CHUNK), p.every, self.kept,
                )  # fmt: skip
                if status != constrained_acceleration.OK:
                    raise self._failure(status, step)
        except KeyboardInterrupt:
            raise Interrupted(f"interrupted at t = {p.t[step]:.6g} s", partial=self._result(step)) from None
        return self._result(total)

    def _failure(self, status: int, step: int) -> NotConverged:
        t, dt = self.problem.t[step], self.problem.t[step + 1] - self.problem.t[step]
        partial = self._result(step)
        if status == constrained_acceleration.SINGULAR:
            return NotConverged(
                f"the constraints of {self.system.name!r} cannot be solved for the dependent coordinates "
                f"after t = {t:.6g} s. Choose other dependent coordinates.",
                partial=partial,
            )
        worst = self.system.coordinates[int(np.nan_to_num(np.abs(self.state.step[0])).argmax())]
        return NotConverged(
            f"Newton's method did not converge after t = {t:.6g} s (dt = {dt:.3g} s) within "
            f"{self.method.max_iterations} iterations; largest change in {worst}. Halve dt.",
            partial=partial,
        )

    def _result(self, step: int) -> Trajectory:
        n, nq = step // self.problem.every + 1, self.motion.nq
        x, a, lam, work = (rows[:n] for rows in self.kept)
        notes = {"iterations": float(self.state.iterations[0])}
        seen = self.motion.to_trajectory(np.hstack([x, work]), notes)
        return Trajectory(
            t=seen.t, q=x[:, :nq], v=x[:, nq:], a=a, lam=lam, u=seen.u, work=work, g=seen.g, g_dot=seen.g_dot,
            notes=notes,
        )  # fmt: skip
