"""Far spans backwards, and gradients by what they are made of.

Whatever the state of a run holds of far spans, here it is their modes and the rates of them (``FarSpans``). With η_b of
the masts and η_k of the modes of a far span, and U_k what everything later makes of the modes, the step's matrix gives

    (A − Σ a aᵀ/A_k) η_b = s (U_b − Σ a U_k/A_k),   η_k = (s U_k − a · η_b)/A_k,   s = −1/(1 − α)              (1)

and the modes take part in M η and C η with η_k + m · η_b and c η_k + d · η_b, the masts with m η_k and d η_k.
"""

from __future__ import annotations

from panhead.kernels.compiling import part, whole
from panhead.kernels.lane_solve import add
from panhead.kernels.lanes import fma, put, take, zero
from panhead.kernels.step.arrays import A, U, V
from panhead.kernels.step.line import SIDE
from panhead.kernels.step.scheme import averages


@part()
def _mast(size, i):
    """Station, tile and place in it of coordinate i of a flat vector; size: coordinates of a station."""
    d = i % size
    return i // size, d >> 2, d & 3


@part()
def load_far(far, sc, back):
    """back.far_load = U_k, and the masts' loads −Σ a U_k/A_k of eq. (1)."""
    size = 4 * back.load.shape[1]
    for n in range(far.base.shape[0]):
        for k in range(far.modes[n]):
            u, v, a = take(back.far, (U, n, k)), take(back.far, (V, n, k)), take(back.far, (A, n, k))
            put(back.far_load, (n, k), u + v * sc.C_u + a * sc.a_u)
        for j in range(far.a.shape[1]):
            if far.free[n, j]:
                total = zero(back.far_load)
                for k in range(far.modes[n]):
                    total = fma(far.a[n, j, k] * far.A_inv[n, k], take(back.far_load, (n, k)), total)
                add(back.load, _mast(size, far.base[n] + j), total * -1.0)


@part()
def find_far(far, share, back):
    """η_k of eq. (1); the masts' loads are what they were before ``load_far``."""
    size = 4 * back.load.shape[1]
    for n in range(far.base.shape[0]):
        for k in range(far.modes[n]):
            put(back.far_eta, (n, k), take(back.far_load, (n, k)) * share)
        for j in range(far.a.shape[1]):
            if far.free[n, j]:
                at, total = _mast(size, far.base[n] + j), zero(back.far_load)
                e = take(back.eta, at)
                for k in range(far.modes[n]):
                    total = fma(far.a[n, j, k] * far.A_inv[n, k], take(back.far_load, (n, k)), total)
                    put(back.far_eta, (n, k), fma(-far.a[n, j, k], e, take(back.far_eta, (n, k))))
                add(back.load, at, total)
        for k in range(far.modes[n]):
            put(back.far_eta, (n, k), take(back.far_eta, (n, k)) * far.A_inv[n, k])


@part()
def far_adjoint(far, sc, old, n_step, back):
    """Adjoints of the modes before a step, in place, and what the modes make of those of their masts."""
    size = 4 * back.load.shape[1]
    for n in range(far.base.shape[0]):
        for k in range(far.modes[n]):
            e = take(back.far_eta, (n, k))
            put(back.far_past, (n_step, n, k), e)
            v, a, load = take(back.far, (V, n, k)), take(back.far, (A, n, k)), take(back.far_load, (n, k))
            Ce = e * far.c[n, k]
            put(back.far, (U, n, k), load * old - e * sc.M_u - Ce * sc.C_u - v * sc.C_u - a * sc.a_u)
            put(back.far, (V, n, k), v * sc.v_v + a * sc.a_v - e * sc.M_v - Ce * sc.C_v)
            put(back.far, (A, n, k), v * sc.v_a + a * sc.a_a - e * sc.M_a - Ce * sc.C_a)
        for j in range(far.a.shape[1]):
            if far.free[n, j]:
                _masts_before(far, sc, n, j, _mast(size, far.base[n] + j), back)


@part()
def _masts_before(far, sc, n, j, at, back):
    """What couples coordinate j of the masts of far span n with its modes."""
    e, Me, Ce = take(back.eta, at), zero(back.far), zero(back.far)
    for k in range(far.modes[n]):
        m, d, e_k = far.mass[n, j, k], far.drag[n, j, k], take(back.far_eta, (n, k))
        Me, Ce = fma(m, e_k, Me), fma(d, e_k, Ce)
        add(back.far, (U, n, k), e * -(m * sc.M_u + d * sc.C_u))
        add(back.far, (V, n, k), e * -(m * sc.M_v + d * sc.C_v))
        if not sc.lossless:
            add(back.far, (A, n, k), e * -(m * sc.M_a + d * sc.C_a))
    i, r, k = at
    add(back.q, (U, i, r, k), Me * -sc.M_u - Ce * sc.C_u)
    add(back.q, (V, i, r, k), Me * -sc.M_v - Ce * sc.C_v)
    add(back.q, (A, i, r, k), Me * -sc.M_a - Ce * sc.C_a)


@whole
def far_motion(far, first, q, eta, out):
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
                    v, a = q[r, V, at + j], q[r, A, at + j]
                    for k in range(modes):
                        out[r, V, n, k] -= v * far.mass[n, j, k]
                        out[r, A, n, k] -= a * far.mass[n, j, k]


@whole
def add_far(sc, far, steps, row, past, line_past, mean, x, lane, slope):
    """Add some steps to lanes from ``lane`` on of slope: Ω² and c (L, n, k), m and d (L, n, 2·nt·4, k).

    steps: their numbers; row (steps,): where each begins in far.kept; past (steps, n, k, L): η_k; line_past
    (⌈ns/SIDE⌉, steps, SIDE·nt·4, L): η of the line; mean (3, steps, ns·nt·4): its u, m, c; x (4, k): scratch.
    """
    for n in range(far.base.shape[0]):
        modes = far.modes[n]
        for s in steps:
            _averages(sc, far.kept[row[s]], far.kept[row[s] + 1], n, modes, x)
            for l in range(past.shape[3]):
                for k in range(modes):
                    x[3, k] = past[s, n, k, l]
                    slope[0][lane + l, n, k] += x[3, k] * x[0, k]
                    slope[1][lane + l, n, k] += x[3, k] * x[2, k]
                _add_masts(far, n, s, l, line_past, mean, x, slope[2][lane + l, n], slope[3][lane + l, n])


@part()
def _averages(sc, before, after, n, modes, x):
    """x[:3] = u_f, m and c of the modes of span n in a step between two states (3, n, k)."""
    for k in range(modes):
        x[0, k], x[1, k], x[2, k] = averages(sc, before[U, n, k], before[V, n, k], before[A, n, k], after[U, n, k])


@part()
def _add_masts(far, n, s, l, line_past, mean, x, mass, drag):
    """m and d (2·nt·4, k) of span n by step s."""
    size = far.mass.shape[1] // 2
    station = far.base[n] // size
    for j in range(2 * size):
        if far.free[n, j]:
            i = station + j // size
            e = line_past[i // SIDE, s, i % SIDE * size + j % size, l]
            m, c = mean[1, s, far.base[n] + j], mean[2, s, far.base[n] + j]
            for k in range(far.modes[n]):
                mass[j, k] += e * x[1, k] + m * x[3, k]
                drag[j, k] += e * x[2, k] + c * x[3, k]
