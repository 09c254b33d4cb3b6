"""Explicit time stepping with outputs, and its exact discrete adjoint.

The forward map is Runge–Kutta (4 or 1 stages) on the index-1 right-hand side with Baumgarte's
stabilisation, z = (a, lam) from S z = b. For a perturbation of the state the derivative of z is
S dz = db − dS z, so that with S w = z̄ the adjoint of one evaluation is the gradient of

    ψ(x, u, p) = w_aᵀ (f − M a − Gᵀ lam) + w_lamᵀ (gamma − G a)     at constant a, lam, w.

Machine code, each a function of one vector: psi of (t, x, u, p, a, lam, w, ab) writes that gradient (x̄, ū, p̄);
outputs of (t, x, u, p, a, lam) the ny outputs; outputs_back of (t, x, u, p, a, lam, y_bar) their adjoint
(x̄, ū, p̄, ā, lam_bar). ab = (α, β).
"""

from typing import NamedTuple

import numpy as np

from panhead.engine.jit.compiler import allocating, part, whole
from panhead.engine.kernels.constrained_acceleration import OK, SADDLE, DenseRoom, acceleration, fill_saddle
from panhead.engine.kernels.dense import lu_solve
from panhead.engine.kernels.element_families import call_at
from panhead.engine.kernels.equations import Equations, evaluate, split
from panhead.engine.kernels.machine_code_calls import put, put_state


class ControlCode(NamedTuple):
    """The compiled functions of one control problem."""

    equations: Equations
    p: np.ndarray  # (np,) all parameters
    psi: int  # addresses
    outputs: int
    outputs_back: int
    inputs: np.ndarray  # room for the longest input


class Tape(NamedTuple):
    """Tape of a segment of K steps for the backward sweep."""

    x: np.ndarray  # (K, stages, 2 nq) stage states
    a: np.ndarray  # (K, stages, nq)
    lam: np.ndarray  # (K, stages, nc)


class Scratch(NamedTuple):
    """Arrays a sweep works with."""

    work: DenseRoom
    k: np.ndarray  # (stages, 2 nq) rates of the stages
    u: np.ndarray  # (nu,)
    w: np.ndarray  # (nq + nc,)
    psi: np.ndarray  # (2 nq + nu + np,)
    back: np.ndarray  # (2 nq + nu + np + nq + nc,)
    x_bar: np.ndarray  # (2 nq,)
    k_bar: np.ndarray  # (stages, 2 nq)


@whole
def solve_state(functions, t, x, u, ab, work, a, lam):
    """a and lam at one state."""
    nq = a.shape[0]
    evaluate(functions.equations, t, x, u, work.out)
    return acceleration(SADDLE, work.out, x[nq:], ab[0], ab[1], work, a, lam)


@part()
def observe(functions, t, x, u, a, lam, y):
    """y = the outputs at one node."""
    put_state(functions.inputs, t, x, u, functions.p, a, lam)
    call_at(functions.outputs, functions.inputs, y)


@whole
def mix(u_grid, n, c, u):
    """u at the share c of step n."""
    for i in range(u.shape[0]):
        u[i] = (1.0 - c) * u_grid[n, i] + c * u_grid[n + 1, i]


@whole
def stage_share(stages, s):
    """c of stage s: 0, ½, ½, 1, or 0 for Euler's method."""
    if stages == 1 or s == 0:
        return 0.0
    return 1.0 if s == 3 else 0.5


