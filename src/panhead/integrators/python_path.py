"""Explicit marching of a System that has no compiled terms: the same steps, in Python."""

from __future__ import annotations

from typing import final

import numpy as np

from panhead.equilibrium import projected
from panhead.errors import ModelError, NotConverged
from panhead.formulations import Augmented, Baumgarte, Projection
from panhead.kernels import constrained
from panhead.linear_solvers import SingularMatrix, saddle_matrix, solver_for
from panhead.system import System, Vector
from panhead.trajectory import Problem, State, Trajectory


def accelerations(
    system: System, t: float, q: Vector, v: Vector, u: Vector, stabilisation: object = None
) -> tuple[Vector, Vector]:
    """a and lam of the augmented system                          [Pappalardo20, eq. (14)]"""
    M, f = system.mass(t, q), system.force(t, q, v, u)
    if not system.constraints:
        return solver_for(M).solve(f), np.zeros(0)
    G, gamma = system.constraint_q(t, q), system.constraint_bias(t, q, v)
    if isinstance(stabilisation, Baumgarte):
        rate = G @ v + system.constraint_t(t, q)
        gamma = (
            gamma - 2 * stabilisation.alpha * rate - stabilisation.beta**2 * system.constraint(t, q)
        )
    solution = solver_for(saddle_matrix(M, G)).solve(np.concatenate([f, gamma]))
    return solution[: len(q)], solution[len(q) :]


@final
class PythonMarch:
    """The Python twin of the compiled march, for systems too large or too general to be compiled whole."""

    def __init__(self, problem: Problem, stages: int) -> None:
        if problem.formulation != Augmented():
            raise ModelError(
                f"{problem.system.name!r} has no compiled terms: use the augmented saddle formulation"
            )
        self.problem, self.stages = problem, stages
        self.nq = len(problem.system.coordinates)
        self.y = np.concatenate([problem.start.q, problem.start.v, np.zeros(3)])
        self.kept = [self.y.copy()]

    def _rates(self, t: float, y: Vector, u: Vector) -> Vector:
        q, v = y[: self.nq], y[self.nq : 2 * self.nq]
        a, lam = accelerations(self.problem.system, t, q, v, u, self.problem.stabilisation)
        return np.concatenate([v, a, self.problem.system.power(t, q, v, a, lam, u)])

    def _step(self, step: int) -> Vector:
        t, y, u = self.problem.t[step], self.y, self.problem.u
        dt = self.problem.t[step + 1] - t
        k1 = self._rates(t, y, u[step])
        if self.stages == 1:
            return y + dt * k1
        middle = (u[step] + u[step + 1]) / 2
        k2 = self._rates(t + dt / 2, y + dt / 2 * k1, middle)
        k3 = self._rates(t + dt / 2, y + dt / 2 * k2, middle)
        k4 = self._rates(t + dt, y + dt * k3, u[step + 1])
        return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    def advance(self, first: int, last: int) -> tuple[int, int, int]:
        """March from grid point ``first`` to ``last``: status, steps done, switches."""
        n = 2 * self.nq
        for step in range(first, last):
            try:
                y = self._step(step)
                if isinstance(self.problem.stabilisation, Projection):
                    state = State(t=self.problem.t[step + 1], q=y[: self.nq], v=y[self.nq : n])
                    state = projected(self.problem.system, state)
                    y = np.concatenate([state.q, state.v, y[n:]])
            except SingularMatrix:
                return constrained.SINGULAR, step - first, 0
            except NotConverged:
                return constrained.NOT_CONVERGED, step - first, 0
            if not np.isfinite(y).all():
                return constrained.NOT_FINITE, step - first, 0
            self.y = y
            if (step + 1) % self.problem.every == 0:
                self.kept.append(y.copy())
        return constrained.OK, last - first, 0

    def trajectory(self, done: int, switches: int) -> Trajectory:
        """What has been computed up to grid point ``done``."""
        states = np.array(self.kept[: done // self.problem.every + 1])
        return observed_in_python(
            self.problem, states[:, : 2 * self.nq], states[:, 2 * self.nq :], {"steps": float(done)}
        )


def observed_in_python(
    problem: Problem, x: np.ndarray, work: np.ndarray, notes: dict[str, float]
) -> Trajectory:
    """A Trajectory from states x (n, 2 nq): accelerations, multipliers and residuals are worked out."""
    system, nq = problem.system, len(problem.system.coordinates)
    n = len(x)
    t, u = problem.kept[:n], problem.u[:: problem.every][:n]
    rows = []
    for i in range(n):
        q, v = x[i, :nq], x[i, nq:]
        a, lam = accelerations(system, t[i], q, v, u[i])
        rate = system.constraint_q(t[i], q) @ v + system.constraint_t(t[i], q)
        rows.append((a, lam, system.constraint(t[i], q), rate))
    a, lam, g, g_dot = (np.array([row[k] for row in rows]) for k in range(4))
    return Trajectory(
        t=t.copy(),
        q=x[:, :nq],
        v=x[:, nq:],
        a=a,
        lam=lam,
        u=u.copy(),
        work=work,
        g=g,
        g_dot=g_dot,
        notes=notes,
    )
