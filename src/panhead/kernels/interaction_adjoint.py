"""The steps of ``interaction`` taken backwards: the exact derivative of what they have computed.

With the modes of all laws as they were, step n → n+1 is linear in the state. With u_f = (1 − α) u₁ + α u₀ it says

    R = M m + C c + K u_f + Σ D₁ λ₁ (1 − α) + Σ D₀ λ₀ α = 0,   m = M_u u_f − s_M,   c = C_u u_f − s_C        (1)
    r = ε λ₁ − a g − b ġ − const = 0   for every slot                                                       (2)

(``Scheme``, ``unilateral``; K and C hold taut droppers). With the adjoints η of (1) and μ of (2), and ū₁, v̄₁, ā₁, λ̄₁
what everything later makes of the state at n+1,

    Bᵀ μ = Xᵀ U − λ̄₁,   A η (1 − α) = −(U − Σ μ G),   U = ū₁ + C_u v̄₁ + a_u ā₁,   G = a D + b (C_u D + v D′)  (3)

where B = ε + Gᵀ X is the small matrix of the step itself and X = A⁻¹ D: the same factors, one solve. A parameter p of
the equations then has dJ/dp = Σ ηᵀ ∂R/∂p + μ ∂r/∂p. At a step where a mode would change with p the derivative is that
of the side taken.
"""

from __future__ import annotations

from panhead.kernels.block_tridiagonal import multiply, solve
from panhead.kernels.compiling import part, whole
from panhead.kernels.interaction import step, stretch
from panhead.kernels.interaction_arrays import A, U, V
from panhead.kernels.interaction_parameters import (
    contact_slopes,
    dropper_slopes,
    element_slopes,
    impact_slopes,
    law,
    line_slopes,
    station_slopes,
    train_slopes,
)
from panhead.kernels.interaction_slots import OK, connect, empty_slots, give_slot, place_contact, take_column
from panhead.kernels.unilateral import CLOSED, DROPPER, EDGE, FRICTION, LANKARANI, OPEN, STOP, eliminate


@part()
def keep_state(state, q, n, kept):
    """Row n of ``kept`` is the state as it is, its line in q (4, ns, nt, 4)."""
    for j in range(3):
        for i in range(q.shape[1]):
            for r in range(q.shape[2]):
                for k in range(4):
                    kept.q[n, j, i, r, k] = q[j, i, r, k]
        for k in range(state.z.shape[1]):
            kept.z[n, j, k] = state.z[j, k]
    for i in range(state.contact.shape[0]):
        kept.contact[n, i] = state.contact[i]
    for i in range(state.element.shape[0]):
        kept.element[n, i] = state.element[i]
    for i in range(state.drop.shape[0]):
        kept.drop[n, i] = state.drop[i]


@whole
def run_kept(line, train, sc, state, track, first, w, record, kept):
    """The steps of ``track``, every state kept; the arithmetic of ``run_chunk``."""
    empty_slots(w)
    q0, f0, q1, f1 = state.q, state.flat, w.q, w.flat
    keep_state(state, q0, 0, kept)
    for n in range(track.speed.shape[0] - 1):
        status = step(
            line, train, sc, state, q0, f0, q1, f1, track.position[n + 1], track.speed[n + 1], track.uplift[n],
            track.uplift[n + 1], (first + n + 1) * sc.h, w, record,
        )  # fmt: skip
        if status != OK:
            return status
        q0, f0, q1, f1 = q1, f1, q0, f0
        keep_state(state, q0, n + 1, kept)
    if (track.speed.shape[0] - 1) % 2 == 1:
        for j in range(state.flat.shape[0]):
            for k in range(state.flat.shape[1]):
                state.flat[j, k] = f0[j, k]
    return OK


