"""Generalized-α steps with multipliers and dependent coordinates eliminated from the equations of each step.

    Zᵀ (M q̈₁ − f(t₁, q₁, v₁)) = 0,  Zᵀ g_qᵀ = 0,   g(t₁, q₁) = 0 for the dependent coordinates

v₁ and q̈₁ are the method's functions of q₁ for every coordinate, so that the steps are those of the augmented form.
"""

from typing import NamedTuple

import numpy as np

from panhead.engine.jit.compiler import part, whole
from panhead.engine.kernels.constrained_acceleration import (
    NOT_CONVERGED,
    NOT_FINITE,
    OK,
    SINGULAR,
    DenseRoom,
    embedded,
    solve_dependent_positions,
)
from panhead.engine.kernels.equations import powers, residual, tangent
from panhead.engine.kernels.machine_code_calls import put


class EliminatedState(NamedTuple):
    """A run: the present state and room for a step."""

    x: np.ndarray  # (2 nq,) q, v
    a: np.ndarray  # (nq,) the method's acceleration
    acceleration: np.ndarray  # (nq,) the true one
    lam: np.ndarray  # (nc,)
    power: np.ndarray  # (3,) of drivers, controls, dampers [W]
    energy: np.ndarray  # (3,) the same, integrated [J]
    room: DenseRoom
    r: np.ndarray  # (nq + nc,)
    A: np.ndarray  # (nq, nq)
    G: np.ndarray  # (nc, nq)
    trial: np.ndarray  # (2 nq,)
    step: np.ndarray  # (2, nq) Newton's step, the method's next acceleration
    iterations: np.ndarray  # (1,)


@part()
def _newton(eq, s, m, t, dt, u):
    """Newton on the independent coordinates; the dependent ones are settled after each of its steps."""
    nq, nc = s.a.shape[0], s.lam.shape[0]
    q, v, c = s.x[:nq], s.x[nq:], s.acceleration
    scale, share = m.beta * dt * dt, (1 - m.alpha_f) / (1 - m.alpha_m)
    weights, left, change = (1.0 / share, m.gamma * dt, scale), s.r[:nq], s.step[0]
    change[:] = 0.0
    for _ in range(m.max_iterations + 1):
        # the step, then the dependent coordinates: on the first round those of the predicted state
        for i in range(nq):
            s.trial[i] = q[i] + change[i]
        status = solve_dependent_positions(eq, t, s.trial, u, nc, s.room) if nc else OK
        if status != OK:
            return status
        size = 0.0
        for i in range(nq):
            dq = s.trial[i] - q[i]
            size = max(size, abs(dq))
            q[i] = s.trial[i]
            v[i] += m.gamma / (m.beta * dt) * dq
            c[i] += dq / (scale * share)
        if not np.isfinite(size):
            return NOT_FINITE
        if _ > 0 and size <= m.tolerance:
            return OK
        residual(eq, t, q, v, c, eq.nothing, u, s.r)
        tangent(eq, weights, t, q, v, c, s.lam, u, s.A, s.G)
        for i in range(nq):
            left[i] *= -scale
        for i in range(nc):
            s.r[nq + i] = 0.0
        if embedded(s.A, left, s.G, s.r[nq:], s.room, change, s.lam) != OK:
            return SINGULAR
        for i in range(nc):
            s.lam[i] /= scale
        s.iterations[0] += 1
    return NOT_CONVERGED


@whole
def march(eq, s, m, t, u, first, last, every, kept):
    """Steps first … last − 1 of the grid t; every so many-th state is written into ``kept`` = (x, a, lam, energy).

    m holds the numbers of the method (AlphaNumbers). Returns status and the step it stopped at.
    """
    nq = s.a.shape[0]
    share = (1 - m.alpha_f) / (1 - m.alpha_m)
    q, v, following = s.x[:nq], s.x[nq:], s.step[1]
    for k in range(first, last):
        dt = t[k + 1] - t[k]
        for i in range(nq):
            a, true = s.a[i], s.acceleration[i]
            known = (m.alpha_f * true - m.alpha_m * a) / (1 - m.alpha_m)
            new = known + share * true
            q[i] += dt * v[i] + dt * dt * ((0.5 - m.beta) * a + m.beta * new)
            v[i] += dt * ((1 - m.gamma) * a + m.gamma * new)
            following[i] = known
        status = _newton(eq, s, m, t[k + 1], dt, u[k + 1])
        if status != OK:
            return status, k
        for i in range(nq):
            s.a[i] = following[i] + share * s.acceleration[i]
        before = s.power[0], s.power[1], s.power[2]
        powers(eq, t[k + 1], s.x, u[k + 1], s.acceleration, s.lam, s.power)
        for i in range(3):
            s.energy[i] += 0.5 * dt * (before[i] + s.power[i])
        if (k + 1) % every == 0:
            row = (k + 1) // every
            put(kept[0][row], 0, s.x)
            put(kept[1][row], 0, s.acceleration)
            put(kept[2][row], 0, s.lam)
            put(kept[3][row], 0, s.energy)
    return OK, last
