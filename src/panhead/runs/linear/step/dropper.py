"""Droppers in a step: elongation, mode, correction and force; their active-set slots, energy and adjoints.

A dropper pulls with N of ``unilateral_spring``, or of ``bow``. The step's matrix holds all of them taut, so that a
record has the correction p of that pull:

    taut   p = min(N₀, 0)                      N = N₀ + k e + c ė
    slack  p = −(N₀₊ + k e + c ė)              N = 0,   N₀₊ = max(N₀, 0)
    edge   e = −N₀/k, p between the two        N = N₀₊ + p + k e + c ė

One that is simply taut, p = 0, needs no slot. Modes of a step are chosen in ``unilateral``, which droppers must be
looked at in ``modes``. η, μ and all gradients are in lanes, one objective J in each (``step_adjoint``).
"""

from __future__ import annotations

import numpy as np

from panhead.engine.jit.compiler import part, whole
from panhead.engine.jit.lanes import fma, put, take, zero
from panhead.engine.kernels.block_tridiagonal_lanes import add
from panhead.engine.kernels.compiled_laws import engaged, spring_potential
from panhead.runs.linear.step.active_set import connect, empty_slots, take_column
from panhead.runs.linear.step.bow import bow_energy, fade_bow, freeze_bow, predict_bow, update_bow
from panhead.runs.linear.step.scheme import averages
from panhead.runs.linear.step.step_arrays import D_DROPPERS, A, U, V
from panhead.runs.linear.step.unilateral import BOWED, CLOSED, DROPPER, EDGE, OPEN, law


@part()
def stretch(d, q):
    """Elongation and its rate of dropper d in q (4, ns, nt, 4)."""
    e, e_dot = 0.0, 0.0
    for k in range(4):
        e += d.weight[k] * q[U, d.station, d.dof[k] >> 2, d.dof[k] & 3]
        e_dot += d.weight[k] * q[V, d.station, d.dof[k] >> 2, d.dof[k] & 3]
    return e, e_dot


@part()
def load_droppers(sc, q, drop, rhs):
    """rhs += corrections of the old time with their share α_f, and the part of C s that dampers of droppers have."""
    for r in range(drop.shape[0]):
        d = drop[r]
        if d.p != 0.0 or d.c != 0.0:
            load = sc.alpha_f * d.p
            if d.c != 0.0:
                for k in range(4):
                    i, j = d.dof[k] >> 2, d.dof[k] & 3
                    s = sc.C_u * q[U, d.station, i, j] + sc.C_v * q[V, d.station, i, j]
                    load -= d.c * d.weight[k] * (s + sc.C_a * q[A, d.station, i, j])
            for k in range(4):
                rhs[d.station, d.dof[k] >> 2, d.dof[k] & 3] -= d.weight[k] * load


@part()
def predict_droppers(sc, drop, q1):
    """Elongations in the free response q1, and the old-time terms of bows."""
    for r in range(drop.shape[0]):
        drop[r].e_free, drop[r].e_dot_free = stretch(drop[r], q1)
        if drop[r].bows == 1:
            drop[r].bow_stored = bow_energy(drop[r], drop[r].e)
            predict_bow(sc, drop[r])


@part()
def give_slot(F, d, r, m, speed, C_u, w):
    """Assign slot m to dropper r (record d), with its column and its influence on the slots before it."""
    s = w.slot[m]
    for k in range(4):
        s.station[k], s.dof[k], s.weight[k] = d.station, d.dof[k], d.weight[k]
    s.k, s.c, s.N0 = d.k, d.c, d.N0
    s.kind, s.ref, s.on = DROPPER, r, 1
    s.mode, s.lam = OPEN if d.mode == CLOSED else d.mode, d.p
    if d.bows == 1:
        s.kind = BOWED
        take_bow(d, s)
    s.g_free, s.g_dot_free = d.e_free, d.e_dot_free
    s.g, s.g_dot = s.g_free, s.g_dot_free
    for k in range(w.D.shape[1]):
        w.D[m, k], w.P[m, k] = 0.0, 0.0
    take_column(F, m, w)
    connect(m + 1, m, speed, C_u, w)
    w.slot_of[r] = m
    w.count[0] += 1


