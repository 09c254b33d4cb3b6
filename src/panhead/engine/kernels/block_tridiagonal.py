"""Symmetric block-tridiagonal matrices: factorise once, then solve, multiply, take columns.

A station i carries b unknowns; A[i, i] = diag[i], A[i, i+1] = off[i], A[i+1, i] = off[i]ᵀ. The block
factorisation A = (I + L) D (I + L)ᵀ reads, from the first station to the last,

    D₀ = A₀₀,   Lᵢ = Aᵢ,ᵢ₋₁ Dᵢ₋₁⁻¹,   Dᵢ = Aᵢᵢ − Lᵢ Aᵢ₋₁,ᵢ

For speed the blocks are cut into 4 × 4 tiles, each 16 contiguous numbers with the column running
slowest, tile[4 c + r] = B[r, c]; constant indices inside a tile let the compiler use vector registers.
A tiled matrix has shape (ns, 2, nt, nt, 16), nt = ⌈b/4⌉: of station i [0] the diagonal block and [1] the
one that meets station i + 1, whose transpose meets station i from there. A vector has shape (ns, nt, 4).

Matrices of wires need less: a wire couples its value and its slope, (w, w′), with nothing but the same
pair at the neighbouring stations. Such a matrix is kept as pairs, (ns, 2, nt, 8): four numbers that
meet the coordinate itself and four that meet its partner. What does not fit that pattern (ties between
wires) is a short list of single entries beside it.

Nothing is left to the compiler: where a·b + c is rounded once it says so (``fma``), and runs in lanes
(``block_tridiagonal_lanes``) do the same operations in the same order, which gives the same bits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from panhead.engine.jit.compiler import part, whole
from panhead.engine.jit.lanes import fma
from panhead.engine.jit.vector_rows import no_row, put_row, row, spread0, spread1, spread2, spread3, swapped, turned
from panhead.engine.kernels.dense import cholesky, cholesky_solve

SUM = {"contract", "reassoc", "nsz"}  # a long sum is cut into as many as a register holds


def tiled(diag, *beside):
    """Blocks (ns, b, b) and some of (ns − 1, b, b), or as many, as one tiled matrix; what fills up a tile is zero."""
    ns, b, _ = diag.shape
    nt, blocks = -(-b // 4), (diag, *beside)
    full = np.zeros((ns, len(blocks), 4 * nt, 4 * nt))
    for which, block in enumerate(blocks):
        full[: len(block), which, :b, :b] = block
    cut = full.reshape(ns, len(blocks), nt, 4, nt, 4)  # (station, which, row tile, row, column tile, column)
    return np.ascontiguousarray(cut.transpose(0, 1, 2, 4, 5, 3)).reshape(ns, len(blocks), nt, nt, 16)


class Paired(NamedTuple):
    """A matrix of wires: pairs, and what is left over."""

    pair: Any  #: (ns, 2, nt, 8)
    place: Any  #: (n, 4) int64: row station and coordinate, column station and coordinate
    value: Any  #: (n,)


def paired(diag, off):
    """Blocks diag (ns, b, b), off (ns − 1, b, b) of a symmetric matrix as pairs and left-over entries."""
    A = tiled(diag, np.concatenate([np.zeros_like(diag[:1]), off.transpose(0, 2, 1)]), off)
    ns, nt = A.shape[0], A.shape[2]
    pair = np.zeros((ns, 3, nt, 8))
    for t in range(nt):
        for k in range(4):
            pair[:, :, t, k] = A[:, :, t, t, 5 * k]
            pair[:, :, t, 4 + k] = A[:, :, t, t, 4 * (k ^ 1) + k]
            A[:, :, t, t, 5 * k] = 0.0
            A[:, :, t, t, 4 * (k ^ 1) + k] = 0.0
    i, which, row, column, inner = np.nonzero(A)
    other = i + np.array([0, -1, 1])[which]
    place = np.stack([i, 4 * row + inner % 4, other, 4 * column + inner // 4], axis=1)
    return Paired(np.ascontiguousarray(pair[:, ::2]), place.astype(np.int64), A[i, which, row, column, inner])


@whole
def factor(diag, off, work, D_inv, U):
    """D_inv = Dᵢ⁻¹ and U = −Dᵢ⁻¹ Aᵢ,ᵢ₊₁ of the block factorisation.

    diag, D_inv (ns, b, b), off, U (ns − 1, b, b), work (b, b) scratch. Returns −1, or the station at which the matrix
    is not positive definite.
    """
    ns, b, _ = diag.shape
    for i in range(ns):
        for r in range(b):
            for c in range(b):
                s = diag[i, r, c]
                if i > 0:  # Dᵢ = Aᵢᵢ − Lᵢ Aᵢ₋₁,ᵢ with Lᵢ = −Uᵢ₋₁ᵀ
                    for k in range(b):
                        s += U[i - 1, k, r] * off[i - 1, k, c]
                work[r, c] = s
                D_inv[i, r, c] = 1.0 if r == c else 0.0
        if not cholesky(work):
            return i
        cholesky_solve(work, D_inv[i])
        if i < ns - 1:
            for r in range(b):
                for c in range(b):
                    s = 0.0
                    for k in range(b):
                        s -= D_inv[i, r, k] * off[i, k, c]
                    U[i, r, c] = s
    return -1


def factors(D_inv, U):
    """The factorisation as one tiled matrix: D⁻¹ and U = −Lᵀ."""
    return tiled(D_inv, U)


@part()
def multiply(A, x, out):
    """out = A x for a paired matrix A; x, out (ns, nt, 4)."""
    if x.shape[1] == 2:
        _multiply_two_tiles(A.pair, x, out)
    else:
        for t in range(x.shape[1]):
            _multiply_tile(A.pair, t, x, out)
    for n in range(A.value.shape[0]):
        i, d, j, e = A.place[n, 0], A.place[n, 1], A.place[n, 2], A.place[n, 3]
        out[i, d >> 2, d & 3] = fma(A.value[n], x[j, e >> 2, e & 3], out[i, d >> 2, d & 3])


@part()
def _multiply_tile(pair, t, x, out):
    """Tile t of every station; the last one has nothing of one behind it."""
    ns = x.shape[0]
    y0, y1, b0, b1 = no_row(), row(x, (0, t)), no_row(), no_row()
    for i in range(ns):
        y2 = row(x, (min(i + 1, ns - 1), t))
        z, b0, b1 = _row_of_product(pair, i, t, y0, y1, y2, b0, b1)
        put_row(out, (i, t), z)
        y0, y1 = y1, y2


@part()
def _multiply_two_tiles(pair, x, out):
    """Both tiles of every station, so that the matrix is read once from its beginning to its end."""
    ns = x.shape[0]
    y0, y1, b0, b1 = no_row(), row(x, (0, 0)), no_row(), no_row()
    z0, z1, c0, c1 = no_row(), row(x, (0, 1)), no_row(), no_row()
    for i in range(ns):
        k = min(i + 1, ns - 1)
        y2, z2 = row(x, (k, 0)), row(x, (k, 1))
        y, b0, b1 = _row_of_product(pair, i, 0, y0, y1, y2, b0, b1)
        z, c0, c1 = _row_of_product(pair, i, 1, z0, z1, z2, c0, c1)
        put_row(out, (i, 0), y)
        put_row(out, (i, 1), z)
        y0, y1, z0, z1 = y1, y2, z1, z2


@part()
def _row_of_product(pair, i, t, before, here, behind, b0, b1):
    """Tile t of station i of A x from the rows of x around it, and the pairs that meet the station behind.

    b0, b1: those pairs of the station before; turned they meet it from here, as the matrix is symmetric.
    """
    z = fma(row(pair, (i, 0, t, 4)), swapped(here), fma(row(pair, (i, 0, t, 0)), here, no_row()))
    z = fma(swapped(b1), swapped(before), fma(b0, before, z))
    b0, b1 = row(pair, (i, 1, t, 0)), row(pair, (i, 1, t, 4))
    return fma(b1, swapped(behind), fma(b0, behind, z)), b0, b1


@whole
def product(A, x, out):
    """``multiply`` for Python."""
    multiply(A, x, out)


@part()
def _columns(F, i, which, r, c):
    """The columns of one tile."""
    at = i, which, r, c
    return row(F, (*at, 0)), row(F, (*at, 4)), row(F, (*at, 8)), row(F, (*at, 12))


@part()
def _add_tile(B, y, z):
    """z + B y for one tile B, a tuple of columns; y, z rows. Two short chains of operations, not one long one."""
    return fma(B[1], spread1(y), fma(B[0], spread0(y), z)) + fma(B[3], spread3(y), B[2] * spread2(y))


@part()
def _eliminate(F, i, y, k):
    """y[k] += F[i − 1, 1]ᵀ y[k − 1]: one row of the forward sweep, station i in row k of y."""
    for r in range(y.shape[1]):
        z = row(y, (k, r))
        for c in range(y.shape[1]):
            z = _add_tile(turned(*_columns(F, i - 1, 1, c, r)), row(y, (k - 1, c)), z)
        put_row(y, (k, r), z)


@part()
def _substitute(F, i, y, k, linked, x):
    """x[k] = F[i, 0] y[k], and + F[i, 1] x[k + 1] if ``linked``: one row of the backward sweep."""
    nt = x.shape[1]
    for r in range(nt):
        z = no_row()
        for c in range(nt):
            z = _add_tile(_columns(F, i, 0, r, c), row(y, (k, c)), z)
        for c in range(nt if linked else 0):
            z = _add_tile(_columns(F, i, 1, r, c), row(x, (k + 1, c)), z)
        put_row(x, (k, r), z)


@part()
def solve(F, y, x):
    """x = A⁻¹ y from the tiled factorisation; x, y (ns, nt, 4), y is overwritten."""
    ns = x.shape[0]
    if x.shape[1] == 1:
        _solve_one_tile(F, y, x)
        return
    if x.shape[1] == 2:
        _solve_two_tiles(F, y, x)
        return
    for i in range(1, ns):
        _eliminate(F, i, y, i)
    for i in range(ns - 1, -1, -1):
        _substitute(F, i, y, i, i < ns - 1, x)


@part()
def _solve_one_tile(F, y, x):
    """``solve`` for blocks of up to four: what goes from row to row stays in registers."""
    ns = x.shape[0]
    a = row(y, (0, 0))
    for i in range(1, ns):
        a = _add_tile(turned(*_columns(F, i - 1, 1, 0, 0)), a, row(y, (i, 0)))
        put_row(y, (i, 0), a)
    a = no_row()
    for i in range(ns - 1, -1, -1):
        b = _add_tile(_columns(F, i, 0, 0, 0), row(y, (i, 0)), no_row())
        a = _add_tile(_columns(F, i, 1, 0, 0), a, b)
        put_row(x, (i, 0), a)


@part()
def _solve_two_tiles(F, y, x):
    """``solve`` for blocks of up to eight."""
    ns = x.shape[0]
    a, b = row(y, (0, 0)), row(y, (0, 1))
    for i in range(1, ns):
        c = _add_tile(turned(*_columns(F, i - 1, 1, 0, 0)), a, row(y, (i, 0)))
        d = _add_tile(turned(*_columns(F, i - 1, 1, 0, 1)), a, row(y, (i, 1)))
        a = _add_tile(turned(*_columns(F, i - 1, 1, 1, 0)), b, c)
        b = _add_tile(turned(*_columns(F, i - 1, 1, 1, 1)), b, d)
        put_row(y, (i, 0), a)
        put_row(y, (i, 1), b)
    a, b = no_row(), no_row()
    for i in range(ns - 1, -1, -1):
        p, q = row(y, (i, 0)), row(y, (i, 1))
        c = _add_tile(_columns(F, i, 0, 0, 1), q, _add_tile(_columns(F, i, 0, 0, 0), p, no_row()))
        d = _add_tile(_columns(F, i, 0, 1, 1), q, _add_tile(_columns(F, i, 0, 1, 0), p, no_row()))
        c, d = _add_tile(_columns(F, i, 1, 0, 0), a, c), _add_tile(_columns(F, i, 1, 1, 0), a, d)
        a, b = _add_tile(_columns(F, i, 1, 0, 1), b, c), _add_tile(_columns(F, i, 1, 1, 1), b, d)
        put_row(x, (i, 0), a)
        put_row(x, (i, 1), b)


@part()
def _largest(x):
    """max |x| over one station (nt, 4)."""
    m = 0.0
    for r in range(x.shape[0]):
        for c in range(4):
            m = max(m, abs(x[r, c]))
    return m


@part()
def _fill(y, load, share):
    """y = share · load, both (nt, 4)."""
    for r in range(y.shape[0]):
        for c in range(4):
            y[r, c] = share * load[r, c]


@part()
def column(F, station, load, tiny, y, x):
    """A⁻¹ of a load at stations ``station`` and ``station + 1``, where it is not negligible.

    load (2, nt, 4). With short steps the solution falls off within a few elements; the sweeps stop
    where it is below ``tiny`` times its largest value, so that with tiny ≈ 1e-16 no more is lost
    than the round-off of a full solve. Row k of x (width, nt, 4) is station base + k; y is work space
    of the same shape. Returns (base, first, last): x holds the stations first ≤ i < last.
    """
    ns, half = F.shape[0], x.shape[0] // 2
    base, high = max(0, station + 1 - half), min(ns, station + 1 + half)
    _fill(y[station - base], load[0], 1.0)
    last, top = station + 1, _largest(load[0])
    for i in range(station + 1, high):  # forward, away from the load
        _fill(y[i - base], load[1], 1.0 if i == station + 1 else 0.0)
        _eliminate(F, i, y, i - base)
        size = _largest(y[i - base])
        top = max(top, size)
        last = i + 1
        if i > station + 1 and size <= tiny * top:
            break
    first, peak = base, 0.0
    for i in range(last - 1, base - 1, -1):  # backward, through the load to its other side
        if i < station:
            _fill(y[i - base], load[0], 0.0)
        _substitute(F, i, y, i - base, i < last - 1, x)
        size = _largest(x[i - base])
        peak = max(peak, size)
        first = i
        if i < station and size <= tiny * peak:
            break
    return base, first, last


@whole
def reach(F, stations, tiny, load, y, x):
    """Number of stations that a ``column`` needs to one side of its load, the maximum over unit forces at some
    stations.

    stations (n,) below ns − 1, load (2, nt, 4) zeros, y, x (2 ns + 2, nt, 4) work space. A station's displacements are
    every second of its coordinates, the others are slopes.
    """
    most = 0
    for k in range(stations.shape[0]):
        station = stations[k]
        for r in range(load.shape[1]):
            for c in range(0, 4, 2):
                load[0, r, c] = 1.0
                _, first, last = column(F, station, load, tiny, y, x)
                load[0, r, c] = 0.0
                most = max(most, last - station, station - first + 1)
    return most


@part()
def mix(a, x, b, y, out):
    """out = a x + b y, all (n,)."""
    for i in range(x.shape[0]):
        out[i] = fma(a, x[i], b * y[i])


@part(SUM)
def dot(x, y):
    """Σ x y, both (n,); summed in the same order in every run on one machine."""
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * y[i]
    return s


@part(SUM)
def dot_of_changes(x0, x1, y0, y1):
    """Σ (x₁ − x₀)(y₁ − y₀), all (n,)."""
    s = 0.0
    for i in range(x0.shape[0]):
        s += (x1[i] - x0[i]) * (y1[i] - y0[i])
    return s
