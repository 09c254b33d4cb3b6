"""One Moreau–Jean step: velocities at its end obey the laws of the closed contacts."""

from __future__ import annotations

from typing import NamedTuple, final

import numpy as np
import scipy.sparse

from panhead.engine.kernels import element_families, sliders
from panhead.engine.methods.impacts import ContactChoice, Restitution, impact_with_restitution
from panhead.engine.methods.linear_solvers import LinearSolver, SingularMatrix, dense, solver_for
from panhead.engine.system import ContactTerms, Matrix, System, Vector
from panhead.errors import NotConverged, SimulationError

_DENSE = 300  # unknowns up to which matrices are dense
_MOST = 40  # iterations


_Unknowns = tuple[Vector, Vector, Vector]  # v₁ (nq,), mean multipliers (nc,), impulses P (rows,)


class StepState(NamedTuple):
    """State at the start of a step."""

    t: float
    q: Vector  # (nq,)
    v: Vector  # (nq,)


class StepResult(NamedTuple):
    """State at the end of a step, with impulses and losses."""

    q: Vector
    v: Vector
    a: Vector  # (v₁ − v₀)/h
    lam: Vector  # mean multipliers (nc,)
    P: Vector  # impulses of the closed contacts (rows,) [N·s]
    before: Vector  # γ at the start (rows,) [m/s]
    slip: Vector  # γ at the end (rows,) [m/s]
    gap: Vector  # of all contacts at the end (n,) [m]
    work: Vector  # (3,) drivers, controls, dissipated [J], impulses of contacts not among them
    lost: Vector  # (2,) taken out by contacts along normals, by rubbing [J]
    driven: float  # put in by surfaces that move [J]


