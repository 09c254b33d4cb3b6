"""Generalized-α steps with the multipliers and the dependent coordinates put out of every step's equations."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import numpy as np

from panhead.errors import Interrupted, NotConverged
from panhead.methods.formulations import Eliminated
from panhead.methods.integrators.elimination import Elimination
from panhead.methods.linear_solvers import SingularMatrix
from panhead.methods.trajectory import Problem, Trajectory
from panhead.system import Vector

if TYPE_CHECKING:
    from panhead.methods.integrators.generalized_alpha import GeneralizedAlpha


@final
class EliminatedMarch:
    """Zᵀ (M q̈₁ − f(t₁, q₁, v₁)) = 0 for the independent coordinates; the dependent ones follow from g(t₁, q₁) = 0.

    v₁ and q̈₁ are the method's functions of q₁ for every coordinate, so that the steps are those of the augmented
    form: Zᵀ g_qᵀ = 0 takes the reactions out, lam₁ = G_w⁻ᵀ (f − M q̈₁)_w gives them back.
    """

    def __init__(self, method: GeneralizedAlpha, problem: Problem) -> None:
        assert isinstance(problem.formulation, Eliminated)
        self.method, self.problem, self.system = method, problem, problem.system
        self.c = method.coefficients
        self.split = Elimination(problem.system, problem.formulation.dependent)
        t, u = float(problem.t[0]), problem.u[0]
        self.q, self.v = np.array(problem.start.q, float), np.array(problem.start.v, float)
        self.acceleration, self.lam = self.split.accelerations(t, self.q, self.v, u)
        self.a = self.acceleration.copy()
        self.work = np.zeros(3)
        self.power = np.array(self.system.power(t, self.q, self.v, self.acceleration, self.lam, u))
        self.iterations = 0
        self.kept = [self._record(t)]

    def trajectory(self) -> Trajectory:
        """March to the end."""
        grid, step = self.problem.t, 0
        try:
            for step in range(len(grid) - 1):
                self._step(float(grid[step]), float(grid[step + 1]), self.problem.u[step + 1])
                if (step + 1) % self.problem.every == 0:
                    self.kept.append(self._record(float(grid[step + 1])))
                if step % 200 == 0:
                    self.problem.progress(step / (len(grid) - 1), f"t = {grid[step]:.3g} s")
        except KeyboardInterrupt:
            raise Interrupted(
                f"interrupted at t = {grid[step]:.6g} s", partial=self._result()
            ) from None
        except (SingularMatrix, np.linalg.LinAlgError) as error:
            raise NotConverged(
                f"{self.system.name!r} cannot be reduced after t = {grid[step]:.6g} s ({error}). "
                "Choose other dependent coordinates.",
                partial=self._result(),
            ) from None
        return self._result()

    def _step(self, t0: float, t: float, u: Vector) -> None:
        dt, c = t - t0, self.c
        known = (c.alpha_f * self.acceleration - c.alpha_m * self.a) / (1 - c.alpha_m)
        share = (1 - c.alpha_f) / (1 - c.alpha_m)
        a = known + share * self.acceleration
        q = self.q + dt * self.v + dt * dt * ((0.5 - c.beta) * self.a + c.beta * a)
        v = self.v + dt * ((1 - c.gamma) * self.a + c.gamma * a)
        q, v, acceleration = self._newton(t, dt, u, q, v, self.acceleration.copy(), share)
        self.a = known + share * acceleration
        self.q, self.v, self.acceleration = q, v, acceleration
        power = np.array(self.system.power(t, q, v, acceleration, self.lam, u))
        self.work = self.work + dt * (self.power + power) / 2
        self.power = power

    def _newton(
        self,
        t: float,
        dt: float,
        u: Vector,
        q: Vector,
        v: Vector,
        acceleration: Vector,
        share: float,
    ) -> tuple[Vector, Vector, Vector]:
        """Newton on the independent coordinates; the dependent ones are settled after each of its steps."""
        c, system, split = self.c, self.system, self.split
        scale = c.beta * dt * dt
        change = split.settled(t, q) - q
        for _ in range(self.method.max_iterations):
            q, v = q + change, v + c.gamma / (c.beta * dt) * change
            acceleration = acceleration + change / (scale * share)
            G = split.terms.jacobian(t, q)
            ratio, G_w = split.divided(G)
            left = -split.terms.residual(t, q, v, acceleration, split.terms.no_lam, u)[0]
            self.lam = np.linalg.solve(G_w.T, left[split.w])
            weights = (1 / share, c.gamma * dt, scale)
            A, _ = split.terms.tangent(weights, t, q, v, acceleration, self.lam, u)
            right = scale * (left[split.u] - ratio.T @ left[split.w])
            moved = q.copy()
            moved[split.u] += np.linalg.solve(split.reduced(A, ratio), right)
            moved[split.w] -= ratio @ (moved - q)[split.u]
            change = split.settled(t, moved) - q
            self.iterations += 1
            if not np.isfinite(change).all():
                break
            if np.abs(change).max() <= self.method.tolerance:
                return (
                    q + change,
                    v + c.gamma / (c.beta * dt) * change,
                    acceleration + change / (scale * share),
                )
        raise NotConverged(
            f"Newton stopped at t = {t:.6g} s (dt = {dt:.3g} s) after {self.method.max_iterations} iterations; "
            f"largest change in {system.coordinates[int(np.nanargmax(np.abs(change)))]}. Halve dt.",
            partial=self._result(),
        )

    def _record(self, t: float) -> tuple[Vector, ...]:
        system, q = self.system, self.q
        rate = system.constraint_q(t, q) @ self.v + system.constraint_t(t, q)
        g = system.constraint(t, q)
        return q, self.v, self.acceleration, self.lam, self.work, g, rate

    def _result(self) -> Trajectory:
        q, v, a, lam, work, g, g_dot = (np.array([k[i] for k in self.kept]) for i in range(7))
        return Trajectory(
            t=self.problem.kept[: len(q)].copy(),
            q=q,
            v=v,
            a=a,
            lam=lam,
            u=self.problem.u[:: self.problem.every][: len(q)].copy(),
            work=work,
            g=g,
            g_dot=g_dot,
            notes={"iterations": float(self.iterations)},
        )
