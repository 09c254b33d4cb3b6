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

from panhead.kernels.block_tridiagonal import FMA, mix, multiply, solve
from panhead.kernels.compiling import part, whole
from panhead.kernels.interaction import step, stretch
from panhead.kernels.interaction_arrays import A, U, V
from panhead.kernels.interaction_slots import (
    OK,
    connect,
    displacement,
    empty_slots,
    give_slot,
    place_contact,
    take_column,
)
from panhead.kernels.laws import shape_xx
from panhead.kernels.unilateral import (
    CLOSED,
    CONTACT,
    DROPPER,
    EDGE,
    FRICTION,
    LANKARANI,
    OPEN,
    STOP,
    eliminate,
    linearise,
)


@part()
def _keep(state, q, n, kept):
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
    _keep(state, q0, 0, kept)
    for n in range(track.speed.shape[0] - 1):
        status = step(
            line, train, sc, state, q0, f0, q1, f1, track.position[n + 1], track.speed[n + 1], track.uplift[n],
            track.uplift[n + 1], (first + n + 1) * sc.h, w, record,
        )  # fmt: skip
        if status != OK:
            return status
        q0, f0, q1, f1 = q1, f1, q0, f0
        _keep(state, q0, n + 1, kept)
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
def _law(s):
    """ε, a, b of a slot's law where it ended; eq. (2)."""
    eps, a, b, _ = linearise(s, s.mode, s.g, s.g_dot)
    return eps, a, b


@part()
def _solve_laws(m, sc, back, nc, ne, w):
    """μ of eq. (3) into w.r; back.load is U, back.half unused; w.f is that of the masses."""
    for i in range(m):
        s = w.slot[i]
        eps, a, b = _law(s)
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
        _, a, b = _law(s)
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


@part(FMA)
def _add_outer(eta, x, S):
    """S.pair += η xᵀ where a ``Paired`` matrix has its pairs; eta, x (ns, nt, 4), S (ns, 3, nt, 8)."""
    ns, nt, _ = x.shape
    for i in range(ns):
        for t in range(nt):
            for d in range(3):
                j = i + (0 if d == 0 else -1 if d == 1 else 1)
                if 0 <= j < ns:
                    for k in range(4):
                        S[i, d, t, k] += eta[i, t, k] * x[j, t, k]
                        S[i, d, t, 4 + k] += eta[i, t, k] * x[j, t, k ^ 1]


@part()
def _add_rest(place, eta, x, S):
    """The same for what does not fit pairs."""
    for n in range(place.shape[0]):
        i, d, j, e = place[n, 0], place[n, 1], place[n, 2], place[n, 3]
        S[n] += eta[i, d >> 2, d & 3] * x[j, e >> 2, e & 3]


@part()
def _line_slopes(line, sc, q0, q1, f0, f1, drop, back, w, slope):
    """∂R/∂ of the line's matrices and taut droppers; uses w.s, w.rhs as u_f, then m, then c."""
    af = sc.alpha_f
    mix(1.0 - af, f1[U], af, f0[U], w.s_flat)
    _add_outer(back.eta, w.s, slope.K)
    _add_rest(line.K.place, back.eta, w.s, slope.K_rest)
    mix(sc.M_u, f0[U], sc.M_v, f0[V], w.rhs_flat)
    mix(1.0, w.rhs_flat, sc.M_a, f0[A], w.rhs_flat)
    mix(sc.M_u, w.s_flat, -1.0, w.rhs_flat, w.rhs_flat)
    _add_outer(back.eta, w.rhs, slope.M)
    _add_rest(line.M.place, back.eta, w.rhs, slope.M_rest)
    mix(sc.C_u, f0[U], sc.C_v, f0[V], w.rhs_flat)
    mix(1.0, w.rhs_flat, sc.C_a, f0[A], w.rhs_flat)
    mix(sc.C_u, w.s_flat, -1.0, w.rhs_flat, w.rhs_flat)
    if line.damped:
        _add_outer(back.eta, w.rhs, slope.C)
        _add_rest(line.C.place, back.eta, w.rhs, slope.C_rest)
    for r in range(drop.shape[0]):
        d = drop[r]
        e_eta, e_f, e_c = 0.0, 0.0, 0.0
        for k in range(4):
            i, j = d.dof[k] >> 2, d.dof[k] & 3
            e_eta += d.weight[k] * back.eta[d.station, i, j]
            e_f += d.weight[k] * w.s[d.station, i, j]
            e_c += d.weight[k] * w.rhs[d.station, i, j]
        slope.k[r] += e_eta * e_f
        slope.c[r] += e_eta * e_c
        pull = d.k * e_f + d.c * e_c
        for k in range(4):
            i, j = d.dof[k] >> 2, d.dof[k] & 3
            slope.weight[r, k] += back.eta[d.station, i, j] * pull
            slope.weight[r, k] += e_eta * (d.k * w.s[d.station, i, j] + d.c * w.rhs[d.station, i, j])


@part()
def _dropper_slopes(sc, s, mu, lam, q1, back, slope):
    """∂R/∂ and ∂r/∂ of a dropper that has a slot."""
    r = s.ref
    if s.mode == OPEN:
        slope.k[r] += mu * s.g
        slope.c[r] += mu * s.g_dot
        if s.N0 > 0.0:
            slope.N0[r] += mu
    elif s.mode == EDGE:
        slope.N0[r] -= mu / s.k
        slope.k[r] += mu * s.N0 / (s.k * s.k)
    elif s.N0 < 0.0:
        slope.N0[r] -= mu
    _, a, b = _law(s)
    for k in range(4):
        st, i, j = s.station[k], s.dof[k] >> 2, s.dof[k] & 3
        slope.weight[r, k] -= mu * (a * q1[U, st, i, j] + b * q1[V, st, i, j])
        slope.weight[r, k] += (1.0 - sc.alpha_f) * lam * back.eta[st, i, j]