@final
class NonsmoothStep:
    """Steps over the tables of a system."""

    def __init__(self, system: System, contacts: ContactTerms, theta: float, tolerance: float) -> None:
        self.system, self.contacts, self.theta, self.tolerance = system, contacts, theta, tolerance
        self.tabled, self.nq, self.nc = system.families, len(system.coordinates), len(system.constraints)
        self.size = self.nq + self.nc
        self.nothing = np.zeros(self.nc + len(system.controls))
        self.iterations = 0

    def follow(self, t: float, q: Vector) -> None:
        """Update the positions of joint sliders on their wires."""
        tabled = self.tabled
        if len(tabled.slides.rows):
            sliders.follow(tabled.tables, tabled.work, tabled.slides, t, q, self.nothing)
            gone = int(sliders.off_the_wire(tabled.slides))
            if gone >= 0:
                raise SimulationError(
                    f"{tabled.sliders[gone]!r} left the end of its wire at t = {t:.6g} s. Make the wire longer or "
                    "the run shorter, or use a BeamContact, which can leave the wire."
                )

    def residual(self, t: float, q: Vector, v: Vector, a: Vector, u: Vector) -> Vector:
        """M a − f, (nq,)."""
        out = np.zeros(self.size)
        element_families.add_residual(self.tabled.tables, self.tabled.work, t, q, v, a, np.zeros(self.nc), u, out)
        return out[: self.nq]

    def tangent(
        self, c: tuple[float, float, float], state: tuple[float, Vector, Vector, Vector, Vector, Vector]
    ) -> Matrix:
        """[[c_a M + c_v D + c_q K, g_qᵀ], [g_q, 0]] at t, q, v, a, lam, u."""
        tables, n = self.tabled.tables, self.size
        rows, columns = element_families.entries(tables)
        if n <= _DENSE:
            A = np.zeros((n, n))
            element_families.add_tangent(
                tables, self.tabled.work, rows * n + columns, state[0], c, *state[1:], A.ravel()
            )
            return A
        values = np.zeros(len(rows))
        element_families.add_tangent(tables, self.tabled.work, np.arange(len(rows)), state[0], c, *state[1:], values)
        return scipy.sparse.csc_array(scipy.sparse.coo_array((values, (rows, columns)), shape=(n, n)))

    def constraint_rate(self, t: float, q: Vector, v: Vector) -> Vector:
        """G v + g_t, (nc,)."""
        out = np.zeros(self.size)
        element_families.add_constraint_rate(
            self.tabled.tables, self.tabled.work, t, q, v, self.nothing, np.zeros((2, self.nc)), out
        )
        return out[self.nq :]

    def take(self, start: StepState, h: float, u: Vector, choice: ContactChoice, back: Restitution) -> StepResult:
        """Step from ``start`` over h [s] with the contacts of ``choice`` closed.

        M (v₁ − v₀) = h f(t_θ, q_θ, v_θ) − G_θᵀ Λ + W_θᵀ P,   G₁ v₁ + g_t = 0,   γ₁ = W₁ v₁ + w₁
        q₁ = q₀ + h v_θ,   v_θ = θ v₁ + (1 − θ) v₀;   ``back``: of contacts that strike within the step
        """
        found = start.v, np.zeros(self.nc), np.zeros(len(choice.rows))
        scale, last = max(1.0, float(np.abs(start.v).max())), np.inf
        for iteration in range(_MOST):
            before = found[0]
            found, solver = self._iterate(start, h, u, choice, back, found)
            moved = np.abs(found[0] - before)
            change = float(moved.max())
            if change <= self.tolerance * scale or (iteration > 6 and change > 0.5 * last and change < 1e-7 * scale):
                return self._ended(start, h, u, choice, found, solver)
            last = change
        raise NotConverged(
            f"a step to t = {start.t + h:.6g} s (h = {h:.3g} s) did not converge: the rates still change by "
            f"{change:.2e}, most in {self.system.coordinates[int(moved.argmax())]}. Halve dt."
        )

    def _iterate(
        self, start: StepState, h: float, u: Vector, choice: ContactChoice, back: Restitution, guess: _Unknowns
    ) -> tuple[_Unknowns, LinearSolver]:
        """v₁, mean multipliers and P once better: Newton on the smooth terms, the laws of contacts exactly."""
        theta, (t, q0, v0), (v1, lam, P) = self.theta, start, guess
        v_mid = theta * v1 + (1 - theta) * v0
        q_mid, a = q0 + theta * h * v_mid, (v1 - v0) / h
        t_mid, t1, q1 = t + theta * h, t + h, q0 + h * v_mid
        self.follow(t_mid, q_mid)
        right = np.zeros((self.size, 1 + len(P)))
        right[: self.nq, 0] = -h * self.residual(t_mid, q_mid, v_mid, a, u)
        right[: self.nq, 1:] = self.contacts.at(t_mid, q_mid).W[choice.rows].T
        A = self.tangent((1.0, theta * h, (theta * h) ** 2), (t_mid, q_mid, v_mid, a, lam, u))
        self.follow(t1, q1)
        solver = self._factor(self._hold_rates_at_the_end(A, t1, q1) if len(P) > 1 else A, t1)
        right[self.nq :, 0] = -self.constraint_rate(t1, q1, v1)
        found = solver.solve(right)
        self.iterations += 1
        free, B = v1 + found[: self.nq, 0], found[: self.nq, 1:]
        if len(P):
            here = self.contacts.at(t1, q1)
            W = here.W[choice.rows]
            c = W @ free + here.w[choice.rows]
            P = impact_with_restitution([self.contacts.names[i] for i in choice.which], W @ B, c, choice, back, P)
        return (free + B @ P, (found[self.nq :, 0] + found[self.nq :, 1:] @ P) / h, P), solver

    def _hold_rates_at_the_end(self, A: Matrix, t: float, q: Vector) -> Matrix:
        """A with the constraints' rows at the end of the step, so that impulses keep to G₁ v₁ + g_t = 0.

        Contacts that hold more than there are freedoms then contradict one another by rounding alone.
        """
        if not self.nc:
            return A
        G = self.system.constraint_q(t, q)
        if isinstance(A, np.ndarray):
            A[self.nq :, : self.nq] = dense(G)
            return A
        nothing = scipy.sparse.csc_array((self.nc, self.nc))
        return scipy.sparse.csc_array(scipy.sparse.vstack([A[: self.nq], scipy.sparse.hstack([G, nothing])]))

    def _factor(self, A: Matrix, t: float) -> LinearSolver:
        try:
            return solver_for(A)
        except SingularMatrix as error:
            raise NotConverged(
                f"the equations of {self.system.name!r} became singular before t = {t:.6g} s ({error})"
            ) from None

    def _ended(
        self, start: StepState, h: float, u: Vector, choice: ContactChoice, found: _Unknowns, solver: LinearSolver
    ) -> StepResult:
        """End of a step: positions projected onto the constraints and closed contacts, with its energy balance."""
        theta, (t, q0, v0), (v1, lam, P) = self.theta, start, found
        v_mid, a, t1 = theta * v1 + (1 - theta) * v0, (v1 - v0) / h, t + h
        t_mid, q_mid = t + theta * h, q0 + theta * h * v_mid
        self.follow(t_mid, q_mid)
        power = self.system.power(t_mid, q_mid, v_mid, a, lam, u)
        q1 = self._project_positions(t1, q0 + h * v_mid, choice, P, solver)
        there, here = self.contacts.at(t, q0), self.contacts.at(t1, q1)
        slip = here.W[choice.rows] @ v1 + here.w[choice.rows]
        before = there.W[choice.rows] @ v0 + there.w[choice.rows]
        taken = -P * (theta * slip + (1 - theta) * before)
        normal = float(taken[choice.first[:-1]].sum())
        lost = np.array([normal, float(taken.sum()) - normal])
        driven = -float(P @ (theta * here.w[choice.rows] + (1 - theta) * there.w[choice.rows]))
        return StepResult(q1, v1, a, lam, P, before, slip, here.gap, h * np.array(power), lost, driven)

    def _project_positions(self, t: float, q: Vector, choice: ContactChoice, P: Vector, solver: LinearSolver) -> Vector:
        """q on g = 0 and on the gaps that press, nearest in the norm of the step's matrix."""
        pressed = choice.first[:-1][np.abs(P[choice.first[:-1]]) > 0]
        out = np.zeros(self.size)
        self.follow(t, q)
        element_families.add_constraint(self.tabled.tables, self.tabled.work, t, q, self.nothing, out)
        here = self.contacts.at(t, q)
        of = np.searchsorted(choice.first, pressed)
        gap, W = here.gap[choice.which[of]], here.W[choice.rows[pressed]]
        gap = np.where(np.isfinite(gap), gap, 0.0)
        g = out[self.nq :]
        largest = max(np.abs(g).max(initial=0.0), np.abs(gap).max(initial=0.0))
        if not largest > 1e-13:
            return q
        right = np.zeros((self.size, 1 + len(gap)))
        right[self.nq :, 0], right[: self.nq, 1:] = -g, W.T
        found = solver.solve(right)[: self.nq]
        step, B = found[:, 0], found[:, 1:]
        if len(gap):
            step = step + B @ np.linalg.lstsq(W @ B, -(gap + W @ step), rcond=1e-12)[0]
        return q + step
