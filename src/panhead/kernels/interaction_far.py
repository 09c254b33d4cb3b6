"""Far spans as superelements in a step: their modes are eliminated before the line is solved and found after it.

For the modes η of one span and the coordinates q_b at its two masts (``line/superelements``) the state holds η and the
rates of all that is in a mode, the masts' part too,

    ρ = η̇ + m · q̇_b,   σ = η̈ + m · q̈_b,   T = ½ ρ·ρ + ½ q̇_b · M̃ q̇_b,   M̃ = M_b − Σ m mᵀ

so that inertia couples nothing. With d = α m + e, where e is zero if both wires are damped alike, and Δ what a step
changes, one step of ``Scheme`` is

    A Δη (1 − α_f) = R − (1 − α_f) a · Δq_b,   A = M_u + C_u c + Ω²,   a = M_u m + C_u d                        (1)
    R = s − Ω² η + c (t − m · w) + d · w,   s = M_v ρ + M_a σ,   t = C_v ρ + C_a σ,   w = C_v q̇_b + C_a q̈_b
    load of the masts = Σ m (s + α (t − m · w)) + e (t − m · w) − a R/A
                      + P q_b + M̃ (M_v q̇_b + M_a q̈_b) + C_b w,   P = M_u M_b + C_u C_b − Σ a aᵀ/A              (2)

and their matrix is P + K_b. t and w are zero for the trapezoidal rule, which leaves two operations for a mode and a
coordinate of a mast. No contact and no dropper that slackens is near: corrections of the free answer do not reach so
far.
"""

from __future__ import annotations

from panhead.kernels.block_tridiagonal import SUM
from panhead.kernels.compiling import part
from panhead.kernels.interaction_arrays import D_LINE, D_NUMERICAL, A, U, V


@part(SUM)
def _from_modes(n, m, y, out):
    """out = m y: eight coordinates of masts at a time; m (r, k), of which the first n, y (k,), out (r,)."""
    for j in range(0, out.shape[0], 8):
        m0, m1, m2, m3, m4, m5, m6, m7 = m[j], m[j + 1], m[j + 2], m[j + 3], m[j + 4], m[j + 5], m[j + 6], m[j + 7]
        z0, z1, z2, z3, z4, z5, z6, z7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(n):
            x = y[k]
            z0 += m0[k] * x
            z1 += m1[k] * x
            z2 += m2[k] * x
            z3 += m3[k] * x
            z4 += m4[k] * x
            z5 += m5[k] * x
            z6 += m6[k] * x
            z7 += m7[k] * x
        out[j], out[j + 1], out[j + 2], out[j + 3] = z0, z1, z2, z3
        out[j + 4], out[j + 5], out[j + 6], out[j + 7] = z4, z5, z6, z7


@part(SUM)
def _to_modes(n, m, x, out):
    """out = mᵀ x, its first n; m (r, k), x (r,), out (k,)."""
    for j in range(0, x.shape[0], 8):
        m0, m1, m2, m3, m4, m5, m6, m7 = m[j], m[j + 1], m[j + 2], m[j + 3], m[j + 4], m[j + 5], m[j + 6], m[j + 7]
        x0, x1, x2, x3, x4, x5, x6, x7 = x[j], x[j + 1], x[j + 2], x[j + 3], x[j + 4], x[j + 5], x[j + 6], x[j + 7]
        if j > 0:
            for k in range(n):
                z = m0[k] * x0 + m1[k] * x1 + m2[k] * x2 + m3[k] * x3
                out[k] += z + (m4[k] * x4 + m5[k] * x5 + m6[k] * x6 + m7[k] * x7)
        else:
            for k in range(n):
                z = m0[k] * x0 + m1[k] * x1 + m2[k] * x2 + m3[k] * x3
                out[k] = z + (m4[k] * x4 + m5[k] * x5 + m6[k] * x6 + m7[k] * x7)


@part(SUM)
def _between(x, B, y):
    """x · B y."""
    total = 0.0
    for j in range(x.shape[0]):
        b, row = B[j], 0.0
        for i in range(y.shape[0]):
            row += b[i] * y[i]
        total += x[j] * row
    return total


@part()
def _gather(base, row, f, out):
    """out = f at the coordinates of the masts of one span."""
    for j in range(row.shape[0]):
        out[j] = f[base + row[j]]


