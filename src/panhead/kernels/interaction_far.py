"""Far spans as superelements in a step: their modes are eliminated before the line is solved and found after it.

For the modes η of one span and the coordinates q_b at its two masts (``line/superelements``), with the sums s of
``Scheme`` over the old state, s_M = M_u q + M_v q̇ + M_a q̈ and s_C = C_u q + C_v q̇ + C_a q̈,

    A_k x_k + a_k · x_b = r_k,   r_k = s_M,k + c_k s_C,k + m_k · s_M,b + d_k · s_C,b                        (1)
    A_k = M_u + C_u c_k + Ω_k²,   a_k = M_u m_k + C_u d_k

so that the masts are loaded with Σ m_k s_M,k + d_k s_C,k − (a_k/A_k) r_k, their matrix has −Σ a_k a_kᵀ/A_k more, and
x_k = (r_k − a_k · x_b)/A_k afterwards. No contact and no dropper that slackens is near: corrections of the free
answer do not reach so far.
"""

from __future__ import annotations

from panhead.kernels.block_tridiagonal import SUM
from panhead.kernels.compiling import part
from panhead.kernels.interaction_arrays import D_LINE, D_NUMERICAL, A, U, V


@part(SUM)
def _add(n, a, x, b, y, out):
    """out += a x + b y for the first n of each."""
    for k in range(n):
        out[k] += a * x[k] + b * y[k]


@part(SUM)
def _add_apart(n, a, x, x_out, b, y, y_out):
    """x_out −= a x and y_out += b y for the first n of each."""
    for k in range(n):
        x_out[k] -= a * x[k]
        y_out[k] += b * y[k]


@part(SUM)
def _sum(n, a, x, b, y):
    """Σ a x + b y over the first n of each."""
    total = 0.0
    for k in range(n):
        total += a[k] * x[k] + b[k] * y[k]
    return total


@part(SUM)
def _add_product(n, x, y, out):
    """out += x y, element by element, for the first n of each."""
    for k in range(n):
        out[k] += x[k] * y[k]


@part(SUM)
def _mix(n, a, x, b, y, out):
    """out = a x + b y for the first n of each."""
    for k in range(n):
        out[k] = a * x[k] + b * y[k]


@part()
def push_far(line, sc, f, eta, w):
    """w.rhs_flat += what far spans load their masts with; w.far[0] = r, eq. (1); f (4, n) and eta are the old state.

    As a = M_u m + C_u d, the sums are m s_M + d s_C = a q + m (M_v q̇ + M_a q̈) + d (C_v q̇ + C_a q̈), of which the last
    is zero for the trapezoidal rule.
    """
    far = line.far
    for n in range(far.base.shape[0]):
        modes, r, s, t = far.modes[n], w.far[0, n], w.far[1, n], w.far[2, n]
        _mix(modes, sc.M_v, eta[V, n], sc.M_a, eta[A, n], s)
        _mix(modes, 1.0, s, sc.M_u, eta[U, n], r)
        _mix(modes, sc.C_u, eta[U, n], sc.C_v, eta[V, n], t)
        _add_product(modes, far.c[n], t, r)
        for j in range(far.mass.shape[1]):
            i = far.base[n] + j
            if far.free[n, j]:
                _add(modes, f[U, i], far.a[n, j], sc.M_v * f[V, i] + sc.M_a * f[A, i], far.mass[n, j], r)
        if not sc.lossless:
            _push_apart(far, sc, f, eta, n, r, w.rhs_flat)
        for k in range(modes):
            t[k] = eta[U, n, k] - r[k] * far.A_inv[n, k]
        for j in range(far.mass.shape[1]):
            if far.free[n, j]:
                w.rhs_flat[far.base[n] + j] += _sum(modes, far.mass[n, j], s, far.a[n, j], t)


@part()
def _push_apart(far, sc, f, eta, n, r, rhs):
    """What the trapezoidal rule does not have: c C_a η̈ and d (C_v q̇ + C_a q̈) of either side."""
    for k in range(far.modes[n]):
        r[k] += far.c[n, k] * sc.C_a * eta[A, n, k]
        t = sc.C_v * eta[V, n, k] + sc.C_a * eta[A, n, k]
        for j in range(far.mass.shape[1]):
            i = far.base[n] + j
            r[k] += far.drag[n, j, k] * (sc.C_v * f[V, i] + sc.C_a * f[A, i])
            rhs[i] += far.drag[n, j, k] * t


