"""Adjoint march: exact derivative of the computed time steps, from last to first.

With the modes of all laws as they were, step n → n+1 is linear in the state. With u_f = (1 − α) u₁ + α u₀ it says

    R = M m + C c + K u_f + Σ D₁ λ₁ (1 − α) + Σ D₀ λ₀ α = 0,   m = M_u u_f − s_M,   c = C_u u_f − s_C        (1)
    r = ε λ₁ − a g − b ġ − const = 0   for every slot                                                       (2)

(``arrays.Scheme``, ``unilateral``; K and C hold taut droppers). With the adjoints η of (1) and μ of (2), and ū₁, v̄₁,
ā₁, λ̄₁ what everything later makes of the state at n+1,

    Bᵀ μ = Xᵀ U − λ̄₁,   A η (1 − α) = −(U − Σ μ G),   U = ū₁ + C_u v̄₁ + a_u ā₁,   G = a D + b (C_u D + v D′)  (3)

where B = ε + Gᵀ X is the small matrix of the step itself and X = A⁻¹ D: the same factors, one solve. A parameter p of
the equations then has dJ/dp = Σ ηᵀ ∂R/∂p + μ ∂r/∂p. At a step where a mode would change with p the derivative is that
of the side taken.

The modes, B and A are those of the run, whatever J is: several J go back at once, one in each lane (``lanes``). What a
part of the step makes of η and μ stands with that part.
"""

from __future__ import annotations

from panhead.engine.jit.compiler import part, whole
from panhead.engine.jit.lanes import fma, put, take, zero
from panhead.engine.kernels.block_tridiagonal_lanes import add
from panhead.engine.kernels.dense import lu_factor, lu_substitute
from panhead.runs.linear.step.absorbing_ends import fade_adjoint
from panhead.runs.linear.step.active_set import connect, empty_slots, take_column
from panhead.runs.linear.step.contact import (
    contact_gradient,
    contacts_adjoint,
    impact_adjoint,
    place_contact,
    seed_contacts,
)
from panhead.runs.linear.step.dropper import (
    dropper_gradient,
    droppers_adjoint,
    open_slack_slots,
    seed_droppers,
    taut_gradient,
)
from panhead.runs.linear.step.line import (
    dampers_adjoint,
    keep_eta,
    line_adjoint_lanes,
    line_adjoint_single,
    solve_lanes,
    solve_single,
)
from panhead.runs.linear.step.masses import element_gradient, elements_adjoint, masses_adjoint, masses_gradient
from panhead.runs.linear.step.scheme import advance_adjoint
from panhead.runs.linear.step.step_arrays import U, V
from panhead.runs.linear.step.superelement_adjoint import far_adjoint, find_far, load_far
from panhead.runs.linear.step.unilateral import CLOSED, DROPPER, FRICTION, LANKARANI, OPEN, STOP, law


@part()
def _open_slots(line, train, kept, n, position, speed, C_u, w):
    """Restore the slots of the step that ended in row n: columns, influence, law; return their number."""
    contact, element = kept.contact[n], kept.element[n]
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
    m = open_slack_slots(line, kept.q[n], kept.drop[n], nc + ne, speed, C_u, w)
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
def _load_line(far, sc, m, speed, back, w):
    """back.load and back.f become U − Σ μ G = −(1 − α) A η from U and μ, far spans eliminated."""
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
    load_far(far, sc, back)


@part()
def _solve_train(train, share, back):
    """η_z of eq. (3)."""
    for i in range(train.A_inv.shape[0]):
        total = zero(back.f)
        for j in range(train.A_inv.shape[0]):
            total = fma(share * train.A_inv[j, i], take(back.f, (j,)), total)
        put(back.eta_z, (i,), total)


@part()
def _laws_adjoint(m, back, w):
    """Direct contribution of the laws to the adjoint of v₁."""
    for i in range(m):
        s, mu = w.slot[i], take(back.mu, (i,))
        if s.on == 1:
            _, _, b = law(s)
            if s.kind != STOP and s.kind != FRICTION:
                for k in range(4):
                    add(back.q, (V, s.station[k], s.dof[k] >> 2, s.dof[k] & 3), mu * (-b * s.weight[k]))
            for k in range(w.D.shape[1]):
                add(back.z, (1, k), mu * (-b * w.D[i, k]))


