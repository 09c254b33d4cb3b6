"""Generalized-α steps over tables of elements; see generalized_alpha for the equations."""

from typing import NamedTuple

import numpy as np

from panhead.engine.jit.compiler import part, whole
from panhead.engine.kernels import bordered_matrix, element_families, sliders
from panhead.engine.kernels.machine_code_calls import put
from panhead.engine.kernels.table_model import follow

OK, PIVOT, NOT_CONVERGED, OFF_THE_WIRE, TOO_SMALL = range(5)
_SMALL_PIVOT = 1e-7  # of its column: below it another order of pivots is asked for
_CAUTION = 10.0  # how much slower a step may shrink than the one before
_AGEING = 1.2  # a step; so a rate of convergence that is not measured anew is trusted less and less
_BELOW_STEP = 0.003  # what is left of Newton's iteration, beside the error of the step itself
_AT_ITS_WORD = 1.1e-10  # a tolerance looser than the default is a choice of speed, and not tightened
_ROUNDING = 4e-16  # of the largest coordinate: what positions cannot tell apart
_DEEPEST = 6  # a step that does not converge is halved so many times


class AlphaNumbers(NamedTuple):
    """Numbers of the method."""

    alpha_m: float
    alpha_f: float
    gamma: float
    beta: float
    tolerance: float  # of a Newton step, at most
    fast_enough: float  # a factor serves while each Newton step is at most this share of the one before
    fresh: bool  # a factor for every step
    max_iterations: int
    project_rates: bool  # bring ġ to zero after every step
    error: float  # local error of positions allowed in a step; 0: fixed steps


class AlphaState(NamedTuple):
    """The state of a run; work of numbers behind it."""

    q: np.ndarray  # (nq,)
    v: np.ndarray
    a: np.ndarray  # the method's acceleration
    acceleration: np.ndarray  # the true one
    lam: np.ndarray  # (nc,)
    power: np.ndarray  # (5,) T, V, then powers of drivers, controls, dampers [W]
    energy: np.ndarray  # (3,) the same powers, integrated [J]
    before: np.ndarray  # (4, nq) q, v, a, acceleration at the start of a step
    lam_before: np.ndarray
    r: np.ndarray  # (nq + nc,)
    rates: np.ndarray  # (2, nc)
    nothing: np.ndarray  # zeros
    factor: np.ndarray  # (2,) step the factor was made for, 0: none; how fast Newton's steps shrank with it
    done: np.ndarray  # (1,) share of the interval that lies behind the motion while an order of pivots is asked for
    counts: np.ndarray  # (4,) iterations, factorisations, rejected steps, orders of pivots found since a step converged


@part()
def factorise(model, motion, m, t, dt, u):
    """[[M / share + γ dt D + β dt² K, g_qᵀ], [g_q, 0]]."""
    share = (1 - m.alpha_f) / (1 - m.alpha_m)
    b = model.matrix
    values = b.values
    for i in range(values.shape[0]):
        values[i] = 0.0
    c = (1.0 / share, m.gamma * dt, m.beta * dt * dt)
    element_families.add_tangent(
        model.tables, model.work, model.slots, t, c, motion.q, motion.v, motion.acceleration, motion.lam, u, values
    )
    motion.counts[1] += 1
    motion.factor[0] = 0.0
    if bordered_matrix.factorise(b, _SMALL_PIVOT) >= 0:
        return PIVOT
    motion.factor[0] = dt
    return OK


@part()
def refresh_border(model, motion, m, t, dt, u):
    """Sliders have moved: their rows and columns anew, with the core's factor as it is."""
    share = (1 - m.alpha_f) / (1 - m.alpha_m)
    bordered_matrix.clear_border(model.matrix)
    c = (1.0 / share, m.gamma * dt, m.beta * dt * dt)
    element_families.add_border_tangent(
        model.tables, model.work, model.border_slots, model.touching, t, c,
        motion.q, motion.v, motion.acceleration, motion.lam, u, model.matrix.values,
    )  # fmt: skip
    if bordered_matrix.factorise_border(model.matrix) >= 0:
        motion.factor[0] = 0.0