@part()
def take_bow(d, s):
    """Copy the bow of record d to slot s."""
    s.mode, s.bow_rest, s.bow_pull = CLOSED, d.bow_rest, d.bow_pull
    s.bow_A, s.bow_A1, s.bow_B = d.bow_A, d.bow_A1, d.bow_B


@part()
def refresh_slot(d, s):
    """Update slot s of dropper d, kept from the step before, for the free response."""
    s.mode, s.lam, s.g_free, s.g_dot_free = d.mode, d.p, d.e_free, d.e_dot_free
    if d.bows == 1:
        take_bow(d, s)


@part()
def reach_of_forces(m, w):
    """First and last + 1 of the stations that a force of the first m slots reaches."""
    low, high = w.X.shape[0] + (1 << 40), 0
    for j in range(m):
        s = w.slot[j]
        if s.lam != 0.0 and s.first < s.last:
            low, high = min(low, s.first), max(high, s.last)
    return low, high


@part()
def would_slacken(d, C_u, m, w):
    """True if dropper d, taken as taut, would not pull; a bilateral one then pushes."""
    if d.bilateral == 1:
        return False
    e, e_dot = d.e_free, d.e_dot_free
    for j in range(m):
        s = w.slot[j]
        if s.first <= d.station < s.last and s.lam != 0.0:
            share = 0.0
            for k in range(4):
                share += d.weight[k] * w.X[j, d.station - s.begin, d.dof[k] >> 2, d.dof[k] & 3]
            e -= share * s.lam
            e_dot -= C_u * share * s.lam
    return not engaged(d.N0 + d.k * e, d.c * e_dot)


@part()
def pull_of(d, e, e_dot):
    """Force of a dropper whose mode and correction are known."""
    if d.bows == 1:
        return d.N0 + d.k * e + d.p
    if d.mode == OPEN:
        return 0.0
    N = d.N0 + d.k * e + d.c * e_dot
    return N if d.mode == CLOSED else max(0.0, N + d.p - min(d.N0, 0.0))


@part()
def _log_slack(r, since, until, record):
    """Record one slackening."""
    n = record.events[0]
    if n < record.slack.shape[0]:
        record.slack[n, 0], record.slack[n, 1], record.slack[n, 2] = r, since, until
    record.events[0] = n + 1


@part()
def _update_slots(drop, sc, m0, m, q1, time, w, record):
    """Update modes and corrections of the droppers that have a slot."""
    for i in range(m0, m):
        d, s = drop[w.slot[i].ref], w.slot[i]
        if d.bows == 1:
            e, _ = stretch(d, q1)
            update_bow(sc, d, e, s.lam)
            s.mode = CLOSED if pull_of(d, e, 0.0) > 0.0 else OPEN
        if s.mode == OPEN and d.mode != OPEN:
            d.since = time
        elif s.mode != OPEN and d.mode == OPEN:
            _log_slack(s.ref, d.since, time, record)
        d.p, d.mode = s.lam, s.mode


@part()
def update_droppers(drop, sc, m0, m, q1, time, w, record, ledger):
    """Store droppers in their records and add their work; one that is simply taut leaves its slot.

    Outside the reach of this step's forces the elongation is that of the free answer. A spring that stays taut stores
    what it takes: by the trapezoidal rule there is nothing to book.
    """
    _update_slots(drop, sc, m0, m, q1, time, w, record)
    low, high = reach_of_forces(m, w)
    for r in range(drop.shape[0]):
        d = drop[r]
        e, e_dot = d.e_free, d.e_dot_free
        if low <= d.station < high:
            e, e_dot = stretch(d, q1)
        N = pull_of(d, e, e_dot)
        if w.slot_of[r] >= 0 or d.c != 0.0 or not sc.lossless:
            book_dropper(sc, d, e, N, ledger)
        d.e, d.N = e, N
        d.N_min = min(d.N_min, N)
        d.N_max = max(d.N_max, N)
        if d.mode == OPEN:
            d.slack += sc.h
        if d.bows == 1 and d.p != 0.0:
            ledger[D_DROPPERS] += freeze_bow(d)
            w.slot[w.slot_of[r]].lam = d.p
    for i in range(m0, m):
        if w.slot[i].mode == CLOSED and w.slot[i].lam == 0.0:
            empty_slots(w)
            break


