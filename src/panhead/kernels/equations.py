"""The terms of M a + g_qᵀ lam = f, g = 0 at one state, dense, from tables of elements.

``evaluate`` writes M (nq·nq), f (nq), g (nc), g_t (nc), g_q (nc·nq), gamma (nc) one behind the other; the
tangents come as full matrices too. For systems of some hundred coordinates.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from panhead.kernels.compiling import inner
from panhead.kernels.families import (
    ELEMENTS,
    IDX,
    LANES,
    LOCAL,
    NG,
    NS,
    K,
    M,
    N,
    Tables,
    Work,
    add_account,
    add_residual,
    call_at,
    gather,
)
from panhead.kernels.slides import Slides, follow

_MASS = (1.0, 0.0, 0.0)


class Equations(NamedTuple):
    """A system for kernels that march over dense terms."""

    tables: Tables
    work: Work
    slides: Slides
    explicit: np.ndarray  # (nf,) addresses: f, g, g_t, gamma, entries of M, of g_q; 0: see _by_tangent
    mass: np.ndarray  # (nf, 2) entries of M of an element, first of ``local``
    local: np.ndarray  # (2, ·) rows and columns of entries of M within an element
    nothing: np.ndarray  # (nq + nc + nu,) zeros
    account: np.ndarray  # (5,) room for T, V and three powers


@inner
def _follow(eq, t, q):
    if eq.slides.rows.shape[0] > 0:
        follow(eq.tables, eq.work, eq.slides, t, q, eq.nothing)


@inner
def _add_mass_and_jacobian(eq, f, first, lane, at, places, columns, ns, g_first, nq, A, G):
    """Entries of M and g_q from work.y[at …] into A (nq·nq) and G (nc·nq), both flat."""
    tables, y = eq.tables, eq.work.y
    n = tables.sizes[f, N]
    for i in range(ns):
        row, column = tables.idx[first + places[i]], tables.idx[first + columns[i]]
        A[row * nq + column] += y[(at + i) * LANES + lane]
    at += ns
    for i in range(tables.sizes[f, NG]):
        row = tables.idx[first + n + tables.local[0, g_first + i]] - nq
        column = tables.idx[first + tables.local[1, g_first + i]]
        G[row * nq + column] += y[(at + i) * LANES + lane]


@inner
def _by_tangent(eq, f, e, nq, t, q, v, u, A, force, G):
    """M and f of hand-written rows (no constraints) by their residual and tangent."""
    tables, work, zero = eq.tables, eq.work, eq.nothing
    n, ns, local = tables.sizes[f, N], tables.sizes[f, NS], tables.sizes[f, LOCAL]
    width, lanes = n + tables.sizes[f, K], min(LANES, tables.sizes[f, ELEMENTS] - e)
    gather(tables, work, f, e, t, _MASS, q, v, zero, zero, u)
    call_at(tables.residual[f], work.x, work.y)
    for lane in range(lanes):
        first = tables.sizes[f, IDX] + (e + lane) * width
        for i in range(n):
            force[tables.idx[first + i]] -= work.y[i * LANES + lane]
    call_at(tables.tangent[f], work.x, work.y)
    rows, columns = tables.local[0, local : local + ns], tables.local[1, local : local + ns]
    for lane in range(lanes):
        first = tables.sizes[f, IDX] + (e + lane) * width
        _add_mass_and_jacobian(eq, f, first, lane, 0, rows, columns, ns, local + ns, nq, A, G)


@njit(cache=True)
def split(out, nq, nc):
    """M, f, g, g_t, g_q, gamma as views of the flat output."""
    i = nq * nq
    A = out[:i].reshape(nq, nq)
    f = out[i : i + nq]
    i += nq
    g = out[i : i + nc]
    g_t = out[i + nc : i + 2 * nc]
    i += 2 * nc
    G = out[i : i + nc * nq].reshape(nc, nq)
    i += nc * nq
    return A, f, g, g_t, G, out[i : i + nc]


@njit(cache=True)
def evaluate(eq, t, x, u, out):
    """out = M, f, g, g_t, g_q, gamma at x = (q, v)."""
    nq = x.shape[0] // 2
    nc = eq.nothing.shape[0] - nq - u.shape[0]
    q, v, zero, tables, work = x[:nq], x[nq:], eq.nothing, eq.tables, eq.work
    _follow(eq, t, q)
    for i in range(out.shape[0]):
        out[i] = 0.0
    i = nq * nq
    A, force = out[:i], out[i : i + nq]
    i += nq
    rates = out[i : i + 2 * nc]  # g and g_t
    G, gamma = out[i + 2 * nc : i + 2 * nc + nc * nq], out[i + 2 * nc + nc * nq :]
    for f in range(tables.sizes.shape[0]):
        count, n, m = tables.sizes[f, ELEMENTS], tables.sizes[f, N], tables.sizes[f, M]
        width, ns = n + m + tables.sizes[f, K], eq.mass[f, 0]
        g_first = tables.sizes[f, LOCAL] + tables.sizes[f, NS]
        rows = eq.local[0, eq.mass[f, 1] : eq.mass[f, 1] + ns]
        columns = eq.local[1, eq.mass[f, 1] : eq.mass[f, 1] + ns]
        for e in range(0, count, LANES):
            if eq.explicit[f] == 0:
                _by_tangent(eq, f, e, nq, t, q, v, u, A, force, G)
                continue
            gather(tables, work, f, e, t, _MASS, q, v, zero, zero, u)
            call_at(eq.explicit[f], work.x, work.y)
            for lane in range(min(LANES, count - e)):
                first = tables.sizes[f, IDX] + (e + lane) * width
                for i in range(n):
                    force[tables.idx[first + i]] += work.y[i * LANES + lane]
                for i in range(m):
                    row = tables.idx[first + n + i] - nq
                    rates[row] += work.y[(n + i) * LANES + lane]
                    rates[nc + row] += work.y[(n + m + i) * LANES + lane]
                    gamma[row] += work.y[(n + 2 * m + i) * LANES + lane]
                _add_mass_and_jacobian(
                    eq, f, first, lane, n + 3 * m, rows, columns, ns, g_first, nq, A, G
                )


@njit(cache=True)
def residual(eq, t, q, v, a, lam, u, out):
    """out = (M a − f + g_qᵀ lam, g), (nq + nc,)."""
    _follow(eq, t, q)
    for i in range(out.shape[0]):
        out[i] = 0.0
    add_residual(eq.tables, eq.work, t, q, v, a, lam, u, out)


@njit(cache=True)
def tangent(eq, c, t, q, v, a, lam, u, A, G):
    """A = c_a ∂r/∂a + c_v ∂r/∂v + c_q ∂r/∂q, (nq, nq), and G = g_q, (nc, nq)."""
    tables, work, nq = eq.tables, eq.work, q.shape[0]
    _follow(eq, t, q)
    flat_A, flat_G = A.reshape(A.size), G.reshape(G.size)
    flat_A[:] = 0.0
    flat_G[:] = 0.0
    for f in range(tables.sizes.shape[0]):
        count, ns, local = tables.sizes[f, ELEMENTS], tables.sizes[f, NS], tables.sizes[f, LOCAL]
        width = tables.sizes[f, N] + tables.sizes[f, M] + tables.sizes[f, K]
        rows, columns = tables.local[0, local : local + ns], tables.local[1, local : local + ns]
        for e in range(0, count, LANES):
            gather(tables, work, f, e, t, c, q, v, a, lam, u)
            call_at(tables.tangent[f], work.x, work.y)
            for lane in range(min(LANES, count - e)):
                first = tables.sizes[f, IDX] + (e + lane) * width
                _add_mass_and_jacobian(
                    eq, f, first, lane, 0, rows, columns, ns, local + ns, nq, flat_A, flat_G
                )


@njit(cache=True)
def powers(eq, t, x, u, a, lam, out):
    """out (3,) = power of drivers, of controls, dissipated."""
    nq = a.shape[0]
    for i in range(5):
        eq.account[i] = 0.0
    add_account(eq.tables, eq.work, True, t, x[:nq], x[nq:], a, lam, u, eq.account)
    for i in range(3):
        out[i] = eq.account[2 + i]
