"""Explicit one-step methods with a fixed step: Euler and the classical Runge–Kutta method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from panhead.errors import Interrupted, NotConverged, SimulationError
from panhead.kernels import constrained, explicit
from panhead.methods.formulations import Augmented, Baumgarte, Eliminated, Embedded, Projection
from panhead.methods.integrators.python_path import PythonMarch
from panhead.methods.trajectory import Problem, Trajectory

#: Steps between two looks at the clock, the progress bar and Ctrl-C.
CHUNK = 2000
_REASONS = {
    constrained.SINGULAR: "the equations became singular",
    constrained.NOT_CONVERGED: "the constraints could not be met again",
    constrained.NOT_FINITE: "the motion became infinite or not a number",
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


def kernel_method(problem: Problem, stages: int) -> explicit.Method:
    """The problem's choices as the numbers that kernels read."""
    form = constrained.EMBEDDED
    if isinstance(problem.formulation, Augmented):
        whole = problem.formulation.solver == "saddle"
        form = constrained.SADDLE if whole else constrained.RANGE_SPACE
    chosen = problem.stabilisation
    if isinstance(chosen, Baumgarte):
        return explicit.Method(
            stages, form, explicit.BAUMGARTE, float(chosen.alpha), float(chosen.beta)
        )
    kind = explicit.PROJECTION if isinstance(chosen, Projection) else explicit.NO_STABILISATION
    return explicit.Method(stages, form, kind, 0.0, 0.0)


def _run(problem: Problem, stages: int) -> Trajectory:
    in_python = problem.system.compiled is None or isinstance(problem.formulation, Eliminated)
    march = PythonMarch(problem, stages) if in_python else _KernelMarch(problem, stages)
    total, done, switches = len(problem.t) - 1, 0, 0
    chunk = max(1, CHUNK // problem.every) * problem.every
    try:
        while done < total:
            status, steps, switched = march.advance(done, min(done + chunk, total))
            done, switches = done + steps, switches + switched
            if status != constrained.OK:
                raise _failure(problem, done, status, march.trajectory(done, switches))
            problem.progress(done / total, f"t = {problem.t[done]:.3g} s")
    except KeyboardInterrupt:
        partial = march.trajectory(done, switches)
        raise Interrupted(f"interrupted at t = {problem.t[done]:.6g} s", partial=partial) from None
    return march.trajectory(done, switches)


def _failure(problem: Problem, step: int, status: int, partial: Trajectory) -> SimulationError:
    t, dt = problem.t[step], problem.t[min(step + 1, len(problem.t) - 1)] - problem.t[step]
    worst = ""
    if partial.g.size:
        k = int(np.abs(partial.g[-1]).argmax())
        worst = f"; largest constraint residual there: {problem.system.constraints[k]} = {partial.g[-1, k]:.2e}"
    hint = "Halve the step, or look for a configuration in which constraints depend on one another."
    if isinstance(problem.formulation, Embedded):
        hint = "Halve the step, or use the augmented formulation."
    kind = NotConverged if status == constrained.NOT_CONVERGED else SimulationError
    return kind(
        f"{_REASONS[status]} after t = {t:.6g} s (dt = {dt:.3g} s) in {problem.system.name!r}{worst}. {hint}",
        partial=partial,
    )


class _KernelMarch:
    """Marching by compiled kernels."""

    def __init__(self, problem: Problem, stages: int) -> None:
        self.problem = problem
        self.method = kernel_method(problem, stages)
        self.compiled = problem.system.compiled
        self.nq, self.nc = len(problem.system.coordinates), len(problem.system.constraints)
        self.p = np.array(list(problem.system.parameters.values()))
        self.scratch = explicit.scratch(self.nq, self.nc)
        self.y = np.concatenate([problem.start.q, problem.start.v, np.zeros(3)])
        self.kept = np.empty((len(problem.kept), self.y.size))
        self.kept[0] = self.y

    def advance(self, first: int, last: int) -> tuple[int, int, int]:
        """March from grid point ``first`` to ``last``: status, steps done, switches."""
        every = self.problem.every
        assert self.compiled is not None
        work, a, lam, k = self.scratch
        return explicit.march(
            self.compiled.terms,
            self.compiled.powers,
            self.method,
            self.problem.t[first : last + 1],
            self.y,
            self.problem.u[first : last + 1],
            self.p,
            every,
            self.nc,
            work,
            a,
            lam,
            k,
            self.kept[first // every + 1 : last // every + 1],
        )

    def trajectory(self, done: int, switches: int) -> Trajectory:
        """What has been computed up to grid point ``done``."""
        n = done // self.problem.every + 1
        states = self.kept[:n]
        x, work = states[:, : 2 * self.nq].copy(), states[:, 2 * self.nq :].copy()
        return observed(self.problem, x, work, {"steps": float(done), "switches": float(switches)})


def observed(
    problem: Problem, x: np.ndarray, work: np.ndarray, notes: dict[str, float]
) -> Trajectory:
    """A Trajectory from states x (n, 2 nq): accelerations, multipliers and residuals are worked out."""
    compiled = problem.system.compiled
    assert compiled is not None
    n, nq, nc = len(x), len(problem.system.coordinates), len(problem.system.constraints)
    t, u = problem.kept[:n], problem.u[:: problem.every][:n]
    a, lam, g, g_dot = np.zeros((n, nq)), np.zeros((n, nc)), np.zeros((n, nc)), np.zeros((n, nc))
    form = kernel_method(problem, 4).form
    p = np.array(list(problem.system.parameters.values()))
    status = explicit.observe(
        compiled.terms,
        form,
        np.ascontiguousarray(t),
        x,
        np.ascontiguousarray(u),
        p,
        nc,
        constrained.workspace(nq, nc),
        a,
        lam,
        g,
        g_dot,
    )
    if status != constrained.OK:
        notes = notes | {"multipliers_unknown_at_the_end": 1.0}
    return Trajectory(
        t=t.copy(),
        q=x[:, :nq].copy(),
        v=x[:, nq:].copy(),
        a=a,
        lam=lam,
        u=u.copy(),
        work=work,
        g=g,
        g_dot=g_dot,
        notes=notes,
    )
