"""Inertia from positions alone: d'Alembert's principle on weighted coordinates.

Whatever moves is a list of coordinates P(t, q) with inertias n (a planar angle counts as one, a
rigid body in space as six particles with its mass and moments, `six_particles`). Then

    M = Jᵀ diag(n) J,     Q_v + Q_m = −Jᵀ diag(n) d²/dt² P(t, q + v t)|_{q̈ = 0},   J = ∂P/∂q

and no energy is differentiated: a road that has nothing in common with Lagrange's.
Derivatives come from values on a circle in the complex plane (Cauchy), exact to round-off, so
P must be an analytic formula that accepts complex arguments.
"""

from collections.abc import Callable

import numpy as np

Positions = Callable[[complex, np.ndarray], np.ndarray]

_N = 32
_CIRCLE = np.exp(2j * np.pi * np.arange(_N) / _N)


def taylor(f: Callable[[complex], np.ndarray], order: int, radius: float) -> np.ndarray:
    """order-th derivative of f at 0 along the real axis."""
    values = np.array([f(radius * z) for z in _CIRCLE])
    coefficient = (values.T @ _CIRCLE ** (-order)) / _N
    return (coefficient * np.prod(np.arange(1, order + 1)) / radius**order).real


def jacobian(P: Positions, t: float, q: np.ndarray) -> np.ndarray:
    """∂P/∂q (np, nq) by complex steps."""
    h = 1e-30
    return np.array([P(t, q + 1j * h * e).imag / h for e in np.eye(q.size)]).T


def mass_matrix(P: Positions, n: np.ndarray, t: float, q: np.ndarray) -> np.ndarray:
    """M (nq, nq)."""
    J = jacobian(P, t, q)
    return J.T @ (n[:, None] * J)


def inertia_force(
    P: Positions, n: np.ndarray, t: float, q: np.ndarray, v: np.ndarray, radius: float = 0.1
) -> np.ndarray:
    """Q_v + Q_m (nq,); radius is the circle's, in seconds."""
    P_ddot = taylor(lambda z: P(t + z, q + v * z), 2, radius)
    return -jacobian(P, t, q).T @ (n * P_ddot)


def six_particles(second_moments: np.ndarray, m: float) -> tuple[np.ndarray, np.ndarray]:
    """Body-fixed points (6, 3) about the centre of mass and their masses (6,).

    second_moments: ∫x² dm, ∫y² dm, ∫z² dm about the centre of mass, all ≥ 0.
    """
    reach = np.sqrt(3.0 * second_moments / m)
    points = np.concatenate([np.diag(reach), -np.diag(reach)])
    return points, np.full(6, m / 6.0)
