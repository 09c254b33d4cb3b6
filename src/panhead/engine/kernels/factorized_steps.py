"""Time stepping of the factorized form Tᵀ d/dt(T ẋ) = τ, and of the Euler–Lagrange form.

Both march over sampled external variables w. The factorized step never asks for ẇ.
"""

from typing import NamedTuple

import numpy as np

from panhead.engine.jit.compiler import allocating, part, whole
from panhead.engine.kernels.dense import lu_solve
from panhead.engine.kernels.element_families import call_at
from panhead.engine.kernels.machine_code_calls import put

OK, SINGULAR, NOT_CONVERGED, NOT_FINITE = 0, 1, 2, 3

_ITERATIONS = 50
_RANK = 1e-12  # smallest diagonal of R beside the largest column: below it T has lost a column


class PlainCode(NamedTuple):
    """A function of one vector, and room for that vector."""

    address: int
    inputs: np.ndarray


@part()
def _evaluate(terms, t, x, u, w, p, out):
    """out = terms(t, x, u, w, p)."""
    b = terms.inputs
    b[0] = t
    put(b, put(b, put(b, put(b, 1, x), u), w), p)
    call_at(terms.address, b, out)


@part()
def _evaluate_with_rate(terms, t, x, u, w, w_dot, p, out):
    """out = terms(t, x, u, w, w_dot, p)."""
    b = terms.inputs
    b[0] = t
    put(b, put(b, put(b, put(b, put(b, 1, x), u), w), w_dot), p)
    call_at(terms.address, b, out)


class FactorizedRoom(NamedTuple):
    """Scratch of one marching motion; m rows and n columns of T."""

    out: np.ndarray  # (m·n + n,) T and the forces Q as the compiled function writes them
    x: np.ndarray  # (2 n,) trial state (q, v)
    Q0: np.ndarray  # (m, n) orthonormal columns where the step starts
    R0: np.ndarray  # (n, n)
    Q1: np.ndarray  # (m, n) and where it ends
    R1: np.ndarray  # (n, n)
    X: np.ndarray  # (n, n)
    inverse: np.ndarray  # (n, n)
    copy: np.ndarray  # (n, n)
    c0: np.ndarray  # (n,) coordinates of y in Q0
    carried: np.ndarray  # (n,) the same carried into Q1
    c1: np.ndarray  # (n,) and pushed
    scratch: np.ndarray  # (n,)
    v0: np.ndarray  # (n,)
    v1: np.ndarray  # (n,)


@allocating
def workspace(m, n):
    """Arrays for ``march_factorized``."""
    return FactorizedRoom(
        np.zeros(m * n + n),
        np.zeros(2 * n),
        np.zeros((m, n)),
        np.zeros((n, n)),
        np.zeros((m, n)),
        np.zeros((n, n)),
        np.zeros((n, n)),
        np.zeros((n, n)),
        np.zeros((n, n)),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
    )


@whole
def column_product(A, i, B, j):
    """Scalar product of column i of A with column j of B."""
    s = 0.0
    for k in range(A.shape[0]):
        s += A[k, i] * B[k, j]
    return s


@whole
def orthonormalise(T, Q, R):
    """T = Q R with QᵀQ = 1 and R upper triangular; Gram–Schmidt, each column twice.

    T, Q (m, n), R (n, n). Returns False if the columns of T depend on one another.
    """
    m, n = T.shape
    for j in range(n):
        for i in range(m):
            Q[i, j] = T[i, j]
        for k in range(n):
            R[k, j] = 0.0
        for _ in range(2):
            for k in range(j):
                s = column_product(Q, k, Q, j)
                R[k, j] += s
                for i in range(m):
                    Q[i, j] -= s * Q[i, k]
        R[j, j] = np.sqrt(column_product(Q, j, Q, j))
        if not R[j, j] > _RANK * np.sqrt(column_product(T, j, T, j)):
            return False
        for i in range(m):
            Q[i, j] /= R[j, j]
    return True


