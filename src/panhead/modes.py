"""Small motions about an equilibrium: linearisation under constraints, frequencies, damping, shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import scipy.linalg

from panhead.equilibrium import dense
from panhead.system import Matrix, System, Vector, no_controls


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
            [
                [np.zeros((n, n)), np.eye(n)],
                [-np.linalg.solve(self.M, self.K), -np.linalg.solve(self.M, self.C)],
            ]
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


def linearise(
    system: System, q: Vector, lam: Vector, *, t: float = 0.0, u: Vector | None = None
) -> Linearisation:
    """Linearise about the equilibrium (q, lam).

    K = −∂f/∂q + ∂(g_qᵀ lam)/∂q,  C = −∂f/∂v, both seen in the null space of g_q.
    """
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


def modes(linear: Linearisation) -> Modes:
    """Eigenvalues of the linearised motion, one of each conjugate pair."""
    A, _ = linear.state_matrices()
    values, vectors = np.linalg.eig(A)
    keep = values.imag >= 0
    values, vectors = values[keep], vectors[: len(linear.M), keep]
    order = np.argsort(np.abs(values), kind="stable")
    values, shapes = values[order], linear.Z @ vectors[:, order]
    largest = shapes[np.abs(shapes).argmax(axis=0), np.arange(shapes.shape[1])]
    size = np.abs(values)
    damping = np.divide(-values.real, size, out=np.zeros_like(size), where=size > 0)
    return Modes(
        frequency=size / (2 * np.pi), damping=damping, eigenvalues=values, shapes=shapes / largest
    )
