"""The generalized-α method for constrained systems of index 3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np

from panhead.errors import Interrupted, ModelError, NotConverged, require_positive
from panhead.laws.generalized_alpha import coefficients
from panhead.methods.formulations import Augmented, Baumgarte, Eliminated
from panhead.methods.integrators.eliminated_alpha import EliminatedMarch
from panhead.methods.integrators.python_path import accelerations
from panhead.methods.integrators.tabled_alpha import TabledMarch
from panhead.methods.linear_solvers import (
    DenseLU,
    LinearSolver,
    SingularMatrix,
    saddle_matrix,
    solver_for,
)
from panhead.methods.trajectory import Problem, Trajectory
from panhead.system import Matrix, Vector

#: A factor is kept while each Newton step is at most this share of the one before.
FAST_ENOUGH = 0.2


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralizedAlpha:
    """Second order, with numerical damping ρ of the highest frequencies        [Arnold07].

        q₁ = q₀ + dt v₀ + dt² ((½ − β) a₀ + β a₁),   v₁ = v₀ + dt ((1 − γ) a₀ + γ a₁)
        (1 − α_m) a₁ + α_m a₀ = (1 − α_f) q̈₁ + α_f q̈₀
        M q̈₁ + g_qᵀ lam₁ = f(t₁, q₁, v₁),   g(t₁, q₁) = 0

    Positions satisfy the constraints exactly. Equations are scaled with β dt², so that the matrix stays
    well conditioned for small steps. The factor is kept while Newton converges fast with it.
    """

    order: ClassVar[int] = 2

    spectral_radius: float = 0.9  #: ρ at infinite frequency, 0 … 1
    tolerance: float = 1e-10  #: of a Newton step [m, rad]
    max_iterations: int = 12
    fast_enough: float = (
        FAST_ENOUGH  #: a factor is kept while each Newton step is this share of the last
    )
    factor: Literal["each step", "while it serves"] = "each step"
    """Wires gain by keeping a factor over many steps; mechanisms near singular positions need fresh ones."""
    rates: Literal["free", "projected"] = (
        "free"  #: whether ġ is brought to zero after every step (index 2)
    )
    local_error: float | None = (
        None  #: of positions in a step [m, rad]; None: the steps of the grid
    )

    def __post_init__(self) -> None:
        require_positive(self, "tolerance", "max_iterations")
        if not 0.0 <= self.spectral_radius <= 1.0:
            raise ModelError(
                f"GeneralizedAlpha: spectral_radius must be 0 … 1, got {self.spectral_radius!r}"
            )

    @property
    def coefficients(self) -> Coefficients:
        """α_m, α_f, γ and β from the spectral radius."""
        return Coefficients.of(self.spectral_radius)

    def run(self, problem: Problem) -> Trajectory:
        """March over the grid of the problem."""
        if isinstance(problem.formulation, Eliminated):
            return EliminatedMarch(self, problem).trajectory()
        if problem.formulation != Augmented() or isinstance(problem.stabilisation, Baumgarte):
            raise ModelError(
                "the generalized-α method meets the constraints itself: use it with the augmented "
                "saddle formulation and without Baumgarte's stabilisation"
            )
        if problem.system.families is not None:
            return TabledMarch(self, problem, problem.system.families).trajectory()
        if self.rates != "free" or self.local_error is not None:
            raise ModelError(
                "projected rates and steps chosen by their error are offered for models of bodies and joints; "
                "for a symbolic mechanism leave rates and local_error alone"
            )
        return March(self, problem).trajectory()


@final
@dataclass(frozen=True, slots=True)
class Coefficients:
    """The method's numbers, from the spectral radius."""

    alpha_m: float
    alpha_f: float
    gamma: float
    beta: float

    @staticmethod
    def of(rho: float) -> Coefficients:
        return Coefficients(*coefficients(rho))


