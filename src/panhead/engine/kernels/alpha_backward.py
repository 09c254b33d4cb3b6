"""Backward sweep of the generalized-α method over dense matrices; the algebra is in ``methods.alpha_adjoint``."""

from typing import NamedTuple

import numpy as np

from panhead.engine.jit.compiler import allocating
from panhead.engine.kernels.dense import lu_solve
from panhead.engine.kernels.element_families import add_tangent, entries, evaluate
from panhead.engine.kernels.sliders import follow


class Series(NamedTuple):
    """A motion, or weights on it, at every grid point."""

    q: np.ndarray  # (steps + 1, nq)
    v: np.ndarray
    c: np.ndarray  # q̈
    lam: np.ndarray  # (steps + 1, nc)


class Cotangents(NamedTuple):
    """Adjoints of q, v and of the method's a and c at one grid point, (nq,) each."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    c: np.ndarray


@allocating
def sweep(tables, work, slides, by_number, coefficients, t, motion, u, weights, bar, mu, by_p):
    """Sweep from the last step to the first: ``bar`` becomes the adjoints of the start.

    Also written are mu (steps + 1, nq + nc) and by_p (numbers,). ``by_number`` (families,) are addresses of
    ∂(r, g)/∂p. Returns the step whose matrix is singular, 0 if none is.
    """
    alpha_m, alpha_f, gamma, beta = coefficients
    share = (1.0 - alpha_f) / (1.0 - alpha_m)
    nq, nc = motion.q.shape[1], motion.lam.shape[1]
    size = nq + nc
    A, K, C, b = np.zeros((size, size)), np.zeros((size, size)), np.zeros((size, size)), np.zeros((size, 1))
    nothing = np.zeros(size + u.shape[1])
    rows, columns = entries(tables)
    slots, turned = rows * size + columns, columns * size + rows
    for n in range(t.shape[0] - 1, 0, -1):
        q, v, c, lam = motion.q[n], motion.v[n], motion.c[n], motion.lam[n]
        dt = t[n] - t[n - 1]
        h2b = beta * dt * dt
        if follow(tables, work, slides, t[n], q, nothing):
            rows, columns = entries(tables)
            slots, turned = rows * size + columns, columns * size + rows
        A[:], K[:], C[:] = 0.0, 0.0, 0.0
        add_tangent(
            tables, work, turned, t[n], (1.0 / share, gamma * dt, h2b), q, v, c, lam, u[n], A.reshape(size * size)
        )
        add_tangent(tables, work, slots, t[n], (0.0, 0.0, 1.0), q, v, c, lam, u[n], K.reshape(size * size))
        add_tangent(tables, work, slots, t[n], (0.0, 1.0, 0.0), q, v, c, lam, u[n], C.reshape(size * size))
        for i in range(nq):
            bar.q[i] += weights.q[n, i]
            bar.v[i] += weights.v[n, i]
            bar.c[i] += weights.c[n, i]
            b[i, 0] = bar.c[i] / share + bar.a[i] + h2b * bar.q[i] + gamma * dt * bar.v[i]
        for i in range(nc):
            b[nq + i, 0] = weights.lam[n, i]
        if not lu_solve(A, b) > 0.0:
            return n
        for i in range(nc):
            b[nq + i, 0] /= h2b
        mu[n] = b[:, 0]
        for i in range(nq):
            mu1, mu2 = bar.q[i], bar.v[i]
            for j in range(nq):
                mu1 -= K[j, i] * b[j, 0]
                mu2 -= C[j, i] * b[j, 0]
            for j in range(nc):
                mu1 -= K[nq + j, i] * b[nq + j, 0]
            mu3 = (bar.a[i] + h2b * mu1 + gamma * dt * mu2) / (1.0 - alpha_m)
            bar.q[i], bar.v[i] = mu1, dt * mu1 + mu2
            bar.a[i] = dt * dt * (0.5 - beta) * mu1 + dt * (1.0 - gamma) * mu2 - alpha_m * mu3
            bar.c[i] = alpha_f * mu3
        _subtract_numbers(tables, work, by_number, t[n], q, v, c, lam, u[n], b, by_p)
    return 0


@allocating
def _subtract_numbers(tables, work, by_number, t, q, v, c, lam, u, mu, by_p):
    """by_p −= μᵀ ∂(r, g)/∂p of every number of every element."""
    for f in range(tables.sizes.shape[0]):
        count, n, m, k, numbers = tables.sizes[f, :5]
        width, first = n + m, tables.sizes[f, 5]
        blocks = evaluate(tables, work, f, by_number[f], width * numbers, t, q, v, c, lam, u)
        at = tables.sizes[f, 6]
        for e in range(count):
            for i in range(width):
                felt = mu[tables.idx[first + e * (width + k) + i], 0]
                for p in range(numbers):
                    by_p[at + e * numbers + p] -= felt * blocks[e, i * numbers + p]
