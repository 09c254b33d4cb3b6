"""Common interface to dense and sparse factorisations: factor, solve, solve_T, update."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Protocol, final

import numpy as np
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg

from panhead.engine.system import Matrix, Vector

DENSE_UP_TO = 400  #: rows and columns together; larger sparse matrices are never made dense
_SMALL = 1e-12  # δ², beside rows of length one


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


def dense(A: Matrix) -> np.ndarray:
    """A as a NumPy array."""
    return A if isinstance(A, np.ndarray) else A.toarray()


def is_large(A: Matrix) -> bool:
    """True if A is sparse and too large to be made dense."""
    return bool(scipy.sparse.issparse(A) and sum(A.shape) > DENSE_UP_TO)


def least_norm(A: Matrix, b: Vector, *, rcond: float = 1e-10) -> Vector:
    """The shortest x that minimises |A x − b|.

    A large sparse A is not decomposed into singular values: x = Aᵀ (A Aᵀ + δ²)⁻¹ b with rows of length one,
    refined, which is the same for singular values far above δ = 1e-6 and leaves those far below alone.
    """
    if not is_large(A):
        return np.linalg.lstsq(dense(A), b, rcond=rcond)[0]
    return least_norm_solver(A)(b) if A.shape[0] <= A.shape[1] else _least_squares(A, b)


def _least_squares(A: Matrix, b: Vector) -> Vector:
    """x of a tall A: [[1, A], [Aᵀ, −δ²]] (r, x) = (b, 0) with columns of length one.

    What of b lies outside the range of A is r, as large as b. Through the rows, as for a wide A, it would be divided
    by δ² and swamp x.
    """
    size = row_sizes(A.T)
    lu = _regularised_factors((A @ scipy.sparse.diags_array(1 / size)).T)
    x = lu.solve(np.concatenate([b, np.zeros(A.shape[1])]))[A.shape[0] :]
    return np.asarray(x / size)


def least_norm_solver(A: Matrix) -> Callable[[Vector], Vector]:
    """b ↦ ``least_norm(A, b)`` for a large sparse A, factorised once."""
    n, size = A.shape[1], row_sizes(A)
    scaled = scipy.sparse.diags_array(1 / size) @ A
    lu = _regularised_factors(scaled)

    def solve(b: Vector) -> Vector:
        x = np.zeros(n)
        for _ in range(4):
            x += lu.solve(np.concatenate([np.zeros(n), b / size - scaled @ x]))[:n]
        return x

    return solve


def null_vectors(A: Matrix, *, tolerance: float, most: int = 64) -> Matrix:
    """Orthonormal x with |A x| ≤ tolerance, (n, k), at most ``most`` of them; rows or columns of length about one.

    For a large sparse A by inverse iteration with AᵀA + δ², formed without squaring anything; |A x| itself then
    tells what is zero and what is only small.
    """
    if not is_large(A):
        _, values, Vt = np.linalg.svd(dense(A))
        small = np.concatenate([values, np.zeros(len(Vt) - len(values))]) <= tolerance
        return Vt[small].T
    m, n = A.shape
    lu, random, count = _regularised_factors(A.T), np.random.default_rng(0), min(8, n)
    while True:
        X = random.standard_normal((n, count))
        for _ in range(8):
            X = np.linalg.qr(lu.solve(np.vstack([np.zeros((m, count)), X]))[m:])[0]
        _, values, Vt = np.linalg.svd(A @ X, full_matrices=False)
        found = X @ Vt[values <= tolerance].T
        if found.shape[1] < count or count == min(most, n):
            return found
        count = min(2 * count, most, n)


def row_sizes(A: Matrix) -> Vector:
    """Lengths of the rows, 1 where a row is zero."""
    size = np.sqrt(np.asarray((A * A).sum(axis=1)).ravel())
    return np.where(size > 0, size, 1.0)


def _regularised_factors(A: Matrix) -> Any:
    """[[1, Aᵀ], [A, −δ²]], factorised."""
    m, n = A.shape
    eye = scipy.sparse.eye_array
    blocks = [[eye(n), A.T], [A, -_SMALL * eye(m)]]
    return scipy.sparse.linalg.splu(scipy.sparse.block_array(blocks, format="csc"))
