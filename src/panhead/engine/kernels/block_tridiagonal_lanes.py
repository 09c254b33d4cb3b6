"""Symmetric block-tridiagonal matrices in lanes: products, and the solve from a factorisation.

Tiled factors and pairs are those of ``block_tridiagonal``. Elements of matrices are numbers that all lanes share, or
lanes; those of vectors, (ns, nt, 4), are lanes.

Every number is the sum that ``block_tridiagonal`` and ``interaction`` form for a single run, in their order and rounded
where they round: a lane has the bits of the run alone.
"""

from __future__ import annotations

from panhead.engine.jit.compiler import part
from panhead.engine.jit.lanes import (
    add_pair,
    add_tile,
    add_turned_pair,
    add_turned_tile,
    fma,
    four_zeros,
    put,
    put4,
    take,
    take4,
)


@part()
def right_side(M, C, sc, damped, u, v, scratch, y):
    """y = M (M_u u + M_v v) + C_u C u for paired matrices, rounded as ``predict_line`` does it.

    u, v (ns, nt, 4), scratch (1, 4), y may have more rows than u.
    """
    ns, nt = u.shape[0], u.shape[1]
    for t in range(nt):
        u0, s0 = four_zeros(u), four_zeros(u)
        u1 = take4(u, (0, t))
        s1 = _mix_tile(sc, u1, take4(v, (0, t)))
        for i in range(ns):
            z = add_pair(four_zeros(u), M.pair, (i, 0, t), s1)
            c = add_pair(four_zeros(u), C.pair, (i, 0, t), u1) if damped else four_zeros(u)
            if i > 0:
                z = add_turned_pair(z, M.pair, (i - 1, 1, t), s0)
                if damped:
                    c = add_turned_pair(c, C.pair, (i - 1, 1, t), u0)
            u0, s0 = u1, s1
            if i < ns - 1:
                u1 = take4(u, (i + 1, t))
                s1 = _mix_tile(sc, u1, take4(v, (i + 1, t)))
                z = add_pair(z, M.pair, (i, 1, t), s1)
                if damped:
                    c = add_pair(c, C.pair, (i, 1, t), u1)
            put4(y, (i, t), _sum(z, sc.C_u, c))
    for place in (M.place, C.place):
        for n in range(place.shape[0]):
            _whole_tile(M, C, sc, damped, u, v, place[n, 0], place[n, 1] >> 2, scratch, y)


@part()
def _mix_tile(sc, u, v):
    """M_u u + M_v v of one tile."""
    return (
        fma(u[0], sc.M_u, v[0] * sc.M_v),
        fma(u[1], sc.M_u, v[1] * sc.M_v),
        fma(u[2], sc.M_u, v[2] * sc.M_v),
        fma(u[3], sc.M_u, v[3] * sc.M_v),
    )


@part()
def _sum(z, share, c):
    """z + share · c of one tile, rounded twice."""
    return (z[0] + c[0] * share, z[1] + c[1] * share, z[2] + c[2] * share, z[3] + c[3] * share)


@part()
def _whole_tile(M, C, sc, damped, u, v, i, t, scratch, y):
    """Tile t of station i of ``right_side`` once more, with what is not pairs."""
    z, c = four_zeros(u), four_zeros(u)
    for k in range(3):  # the station itself, the one before, the one behind
        j = i + (0, -1, 1)[k]
        if 0 <= j < u.shape[0]:
            there = take4(u, (j, t))
            s = _mix_tile(sc, there, take4(v, (j, t)))
            if k == 1:
                z, c = add_turned_pair(z, M.pair, (j, 1, t), s), add_turned_pair(c, C.pair, (j, 1, t), there)
            else:
                z, c = add_pair(z, M.pair, (i, k >> 1, t), s), add_pair(c, C.pair, (i, k >> 1, t), there)
    put4(y, (i, t), z)
    for n in range(M.place.shape[0]):
        if M.place[n, 0] == i and M.place[n, 1] >> 2 == t:
            j, d, e = M.place[n, 2], M.place[n, 1] & 3, M.place[n, 3]
            s = fma(take(u, (j, e >> 2, e & 3)), sc.M_u, take(v, (j, e >> 2, e & 3)) * sc.M_v)
            put(y, (i, t, d), fma(take(M.value, (n,)), s, take(y, (i, t, d))))
    if damped:
        put4(scratch, (0,), c)
        for n in range(C.place.shape[0]):
            if C.place[n, 0] == i and C.place[n, 1] >> 2 == t:
                j, d, e = C.place[n, 2], C.place[n, 1] & 3, C.place[n, 3]
                put(scratch, (0, d), fma(take(C.value, (n,)), take(u, (j, e >> 2, e & 3)), take(scratch, (0, d))))
        put4(y, (i, t), _sum(take4(y, (i, t)), sc.C_u, take4(scratch, (0,))))


