"""Explicit marching of a compiled system: all steps of a chunk without returning to Python."""

from typing import NamedTuple

import numpy as np
from numba import njit

from panhead.kernels.constrained import (
    EMBEDDED,
    NOT_FINITE,
    OK,
    SINGULAR,
    Work,
    acceleration,
    choose_coordinates,
    project,
    settle,
    split,
    workspace,
)

NO_STABILISATION, BAUMGARTE, PROJECTION = 0, 1, 2


class Method(NamedTuple):
    """What a chunk of steps is marched with; numbers only, so that it passes into kernels."""

    stages: int  # 1: explicit Euler, 4: classical Runge–Kutta
    form: int  # SADDLE, RANGE_SPACE or EMBEDDED
    stabilisation: int  # NO_STABILISATION, BAUMGARTE or PROJECTION
    alpha: float  # Baumgarte's α [1/s]
    beta: float  # Baumgarte's β [1/s]


@njit(cache=True)
def rates(terms, powers, method, t, y, u, p, nc, work, a, lam, y_dot):
    """ẏ of y = (q, v, W): velocities, accelerations and the three powers; a and lam on the side.

    With the embedded formulation y is first brought onto the constraints, in place.
    """
    nq = a.shape[0]
    x = y[: 2 * nq]
    if method.form == EMBEDDED:
        status = settle(terms, t, x, u, p, nc, work)
        if status != OK:
            return status
    terms(t, x, u, p, work.out)
    status = acceleration(method.form, work.out, x[nq:], method.alpha, method.beta, work, a, lam)
    if status != OK:
        return status
    for i in range(nq):
        y_dot[i] = x[nq + i]
        y_dot[nq + i] = a[i]
    powers(t, x, u, p, a, lam, y_dot[2 * nq :])
    return OK


@njit(cache=True)
def all_finite(y):
    """Whether no entry is NaN or infinite."""
    for value in y:
        if not np.isfinite(value):
            return False
    return True


@njit(cache=True)
def interpolate(u_grid, step, fraction, u):
    """u between two grid samples, linear."""
    for i in range(u.shape[0]):
        u[i] = (1.0 - fraction) * u_grid[step, i] + fraction * u_grid[step + 1, i]


@njit(cache=True)
def step_euler(terms, powers, method, t, dt, y, u_grid, step, u, p, nc, work, a, lam, k):
    """y += dt ẏ(t, y)                                          [Pappalardo20, eq. (21)]"""
    interpolate(u_grid, step, 0.0, u)
    status = rates(terms, powers, method, t, y, u, p, nc, work, a, lam, k[0])
    if status == OK:
        for i in range(y.shape[0]):
            y[i] += dt * k[0, i]
    return status


@njit(cache=True)
def step_rk4(terms, powers, method, t, dt, y, u_grid, step, u, p, nc, work, a, lam, k):
    """The classical fourth-order step                          [Pappalardo20, eqs (22)–(23)]

    with the factor dt that the printed stages lack. k (6, n) holds the stages, k[5] the start.
    """
    y_stage, y_start = k[4], k[5]
    for i in range(y.shape[0]):
        y_start[i] = y[i]
    fraction = (0.0, 0.5, 0.5, 1.0)
    for s in range(4):
        c = fraction[s]
        for i in range(y.shape[0]):
            y_stage[i] = y_start[i] + (c * dt * k[s - 1, i] if s > 0 else 0.0)
        interpolate(u_grid, step, c, u)
        status = rates(terms, powers, method, t + c * dt, y_stage, u, p, nc, work, a, lam, k[s])
        if status != OK:
            return status
    for i in range(y.shape[0]):
        y[i] = y_start[i] + dt / 6.0 * (k[0, i] + 2.0 * k[1, i] + 2.0 * k[2, i] + k[3, i])
    return OK


@njit(cache=True)
def march(terms, powers, method, t_grid, y, u_grid, p, every, nc, work, a, lam, k, y_out):
    """March over the steps of t_grid (n + 1,), keeping every ``every``-th state in y_out.

    y (2 nq + 3,) = (q, v, work of drivers, work of controls, dissipated) in place; u_grid (n + 1, nu).
    Returns (status, steps done, switches of independent coordinates).
    """
    nq = a.shape[0]
    x = y[: 2 * nq]
    u = np.zeros(u_grid.shape[1])
    switches = 0
    for step in range(t_grid.shape[0] - 1):
        t = t_grid[step]
        dt = t_grid[step + 1] - t
        if method.form == EMBEDDED:
            change = choose_coordinates(terms, t, x, u, p, nc, work)
            if change < 0:
                return SINGULAR, step, switches
            switches += change
        if method.stages == 1:
            status = step_euler(
                terms, powers, method, t, dt, y, u_grid, step, u, p, nc, work, a, lam, k
            )
        else:
            status = step_rk4(
                terms, powers, method, t, dt, y, u_grid, step, u, p, nc, work, a, lam, k
            )
        if status == OK and method.form == EMBEDDED:
            status = settle(terms, t + dt, x, u, p, nc, work)
        elif status == OK and method.stabilisation == PROJECTION:
            status = project(terms, t + dt, x, u, p, nc, work)
        if status == OK and not all_finite(y):
            status = NOT_FINITE
        if status != OK:
            return status, step, switches
        if (step + 1) % every == 0:
            for i in range(y.shape[0]):
                y_out[(step + 1) // every - 1, i] = y[i]
    return OK, t_grid.shape[0] - 1, switches


@njit(cache=True)
def observe(terms, form, t, x, u, p, nc, work, a, lam, g, g_dot):
    """Accelerations, multipliers and both residuals at n states of a motion.

    t (n,), x (n, 2 nq), u (n, nu), a (n, nq), lam, g, g_dot (n, nc). Returns a status.
    """
    nq = a.shape[1]
    for n in range(t.shape[0]):
        if form == EMBEDDED:
            choose_coordinates(terms, t[n], x[n], u[n], p, nc, work)
        terms(t[n], x[n], u[n], p, work.out)
        M, f, residual, g_t, G, gamma = split(work.out, nq, nc)
        for k in range(nc):
            g[n, k] = residual[k]
            rate = g_t[k]
            for j in range(nq):
                rate += G[k, j] * x[n, nq + j]
            g_dot[n, k] = rate
        status = acceleration(form, work.out, x[n, nq:], 0.0, 0.0, work, a[n], lam[n])
        if status != OK:
            return status
    return OK


def scratch(nq: int, nc: int) -> tuple[Work, np.ndarray, np.ndarray, np.ndarray]:
    """Work, a, lam and stages for ``march``."""
    return workspace(nq, nc), np.zeros(nq), np.zeros(nc), np.zeros((6, 2 * nq + 3))