@final
class March:
    """The state of one run: q, v, the method's a, the true acceleration and the multipliers."""

    def __init__(self, method: GeneralizedAlpha, problem: Problem) -> None:
        self.method, self.problem, self.system = method, problem, problem.system
        self.c = method.coefficients
        self.nq, self.nc = len(self.system.coordinates), len(self.system.constraints)
        _ = self.system.compiled  # compile first, where it can be
        t, u = float(problem.t[0]), problem.u[0]
        self.q, self.v = np.array(problem.start.q, float), np.array(problem.start.v, float)
        self.acceleration, self.lam = accelerations(self.system, t, self.q, self.v, u)
        self.a = self.acceleration.copy()
        self.work = np.zeros(3)
        self.power = np.array(self.system.power(t, self.q, self.v, self.acceleration, self.lam, u))
        self.solver: LinearSolver = DenseLU()
        self.solver_dt, self.stale = 0.0, True
        self.iterations = self.factors = 0
        self.kept = [self._record(t)]

    def trajectory(self) -> Trajectory:
        """March to the end."""
        total = len(self.problem.t) - 1
        step = 0
        try:
            for step in range(total):
                self.step(step)
                if (step + 1) % self.problem.every == 0:
                    self.kept.append(self._record(float(self.problem.t[step + 1])))
                if step % 200 == 0:
                    self.problem.progress(step / total, f"t = {self.problem.t[step]:.3g} s")
        except KeyboardInterrupt:
            raise Interrupted(
                f"interrupted at t = {self.problem.t[step]:.6g} s", partial=self._result()
            ) from None
        except SingularMatrix as error:
            raise NotConverged(
                f"the equations of {self.system.name!r} became singular after t = "
                f"{self.problem.t[step]:.6g} s ({error}).",
                partial=self._result(),
            ) from None
        return self._result()

    def step(self, step: int) -> None:
        t0, t, u = (
            float(self.problem.t[step]),
            float(self.problem.t[step + 1]),
            self.problem.u[step + 1],
        )
        dt, c = t - t0, self.c
        q = self.q + dt * self.v + dt * dt * (0.5 - c.beta) * self.a
        v = self.v + dt * (1 - c.gamma) * self.a
        known = (c.alpha_f * self.acceleration - c.alpha_m * self.a) / (1 - c.alpha_m)
        # start from an acceleration that does not change
        share = (1 - c.alpha_f) / (1 - c.alpha_m)
        acceleration, lam = self.acceleration.copy(), self.lam.copy()
        a = known + share * acceleration
        q, v = q + dt * dt * c.beta * a, v + dt * c.gamma * a
        q, v, acceleration, lam = self._newton(t, dt, u, q, v, acceleration, lam, share)
        self.a = known + share * acceleration
        self.q, self.v, self.acceleration, self.lam = q, v, acceleration, lam
        power = np.array(self.system.power(t, q, v, acceleration, lam, u))
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
        lam: Vector,
        share: float,
    ) -> tuple[Vector, Vector, Vector, Vector]:
        """Newton on (Δq, β dt² Δlam). The old factor serves while each step is a fifth of the one before."""
        c, nq = self.c, self.nq
        scale, last = c.beta * dt * dt, np.inf
        for _ in range(self.method.max_iterations):
            r = self._residual(t, q, v, acceleration, lam, u, scale)
            if self.stale or abs(dt - self.solver_dt) > 1e-9 * dt:
                self._factor(t, dt, q, v, acceleration, lam, u, share)
            step = self.solver.solve(r)
            dq = step[:nq]
            q, v = q + dq, v + c.gamma / (c.beta * dt) * dq
            acceleration, lam = acceleration + dq / (scale * share), lam + step[nq:] / scale
            self.iterations += 1
            size = float(np.abs(dq).max())
            if not np.isfinite(size):
                break
            contraction = size / last
            # the error still to come, once two steps have shown how fast they shrink
            left = size * contraction / (1 - contraction) if 0 < contraction < 1 else size
            if min(size, left) <= self.method.tolerance:
                return q, v, acceleration, lam
            self.stale = contraction > FAST_ENOUGH
            last = size
        self.stale = True
        raise self._failure(t, dt, r)

    def _residual(
        self, t: float, q: Vector, v: Vector, a: Vector, lam: Vector, u: Vector, scale: float
    ) -> Vector:
        r = self.system.force(t, q, v, u) - self.system.mass(t, q) @ a
        if self.nc == 0:
            return scale * r
        return np.concatenate(
            [scale * (r - self.system.constraint_q(t, q).T @ lam), -self.system.constraint(t, q)]
        )

    def _factor(
        self,
        t: float,
        dt: float,
        q: Vector,
        v: Vector,
        a: Vector,
        lam: Vector,
        u: Vector,
        share: float,
    ) -> None:
        """[[M / share + γ dt C + β dt² K, g_qᵀ], [g_q, 0]] with K, C the tangents of the residual."""
        c, system = self.c, self.system
        K = system.inertia_q(t, q, a) - system.force_q(t, q, v, u)
        A: Matrix = system.mass(t, q) / share - c.gamma * dt * system.force_v(t, q, v, u)
        if self.nc:
            K = K + system.reaction_q(t, q, lam)
            A = saddle_matrix(A + c.beta * dt * dt * K, system.constraint_q(t, q))
        else:
            A = A + c.beta * dt * dt * K
        self.solver, self.solver_dt, self.stale = solver_for(A), dt, False
        self.factors += 1

    def _failure(self, t: float, dt: float, r: Vector) -> NotConverged:
        names = (*self.system.coordinates, *self.system.constraints)
        worst = int(np.abs(np.nan_to_num(r, nan=np.inf)).argmax())
        return NotConverged(
            f"Newton stopped at t = {t:.6g} s (dt = {dt:.3g} s) after {self.method.max_iterations} iterations; largest "
            f"residual in {names[worst]}. Halve dt, or look at that part first.",
            partial=self._result(),
        )

    def _record(self, t: float) -> tuple[Vector, ...]:
        rate = (
            self.system.constraint_q(t, self.q) @ self.v + self.system.constraint_t(t, self.q)
            if self.nc
            else np.zeros(0)
        )
        return (
            self.q,
            self.v,
            self.acceleration,
            self.lam,
            self.work,
            self.system.constraint(t, self.q),
            rate,
        )

    def _result(self) -> Trajectory:
        q, v, a, lam, work, g, g_dot = (np.array([k[i] for k in self.kept]) for i in range(7))
        n = len(q)
        notes = {"iterations": float(self.iterations), "factorisations": float(self.factors)}
        return Trajectory(
            t=self.problem.kept[:n].copy(),
            q=q,
            v=v,
            a=a,
            lam=lam,
            u=self.problem.u[:: self.problem.every][:n].copy(),
            work=work,
            g=g,
            g_dot=g_dot,
            notes=notes,
        )