@part()
def _seed(line, kept, n, state, wanted, row, back, slope):
    """Add direct cotangents of the state in row n."""
    seed_contacts(line, kept, n, wanted, row, back, slope)
    for i in range(wanted.support.shape[1]):
        s = state.support[i]
        add(back.q, (U, s.station, s.dof >> 2, s.dof & 3), take(wanted.support, (row, i)))
    seed_droppers(kept, n, wanted, row, back, slope)


@part()
def _law_gradients(line, sc, m, nc, kept, n, x1, speed, number, back, w, slope):
    """∂J/∂ of the parameters of all slots of the step that ended in row n."""
    wires, eta = line.path.shape[0], back.eta
    for i in range(m):
        s, mu = w.slot[i], take(back.mu, (i,))
        if s.kind == DROPPER:
            dropper_gradient(sc, s, mu, kept.q[n], eta, slope)
        elif i < nc and s.on == 1:
            p = i // wires
            contact_gradient(line, sc, s, mu, i % wires, p, x1[p], speed, kept.q[n], eta, number, slope)
            if s.kind == LANKARANI and s.mode == CLOSED and s.lam > 0.0:
                by = s.k * s.g**s.power * s.chi * s.g_dot / (s.impact * s.impact)
                add(back.impact, (i,), mu * by)
        elif i >= nc:
            element_gradient(s, mu, i - nc, slope)


def _make_march_back(solve, line_adjoint):
    """Build an adjoint march: its solve for η, and its contribution of the line's matrices."""

    @whole
    def march_back(line, far, train, sc, ends, state, track, first, kept, row, wanted, back, w, kinks, smooth, kinked):
        """Over the steps that begin in the rows ``row`` of ``kept``, from the last to the first; ``back`` is of the end
        of the last step, then of the beginning of the first, back.past of all.

        first: number of the first row's step in the run; kinks (all steps,): which steps contribute to ``kinked`` and
        not to ``smooth``. What the matrices of the line make of η is left (``line.add_outer_…``). Returns False if a
        small system is singular.
        """
        share = -1.0 / (1.0 - sc.alpha_f)
        nc, ne, wires = kept.contact.shape[1], kept.element.shape[1], line.path.shape[0]
        for n in range(track.speed.shape[0] - 2, -1, -1):
            number, old, new = first + n + 1, row[n], row[n] + 1
            slope = kinked if kinks[number - 1] else smooth
            x1, speed = track.position[n + 1], track.speed[n + 1]
            if ends.every > 0 and number % ends.every == 0:
                fade_adjoint(line, far, sc, ends, x1, kept, new, number, back, slope)
            _seed(line, kept, new, state, wanted, n, back, slope)
            m = _open_slots(line, train, kept, new, x1, speed, sc.C_u, w)
            for i in range(nc):
                if w.slot[i].kind == LANKARANI and w.slot[i].mode == OPEN:
                    at, q = x1[i // wires], kept.q[new]
                    impact_adjoint(line, train, i, i % wires, at, speed, q, number, back, w, slope)
            advance_adjoint(sc, back.q_flat, back.load_flat)
            for k in range(train.M.shape[0]):
                v, a = take(back.z, (1, k)), take(back.z, (2, k))
                put(back.f, (k,), take(back.z, (0, k)) + v * sc.C_u + a * sc.a_u)
            _load_laws(m, back, nc, ne, w)
            if not _solve_laws(m, back, nc, w):
                return False
            _load_line(far, sc, m, speed, back, w)
            solve(line.F, share, back, w)
            find_far(far, sc, share, back)
            _solve_train(train, share, back)
            keep_eta(back, n)
            _law_gradients(line, sc, m, nc, kept, new, x1, speed, number, back, w, slope)
            taut_gradient(sc, kept.q[old], kept.q[new], kept.drop[new], back.eta, slope)
            masses_gradient(sc, kept.z[old], kept.z[new], back.eta_z, number, slope)
            _laws_adjoint(m, back, w)
            line_adjoint(line, sc, share * sc.alpha_f, back, w)  # α A η = share α · (U − Σ μ G)
            dampers_adjoint(sc, kept.drop[old], back)
            masses_adjoint(train, sc, share * sc.alpha_f, back)
            far_adjoint(far, sc, share * sc.alpha_f, n, back)
            contacts_adjoint(line, train, sc, kept, old, track.position[n], number, back, w, slope)
            elements_adjoint(train, sc, back)
            droppers_adjoint(sc, kept, old, back, slope)
        return True

    return march_back


#: several numbers in lanes; and one of plain numbers, in which coordinates share a register
march_back_lanes = _make_march_back(solve_lanes, line_adjoint_lanes)
march_back_single = _make_march_back(solve_single, line_adjoint_single)