@part()
def dropper_energy(d, e):
    """Potential energy of a dropper about its rest: ∫ (N − N₀₊) de = V(N₀ + k e) − V(N₀) − N₀₊ e [J]."""
    if d.bows == 1:
        return bow_energy(d, e)
    if d.bilateral == 1:
        return 0.5 * d.k * e * e
    stored = spring_potential(d.N0 + d.k * e, d.k) - spring_potential(d.N0, d.k)
    return stored - max(d.N0, 0.0) * e


@part()
def book_dropper(sc, d, e1, N1, ledger):
    """Add the work of a dropper whose record is still the old one but for its bow: force N₁ at elongation e₁."""
    pull_f = (1.0 - sc.alpha_f) * N1 + sc.alpha_f * d.N - max(d.N0, 0.0)
    before = d.bow_stored if d.bows == 1 else dropper_energy(d, d.e)
    ledger[D_DROPPERS] += (e1 - d.e) * pull_f - (dropper_energy(d, e1) - before)


@part()
def settle_droppers(drop, q, time, record):
    """Set droppers of attenuated wires q (4, ns, nt, 4) slack or taut by their law alone."""
    for r in range(drop.shape[0]):
        d = drop[r]
        e, e_dot = stretch(d, q)
        if e != d.e:
            _settle(d, r, e, e_dot, time, record)


@part()
def _settle(d, r, e, e_dot, time, record):
    """Set a dropper at a new elongation slack or taut by its law alone."""
    rest, pull = max(d.N0, 0.0), d.N0 + d.k * e
    if d.bows == 1 and d.p != 0.0 and d.e != 0.0:
        fade_bow(d, min(1.0, max(0.0, e / d.e)))
    d.e = e
    pulls = pull + d.p > 0.0 if d.bows == 1 else engaged(pull, d.c * e_dot) > 0
    taut = d.bilateral == 1 or pulls
    if taut and d.mode == OPEN:
        _log_slack(r, d.since, time, record)
    elif not taut and d.mode != OPEN:
        d.since = time
    d.mode = CLOSED if taut else OPEN
    if d.bows == 1:
        d.N = pull + d.p
    elif taut:
        d.p, d.N = d.N0 - rest, pull + d.c * e_dot
    else:
        d.p, d.N = -(rest + d.k * e + d.c * e_dot), 0.0


@whole
def set_by_law(drop, q):
    """Set droppers slack or taut by their law alone for an imposed motion q (4, ns, nt, 4)."""
    for r in range(drop.shape[0]):
        d = drop[r]
        e, e_dot = stretch(d, q)
        taut, rest = engaged(d.N0 + d.k * e, d.c * e_dot) > 0, max(d.N0, 0.0)
        d.mode = CLOSED if taut else OPEN
        d.p = d.N0 - rest if taut else -(rest + d.k * e + d.c * e_dot)
        d.e, d.N = e, pull_of(d, e, e_dot)


@whole
def set_in_mode(drop, q):
    """Set droppers of an imposed motion q, from a superelement, taut as at rest."""
    for r in range(drop.shape[0]):
        d = drop[r]
        e, e_dot = stretch(d, q)
        more = d.k * e + d.c * e_dot
        taut = d.mode == CLOSED or d.bows == 1
        d.e, d.N = e, d.N0 + more if taut else 0.0
        d.p = 0.0 if taut else -max(d.N0, 0.0) - more
        d.N_min, d.N_max = min(d.N_min, d.N), max(d.N_max, d.N)


@whole
def hold_taut(drop):
    """Set bilateral droppers taut, whatever they were before."""
    for r in range(drop.shape[0]):
        d = drop[r]
        if d.bilateral == 1 and (d.mode != CLOSED or d.p != 0.0):
            d.mode, d.p, d.N = CLOSED, 0.0, d.N0 + d.k * d.e
            d.bow[0], d.bow[1], d.bow[2] = d.bow_rest, 0.0, 0.0


