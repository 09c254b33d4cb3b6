"""One small interface over dense and sparse factorisations: factor, solve, solve_T, update."""

from __future__ import annotations

import warnings
from typing import Any, Protocol, final

import numpy as np
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg

from panhead.system import Matrix, Vector


class SingularMatrix(ArithmeticError):
    """A matrix could not be factorised."""


class LinearSolver(Protocol):
    """A factorised matrix A."""

    def factor(self, A: Matrix) -> None:
        """Factorise A; SingularMatrix if that is impossible."""

    def update(self, A: Matrix) -> None:
        """Factorise a matrix of the same pattern as the one before."""

    def solve(self, b: Vector) -> Vector:
        """A⁻¹ b."""

    def solve_T(self, b: Vector) -> Vector:
        """A⁻ᵀ b."""


@final
class DenseLU:
    """LAPACK's LU."""

    def __init__(self) -> None:
        self._lu: Any = None

    def factor(self, A: Matrix) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", scipy.linalg.LinAlgWarning)
            self._lu = scipy.linalg.lu_factor(A, check_finite=False)
        pivots = np.abs(np.diagonal(self._lu[0]))
        if pivots.size and not pivots.min() > 1e-300:
            raise SingularMatrix(f"pivot {int(pivots.argmin())} is zero")

    update = factor

    def solve(self, b: Vector) -> Vector:
        return scipy.linalg.lu_solve(self._lu, b, check_finite=False)

    def solve_T(self, b: Vector) -> Vector:
        return scipy.linalg.lu_solve(self._lu, b, trans=1, check_finite=False)


@final
class SparseLU:
    """SuperLU."""

    def __init__(self) -> None:
        self._lu: Any = None

    def factor(self, A: Matrix) -> None:
        try:
            self._lu = scipy.sparse.linalg.splu(scipy.sparse.csc_array(A))
        except RuntimeError as error:
            raise SingularMatrix(str(error)) from None

    update = factor

    def solve(self, b: Vector) -> Vector:
        return self._lu.solve(b)

    def solve_T(self, b: Vector) -> Vector:
        return self._lu.solve(b, trans="T")


def solver_for(A: Matrix) -> LinearSolver:
    """A solver with A factorised: sparse for sparse matrices, dense for arrays."""
    solver: LinearSolver = SparseLU() if scipy.sparse.issparse(A) else DenseLU()
    solver.factor(A)
    return solver


def saddle_matrix(A: Matrix, G: Matrix) -> Matrix:
    """[[A, Gᵀ], [G, 0]], sparse if A is."""
    if scipy.sparse.issparse(A):
        return scipy.sparse.block_array([[A, G.T], [G, None]], format="csc")
    nc = G.shape[0]
    return np.block([[A, G.T], [G, np.zeros((nc, nc))]])