@part()
def _open_slots(line, train, kept, n, position, speed, C_u, w):
    """The slots of the step that ended in row n, as it left them: columns, influence, law; returns how many."""
    contact, element, drop = kept.contact[n], kept.element[n], kept.drop[n]
    nc, ne, wires = contact.shape[0], element.shape[0], line.path.shape[0]
    empty_slots(w)
    for i in range(nc):
        s, c = w.slot[i], contact[i]
        place_contact(line, i % wires, position[i // wires], s)
        s.mode, s.lam, s.g, s.g_dot, s.impact = c.mode, c.F, c.g, c.g_dot, c.impact
        if s.on == 0:
            s.mode, s.lam, s.first, s.last = OPEN, 0.0, 0, 0
        else:
            take_column(line.F, i, w)
    for k in range(ne):
        s, e = w.slot[nc + k], element[k]
        s.mode, s.lam, s.g = e.mode, e.force, e.g
        s.g_dot = 0.0
        for j in range(train.direction.shape[1]):
            s.g_dot += train.direction[k, j] * kept.z[n, 1, j]
    m = nc + ne
    for r in range(drop.shape[0]):
        d = drop[r]
        if d.mode != CLOSED or d.p != 0.0:
            give_slot(line.F, d, r, m, speed, C_u, w)
            s = w.slot[m]
            s.mode, s.lam = d.mode, d.p
            s.g, s.g_dot = stretch(d, kept.q[n])
            m += 1
    for i in range(nc):
        connect(m, i, speed, C_u, w)
    return m


@part()
def _solve_laws(m, sc, back, nc, ne, w):
    """μ of eq. (3) into w.r; back.load is U, back.half unused; w.f is that of the masses."""
    for i in range(m):
        s = w.slot[i]
        eps, a, b = law(s)
        for j in range(m):
            w.A[j, i] = a * w.S[i, j] + b * w.R[i, j]  # transposed
        w.A[i, i] += eps
        if i < nc:
            own = back.contact[i]
        elif i < nc + ne:
            own = back.element[i - nc]
        else:
            own = back.drop[s.ref]
        total = -own
        for k in range(w.P.shape[1]):
            total += w.P[i, k] * w.f[k]
        for st in range(s.first, s.last):
            for r in range(back.load.shape[1]):
                for k in range(4):
                    total += w.X[i, st - s.begin, r, k] * back.load[st, r, k]
        w.r[i] = total
    for i in range(nc):
        if w.slot[i].on == 0:  # no force, no gap: its law is λ = 0
            for j in range(m):
                w.A[i, j], w.A[j, i] = 0.0, 0.0
            w.A[i, i], w.r[i] = 1.0, 0.0
    return eliminate(w.A, w.r, m)


@part()
def _add_at(s, weight, share, x):
    """x (ns, nt, 4) += share · weight at the coordinates of slot s."""
    for k in range(4):
        x[s.station[k], s.dof[k] >> 2, s.dof[k] & 3] += share * weight[k]


@part()
def _solve_back(line, train, sc, m, speed, back, w):
    """η and η_z of eq. (3) from U (back.load, w.f) and μ (w.r); back.load becomes U − Σ μ G = −(1 − α) A η."""
    for i in range(m):
        s, mu = w.slot[i], w.r[i]
        if mu == 0.0 or s.on == 0:
            continue
        _, a, b = law(s)
        if s.kind != STOP and s.kind != FRICTION:
            _add_at(s, s.weight, -mu * (a + b * sc.C_u), back.load)
            if s.kind <= LANKARANI:
                _add_at(s, s.weight_x, -mu * b * speed, back.load)
        for k in range(w.D.shape[1]):
            w.f[k] -= mu * (a + b * sc.C_u) * w.D[i, k]
    share = -1.0 / (1.0 - sc.alpha_f)
    for i in range(back.load_flat.shape[0]):
        back.half_flat[i] = share * back.load_flat[i]
    solve(line.F, back.half, back.eta)
    for i in range(w.f.shape[0]):
        total = 0.0
        for j in range(w.f.shape[0]):
            total += train.A_inv[j, i] * w.f[j]
        back.eta_z[i] = share * total


@part()
def _before(line, train, sc, m, nc, ne, kept, n, x0, number, back, w, slope):
    """Adjoints of the state in row n from η, μ and those of row n + 1, in place."""
    drop = kept.drop[n]
    for i in range(m):  # what the laws take of v₁ directly
        s, mu = w.slot[i], w.r[i]
        if mu != 0.0 and s.on == 1:
            _, _, b = law(s)
            if s.kind != STOP and s.kind != FRICTION:
                for k in range(4):
                    at = (s.station[k] * back.eta.shape[1] + (s.dof[k] >> 2)) * 4 + (s.dof[k] & 3)
                    back.q[V, at] -= mu * b * s.weight[k]
            for k in range(w.D.shape[1]):
                back.z[1, k] -= mu * b * w.D[i, k]
    multiply(line.M, back.eta, w.s)
    if line.damped:
        multiply(line.C, back.eta, w.rhs)
    else:
        for i in range(w.rhs_flat.shape[0]):
            w.rhs_flat[i] = 0.0
    for r in range(drop.shape[0]):
        d = drop[r]
        if d.c != 0.0:
            e = 0.0
            for k in range(4):
                e += d.weight[k] * back.eta[d.station, d.dof[k] >> 2, d.dof[k] & 3]
            for k in range(4):
                w.rhs[d.station, d.dof[k] >> 2, d.dof[k] & 3] += d.c * d.weight[k] * e
    old = -sc.alpha_f / (1.0 - sc.alpha_f)  # α A η = old · (U − Σ μ G)
    for i in range(w.s_flat.shape[0]):
        Me, Ce, v, a = w.s_flat[i], w.rhs_flat[i], back.q[V, i], back.q[A, i]
        back.q[U, i] = old * back.load_flat[i] - sc.M_u * Me - sc.C_u * Ce - sc.C_u * v - sc.a_u * a
        back.q[V, i] = -sc.M_v * Me - sc.C_v * Ce + sc.v_v * v + sc.a_v * a
        back.q[A, i] = -sc.M_a * Me - sc.C_a * Ce + sc.v_a * v + sc.a_a * a
    for i in range(w.f.shape[0]):
        Me, Ce = 0.0, 0.0
        for j in range(w.f.shape[0]):
            Me += train.M[j, i] * back.eta_z[j]
            Ce += train.C[j, i] * back.eta_z[j]
        v, a = back.z[1, i], back.z[2, i]
        back.z[0, i] = old * w.f[i] - sc.M_u * Me - sc.C_u * Ce - sc.C_u * v - sc.a_u * a
        back.z[1, i] = -sc.M_v * Me - sc.C_v * Ce + sc.v_v * v + sc.a_v * a
        back.z[2, i] = -sc.M_a * Me - sc.C_a * Ce + sc.v_a * v + sc.a_a * a
    _old_slopes(line, train, sc, nc, ne, kept, n, x0, number, back, w, slope)


@part()
def _old_slopes(line, train, sc, nc, ne, kept, n, x0, number, back, w, slope):
    """Adjoints of the forces in row n, which act in the step with their share α; eq. (1)."""
    wires = line.path.shape[0]
    for i in range(nc):
        c, p = kept.contact[n, i], i // wires
        back.contact[i] = 0.0
        if c.F != 0.0:
            dof, total, along = line.path[i % wires].dof_w, 0.0, 0.0
            place_contact(line, i % wires, x0[p], w.slot[i])
            for k in range(4):
                e = back.eta[c.station + (k >> 1), dof >> 2, (dof & 3) + (k & 1)]
                total += c.weight[k] * e
                along += w.slot[i].weight_x[k] * e
            back.contact[i] = sc.alpha_f * (total + back.eta_z[train.head[p].mass])
            slope.position[number - 1, p] += sc.alpha_f * c.F * along
            at_rest, share = line.shape[i % wires], sc.alpha_f * c.F
            station_slopes(line, w.slot[i], x0[p], 0.0, kept.q[n], at_rest, 0.0, 0.0, share, back.eta, slope.x)
    for k in range(ne):
        total = 0.0
        for j in range(w.f.shape[0]):
            total += train.direction[k, j] * back.eta_z[j]
        back.element[k] = sc.alpha_f * total
    for r in range(kept.drop.shape[1]):
        d = kept.drop[n, r]
        back.drop[r] = 0.0
        if d.mode != CLOSED or d.p != 0.0:
            total = 0.0
            for k in range(4):
                e = back.eta[d.station, d.dof[k] >> 2, d.dof[k] & 3]
                total += d.weight[k] * e
                slope.weight[r, k] += sc.alpha_f * d.p * e
            back.drop[r] = sc.alpha_f * total


@part()
def _want(line, sc, kept, n, state, wanted, row, back, slope):
    """Add what the number takes directly of the state in row n."""
    nt, wires = back.eta.shape[1], line.path.shape[0]
    for i in range(kept.contact.shape[1]):
        c, share = kept.contact[n, i], wanted.height[row, i]
        back.contact[i] += wanted.force[row, i]
        if c.on == 1 and share != 0.0:
            dof = line.path[i % wires].dof_w
            for k in range(4):
                st = c.station + (k >> 1)
                back.q[U, (st * nt + (dof >> 2)) * 4 + (dof & 3) + (k & 1)] -= share * c.weight[k]
                slope.shape[i % wires, st, k & 1] -= share * c.weight[k]
    for i in range(wanted.support.shape[1]):
        s, share = state.support[i], wanted.support[row, i]
        if share != 0.0:
            back.q[U, (s.station * nt + (s.dof >> 2)) * 4 + (s.dof & 3)] += share
    for r in range(wanted.dropper.shape[1]):
        share = wanted.dropper[row, r]
        if share != 0.0:
            _want_pull(kept.drop[n, r], r, share, kept.q[n], nt, back, slope)


@part()
def _want_pull(d, r, share, q, nt, back, slope):
    """N = N₀ + k e + c ė where taut, nothing where slack; at the edge N₀₊ + p + k e + c ė."""
    if d.mode == OPEN:
        return
    e, e_dot = stretch(d, q)
    slope.k[r] += share * e
    slope.c[r] += share * e_dot
    slope.N0[r] += share if d.mode == CLOSED or d.N0 > 0.0 else 0.0
    if d.mode == EDGE:
        back.drop[r] += share
    for k in range(4):
        at = (d.station * nt + (d.dof[k] >> 2)) * 4 + (d.dof[k] & 3)
        back.q[U, at] += share * d.k * d.weight[k]
        back.q[V, at] += share * d.c * d.weight[k]
        i, j = d.dof[k] >> 2, d.dof[k] & 3
        slope.weight[r, k] += share * (d.k * q[U, d.station, i, j] + d.c * q[V, d.station, i, j])


@whole
def sweep_back(line, train, sc, state, track, first, kept, wanted, back, w, kinks, smooth, kinked):
    """From the last row of ``kept`` to its first; ``back`` is of the last row, then of the first.

    first: number of the first row's step in the run; kinks (all steps,): which steps contribute to ``kinked`` and not
    to ``smooth``. Returns False if a small system is singular.
    """
    nc, ne, wires = kept.contact.shape[1], kept.element.shape[1], line.path.shape[0]
    for n in range(track.speed.shape[0] - 2, -1, -1):
        number = first + n + 1
        slope = kinked if kinks[number - 1] else smooth
        _want(line, sc, kept, n + 1, state, wanted, n, back, slope)
        x1, speed = track.position[n + 1], track.speed[n + 1]
        m = _open_slots(line, train, kept, n + 1, x1, speed, sc.C_u, w)
        for i in range(nc):
            if w.slot[i].kind == LANKARANI and w.slot[i].mode == OPEN:
                impact_slopes(line, train, i, i % wires, x1[i // wires], speed, kept.q[n + 1], number, back, w, slope)
        for i in range(back.load_flat.shape[0]):
            back.load_flat[i] = back.q[U, i] + sc.C_u * back.q[V, i] + sc.a_u * back.q[A, i]
        for k in range(w.f.shape[0]):
            w.f[k] = back.z[0, k] + sc.C_u * back.z[1, k] + sc.a_u * back.z[2, k]
        if not _solve_laws(m, sc, back, nc, ne, w):
            return False
        _solve_back(line, train, sc, m, speed, back, w)
        q0, q1 = kept.q[n], kept.q[n + 1]
        for i in range(m):
            s, mu = w.slot[i], w.r[i]
            if s.kind == DROPPER:
                dropper_slopes(sc, s, mu, s.lam, q1, back, slope)
            elif i < nc and s.on == 1:
                p = i // wires
                contact_slopes(line, sc, s, mu, i % wires, p, x1[p], speed, q1, back, number, slope)
                if s.kind == LANKARANI and s.mode == CLOSED and s.lam > 0.0:
                    back.impact[i] += mu * s.k * s.g**s.power * s.chi * s.g_dot / (s.impact * s.impact)
            elif i >= nc:
                element_slopes(s, mu, i - nc, slope)
        line_slopes(line, sc, q0, q1, kept.flat[n], kept.flat[n + 1], kept.drop[n + 1], back, w, slope)
        train_slopes(train, sc, kept.z[n], kept.z[n + 1], back, number, slope)
        _before(line, train, sc, m, nc, ne, kept, n, track.position[n], number, back, w, slope)
    return True
