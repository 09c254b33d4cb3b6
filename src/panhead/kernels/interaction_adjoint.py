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

The modes, B and A are those of the run, whatever J is: several J are taken back at once, one in each lane (``lanes``).
"""

from __future__ import annotations

from panhead.kernels.compiling import part, whole
from panhead.kernels.dense import lu_factor, lu_substitute
from panhead.kernels.interaction import stretch
from panhead.kernels.interaction_arrays import A, U, V
from panhead.kernels.interaction_far_adjoint import fade_back, far_before, find_far, load_far
from panhead.kernels.interaction_outer import SIDE
from panhead.kernels.interaction_parameters import (
    contact_slopes,
    dropper_slopes,
    element_slopes,
    felt_dropper,
    impact_slopes,
    law,
    station_slopes,
    taut_slopes,
    train_slopes,
)
from panhead.kernels.interaction_slots import connect, empty_slots, give_slot, place_contact, take_column
from panhead.kernels.lane_solve import add, solve, tile_product
from panhead.kernels.lanes import fma, put, put4, take, take4, zero
from panhead.kernels.unilateral import CLOSED, DROPPER, EDGE, FRICTION, LANKARANI, OPEN, STOP


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
def _load_laws(m, back, nc, ne, w):
    """Xᵀ U − λ̄₁ of eq. (3) into back.mu; back.load and back.f are U."""
    for i in range(m):
        s = w.slot[i]
        if i < nc:
            own = take(back.contact, (i,))
        elif i < nc + ne:
            own = take(back.element, (i - nc,))
        else:
            own = take(back.drop, (s.ref,))
        total = own * -1.0
        for k in range(w.P.shape[1]):
            total = fma(w.P[i, k], take(back.f, (k,)), total)
        for st in range(s.first, s.last):
            for r in range(back.load.shape[1]):
                for k in range(4):
                    total = fma(w.X[i, st - s.begin, r, k], take(back.load, (st, r, k)), total)
        put(back.mu, (i,), total)


@part()
def _solve_laws(m, back, nc, w):
    """μ of eq. (3) from its right sides, lane by lane in place; False if Bᵀ is singular."""
    for lane in range(back.mu_each.shape[1]):
        for i in range(m):
            eps, a, b = law(w.slot[i])
            for j in range(m):
                w.A[j, i] = a * w.S[i, j] + b * w.R[i, j]  # transposed
            w.A[i, i] += eps
            w.r[i] = back.mu_each[i, lane]
        for i in range(nc):
            if w.slot[i].on == 0:  # no force, no gap: its law is λ = 0
                for j in range(m):
                    w.A[i, j], w.A[j, i] = 0.0, 0.0
                w.A[i, i], w.r[i] = 1.0, 0.0
        right = w.r.reshape(w.r.shape[0], 1)
        if lu_factor(w.A, m, right) == 0.0:
            return False
        lu_substitute(w.A, m, right)
        for i in range(m):
            back.mu_each[i, lane] = w.r[i]
    return True


@part()
def _solve_back(line, far, train, sc, m, speed, back, w):
    """η and η_z of eq. (3) from U (back.load, back.f) and μ; back.load becomes U − Σ μ G = −(1 − α) A η."""
    for i in range(m):
        s, mu = w.slot[i], take(back.mu, (i,))
        if s.on == 0:
            continue
        _, a, b = law(s)
        by = -(a + b * sc.C_u)
        if s.kind != STOP and s.kind != FRICTION:
            along = -b * speed if s.kind <= LANKARANI else 0.0
            for k in range(4):
                at = (s.station[k], s.dof[k] >> 2, s.dof[k] & 3)
                add(back.load, at, mu * (by * s.weight[k] + along * s.weight_x[k]))
        for k in range(w.D.shape[1]):
            add(back.f, (k,), mu * (by * w.D[i, k]))
    share = -1.0 / (1.0 - sc.alpha_f)
    load_far(far, sc, back)
    solve(line.F, share, back.load, back.half, back.eta)
    find_far(far, share, back)
    for i in range(train.A_inv.shape[0]):
        total = zero(back.f)
        for j in range(train.A_inv.shape[0]):
            total = fma(share * train.A_inv[j, i], take(back.f, (j,)), total)
        put(back.eta_z, (i,), total)


@part()
def _gather(sc, q, load):
    """U = ū + C_u v̄ + a_u ā; q (3, n), load (n,)."""
    for i in range(load.shape[0]):
        load[i] = fma(sc.C_u, q[V, i], q[U, i])
    if not sc.lossless:
        for i in range(load.shape[0]):
            load[i] = fma(sc.a_u, q[A, i], load[i])


@part()
def _line_back(line, sc, old, back):
    """ū₀, v̄₀, ā₀ from those of the end of the step and η, in place; without loss ā is nothing. Entries beside pairs and
    dampers of droppers are left."""
    q, tile = back.q, back.tile
    for i in range(back.eta.shape[0]):
        for t in range(back.eta.shape[1]):
            put4(tile, (0,), tile_product(line.M, back.eta, i, t))
            if line.damped:
                put4(tile, (1,), tile_product(line.C, back.eta, i, t))
            for k in range(4):
                v, Me = take(q, (V, i, t, k)), take(tile, (0, k))
                u0, v0 = take(back.load, (i, t, k)) * old - Me * sc.M_u - v * sc.C_u, v * sc.v_v - Me * sc.M_v
                if line.damped:
                    u0, v0 = u0 - take(tile, (1, k)) * sc.C_u, v0 - take(tile, (1, k)) * sc.C_v
                if not sc.lossless:
                    a = take(q, (A, i, t, k))
                    u0, v0 = u0 - a * sc.a_u, v0 + a * sc.a_v
                    put(q, (A, i, t, k), v * sc.v_a + a * sc.a_a - Me * sc.M_a - take(tile, (1, k)) * sc.C_a)
                put(q, (U, i, t, k), u0)
                put(q, (V, i, t, k), v0)


@part()
def _entries_back(matrix, by_u, by_v, by_a, back):
    """What the entries of M or C beside its pairs make of η in ū₀, v̄₀, ā₀."""
    for n in range(matrix.place.shape[0]):
        i, d, j, e = matrix.place[n, 0], matrix.place[n, 1], matrix.place[n, 2], matrix.place[n, 3]
        _damp(i, d, take(back.eta, (j, e >> 2, e & 3)) * matrix.value[n], by_u, by_v, by_a, back)


@part()
def _damp(i, d, x, by_u, by_v, by_a, back):
    """ū₀, v̄₀, ā₀ −= their shares of x at coordinate d of station i."""
    add(back.q, (U, i, d >> 2, d & 3), x * -by_u)
    add(back.q, (V, i, d >> 2, d & 3), x * -by_v)
    add(back.q, (A, i, d >> 2, d & 3), x * -by_a)


@part()
def _masses_back(train, sc, old, back):
    """The same of the masses."""
    nm = train.M.shape[0]
    for i in range(nm):
        Me, Ce = zero(back.f), zero(back.f)
        for j in range(nm):
            Me = fma(train.M[j, i], take(back.eta_z, (j,)), Me)
            Ce = fma(train.C[j, i], take(back.eta_z, (j,)), Ce)
        v, a, load = take(back.z, (1, i)), take(back.z, (2, i)), take(back.f, (i,))
        put(back.z, (0, i), load * old - Me * sc.M_u - Ce * sc.C_u - v * sc.C_u - a * sc.a_u)
        put(back.z, (1, i), v * sc.v_v + a * sc.a_v - Me * sc.M_v - Ce * sc.C_v)
        put(back.z, (2, i), v * sc.v_a + a * sc.a_a - Me * sc.M_a - Ce * sc.C_a)


@part()
def _before(line, far, train, sc, m, n, drop, back, w):
    """Adjoints of the state before step n from η, μ and those after it, in place; drop: the state's before."""
    for i in range(m):  # what the laws take of v₁ directly
        s, mu = w.slot[i], take(back.mu, (i,))
        if s.on == 1:
            _, _, b = law(s)
            if s.kind != STOP and s.kind != FRICTION:
                for k in range(4):
                    add(back.q, (V, s.station[k], s.dof[k] >> 2, s.dof[k] & 3), mu * (-b * s.weight[k]))
            for k in range(w.D.shape[1]):
                add(back.z, (1, k), mu * (-b * w.D[i, k]))
    old = -sc.alpha_f / (1.0 - sc.alpha_f)  # α A η = old · (U − Σ μ G)
    _line_back(line, sc, old, back)
    _entries_back(line.M, sc.M_u, sc.M_v, sc.M_a, back)
    _entries_back(line.C, sc.C_u, sc.C_v, sc.C_a, back)
    for r in range(drop.shape[0]):
        d = drop[r]
        if d.c != 0.0:
            e = felt_dropper(d, back.eta)
            for k in range(4):
                _damp(d.station, d.dof[k], e * (d.c * d.weight[k]), sc.C_u, sc.C_v, sc.C_a, back)
    _masses_back(train, sc, old, back)
    far_before(far, sc, old, n, back)


