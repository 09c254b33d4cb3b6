"""A constrained system as ẏ = F(t, y), y = (q, v, work of drivers, of controls, dissipated), and the way back to g = 0.

With the embedded and eliminated forms only independent coordinates count; the others follow from g = 0 and ġ = 0
wherever ẏ is asked for.
"""

from typing import NamedTuple

import numpy as np

from panhead.engine.jit.compiler import allocating, part, whole
from panhead.engine.kernels.constrained_acceleration import (
    EMBEDDED,
    OK,
    SINGULAR,
    acceleration,
    choose_coordinates,
    fill_saddle,
    project,
    solve_dependent,
    solve_dependent_state,
)
from panhead.engine.kernels.dense import lu_solve
from panhead.engine.kernels.equations import evaluate, powers, split, tangent

NO_STABILISATION, BAUMGARTE, PROJECTION = 0, 1, 2


class Form(NamedTuple):
    """Options of the integrated form; numbers only, so that it passes into kernels."""

    stages: int  # of explicit steps: 1 Euler, 4 classical Runge–Kutta
    kind: int  # SADDLE, RANGE_SPACE, EMBEDDED or ELIMINATED
    stabilisation: int  # NO_STABILISATION, BAUMGARTE or PROJECTION
    alpha: float  # Baumgarte's α [1/s]
    beta: float  # Baumgarte's β [1/s]


@part()
def rates_of(eq, form, t, y, u, nc, work, a, lam, y_dot):
    """ẏ of y = (q, v, W): velocities, accelerations and the three powers; a and lam on the side.

    With the embedded formulation y is first brought onto the constraints, in place.
    """
    nq = a.shape[0]
    x = y[: 2 * nq]
    if form.kind >= EMBEDDED:
        status = solve_dependent_state(eq, t, x, u, nc, work)
        if status != OK:
            return status
    evaluate(eq, t, x, u, work.out)
    status = acceleration(form.kind, work.out, x[nq:], form.alpha, form.beta, work, a, lam)
    if status != OK:
        return status
    for i in range(nq):
        y_dot[i] = x[nq + i]
        y_dot[nq + i] = a[i]
    powers(eq, t, x, u, a, lam, y_dot[2 * nq :])
    return OK


@whole
def rates(eq, form, t, y, u, nc, work, a, lam, y_dot):
    """``rates_of``, to be called from Python."""
    return rates_of(eq, form, t, y, u, nc, work, a, lam, y_dot)


@part()
def correct(eq, form, t, x, u, nc, work):
    """x = (q, v) brought back onto the constraints, in place. Returns a status."""
    if form.kind >= EMBEDDED:
        return solve_dependent_state(eq, t, x, u, nc, work)
    if form.stabilisation == PROJECTION:
        return project(eq, t, x, u, nc, work)
    return OK


@whole
def correct_all(eq, form, t, y, u, nc, work):
    """``correct`` for the states y (n, 2 nq + 3) at the times t (n,) with controls u (n, nu), dependent coordinates
    chosen anew where others serve better. Returns (status, state it stopped at, choices changed).
    """
    nq = (y.shape[1] - 3) // 2
    switches = 0
    for n in range(t.shape[0]):
        x = y[n, : 2 * nq]
        if form.kind == EMBEDDED:
            change = choose_coordinates(eq, t[n], x, u[n], nc, work)
            if change < 0:
                return SINGULAR, n, switches
            switches += change
        status = correct(eq, form, t[n], x, u[n], nc, work)
        if status != OK:
            return status, n, switches
    return OK, t.shape[0], switches


@whole
def observe(eq, kind, t, x, u, nc, work, a, lam, g, g_dot):
    """Accelerations, multipliers and both residuals at n states of a motion.

    t (n,), x (n, 2 nq), u (n, nu), a (n, nq), lam, g, g_dot (n, nc). Returns a status.
    """
    nq = a.shape[1]
    for n in range(t.shape[0]):
        if kind == EMBEDDED:
            choose_coordinates(eq, t[n], x[n], u[n], nc, work)
        evaluate(eq, t[n], x[n], u[n], work.out)
        M, f, residual, g_t, G, gamma = split(work.out, nq, nc)
        for k in range(nc):
            g[n, k] = residual[k]
            rate = g_t[k]
            for j in range(nq):
                rate += G[k, j] * x[n, nq + j]
            g_dot[n, k] = rate
        status = acceleration(kind, work.out, x[n, nq:], 0.0, 0.0, work, a[n], lam[n])
        if status != OK:
            return status
    return OK


@part()
def _follow_independent(G, A, work):
    """A (nq, nq) ← A P: how it changes if dependent coordinates follow, δq = P δq_i with G P = 0."""
    nq, nc = A.shape[0], G.shape[0]
    dep, ind, rhs = work.dependent, work.independent, work.G_work
    for k in range(nc):
        for j in range(nq - nc):
            rhs[k, j] = -G[k, ind[j]]
    if nc and solve_dependent(G, dep, rhs[:, : nq - nc], work.A) == 0.0:
        return SINGULAR
    for i in range(nq):
        for j in range(nq - nc):
            for k in range(nc):
                A[i, ind[j]] += A[i, dep[k]] * rhs[k, j]
        for k in range(nc):
            A[i, dep[k]] = 0.0
    return OK


@allocating
def jacobian(eq, form, t, y, u, nc, work, a, lam, J):
    """J = ∂ẏ/∂y (2 nq + 3, 2 nq + 3) without what the curvature of the constraints adds: exact where it is stiff.

    M ∂a + Gᵀ ∂lam = −K ∂q − D ∂v,   G ∂a = −β² G ∂q − 2α G ∂v  (Baumgarte) or 0
    """
    nq = a.shape[0]
    y = y.copy()
    status = rates_of(eq, form, t, y, u, nc, work, a, lam, J[0])
    if status != OK:
        return status
    J[:, :] = 0.0
    M, K, D = np.empty((nq, nq)), np.empty((nq, nq)), np.empty((nq, nq))
    G, I = np.empty((nc, nq)), np.eye(nq)
    q, v = y[:nq], y[nq : 2 * nq]
    tangent(eq, (0.0, 0.0, 1.0), t, q, v, a, lam, u, K, G)
    tangent(eq, (0.0, 1.0, 0.0), t, q, v, a, lam, u, D, G)
    tangent(eq, (1.0, 0.0, 0.0), t, q, v, a, lam, u, M, G)
    if form.kind >= EMBEDDED:
        for A in (K, D, I):
            if _follow_independent(G, A, work) != OK:
                return SINGULAR
    right = np.zeros((nq + nc, 2 * nq))
    for i in range(nq):
        for j in range(nq):
            right[i, j], right[i, nq + j] = -K[i, j], -D[i, j]
            J[i, nq + j] = I[i, j]
    if form.stabilisation == BAUMGARTE and form.kind < EMBEDDED:
        for i in range(nc):
            for j in range(nq):
                right[nq + i, j] = -form.beta * form.beta * G[i, j]
                right[nq + i, nq + j] = -2.0 * form.alpha * G[i, j]
    fill_saddle(M, G, work.A)
    if lu_solve(work.A, right) == 0.0:
        return SINGULAR
    for i in range(nq):
        for j in range(2 * nq):
            J[nq + i, j] = right[i, j]
    return OK
