"""What each part of a step makes of ∂J/∂ of its parameters, once its η and μ are known (``interaction_adjoint``).

A contact point at x in element e, ξ = (x − xₑ)/ℓ, also feels its element's stations move: with w = −N

    ∂w/∂xₑ = −(1 − ξ) w′ − o w/ℓ,   ∂w/∂xₑ₊₁ = −ξ w′ + o w/ℓ,   o = 1 for slopes, 0 for values        (4)
    ∂w′/∂xₑ = −(1 − ξ) w″ + (1 − o) w′/ℓ,   ∂w′/∂xₑ₊₁ = −ξ w″ − (1 − o) w′/ℓ
"""

from __future__ import annotations

import numpy as np

from panhead.kernels.block_tridiagonal import FMA, mix
from panhead.kernels.compiling import part
from panhead.kernels.interaction_arrays import A, U, V
from panhead.kernels.interaction_slots import displacement
from panhead.kernels.laws import shape_xx
from panhead.kernels.unilateral import CLOSED, CONTACT, EDGE, FRICTION, LANKARANI, OPEN, STOP, linearise


@part()
def law(s):
    """ε, a, b of a slot's law where it ended; eq. (2)."""
    eps, a, b, _ = linearise(s, s.mode, s.g, s.g_dot)
    return eps, a, b


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
def line_slopes(line, sc, q0, q1, f0, f1, drop, back, w, slope):
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
def dropper_slopes(sc, s, mu, lam, q1, back, slope):
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
    _, a, b = law(s)
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
        total = 0.0
        for k in range(4):
            st, i, j = s.station[k], s.dof[k] >> 2, s.dof[k] & 3
            dw, dw_x = _shifted(s, k, side, xi, ell, n_xx[k])
            place = q1[U, st, i, j] + at_rest[st, k & 1]
            total += by_g * dw * place + by_g_dot * (dw * q1[V, st, i, j] + speed * dw_x * place)
            total += by_eta * dw * eta[st, i, j]
        out[e + side] += total


@part()
def contact_slopes(line, sc, s, mu, wire, p, x, speed, q1, back, number, slope):
    """∂R/∂ and ∂r/∂ of a contact: static shape of the wire, contact law, place and speed."""
    _, a, b = law(s)
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
        _curved_slopes(s, mu, p, slope)
    slope.position[number, p] -= mu * (a * g_x + b * g_dot_x)
    slope.position[number, p] += (1.0 - sc.alpha_f) * s.lam * displacement(s, s.weight_x, back.eta, 0)
    slope.speed[number] -= mu * b * g_x
    share = (1.0 - sc.alpha_f) * s.lam
    station_slopes(line, s, x, speed, q1, at_rest, -mu * a, -mu * b, share, back.eta, slope.x)


@part()
def _curved_slopes(s, mu, p, slope):
    """∂r/∂ of the numbers of F = k δⁿ max(0, 1 + χ δ̇/δ̇⁻)."""
    spring = s.k * max(s.g, 0.0) ** s.power
    slope.head[p, 1] -= mu * s.lam / s.k
    if s.g > 0.0 and s.lam > 0.0:
        slope.head[p, 3] -= mu * s.lam * np.log(s.g)
        slope.head[p, 4] -= mu * spring * s.g_dot / s.impact


@part()
def impact_slopes(line, train, i, wire, x, speed, q1, number, back, w, slope):
    """Of an open contact, whose δ̇ is what its next touch will have begun with: max(least, δ̇)."""
    s, bar, p = w.slot[i], back.impact[i], i // line.path.shape[0]
    if bar == 0.0:
        return
    back.impact[i] = 0.0
    if s.on == 0 or s.g_dot <= train.head[p].impact:
        slope.head[p, 5] += bar
        return
    nt, at_rest = back.eta.shape[1], line.shape[wire]
    n_xx = _second(line, s, x)
    g_x, g_dot_x = -s.z_x, 0.0
    for k in range(4):
        st, r, j = s.station[k], s.dof[k] >> 2, s.dof[k] & 3
        at = (st * nt + r) * 4 + j
        back.q[V, at] += bar * s.weight[k]
        back.q[U, at] += bar * speed * s.weight_x[k]
        slope.shape[wire, st, k & 1] += bar * speed * s.weight_x[k]
        g_x += s.weight_x[k] * q1[U, st, r, j]
        g_dot_x += s.weight_x[k] * q1[V, st, r, j] + speed * n_xx[k] * (q1[U, st, r, j] + at_rest[st, k & 1])
    back.z[1, train.head[p].mass] += bar
    slope.position[number, p] += bar * g_dot_x
    slope.speed[number] += bar * g_x
    station_slopes(line, s, x, speed, q1, at_rest, 0.0, bar, 0.0, back.eta, slope.x)


@part()
def element_slopes(s, mu, k, slope):
    """∂r/∂ of a stop or friction element."""
    if s.kind == STOP and s.mode == CLOSED:
        slope.element[k, 0] -= mu * s.g
        slope.element[k, 2] += mu * s.k
    elif s.kind == FRICTION:
        _, _, b = law(s)
        slope.element[k, 0] -= mu * s.lam / s.k
        slope.element[k, 1] += mu * b * s.g_dot / s.c


@part()
def train_slopes(train, sc, z0, z1, back, number, slope):
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