@part()
def _old_slopes(line, train, sc, nc, ne, kept, n, x0, number, back, w, slope):
    """Adjoints of the forces in row n, which act in the step with their share α; eq. (1)."""
    wires, eta = line.path.shape[0], back.eta
    for i in range(nc):
        c, p = kept.contact[n, i], i // wires
        put(back.contact, (i,), zero(back.contact))
        if c.F != 0.0:
            dof, total, along = line.path[i % wires].dof_w, take(back.eta_z, (train.head[p].mass,)), zero(back.contact)
            place_contact(line, i % wires, x0[p], w.slot[i])
            for k in range(4):
                e = take(eta, (c.station + (k >> 1), dof >> 2, (dof & 3) + (k & 1)))
                total = fma(c.weight[k], e, total)
                along = fma(w.slot[i].weight_x[k], e, along)
            at_rest, share = line.shape[i % wires], sc.alpha_f * c.F
            put(back.contact, (i,), total * sc.alpha_f)
            add(slope.position, (number - 1, p), along * share)
            station_slopes(line, w.slot[i], x0[p], 0.0, kept.q[n], at_rest, 0.0, 0.0, share, eta, slope.x)
    for k in range(ne):
        total = zero(back.f)
        for j in range(train.direction.shape[1]):
            total = fma(sc.alpha_f * train.direction[k, j], take(back.eta_z, (j,)), total)
        put(back.element, (k,), total)
    for r in range(kept.drop.shape[1]):
        d = kept.drop[n, r]
        put(back.drop, (r,), zero(back.drop))
        if d.mode != CLOSED or d.p != 0.0:
            put(back.drop, (r,), felt_dropper(d, eta) * sc.alpha_f)
            if slope.weight.shape[0] > 0:
                for k in range(4):
                    at = (d.station, d.dof[k] >> 2, d.dof[k] & 3)
                    add(slope.weight, (r, k), take(eta, at) * (sc.alpha_f * d.p))


