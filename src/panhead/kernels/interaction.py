"""Pantographs under a linear line: a chunk of implicit steps in one call.

One step of the scheme (``Scheme``):

1. the free answer: line and pantographs without the forces of the new time, one solve with the
   factorised matrix;
2. the small system of everything not linear (``unilateral``), with columns of A⁻¹ that are exact to
   round-off and a few elements long; droppers found to slacken are added until none is left;
3. the answer: u₁ = u₁_free − Σ A⁻¹ Dⱼ λⱼ, velocities and accelerations likewise;
4. the ledger of works, the records.
"""

from __future__ import annotations

import numpy as np

from panhead.kernels.block_tridiagonal import dot, mix, multiply, solve
from panhead.kernels.bowing import bow_energy, fade_bow, keep_bow, lay_to_rest, predict_bow
from panhead.kernels.compiling import part, whole
from panhead.kernels.interaction_arrays import CS, D_ABSORBED, D_DROPPERS, W_WIND, A, U, V
from panhead.kernels.interaction_far import fade_far, keep_far, push_far
from panhead.kernels.interaction_ledger import (
    at_contact,
    book_contact,
    book_dropper,
    book_line,
    book_roll,
    energies,
    line_energy,
    remember_damping,
)
from panhead.kernels.interaction_slots import (
    NOT_FINITE,
    OK,
    empty_slots,
    open_contact,
    open_element,
    roll_contact,
    solve_small,
)
from panhead.kernels.lanes import fma
from panhead.kernels.laws import engaged
from panhead.kernels.pantograph import book_element, book_masses, predict_masses
from panhead.kernels.unilateral import CLOSED, OPEN


@part()
def predict_line(line, sc, q, f, eta, contact, drop, w, f1):
    """f1 = u₁, v₁, a₁ of the line without the forces of the new time; those of the old act.

    q (4, ns, nt, 4) and f (4, n), the same memory, and eta are the old state; f1 (4, n) the new one.
    """
    mix(sc.M_u, f[U], sc.M_v, f[V], w.s_flat)
    if not sc.lossless:
        mix(1.0, w.s_flat, sc.M_a, f[A], w.s_flat)
    multiply(line.M, w.s, w.rhs)
    if line.damped:
        mix(1.0, w.rhs_flat, sc.C_u, f[CS], w.rhs_flat)
    _old_forces(line, sc, q, contact, drop, w.rhs)
    if line.gusts.shape[0] > 0:
        mix(1.0, w.rhs_flat, 1.0, w.push, w.rhs_flat)
    if eta.shape[1] > 0:
        push_far(line, sc, f, eta, w)
    solve(line.F, w.rhs, w.s)
    _advance(sc, w.s_flat, f[U], f[V], f[A], f1[U], f1[V], f1[A])


@part()
def _advance(sc, x, u, v, a, u1, v1, a1):
    """u₁, v₁ and, where they matter, a₁ from x = u_f; all (n,)."""
    share = 1.0 / (1.0 - sc.alpha_f)
    for i in range(x.shape[0]):
        u1[i] = fma(x[i] - u[i], share, u[i])
    for i in range(x.shape[0]):
        v1[i] = fma(sc.v_v, v[i], sc.C_u * (u1[i] - u[i]))
    if not sc.lossless:
        for i in range(x.shape[0]):
            v1[i] = fma(sc.v_a, a[i], v1[i])
            a1[i] = fma(sc.a_a, a[i], fma(sc.a_v, v[i], sc.a_u * (u1[i] - u[i])))


@part()
def _old_forces(line, sc, q, contact, drop, rhs):
    """Contact forces and dropper corrections of the old time, with their share α_f, as loads.

    A dropper's damping has its part of C s here as well.
    """
    wires = line.path.shape[0]
    for i in range(contact.shape[0]):
        c = contact[i]
        if c.F != 0.0:
            dof = line.path[i % wires].dof_w
            for k in range(4):
                load = sc.alpha_f * c.weight[k] * c.F
                rhs[c.station + (k >> 1), dof >> 2, (dof & 3) + (k & 1)] -= load
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
def stretch(d, q):
    """Elongation and its rate of dropper d in q (4, ns, nt, 4)."""
    e, e_dot = 0.0, 0.0
    for k in range(4):
        e += d.weight[k] * q[U, d.station, d.dof[k] >> 2, d.dof[k] & 3]
        e_dot += d.weight[k] * q[V, d.station, d.dof[k] >> 2, d.dof[k] & 3]
    return e, e_dot


