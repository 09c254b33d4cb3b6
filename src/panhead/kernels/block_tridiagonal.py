"""Symmetric block-tridiagonal matrices: factorise once, then solve, multiply and take columns.

A station i carries b unknowns; A[i, i] = diag[i], A[i, i+1] = off[i], A[i+1, i] = off[i]ᵀ. The block
factorisation A = (I + L) D (I + L)ᵀ reads, from the first station to the last,

    D₀ = A₀₀,   Lᵢ = Aᵢ,ᵢ₋₁ Dᵢ₋₁⁻¹,   Dᵢ = Aᵢᵢ − Lᵢ Aᵢ₋₁,ᵢ

For speed the blocks are cut into 4 × 4 tiles, each 16 contiguous numbers with the column running
slowest: tile[4 c + r] = B[r, c]. An array of tiles has shape (blocks, nt, nt, 16), a vector (ns, nt, 4),
with nt = ⌈b/4⌉; constant indices inside a tile are what lets the compiler use vector registers.
"""

from __future__ import annotations

import numpy as np
from numba import njit

FMA = {"contract"}  # a·b + c may be rounded once instead of twice; nothing else is relaxed


def tiles(blocks):
    """Blocks (n, b, b) as tiles (n, nt, nt, 16); rows and columns added to fill a tile are zero."""
    n, b, _ = blocks.shape
    nt = -(-b // 4)
    full = np.zeros((n, 4 * nt, 4 * nt))
    full[:, :b, :b] = blocks
    cut = full.reshape(n, nt, 4, nt, 4)  # (block, row tile, row, column tile, column)
    return np.ascontiguousarray(cut.transpose(0, 1, 3, 4, 2)).reshape(n, nt, nt, 16)


@njit(cache=True)
def invert_spd(A, out):
    """out = A⁻¹ of a symmetric positive definite matrix by Cholesky; A (b, b) is overwritten.

    Returns False, and leaves ``out`` undefined, if A is not positive definite.
    """
    b = A.shape[0]
    for j in range(b):  # A = G Gᵀ, G below and on the diagonal
        for k in range(j):
            for i in range(j, b):
                A[i, j] -= A[i, k] * A[j, k]
        if not A[j, j] > 0.0:
            return False
        pivot = np.sqrt(A[j, j])
        for i in range(j, b):
            A[i, j] /= pivot
    for c in range(b):  # one column of the inverse after the other
        for i in range(b):
            s = 1.0 if i == c else 0.0
            for k in range(i):
                s -= A[i, k] * out[k, c]
            out[i, c] = s / A[i, i]
        for i in range(b - 1, -1, -1):
            s = out[i, c]
            for k in range(i + 1, b):
                s -= A[k, i] * out[k, c]
            out[i, c] = s / A[i, i]
    return True


@njit(cache=True)
def factor(diag, off, D_inv, U):
    """D_inv = Dᵢ⁻¹ and U = −Dᵢ⁻¹ Aᵢ,ᵢ₊₁ of the block factorisation.

    diag, D_inv (ns, b, b), off, U (ns − 1, b, b). Returns −1, or the station at which the matrix
    is not positive definite.
    """
    ns, b, _ = diag.shape
    work = np.empty((b, b))
    for i in range(ns):
        work[:] = diag[i]
        if i > 0:  # Dᵢ = Aᵢᵢ − Lᵢ Aᵢ₋₁,ᵢ with Lᵢ = −Uᵢ₋₁ᵀ
            for r in range(b):
                for c in range(b):
                    for k in range(b):
                        work[r, c] += U[i - 1, k, r] * off[i - 1, k, c]
        if not invert_spd(work, D_inv[i]):
            return i
        if i < ns - 1:
            for r in range(b):
                for c in range(b):
                    s = 0.0
                    for k in range(b):
                        s += D_inv[i, r, k] * off[i, k, c]
                    U[i, r, c] = -s
    return -1


@njit(cache=True, fastmath=FMA, inline="always")
def _add(B, y, z0, z1, z2, z3):
    """z + B y for one tile B (16,) and y (4,); four numbers in, four numbers out."""
    y0, y1, y2, y3 = y[0], y[1], y[2], y[3]
    z0 += B[0] * y0 + B[4] * y1 + B[8] * y2 + B[12] * y3
    z1 += B[1] * y0 + B[5] * y1 + B[9] * y2 + B[13] * y3
    z2 += B[2] * y0 + B[6] * y1 + B[10] * y2 + B[14] * y3
    z3 += B[3] * y0 + B[7] * y1 + B[11] * y2 + B[15] * y3
    return z0, z1, z2, z3


@njit(cache=True, fastmath=FMA)
def multiply(diag, lower, upper, x, first, last, out):
    """out[i] = (A x)[i] for the stations first ≤ i < last; the others of ``out`` are not touched.

    Tiles: diag (ns, nt, nt, 16), lower[i] of A[i+1, i], upper[i] of A[i, i+1]; x, out (ns, nt, 4).
    """
    ns, nt, _ = x.shape
    for i in range(first, last):
        for r in range(nt):
            z0, z1, z2, z3 = 0.0, 0.0, 0.0, 0.0
            for c in range(nt):
                z0, z1, z2, z3 = _add(diag[i, r, c], x[i, c], z0, z1, z2, z3)
                if i > 0:
                    z0, z1, z2, z3 = _add(lower[i - 1, r, c], x[i - 1, c], z0, z1, z2, z3)
                if i < ns - 1:
                    z0, z1, z2, z3 = _add(upper[i, r, c], x[i + 1, c], z0, z1, z2, z3)
            o = out[i, r]
            o[0], o[1], o[2], o[3] = z0, z1, z2, z3


@njit(cache=True, fastmath=FMA)
def _eliminate(lower, i, y, k):
    """y[k] += lower[i − 1] y[k − 1]: one row of the forward sweep, station i in row k of y."""
    nt = y.shape[1]
    for r in range(nt):
        o = y[k, r]
        z0, z1, z2, z3 = o[0], o[1], o[2], o[3]
        for c in range(nt):
            z0, z1, z2, z3 = _add(lower[i - 1, r, c], y[k - 1, c], z0, z1, z2, z3)
        o[0], o[1], o[2], o[3] = z0, z1, z2, z3


@njit(cache=True, fastmath=FMA)
def _substitute(D_inv, upper, i, y, k, linked, x):
    """x[k] = D_inv[i] y[k], and + upper[i] x[k + 1] if ``linked``: one row of the backward sweep."""
    nt = x.shape[1]
    for r in range(nt):
        z0, z1, z2, z3 = 0.0, 0.0, 0.0, 0.0
        for c in range(nt):
            z0, z1, z2, z3 = _add(D_inv[i, r, c], y[k, c], z0, z1, z2, z3)
            if linked:
                z0, z1, z2, z3 = _add(upper[i, r, c], x[k + 1, c], z0, z1, z2, z3)
        o = x[k, r]
        o[0], o[1], o[2], o[3] = z0, z1, z2, z3


@njit(cache=True, fastmath=FMA)
def solve(D_inv, lower, upper, y, x):
    """x = A⁻¹ y from the tiles of the factorisation; x, y (ns, nt, 4), y is overwritten.

    lower[i] holds −L of station i + 1, upper[i] its transpose U.
    """
    ns = x.shape[0]
    for i in range(1, ns):
        _eliminate(lower, i, y, i)
    for i in range(ns - 1, -1, -1):
        _substitute(D_inv, upper, i, y, i, i < ns - 1, x)


@njit(cache=True)
def _largest(x):
    """max |x| over one station (nt, 4)."""
    m = 0.0
    for r in range(x.shape[0]):
        for c in range(4):
            m = max(m, abs(x[r, c]))
    return m


@njit(cache=True, fastmath=FMA)
def column(D_inv, lower, upper, station, load, tiny, y, x):
    """A⁻¹ of a load at stations ``station`` and ``station + 1``, where it is not negligible.

    load (2, nt, 4). With short steps the solution falls off within a few elements; the sweeps stop
    where it is below ``tiny`` times its largest value, so that with tiny ≈ 1e-18 nothing is lost
    that a full solve would have kept. Row k of x (width, nt, 4) is station base + k; y is work space
    of the same shape. Returns (base, first, last): x holds the stations first ≤ i < last.
    """
    ns, half = D_inv.shape[0], x.shape[0] // 2
    base, high = max(0, station + 1 - half), min(ns, station + 1 + half)
    y[station - base] = load[0]
    last, top = station + 1, _largest(load[0])
    for i in range(station + 1, high):  # forward, away from the load
        y[i - base] = 0.0
        if i == station + 1:
            y[i - base] = load[1]
        _eliminate(lower, i, y, i - base)
        size = _largest(y[i - base])
        top = max(top, size)
        last = i + 1
        if i > station + 1 and size <= tiny * top:
            break
    first, peak = base, 0.0
    for i in range(last - 1, base - 1, -1):  # backward, through the load to its other side
        if i < station:
            y[i - base] = 0.0
        _substitute(D_inv, upper, i, y, i - base, i < last - 1, x)
        size = _largest(x[i - base])
        peak = max(peak, size)
        first = i
        if i < station and size <= tiny * peak:
            break
    return base, first, last


@njit(cache=True, fastmath=FMA)
def dot(x, y, first, last):
    """Σ x y over the stations first ≤ i < last; the sum runs in a fixed order."""
    s = 0.0
    for i in range(first, last):
        for r in range(x.shape[1]):
            for c in range(4):
                s += x[i, r, c] * y[i, r, c]
    return s
