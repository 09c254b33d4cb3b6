"""Accelerations and multipliers of a constrained system from its terms, and projection onto g = 0.

    [M   Gᵀ] [a  ]   [f    ]
    [G   0 ] [lam] = [gamma]                                   [Pappalardo20, eq. (14)]

Every function reads the flat output of ``panhead.engine.kernels.equations.evaluate``: M (nq·nq), f (nq), g (nc),
g_t (nc), G (nc·nq), gamma (nc).
"""

from typing import NamedTuple

import numpy as np

from panhead.engine.jit.compiler import part
from panhead.engine.kernels.dense import cholesky, cholesky_solve, dependent_columns, lu_solve
from panhead.engine.kernels.equations import evaluate, split

SADDLE, RANGE_SPACE, EMBEDDED, ELIMINATED = 0, 1, 2, 3  # the last: embedded with a given split
OK, SINGULAR, NOT_CONVERGED, NOT_FINITE, OFF_THE_WIRE, MOVING = range(6)

#: A pivot below this share of the largest entry of G makes new independent coordinates worth choosing.
SWITCH_BELOW = 0.3
#: Newton iterations allowed when a configuration is brought back onto its constraints.
MAX_ITERATIONS = 20
#: Step of the Newton correction, relative to the size of q, below which it has converged.
CORRECTION_TOLERANCE = 1e-14


class DenseRoom(NamedTuple):
    """Scratch arrays of one run; the split of coordinates is kept between calls."""

    out: np.ndarray  # (nq² + nq + 3 nc + nc·nq,) output of evaluate
    A: np.ndarray  # (nq + nc, nq + nc)
    b: np.ndarray  # (nq + nc, 1)
    Y: np.ndarray  # (nq, nc + 1)
    R: np.ndarray  # (nq, nq − nc + 1)
    G_work: np.ndarray  # (nc, nq)
    dependent: np.ndarray  # (nc,) int64; dependent[0] = −1: not chosen yet
    independent: np.ndarray  # (nq − nc,) int64, ascending
    now: np.ndarray  # (nq − nc,) int64, a new choice


def workspace(nq: int, nc: int) -> DenseRoom:
    """Scratch arrays for a system of nq coordinates and nc constraints."""
    n, free = nq + nc, max(nq - nc, 0)
    return DenseRoom(
        np.zeros(nq * nq + nq + 3 * nc + nc * nq),
        np.zeros((n, n)),
        np.zeros((n, 1)),
        np.zeros((nq, nc + 1)),
        np.zeros((nq, free + 1)),
        np.zeros((nc, nq)),
        np.full(nc, -1, np.int64),
        np.zeros(free, np.int64),
        np.zeros(free, np.int64),
    )


@part()
def fill_saddle(M, G, A):
    """A = [[M, Gᵀ], [G, 0]]."""
    nq, nc = M.shape[0], G.shape[0]
    for i in range(nq):
        for j in range(nq):
            A[i, j] = M[i, j]
    for k in range(nc):
        for j in range(nq):
            A[nq + k, j] = G[k, j]
            A[j, nq + k] = G[k, j]
        for j in range(nc):
            A[nq + k, nq + j] = 0.0


@part()
def saddle(M, f, G, gamma, work, a, lam):
    """Solve the augmented system whole, eq. (14)."""
    nq, nc = M.shape[0], G.shape[0]
    fill_saddle(M, G, work.A)
    for i in range(nq):
        work.b[i, 0] = f[i]
    for k in range(nc):
        work.b[nq + k, 0] = gamma[k]
    if lu_solve(work.A, work.b) == 0.0:
        return SINGULAR
    for i in range(nq):
        a[i] = work.b[i, 0]
    for k in range(nc):
        lam[k] = work.b[nq + k, 0]
    return OK


@part()
def range_space(M, f, G, gamma, work, a, lam):
    """Eliminate a first, eq. (16): lam = (G M⁻¹ Gᵀ)⁻¹ (G M⁻¹ f − gamma); M positive definite."""
    nq, nc = M.shape[0], G.shape[0]
    L = work.A[:nq, :nq]
    for i in range(nq):
        for j in range(nq):
            L[i, j] = M[i, j]
    if not cholesky(L):
        return SINGULAR
    Y = work.Y  # columns of M⁻¹ Gᵀ, then M⁻¹ f
    for i in range(nq):
        for k in range(nc):
            Y[i, k] = G[k, i]
        Y[i, nc] = f[i]
    cholesky_solve(L, Y)
    S = work.A[nq:, nq:]
    for k in range(nc):
        s = -gamma[k]
        for i in range(nq):
            s += G[k, i] * Y[i, nc]
        work.b[nq + k, 0] = s
        for j in range(nc):
            s = 0.0
            for i in range(nq):
                s += G[k, i] * Y[i, j]
            S[k, j] = s
    if nc and lu_solve(S, work.b[nq:]) == 0.0:
        return SINGULAR
    for k in range(nc):
        lam[k] = work.b[nq + k, 0]
    for i in range(nq):
        s = Y[i, nc]
        for k in range(nc):
            s -= Y[i, k] * lam[k]
        a[i] = s
    return OK


