"""Direct transcription of the discrete control problem for IPOPT: an independent check of the optimum.

States at every grid point and controls are unknowns; each step of the integrator is an equality. CasADi
supplies first and second derivatives, so nothing of the adjoint is used.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from panhead.engine.control.problem import ControlProblem, named_expression
from panhead.engine.control.variables import Shape
from panhead.errors import ModelError, NotConverged


def direct(problem: ControlProblem, shape: Shape | None = None, *, iterations: int = 200) -> tuple[np.ndarray, float]:
    """Controls on the grid (N + 1, nu) and their cost, by IPOPT on the multiple-shooting problem."""
    shape = shape or Shape()
    if problem.parameters:
        raise ModelError("direct transcription optimises controls only; remove the parameters")
    if problem.implicit is not None:
        raise ModelError("direct transcription supports the Runge–Kutta and Euler methods, not generalized-α")
    if shape.knots is not None:
        raise ModelError("direct transcription has one control value per grid point; remove the knots")
    N, m, nu = problem.steps, 2 * problem.nq, problem.nu
    step, y = _step(problem), _outputs(problem)
    X, U = ca.MX.sym("X", m, N + 1), ca.MX.sym("U", nu, N + 1)
    t, dt = ca.DM(problem.t[:-1]).T, ca.DM(np.diff(problem.t)).T
    defects = X[:, 1:] - step.map(N)(t, dt, X[:, :-1], U[:, :-1], U[:, 1:])
    Y = y.map(N + 1)(ca.DM(problem.t).T, X, U)
    unknowns = ca.veccat(X, U)
    nlp = {"x": unknowns, "f": _cost(problem, Y), "g": ca.vec(defects)}
    quiet: dict[str, Any] = {"ipopt.print_level": 0, "print_time": 0, "ipopt.sb": "yes", "ipopt.max_iter": iterations}
    solver = ca.nlpsol("transcription", "ipopt", nlp, quiet)
    x0 = np.concatenate([problem.start.q, problem.start.v])
    guess, low, high = _bounds(problem, shape, x0)
    found = solver(x0=guess, lbx=low, ubx=high, lbg=0, ubg=0)
    if not solver.stats()["success"]:
        raise NotConverged(f"IPOPT stopped: {solver.stats()['return_status']}; allow more iterations")
    u = np.array(found["x"]).ravel()[m * (N + 1) :].reshape(N + 1, nu)
    return u, float(found["f"])


def _rates(problem: ControlProblem) -> tuple[Any, list[Any]]:
    """a and lam as expressions, the saddle matrix solved symbolically, with Baumgarte's terms."""
    d, nc = problem.system.derivation, problem.nc
    alpha, beta = problem.ab
    gamma = d.Q_d - 2 * alpha * (d.C_q @ d.v + d.C_t) - beta**2 * d.C
    A = ca.vertcat(ca.horzcat(d.M, d.C_q.T), ca.horzcat(d.C_q, ca.SX(nc, nc)))
    z = ca.solve(A, ca.vertcat(d.f, gamma))
    z = ca.substitute(z, d.p, ca.DM(problem.system.p))
    return z, [d.t, ca.vertcat(d.q, d.v), d.u]


def _step(problem: ControlProblem) -> Any:
    """One step of the problem's integrator: (t, dt, x, u₀, u₁) → x₁."""
    d = problem.system.derivation
    z, symbols = _rates(problem)
    f = ca.Function("f", symbols, [ca.vertcat(d.v, z[: problem.nq])])
    t, dt = ca.SX.sym("t"), ca.SX.sym("dt")
    x, u0, u1 = (ca.SX.sym("x", 2 * problem.nq), ca.SX.sym("u0", problem.nu), ca.SX.sym("u1", problem.nu))
    k1 = f(t, x, u0)
    if problem.stages == 1:
        return ca.Function("step", [t, dt, x, u0, u1], [x + dt * k1])
    k2 = f(t + dt / 2, x + dt / 2 * k1, (u0 + u1) / 2)
    k3 = f(t + dt / 2, x + dt / 2 * k2, (u0 + u1) / 2)
    k4 = f(t + dt, x + dt * k3, u1)
    return ca.Function("step", [t, dt, x, u0, u1], [x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)])


def _outputs(problem: ControlProblem) -> Any:
    """(t, x, u) → deviations y − r of all terms."""
    d = problem.system.derivation
    z, symbols = _rates(problem)
    rows = [
        ca.SX(named_expression(problem.system, term.of)) - (0.0 if term.mean_free else term.reference)
        for term in problem.terms
    ]
    y = ca.substitute(ca.vertcat(*rows), d.p, ca.DM(problem.system.p))
    y = ca.substitute(y, ca.vertcat(d.a, d.lam), z)
    return ca.Function("y", symbols, [y])


def _cost(problem: ControlProblem, Y: Any) -> Any:
    w = problem.weights
    time = ca.DM(w.time).T
    J = 0
    for i, free in enumerate(w.mean_free):
        d = Y[i, :] - (ca.sum2(time * Y[i, :]) / w.time.sum() if free else 0.0)
        J += 0.5 * w.running[i] * ca.sum2(time * d**2) + 0.5 * w.end[i] * d[-1] ** 2
    return J


def _bounds(problem: ControlProblem, shape: Shape, x0: np.ndarray) -> tuple[np.ndarray, ...]:
    """Initial guess that stays at the initial state, and bounds that fix the initial state and limit the controls."""
    n = problem.steps + 1
    rest = np.clip(np.zeros(n * problem.nu), shape.low, shape.high)
    guess = np.concatenate([np.tile(x0, n), rest])
    low, high = np.full(guess.size, -np.inf), np.full(guess.size, np.inf)
    low[: x0.size], high[: x0.size] = x0, x0
    low[n * x0.size :], high[n * x0.size :] = shape.low, shape.high
    return guess, low, high
