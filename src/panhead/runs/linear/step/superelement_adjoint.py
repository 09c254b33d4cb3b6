"""Adjoint of superelements, and derivatives by their modal parameters.

Whatever the state of a run holds of far spans, here it is their modes and the rates of them (``FarSpans``). With η_b of
the masts and η_k of the modes of a far span, and U_k what everything later makes of the modes, the step's matrix gives

    (A − Σ a aᵀ/A_k) η_b = s (U_b − Σ a U_k/A_k),   η_k = (s U_k − a · η_b)/A_k,   s = −1/(1 − α)              (1)

a = (M_u + C_u α) m, and the modes take part in M η and C η with η_k + m · η_b and c η_k + α m · η_b, the masts with
m η_k and α m η_k.
"""

from __future__ import annotations

from panhead.engine.jit.compiler import part, whole
from panhead.engine.jit.lanes import put, take, zero
from panhead.engine.kernels.block_tridiagonal import SUM
from panhead.engine.kernels.block_tridiagonal_lanes import add
from panhead.runs.linear.step.line import SIDE
from panhead.runs.linear.step.scheme import averages
from panhead.runs.linear.step.step_arrays import A, U, V


@part()
def _mast(size, i):
    """Station, tile and index in it of coordinate i of a flat vector; size: coordinates of a station."""
    d = i % size
    return i // size, d >> 2, d & 3


@part()
def load_far(far, sc, back):
    """back.far_load = U_k, back.far_eta = U_k/A_k, and the masts' loads −Σ a U_k/A_k of eq. (1)."""
    for n in range(far.base.shape[0]):
        for k in range(far.modes[n]):
            u, v, a = take(back.far, (U, n, k)), take(back.far, (V, n, k)), take(back.far, (A, n, k))
            load = u + v * sc.C_u + a * sc.a_u
            put(back.far_load, (n, k), load)
            put(back.far_eta, (n, k), load * far.A_inv[n, k])
    _push_masts(far, sc, -1.0, back)


@part()
def _push_masts(far, sc, sign, back):
    """Add sign Σ a U_k/A_k to the masts' loads; back.far_eta = U_k/A_k."""
    size = 4 * back.load.shape[1]
    for n in range(far.base.shape[0]):
        a = sign * (sc.M_u + sc.C_u * far.alpha[n])
        for j in range(far.mass.shape[1]):
            if far.free[n, j]:
                add(back.load, _mast(size, far.base[n] + j), _of_modes(far, n, j, back.far_eta) * a)


@part(SUM)
def _of_modes(far, n, j, x):
    """Σ m x over the modes of far span n, for coordinate j of its masts; x (n, k)."""
    total = zero(x)
    for k in range(far.modes[n]):
        total = total + take(x, (n, k)) * far.mass[n, j, k]
    return total


@part(SUM)
def _add_to_modes(far, n, j, e, out):
    """out += m e of coordinate j of the masts of far span n; out (n, k)."""
    for k in range(far.modes[n]):
        put(out, (n, k), take(out, (n, k)) + e * far.mass[n, j, k])


@part()
def find_far(far, sc, share, back):
    """η_k of eq. (1) and m · η_b; the masts' loads are what they were before ``load_far``."""
    size, nothing = 4 * back.load.shape[1], zero(back.far)
    _push_masts(far, sc, 1.0, back)
    for n in range(far.base.shape[0]):
        for k in range(far.modes[n]):
            put(back.far_moved, (n, k), nothing)
        for j in range(far.mass.shape[1]):
            if far.free[n, j]:
                _add_to_modes(far, n, j, take(back.eta, _mast(size, far.base[n] + j)), back.far_moved)
        a = sc.M_u + sc.C_u * far.alpha[n]
        for k in range(far.modes[n]):
            pushed = take(back.far_load, (n, k)) * share - take(back.far_moved, (n, k)) * a
            put(back.far_eta, (n, k), pushed * far.A_inv[n, k])


@part()
def far_adjoint(far, sc, old, n_step, back):
    """Adjoint of the modes before a step, in place, and their contribution to that of their masts."""
    size = 4 * back.load.shape[1]
    for n in range(far.base.shape[0]):
        alpha = far.alpha[n]
        for k in range(far.modes[n]):
            e, moved = take(back.far_eta, (n, k)), take(back.far_moved, (n, k))
            put(back.far_past, (n_step, n, k), e)
            v, a, load = take(back.far, (V, n, k)), take(back.far, (A, n, k)), take(back.far_load, (n, k))
            Me, Ce = e + moved, e * far.c[n, k] + moved * alpha
            put(back.far, (U, n, k), load * old - Me * sc.M_u - Ce * sc.C_u - v * sc.C_u - a * sc.a_u)
            put(back.far, (V, n, k), v * sc.v_v + a * sc.a_v - Me * sc.M_v - Ce * sc.C_v)
            put(back.far, (A, n, k), v * sc.v_a + a * sc.a_a - Me * sc.M_a - Ce * sc.C_a)
        for j in range(far.mass.shape[1]):
            if far.free[n, j]:
                i, r, k = _mast(size, far.base[n] + j)
                Me = _of_modes(far, n, j, back.far_eta)
                add(back.q, (U, i, r, k), Me * -(sc.M_u + alpha * sc.C_u))
                add(back.q, (V, i, r, k), Me * -(sc.M_v + alpha * sc.C_v))
                add(back.q, (A, i, r, k), Me * -(sc.M_a + alpha * sc.C_a))