@part()
def add(array, index, value):
    """array[index] += value in every lane."""
    put(array, index, take(array, index) + value)


@part()
def tile_product(A, x, i, t):
    """Tile t of station i of A x for a paired matrix, but for what is not pairs; x (ns, nt, 4)."""
    z = add_pair(four_zeros(x), A.pair, (i, 0, t), take4(x, (i, t)))
    if i > 0:
        z = add_turned_pair(z, A.pair, (i - 1, 1, t), take4(x, (i - 1, t)))
    if i < x.shape[0] - 1:
        z = add_pair(z, A.pair, (i, 1, t), take4(x, (i + 1, t)))
    return z


@part()
def solve(F, share, load, y, x):
    """x = share A⁻¹ load from the factors of a single run; load, x and the scratch y (ns, nt, 4)."""
    ns, nt = x.shape[0], x.shape[1]
    for i in range(ns):
        for r in range(nt):
            l = take4(load, (i, r))
            z = (l[0] * share, l[1] * share, l[2] * share, l[3] * share)
            if i > 0:
                for c in range(nt):
                    z = add_turned_tile(z, F, (i - 1, 1, c, r), take4(y, (i - 1, c)))
            put4(y, (i, r), z)
    for i in range(ns - 1, -1, -1):
        for r in range(nt):
            z = four_zeros(y)
            for c in range(nt):
                z = add_tile(z, F, (i, 0, r, c), take4(y, (i, c)))
                if i < ns - 1:
                    z = add_tile(z, F, (i, 1, r, c), take4(x, (i + 1, c)))
            put4(x, (i, r), z)


@part()
def solve_and_advance(F, y, sc, u, v):
    """u, v one step on from u_f = A⁻¹ y as in ``interaction``; y is overwritten.

    u, v (ns, nt, 4), y (ns + 2, nt, 4).
    """
    if u.shape[1] == 1:
        _one_tile(F, y, sc, u, v)
        return
    ns, nt = u.shape[0], u.shape[1]
    for i in range(1, ns):
        for r in range(nt):
            z = take4(y, (i, r))
            for c in range(nt):
                z = add_turned_tile(z, F, (i - 1, 1, c, r), take4(y, (i - 1, c)))
            put4(y, (i, r), z)
    for i in range(ns - 1, -1, -1):
        for r in range(nt):  # x goes into the row behind, which is no longer needed: row i itself still is
            z = four_zeros(y)
            for c in range(nt):
                z = add_tile(z, F, (i, 0, r, c), take4(y, (i, c)))
            if i < ns - 1:
                for c in range(nt):
                    z = add_tile(z, F, (i, 1, r, c), take4(y, (i + 2, c)))
            put4(y, (i + 1, r), z)
        for r in range(nt):
            _advance(take4(y, (i + 1, r)), sc, u, v, i, r)


@part()
def _one_tile(F, y, sc, u, v):
    """``solve_and_advance`` for blocks of up to four: what goes from row to row stays in registers."""
    ns = u.shape[0]
    z = take4(y, (0, 0))
    for i in range(1, ns):
        z = add_turned_tile(take4(y, (i, 0)), F, (i - 1, 1, 0, 0), z)
        put4(y, (i, 0), z)
    x = four_zeros(y)
    for i in range(ns - 1, -1, -1):
        z = add_tile(four_zeros(y), F, (i, 0, 0, 0), take4(y, (i, 0)))
        x = add_tile(z, F, (i, 1, 0, 0), x)
        _advance(x, sc, u, v, i, 0)


@part()
def _advance(x, sc, u, v, i, r):
    """u and v of one tile one step on from x = u_f."""
    share = 1.0 / (1.0 - sc.alpha_f)
    u0, v0 = take4(u, (i, r)), take4(v, (i, r))
    u1 = (
        fma(x[0] - u0[0], share, u0[0]),
        fma(x[1] - u0[1], share, u0[1]),
        fma(x[2] - u0[2], share, u0[2]),
        fma(x[3] - u0[3], share, u0[3]),
    )
    put4(u, (i, r), u1)
    v1 = (
        fma(v0[0], sc.v_v, (u1[0] - u0[0]) * sc.C_u),
        fma(v0[1], sc.v_v, (u1[1] - u0[1]) * sc.C_u),
        fma(v0[2], sc.v_v, (u1[2] - u0[2]) * sc.C_u),
        fma(v0[3], sc.v_v, (u1[3] - u0[3]) * sc.C_u),
    )
    put4(v, (i, r), v1)
