"""Contacts between heads and wires: position, gap and law; their adjoints and parameter derivatives.

A contact at x in element e, ξ = (x − xₑ)/ℓ, has the weights w = −N(ξ) of the wire's shape functions and the gap
g = w · u + z_head − z_static(x). It also feels its element's stations move:

    ∂w/∂xₑ = −(1 − ξ) w′ − o w/ℓ,   ∂w/∂xₑ₊₁ = −ξ w′ + o w/ℓ,   o = 1 for slopes, 0 for values        (4)
    ∂w′/∂xₑ = −(1 − ξ) w″ + (1 − o) w′/ℓ,   ∂w′/∂xₑ₊₁ = −ξ w″ − (1 − o) w′/ℓ

η, μ and all gradients are in lanes, one objective J in each (``step_adjoint``).
"""

from __future__ import annotations

import numpy as np

from panhead.engine.jit.compiler import part
from panhead.engine.jit.lanes import fma, put, take, zero
from panhead.engine.kernels.block_tridiagonal_lanes import add
from panhead.engine.kernels.compiled_laws import contact_potential, shape, shape_x, shape_xx
from panhead.runs.linear.step.active_set import displacement, take_column
from panhead.runs.linear.step.step_arrays import D_CONTACT, W_TRAIN, U, V
from panhead.runs.linear.step.unilateral import CLOSED, CONTACT, LANKARANI, OPEN, law


@part()
def _find_station(x, guess, stations):
    """Element that contains x, searched from ``guess``."""
    i = guess
    while i > 0 and x < stations[i]:
        i -= 1
    while i < stations.shape[0] - 2 and x >= stations[i + 1]:
        i += 1
    return i


@part()
def place_contact(line, q, x, s):
    """Place contact slot s under wire q at x: position, weights −n and −n′, static height."""
    path, at_rest = line.path[q], line.shape[q]
    if x < line.x[path.first] or x >= line.x[path.last]:
        s.on = 0
        return
    s.on = 1
    e = _find_station(x, s.station[0], line.x)
    ell = line.x[e + 1] - line.x[e]
    xi = (x - line.x[e]) / ell
    N, N_x = shape(xi, ell), shape_x(xi, ell)
    s.z, s.z_x = 0.0, 0.0
    for k in range(4):
        s.station[k] = e + (k >> 1)
        s.dof[k] = path.dof_w + (k & 1)
        s.z += N[k] * at_rest[s.station[k], k & 1]
        s.z_x += N_x[k] * at_rest[s.station[k], k & 1]
        s.weight[k], s.weight_x[k] = -N[k], -N_x[k]


@part()
def begin_contact(line, c, q, x, s):
    """Place contact slot s under wire q at x with the memory of its record c; return whether there is a wire."""
    place_contact(line, q, x, s)
    s.mode, s.lam, s.impact = c.mode, c.F, c.impact
    if s.on == 0:
        s.mode, s.lam, s.first, s.last, s.g_free, s.g_dot_free = OPEN, 0.0, 0, 0, 0.0, 0.0
    return s.on == 1


@part()
def contact_gap(head, s, speed, q1, z1):
    """Gap of contact slot s and its rate in the free answer q1, z1."""
    s.g_free = displacement(s, s.weight, q1[0], 0) + z1[0, head.mass] + head.height - s.z
    slope = displacement(s, s.weight_x, q1[0], 0) - s.z_x
    s.g_dot_free = displacement(s, s.weight, q1[1], 0) + z1[1, head.mass] + speed * slope


@part()
def open_contact(line, head, c, q, i, x, speed, q1, z1, w):
    """Fill slot i: a pantograph (record head) under wire q at x, with its gap in the free answer."""
    if begin_contact(line, c, q, x, w.slot[i]):
        take_column(line.F, i, w)
        contact_gap(head, w.slot[i], speed, q1, z1)