@whole
def step(functions, t, dt, x, u_grid, n, ab, s, x_tape, a_tape, lam_tape):
    """One step, x in place; stage states, accelerations and multipliers go to the tape."""
    stages, m = x_tape.shape
    nq = m // 2
    for i in range(stages):
        c = stage_share(stages, i)
        for j in range(m):
            x_tape[i, j] = x[j] + (c * dt * s.k[i - 1, j] if i > 0 else 0.0)
        mix(u_grid, n, c, s.u)
        status = solve_state(functions, t + c * dt, x_tape[i], s.u, ab, s.work, a_tape[i], lam_tape[i])
        if status != OK:
            return status
        for j in range(nq):
            s.k[i, j] = x_tape[i, nq + j]
            s.k[i, nq + j] = a_tape[i, j]
    for j in range(m):
        if stages == 1:
            x[j] += dt * s.k[0, j]
        else:
            x[j] += dt / 6.0 * (s.k[0, j] + 2.0 * s.k[1, j] + 2.0 * s.k[2, j] + s.k[3, j])
    return OK


@whole
def forward(functions, t, x, u_grid, ab, s, tape, every, kept, y):
    """March over all steps. kept (ceil(N / every), 2 nq): start of each segment; y (N + 1, ny).

    Returns (status, steps done). The last outputs are taken at the end state.
    """
    steps = t.shape[0] - 1
    m = x.shape[0]
    for n in range(steps):
        if n % every == 0:
            for j in range(m):
                kept[n // every, j] = x[j]
        xt, at, lt = tape.x[0], tape.a[0], tape.lam[0]
        status = step(functions, t[n], t[n + 1] - t[n], x, u_grid, n, ab, s, xt, at, lt)
        if status != OK:
            return status, n
        for j in range(m):
            if not np.isfinite(x[j]):
                return 3, n
        observe(functions, t[n], xt[0], u_grid[n], at[0], lt[0], y[n])
    at, lt = tape.a[0, 0], tape.lam[0, 0]
    status = solve_state(functions, t[steps], x, u_grid[steps], ab, s.work, at, lt)
    observe(functions, t[steps], x, u_grid[steps], at, lt, y[steps])
    return status, steps


@whole
def state_adjoint(functions, t, x, u, ab, a, lam, k_bar, a_bar, lam_bar, s):
    """Pull back the cotangents of k = (v, a) and of a, lam through (v, a, lam)(x, u, p): s.psi = (x̄, ū, p̄)."""
    nq, nc = a.shape[0], lam.shape[0]
    evaluate(functions.equations, t, x, u, s.work.out)
    M, f, g, g_t, G, gamma = split(s.work.out, nq, nc)
    fill_saddle(M, G, s.work.A)
    for j in range(nq):
        s.work.b[j, 0] = k_bar[nq + j] + a_bar[j]
    for i in range(nc):
        s.work.b[nq + i, 0] = lam_bar[i]
    lu_solve(s.work.A, s.work.b)
    for j in range(nq + nc):
        s.w[j] = s.work.b[j, 0]
    at = put_state(functions.inputs, t, x, u, functions.p, a, lam)
    put(functions.inputs, put(functions.inputs, at, s.w), ab)
    call_at(functions.psi, functions.inputs, s.psi)
    for j in range(nq):
        s.psi[nq + j] += k_bar[j]


@whole
def output_adjoint(functions, t, x, u, a, lam, y_bar, s):
    """Adjoint of the outputs at one node: s.back = (x̄, ū, p̄, ā, lam_bar)."""
    put(functions.inputs, put_state(functions.inputs, t, x, u, functions.p, a, lam), y_bar)
    call_at(functions.outputs_back, functions.inputs, s.back)


@whole
def add_end(functions, t, x, u_grid, ab, y_bar, s, a, lam, u_bar, p_bar):
    """Adjoint of the last node, which belongs to no step: starts s.x_bar."""
    nq, nc, nu, np_ = a.shape[0], lam.shape[0], u_bar.shape[1], p_bar.shape[0]
    steps = t.shape[0] - 1
    solve_state(functions, t[steps], x, u_grid[steps], ab, s.work, a, lam)
    output_adjoint(functions, t[steps], x, u_grid[steps], a, lam, y_bar[steps], s)
    m = 2 * nq
    i = m + nu + np_
    for j in range(m):
        s.k_bar[0, j] = 0.0
    state_adjoint(
        functions,
        t[steps],
        x,
        u_grid[steps],
        ab,
        a,
        lam,
        s.k_bar[0],
        s.back[i : i + nq],
        s.back[i + nq : i + nq + nc],
        s,
    )
    for j in range(m):
        s.x_bar[j] += s.back[j] + s.psi[j]
    for j in range(nu):
        u_bar[steps, j] += s.back[m + j] + s.psi[m + j]
    for j in range(np_):
        p_bar[j] += s.back[m + nu + j] + s.psi[m + nu + j]


@whole
def back_step(functions, t, dt, u_grid, n, ab, y_bar, s, x_tape, a_tape, lam_tape, zero, u_bar, p_bar):
    """One step backwards: s.x_bar from the end of step n to its start; ū and p̄ are added up."""
    stages, m = x_tape.shape
    nq, nc, nu, np_ = m // 2, lam_tape.shape[1], u_bar.shape[1], p_bar.shape[0]
    for i in range(stages):
        weight = dt if stages == 1 else (dt / 6.0 if i in (0, 3) else dt / 3.0)
        for j in range(m):
            s.k_bar[i, j] = weight * s.x_bar[j]
    for i in range(stages - 1, -1, -1):
        c = stage_share(stages, i)
        mix(u_grid, n, c, s.u)
        a_bar, lam_bar = zero[:nq], zero[nq : nq + nc]
        if i == 0:  # the outputs of node n are taken at the first stage
            output_adjoint(functions, t, x_tape[0], u_grid[n], a_tape[0], lam_tape[0], y_bar, s)
            o = m + nu + np_
            a_bar, lam_bar = s.back[o : o + nq], s.back[o + nq : o + nq + nc]
        state_adjoint(functions, t + c * dt, x_tape[i], s.u, ab, a_tape[i], lam_tape[i], s.k_bar[i], a_bar, lam_bar, s)
        for j in range(m):
            s.x_bar[j] += s.psi[j]
            if i > 0:
                s.k_bar[i - 1, j] += c * dt * s.psi[j]
        for j in range(nu):
            u_bar[n, j] += (1.0 - c) * s.psi[m + j]
            u_bar[n + 1, j] += c * s.psi[m + j]
        for j in range(np_):
            p_bar[j] += s.psi[m + nu + j]
        if i == 0:
            for j in range(m):
                s.x_bar[j] += s.back[j]
            for j in range(nu):
                u_bar[n, j] += s.back[m + j]
            for j in range(np_):
                p_bar[j] += s.back[m + nu + j]


@allocating
def backward(functions, t, x_end, u_grid, ab, s, tape, every, kept, y_bar, zero, u_bar, p_bar):
    """Backward sweep over all steps; s.x_bar starts with the adjoint of the end state.

    Each segment is marched again from its kept start with the tape running, then walked backwards.
    u_bar (N + 1, nu) and p_bar are added up; s.x_bar ends as the adjoint of the start.
    """
    steps = t.shape[0] - 1
    add_end(functions, t, x_end, u_grid, ab, y_bar, s, tape.a[0, 0], tape.lam[0, 0], u_bar, p_bar)
    x = x_end.copy()
    for segment in range(kept.shape[0] - 1, -1, -1):
        first = segment * every
        last = min(first + every, steps)
        for j in range(x.shape[0]):
            x[j] = kept[segment, j]
        for n in range(first, last):
            i = n - first
            step(functions, t[n], t[n + 1] - t[n], x, u_grid, n, ab, s, tape.x[i], tape.a[i], tape.lam[i])
        for n in range(last - 1, first - 1, -1):
            i = n - first
            back_step(
                functions,
                t[n],
                t[n + 1] - t[n],
                u_grid,
                n,
                ab,
                y_bar[n],
                s,
                tape.x[i],
                tape.a[i],
                tape.lam[i],
                zero,
                u_bar,
                p_bar,
            )
