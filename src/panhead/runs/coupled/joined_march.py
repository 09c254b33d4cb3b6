"""Generalized-α integration of the monolithic line–pantograph system, independent of the compiled march."""

from __future__ import annotations

from typing import final

import numpy as np

from panhead.engine.methods.accelerations import accelerations
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.linear_solvers import LinearSolver, SingularMatrix, saddle_matrix, solver_for
from panhead.engine.methods.trajectory import State
from panhead.engine.system import Matrix, Vector
from panhead.errors import NotConverged
from panhead.runs.coupled.joined_system import JoinedSystem


@final
class JoinedMarch:
    """State of one run: q, v, the method's a, the true acceleration, multipliers, works since the start."""

    def __init__(self, method: GeneralizedAlpha, system: JoinedSystem, start: State, u: Vector) -> None:
        self.method, self.system, self.c = method, system, method.coefficients
        self.nq, self.nc = len(system.coordinates), len(system.constraints)
        self.t = float(start.t)
        self.q, self.v = np.array(start.q, float), np.array(start.v, float)
        self.acceleration, self.lam = accelerations(system, self.t, self.q, self.v, u)
        self.a = self.acceleration.copy()
        self.solver: LinearSolver | None = None
        self.solver_dt = 0.0
        self.work = np.zeros(3)
        self.power = np.array(system.power(self.t, self.q, self.v, self.a, self.lam, u))

    def step(self, t: float, u: Vector) -> None:
        """Advance to the time t [s] with controls u."""
        dt, c = t - self.t, self.c
        known = (c.alpha_f * self.acceleration - c.alpha_m * self.a) / (1 - c.alpha_m)
        share = (1 - c.alpha_f) / (1 - c.alpha_m)
        # start from an acceleration that does not change
        a = known + share * self.acceleration
        q = self.q + dt * self.v + dt * dt * ((0.5 - c.beta) * self.a + c.beta * a)
        v = self.v + dt * ((1 - c.gamma) * self.a + c.gamma * a)
        try:
            q, v, acceleration, lam = self._newton(t, dt, u, q, v, share)
        except SingularMatrix as error:
            raise NotConverged(
                f"the equations of {self.system.name!r} became singular after t = {self.t:.6g} s ({error}). Check its "
                "constraints."
            ) from None
        self.a = known + share * acceleration
        self.t, self.q, self.v, self.acceleration, self.lam = t, q, v, acceleration, lam
        power = np.array(self.system.power(t, q, v, acceleration, lam, u))
        self.work = self.work + dt * (self.power + power) / 2
        self.power = power

    def _newton(
        self, t: float, dt: float, u: Vector, q: Vector, v: Vector, share: float
    ) -> tuple[Vector, Vector, Vector, Vector]:
        """Newton on (Δq, β dt² Δlam); the factor serves while each step is a fifth of the one before.

        At a kink (a dropper that slackens, a contact that opens) full steps may go to and fro between the two sides:
        a step that is not smaller than the one before is halved.
        """
        c, nq, last = self.c, self.nq, np.inf
        scale, a, lam = c.beta * dt * dt, self.acceleration.copy(), self.lam.copy()
        for _ in range(self.method.max_iterations):
            r = self._residual(t, q, v, a, lam, u, scale)
            if self.solver is None or abs(dt - self.solver_dt) > 1e-9 * dt:
                self.solver = solver_for(self._matrix(t, dt, q, v, a, lam, u, share))
                self.solver_dt = dt
            step = self.solver.solve(r)
            size = float(np.abs(step[:nq]).max())
            if not np.isfinite(size):
                break
            contraction = size / last
            step *= 0.5 if contraction >= 1.0 else 1.0
            dq = step[:nq]
            q, v = q + dq, v + c.gamma / (c.beta * dt) * dq
            a, lam = a + dq / (scale * share), lam + step[nq:] / scale
            # the error still to come, once two steps have shown how fast they shrink
            left = size * contraction / (1 - contraction) if 0 < contraction < 1 else size
            if min(size, left) <= self.method.tolerance:
                return q, v, a, lam
            self.solver = None if contraction > self.method.fast_enough else self.solver
            last = size
        self.solver = None
        names = (*self.system.coordinates, *self.system.constraints)
        worst = names[int(np.abs(np.nan_to_num(r, nan=np.inf)).argmax())]
        raise NotConverged(
            f"Newton iteration did not converge at t = {t:.6g} s (dt = {dt:.3g} s) in {self.method.max_iterations} "
            f"iterations; largest residual in {worst}. Halve dt, or check that part first."
        )

    def _residual(self, t: float, q: Vector, v: Vector, a: Vector, lam: Vector, u: Vector, scale: float) -> Vector:
        system = self.system
        r = system.force(t, q, v, u) - system.mass(t, q) @ a - system.constraint_q(t, q).T @ lam
        return np.concatenate([scale * r, -system.constraint(t, q)])

    def _matrix(
        self, t: float, dt: float, q: Vector, v: Vector, a: Vector, lam: Vector, u: Vector, share: float
    ) -> Matrix:
        """[[M / share + γ dt C + β dt² K, g_qᵀ], [g_q, 0]] with K, C the tangents of the residual."""
        c, s = self.c, self.system
        K = s.inertia_q(t, q, a) - s.force_q(t, q, v, u) + s.reaction_q(t, q, lam)
        A = s.mass(t, q) / share - c.gamma * dt * s.force_v(t, q, v, u) + c.beta * dt * dt * K
        return saddle_matrix(A, s.constraint_q(t, q)) if self.nc else A
