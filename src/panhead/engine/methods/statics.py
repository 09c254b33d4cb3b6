"""Newton strategies for static equilibrium: full steps, load steps, step halving, relaxation in time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from panhead.engine.kernels import element_families
from panhead.engine.methods.equilibrium_solver import Attempt, EquilibriumTables
from panhead.engine.methods.linear_solvers import (
    DENSE_UP_TO,
    SingularMatrix,
    dense,
    is_large,
    least_norm,
    least_norm_solver,
    saddle_matrix,
    solver_for,
)
from panhead.engine.system import Matrix, System, Vector
from panhead.errors import NotConverged

_MAX_ITERATIONS = 60  # with step halving
_AT_ONCE = 16  # with full steps, none longer than the first
_SMALLEST_SHARE = 1e-4  # of the load
_RELAXING = 400  # steps in time
_RUN_AWAY = 1e9  # [m, rad]: nothing holds what has gone so far


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Equilibrium:
    """A static equilibrium, and how it was found; ``q, lam = equilibrium(…)`` takes the two apart."""

    q: Vector  #: coordinates, (nq,)
    lam: Vector  #: multipliers, (nc,)
    how: str  #: "Newton's method", "load steps", "step halving", "relaxation"
    iterations: int  #: solutions of linear equations in all
    load_steps: int = 1  #: shares of the load, one after another; in time if it was relaxed
    residual: float = 0.0  #: largest, over the largest force [1]

    def __iter__(self) -> Iterator[Vector]:
        return iter((self.q, self.lam))

    def __str__(self) -> str:
        return (
            f"found by {self.how}: {self.load_steps} load step{'s' * (self.load_steps != 1)}, "
            f"{self.iterations} iterations, residual {self.residual:.1e}"
        )


@final
class StaticBalance:
    """r(q, lam) = (g_qᵀ lam − f, g) of a system at rest, forces in units of the largest one at the start."""

    def __init__(self, system: System, q: Vector, t: float, u: Vector) -> None:
        self.system, self.t, self.u, self.nq = system, t, u, len(q)
        self.rest = np.zeros(self.nq)
        f = system.force(t, q, self.rest, u)
        self.scale = max(1.0, float(np.abs(f).max()))
        self.start = np.concatenate([q, _first_multipliers(system, t, q, f)])
        self._tables: EquilibriumTables | None = None

    @property
    def tables(self) -> EquilibriumTables:
        """Compiled form; SingularMatrix if the system is not restrained."""
        if self._tables is None:
            self._tables = EquilibriumTables(self.system, self.start, self.t, self.u, self.scale)
        return self._tables

    def residual(self, z: Vector) -> Vector:
        s, q, lam = self.system, z[: self.nq], z[self.nq :]
        r = s.constraint_q(self.t, q).T @ lam - s.force(self.t, q, self.rest, self.u)
        return np.concatenate([r / self.scale, s.constraint(self.t, q)])

    def stiffness(self, z: Vector) -> Matrix:
        """∂(g_qᵀ lam − f)/∂q, (nq, nq) [N/m]."""
        s, q = self.system, z[: self.nq]
        return s.reaction_q(self.t, q, z[self.nq :]) - s.force_q(self.t, q, self.rest, self.u)

    def solver(self, z: Vector, r: Vector) -> Callable[[Vector], Vector]:
        """r ↦ J⁻¹ r at z, the shortest where J is singular."""
        return _tangent_solver(self.stiffness(z), self.system.constraint_q(self.t, z[: self.nq]), self.scale, r)

    def is_small(self, step: Vector, z: Vector) -> bool:
        """True if a step no longer moves anything."""
        return bool(np.linalg.norm(step[: self.nq]) <= 1e-12 * max(1.0, np.abs(z[: self.nq]).max()))


def _first_multipliers(system: System, t: float, q: Vector, f: Vector) -> Vector:
    """lam that makes |g_qᵀ lam − f| least, (nc,); a small g_q is scattered into a full matrix at once."""
    nq, nc = len(q), len(system.constraints)
    if not nc:
        return np.zeros(0)
    size, of = nq + nc, system.families
    if size > DENSE_UP_TO:
        return least_norm(system.constraint_q(t, q).T, f)
    rows, columns = element_families.entries(of.tables)
    J, rest, nothing = np.zeros((size, size)), np.zeros(nq), np.zeros(size)
    element_families.add_tangent(
        of.tables, of.work, rows * size + columns, t, (0.0, 0.0, 0.0), q, rest, rest, nothing, nothing, J.ravel()
    )
    return least_norm(J[:nq, nq:], f)


def backtrack(
    residual: Callable[[Vector], Vector],
    x: Vector,
    step: Vector,
    r: Vector,
    nearer: Callable[[Vector], bool] = lambda r: False,
) -> tuple[Vector, Vector, float]:
    """x + length·step with the longest length of 1, ½, ¼ … that makes |r| smaller or is ``nearer``."""
    length = 1.0
    while length > 1e-6:
        trial = x + length * step
        r_trial = residual(trial)
        if np.isfinite(r_trial).all() and (np.linalg.norm(r_trial) < np.linalg.norm(r) or nearer(r_trial)):
            return trial, r_trial, length
        length /= 2
    return x, r, length


def damped_newton(balance: StaticBalance) -> Attempt:
    """Newton, a step halved until the residual or the next correction with the same tangent is less [Deuflhard11].

    A thin beam that bends far pays for it with a passing axial force, so its residual may grow.
    """
    z, nq, settled, k = balance.start, balance.nq, False, 0
    r = balance.residual(z)
    for k in range(_MAX_ITERATIONS):  # noqa: B007  the count is told
        if np.abs(r).max(initial=0.0) <= 1e-13 or settled:
            break
        solve = balance.solver(z, r)
        step = -solve(r)
        far = np.linalg.norm(step[:nq])
        settled = balance.is_small(step, z)
        nearer = lambda r, A=solve, far=far: bool(np.linalg.norm(A(r)[:nq]) < 0.75 * far)
        z, r, length = backtrack(balance.residual, z, step, r, nearer)
        if length < 1e-5:
            break
    return Attempt(z, _largest(r), k, settled)


def full_newton(balance: StaticBalance) -> Attempt:
    """Newton with full steps under all of the load, none of them longer than the first."""
    return balance.tables.newton(balance.start, growth=1.0, most=_AT_ONCE)


def by_load_steps(balance: StaticBalance) -> tuple[Attempt, int]:
    """r(z) = (1 − s) r(z₀), s from 0 to 1: what is out of balance at the start is relieved step by step.

    From a shape free of stress this is the load itself put on. The first share is all of it; it is halved where
    Newton does not converge and doubled after few iterations. After each step the multipliers take what they
    can of what is left, so that a torque on a section that has turned is still a torque.
    """
    z, done, share, steps, total = balance.start, 0.0, 1.0, 0, 0
    left, ahead, last = balance.tables.residual(z), np.zeros_like(z), 1.0
    while done < 1 and share > _SMALLEST_SHARE:
        goal = min(1.0, done + share)
        wanted = (1 - goal) / (1 - done) * left
        tried = balance.tables.newton(z + (goal - done) / last * ahead, left=wanted)
        total += tried.iterations
        if not tried.found:
            share /= 2
            continue
        ahead, last = tried.z - z, goal - done
        z, left = _least_residual_multipliers(balance, tried.z, wanted) if goal < 1 else (tried.z, wanted)
        done, steps = goal, steps + 1
        share = 2 * share if tried.iterations < 8 else share
    # what was found under a part of the load is no equilibrium
    return Attempt(z, tried.residual if done >= 1 else np.inf, total, done >= 1), steps


def _least_residual_multipliers(balance: StaticBalance, z: Vector, left: Vector) -> tuple[Vector, Vector]:
    """z and r(z) with the multipliers that make r least."""
    nq = balance.nq
    if len(z) == nq:
        return z, left
    GT = balance.system.constraint_q(balance.t, z[:nq]).T
    more = least_norm(GT, left[:nq])
    return np.concatenate([z[:nq], z[nq:] - more]), np.concatenate([left[:nq] - GT @ more, left[nq:]])


def by_relaxation(balance: StaticBalance) -> tuple[Attempt, int]:
    """Implicit Euler steps in time, rates set to zero whenever the kinetic energy falls        [Day65].

    It moves downhill, so it ends in a stable equilibrium. Steps grow while they converge, until the inertia in
    them is nothing and Newton's own convergence is left.
    """
    z, nq, total = balance.start, balance.nq, 0
    v, kinetic, dt, k = np.zeros(nq), 0.0, _first_step(balance), 0
    for k in range(_RELAXING):  # noqa: B007  the count is told
        # f − g_qᵀ lam = M (q − q₀ − dt v) / dt², g = 0
        aim = z[:nq] + dt * v
        tried = balance.tables.newton(
            np.concatenate([aim, z[nq:]]), aim=aim, heavy=1 / dt**2, most=12, small=1e-9, growth=np.inf
        )
        total += tried.iterations
        if not tried.settled:
            dt, v, kinetic = dt / 4, np.zeros(nq), 0.0
            continue
        v = (tried.z[:nq] - z[:nq]) / dt
        moved, z = tried.z - z, tried.z
        now = 0.5 * float(v @ (balance.system.mass(balance.t, z[:nq]) @ v))
        v, kinetic = (np.zeros(nq), 0.0) if now < kinetic else (v, now)
        if balance.is_small(moved, z) or np.abs(z[:nq]).max() > _RUN_AWAY:
            break
        dt *= 2.0 if tried.iterations <= 5 else 1.0
    return Attempt(z, _largest(balance.residual(z)), total, True), k


def _first_step(balance: StaticBalance) -> float:
    """A time in which the stiffest part hardly moves: 10 √(|M| / |K|) [s]; a second where nothing is stiff."""
    z = balance.start
    M, K = balance.system.mass(balance.t, z[: balance.nq]), balance.stiffness(z)
    return float(10 * np.sqrt(abs(M).max() / max(abs(K).max(), 100 * abs(M).max())))


def find_equilibrium(balance: StaticBalance, *, relax: bool) -> Equilibrium:
    """Try the strategies in turn; return the first result."""
    ways: dict[str, Callable[[StaticBalance], tuple[Attempt, int]]] = {"relaxation": by_relaxation}
    if not relax:
        ways = {
            "Newton's method": lambda b: (full_newton(b), 1),
            "load steps": by_load_steps,
            "step halving": lambda b: (damped_newton(b), 1),
        } | ways
    total, attempt, steps = 0, Attempt(balance.start, np.inf, 0, False), 0
    for how, way in ways.items():  # noqa: B007  the last one is told
        try:
            attempt, steps = way(balance)
        except SingularMatrix:  # something is idle: only steps of least length serve
            continue
        total += attempt.iterations
        if attempt.found:
            break
    if not attempt.found:
        raise _not_converged_error(balance, attempt)
    q, lam = attempt.z[: balance.nq], attempt.z[balance.nq :]
    return Equilibrium(q=q, lam=lam, how=how, iterations=total, load_steps=steps, residual=attempt.residual)


def _largest(r: Vector) -> float:
    return float(np.abs(r).max(initial=0.0))


def _not_converged_error(balance: StaticBalance, attempt: Attempt) -> NotConverged:
    system, r = balance.system, np.nan_to_num(balance.residual(attempt.z), nan=np.inf)
    worst = int(np.abs(r).argmax())
    names = (*system.coordinates, *system.constraints)
    return NotConverged(
        f"no static equilibrium of {system.name!r} found near the guess: residual "
        f"{np.abs(r[worst]) * balance.scale:.3g} in {names[worst]}. Check that something restrains "
        "that direction, increase the load gradually (load_path), or try another guess."
    )


def _tangent_solver(K: Matrix, G: Matrix, scale: float, r: Vector) -> Callable[[Vector], Vector]:
    """r ↦ the shortest x with [[K / scale, Gᵀ / scale], [G, 0]] x = r.

    Inside, forces are in units of the largest stiffness, so that constraints weigh as much as the stiffest
    part and are not taken for idle freedoms.
    """
    nq = K.shape[0]
    stiff = max(float(abs(K).max()), scale)
    J = saddle_matrix(K / stiff, G) if G.shape[0] else K / stiff
    before = np.concatenate([np.full(nq, scale / stiff), np.ones(G.shape[0])])
    after = np.concatenate([np.ones(nq), np.full(G.shape[0], stiff)])
    solve = _least_solver(J, before * r)
    return lambda r: after * solve(before * r)


def _least_solver(J: Matrix, b: Vector) -> Callable[[Vector], Vector]:
    """b ↦ J⁻¹ b, the shortest where J is singular; the ``b`` given tells whether a plain factor serves."""
    if not is_large(J):
        inverse = np.linalg.pinv(dense(J), rcond=1e-12)
        return lambda b: inverse @ b
    try:
        factor = solver_for(J)
        x = factor.solve(b)
        if np.abs(J @ x - b).max() <= 1e-8 * np.abs(b).max():
            return factor.solve
    except SingularMatrix:
        pass
    return least_norm_solver(J)
