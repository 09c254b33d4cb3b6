"""Stability of an equilibrium: eigenvalues of its tangent stiffness nearest zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from panhead.engine.system import Matrix, Vector

_MODES = 4  # eigenvalues watched: those nearest zero


class Stability(NamedTuple):
    """Eigenvalues nearest zero of K φ = μ M φ on g_q φ = 0, with K the stiffness under load."""

    values: Vector  #: μ, ascending [1/s²]; negative: the equilibrium is unstable
    modes: Vector  #: φ by columns, (nq, ·), largest entry one

    @property
    def negative(self) -> int:
        """Number of negative eigenvalues."""
        return int((self.values < 0).sum())

    @property
    def nearest(self) -> int:
        """Index of the eigenvalue nearest zero."""
        return int(np.abs(self.values).argmin())


def nearest_zero(K: Matrix, G: Matrix, M: Matrix, solve: Callable[[Vector], Vector]) -> Stability:
    """Subspace iteration for the eigenvalues of K φ = μ M φ, g_q φ = 0, that lie nearest zero."""
    nq = K.shape[0]
    count = min(_MODES, max(1, nq - G.shape[0]))
    X = np.random.default_rng(0).standard_normal((nq, count))
    below = np.zeros(G.shape[0])
    values = np.zeros(count)
    for _ in range(30):
        X = np.column_stack([solve(np.concatenate([M @ x, below]))[:nq] for x in X.T])
        X = np.linalg.qr(X)[0]
        small, inertia = X.T @ (K @ X), X.T @ (M @ X)
        found, V = np.linalg.eig(np.linalg.solve(inertia, small))
        order = np.argsort(np.abs(found))
        X, before, values = np.real(X @ V[:, order]), values, np.real(found[order])
        if abs(values[0] - before[0]) < 1e-6 * abs(values[-1]) and abs(values[0] - before[0]) < 1e-3 * abs(values[0]):
            break
    rising = np.argsort(values)
    X = X[:, rising]
    return Stability(values[rising], X / X[np.abs(X).argmax(axis=0), np.arange(count)])
