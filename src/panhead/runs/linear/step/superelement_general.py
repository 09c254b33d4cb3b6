"""Superelements of far spans in a step of any scheme: all of eq. (1) and (2) of ``superelement``."""

from __future__ import annotations

from panhead.engine.jit.compiler import part
from panhead.engine.kernels.block_tridiagonal import SUM
from panhead.runs.linear.step.step_arrays import D_LINE, D_NUMERICAL, A, U, V


@part(SUM)
def on_masts(n, m, y, out):
    """out += m y; m (r, k), of which the first n, y (k,), out (r,)."""
    for j in range(out.shape[0]):
        row, total = m[j], 0.0
        for k in range(n):
            total += row[k] * y[k]
        out[j] += total


@part(SUM)
def transpose_product(n, m, x, out):
    """out = mᵀ x, its first n; m (r, k), x (r,), out (k,)."""
    for k in range(n):
        out[k] = 0.0
    for j in range(x.shape[0]):
        row, y = m[j], x[j]
        for k in range(n):
            out[k] += row[k] * y


@part(SUM)
def between(x, B, y):
    """x · B y."""
    total = 0.0
    for j in range(x.shape[0]):
        b, row = B[j], 0.0
        for i in range(y.shape[0]):
            row += b[i] * y[i]
        total += x[j] * row
    return total


@part()
def gather(base, row, f, out):
    """Copy f at the coordinates of the masts of one span to out."""
    for j in range(row.shape[0]):
        out[j] = f[base + row[j]]


@part()
def push_general(far, sc, f, eta, w):
    """``push_far`` for any scheme."""
    load, y = w.masts[1], w.far[1]
    for n in range(far.base.shape[0]):
        kind, at, base = far.kind[n], far.first[n], far.base[n]
        modes, row = far.modes[kind], far.row[kind]
        size, R = row.shape[0], w.far[0, at : at + modes]
        gather(base, row, f[U], y[modes : modes + size])
        v = y[modes + size : modes + 2 * size]
        gather(base, row, f[V], v)
        for j in range(size):
            load[j] = 0.0
        _push_modes(far, sc, f, eta, n, R, v, w)
        on_masts(modes + 2 * size, far.pushed[kind], y, load)
        for j in range(size):
            w.rhs_flat[base + row[j]] += load[j]


@part()
def _push_modes(far, sc, f, eta, n, R, v, w):
    """R; the factors of m in w.far[1]; v = q̇_b + (M_a/M_v) q̈_b; the masts' load begins with C_b w."""
    kind, at, base = far.kind[n], far.first[n], far.base[n]
    modes, row, alpha = far.modes[kind], far.row[kind], far.alpha[kind]
    x, y, felt = w.masts[0], w.far[1], w.far[2]
    for j in range(row.shape[0]):
        i = base + row[j]
        v[j] += sc.M_a / sc.M_v * f[A, i]
        x[j] = sc.C_v * f[V, i] + sc.C_a * f[A, i]
    transpose_product(modes + row.shape[0], far.felt[kind], x, felt)
    for j in range(row.shape[0]):
        w.masts[1, j] += felt[modes + j]
    for k in range(modes):
        rho, sigma, moved = eta[V, at + k], eta[A, at + k], felt[k]
        s, t = sc.M_v * rho + sc.M_a * sigma, sc.C_v * rho + sc.C_a * sigma - moved
        R[k] = s - far.stiffness[kind, k] * eta[U, at + k] + far.c[kind, k] * t + alpha * moved
        y[k] = s + alpha * t - far.yields[kind, k] * R[k]


@part()
def update_general(far, sc, f0, f1, eta, w, ledger):
    """``update_far`` for any scheme."""
    du, G = w.masts[0], w.far[1]
    for n in range(far.base.shape[0]):
        kind, at, base = far.kind[n], far.first[n], far.base[n]
        modes, row = far.modes[kind], far.row[kind]
        for j in range(row.shape[0]):
            du[j] = f1[U, base + row[j]] - f0[U, base + row[j]]
        transpose_product(modes + row.shape[0], far.felt[kind], du, G)
        _update_modes(far, sc, f0, f1, eta, n, w.far[0, at : at + modes], w, ledger)


@part(SUM)
def _update_modes(far, sc, f0, f1, eta, n, R, w, ledger):
    """New modes of span n, what is lost, and ν of ``ledger``, eq. (1).

    Lost are Δη (c η̇_f + d · q̇_b,f) + η̇_f d · Δq_b + Δq_b · C_b q̇_b,f.
    """
    kind, at, base = far.kind[n], far.first[n], far.base[n]
    modes, row, alpha = far.modes[kind], far.row[kind], far.alpha[kind]
    du, v_f, a_m = w.masts[0], w.masts[1], w.masts[2]
    G, G_f = w.far[1], w.far[2]
    for j in range(row.shape[0]):
        i = base + row[j]
        v_f[j] = mean(sc.alpha_f, f0[V, i], f1[V, i])
        a_m[j] = mean(sc.alpha_m, f0[A, i], f1[A, i])
    nu = (0.5 - sc.alpha_f) * between(du, far.springs[kind], du) + between(du, far.inertia[kind], a_m)
    lost = 0.0
    for j in range(row.shape[0]):
        lost += v_f[j] * G[modes + j]
    transpose_product(modes, far.felt[kind], v_f, G_f)
    for k in range(modes):
        rho, sigma = eta[V, at + k], eta[A, at + k]
        x = (R[k] / (1.0 - sc.alpha_f) - (sc.M_u + sc.C_u * alpha) * G[k]) * far.A_inv[kind, k]
        y = x + G[k]
        rho1 = sc.C_u * y + sc.v_v * rho + sc.v_a * sigma
        sigma1 = sc.a_u * y + sc.a_v * rho + sc.a_a * sigma
        nu += (0.5 - sc.alpha_f) * far.stiffness[kind, k] * x * x + y * mean(sc.alpha_m, sigma, sigma1)
        nu -= 0.5 * (rho1 * rho1 - rho * rho)
        of_span = mean(sc.alpha_f, rho, rho1) - G_f[k]
        lost += x * (far.c[kind, k] * of_span + alpha * G_f[k]) + alpha * G[k] * of_span
        eta[U, at + k] += x
        eta[V, at + k], eta[A, at + k] = rho1, sigma1
    gather(base, row, f1[V], v_f)
    nu -= 0.5 * between(v_f, far.inertia[kind], v_f)
    gather(base, row, f0[V], v_f)
    nu += 0.5 * between(v_f, far.inertia[kind], v_f)
    ledger[D_LINE] += lost
    ledger[D_NUMERICAL] += nu


@part()
def mean(share, old, new):
    """Weighted mean of a scheme between two times."""
    return (1.0 - share) * new + share * old