@part()
def push_far(line, sc, f, eta, w):
    """w.rhs_flat += eq. (2); w.far[0] = R of eq. (1); f (4, n) and eta (3, modes) are the old state."""
    far = line.far
    load, y = w.masts[1], w.far[1]
    for n in range(far.base.shape[0]):
        kind, at, base = far.kind[n], far.first[n], far.base[n]
        modes, row = far.modes[kind], far.row[kind]
        size, R = row.shape[0], w.far[0, at : at + modes]
        u, v = y[modes : modes + size], y[modes + size : modes + 2 * size]
        _gather(base, row, f[U], u)
        _gather(base, row, f[V], v)
        _push_modes(sc, far.stiffness[kind], far.yields[kind], eta[U, at : at + modes], eta[V, at : at + modes], R, y)
        if not sc.lossless:
            _push_apart(far, sc, f, eta, n, R, y, v, w)
        _from_modes(modes + 2 * size, far.pushed[kind], y, load)
        for j in range(size):
            w.rhs_flat[base + row[j]] += load[j]
        if far.more.shape[0] > 0:
            _push_more(far, sc, kind, R, w)
            for j in range(size):
                w.rhs_flat[base + row[j]] += load[j]


@part(SUM)
def _push_modes(sc, stiffness, yields, eta, rho, R, y):
    """R and y = s − (M_u + C_u α) R/A with nothing but what the trapezoidal rule has."""
    for k in range(R.shape[0]):
        R[k] = sc.M_v * rho[k] - stiffness[k] * eta[k]
    for k in range(R.shape[0]):
        y[k] = sc.M_v * rho[k] - yields[k] * R[k]


@part()
def _push_more(far, sc, kind, R, w):
    """w.masts[1] = Σ e (t − m · w − C_u R/A); t − m · w from ``_push_apart``."""
    y = w.far[2]
    for k in range(R.shape[0]):
        y[k] = (0.0 if sc.lossless else y[k]) - sc.C_u * far.A_inv[kind, k] * R[k]
    _from_modes(R.shape[0], far.more[kind], y, w.masts[1])


@part()
def _push_apart(far, sc, f, eta, n, R, y, v, w):
    """What the trapezoidal rule does not have of R, of y, of v = q̇_b and of the masts' load; w.far[2] = t − m · w."""
    kind, at, base = far.kind[n], far.first[n], far.base[n]
    modes, row, alpha = far.modes[kind], far.row[kind], far.alpha[kind]
    x, t, own = w.masts[0], w.far[2], w.far[3]
    for j in range(row.shape[0]):
        i = base + row[j]
        v[j] += sc.M_a / sc.M_v * f[A, i]
        x[j] = sc.C_v * f[V, i] + sc.C_a * f[A, i]
    for k in range(modes):
        own[k] = 0.0
    if far.more.shape[0] > 0:
        _to_modes(modes, far.more[kind], x, own)
    _to_modes(modes + row.shape[0], far.felt[kind], x, t)
    for j in range(row.shape[0]):
        w.rhs_flat[base + row[j]] += t[modes + j]
    for k in range(modes):
        rho, sigma, of_masts = eta[V, at + k], eta[A, at + k], t[k]
        t[k] = sc.C_v * rho + sc.C_a * sigma - of_masts
        R[k] += sc.M_a * sigma + far.c[kind, k] * t[k] + alpha * of_masts + own[k]
        y[k] = sc.M_v * rho + sc.M_a * sigma + alpha * t[k] - far.yields[kind, k] * R[k]


@part()
def keep_far(line, sc, f0, f1, eta, w, ledger):
    """Find the new modes in place, eq. (1), and book what is lost; f0, f1 (4, n): the line before and after."""
    far = line.far
    du, G, E = w.masts[0], w.far[1], w.far[2]
    for n in range(far.base.shape[0]):
        kind, at, base = far.kind[n], far.first[n], far.base[n]
        modes, row = far.modes[kind], far.row[kind]
        R = w.far[0, at : at + modes]
        for j in range(row.shape[0]):
            du[j] = f1[U, base + row[j]] - f0[U, base + row[j]]
        _to_modes(modes + row.shape[0], far.felt[kind], du, G)
        if far.more.shape[0] > 0:
            _to_modes(modes, far.more[kind], du, E)
            for k in range(modes):
                R[k] -= (1.0 - sc.alpha_f) * sc.C_u * E[k]
        if sc.lossless:
            lost = _keep_modes(sc, far, kind, eta[U, at : at + modes], eta[V, at : at + modes], R, G)
            for j in range(row.shape[0]):
                lost += du[j] * G[modes + j]
            if far.more.shape[0] > 0:
                for k in range(modes):
                    lost += 2.0 * E[k] * R[k]
            ledger[D_LINE] += lost / sc.h
        else:
            _keep_apart(line, sc, f0, f1, eta, n, R, w, ledger)


@part(SUM)
def _keep_modes(sc, far, kind, eta, rho, R, G):
    """New η and ρ, R = Δη, and what damping takes: h Σ c η̇² + 2 η̇ α m · q̇_b with Δ/h for rates."""
    n, c, A_inv, alpha, lost = R.shape[0], far.c[kind], far.A_inv[kind], far.alpha[kind], 0.0
    a = sc.M_u + sc.C_u * alpha
    for k in range(n):
        R[k] = (2.0 * R[k] - a * G[k]) * A_inv[k]
    for k in range(n):
        lost += R[k] * (c[k] * R[k] + 2.0 * alpha * G[k])
    for k in range(n):
        eta[k] += R[k]
    for k in range(n):
        rho[k] = sc.C_u * (R[k] + G[k]) - rho[k]
    return lost