@part()
def keep_far(line, sc, f0, f1, eta, w, ledger):
    """Find the new modes in place and book what they lose; f0, f1 (4, n): the line before and after the step.

    Lost are Δη (c η̇_f + d · q̇_b,f) + η̇_f d · Δq_b.
    """
    far, share = line.far, 1.0 / (1.0 - sc.alpha_f)
    for n in range(far.base.shape[0]):
        modes, x, pull, v1 = far.modes[n], w.far[0, n], w.far[1, n], w.far[2, n]
        for k in range(modes):
            pull[k] = 0.0
        for j in range(far.mass.shape[1]):  # d · Δq_b beside r − a · x_b
            i = far.base[n] + j
            if far.free[n, j]:
                u, du = mean(sc.alpha_f, f0[U, i], f1[U, i]), f1[U, i] - f0[U, i]
                _add_apart(modes, u, far.a[n, j], x, du, far.drag[n, j], pull)
        if not sc.lossless:
            _book_apart(line, sc, f0, f1, eta, n, x, ledger)
        for k in range(modes):
            x[k] = (x[k] * far.A_inv[n, k] - eta[U, n, k]) * share  # Δη
        _mix(modes, sc.C_u, x, sc.v_v, eta[V, n], v1)
        if not sc.lossless:
            for k in range(modes):
                v1[k] += sc.v_a * eta[A, n, k]
                eta[A, n, k] = sc.a_u * x[k] + sc.a_v * eta[V, n, k] + sc.a_a * eta[A, n, k]
        ledger[D_LINE] += _lost(sc, modes, far.c[n], x, pull, eta[V, n], v1)
        for k in range(modes):
            eta[U, n, k] += x[k]
        for k in range(modes):
            eta[V, n, k] = v1[k]


@part(SUM)
def _lost(sc, n, c, du, pull, v0, v1):
    """What damping takes of one span, with Δq_b/h for q̇_b,f."""
    total, rate = 0.0, 1.0 / sc.h
    for k in range(n):
        v_f = (1.0 - sc.alpha_f) * v1[k] + sc.alpha_f * v0[k]
        total += (c[k] * du[k] + pull[k]) * v_f + pull[k] * du[k] * rate
    return total


@part()
def mean(share, old, new):
    """What a scheme takes between two times."""
    return (1.0 - share) * new + share * old


@part(SUM)
def _book_apart(line, sc, f0, f1, eta, n, x, ledger):
    """What far span n adds to ν (``interaction_ledger``, eq. (1)), and to damping where q̇_b,f h is not Δq_b.

    (½ − α_f) ΔuᵀK Δu + ΔuᵀM a_m − Δ(½ vᵀM v)
    """
    far, nu, more, share = line.far, 0.0, 0.0, 1.0 / (1.0 - sc.alpha_f)
    for k in range(far.modes[n]):
        u, v, a = eta[U, n, k], eta[V, n, k], eta[A, n, k]
        du = (x[k] * far.A_inv[n, k] - u) * share
        v1 = sc.C_u * du + sc.v_v * v + sc.v_a * a
        a_m = mean(sc.alpha_m, a, sc.a_u * du + sc.a_v * v + sc.a_a * a)
        nu += (0.5 - sc.alpha_f) * far.stiffness[n, k] * du * du + du * a_m - 0.5 * (v1 * v1 - v * v)
        for j in range(far.mass.shape[1]):
            i = far.base[n] + j
            du_b, v_b = f1[U, i] - f0[U, i], mean(sc.alpha_f, f0[V, i], f1[V, i])
            of_masts = du_b * a_m + mean(sc.alpha_m, f0[A, i], f1[A, i]) * du
            nu += far.mass[n, j, k] * (of_masts - f1[V, i] * v1 + f0[V, i] * v)
            more += far.drag[n, j, k] * (v_b - du_b / sc.h) * du
    ledger[D_LINE] += more
    ledger[D_NUMERICAL] += nu


@part(SUM)
def far_energy(line, f, eta):
    """Kinetic and potential energy of all modes and of what couples them with their masts [J]."""
    far, kinetic, potential = line.far, 0.0, 0.0
    for n in range(far.base.shape[0]):
        for k in range(far.modes[n]):
            kinetic += 0.5 * eta[V, n, k] * eta[V, n, k]
            potential += 0.5 * far.stiffness[n, k] * eta[U, n, k] * eta[U, n, k]
        for j in range(far.mass.shape[1]):
            v = f[V, far.base[n] + j]
            for k in range(far.modes[n]):
                kinetic += far.mass[n, j, k] * v * eta[V, n, k]
    return kinetic, potential
