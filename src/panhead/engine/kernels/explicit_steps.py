"""Explicit time stepping of a compiled system: all steps of a chunk without returning to Python."""

import numpy as np

from panhead.engine.jit.compiler import part, whole
from panhead.engine.kernels.constrained_acceleration import (
    EMBEDDED,
    NOT_FINITE,
    OFF_THE_WIRE,
    OK,
    SINGULAR,
    choose_coordinates,
)
from panhead.engine.kernels.sliders import off_the_wire
from panhead.engine.kernels.state_rate import correct, rates_of


@part()
def all_finite(y):
    """True if no entry is NaN or infinite."""
    for value in y:
        if not np.isfinite(value):
            return False
    return True


@part()
def interpolate(u_grid, step, fraction, u):
    """u between two grid samples, linear."""
    for i in range(u.shape[0]):
        u[i] = (1.0 - fraction) * u_grid[step, i] + fraction * u_grid[step + 1, i]


@part()
def _step(eq, form, t, dt, y, u_grid, step, u, nc, work, a, lam, k):
    """y += dt ẏ(t, y), or the classical fourth-order step             [Pappalardo20, eqs (21)–(23)]

    with the factor dt that the printed stages lack. k (6, n) holds the stages, k[5] the start.
    """
    y_stage, y_start = k[4], k[5]
    for i in range(y.shape[0]):
        y_start[i] = y[i]
    for s in range(form.stages):
        c = 0.0 if s == 0 else (1.0 if s == 3 else 0.5)
        for i in range(y.shape[0]):
            y_stage[i] = y_start[i] + (c * dt * k[s - 1, i] if s > 0 else 0.0)
        interpolate(u_grid, step, c, u)
        status = rates_of(eq, form, t + c * dt, y_stage, u, nc, work, a, lam, k[s])
        if status != OK:
            return status
    for i in range(y.shape[0]):
        if form.stages == 1:
            y[i] = y_start[i] + dt * k[0, i]
        else:
            y[i] = y_start[i] + dt / 6.0 * (k[0, i] + 2.0 * k[1, i] + 2.0 * k[2, i] + k[3, i])
    return OK


@whole
def march(eq, form, t_grid, y, u_grid, u, every, nc, work, a, lam, k, y_out):
    """March over the steps of t_grid (n + 1,), keeping every ``every``-th state in y_out.

    y (2 nq + 3,) = (q, v, work of drivers, work of controls, dissipated) in place; u_grid (n + 1, nu),
    u (nu,) room.
    Returns (status, steps done, switches of independent coordinates).
    """
    nq = a.shape[0]
    x = y[: 2 * nq]
    switches = 0
    for step in range(t_grid.shape[0] - 1):
        t = t_grid[step]
        dt = t_grid[step + 1] - t
        if form.kind == EMBEDDED:
            change = choose_coordinates(eq, t, x, u, nc, work)
            if change < 0:
                return SINGULAR, step, switches
            switches += change
        status = _step(eq, form, t, dt, y, u_grid, step, u, nc, work, a, lam, k)
        if status == OK:
            status = correct(eq, form, t + dt, x, u, nc, work)
        if status == OK and not all_finite(y):
            status = NOT_FINITE
        if status == OK and off_the_wire(eq.slides) >= 0:
            status = OFF_THE_WIRE
        if status != OK:
            return status, step, switches
        if (step + 1) % every == 0:
            for i in range(y.shape[0]):
                y_out[(step + 1) // every - 1, i] = y[i]
    return OK, t_grid.shape[0] - 1, switches