@part()
def newton_tolerance(m, dt, jump, gain, far):
    """Return the size of a correction at which Newton's iteration ends [m, rad].

    An error δ of q is one of γ δ / (β dt) in v. The step's own error in v is dt³ v⃛ / 12, about dt² ω |Δa| / 12 with
    ω = |Δa| / |Δv|, where a changes by Δa and v by Δv; a small share of that leaves the order alone.
    """
    if m.tolerance > _AT_ITS_WORD:
        return m.tolerance
    quick = min(1.0, dt * jump / gain) if gain > 0.0 else 1.0
    wanted = _BELOW_STEP * m.beta / m.gamma * dt * dt * jump * quick / 12.0
    return min(m.tolerance, max(wanted, 1e-3 * _ROUNDING * far))


@part()
def newton(model, motion, m, t, dt, u):
    """Iterate on (Δq, β dt² Δlam) until the step is small."""
    nq, nc = motion.q.shape[0], motion.lam.shape[0]
    scale = m.beta * dt * dt
    share = (1 - m.alpha_f) / (1 - m.alpha_m)
    to_v, to_a, r = m.gamma / (m.beta * dt), 1.0 / (scale * share), motion.r
    last, stale, hard, old = np.inf, m.fresh, False, True
    for iteration in range(m.max_iterations):
        follow(model, motion.q, t, motion.nothing)
        for i in range(nq + nc):
            r[i] = 0.0
        element_families.add_residual(
            model.tables, model.work, t, motion.q, motion.v, motion.acceleration, motion.lam, u, r
        )
        for i in range(nq):
            r[i] *= scale
        if stale or abs(motion.factor[0] - dt) > 1e-9 * dt:
            status = factorise(model, motion, m, t, dt, u)
            if status != OK:
                return status
            last = np.inf
            motion.factor[1], old = 1.0, False
        elif iteration == 0 and model.touching.shape[0] > 0:
            refresh_border(model, motion, m, t, dt, u)
        bordered_matrix.solve(model.matrix, r, r)
        size, jump, gain, far = 0.0, 0.0, 0.0, 0.0
        for i in range(nq):
            dq = -r[i]
            motion.q[i] += dq
            motion.v[i] += to_v * dq
            motion.acceleration[i] += to_a * dq
            size = max(size, abs(dq))
            far = max(far, abs(motion.q[i]))
            gain = max(gain, abs(motion.v[i] - motion.before[1, i]))
            jump = max(jump, abs(motion.acceleration[i] - motion.before[3, i]))
        for i in range(nc):
            motion.lam[i] -= r[nq + i] / scale
        motion.counts[0] += 1
        if not np.isfinite(size):
            break
        contraction = size / last
        if iteration > 0 and last < np.inf:
            motion.factor[1] = contraction
        elif iteration == 0:
            motion.factor[1] = min(1.0, _AGEING * motion.factor[1])
        # the error still to come, judged by how fast steps shrink, here or in the step before
        rate = contraction if contraction > 0 else min(1.0, _CAUTION * motion.factor[1])
        if (
            old and m.tolerance <= _AT_ITS_WORD
        ):  # what an old factor serves badly shows late, when other errors have gone
            rate = max(rate, m.fast_enough)
        left = size * rate / (1 - rate) if rate < 1 else size
        stalled = iteration > 0 and contraction > 0.5 and size <= 1e3 * _ROUNDING * max(far, 1.0)
        if min(size, left) <= newton_tolerance(m, dt, jump, gain, far) or stalled:
            follow(model, motion.q, t, motion.nothing)
            return OK
        # once a factor has served badly, every iteration of this step gets its own
        hard = hard or (contraction > m.fast_enough and last < np.inf)
        stale = hard
        last = size
    if last <= m.tolerance:  # rounding of stiff parts stands above what the step would deserve
        follow(model, motion.q, t, motion.nothing)
        return OK
    motion.factor[0] = 0.0
    return NOT_CONVERGED


