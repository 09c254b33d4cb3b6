"""Superelements of far spans in a step: their modes are eliminated before the line is solved and recovered after it.

For the modes η of one span and the coordinates q_b at its two masts (``superelements``) the state holds η and the
rates of all that is in a mode, the masts' part too,

    ρ = η̇ + m · q̇_b,   σ = η̈ + m · q̈_b,   T = ½ ρ·ρ + ½ q̇_b · M̃ q̇_b,   M̃ = M_b − Σ m mᵀ

so that inertia couples nothing. Damping couples them by d = α m; what differs from it, the droppers' part, is left out
as that between modes is. With Δ for what a step changes, one step of ``Scheme`` is

    A Δη (1 − α_f) = R − (1 − α_f) a m · Δq_b,   A = M_u + C_u c + Ω²,   a = M_u + C_u α                         (1)
    R = s − Ω² η + c (t − m · w) + α m · w,   s = M_v ρ + M_a σ,   t = C_v ρ + C_a σ,   w = C_v q̇_b + C_a q̈_b
    load of the masts = Σ m (s + α (t − m · w) − a R/A)
                      + P q_b + M̃ (M_v q̇_b + M_a q̈_b) + C_b w,   P = M_u M_b + C_u C_b − Σ a² m mᵀ/A           (2)

and their matrix is P + K_b. t and w are zero for the trapezoidal rule, which leaves two operations for a mode and a
coordinate of a mast: that is written out here, any other scheme in ``superelement_general``. Loops that are used once
are woven into the step, which doubles its speed; hence none is shared. No contact and no dropper that slackens is near:
corrections of the free answer do not reach so far. Backwards: ``superelement_adjoint``.
"""

from __future__ import annotations

from panhead.engine.jit.compiler import part
from panhead.engine.kernels.block_tridiagonal import SUM
from panhead.runs.linear.step.step_arrays import D_LINE, A, U, V
from panhead.runs.linear.step.superelement_general import (
    between,
    gather,
    push_general,
    transpose_product,
    update_general,
)


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


@part()
def push_far(line, sc, f, eta, w):
    """Eliminate the modes: w.rhs_flat += eq. (2); w.far[0] = R of eq. (1); f (4, n) and eta (3, modes) are the old
    state."""
    far = line.far
    if not sc.lossless:
        push_general(far, sc, f, eta, w)
        return
    load, y = w.masts[1], w.far[1]
    for n in range(far.base.shape[0]):
        kind, at, base = far.kind[n], far.first[n], far.base[n]
        modes, row = far.modes[kind], far.row[kind]
        size, R = row.shape[0], w.far[0, at : at + modes]
        gather(base, row, f[U], y[modes : modes + size])
        gather(base, row, f[V], y[modes + size : modes + 2 * size])
        _push_modes(sc, far.stiffness[kind], far.yields[kind], eta[U, at : at + modes], eta[V, at : at + modes], R, y)
        _from_modes(modes + 2 * size, far.pushed[kind], y, load)
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
def update_far(line, sc, f0, f1, eta, w, ledger):
    """Recover the new modes in place, eq. (1), and add the dissipated energy; f0, f1 (4, n): the line before and
    after."""
    far = line.far
    if not sc.lossless:
        update_general(far, sc, f0, f1, eta, w, ledger)
        return
    du, G, lost = w.masts[0], w.far[1], 0.0
    for n in range(far.base.shape[0]):
        kind, at, base = far.kind[n], far.first[n], far.base[n]
        modes, row = far.modes[kind], far.row[kind]
        for j in range(row.shape[0]):
            du[j] = f1[U, base + row[j]] - f0[U, base + row[j]]
        _to_modes(modes + row.shape[0], far.felt[kind], du, G)
        R = w.far[0, at : at + modes]
        lost += _update_modes(sc, far, kind, eta[U, at : at + modes], eta[V, at : at + modes], R, G)
        for j in range(row.shape[0]):
            lost += du[j] * G[modes + j]
    ledger[D_LINE] += lost / sc.h


@part(SUM)
def _update_modes(sc, far, kind, eta, rho, R, G):
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


@part()
def fade_far(line, n, share, shares, f, eta, w):
    """Attenuate span n to ``share`` of its motion between its masts, of which ``shares`` (2,) remain.

    f (4, n): the line before it fades. ρ has the masts' part too, which fades as they do.
    """
    far = line.far
    kind, at, base = far.kind[n], far.first[n], far.base[n]
    modes, row, x, G = far.modes[kind], far.row[kind], w.masts[0], w.far[1]
    half = 4 * w.s.shape[1]
    for which in range(V, A + 1):
        for j in range(row.shape[0]):
            x[j] = f[which, base + row[j]] * ((shares[0] if row[j] < half else shares[1]) - share)
        transpose_product(modes, far.felt[kind], x, G)
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
        gather(base, far.row[kind], f[V], x)
        kinetic += 0.5 * between(x, far.inertia[kind], x)
        gather(base, far.row[kind], f[U], x)
        potential += 0.5 * between(x, far.springs[kind], x)
        for k in range(far.modes[kind]):
            kinetic += 0.5 * eta[V, at + k] * eta[V, at + k]
            potential += 0.5 * far.stiffness[kind, k] * eta[U, at + k] * eta[U, at + k]
    return kinetic, potential
