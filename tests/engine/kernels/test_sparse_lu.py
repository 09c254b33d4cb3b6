"""The sparse factorisation beside dense solutions."""

import numpy as np
import pytest
import scipy.sparse

from panhead.engine.kernels import sparse_lu


def saddle(seed: int, n: int = 30, m: int = 6) -> scipy.sparse.csc_array:
    """A random sparse matrix [[A, Gᵀ], [G, 0]], as a step of a constrained system has."""
    rng = np.random.default_rng(seed)
    A = scipy.sparse.random_array((n, n), density=0.1, rng=rng) + 3 * scipy.sparse.eye_array(n)
    G = scipy.sparse.random_array((m, n), density=0.3, rng=rng)
    found = scipy.sparse.csc_array(scipy.sparse.block_array([[A, G.T], [G, None]]))
    found.sort_indices()
    return found


def analysed(K: scipy.sparse.csc_array, *, natural: bool = False) -> tuple[sparse_lu.Pattern, sparse_lu.Factors]:
    n = K.shape[0]
    if natural:
        row_of = column = np.arange(n)
    else:
        lu = scipy.sparse.linalg.splu(K)
        row_of, column = lu.perm_r.astype(np.int64), np.argsort(lu.perm_c).astype(np.int64)
    Ap, Ai = K.indptr.astype(np.int64), K.indices.astype(np.int64)
    return sparse_lu.analyse(Ap, Ai, row_of, column)


@pytest.mark.parametrize("seed", range(5))
def test_solutions_of_a_matrix(seed):
    """Round-off of matrices with condition numbers below 1e4."""
    K = saddle(seed)
    pattern, factors = analysed(K)
    b, x = np.random.default_rng(seed).standard_normal(K.shape[0]), np.zeros(K.shape[0])
    assert sparse_lu.factorise(pattern, K.data, 1e-9, factors) == -1
    sparse_lu.solve(pattern, factors, b, x)
    assert K @ x == pytest.approx(b, abs=1e-11)


def test_other_numbers_in_the_same_pattern_and_order():
    K = saddle(1)
    pattern, factors = analysed(K)
    K.data *= np.random.default_rng(7).uniform(0.8, 1.2, K.nnz)
    assert sparse_lu.factorise(pattern, K.data, 1e-9, factors) == -1
    b, x = np.ones(K.shape[0]), np.zeros(K.shape[0])
    sparse_lu.solve(pattern, factors, b, x)
    assert K @ x == pytest.approx(b, abs=1e-10)