@part()
def _want(line, kept, n, state, wanted, row, back, slope):
    """Add what the numbers take directly of the state in row n."""
    wires = line.path.shape[0]
    for i in range(wanted.force.shape[1]):
        add(back.contact, (i,), take(wanted.force, (row, i)))
    for i in range(wanted.height.shape[1]):
        c, share = kept.contact[n, i], take(wanted.height, (row, i))
        if c.on == 1:
            dof = line.path[i % wires].dof_w
            for k in range(4):
                st, by = c.station + (k >> 1), share * -c.weight[k]
                add(back.q, (U, st, dof >> 2, (dof & 3) + (k & 1)), by)
                add(slope.shape, (i % wires, st, k & 1), by)
    for i in range(wanted.support.shape[1]):
        s = state.support[i]
        add(back.q, (U, s.station, s.dof >> 2, s.dof & 3), take(wanted.support, (row, i)))
    for r in range(wanted.dropper.shape[1]):
        _want_pull(kept.drop[n, r], r, take(wanted.dropper, (row, r)), kept.q[n], back, slope)


@part()
def _want_pull(d, r, share, q, back, slope):
    """N = N₀ + k e + c ė where taut, nothing where slack; at the edge N₀₊ + p + k e + c ė."""
    if d.mode == OPEN:
        return
    e, e_dot = stretch(d, q)
    add(slope.k, (r,), share * e)
    add(slope.c, (r,), share * e_dot)
    if d.mode == CLOSED or d.N0 > 0.0:
        add(slope.N0, (r,), share)
    if d.mode == EDGE:
        add(back.drop, (r,), share)
    for k in range(4):
        i, j = d.dof[k] >> 2, d.dof[k] & 3
        add(back.q, (U, d.station, i, j), share * (d.k * d.weight[k]))
        add(back.q, (V, d.station, i, j), share * (d.c * d.weight[k]))
        if slope.weight.shape[0] > 0:
            add(slope.weight, (r, k), share * (d.k * q[U, d.station, i, j] + d.c * q[V, d.station, i, j]))


