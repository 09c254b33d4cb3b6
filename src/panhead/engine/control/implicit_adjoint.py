"""The discrete adjoint of the generalized-α method: the transposed Newton matrix, step by step.

The step and its algebra are in ``panhead.engine.methods.alpha_adjoint``; here are the terms of a cost and the start.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from panhead.engine.kernels.machine_code_calls import call_with_state
from panhead.engine.methods.alpha_adjoint import Instant, backward_step, zero_cotangents
from panhead.engine.methods.formulations import Augmented, Unstabilised
from panhead.engine.methods.integrators.generalized_alpha import GeneralizedAlpha
from panhead.engine.methods.integrators.table_alpha import TabledMarch
from panhead.engine.methods.linear_solvers import saddle_matrix, solver_for
from panhead.engine.methods.trajectory import Problem
from panhead.engine.symbolic.symbolic_system import SymbolicSystem
from panhead.errors import SimulationError

if TYPE_CHECKING:
    from panhead.engine.control.problem import ControlProblem


@final
@dataclass(frozen=True, slots=True)
class AlphaMotion:
    """States of a run at all steps."""

    q: np.ndarray  # (N + 1, nq)
    v: np.ndarray
    a: np.ndarray  # the method's own a
    c: np.ndarray  # accelerations q̈
    lam: np.ndarray  # (N + 1, nc)


def forward(problem: ControlProblem, method: GeneralizedAlpha, u: np.ndarray, system: SymbolicSystem) -> AlphaMotion:
    """March with Newton as tight as round-off allows, keeping every state."""
    run = Problem(
        system=system, start=problem.start, t=problem.t, u=u, formulation=Augmented(), stabilisation=Unstabilised()
    )
    motion = TabledMarch(method, run, system.families).trajectory()
    if motion.notes["rejected"]:
        raise SimulationError(
            f"the forward run of {system.name!r} had to shorten its steps, which is not differentiable; "
            "use a smaller dt",
            partial=motion,
        )
    c, a = method.coefficients, motion.a.copy()
    share = (1 - c.alpha_f) / (1 - c.alpha_m)
    for n in range(problem.steps):
        known = (c.alpha_f * motion.a[n] - c.alpha_m * a[n]) / (1 - c.alpha_m)
        a[n + 1] = known + share * motion.a[n + 1]
    return AlphaMotion(motion.q, motion.v, a, motion.a, motion.lam)


def outputs(problem: ControlProblem, motion: AlphaMotion, u: np.ndarray, values: np.ndarray) -> np.ndarray:
    """y − r of every term at every grid point, (N + 1, ny)."""
    y, code, nothing = (np.zeros((problem.steps + 1, len(problem.terms))), problem.functions(values), np.zeros(0))
    for n, t in enumerate(problem.t):
        x = np.concatenate([motion.q[n], motion.v[n]])
        call_with_state(code.outputs, code.inputs, t, x, u[n], code.p, motion.c[n], motion.lam[n], nothing, y[n])
    return y


def backward(
    problem: ControlProblem,
    method: GeneralizedAlpha,
    motion: AlphaMotion,
    u: np.ndarray,
    system: SymbolicSystem,
    y_bar: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """ū (N + 1, nu), p̄ of the chosen parameters and x̄₀."""
    sweep = _AdjointSweep(problem, method, motion, u, system, y_bar)
    for n in range(problem.steps, 0, -1):
        sweep.step(n)
    return sweep.finish()


@final
class _AdjointSweep:
    """Adjoints of the state at the current grid point, propagated backwards."""

    def __init__(
        self,
        problem: ControlProblem,
        method: GeneralizedAlpha,
        motion: AlphaMotion,
        u: np.ndarray,
        system: SymbolicSystem,
        y_bar: np.ndarray,
    ) -> None:
        self.problem, self.coefficients, self.motion = problem, method.coefficients, motion
        self.u, self.system, self.y_bar = u, system, y_bar
        nq, nc = problem.nq, problem.nc
        self.bar = zero_cotangents(nq, nc)
        self.u_bar, self.p_bar = np.zeros_like(u), np.zeros(len(problem.parameters))
        values = np.array([system.parameters[name] for name in problem.parameters])
        self.code = problem.functions(values)
        self._add_node(problem.steps)

    def _add_node(self, n: int) -> None:
        """Adjoint of the outputs at grid point n."""
        problem, m = self.problem, self.motion
        nq, nu, chosen = problem.nq, problem.nu, len(problem.parameters)
        back = np.zeros(2 * nq + nu + chosen + nq + problem.nc)
        x = np.concatenate([m.q[n], m.v[n]])
        call_with_state(
            self.code.outputs_back, self.code.inputs, problem.t[n], x, self.u[n], self.code.p, m.c[n], m.lam[n],
            self.y_bar[n], back,
        )  # fmt: skip
        parts = np.split(back, np.cumsum([nq, nq, nu, chosen, nq]))
        for name, part in zip(("q", "v"), parts, strict=False):
            self.bar[name] = self.bar[name] + part
        self.u_bar[n] += parts[2]
        self.p_bar += parts[3]
        self.bar["c"], self.bar["lam"] = self.bar["c"] + parts[4], self.bar["lam"] + parts[5]

    def step(self, n: int) -> None:
        """From grid point n to n − 1."""
        m, dt = self.motion, self.problem.t[n] - self.problem.t[n - 1]
        here = Instant(float(self.problem.t[n]), m.q[n], m.v[n], m.c[n], m.lam[n], self.u[n])
        mu4, mu5, self.bar = backward_step(self.system, self.coefficients, dt, here, self.bar)
        self._add_sources(n, mu4, mu5)
        self._add_node(n - 1)

    def _add_sources(self, n: int, mu4: np.ndarray, mu5: np.ndarray) -> None:
        """ū and p̄ of R₄ and R₅ at grid point n."""
        system, m, t = self.system, self.motion, self.problem.t[n]
        q, v, u = m.q[n], m.v[n], self.u[n]
        if self.problem.nu:
            self.u_bar[n] += system.force_u(t, q, v, u).T @ mu4
        if self.problem.parameters:
            chosen = [list(system.parameters).index(name) for name in self.problem.parameters]
            self.p_bar -= (system.residual_p(t, q, v, m.c[n], m.lam[n], u).T @ mu4)[chosen]
            if self.problem.nc:
                self.p_bar -= (system.constraint_p(t, q).T @ mu5)[chosen]

    def finish(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The start: c₀ = a₀ and lam₀ came from the index-1 equations there."""
        problem, m, bar = self.problem, self.motion, self.bar
        nq, nu = problem.nq, problem.nu
        t, q, v = problem.t[0], m.q[0], m.v[0]
        M, G = self.system.mass(t, q), self.system.constraint_q(t, q)
        S = saddle_matrix(M, G) if problem.nc else M
        w = solver_for(S).solve(np.concatenate([bar["c"] + bar["a"], bar["lam"]]))
        psi = np.zeros(2 * nq + nu + len(problem.parameters))
        call_with_state(
            self.code.psi, self.code.inputs, t, np.concatenate([q, v]), self.u[0], self.code.p, m.c[0], m.lam[0],
            np.concatenate([w, np.zeros(2)]), psi,
        )  # fmt: skip
        self.u_bar[0] += psi[2 * nq : 2 * nq + nu]
        self.p_bar += psi[2 * nq + nu :]
        return self.u_bar, self.p_bar, np.concatenate([bar["q"], bar["v"]]) + psi[: 2 * nq]
