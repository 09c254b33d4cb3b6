"""Far spans and the fading at the ends of a moving window, taken back (``interaction_adjoint``).

Whatever the state of a run holds of far spans, here it is their modes and the rates of them (``FarSpans``). With η_b of
the masts and η_k of the modes of a far span, and U_k what everything later makes of the modes, the step's matrix gives

    (A − Σ a aᵀ/A_k) η_b = s (U_b − Σ a U_k/A_k),   η_k = (s U_k − a · η_b)/A_k,   s = −1/(1 − α)              (1)

and the modes take part in M η and C η with η_k + m · η_b and c η_k + d · η_b, the masts with m η_k and d η_k.
"""

from __future__ import annotations

import numpy as np

from panhead.kernels.compiling import part
from panhead.kernels.interaction import stretch
from panhead.kernels.interaction_arrays import A, U, V
from panhead.kernels.lane_solve import add
from panhead.kernels.lanes import fma, put, take, zero
from panhead.kernels.unilateral import CLOSED


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
def far_before(far, sc, old, n_step, back):
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


@part()
def fade_back(line, far, sc, ends, where, kept, before, number, back, slope):
    """``fade`` taken back: from row before + 1 of ``kept`` to row ``before``; where (np,): the pantographs."""
    _settle_back(kept, before, back, slope)
    q, eta, size = kept.q[before], far.kept[before], 4 * back.load.shape[1]
    for i in range(line.x.shape[0]):
        share, by_rate, by_front, by_rear = _fading_slopes(sc, ends, where[0], where[-1], line.x[i])
        if share < 1.0:
            total = zero(back.q)
            for j in range(3):
                for r in range(q.shape[2]):
                    for k in range(4):
                        bar = take(back.q, (j, i, r, k))
                        total = fma(q[j, i, r, k], bar, total)
                        put(back.q, (j, i, r, k), bar * share)
            _book(total, by_rate, by_front, by_rear, number, slope)
            add(slope.x, (i,), total * -(by_front + by_rear))
    for n in range(far.base.shape[0]):
        i = far.base[n] // size
        x = 0.5 * (line.x[i] + line.x[i + 1])
        share, by_rate, by_front, by_rear = _fading_slopes(sc, ends, where[0], where[-1], x)
        if share < 1.0:
            total = zero(back.far)
            for j in range(3):
                for k in range(far.modes[n]):
                    bar = take(back.far, (j, n, k))
                    total = fma(eta[j, n, k], bar, total)
                    put(back.far, (j, n, k), bar * share)
            _book(total, by_rate, by_front, by_rear, number, slope)


@part()
def _book(total, by_rate, by_front, by_rear, number, slope):
    """What the motion at one place makes of the rate of fading and of where the train is."""
    add(slope.fading, (0,), total * by_rate)
    add(slope.position, (number, 0), total * by_front)
    add(slope.position, (number, slope.position.shape[1] - 1), total * by_rear)


@part()
def _fading_slopes(sc, ends, front, rear, x):
    """``interaction._fading`` at x, and its derivatives by the rate and by front and rear."""
    ahead, behind = (x - front - ends.front_begin) / ends.front_length, (rear - ends.rear_begin - x) / ends.rear_length
    xi = min(1.0, max(ahead, behind))
    if xi <= 0.0:
        return 1.0, 0.0, 0.0, 0.0
    time = ends.every * sc.h
    share = np.exp(-ends.rate * xi**3 * time)
    by_xi = -3.0 * ends.rate * xi * xi * time * share if xi < 1.0 else 0.0
    by_front = -by_xi / ends.front_length if ahead >= behind else 0.0
    by_rear = by_xi / ends.rear_length if ahead < behind else 0.0
    return share, -(xi**3) * time * share, by_front, by_rear


@part()
def _settle_back(kept, before, back, slope):
    """Droppers that were set by their law alone after the motion had faded: p = min(N₀, 0), or −(N₀₊ + k e + c ė)."""
    for r in range(kept.drop.shape[1]):
        old, d = kept.drop[before, r], kept.drop[before + 1, r]
        if d.e != old.e:
            set_back(d, r, kept.q[before + 1], back, slope)


@part()
def set_back(d, r, q, back, slope):
    """The correction p of dropper r, which its law gave from q (4, ns, nt, 4) alone, taken back."""
    bar = take(back.drop, (r,))
    put(back.drop, (r,), zero(back.drop))
    if d.mode == CLOSED:
        if d.N0 < 0.0:
            add(slope.N0, (r,), bar)
        return
    e, e_dot = stretch(d, q)
    add(slope.k, (r,), bar * -e)
    add(slope.c, (r,), bar * -e_dot)
    if d.N0 > 0.0:
        add(slope.N0, (r,), bar * -1.0)
    for k in range(4):
        i, j = d.dof[k] >> 2, d.dof[k] & 3
        add(back.q, (U, d.station, i, j), bar * (-d.k * d.weight[k]))
        add(back.q, (V, d.station, i, j), bar * (-d.c * d.weight[k]))
        if slope.weight.shape[0] > 0:
            add(slope.weight, (r, k), bar * -(d.k * q[U, d.station, i, j] + d.c * q[V, d.station, i, j]))