@part()
def _keep(motion):
    for i in range(motion.q.shape[0]):
        motion.before[0, i] = motion.q[i]
        motion.before[1, i] = motion.v[i]
        motion.before[2, i] = motion.a[i]
        motion.before[3, i] = motion.acceleration[i]
    for i in range(motion.lam.shape[0]):
        motion.lam_before[i] = motion.lam[i]


@part()
def _undo(motion):
    for i in range(motion.q.shape[0]):
        motion.q[i] = motion.before[0, i]
        motion.v[i] = motion.before[1, i]
        motion.a[i] = motion.before[2, i]
        motion.acceleration[i] = motion.before[3, i]
    for i in range(motion.lam.shape[0]):
        motion.lam[i] = motion.lam_before[i]


@part()
def step(model, motion, m, t, dt, u):
    """One step to time t; on failure the motion is as it was before.

    An order of pivots found for the state before the step serves all states near it. If it does not, Newton's
    iteration has gone astray, and only a shorter step helps.
    """
    _keep(motion)
    share = (1 - m.alpha_f) / (1 - m.alpha_m)
    for i in range(motion.q.shape[0]):
        a, true = motion.a[i], motion.acceleration[i]
        known = (m.alpha_f * true - m.alpha_m * a) / (1 - m.alpha_m)
        new = known + share * true
        motion.q[i] += dt * motion.v[i] + dt * dt * ((0.5 - m.beta) * a + m.beta * new)
        motion.v[i] += dt * ((1 - m.gamma) * a + m.gamma * new)
    status = newton(model, motion, m, t, dt, u)
    if status != OK:
        _undo(motion)
        follow(model, motion.q, t - dt, motion.nothing)
        return NOT_CONVERGED if motion.counts[3] > 0 else status
    motion.counts[3] = 0
    for i in range(motion.q.shape[0]):
        a, true = motion.before[2, i], motion.before[3, i]
        motion.a[i] = (m.alpha_f * true - m.alpha_m * a) / (1 - m.alpha_m) + share * motion.acceleration[i]
    if m.project_rates:
        _project_rates(model, motion, t)
    if sliders.off_the_wire(model.slides) >= 0:
        return OFF_THE_WIRE
    return OK


@part()
def _project_rates(model, motion, t):
    """v += Δv with g_q (v + Δv) + g_t = 0; the step's own factor gives the direction."""
    nq, nc = motion.q.shape[0], motion.lam.shape[0]
    r, rates = motion.r, motion.rates
    for _ in range(8):
        for i in range(nq + nc):
            r[i] = 0.0
        element_families.add_constraint_rate(model.tables, model.work, t, motion.q, motion.v, motion.nothing, rates, r)
        size, fastest = 0.0, 1.0
        for i in range(nc):
            size = max(size, abs(r[nq + i]))
        for i in range(nq):
            fastest = max(fastest, abs(motion.v[i]))
        if size < 1e-13 * fastest:
            return
        bordered_matrix.solve(model.matrix, r, r)
        for i in range(nq):
            motion.v[i] -= r[i]


@part()
def account(model, motion, t, dt, u):
    """Integrate the powers over the step that ended at t (trapezoidal rule)."""
    old0, old1, old2 = motion.power[2], motion.power[3], motion.power[4]
    for i in range(5):
        motion.power[i] = 0.0
    element_families.add_account(
        model.tables, model.work, True, t, motion.q, motion.v, motion.acceleration, motion.lam, u, motion.power
    )
    motion.energy[0] += 0.5 * dt * (old0 + motion.power[2])
    motion.energy[1] += 0.5 * dt * (old1 + motion.power[3])
    motion.energy[2] += 0.5 * dt * (old2 + motion.power[4])


@part()
def interval(model, motion, m, t0, t1, u0, u1, u):
    """From t0 to t1 in one step, or in 2, 4 … if Newton's iteration does not converge. Returns a status.

    After PIVOT the motion stands where the last step ended, and the next call goes on from there.
    """
    parts = 1
    while motion.done[0] * parts % 1.0 != 0.0:
        parts *= 2
    done = int(motion.done[0] * parts)
    motion.done[0] = 0.0
    while done < parts:
        t = t0 + (t1 - t0) * (done + 1) / parts
        for i in range(u.shape[0]):
            u[i] = u0[i] + (u1[i] - u0[i]) * (done + 1) / parts
        dt = (t1 - t0) / parts
        status = step(model, motion, m, t, dt, u)
        if status == NOT_CONVERGED and parts < 2**_DEEPEST:
            done, parts = 2 * done, 2 * parts
            motion.counts[2] += 1
            continue
        if status != OK:
            motion.done[0] = done / parts if status == PIVOT else 0.0
            return status
        account(model, motion, t, dt, u)
        done += 1
    return OK