@part()
def roll_contact(line, train, roll, q, i, speed, q1, w):
    """Let the contact of slot i act on a rolling head: its gap has y φ more, y where the wire crosses the head.

    The place y is that of the wire at rest and, with lateral motion, of the free answer; + φ lifts the left side.
    """
    s, at_rest, dof = w.slot[i], line.shape[q], line.path[q].dof_y
    s.arm, s.arm_x, s.roll = 0.0, 0.0, roll
    if s.on == 1:
        for k in range(4):
            y = at_rest[s.station[k], 2 + (k & 1)]
            if dof >= 0:
                y += q1[0, s.station[k], dof >> 2, (dof & 3) + (k & 1)]
            s.arm -= s.weight[k] * y
            s.arm_x -= s.weight_x[k] * y
        s.g_free += s.arm * w.z[0, roll]
        s.g_dot_free += s.arm * w.z[1, roll] + speed * s.arm_x * w.z[0, roll]
    w.D[i, roll] = s.arm
    for k in range(w.P.shape[1]):
        w.P[i, k] = 0.0
        for j in range(w.P.shape[1]):
            w.P[i, k] += w.D[i, j] * train.A_inv[k, j]


@part()
def open_contacts(line, train, contact, position, speed, q1, w):
    """Fill the slots of all contacts in the free answer q1, w.z; position (heads,) [m]."""
    wires = line.path.shape[0]
    for i in range(contact.shape[0]):
        p = i // wires
        open_contact(line, train.head[p], contact[i], i % wires, i, position[p], speed, q1, w.z, w)
        if train.head[p].roll > 0:
            roll_contact(line, train, train.head[p].roll - 1, i % wires, i, speed, q1, w)


@part()
def load_contacts(line, sc, contact, rhs):
    """rhs += contact forces of the old time, with their share α_f."""
    wires = line.path.shape[0]
    for i in range(contact.shape[0]):
        c = contact[i]
        if c.F != 0.0:
            dof = line.path[i % wires].dof_w
            for k in range(4):
                load = sc.alpha_f * c.weight[k] * c.F
                rhs[c.station + (k >> 1), dof >> 2, (dof & 3) + (k & 1)] -= load


@part()
def update_contact(c, s, least_impact):
    """Store a contact in its record."""
    c.F, c.mode, c.on, c.g, c.g_dot, c.z, c.arm = s.lam, s.mode, s.on, s.g, s.g_dot, s.z, s.arm
    c.station = s.station[0]
    for k in range(4):
        c.weight[k] = s.weight[k]
    if s.mode == OPEN:
        c.impact = max(least_impact, s.g_dot)


@part()
def record_contact(line, c, wire, u, out):
    """Write out = force, height of the wire at the contact point, its lateral position, its uplift."""
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
def at_contact(u, station, dof, weight):
    """Interpolate Σ weight · u over a contact point's four coordinates; u (ns, nt, 4)."""
    r, k = dof >> 2, dof & 3  # w and w′ are neighbours in one tile
    return (
        weight[0] * u[station, r, k]
        + weight[1] * u[station, r, k + 1]
        + weight[2] * u[station + 1, r, k]
        + weight[3] * u[station + 1, r, k + 1]
    )


@part()
def contact_energy(law, g):
    """Elastic energy of a contact at penetration g [J]; law: a slot or a head."""
    return contact_potential(g, law.k, law.power if law.kind == LANKARANI else 1.0)


