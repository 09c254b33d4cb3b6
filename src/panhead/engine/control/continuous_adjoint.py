"""Continuous adjoint, discretised after differentiation        [Pappalardo20, eqs (27), (41)–(43)].

    ẏ = −A_cᵀ y − φ_cᵀ,   y(T) = η_cᵀ,   gradient density  B_cᵀ y + ψ_cᵀ

is integrated backwards along the stored states by Euler's rule, eq. (41), of first order, or by Runge–Kutta, eqs (42)
and (43) with the factor Δt that the printed stages lack, states averaged between grid points. It is the gradient of
the continuous problem up to the error of the grid; the discrete adjoint is the gradient of what is actually computed.
Both are kept to be compared.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from panhead.engine.control.problem import ControlProblem
from panhead.engine.kernels import explicit_adjoint
from panhead.engine.kernels.machine_code_calls import call_with_state
from panhead.errors import ModelError


def continuous_gradient(
    problem: ControlProblem, u: np.ndarray, rule: Literal["euler", "runge-kutta"] = "runge-kutta"
) -> np.ndarray:
    """∂J/∂u on the grid (N + 1, nu) by the continuous adjoint."""
    if problem.implicit is not None:
        raise ModelError("the continuous adjoint supports only the Runge–Kutta and Euler methods")
    u = np.ascontiguousarray(u, dtype=float).reshape(problem.steps + 1, problem.nu)
    backward = _BackwardRates(problem, u)
    x = backward.states()
    y = backward.end(x[-1])
    density = np.zeros_like(u)
    density[-1] = backward.rate(problem.t[-1], x[-1], u[-1], y)[1]
    back = backward.euler if rule == "euler" else backward.runge_kutta
    for n in range(problem.steps, 0, -1):
        y = back(x, n, y)
        density[n - 1] = backward.rate(problem.t[n - 1], x[n - 1], u[n - 1], y)[1]
    return density * problem.weights.time[:, None]


class _BackwardRates:
    """−ẏ and the gradient density at one state."""

    def __init__(self, problem: ControlProblem, u: np.ndarray) -> None:
        self.problem, self.u = problem, u
        self.scratch, self.tape = problem.scratch()
        self.a, self.lam = np.zeros(problem.nq), np.zeros(problem.nc)
        self.code = problem.functions()
        run = problem.evaluate(u)
        self.mean = np.where(problem.weights.mean_free, problem.weights.time @ run.y / problem.weights.time.sum(), 0.0)

    def states(self) -> np.ndarray:
        """States on the grid, (N + 1, 2 nq)."""
        problem, tape = self.problem, self.tape
        x = np.concatenate([problem.start.q, problem.start.v])
        kept = [x.copy()]
        for n in range(problem.steps):
            dt = problem.t[n + 1] - problem.t[n]
            explicit_adjoint.step(
                self.code, problem.t[n], dt, x, self.u, n, problem.ab, self.scratch, tape.x[0], tape.a[0], tape.lam[0]
            )
            kept.append(x.copy())
        return np.array(kept)

    def euler(self, x: np.ndarray, n: int, y: np.ndarray) -> np.ndarray:
        """y a step before grid point n, eq. (41)."""
        t = self.problem.t
        return np.asarray(y + (t[n] - t[n - 1]) * self.rate(t[n], x[n], self.u[n], y)[0])

    def runge_kutta(self, x: np.ndarray, n: int, y: np.ndarray) -> np.ndarray:
        """y a step before grid point n, eqs (42), (43)."""
        u, t, dt = self.u, self.problem.t[n], self.problem.t[n] - self.problem.t[n - 1]
        middle, u_middle = (x[n] + x[n - 1]) / 2, (u[n] + u[n - 1]) / 2
        k1 = self.rate(t, x[n], u[n], y)[0]
        k2 = self.rate(t - dt / 2, middle, u_middle, y + dt / 2 * k1)[0]
        k3 = self.rate(t - dt / 2, middle, u_middle, y + dt / 2 * k2)[0]
        k4 = self.rate(t - dt, x[n - 1], u[n - 1], y + dt * k3)[0]
        return np.asarray(y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4))

    def end(self, x: np.ndarray) -> np.ndarray:
        """y(T): the gradient of the terminal cost."""
        return self._pull(self.problem.t[-1], x, self.u[-1], np.zeros(x.size), self.problem.weights.end)[0]

    def rate(self, t: float, x: np.ndarray, u: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A_cᵀ y + φ_cᵀ and B_cᵀ y + ψ_cᵀ."""
        return self._pull(t, x, u, y, self.problem.weights.running)

    def _pull(
        self, t: float, x: np.ndarray, u: np.ndarray, y: np.ndarray, weight: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        problem, s = self.problem, self.scratch
        m, nu, nq = 2 * problem.nq, problem.nu, problem.nq
        explicit_adjoint.solve_state(self.code, t, x, u, problem.ab, s.work, self.a, self.lam)
        deviation = np.zeros(len(problem.terms))
        call_with_state(
            self.code.outputs, self.code.inputs, t, x, u, self.code.p, self.a, self.lam, np.zeros(0), deviation
        )  # fmt: skip
        explicit_adjoint.output_adjoint(self.code, t, x, u, self.a, self.lam, weight * (deviation - self.mean), s)
        i = m + nu + len(problem.parameters)
        explicit_adjoint.state_adjoint(
            self.code, t, x, u, problem.ab, self.a, self.lam, y, s.back[i : i + nq].copy(), s.back[i + nq :].copy(), s
        )
        total = s.psi + s.back[:i]
        return total[:m].copy(), total[m : m + nu].copy()