@part()
def apply_forces(sc, m, q1, w):
    """u₁ −= Σ A⁻¹ Dⱼ λⱼ and likewise everything that hangs on it."""
    tiles = w.X.shape[2]
    for j in range(m):
        s, X = w.slot[j], w.X[j]
        lam, base = s.lam, s.begin
        if lam == 0.0:
            continue
        for i in range(s.first, s.last):
            for r in range(tiles):
                for k in range(4):
                    du = X[i - base, r, k] * lam
                    q1[U, i, r, k] -= du
                    q1[V, i, r, k] -= sc.C_u * du
                    if not sc.lossless:
                        q1[A, i, r, k] -= sc.a_u * du
        for k in range(w.z.shape[1]):
            dz = w.P[j, k] * lam
            w.z[0, k] -= dz
            w.z[1, k] -= sc.C_u * dz
            w.z[2, k] -= sc.a_u * dz


@part()
def keep_contact(c, s, least_impact):
    """Take a contact over into its record."""
    c.F, c.mode, c.on, c.g, c.g_dot, c.z, c.arm = s.lam, s.mode, s.on, s.g, s.g_dot, s.z, s.arm
    c.station = s.station[0]
    for k in range(4):
        c.weight[k] = s.weight[k]
    if s.mode == OPEN:
        c.impact = max(least_impact, s.g_dot)


@part()
def _pull(d, e, e_dot):
    """The pull of a dropper whose mode and correction are known."""
    if d.bows == 1:
        return d.N0 + d.k * e + d.p
    if d.mode == OPEN:
        return 0.0
    N = d.N0 + d.k * e + d.c * e_dot
    return N if d.mode == CLOSED else max(0.0, N + d.p - min(d.N0, 0.0))


@part()
def _log_slack(r, since, until, record):
    """Note one slackening."""
    n = record.events[0]
    if n < record.slack.shape[0]:
        record.slack[n, 0], record.slack[n, 1], record.slack[n, 2] = r, since, until
    record.events[0] = n + 1


@part()
def keep_droppers(drop, sc, m0, m, q1, time, w, record, ledger):
    """Book droppers and take them over into their records; one that is simply taut needs no slot."""
    for i in range(m0, m):
        d, s = drop[w.slot[i].ref], w.slot[i]
        if d.bows == 1:
            e, _ = stretch(d, q1)
            keep_bow(sc, d, e, s.lam)
            s.mode = CLOSED if _pull(d, e, 0.0) > 0.0 else OPEN
        if s.mode == OPEN and d.mode != OPEN:
            d.since = time
        elif s.mode != OPEN and d.mode == OPEN:
            _log_slack(s.ref, d.since, time, record)
        d.p, d.mode = s.lam, s.mode
    for r in range(drop.shape[0]):
        d = drop[r]
        e, e_dot = stretch(d, q1)
        N = _pull(d, e, e_dot)
        book_dropper(sc, d, e, N, ledger)
        d.e, d.N = e, N
        d.N_min = min(d.N_min, N)
        d.N_max = max(d.N_max, N)
        if d.mode == OPEN:
            d.slack += sc.h
        if d.bows == 1 and d.p != 0.0:
            ledger[D_DROPPERS] += lay_to_rest(d)
            w.slot[w.slot_of[r]].lam = d.p
    for i in range(m0, m):
        if w.slot[i].mode == CLOSED and w.slot[i].lam == 0.0:
            empty_slots(w)
            break