def test_an_order_that_fills_everything():
    """An arrow eliminated from its point: 3n − 2 numbers of A become n² of L and U; lists grow on the way."""
    n = 40
    dense = np.diag(np.full(n, 2.0 * n))
    dense[0, 1:], dense[1:, 0] = 1.0, 2.0
    arrow = scipy.sparse.csc_array(dense)
    pattern, factors = analysed(arrow, natural=True)
    assert [len(p) for p in (pattern.Lp, pattern.Up)] == [n + 1] * 2
    assert (len(pattern.Li), len(pattern.Ui)) == (n * (n - 1) // 2,) * 2
    assert sparse_lu.factorise(pattern, arrow.data, 1e-9, factors) == -1
    b, x = np.arange(1.0, n + 1.0), np.zeros(n)
    sparse_lu.solve(pattern, factors, b, x)
    assert arrow @ x == pytest.approx(b, abs=1e-12)


def test_a_pivot_that_fails_is_told():
    """[[ε, 1], [1, 1]] behind a 1, in natural order: fine with ε = 1/2, hopeless with 0 and with less than is asked."""
    pattern, factors = analysed(scipy.sparse.csc_array([[1.0, 0, 0], [0, 0.5, 1.0], [0, 1.0, 1.0]]), natural=True)
    for eps, told in ((0.5, -1), (0.0, 1), (2e-7, -1), (0.5e-7, 1)):
        assert sparse_lu.factorise(pattern, np.array([1.0, eps, 1.0, 1.0, 1.0]), 1e-7, factors) == told


def test_whole_numbers_come_out_whole():
    """L and U of whole numbers, a solution of ones, and one of ones and nothing: no rounding anywhere."""
    L, U = np.array([[1.0, 0, 0], [2, 1, 0], [1, 3, 1]]), np.array([[1.0, 1, 2], [0, 1, 1], [0, 0, 1]])
    K = scipy.sparse.csc_array(L @ U)
    pattern, factors = analysed(K, natural=True)
    assert sparse_lu.factorise(pattern, K.data, 1e-9, factors) == -1
    out = np.zeros(3)
    for wanted in (np.ones(3), np.array([1.0, 0.0, 1.0])):
        sparse_lu.solve(pattern, factors, K @ wanted, out)
        assert out.tolist() == wanted.tolist()


def test_rows_of_u_are_its_columns_read_the_other_way():
    pattern, _ = analysed(saddle(1))
    of_columns = [
        (int(i), j) for j in range(len(pattern.Up) - 1) for i in pattern.Ui[pattern.Up[j] : pattern.Up[j + 1]]
    ]
    Rp, Rj, Rs = sparse_lu.rows_of(len(pattern.Up) - 1, pattern.Up, pattern.Ui)
    of_rows = [(i, int(j)) for i in range(len(Rp) - 1) for j in Rj[Rp[i] : Rp[i + 1]]]
    assert of_rows == sorted(of_columns)
    assert [of_columns[s] for s in Rs] == of_rows


def chain(wide: int) -> scipy.sparse.csc_array:
    """A chain of full blocks, as nodes of a wire are."""
    rng = np.random.default_rng(wide)
    blocks = np.kron(np.eye(5) + np.eye(5, k=1) + np.eye(5, k=-1), np.ones((wide, wide)))
    return scipy.sparse.csc_array(blocks * rng.uniform(-1.0, 1.0, blocks.shape) + 4.0 * wide * np.eye(5 * wide))


def column_by_column(pattern: sparse_lu.Pattern, factors: sparse_lu.Factors, b: np.ndarray) -> list[float]:
    """U⁻¹ L⁻¹ b by the book: each unknown, once found, is taken from all others at once."""
    n, x = len(b), [0.0] * len(b)
    for i in range(n):
        x[pattern.row_of[i]] = float(b[i])
    for j in range(n):
        for s in range(pattern.Lp[j], pattern.Lp[j + 1]):
            x[pattern.Li[s]] -= float(factors.L[s]) * x[j]
    for j in range(n - 1, -1, -1):
        x[j] /= float(factors.pivot[j])
        for s in range(pattern.Up[j], pattern.Up[j + 1]):
            x[pattern.Ui[s]] -= float(factors.U[s]) * x[j]
    found = [0.0] * n
    for j in range(n):
        found[pattern.column[j]] = x[j]
    return found


@pytest.mark.parametrize(
    "K", [*(chain(n) for n in (1, 4, 6, 7, 13)), saddle(3), saddle(4, 90, 20)], ids=lambda K: f"{K.shape[0]}"
)
@pytest.mark.parametrize("natural", [True, False], ids=["natural", "by pivots"])
def test_substitution_by_panels_keeps_every_bit(K, natural):
    """Through singular positions a last digit decides whether steps converge: six rows at once must not change it."""
    pattern, factors = analysed(K, natural=natural)
    assert sparse_lu.factorise(pattern, K.data, 1e-9, factors) == -1
    b, x = np.random.default_rng(5).standard_normal(K.shape[0]), np.zeros(K.shape[0])
    sparse_lu.solve(pattern, factors, b, x)
    assert x.tolist() == column_by_column(pattern, factors, b)


def test_nodes_of_six_coordinates_make_panels():
    """Otherwise nothing is gained: five nodes, each with six rows that hold the same columns."""
    _, factors = analysed(chain(6), natural=True)
    assert [len(panels.row) for panels in (factors.lower, factors.upper)] == [5, 5]