def is_loose(drop):
    """Mask of the droppers of a table that are not simply taut, (nd,) bool."""
    return (drop["mode"] != CLOSED) | (drop["p"] != 0.0)


def is_slack(drop):
    """Mask of the droppers of a table that are slack, (nd,) bool."""
    return drop["mode"] == OPEN


def rest_droppers(drop, bilateral):
    """Set modes and forces at rest, in place: those without a force are slack unless bilateral."""
    drop["mode"] = np.where(bilateral | (drop["N0"] > 0.0), CLOSED, OPEN)
    for name in ("N", "N_min", "N_max"):
        drop[name] = np.maximum(drop["N0"], 0.0)


@whole
def note_droppers(drop, rows, pull, modes, margin):
    """Forces and modes (rows, nd) in these rows of a table, and the smallest force margin to a mode change of a dropper
    (rows,) [N]."""
    for n in range(rows.shape[0]):
        least = np.inf
        for r in range(drop.shape[1]):
            d = drop[rows[n], r]
            pull[n, r], modes[n, r] = d.N, d.mode
            if d.bilateral != 1:
                least = min(least, abs(d.N0 + d.k * d.e) if d.mode == OPEN else d.N)
        margin[n] = least


@part()
def elongation_in(d, x):
    """Elongation of dropper d in x (ns, nt, 4), in lanes."""
    total = zero(x)
    for k in range(4):
        total = fma(d.weight[k], take(x, (d.station, d.dof[k] >> 2, d.dof[k] & 3)), total)
    return total


@part()
def taut_gradient(sc, q0, q1, drop, eta, slope):
    """∂R/∂ of droppers, whose springs and dampers are in the matrices as if they were taut."""
    for r in range(drop.shape[0]):
        d = drop[r]
        e_eta, e_f, e_c = elongation_in(d, eta), 0.0, 0.0
        for k in range(4):
            u_f, c = _of_step(sc, q0, q1, d, k)
            e_f += d.weight[k] * u_f
            e_c += d.weight[k] * c
        add(slope.k, (r,), e_eta * e_f)
        add(slope.c, (r,), e_eta * e_c)
        if slope.weight.shape[0] > 0:
            for k in range(4):
                u_f, c = _of_step(sc, q0, q1, d, k)
                at = (d.station, d.dof[k] >> 2, d.dof[k] & 3)
                add(slope.weight, (r, k), take(eta, at) * (d.k * e_f + d.c * e_c) + e_eta * (d.k * u_f + d.c * c))


@part()
def _of_step(sc, q0, q1, d, k):
    """u_f and c of a step at coordinate k of dropper d."""
    i, r, j = d.station, d.dof[k] >> 2, d.dof[k] & 3
    u_f, _, c = averages(sc, q0[U, i, r, j], q0[V, i, r, j], q0[A, i, r, j], q1[U, i, r, j])
    return u_f, c


@part()
def dropper_gradient(sc, s, mu, q1, eta, slope):
    """∂r/∂ of a dropper that has a slot, and ∂R/∂ of the weights with which its correction acts."""
    r = s.ref
    if slope.weight.shape[0] > 0:
        _, a, b = law(s)
        for k in range(4):
            st, i, j = s.station[k], s.dof[k] >> 2, s.dof[k] & 3
            own = mu * -(a * q1[U, st, i, j] + b * q1[V, st, i, j])
            add(slope.weight, (r, k), fma((1.0 - sc.alpha_f) * s.lam, take(eta, (st, i, j)), own))
    if s.mode == OPEN:
        add(slope.k, (r,), mu * s.g)
        add(slope.c, (r,), mu * s.g_dot)
        if s.N0 > 0.0:
            add(slope.N0, (r,), mu)
    elif s.mode == EDGE:
        add(slope.N0, (r,), mu * (-1.0 / s.k))
        add(slope.k, (r,), mu * (s.N0 / (s.k * s.k)))
    elif s.N0 < 0.0:
        add(slope.N0, (r,), mu * -1.0)