@whole
def far_motion(sc, far, first, q, eta, out):
    """out (rows, 3, n, k) = η, η̇, η̈ of what states hold of far spans, eta (rows, 3, ·): rates without m q̇_b, m q̈_b.

    first (n,): where the modes of each are in eta; q (rows, 3, ns·nt·4): the line.
    """
    for r in range(q.shape[0]):
        for n in range(far.base.shape[0]):
            modes, at = far.modes[n], far.base[n]
            for d in range(3):
                for k in range(modes):
                    out[r, d, n, k] = eta[r, d, first[n] + k]
            for j in range(far.mass.shape[1]):
                if far.free[n, j]:
                    _take_off(modes, q[r, V, at + j], far.mass[n, j], out[r, V, n])
                    if not sc.lossless:
                        _take_off(modes, q[r, A, at + j], far.mass[n, j], out[r, A, n])


@part(SUM)
def _take_off(modes, x, m, out):
    """out −= x m, both (k,)."""
    for k in range(modes):
        out[k] -= x * m[k]


@whole
def add_far(sc, far, steps, row, past, line_past, mean, x, lane, slope):
    """Add some steps to lanes from ``lane`` on of slope: Ω² and c (L, n, k), m and d (L, n, 2·nt·4, k).

    steps: their numbers; row (steps,): where each begins in far.kept; past (steps, n, k, L): η_k; line_past
    (⌈ns/SIDE⌉, steps, SIDE·nt·4, L): η of the line; mean (3, steps, ns·nt·4): its u, m, c; x (4, 4, k): scratch, four
    steps at a time.
    """
    for n in range(far.base.shape[0]):
        for first in range(0, steps.shape[0], 4):
            four = steps[first : first + 4]
            for i in range(four.shape[0]):
                _averages(sc, far.kept[row[four[i]]], far.kept[row[four[i]] + 1], n, far.modes[n], x[i])
            for l in range(past.shape[3]):
                for i in range(four.shape[0]):
                    for k in range(far.modes[n]):
                        x[i, 3, k] = past[four[i], n, k, l]
                for i in range(four.shape[0], 4):
                    for k in range(far.modes[n]):
                        x[i, 0, k], x[i, 1, k], x[i, 2, k], x[i, 3, k] = 0.0, 0.0, 0.0, 0.0
                _add_modes(far.modes[n], x, slope[0][lane + l, n], slope[1][lane + l, n])
                _add_masts(far, n, four, l, line_past, mean, x, slope[2][lane + l, n], slope[3][lane + l, n])


@part()
def _averages(sc, before, after, n, modes, x):
    """x[:3] = u_f, m and c of the modes of span n in a step between two states (3, n, k)."""
    for k in range(modes):
        x[0, k], x[1, k], x[2, k] = averages(sc, before[U, n, k], before[V, n, k], before[A, n, k], after[U, n, k])


@part(SUM)
def _add_modes(modes, x, stiffness, damping):
    """Ω² and c (k,) by four steps."""
    for i in range(4):
        for k in range(modes):
            stiffness[k] += x[i, 3, k] * x[i, 0, k]
            damping[k] += x[i, 3, k] * x[i, 2, k]


@part()
def _add_masts(far, n, steps, l, line_past, mean, x, mass, drag):
    """m and d (2·nt·4, k) of span n by up to four steps."""
    size, last = far.mass.shape[1] // 2, steps.shape[0] - 1
    station = far.base[n] // size
    s0, s1, s2, s3 = steps[0], steps[min(1, last)], steps[min(2, last)], steps[min(3, last)]
    for j in range(2 * size):
        if far.free[n, j]:
            i, at = station + j // size, far.base[n] + j
            side, place = i // SIDE, i % SIDE * size + j % size
            e = (
                line_past[side, s0, place, l], line_past[side, s1, place, l],
                line_past[side, s2, place, l], line_past[side, s3, place, l],
            )  # fmt: skip
            _add_row(far.modes[n], e, mean[1, s0, at], mean[1, s1, at], mean[1, s2, at], mean[1, s3, at], x, 1, mass[j])
            _add_row(far.modes[n], e, mean[2, s0, at], mean[2, s1, at], mean[2, s2, at], mean[2, s3, at], x, 2, drag[j])


@part(SUM)
def _add_row(modes, e, m0, m1, m2, m3, x, which, out):
    """out (k,) += Σ e x[which] + m η_k over four steps; a step that is not there has x = 0."""
    e0, e1, e2, e3 = e
    a0, a1, a2, a3 = x[0, which], x[1, which], x[2, which], x[3, which]
    b0, b1, b2, b3 = x[0, 3], x[1, 3], x[2, 3], x[3, 3]
    for k in range(modes):
        total = e0 * a0[k] + e1 * a1[k] + e2 * a2[k] + e3 * a3[k]
        out[k] += total + (m0 * b0[k] + m1 * b1[k] + m2 * b2[k] + m3 * b3[k])