@part()
def step(line, train, sc, state, q0, f0, q1, f1, position, speed, uplift0, uplift1, time, w, record):
    """Advance by one step from q0 to q1 (f0, f1: the same memory, flat); the rest of the state follows."""
    contact, element, drop, ledger = state.contact, state.element, state.drop, state.ledger
    nc, wires = contact.shape[0], line.path.shape[0]
    m0 = nc + element.shape[0]
    predict_line(line, sc, q0, f0, state.eta, contact, drop, w, f1)
    predict_masses(train, sc, state.z, contact, element, uplift0, uplift1, w.f, w.z)
    for r in range(drop.shape[0]):
        drop[r].e_free, drop[r].e_dot_free = stretch(drop[r], q1)
        if drop[r].bows == 1:
            drop[r].bow_stored = bow_energy(drop[r], drop[r].e)
            predict_bow(sc, drop[r])
    for i in range(nc):
        p = i // wires
        open_contact(line, train.head[p], contact[i], i % wires, i, position[p], speed, q1, w.z, w)
        if train.head[p].roll > 0:
            roll_contact(line, train, train.head[p].roll - 1, i % wires, i, speed, q1, w)
    for k in range(element.shape[0]):
        open_element(element[k], train.direction[k], w.z, w.slot[nc + k])
    status, m = solve_small(line, sc, speed, nc, m0, drop, w)
    if status != OK:
        return status
    apply_forces(sc, m, q1, w)
    for i in range(nc):
        head = train.head[i // wires]
        dz = w.z[0, head.mass] - state.z[0, head.mass]
        book_contact(sc, contact[i], line.path[i % wires].dof_w, w.slot[i], q0[U], q1[U], dz, ledger)
        if head.roll > 0:
            book_roll(sc, contact[i], w.slot[i], state.z[0, head.roll - 1], w.z[0, head.roll - 1], ledger)
        keep_contact(contact[i], w.slot[i], head.impact)
    for k in range(element.shape[0]):
        book_element(sc, element[k], w.slot[nc + k], ledger)
    book_masses(train, sc, state.z, w.z, uplift0, uplift1, ledger)
    book_line(line, sc, q0, f0, q1, f1, w, ledger)
    if state.eta.shape[1] > 0:
        keep_far(line, sc, f0, f1, state.eta, w, ledger)
    keep_droppers(drop, sc, m0, m, q1, time, w, record, ledger)
    for k in range(w.z.shape[1]):
        for j in range(3):
            state.z[j, k] = w.z[j, k]
    return OK


@part()
def fade(line, sc, ends, front, rear, q, f, eta, drop, time, w, record):
    """Let waves fade towards the ends of the window; returns the energy that takes.

    front, rear: where the first and the last pantograph are [m]. Droppers follow: a slack one whose
    wires come to rest is taut again.
    """
    kinetic, potential = line_energy(line, q, f, eta, drop, w.s, w.s_flat, w.masts)
    far, size = line.far, 4 * w.s.shape[1]
    for n in range(far.base.shape[0]):
        i = far.base[n] // size
        shares = _fading(sc, ends, front, rear, line.x[i]), _fading(sc, ends, front, rear, line.x[i + 1])
        share = _fading(sc, ends, front, rear, 0.5 * (line.x[i] + line.x[i + 1]))
        if share < 1.0 or shares[0] < 1.0 or shares[1] < 1.0:
            fade_far(line, n, share, shares, f, eta, w)
    for i in range(line.x.shape[0]):
        share = _fading(sc, ends, front, rear, line.x[i])
        if share < 1.0:
            for r in range(w.s.shape[1]):
                for k in range(4):
                    q[U, i, r, k] *= share
                    q[V, i, r, k] *= share
                    q[A, i, r, k] *= share
    for r in range(drop.shape[0]):
        d = drop[r]
        e, e_dot = stretch(d, q)
        if e != d.e:
            _settle(d, r, e, e_dot, time, record)
    if line.damped:
        remember_damping(line, sc, q, f, w.s, w.s_flat)
    left, stored = line_energy(line, q, f, eta, drop, w.s, w.s_flat, w.masts)
    return kinetic + potential - left - stored


@part()
def _fading(sc, ends, front, rear, x):
    """What is left of a motion at x."""
    ahead = (x - front - ends.front_begin) / ends.front_length
    xi = min(1.0, max(ahead, (rear - ends.rear_begin - x) / ends.rear_length))
    return np.exp(-ends.rate * xi**3 * ends.every * sc.h) if xi > 0.0 else 1.0


@part()
def _settle(d, r, e, e_dot, time, record):
    """A dropper at a new elongation: slack or taut by its law alone."""
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


@part()
def record_contact(line, c, wire, u, out):
    """out = force, height of the wire at the contact point, its place across the track, its uplift."""
    out[0], out[1], out[2], out[3] = c.F, np.nan, np.nan, np.nan
    if c.on == 0:
        return
    path, shape = line.path[wire], line.shape[wire]
    uplift = -at_contact(u, c.station, path.dof_w, c.weight)
    lateral = 0.0
    for k in range(4):
        lateral -= c.weight[k] * shape[c.station + (k >> 1), 2 + (k & 1)]
    if path.dof_y >= 0:
        lateral -= at_contact(u, c.station, path.dof_y, c.weight)
    out[1], out[2], out[3] = c.z + uplift, lateral, uplift


@part()
def _record_step(line, state, u, time, contacts, masses):
    """Write down one step; returns False if a contact force is not a number."""
    total = 0.0
    for i in range(state.contact.shape[0]):
        record_contact(line, state.contact[i], i % line.path.shape[0], u, contacts[i])
        total += state.contact[i].F
    for k in range(masses.shape[0]):
        masses[k] = state.z[0, k]
    for k in range(state.support.shape[0]):
        s = state.support[k]
        uplift = u[s.station, s.dof >> 2, s.dof & 3]
        if uplift > s.uplift:
            s.uplift, s.time = uplift, time
    return np.isfinite(total)


@part()
def _record_sample(line, train, state, q, f, n, w, record):
    """Energies, uplifts and dropper forces, now and then."""
    energies(line, train, state, q, f, w, record.energy[n])
    for k in range(record.support.shape[1]):
        s = state.support[k]
        record.support[n, k] = q[U, s.station, s.dof >> 2, s.dof & 3]
    for r in range(record.dropper.shape[1]):
        record.dropper[n, r] = state.drop[r].N


@part()
def _copy(x, out):
    """out = x, both (ns, nt, 4)."""
    for i in range(x.shape[0]):
        for r in range(x.shape[1]):
            for k in range(4):
                out[i, r, k] = x[i, r, k]


@part()
def gust_load(line, sc, number, push):
    """push = load of the gusts during the step to ``number``, α_f of the old and 1 − α_f of the new; nothing in calm."""
    if line.gusts.shape[0] == 0:
        return
    share = (number - sc.alpha_f - line.gust_first) / line.gust_steps
    k = min(max(int(share), 0), line.gusts.shape[0] - 2)
    mix(k + 1 - share, line.gusts[k], share - k, line.gusts[k + 1], push)


@whole
def run_chunk(line, train, sc, ends, state, track, first, every, shape_every, w, record):
    """Advance by as many steps as ``track`` has; returns (status, steps done).

    first: number of the step the chunk starts from; samples are taken each ``every`` steps, shapes
    each ``shape_every`` as long as there is room. On failure the state is that of the last good step
    but for the tables of contacts and droppers and the modes of far spans.
    """
    empty_slots(w)
    status = OK
    q0, f0, q1, f1 = state.q, state.flat, w.q, w.flat
    done, sample, shape = 0, 0, 0
    while status == OK and done < track.speed.shape[0] - 1:
        n, number = done, first + done + 1
        gust_load(line, sc, number, w.push)
        status = step(
            line,
            train,
            sc,
            state,
            q0,
            f0,
            q1,
            f1,
            track.position[n + 1],
            track.speed[n + 1],
            track.uplift[n],
            track.uplift[n + 1],
            number * sc.h,
            w,
            record,
        )
        if status != OK:
            break
        if line.gusts.shape[0] > 0:
            mix(1.0, f1[U], -1.0, f0[U], w.s_flat)
            state.ledger[W_WIND] += dot(w.s_flat, w.push)
        q0, f0, q1, f1 = q1, f1, q0, f0
        if not _record_step(line, state, q0[U], number * sc.h, record.contact[n], record.masses[n]):
            status = NOT_FINITE
            break
        done += 1
        if ends.every > 0 and number % ends.every == 0:
            where = track.position[n + 1]
            state.ledger[D_ABSORBED] += fade(
                line, sc, ends, where[0], where[-1], q0, f0, state.eta, state.drop, number * sc.h, w, record
            )
        if number % every == 0:
            _record_sample(line, train, state, q0, f0, sample, w, record)
            sample += 1
        if number % shape_every == 0 and shape < record.shape.shape[0]:
            _copy(q0[U], record.shape[shape])
            shape += 1
    if done % 2 == 1 and status == OK:
        for k in range(4):
            _copy(q0[k], state.q[k])
    return status, done