@part()
def droppers_adjoint(sc, kept, n, back, slope):
    """Adjoints of the corrections in row n, which act in the step after it with their share α_f."""
    for r in range(kept.drop.shape[1]):
        d = kept.drop[n, r]
        put(back.drop, (r,), zero(back.drop))
        if d.mode != CLOSED or d.p != 0.0:
            put(back.drop, (r,), elongation_in(d, back.eta) * sc.alpha_f)
            if slope.weight.shape[0] > 0:
                for k in range(4):
                    at = (d.station, d.dof[k] >> 2, d.dof[k] & 3)
                    add(slope.weight, (r, k), take(back.eta, at) * (sc.alpha_f * d.p))


@part()
def open_slack_slots(line, q, drop, m, speed, C_u, w):
    """Slots of the droppers of a step that is over, as it left them; returns how many slots there are now."""
    for r in range(drop.shape[0]):
        d = drop[r]
        if d.mode != CLOSED or d.p != 0.0:
            give_slot(line.F, d, r, m, speed, C_u, w)
            s = w.slot[m]
            s.mode, s.lam = d.mode, d.p
            s.g, s.g_dot = stretch(d, q)
            m += 1
    return m


@part()
def seed_droppers(kept, n, wanted, row, back, slope):
    """Add direct cotangents of the forces in row n: N₀ + k e + c ė where taut, with N₀₊ + p at the edge."""
    for r in range(wanted.dropper.shape[1]):
        d = kept.drop[n, r]
        if d.mode != OPEN:
            _seed_pull(d, r, take(wanted.dropper, (row, r)), kept.q[n], back, slope)


@part()
def _seed_pull(d, r, share, q, back, slope):
    e, e_dot = stretch(d, q)
    add(slope.k, (r,), share * e)
    add(slope.c, (r,), share * e_dot)
    if d.mode == CLOSED or d.N0 > 0.0:
        add(slope.N0, (r,), share)
    if d.mode == EDGE:
        add(back.drop, (r,), share)
    _add_law(d, r, q, share, back, slope)


@part()
def _add_law(d, r, q, bar, back, slope):
    """Adjoint of k e + c ė with the cotangent bar: add to the motion q and the weights."""
    for k in range(4):
        i, j = d.dof[k] >> 2, d.dof[k] & 3
        add(back.q, (U, d.station, i, j), bar * (d.k * d.weight[k]))
        add(back.q, (V, d.station, i, j), bar * (d.c * d.weight[k]))
        if slope.weight.shape[0] > 0:
            add(slope.weight, (r, k), bar * (d.k * q[U, d.station, i, j] + d.c * q[V, d.station, i, j]))


@part()
def settle_adjoint(kept, before, back, slope):
    """Adjoint of ``settle_droppers`` for those set by their law alone after attenuation."""
    for r in range(kept.drop.shape[1]):
        old, d = kept.drop[before, r], kept.drop[before + 1, r]
        if d.e != old.e:
            _set_adjoint(d, r, kept.q[before + 1], back, slope)


@part()
def _set_adjoint(d, r, q, back, slope):
    """Adjoint of the correction p of dropper r, min(N₀, 0) or −(N₀₊ + k e + c ė) in the motion q."""
    bar = take(back.drop, (r,))
    put(back.drop, (r,), zero(back.drop))
    if d.mode == CLOSED:
        if d.N0 < 0.0:
            add(slope.N0, (r,), bar)
        return
    e, e_dot = stretch(d, q)
    add(slope.k, (r,), bar * -e)
    add(slope.c, (r,), bar * -e_dot)
    if d.N0 > 0.0:
        add(slope.N0, (r,), bar * -1.0)
    _add_law(d, r, q, bar * -1.0, back, slope)


@whole
def set_in_mode_adjoint(drop, q, back, slope):
    """Adjoint of ``set_in_mode``, for the droppers of the table that are slack; others pass nothing on."""
    for r in range(drop.shape[0]):
        if drop[r].mode == CLOSED:
            put(back.drop, (r,), zero(back.drop))
        else:
            _set_adjoint(drop[r], r, q, back, slope)