@part()
def solve_dependent(G, dep, rhs, A):
    """Solve G[:, dep] y = rhs in place for the columns of rhs (nc, m)."""
    nc = G.shape[0]
    for i in range(nc):
        for j in range(nc):
            A[i, j] = G[i, dep[j]]
    return lu_solve(A[:nc, :nc], rhs)


@part()
def embedded(M, f, G, gamma, work, a, lam):
    """Accelerations of the independent coordinates only, by the null space of G.

    a = R a_i + s with G R = 0, G s = gamma;  (Rᵀ M R) a_i = Rᵀ (f − M s).
    The multipliers follow from the dependent rows: G_dᵀ lam = (f − M a)_d.
    """
    nq, nc = M.shape[0], G.shape[0]
    ni = nq - nc
    dep, ind, R, Y = work.dependent, work.independent, work.R, work.Y
    rhs = work.G_work[:, : ni + 1]
    for k in range(nc):
        for j in range(ni):
            rhs[k, j] = -G[k, ind[j]]
        rhs[k, ni] = gamma[k]
    if nc and solve_dependent(G, dep, rhs, work.A) == 0.0:
        return SINGULAR
    for i in range(nq):
        for j in range(ni + 1):
            R[i, j] = 0.0
    for j in range(ni):
        R[ind[j], j] = 1.0
    for k in range(nc):
        for j in range(ni + 1):
            R[dep[k], j] = rhs[k, j]
    for i in range(nq):  # f − M s
        s = f[i]
        for j in range(nq):
            s -= M[i, j] * R[j, ni]
        Y[i, 0] = s
    for i in range(ni):
        s = 0.0
        for k in range(nq):
            s += R[k, i] * Y[k, 0]
        work.b[i, 0] = s
        for j in range(ni):
            s = 0.0
            for k in range(nq):
                if R[k, i] != 0.0:
                    for m in range(nq):
                        s += R[k, i] * M[k, m] * R[m, j]
            work.A[i, j] = s
    if ni and lu_solve(work.A[:ni, :ni], work.b[:ni]) == 0.0:
        return SINGULAR
    for i in range(nq):
        s = R[i, ni]
        for j in range(ni):
            s += R[i, j] * work.b[j, 0]
        a[i] = s
    for k in range(nc):
        s = f[dep[k]]
        for j in range(nq):
            s -= M[dep[k], j] * a[j]
        work.b[k, 0] = s
        for j in range(nc):
            work.A[k, j] = G[j, dep[k]]
    if nc and lu_solve(work.A[:nc, :nc], work.b[:nc]) == 0.0:
        return SINGULAR
    for k in range(nc):
        lam[k] = work.b[k, 0]
    return OK


@part()
def acceleration(form, out, v, alpha, beta, work, a, lam):
    """a and lam by the chosen formulation, with Baumgarte's correction of gamma:

    g̈ + 2α ġ + β² g = 0.
    """
    nq, nc = a.shape[0], lam.shape[0]
    M, f, g, g_t, G, gamma = split(out, nq, nc)
    if alpha != 0.0 or beta != 0.0:
        for k in range(nc):
            rate = g_t[k]
            for j in range(nq):
                rate += G[k, j] * v[j]
            gamma[k] -= 2.0 * alpha * rate + beta * beta * g[k]
    if form == SADDLE:
        return saddle(M, f, G, gamma, work, a, lam)
    if form == RANGE_SPACE:
        return range_space(M, f, G, gamma, work, a, lam)
    return embedded(M, f, G, gamma, work, a, lam)


@part()
def smallest_pivot(G, work):
    """Smallest pivot of the dependent columns, as a share of the largest entry of G."""
    nc, nq = G.shape
    largest = 0.0
    for k in range(nc):
        for j in range(nq):
            largest = max(largest, abs(G[k, j]))
    if solve_dependent(G, work.dependent, work.G_work[:, :1], work.A) == 0.0:
        return 0.0
    smallest = largest
    for k in range(nc):
        smallest = min(smallest, abs(work.A[k, k]))
    return smallest / largest