@whole
def nearest_rotation(X, inverse, copy):
    """X becomes its orthogonal polar factor, X ← ½ (X + X⁻ᵀ) until it rests, in place.

    X, inverse, copy (n, n). Returns False if X is singular: the column spaces are at right angles.
    """
    n = X.shape[0]
    for _ in range(40):
        for i in range(n):
            for j in range(n):
                copy[i, j] = X[i, j]
                inverse[i, j] = 1.0 if i == j else 0.0
        if lu_solve(copy, inverse) < 1e-10:
            return False
        change = 0.0
        for i in range(n):
            for j in range(n):
                new = 0.5 * (X[i, j] + inverse[j, i])
                change = max(change, abs(new - X[i, j]))
                X[i, j] = new
        if change < 1e-15:
            return True
    return True


@whole
def transport(Q0, Q1, c, X, inverse, copy, out):
    """out = U c: coordinates c in the basis Q0 carried into the basis Q1 by the smallest rotation.

    U is the orthogonal polar factor of Q1ᵀ Q0, so |out| = |c|. Q0, Q1 (m, n), c, out (n,).
    """
    n = c.shape[0]
    for i in range(n):
        for j in range(n):
            X[i, j] = column_product(Q1, i, Q0, j)
    if n == 1:  # a rotation of a line is a sign
        if X[0, 0] == 0.0:
            return False
        out[0] = c[0] if X[0, 0] > 0.0 else -c[0]
        return True
    if not nearest_rotation(X, inverse, copy):
        return False
    for i in range(n):
        s = 0.0
        for j in range(n):
            s += X[i, j] * c[j]
        out[i] = s
    return True


@whole
def solve_upper(R, b, out):
    """out = R⁻¹ b."""
    n = b.shape[0]
    for i in range(n - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, n):
            s -= R[i, j] * out[j]
        out[i] = s / R[i, i]


@whole
def add_solve_upper_transposed(R, b, factor, scratch, out):
    """out += factor R⁻ᵀ b."""
    n = b.shape[0]
    for i in range(n):
        s = b[i]
        for j in range(i):
            s -= R[j, i] * scratch[j]
        scratch[i] = s / R[i, i]
    for i in range(n):
        out[i] += factor * scratch[i]


@whole
def copy_if_settled(new, x, start, tol):
    """Copy ``new`` into x[start:]; True if nothing moved by more than tol · max(1, |new|)."""
    change, size = 0.0, 1.0
    for i in range(new.shape[0]):
        change, size = max(change, abs(new[i] - x[start + i])), max(size, abs(new[i]))
        x[start + i] = new[i]
    return change < tol * size


@whole
def transport_half_step(terms, t, h, q, u, w, p, tol, work):
    """q₁ = q + h/2 (v₀ + v₁), v₁ = T₁⁺ y₁, y₁ the smallest rotation of y₀ into the columns of T₁.

    By fixed-point iteration, since T₁ depends on q₁. Leaves q₁ in work.x and y₁ in work.carried.
    """
    n = q.shape[0]
    T = work.out[:-n].reshape(-1, n)
    for i in range(n):
        work.x[i], work.x[n + i] = q[i] + h * work.v0[i], work.v0[i]
    done = False
    for _ in range(_ITERATIONS):
        _evaluate(terms, t, work.x, u, w, p, work.out)
        if not orthonormalise(T, work.Q1, work.R1) or not transport(
            work.Q0, work.Q1, work.c0, work.X, work.inverse, work.copy, work.carried
        ):
            return SINGULAR
        solve_upper(work.R1, work.carried, work.v1)
        if done:
            return OK
        for i in range(n):
            work.scratch[i] = q[i] + 0.5 * h * (work.v0[i] + work.v1[i])
            work.x[n + i] = work.v1[i]
        done = copy_if_settled(work.scratch, work.x, 0, tol)
    return NOT_CONVERGED


@whole
def force_half_step(terms, t, h, u, w, p, tol, work):
    """y += h/2 (T⁺)ᵀ Q at the end of a step, that is c += h/2 R⁻ᵀ Q.

    By fixed-point iteration, since the force may depend on the velocity it makes. Leaves the rates
    in work.v1 and the force in work.out.
    """
    n = work.c0.shape[0]
    force = work.out[-n:]
    done = False
    for _ in range(_ITERATIONS):
        for i in range(n):
            work.c1[i] = work.carried[i]
        add_solve_upper_transposed(work.R1, force, 0.5 * h, work.scratch, work.c1)
        solve_upper(work.R1, work.c1, work.v1)
        if done:
            return OK
        done = copy_if_settled(work.v1, work.x, n, tol)
        _evaluate(terms, t, work.x, u, w, p, work.out)
    return NOT_CONVERGED