@part(SUM)
def _keep_apart(line, sc, f0, f1, eta, n, R, w, ledger):
    """The same for any scheme, with ν of ``interaction_ledger``, eq. (1).

    Lost are Δη (c η̇_f + d · q̇_b,f) + η̇_f d · Δq_b + Δq_b · C_b q̇_b,f.
    """
    far = line.far
    kind, at, base = far.kind[n], far.first[n], far.base[n]
    modes, row, alpha = far.modes[kind], far.row[kind], far.alpha[kind]
    du, v_f, a_m = w.masts[0], w.masts[1], w.masts[2]
    G, E, G_f, E_f = w.far[1], w.far[2], w.far[3], w.far[4]
    for j in range(row.shape[0]):
        i = base + row[j]
        v_f[j] = mean(sc.alpha_f, f0[V, i], f1[V, i])
        a_m[j] = mean(sc.alpha_m, f0[A, i], f1[A, i])
    nu = (0.5 - sc.alpha_f) * _between(du, far.springs[kind], du) + _between(du, far.inertia[kind], a_m)
    lost = 0.0
    for j in range(row.shape[0]):
        lost += v_f[j] * G[modes + j]
    _to_modes(modes, far.felt[kind], v_f, G_f)
    for k in range(modes):
        E_f[k] = 0.0
    if far.more.shape[0] > 0:
        _to_modes(modes, far.more[kind], v_f, E_f)
    for k in range(modes):
        rho, sigma = eta[V, at + k], eta[A, at + k]
        x = (R[k] / (1.0 - sc.alpha_f) - (sc.M_u + sc.C_u * alpha) * G[k]) * far.A_inv[kind, k]
        y = x + G[k]
        rho1 = sc.C_u * y + sc.v_v * rho + sc.v_a * sigma
        sigma1 = sc.a_u * y + sc.a_v * rho + sc.a_a * sigma
        nu += (0.5 - sc.alpha_f) * far.stiffness[kind, k] * x * x + y * mean(sc.alpha_m, sigma, sigma1)
        nu -= 0.5 * (rho1 * rho1 - rho * rho)
        of_span = mean(sc.alpha_f, rho, rho1) - G_f[k]
        drag = alpha * G[k] + (E[k] if far.more.shape[0] > 0 else 0.0)
        lost += x * (far.c[kind, k] * of_span + alpha * G_f[k] + E_f[k]) + drag * of_span
        eta[U, at + k] += x
        eta[V, at + k], eta[A, at + k] = rho1, sigma1
    _gather(base, row, f1[V], v_f)
    nu -= 0.5 * _between(v_f, far.inertia[kind], v_f)
    _gather(base, row, f0[V], v_f)
    nu += 0.5 * _between(v_f, far.inertia[kind], v_f)
    ledger[D_LINE] += lost
    ledger[D_NUMERICAL] += nu


@part()
def mean(share, old, new):
    """What a scheme takes between two times."""
    return (1.0 - share) * new + share * old


@part()
def fade_far(line, n, share, shares, f, eta, w):
    """Leave ``share`` of the motion of span n between its masts, of which ``shares`` (2,) are to be left afterwards.

    f (4, n): the line before it fades. ρ has the masts' part too, which fades as they do.
    """
    far = line.far
    kind, at, base = far.kind[n], far.first[n], far.base[n]
    modes, row, x, G = far.modes[kind], far.row[kind], w.masts[0], w.far[1]
    half = 4 * w.s.shape[1]
    for which in range(V, A + 1):
        for j in range(row.shape[0]):
            x[j] = f[which, base + row[j]] * ((shares[0] if row[j] < half else shares[1]) - share)
        _to_modes(modes, far.felt[kind], x, G)
        for k in range(modes):
            eta[which, at + k] = share * eta[which, at + k] + G[k]
    for k in range(modes):
        eta[U, at + k] *= share


@part(SUM)
def far_energy(line, f, eta, masts):
    """Kinetic and potential energy of all far spans, masts included [J]; masts: scratch (3, r)."""
    far, kinetic, potential, x = line.far, 0.0, 0.0, masts[0]
    for n in range(far.base.shape[0]):
        kind, at, base = far.kind[n], far.first[n], far.base[n]
        _gather(base, far.row[kind], f[V], x)
        kinetic += 0.5 * _between(x, far.inertia[kind], x)
        _gather(base, far.row[kind], f[U], x)
        potential += 0.5 * _between(x, far.springs[kind], x)
        for k in range(far.modes[kind]):
            kinetic += 0.5 * eta[V, at + k] * eta[V, at + k]
            potential += 0.5 * far.stiffness[kind, k] * eta[U, at + k] * eta[U, at + k]
    return kinetic, potential