@part()
def book_contact(sc, c, dof, s, u0, u1, dz, ledger):
    """Add the energy of one contact, eq. (2) of ``ledger``; its record c is still the old one. dz: motion of the
    head."""
    F0, F1 = sc.alpha_f * c.F, (1.0 - sc.alpha_f) * s.lam
    # weights are −n, so the work on the line is −(weight · Δu) F
    work, train, stored = -dz * (F0 + F1), 0.0, 0.0
    if c.on == 1:
        work -= F0 * (at_contact(u1, c.station, dof, c.weight) - at_contact(u0, c.station, dof, c.weight))
        stored -= contact_energy(s, c.g)
    if s.on == 1:
        i = s.station[0]
        work -= F1 * (at_contact(u1, i, dof, s.weight) - at_contact(u0, i, dof, s.weight))
        stored += contact_energy(s, s.g)
        if c.on == 1:
            moved0 = at_contact(u0, i, dof, s.weight) - at_contact(u0, c.station, dof, c.weight)
            moved1 = at_contact(u1, i, dof, s.weight) - at_contact(u1, c.station, dof, c.weight)
            train = F1 * moved0 + F0 * moved1 - (F0 + F1) * (s.z - c.z)
    ledger[W_TRAIN] += train
    ledger[D_CONTACT] += train - work - stored


@part()
def book_roll(sc, c, s, phi0, phi1, ledger):
    """Add the roll terms of eq. (2) of ``ledger``: the gap's part y φ, y the arm of the contact."""
    F0, F1 = sc.alpha_f * c.F, (1.0 - sc.alpha_f) * s.lam
    work = -(phi1 - phi0) * (F0 * c.arm + F1 * s.arm)
    train = (s.arm - c.arm) * (F1 * phi0 + F0 * phi1) if c.on == 1 and s.on == 1 else 0.0
    ledger[W_TRAIN] += train
    ledger[D_CONTACT] += train - work


@part()
def felt(s, weight, x):
    """Gap coordinate Σ weight · x of slot s; x (ns, nt, 4) in lanes."""
    total = zero(x)
    for k in range(4):
        total = fma(weight[k], take(x, (s.station[k], s.dof[k] >> 2, s.dof[k] & 3)), total)
    return total


@part()
def _second(line, s, x):
    """−N″ of a contact at x: derivative of its ``weight_x``."""
    e = s.station[0]
    ell = line.x[e + 1] - line.x[e]
    n = shape_xx((x - line.x[e]) / ell, ell)
    return -n[0], -n[1], -n[2], -n[3]


@part()
def _weights_by_station(s, k, side, xi, ell, w_xx):
    """∂ of weight and weight_x of slot s at its coordinate k by the place of station e + side; eq. (4)."""
    near = xi if side == 1 else 1.0 - xi
    sign = 1.0 if side == 1 else -1.0
    dw, dw_x = -near * s.weight_x[k], -near * w_xx
    if k & 1 == 1:
        dw += sign * s.weight[k] / ell
    else:
        dw_x -= sign * s.weight_x[k] / ell
    return dw, dw_x


@part()
def station_gradient(line, s, x, speed, q1, at_rest, by_g, by_g_dot, by_eta, eta, out):
    """out (ns,) += by_g ∂g/∂x_station + by_ġ ∂ġ/∂x_station + by_η ∂(w·η)/∂x_station of a contact at x."""
    e = s.station[0]
    ell = line.x[e + 1] - line.x[e]
    xi, n_xx = (x - line.x[e]) / ell, _second(line, s, x)
    for side in range(2):
        g, g_dot, total = 0.0, 0.0, zero(out)
        for k in range(4):
            st, i, j = s.station[k], s.dof[k] >> 2, s.dof[k] & 3
            dw, dw_x = _weights_by_station(s, k, side, xi, ell, n_xx[k])
            place = q1[U, st, i, j] + at_rest[st, k & 1]
            g += dw * place
            g_dot += dw * q1[V, st, i, j] + speed * dw_x * place
            total = fma(by_eta * dw, take(eta, (st, i, j)), total)
        add(out, (e + side,), total + by_g * g + by_g_dot * g_dot)


@part()
def _along(line, s, x, speed, q1, at_rest):
    """∂g/∂x and ∂ġ/∂x of a contact at x."""
    n_xx = _second(line, s, x)
    g_x, g_dot_x = -s.z_x, 0.0
    for k in range(4):
        st, i, j = s.station[k], s.dof[k] >> 2, s.dof[k] & 3
        g_x += s.weight_x[k] * q1[U, st, i, j]
        g_dot_x += s.weight_x[k] * q1[V, st, i, j] + speed * n_xx[k] * (q1[U, st, i, j] + at_rest[st, k & 1])
    return g_x, g_dot_x