@whole
def start_factorized(terms, t, q, v, u, w, p, work):
    """T = Q R at the start, and y = T v in coordinates: c = R v."""
    n = q.shape[0]
    for i in range(n):
        work.x[i], work.x[n + i] = q[i], v[i]
    _evaluate(terms, t, work.x, u, w, p, work.out)
    if not orthonormalise(work.out[:-n].reshape(-1, n), work.Q0, work.R0):
        return SINGULAR
    for i in range(n):
        for j in range(i, n):
            work.c0[i] += work.R0[i, j] * v[j]
    return OK


@allocating
def march_factorized(terms, t, u, w, p, m, tol, q, v):
    """Integral causality without Ṫ: y = T ẋ is pushed, carried to the next column space, pushed.

    terms(t, x, u, w, p, out) writes T (m·n) and the forces Q (n) at x = (q, v).
    t (N,), u (N, nu), w (N, nw), p (np,), q, v (N, n): row 0 is the start, the rest is filled.
    Returns (status, steps done).
    """
    n = q.shape[1]
    work = workspace(m, n)
    status = start_factorized(terms, t[0], q[0], v[0], u[0], w[0], p, work)
    if status != OK:
        return status, 0
    for k in range(q.shape[0] - 1):
        t1, h = t[k + 1], t[k + 1] - t[k]
        add_solve_upper_transposed(work.R0, work.out[-n:], 0.5 * h, work.scratch, work.c0)
        solve_upper(work.R0, work.c0, work.v0)
        status = transport_half_step(terms, t1, h, q[k], u[k + 1], w[k + 1], p, tol, work)
        if status == OK:
            status = force_half_step(terms, t1, h, u[k + 1], w[k + 1], p, tol, work)
        if status == OK and not np.isfinite(work.v1).all():
            status = NOT_FINITE
        if status != OK:
            return status, k
        for i in range(n):
            q[k + 1, i], v[k + 1, i], work.c0[i] = work.x[i], work.v1[i], work.c1[i]
        work.Q0[:, :], work.R0[:, :] = work.Q1, work.R1
    return OK, q.shape[0] - 1


@allocating
def march_euler_lagrange(terms, t, u, w, w_dot, p, q, v):
    """M v̇ = Q − N v by Heun's rule, with N = TᵀṪ that needs ẇ from outside.

    terms(t, x, u, w, w_dot, p, out) writes M (n·n) and Q − N v (n). Shapes as in march_factorized.
    """
    N, n = q.shape
    out, x = np.zeros(n * n + n), np.zeros(2 * n)
    M, a0, a1 = np.zeros((n, n)), np.zeros((n, 1)), np.zeros((n, 1))
    for step in range(N - 1):
        h = t[step + 1] - t[step]
        x[:n], x[n:] = q[step], v[step]
        _evaluate_with_rate(terms, t[step], x, u[step], w[step], w_dot[step], p, out)
        M[:, :], a0[:, 0] = out[: n * n].reshape(n, n), out[n * n :]
        if lu_solve(M, a0) == 0.0:
            return SINGULAR, step
        for i in range(n):
            x[i], x[n + i] = q[step, i] + h * v[step, i], v[step, i] + h * a0[i, 0]
        n1 = step + 1
        _evaluate_with_rate(terms, t[n1], x, u[n1], w[n1], w_dot[n1], p, out)
        M[:, :], a1[:, 0] = out[: n * n].reshape(n, n), out[n * n :]
        if lu_solve(M, a1) == 0.0:
            return SINGULAR, step
        for i in range(n):
            q[step + 1, i] = q[step, i] + 0.5 * h * (v[step, i] + x[n + i])
            v[step + 1, i] = v[step, i] + 0.5 * h * (a0[i, 0] + a1[i, 0])
            if not np.isfinite(v[step + 1, i]):
                return NOT_FINITE, step
    return OK, N - 1