@part()
def controlled_interval(model, motion, m, t0, t1, u0, u1, u, dt):
    """From t0 to t1 in steps of their own length, so that the local error stays below m.error.

    The local error of positions is (β − 1/6) dt² (a₁ − a₀) [Zienkiewicz91]. Returns a status and the step to
    go on with; steps change only by a fifth or more, so that factors live longer.
    """
    t = t0 + motion.done[0] * (t1 - t0)
    motion.done[0] = 0.0
    while t < t1 - 1e-12 * (t1 - t0):
        dt = min(dt, t1 - t0)
        parts = np.ceil((t1 - t) / dt - 1e-9)
        h = (t1 - t) / parts
        for i in range(u.shape[0]):
            u[i] = u0[i] + (u1[i] - u0[i]) * (t + h - t0) / (t1 - t0)
        status = step(model, motion, m, t + h, h, u)
        if status == OK:
            error = 0.0
            for i in range(motion.q.shape[0]):
                change = abs(motion.a[i] - motion.before[2, i]) * abs(m.beta - 1.0 / 6.0) * h * h
                error = max(error, change / max(1.0, abs(motion.q[i])))
            ratio = 0.9 * (m.error / max(error, 1e-300)) ** (1.0 / 3.0)
            if error <= m.error:
                t += h
                account(model, motion, t, h, u)
                if ratio > 1.25:
                    dt = h * min(ratio, 2.0)
                continue
            _undo(motion)
            follow(model, motion.q, t, motion.nothing)
            dt = h * max(0.2, min(ratio, 0.8))
        elif status == NOT_CONVERGED:
            dt = 0.5 * h
        else:
            motion.done[0] = (t - t0) / (t1 - t0) if status == PIVOT else 0.0
            return status, dt
        motion.counts[2] += 1
        if dt < 1e-9 * (t1 - t0):
            return TOO_SMALL, dt
    return OK, dt


@part()
def _observe(model, motion, t, g, g_dot):
    """The residual of the constraints and its rate."""
    nq = motion.q.shape[0]
    r = motion.r
    for i in range(r.shape[0]):
        r[i] = 0.0
    element_families.add_constraint(model.tables, model.work, t, motion.q, motion.nothing, r)
    for i in range(g.shape[0]):
        g[i], r[nq + i] = r[nq + i], 0.0
    element_families.add_constraint_rate(
        model.tables, model.work, t, motion.q, motion.v, motion.nothing, motion.rates, r
    )
    for i in range(g.shape[0]):
        g_dot[i] = r[nq + i]


@whole
def march(model, motion, m, t, u, first, last, every, dt, kept, here):
    """Steps first … last − 1 of the grid t; every so many-th state is written into ``kept``.

    kept is (q, v, a, lam, energy, g, ġ) with rows counted from the start of the run. Returns status, the step it
    stopped at, and the step length to go on with.
    """
    for k in range(first, last):
        if m.error > 0.0:
            status, dt = controlled_interval(model, motion, m, t[k], t[k + 1], u[k], u[k + 1], here, dt)
        else:
            status = interval(model, motion, m, t[k], t[k + 1], u[k], u[k + 1], here)
        if status != OK:
            return status, k, dt
        if (k + 1) % every == 0:
            row = (k + 1) // every
            put(kept[0][row], 0, motion.q)
            put(kept[1][row], 0, motion.v)
            put(kept[2][row], 0, motion.acceleration)
            put(kept[3][row], 0, motion.lam)
            put(kept[4][row], 0, motion.energy)
            _observe(model, motion, t[k + 1], kept[5][row], kept[6][row])
    return OK, last, dt