@part()
def choose_coordinates(eq, t, x, u, nc, work):
    """Keep the split of coordinates while it is good; choose anew where it has grown bad.

    Returns 0 if the split was kept, 1 if it changed, −1 if the constraints depend on one another.
    """
    nq = x.shape[0] // 2
    evaluate(eq, t, x, u, work.out)
    M, f, g, g_t, G, gamma = split(work.out, nq, nc)
    if nc == 0:
        for j in range(nq):
            work.independent[j] = j
        return 0
    first = work.dependent[0] < 0
    if not first and smallest_pivot(G, work) > SWITCH_BELOW:
        return 0
    change = 0
    if dependent_columns(G, work.G_work, work.dependent, work.now) < 1e-12:
        return -1
    for j in range(nq - nc):
        if work.independent[j] != work.now[j]:
            change = 1
        work.independent[j] = work.now[j]
    return 0 if first else change


@part()
def _is_converged(largest, size, iteration):
    """True if this correction of coordinates, ``largest`` relative to their ``size``, was the last."""
    if not np.isfinite(largest):
        return NOT_FINITE
    if largest <= CORRECTION_TOLERANCE * size:
        return OK
    if iteration + 1 < MAX_ITERATIONS:
        return MOVING
    return OK if largest <= 1e3 * CORRECTION_TOLERANCE * size else NOT_CONVERGED


@part()
def solve_dependent_positions(eq, t, x, u, nc, work):
    """Solve the dependent coordinates from the independent ones, x = (q, v) in place."""
    nq = x.shape[0] // 2
    dep = work.dependent
    status = MOVING
    for iteration in range(MAX_ITERATIONS):
        evaluate(eq, t, x, u, work.out)
        M, f, g, g_t, G, gamma = split(work.out, nq, nc)
        for k in range(nc):
            work.b[k, 0] = -g[k]
        if solve_dependent(G, dep, work.b[:nc], work.A) == 0.0:
            return SINGULAR
        largest, size = 0.0, 1.0
        for k in range(nc):
            x[dep[k]] += work.b[k, 0]
            largest = max(largest, abs(work.b[k, 0]))
            size = max(size, abs(x[dep[k]]))
        status = _is_converged(largest, size, iteration)
        if status != MOVING:
            break
    return status


@part()
def solve_dependent_state(eq, t, x, u, nc, work):
    """Solve the dependent coordinates and rates from the independent ones, x in place."""
    nq = x.shape[0] // 2
    dep = work.dependent
    if nc == 0:
        return OK
    status = solve_dependent_positions(eq, t, x, u, nc, work)
    if status != OK:
        return status
    evaluate(eq, t, x, u, work.out)
    M, f, g, g_t, G, gamma = split(work.out, nq, nc)
    for k in range(nc):
        s = -g_t[k]
        for j in range(work.independent.shape[0]):
            i = work.independent[j]
            s -= G[k, i] * x[nq + i]
        work.b[k, 0] = s
    if solve_dependent(G, dep, work.b[:nc], work.A) == 0.0:
        return SINGULAR
    for k in range(nc):
        x[nq + dep[k]] = work.b[k, 0]
    return OK


@part()
def project(eq, t, x, u, nc, work):
    """Bring x back onto g = 0 and g_q v + g_t = 0, x in place, by the nearest change in M's norm.

    Position: min ½ Δqᵀ M Δq with g(q + Δq) = 0, Newton with the saddle matrix; then the rates alike.
    """
    nq = x.shape[0] // 2
    if nc == 0:
        return OK
    status = MOVING
    for iteration in range(MAX_ITERATIONS):
        evaluate(eq, t, x, u, work.out)
        M, f, g, g_t, G, gamma = split(work.out, nq, nc)
        fill_saddle(M, G, work.A)
        for i in range(nq):
            work.b[i, 0] = 0.0
        for k in range(nc):
            work.b[nq + k, 0] = -g[k]
        if lu_solve(work.A, work.b) == 0.0:
            return SINGULAR
        largest, size = 0.0, 1.0
        for i in range(nq):
            x[i] += work.b[i, 0]
            largest = max(largest, abs(work.b[i, 0]))
            size = max(size, abs(x[i]))
        status = _is_converged(largest, size, iteration)
        if status != MOVING:
            break
    if status != OK:
        return status
    evaluate(eq, t, x, u, work.out)
    M, f, g, g_t, G, gamma = split(work.out, nq, nc)
    fill_saddle(M, G, work.A)
    for i in range(nq):
        work.b[i, 0] = 0.0
    for k in range(nc):
        s = -g_t[k]
        for j in range(nq):
            s -= G[k, j] * x[nq + j]
        work.b[nq + k, 0] = s
    if lu_solve(work.A, work.b) == 0.0:
        return SINGULAR
    for i in range(nq):
        x[nq + i] += work.b[i, 0]
    return OK