@part()
def _law_slopes(line, sc, m, nc, kept, n, x1, speed, number, back, w, slope):
    """∂J/∂ of the numbers of all slots of the step that ended in row n."""
    wires, eta = line.path.shape[0], back.eta
    for i in range(m):
        s, mu = w.slot[i], take(back.mu, (i,))
        if s.kind == DROPPER:
            dropper_slopes(sc, s, mu, kept.q[n], eta, slope)
        elif i < nc and s.on == 1:
            p = i // wires
            contact_slopes(line, sc, s, mu, i % wires, p, x1[p], speed, kept.q[n], eta, number, slope)
            if s.kind == LANKARANI and s.mode == CLOSED and s.lam > 0.0:
                by = s.k * s.g**s.power * s.chi * s.g_dot / (s.impact * s.impact)
                add(back.impact, (i,), mu * by)
        elif i >= nc:
            element_slopes(s, mu, i - nc, slope)


@part()
def _keep_eta(back, n):
    """Step n of back.past is the η there is."""
    for i in range(back.eta.shape[0]):
        for t in range(back.eta.shape[1]):
            put4(back.past, (i // SIDE, n, i % SIDE, t), take4(back.eta, (i, t)))


@whole
def sweep_back(line, far, train, sc, ends, state, track, first, kept, row, wanted, back, w, kinks, smooth, kinked):
    """Over the steps that begin in the rows ``row`` of ``kept``, from the last to the first; ``back`` is of the end of
    the last step, then of the beginning of the first, back.past of all.

    first: number of the first row's step in the run; kinks (all steps,): which steps contribute to ``kinked`` and not
    to ``smooth``. What the matrices of the line make of η is left (``interaction_outer``). Returns False if a small
    system is singular.
    """
    nc, ne, wires = kept.contact.shape[1], kept.element.shape[1], line.path.shape[0]
    for n in range(track.speed.shape[0] - 2, -1, -1):
        number, old, new = first + n + 1, row[n], row[n] + 1
        slope = kinked if kinks[number - 1] else smooth
        x1, speed = track.position[n + 1], track.speed[n + 1]
        if ends.every > 0 and number % ends.every == 0:
            fade_back(line, far, sc, ends, x1, kept, new, number, back, slope)
        _want(line, kept, new, state, wanted, n, back, slope)
        m = _open_slots(line, train, kept, new, x1, speed, sc.C_u, w)
        for i in range(nc):
            if w.slot[i].kind == LANKARANI and w.slot[i].mode == OPEN:
                impact_slopes(line, train, i, i % wires, x1[i // wires], speed, kept.q[new], number, back, w, slope)
        _gather(sc, back.q_flat, back.load_flat)
        for k in range(train.M.shape[0]):
            v, a = take(back.z, (1, k)), take(back.z, (2, k))
            put(back.f, (k,), take(back.z, (0, k)) + v * sc.C_u + a * sc.a_u)
        _load_laws(m, back, nc, ne, w)
        if not _solve_laws(m, back, nc, w):
            return False
        _solve_back(line, far, train, sc, m, speed, back, w)
        _keep_eta(back, n)
        _law_slopes(line, sc, m, nc, kept, new, x1, speed, number, back, w, slope)
        taut_slopes(sc, kept.q[old], kept.q[new], kept.drop[new], back.eta, slope)
        train_slopes(sc, kept.z[old], kept.z[new], back.eta_z, number, slope)
        _before(line, far, train, sc, m, n, kept.drop[old], back, w)
        _old_slopes(line, train, sc, nc, ne, kept, old, track.position[n], number, back, w, slope)
    return True
