"""Variational midpoint method: keeps momentum exactly and the energy within a narrow band, at long steps too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
import scipy.sparse

from panhead.engine.methods.accelerations import accelerations
from panhead.engine.methods.formulations import Augmented, Baumgarte
from panhead.engine.methods.integrators.generalized_alpha import FAST_ENOUGH
from panhead.engine.methods.linear_solvers import DENSE_UP_TO, LinearSolver, SingularMatrix, saddle_matrix, solver_for
from panhead.engine.methods.trajectory import Problem, Trajectory
from panhead.engine.system import Matrix, System, Vector
from panhead.errors import Interrupted, ModelError, NotConverged, require_positive

_SETTLED = 1e-9  # a Newton step below this that no longer shrinks is rounding
_ALONG = 1e-4  # share of v along which the mass is differentiated: it is quadratic in Euler parameters, so exact


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class VariationalMidpoint:
    """The midpoint rule derived from Hamilton's principle, with constraints at the ends of a step   [Marsden01].

        q_m = (q₀ + q₁) / 2,   v_m = (q₁ − q₀) / dt,   F = ∂L/∂q + Q at (q_m, v_m)
        p₀ = M(q_m) v_m − dt/2 F + G(q₀)ᵀ λ,        g(q₁) = 0
        p₁ = M(q_m) v_m + dt/2 F − G(q₁)ᵀ μ,        G(q₁) v₁ + g_t = 0,   p = M v

    Symplectic and reversible, without numerical damping. Where neither forces nor joints act from outside, the
    linear and the angular momentum are kept to rounding whatever the step, for rigid and floating bodies and beams
    alike; so is the energy of rigid bodies in free flight, while that of other conservative systems oscillates with dt²
    and does not drift. Dampers, applied forces and controls take part at the middle of the step (second order). Sliding
    along wires, contacts with impacts and coordinates without acceleration are refused. Steps are computed in Python:
    10 to 60 ms each.
    """

    order: ClassVar[int] = 2

    tolerance: float = 1e-13  #: of Newton's last step, of the largest coordinate or 1
    max_iterations: int = 30

    def __post_init__(self) -> None:
        require_positive(self, "tolerance", "max_iterations")

    def run(self, problem: Problem) -> Trajectory:
        """March over the grid of the problem."""
        if problem.formulation != Augmented() or isinstance(problem.stabilisation, Baumgarte):
            raise ModelError(
                "VariationalMidpoint enforces the constraints itself: use it with the augmented saddle formulation and "
                "without Baumgarte's stabilisation"
            )
        return _March(self, problem).trajectory()


class _March:
    def __init__(self, method: VariationalMidpoint, problem: Problem) -> None:
        self._method, self._problem, self._system = method, problem, problem.system
        self._dense = len(problem.system.coordinates) + len(problem.system.constraints) <= DENSE_UP_TO
        _require_supported(problem.system, problem)

    def trajectory(self) -> Trajectory:
        problem, t = self._problem, self._problem.t
        q, v = problem.start.q.copy(), problem.start.v.copy()
        p = self._system.mass(t[0], q) @ v
        work, kept, iterations = np.zeros(3), [self._stored(0, q, v, np.zeros(3))], 0
        total = len(t) - 1
        try:
            for k in range(total):
                q, v, p, power, used = self._step(k, q, v, p)
                work, iterations = work + (t[k + 1] - t[k]) * power, iterations + used
                if (k + 1) % problem.every == 0:
                    kept.append(self._stored(k + 1, q, v, work))
                    problem.progress((k + 1) / total, f"t = {t[k + 1]:.3g} s")
        except KeyboardInterrupt:
            partial = _trajectory(kept, iterations, total)
            raise Interrupted(f"interrupted at t = {kept[-1][0]:.6g} s", partial=partial) from None
        except NotConverged as stop:
            raise NotConverged(str(stop), partial=_trajectory(kept, iterations, total)) from None
        return _trajectory(kept, iterations, total)

    def _step(self, k: int, q: Vector, v: Vector, p: Vector) -> tuple[Vector, Vector, Vector, Vector, int]:
        """The state after step k, p there, the mean powers, and how many iterations it took."""
        system, (t, t1) = self._system, self._problem.t[k : k + 2]
        dt, u = t1 - t, (self._problem.u[k] + self._problem.u[k + 1]) / 2
        Gt = system.constraint_q(t, q).T
        nq, ahead, lam, last, solver = len(q), q + dt * v, np.zeros(len(system.constraints)), np.inf, None
        for used in range(1, self._method.max_iterations + 1):
            momentum, force = self._middle(t + dt / 2, (q + ahead) / 2, (ahead - q) / dt, u)
            r = p - momentum + dt / 2 * force - Gt @ lam
            if solver is None:
                solver = self._factors(t, dt, q, ahead, u, Gt)
            x = solver.solve(np.concatenate([r, system.constraint(t1, ahead)]))
            ahead, lam = ahead - x[:nq], lam - x[nq:]
            size = float(np.abs(x[:nq]).max() / max(1.0, np.abs(ahead).max()))
            if not np.isfinite(size):
                break
            if size < self._method.tolerance or (size < _SETTLED and size > 0.5 * last):
                return *self._finish(t, t1, q, ahead, u), used
            if size > FAST_ENOUGH * last or last == np.inf:
                solver = None
            last = size
        raise self._failure(t, dt, f"Newton's method stopped at {last:.1e}")

    def _middle(self, t: float, q: Vector, v: Vector, u: Vector) -> tuple[Vector, Vector]:
        """M v and F = f + Ṁ v, since M v̇ = ∂L/∂q + Q − Ṁ v."""
        system = self._system
        return system.mass(t, q) @ v, system.force(t, q, v, u) + system.inertia_q(t, q, v) @ v

    def _factors(self, t: float, dt: float, q: Vector, ahead: Vector, u: Vector, Gt: Matrix) -> LinearSolver:
        """[[∂(dt/2 F − M v)/∂q₁, −G₀ᵀ], [G₁, 0]] factorised; second derivatives of M are left out."""
        system, half, m, v = self._system, t + dt / 2, (q + ahead) / 2, (ahead - q) / dt
        B, e = system.inertia_q(half, m, v), _ALONG * v
        rate = (system.mass(half, m + e) - system.mass(half, m - e)) / (2 * _ALONG)  # Ṁ
        F_v = system.force_v(half, m, v, u) + B + rate
        A = -B / 2 - system.mass(half, m) / dt + dt / 4 * system.force_q(half, m, v, u) + F_v / 2
        try:
            return solver_for(self._bordered(A, Gt, system.constraint_q(t + dt, ahead)))
        except SingularMatrix:
            raise self._failure(t, dt, "the equations are singular") from None

    def _finish(
        self, t: float, t1: float, q: Vector, ahead: Vector, u: Vector
    ) -> tuple[Vector, Vector, Vector, Vector]:
        """q₁, v₁, p₁ and the powers at the middle."""
        system, dt = self._system, t1 - t
        half, mean, rate = t + dt / 2, (q + ahead) / 2, (ahead - q) / dt
        momentum, force = self._middle(half, mean, rate, u)
        M, G = system.mass(t1, ahead), system.constraint_q(t1, ahead)
        b = np.concatenate([momentum + dt / 2 * force, -system.constraint_t(t1, ahead)])
        v = solver_for(saddle_matrix(M, G) if G.shape[0] else M).solve(b)[: len(q)]
        none = np.zeros(len(system.constraints))
        power = np.array(system.power(half, mean, rate, np.zeros(len(q)), none, u))
        return ahead, v, M @ v, power

    def _bordered(self, A: Matrix, Gt: Matrix, G: Matrix) -> Matrix:
        """[[A, −G₀ᵀ], [G₁, 0]]."""
        if not G.shape[0]:
            return A
        if self._dense:
            A, Gt, G = (x.toarray() if scipy.sparse.issparse(x) else x for x in (A, Gt, G))
            return np.block([[A, -Gt], [G, np.zeros((G.shape[0], G.shape[0]))]])
        return scipy.sparse.block_array([[A, -Gt], [G, None]], format="csc")

    def _stored(self, k: int, q: Vector, v: Vector, work: Vector) -> tuple[Any, ...]:
        system, t, u = self._system, self._problem.t[k], self._problem.u[k]
        a, lam = accelerations(system, t, q, v, u)
        g_dot = system.constraint_q(t, q) @ v + system.constraint_t(t, q)
        return t, q, v, a, lam, u, work, system.constraint(t, q), g_dot

    def _failure(self, t: float, dt: float, why: str) -> NotConverged:
        return NotConverged(
            f"VariationalMidpoint: the step of {dt:g} s at t = {t:.6g} s failed: {why}. Halve the step, or use "
            "GeneralizedAlpha, which damps vibrations that the step cannot resolve."
        )


def _trajectory(kept: list[tuple[Any, ...]], iterations: int, steps: int) -> Trajectory:
    t, q, v, a, lam, u, work, g, g_dot = (np.array(column, dtype=float) for column in zip(*kept, strict=True))
    notes = {"steps": float(steps), "iterations": float(iterations)}
    return Trajectory(t=t, q=q, v=v, a=a, lam=lam, u=u, work=work, g=g, g_dot=g_dot, notes=notes)


def _require_supported(system: System, problem: Problem) -> None:
    start = problem.start
    if system.families.sliders:
        raise ModelError(
            f"VariationalMidpoint does not support sliding along wires ({', '.join(system.families.sliders)} of "
            f"{system.name!r}); use GeneralizedAlpha"
        )
    M, G = (scipy.sparse.csc_array(x) for x in (system.mass(start.t, start.q), system.constraint_q(start.t, start.q)))
    bare = np.flatnonzero((abs(M).sum(axis=0) == 0) & (abs(G).sum(axis=0) == 0))
    if len(bare):
        raise ModelError(
            f"VariationalMidpoint needs inertia: {system.coordinates[int(bare[0])]} of {system.name!r} has an equation "
            "without acceleration; use GeneralizedAlpha"
        )