@part()
def _second(line, s, x):
    """−N″ of a contact at x: derivative of its ``weight_x``."""
    e = s.station[0]
    ell = line.x[e + 1] - line.x[e]
    n = shape_xx((x - line.x[e]) / ell, ell)
    return -n[0], -n[1], -n[2], -n[3]


@part()
def _contact_slopes(line, sc, s, mu, wire, p, x, speed, q1, back, number, slope):
    """∂R/∂ and ∂r/∂ of a contact: static shape of the wire, contact law, place and speed."""
    _, a, b = _law(s)
    at_rest = line.shape[wire]
    n_xx = _second(line, s, x)
    g_x, g_dot_x = -s.z_x, 0.0
    for k in range(4):
        st, i, j = s.station[k], s.dof[k] >> 2, s.dof[k] & 3
        slope.shape[wire, st, k & 1] -= mu * (a * s.weight[k] + b * speed * s.weight_x[k])
        g_x += s.weight_x[k] * q1[U, st, i, j]
        g_dot_x += s.weight_x[k] * q1[V, st, i, j] + speed * n_xx[k] * (q1[U, st, i, j] + at_rest[st, k & 1])
    slope.head[p, 0] -= mu * a
    if s.mode == CLOSED and s.kind == CONTACT:
        slope.head[p, 1] -= mu * s.g
        slope.head[p, 2] -= mu * s.g_dot
    elif s.mode == CLOSED and s.kind == LANKARANI:
        slope.head[p, 1] -= mu * s.lam / s.k
    slope.position[number, p] -= mu * (a * g_x + b * g_dot_x)
    slope.position[number, p] += (1.0 - sc.alpha_f) * s.lam * displacement(s, s.weight_x, back.eta, 0)
    slope.speed[number] -= mu * b * g_x


@part()
def _element_slopes(s, mu, k, slope):
    """∂r/∂ of a stop or friction element."""
    if s.kind == STOP and s.mode == CLOSED:
        slope.element[k, 0] -= mu * s.g
        slope.element[k, 2] += mu * s.k
    elif s.kind == FRICTION:
        _, _, b = _law(s)
        slope.element[k, 0] -= mu * s.lam / s.k
        slope.element[k, 1] += mu * b * s.g_dot / s.c


@part()
def _train_slopes(train, sc, z0, z1, back, number, slope):
    """∂R/∂ of the masses' matrices and lifting forces."""
    af, nm = sc.alpha_f, z0.shape[1]
    for j in range(nm):
        zf = (1.0 - af) * z1[0, j] + af * z0[0, j]
        m = sc.M_u * zf - sc.M_u * z0[0, j] - sc.M_v * z0[1, j] - sc.M_a * z0[2, j]
        c = sc.C_u * zf - sc.C_u * z0[0, j] - sc.C_v * z0[1, j] - sc.C_a * z0[2, j]
        for i in range(nm):
            slope.M_train[i, j] += back.eta_z[i] * m
            slope.C_train[i, j] += back.eta_z[i] * c
            slope.K_train[i, j] += back.eta_z[i] * zf
        slope.uplift[number, j] -= (1.0 - af) * back.eta_z[j]
        slope.uplift[number - 1, j] -= af * back.eta_z[j]


@part()
def _before(line, train, sc, m, nc, ne, kept, n, x0, number, back, w, slope):
    """Adjoints of the state in row n from η, μ and those of row n + 1, in place."""
    drop = kept.drop[n]
    for i in range(m):  # what the laws take of v₁ directly
        s, mu = w.slot[i], w.r[i]
        if mu != 0.0 and s.on == 1:
            _, _, b = _law(s)
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
def sweep_back(line, train, sc, state, track, first, kept, wanted, back, w, slope):
    """From the last row of ``kept`` to its first; ``back`` is of the last row, then of the first.

    first: number of the first row's step in the run. Returns False if a small system is singular.
    """
    nc, ne, wires = kept.contact.shape[1], kept.element.shape[1], line.path.shape[0]
    for n in range(track.speed.shape[0] - 2, -1, -1):
        number = first + n + 1
        _want(line, sc, kept, n + 1, state, wanted, n, back, slope)
        x1, speed = track.position[n + 1], track.speed[n + 1]
        m = _open_slots(line, train, kept, n + 1, x1, speed, sc.C_u, w)
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
                _dropper_slopes(sc, s, mu, s.lam, q1, back, slope)
            elif i < nc and s.on == 1:
                p = i // wires
                _contact_slopes(line, sc, s, mu, i % wires, p, x1[p], speed, q1, back, number, slope)
            elif i >= nc:
                _element_slopes(s, mu, i - nc, slope)
        _line_slopes(line, sc, q0, q1, kept.flat[n], kept.flat[n + 1], kept.drop[n + 1], back, w, slope)
        _train_slopes(train, sc, kept.z[n], kept.z[n + 1], back, number, slope)
        _before(line, train, sc, m, nc, ne, kept, n, track.position[n], number, back, w, slope)
    return True
