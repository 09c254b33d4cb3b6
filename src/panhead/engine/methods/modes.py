"""Linearisation about an equilibrium under constraints: natural frequencies, damping, mode shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import scipy.linalg
import scipy.sparse.linalg

from panhead.engine.laws.gravity import GRAVITY
from panhead.engine.methods.linear_solvers import dense, saddle_matrix, solver_for
from panhead.engine.system import Matrix, System, Vector, no_controls, require_no_contacts
from panhead.errors import ModelError

_AT_REST = 1e-5  # of the largest force or weight: what may be left over at an equilibrium


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Linearisation:
    """M ẍ + C ẋ + K x = B u in free directions: δq = Z x, with g_q Z = 0."""

    M: Matrix  # (nf, nf)
    C: Matrix  # (nf, nf)
    K: Matrix  # (nf, nf)
    B: Matrix  # (nf, nu)
    Z: Matrix  # (nq, nf), orthonormal columns

    def state_matrices(self) -> tuple[np.ndarray, np.ndarray]:
        """A and B of ẋ = A x + B u for the state (x, ẋ)."""
        n = len(self.M)
        A = np.block(
            [[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(self.M, self.K), -np.linalg.solve(self.M, self.C)]]
        )
        return A, np.vstack([np.zeros_like(self.B), np.linalg.solve(self.M, self.B)])


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Modes:
    """Modes sorted by frequency; overdamped ones are two real eigenvalues with damping 1 (−1 if growing)."""

    frequency: Vector  # (n,) [Hz], of the undamped kind |s| / 2π
    damping: Vector  # (n,) ζ = −Re s / |s|
    eigenvalues: Vector  # (n,) complex [1/s]
    shapes: Matrix  # (nq, n) complex, largest part 1


def linearise(system: System, q: Vector, lam: Vector, *, t: float = 0.0, u: Vector | None = None) -> Linearisation:
    """Linearise about the equilibrium (q, lam); about a steady rotation see ``linearise_motion``.

    K = −∂f/∂q + ∂(g_qᵀ lam)/∂q,  C = −∂f/∂v, both seen in the null space of g_q. ModelError where (q, lam) is no
    equilibrium.
    """
    u = no_controls(system) if u is None else u
    f = system.force(t, q, np.zeros(len(q)), u)
    pull = dense(system.constraint_q(t, q)).T @ lam
    left = np.abs(f - pull)
    weight = GRAVITY * float(np.abs(system.mass(t, q).diagonal()).max(initial=0.0))
    if left.max(initial=0.0) > _AT_REST * max(weight, np.abs(f).max(initial=0.0), np.abs(pull).max(initial=0.0)):
        raise ModelError(
            f"{system.name!r} is not at rest where it shall be linearised: {left.max():.3g} N or N·m are left over in "
            f"{system.coordinates[int(left.argmax())]}. Take q and lam from equilibrium(system, q); about a steady "
            "rotation use linearise_motion(system, q, v)"
        )
    return tangent_motion(system, q, lam, t=t, u=u)


def tangent_motion(system: System, q: Vector, lam: Vector, *, t: float = 0.0, u: Vector | None = None) -> Linearisation:
    """``linearise`` at any position: the motion of small deviations as if it were at rest."""
    require_no_contacts(system, "a linearisation")
    u = no_controls(system) if u is None else u
    rest = np.zeros(len(q))
    K = dense(system.reaction_q(t, q, lam)) - dense(system.force_q(t, q, rest, u))
    C = -dense(system.force_v(t, q, rest, u))
    G = dense(system.constraint_q(t, q))
    Z = scipy.linalg.null_space(G) if len(G) else np.eye(len(q))
    return Linearisation(
        M=Z.T @ dense(system.mass(t, q)) @ Z,
        C=Z.T @ C @ Z,
        K=Z.T @ K @ Z,
        B=Z.T @ dense(system.force_u(t, q, rest, u)),
        Z=Z,
    )


def lowest_modes(
    system: System, q: Vector, lam: Vector, *, count: int, t: float = 0.0, u: Vector | None = None, near: float = 1.0
) -> Modes:
    """The ``count`` modes with eigenvalues nearest to ``near`` [1/s], for systems too large for all of them.

    Shift-and-invert Arnoldi on s x = y, s M y = −C y − K x − g_qᵀ λ, g_q x = 0: one sparse factorisation of
    [[K + σ C + σ² M, g_qᵀ], [g_q, 0]] with σ = near, which is real and > 0, where no stable mode lies.
    """
    u = no_controls(system) if u is None else u
    rest, n = np.zeros(len(q)), len(q)
    M, C = system.mass(t, q), -system.force_v(t, q, rest, u)
    K, G = system.reaction_q(t, q, lam) - system.force_q(t, q, rest, u), system.constraint_q(t, q)
    middle = near * M + C
    solver = solver_for(saddle_matrix(K + near * middle, G) if G.shape[0] else K + near * middle)
    nothing = np.zeros(G.shape[0])

    def inverted(b: Vector) -> Vector:
        load = -(M @ b[n:] + middle @ b[:n])
        x = solver.solve(np.concatenate([load, nothing]))[:n]
        return np.concatenate([x, b[:n] + near * x])

    start = inverted(inverted(np.random.default_rng(0).standard_normal(2 * n)))
    operator = scipy.sparse.linalg.LinearOperator((2 * n, 2 * n), matvec=inverted, dtype=float)
    theta, vectors = scipy.sparse.linalg.eigs(operator, k=min(2 * count + 2, 2 * n - 2), v0=start)
    values = near + 1 / theta
    return _sort_modes(values, vectors[:n], count)


def modes(linear: Linearisation) -> Modes:
    """Eigenvalues of the linearised motion, one of each conjugate pair."""
    if not isinstance(linear, Linearisation):
        raise ModelError(
            f"modes takes a linearisation, got {linear!r:.80}. Find an equilibrium first: "
            "rest = find_equilibrium(system, q); modes(linearise(system, rest.q, rest.lam))"
        )
    A, _ = linear.state_matrices()
    values, vectors = np.linalg.eig(A)
    return _sort_modes(values, linear.Z @ vectors[: len(linear.M)], len(values))


def _sort_modes(values: Vector, shapes: Matrix, count: int) -> Modes:
    """Modes by frequency, one of each conjugate pair."""
    keep = values.imag >= 0
    values, shapes = values[keep], shapes[:, keep]
    order = np.argsort(np.abs(values), kind="stable")[:count]
    values, shapes = values[order], shapes[:, order]
    largest = shapes[np.abs(shapes).argmax(axis=0), np.arange(shapes.shape[1])]
    size = np.abs(values)
    damping = np.divide(-values.real, size, out=np.zeros_like(size), where=size > 0)
    return Modes(frequency=size / (2 * np.pi), damping=damping, eigenvalues=values, shapes=shapes / largest)
