"""Symmetric block-tridiagonal matrices in lanes: products, and the solve from a factorisation.

Of a symmetric matrix half is kept: a tiled one (``block_tridiagonal``) as (ns, 2, nt, nt, 16), of station i [0] the
diagonal block and [1] the one that meets station i + 1, whose transpose meets station i − 1; pairs likewise as
(ns, 2, nt, 8). Its elements are numbers that all lanes share, or lanes; those of vectors, (ns, nt, 4), are lanes.
``tile_product`` and ``solve`` take the matrices of a single run as they are, (ns, 3, …).
"""

from __future__ import annotations

from panhead.kernels.compiling import part
from panhead.kernels.lanes import (
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
def multiply_add(A, x, B, y, out):
    """out = A x + B y for paired matrices; x, y (ns, nt, 4), out may have more rows."""
    ns, nt = x.shape[0], x.shape[1]
    for i in range(ns):
        for t in range(nt):
            z = add_pair(four_zeros(x), A.pair, (i, 0, t), take4(x, (i, t)))
            z = add_pair(z, B.pair, (i, 0, t), take4(y, (i, t)))
            if i > 0:
                z = add_turned_pair(z, A.pair, (i - 1, 1, t), take4(x, (i - 1, t)))
                z = add_turned_pair(z, B.pair, (i - 1, 1, t), take4(y, (i - 1, t)))
            if i < ns - 1:
                z = add_pair(z, A.pair, (i, 1, t), take4(x, (i + 1, t)))
                z = add_pair(z, B.pair, (i, 1, t), take4(y, (i + 1, t)))
            put4(out, (i, t), z)
    _add_rest(A, x, out)
    _add_rest(B, y, out)


@part()
def _add_rest(A, x, out):
    """out += what of A x is not pairs."""
    for n in range(A.place.shape[0]):
        i, d, j, e = A.place[n, 0], A.place[n, 1], A.place[n, 2], A.place[n, 3]
        to = (i, d >> 2, d & 3)
        put(out, to, fma(take(A.value, (n,)), take(x, (j, e >> 2, e & 3)), take(out, to)))


@part()
def add(array, index, value):
    """array[index] += value in every lane."""
    put(array, index, take(array, index) + value)


@part()
def tile_product(A, x, i, t):
    """Tile t of station i of A x for the paired matrix of a single run, but for what is not pairs; x (ns, nt, 4)."""
    z = add_pair(four_zeros(x), A.pair, (i, 0, t), take4(x, (i, t)))
    if i > 0:
        z = add_pair(z, A.pair, (i, 1, t), take4(x, (i - 1, t)))
    if i < x.shape[0] - 1:
        z = add_pair(z, A.pair, (i, 2, t), take4(x, (i + 1, t)))
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
                    z = add_tile(z, F, (i, 1, r, c), take4(y, (i - 1, c)))
            put4(y, (i, r), z)
    for i in range(ns - 1, -1, -1):
        for r in range(nt):
            z = four_zeros(y)
            for c in range(nt):
                z = add_tile(z, F, (i, 0, r, c), take4(y, (i, c)))
                if i < ns - 1:
                    z = add_tile(z, F, (i, 2, r, c), take4(x, (i + 1, c)))
            put4(x, (i, r), z)


@part()
def solve_and_advance(F, y, share, C_u, v_v, u, v):
    """u, v one step on from x = A⁻¹ y: u₁ = u + x share, v₁ = C_u (u₁ − u) + v_v v; y is overwritten.

    u, v (ns, nt, 4), y (ns + 2, nt, 4).
    """
    if u.shape[1] == 1:
        _one_tile(F, y, share, C_u, v_v, u, v)
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
            _advance(take4(y, (i + 1, r)), share, C_u, v_v, u, v, i, r)


@part()
def _one_tile(F, y, share, C_u, v_v, u, v):
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
        _advance(x, share, C_u, v_v, u, v, i, 0)


@part()
def _advance(x, share, C_u, v_v, u, v, i, r):
    """u and v of one tile one step on."""
    u0, v0 = take4(u, (i, r)), take4(v, (i, r))
    d = (x[0] * share, x[1] * share, x[2] * share, x[3] * share)
    put4(u, (i, r), (u0[0] + d[0], u0[1] + d[1], u0[2] + d[2], u0[3] + d[3]))
    v1 = (fma(v0[0], v_v, d[0] * C_u), fma(v0[1], v_v, d[1] * C_u))
    put4(v, (i, r), (v1[0], v1[1], fma(v0[2], v_v, d[2] * C_u), fma(v0[3], v_v, d[3] * C_u)))
