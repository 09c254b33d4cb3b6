"""Motion of a System that has no compiled terms, or whose coordinates are eliminated: in Python, through the seam."""

from __future__ import annotations

from typing import final

import numpy as np

from panhead.errors import ModelError, NotConverged
from panhead.kernels import constrained
from panhead.methods.equilibrium import projected
from panhead.methods.formulations import Augmented, Baumgarte, Eliminated, Projection
from panhead.methods.integrators.dense_terms import DenseTerms
from panhead.methods.integrators.elimination import Elimination, chosen, weak
from panhead.methods.linear_solvers import SingularMatrix, saddle_matrix, solver_for
from panhead.methods.trajectory import Problem, State, Trajectory
from panhead.system import System, Vector

_SMALL = 300  # coordinates: below, dense matrices cost less than sparse ones

#: Weights of the tangents by a, by q and by v.
_BY_A_Q_V = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0))


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
class PythonRates:
    """y = (coordinates, their rates, work of drivers, of controls, dissipated) and ẏ.

    The coordinates are all of them, or the independent ones if the formulation puts the others out.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem, self.system = problem, problem.system
        self.split: Elimination | None = None
        self.chooses = False
        start, form = problem.start, problem.formulation
        if isinstance(form, Eliminated):
            self.split = Elimination(self.system, form.dependent)
        elif not isinstance(form, Augmented):
            self.split = Elimination(self.system, chosen(self.system, start.t, start.q))
            self.chooses = True
        elif form != Augmented():
            raise ModelError(
                f"{self.system.name!r} has no compiled terms: use the saddle solver of the augmented formulation"
            )
        self.terms = DenseTerms(self.system)
        self.q = np.array(start.q, dtype=float)  # the last one: a guess for dependent coordinates
        self.switches = 0

    @property
    def changes(self) -> bool:
        """Whether states are corrected after a step."""
        projects = isinstance(self.problem.stabilisation, Projection) and self.split is None
        return bool(self.system.constraints) and (projects or self.chooses)

    @property
    def places(self) -> np.ndarray:
        """Which coordinates are integrated."""
        return np.arange(len(self.q)) if self.split is None else self.split.u

    def start(self) -> Vector:
        """y at the start, on the constraints."""
        y = self.packed(self.problem.start.q, self.problem.start.v, np.zeros(3))
        return self.corrected(float(self.problem.t[0]), y)

    def packed(self, q: Vector, v: Vector, work: Vector) -> Vector:
        """y of a state."""
        return np.concatenate([q[self.places], v[self.places], work])

    def state(self, t: float, y: Vector) -> tuple[Vector, Vector]:
        """All coordinates and rates."""
        n = len(self.places)
        if self.split is None:
            return y[:n], y[n : 2 * n]
        q, v = self.q.copy(), np.zeros(len(self.q))
        q[self.places], v[self.places] = y[:n], y[n : 2 * n]
        q = self.split.settled(t, q)
        self.q = q
        return q, self.split.rates(t, q, v)

    def _accelerations(self, t: float, q: Vector, v: Vector, u: Vector) -> tuple[Vector, Vector]:
        if self.split is not None:
            return self.split.accelerations(t, q, v, u)
        if self.terms.tables is None or len(q) > _SMALL:
            return accelerations(self.system, t, q, v, u, self.problem.stabilisation)
        M, G = self.terms.mass_and_jacobian(t, q)
        f, gamma = self.terms.force(t, q, v, u), self.system.constraint_bias(t, q, v)
        if isinstance(self.problem.stabilisation, Baumgarte):
            keep, rate = self.problem.stabilisation, G @ v + self.system.constraint_t(t, q)
            gamma = gamma - 2 * keep.alpha * rate - keep.beta**2 * self.terms.constraint(t, q)
        found = np.linalg.solve(saddle_matrix(M, G), np.concatenate([f, gamma]))
        return found[: len(q)], found[len(q) :]

    def rates(self, t: float, y: Vector, u: Vector) -> Vector:
        """ẏ."""
        q, v = self.state(t, y)
        a, lam = self._accelerations(t, q, v, u)
        return np.concatenate(
            [v[self.places], a[self.places], self.system.power(t, q, v, a, lam, u)]
        )

    def jacobian(self, t: float, y: Vector, u: Vector) -> np.ndarray:
        """∂ẏ/∂y without what the curvature of the constraints adds: exact where it is stiff."""
        q, v = self.state(t, y)
        a, lam = self._accelerations(t, q, v, u)
        n, at = len(self.places), (t, q, v, a, lam, u)
        M, K, C = (self.terms.tangent(c, *at)[0] for c in _BY_A_Q_V)
        J = np.zeros((len(y), len(y)))
        J[:n, n : 2 * n] = np.eye(n)
        J[n : 2 * n, : 2 * n] = self._by_state(M, -np.hstack([K, C]), self.terms.jacobian(t, q))
        return J

    def _by_state(self, M: np.ndarray, by_state: np.ndarray, G: np.ndarray) -> np.ndarray:
        """∂a/∂(q, v), (n, 2 n), from ∂f/∂(q, v)."""
        n, nc = len(M), len(G)
        if self.split is not None:
            ratio, _ = self.split.divided(G)
            M, K, C = (self.split.reduced(x, ratio) for x in (M, by_state[:, :n], by_state[:, n:]))
            return np.asarray(np.linalg.solve(M, np.hstack([K, C])))
        right = np.vstack([by_state, np.zeros((nc, 2 * n))])
        if isinstance(self.problem.stabilisation, Baumgarte):
            keep = self.problem.stabilisation
            right[n:] = np.hstack([-(keep.beta**2) * G, -2 * keep.alpha * G])
        return np.asarray(np.linalg.solve(saddle_matrix(M, G), right)[:n])

    def corrected(self, t: float, y: Vector) -> Vector:
        """y on the constraints; dependent coordinates are chosen anew if others serve much better."""
        if not self.changes:
            return y
        q, v = self.state(t, y)
        work = y[-3:]
        if self.split is None:
            state = projected(self.system, State(t=t, q=q, v=v))
            return self.packed(state.q, state.v, work)
        if weak(self.split, t, q):
            self.split = Elimination(self.system, chosen(self.system, t, q))
            self.switches += 1
        return self.packed(q, v, work)

    def u(self, t: float) -> Vector:
        """Controls at t, linear between grid points."""
        return np.array([np.interp(t, self.problem.t, column) for column in self.problem.u.T])


@final
class PythonMarch:
    """The Python twin of the compiled march, for systems too large or too general to be compiled whole."""

    def __init__(self, problem: Problem, stages: int) -> None:
        self.problem, self.stages = problem, stages
        self.motion = PythonRates(problem)
        self.y = self.motion.packed(problem.start.q, problem.start.v, np.zeros(3))
        self.kept = [(problem.start.q, problem.start.v, np.zeros(3))]

    def _step(self, step: int) -> Vector:
        t, y, u = self.problem.t[step], self.y, self.problem.u
        dt, rates = self.problem.t[step + 1] - t, self.motion.rates
        k1 = rates(t, y, u[step])
        if self.stages == 1:
            return y + dt * k1
        middle = (u[step] + u[step + 1]) / 2
        k2 = rates(t + dt / 2, y + dt / 2 * k1, middle)
        k3 = rates(t + dt / 2, y + dt / 2 * k2, middle)
        k4 = rates(t + dt, y + dt * k3, u[step + 1])
        return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    def advance(self, first: int, last: int) -> tuple[int, int, int]:
        """March from grid point ``first`` to ``last``: status, steps done, switches."""
        before = self.motion.switches
        for step in range(first, last):
            t = float(self.problem.t[step + 1])
            try:
                y = self._step(step)
                if np.isfinite(y).all():
                    y = self.motion.corrected(t, y)
            except SingularMatrix:
                return constrained.SINGULAR, step - first, 0
            except NotConverged:
                return constrained.NOT_CONVERGED, step - first, 0
            if not np.isfinite(y).all():
                return constrained.NOT_FINITE, step - first, 0
            self.y = y
            if (step + 1) % self.problem.every == 0:
                self.kept.append((*self.motion.state(t, y), y[-3:]))
        return constrained.OK, last - first, self.motion.switches - before

    def trajectory(self, done: int, switches: int) -> Trajectory:
        """What has been computed up to grid point ``done``."""
        kept = self.kept[: done // self.problem.every + 1]
        x = np.array([np.concatenate([q, v]) for q, v, _ in kept])
        work = np.array([w for _, _, w in kept])
        notes = {"steps": float(done), "switches": float(switches)}
        return observed_in_python(self.problem, x, work, notes)


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