@part()
def contact_gradient(line, sc, s, mu, wire, p, x, speed, q1, eta, number, slope):
    """∂R/∂ and ∂r/∂ of a contact: static shape of the wire, contact law, place and speed."""
    _, a, b = law(s)
    at_rest = line.shape[wire]
    g_x, g_dot_x = _along(line, s, x, speed, q1, at_rest)
    for k in range(4):
        add(slope.shape, (wire, s.station[k], k & 1), mu * (-a * s.weight[k] - b * speed * s.weight_x[k]))
    add(slope.head, (p, 0), mu * -a)
    if s.mode == CLOSED and s.kind == CONTACT:
        add(slope.head, (p, 1), mu * -s.g)
        add(slope.head, (p, 2), mu * -s.g_dot)
    elif s.mode == CLOSED and s.kind == LANKARANI:
        _curved_gradient(s, mu, p, slope)
    share = (1.0 - sc.alpha_f) * s.lam
    add(slope.position, (number, p), fma(share, felt(s, s.weight_x, eta), mu * (-a * g_x - b * g_dot_x)))
    add(slope.speed, (number,), mu * (-b * g_x))
    station_gradient(line, s, x, speed, q1, at_rest, mu * -a, mu * -b, share, eta, slope.x)


@part()
def _curved_gradient(s, mu, p, slope):
    """∂r/∂ of the numbers of F = k δⁿ max(0, 1 + χ δ̇/δ̇⁻)."""
    spring = s.k * max(s.g, 0.0) ** s.power
    add(slope.head, (p, 1), mu * (-s.lam / s.k))
    if s.g > 0.0 and s.lam > 0.0:
        add(slope.head, (p, 3), mu * (-s.lam * np.log(s.g)))
        add(slope.head, (p, 4), mu * (-spring * s.g_dot / s.impact))


@part()
def impact_adjoint(line, train, i, wire, x, speed, q1, number, back, w, slope):
    """Adjoint of an open contact, whose δ̇ becomes the impact speed of the next contact: max(least, δ̇)."""
    s, bar, p = w.slot[i], take(back.impact, (i,)), i // line.path.shape[0]
    put(back.impact, (i,), zero(back.impact))
    if s.on == 0 or s.g_dot <= train.head[p].impact:
        add(slope.head, (p, 5), bar)
        return
    at_rest = line.shape[wire]
    g_x, g_dot_x = _along(line, s, x, speed, q1, at_rest)
    for k in range(4):
        st, r, j = s.station[k], s.dof[k] >> 2, s.dof[k] & 3
        add(back.q, (V, st, r, j), bar * s.weight[k])
        add(back.q, (U, st, r, j), bar * (speed * s.weight_x[k]))
        add(slope.shape, (wire, st, k & 1), bar * (speed * s.weight_x[k]))
    add(back.z, (1, train.head[p].mass), bar)
    add(slope.position, (number, p), bar * g_dot_x)
    add(slope.speed, (number,), bar * g_x)
    station_gradient(line, s, x, speed, q1, at_rest, 0.0, bar, 0.0, back.load, slope.x)


@part()
def contacts_adjoint(line, train, sc, kept, n, x0, number, back, w, slope):
    """Adjoints of the contact forces in row n, which act in the step after it with their share α_f."""
    wires, eta = line.path.shape[0], back.eta
    for i in range(kept.contact.shape[1]):
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
            station_gradient(line, w.slot[i], x0[p], 0.0, kept.q[n], at_rest, 0.0, 0.0, share, eta, slope.x)


@part()
def seed_contacts(line, kept, n, wanted, row, back, slope):
    """Add direct cotangents of the contact forces and heights in row n."""
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
