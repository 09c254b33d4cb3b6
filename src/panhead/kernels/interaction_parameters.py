"""What each part of a step makes of ∂J/∂ of its parameters, once its η and μ are known (``interaction_adjoint``).

η, μ and all slopes are in lanes, one number J in each. A contact point at x in element e, ξ = (x − xₑ)/ℓ, also feels
its element's stations move: with w = −N

    ∂w/∂xₑ = −(1 − ξ) w′ − o w/ℓ,   ∂w/∂xₑ₊₁ = −ξ w′ + o w/ℓ,   o = 1 for slopes, 0 for values        (4)
    ∂w′/∂xₑ = −(1 − ξ) w″ + (1 − o) w′/ℓ,   ∂w′/∂xₑ₊₁ = −ξ w″ − (1 − o) w′/ℓ
"""

from __future__ import annotations

import numpy as np

from panhead.kernels.compiling import part
from panhead.kernels.interaction_arrays import A, U, V
from panhead.kernels.lane_solve import add
from panhead.kernels.lanes import fma, put, take, zero
from panhead.kernels.laws import shape_xx
from panhead.kernels.unilateral import CLOSED, CONTACT, EDGE, FRICTION, LANKARANI, OPEN, STOP, linearise


@part()
def law(s):
    """ε, a, b of a slot's law where it ended; eq. (2)."""
    eps, a, b, _ = linearise(s, s.mode, s.g, s.g_dot)
    return eps, a, b


@part()
def felt(s, weight, x):
    """Σ weight · x at the coordinates of slot s; x (ns, nt, 4) in lanes."""
    total = zero(x)
    for k in range(4):
        total = fma(weight[k], take(x, (s.station[k], s.dof[k] >> 2, s.dof[k] & 3)), total)
    return total


@part()
def felt_dropper(d, x):
    """The elongation of dropper d in x (ns, nt, 4), in lanes."""
    total = zero(x)
    for k in range(4):
        total = fma(d.weight[k], take(x, (d.station, d.dof[k] >> 2, d.dof[k] & 3)), total)
    return total


@part()
def taut_slopes(sc, q0, q1, drop, eta, slope):
    """∂R/∂ of droppers, whose springs and dampers are in the matrices as if they were taut."""
    for r in range(drop.shape[0]):
        d = drop[r]
        e_eta, e_f, e_c = felt_dropper(d, eta), 0.0, 0.0
        for k in range(4):
            u_f, c = _averages(sc, sc.alpha_f, q0, q1, d, k)
            e_f += d.weight[k] * u_f
            e_c += d.weight[k] * c
        add(slope.k, (r,), e_eta * e_f)
        add(slope.c, (r,), e_eta * e_c)
        if slope.weight.shape[0] > 0:
            for k in range(4):
                u_f, c = _averages(sc, sc.alpha_f, q0, q1, d, k)
                at = (d.station, d.dof[k] >> 2, d.dof[k] & 3)
                add(slope.weight, (r, k), take(eta, at) * (d.k * e_f + d.c * e_c) + e_eta * (d.k * u_f + d.c * c))


@part()
def _averages(sc, af, q0, q1, d, k):
    """u_f and c of a step at coordinate k of dropper d."""
    i, r, j = d.station, d.dof[k] >> 2, d.dof[k] & 3
    u = q0[U, i, r, j]
    u_f = (1.0 - af) * q1[U, i, r, j] + af * u
    return u_f, sc.C_u * (u_f - u) - sc.C_v * q0[V, i, r, j] - sc.C_a * q0[A, i, r, j]


@part()
def dropper_slopes(sc, s, mu, q1, eta, slope):
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
def _second(line, s, x):
    """−N″ of a contact at x: derivative of its ``weight_x``."""
    e = s.station[0]
    ell = line.x[e + 1] - line.x[e]
    n = shape_xx((x - line.x[e]) / ell, ell)
    return -n[0], -n[1], -n[2], -n[3]


@part()
def _shifted(s, k, side, xi, ell, w_xx):
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
def station_slopes(line, s, x, speed, q1, at_rest, by_g, by_g_dot, by_eta, eta, out):
    """out (ns,) += by_g ∂g/∂x_station + by_ġ ∂ġ/∂x_station + by_η ∂(w·η)/∂x_station of a contact at x."""
    e = s.station[0]
    ell = line.x[e + 1] - line.x[e]
    xi, n_xx = (x - line.x[e]) / ell, _second(line, s, x)
    for side in range(2):
        g, g_dot, total = 0.0, 0.0, zero(out)
        for k in range(4):
            st, i, j = s.station[k], s.dof[k] >> 2, s.dof[k] & 3
            dw, dw_x = _shifted(s, k, side, xi, ell, n_xx[k])
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
def contact_slopes(line, sc, s, mu, wire, p, x, speed, q1, eta, number, slope):
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
        _curved_slopes(s, mu, p, slope)
    share = (1.0 - sc.alpha_f) * s.lam
    add(slope.position, (number, p), fma(share, felt(s, s.weight_x, eta), mu * (-a * g_x - b * g_dot_x)))
    add(slope.speed, (number,), mu * (-b * g_x))
    station_slopes(line, s, x, speed, q1, at_rest, mu * -a, mu * -b, share, eta, slope.x)


@part()
def _curved_slopes(s, mu, p, slope):
    """∂r/∂ of the numbers of F = k δⁿ max(0, 1 + χ δ̇/δ̇⁻)."""
    spring = s.k * max(s.g, 0.0) ** s.power
    add(slope.head, (p, 1), mu * (-s.lam / s.k))
    if s.g > 0.0 and s.lam > 0.0:
        add(slope.head, (p, 3), mu * (-s.lam * np.log(s.g)))
        add(slope.head, (p, 4), mu * (-spring * s.g_dot / s.impact))


@part()
def impact_slopes(line, train, i, wire, x, speed, q1, number, back, w, slope):
    """Of an open contact, whose δ̇ is what its next touch will have begun with: max(least, δ̇)."""
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
    station_slopes(line, s, x, speed, q1, at_rest, 0.0, bar, 0.0, back.load, slope.x)


@part()
def element_slopes(s, mu, k, slope):
    """∂r/∂ of a stop or friction element."""
    if s.kind == STOP and s.mode == CLOSED:
        add(slope.element, (k, 0), mu * -s.g)
        add(slope.element, (k, 2), mu * s.k)
    elif s.kind == FRICTION:
        _, _, b = law(s)
        add(slope.element, (k, 0), mu * (-s.lam / s.k))
        add(slope.element, (k, 1), mu * (b * s.g_dot / s.c))


@part()
def train_slopes(sc, z0, z1, eta_z, number, slope):
    """∂R/∂ of the masses' matrices and lifting forces."""
    af, nm = sc.alpha_f, z0.shape[1]
    for j in range(nm):
        zf = (1.0 - af) * z1[0, j] + af * z0[0, j]
        m = sc.M_u * zf - sc.M_u * z0[0, j] - sc.M_v * z0[1, j] - sc.M_a * z0[2, j]
        c = sc.C_u * zf - sc.C_u * z0[0, j] - sc.C_v * z0[1, j] - sc.C_a * z0[2, j]
        for i in range(nm):
            add(slope.M_train, (i, j), take(eta_z, (i,)) * m)
            add(slope.C_train, (i, j), take(eta_z, (i,)) * c)
            add(slope.K_train, (i, j), take(eta_z, (i,)) * zf)
        add(slope.uplift, (number, j), take(eta_z, (j,)) * (af - 1.0))
        add(slope.uplift, (number - 1, j), take(eta_z, (j,)) * -af)
