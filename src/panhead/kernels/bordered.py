"""A sparse core of fixed pattern with a small dense border.

    ⎡A  B⎤ ⎡x⎤   ⎡r⎤      A = L U,   V = L⁻¹ B,   W = C U⁻¹,   S = D − W V
    ⎣C  D⎦ ⎣z⎦ = ⎣s⎦      y = L⁻¹ r,   z = S⁻¹ (s − W y),   x = U⁻¹ (y − V z)

What slides changes its place in the matrix; its unknowns form the border, so that the core's pattern stays.
A slider touches few unknowns, so V and W are sparse and cost little; every solution costs one pass through L
and one through U. Flat storage of the numbers: A (compressed columns), B by columns, C by rows, D by rows, and
one place for numbers that nobody reads.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from panhead.kernels import sparse_lu
from panhead.kernels.compiling import inner
from panhead.kernels.families import ELEMENTS, IDX, LOCAL, NG, NS, SLOT, K, M, N
from panhead.kernels.slides import ELEMENT, FAMILY


class Bordered(NamedTuple):
    """Where unknowns went, and the factors."""

    place: np.ndarray  # (unknowns,) place in the core, or −1 − place in the border
    core: np.ndarray  # (n,) unknowns of the core
    border: np.ndarray  # (nb,) unknowns of the border
    pattern: sparse_lu.Pattern  # of A
    factors: sparse_lu.Factors
    values: np.ndarray  # flat storage
    column_of: np.ndarray  # (n,) new place of an old column
    touched: (
        np.ndarray
    )  # places of the border's numbers that may differ from zero, behind their count
    at: np.ndarray  # (2, nb, n + 1) where V and W are not zero, behind their counts
    full: np.ndarray  # (2, nb, n) their numbers there
    S: np.ndarray  # (nb, nb) factors of S
    swaps: np.ndarray  # (nb,)
    z: np.ndarray  # (nb,)


@njit(cache=True)
def slot_of(place, Ap, Ai, nb, row, column):
    """Where the number of (row, column) stands in the flat storage."""
    i, j = place[row], place[column]
    n = Ap.shape[0] - 1
    nnz = Ap[n]
    if i >= 0 and j >= 0:
        low, high = Ap[j], Ap[j + 1]
        while low < high:
            middle = (low + high) // 2
            if Ai[middle] < i:
                low = middle + 1
            else:
                high = middle
        return low
    if i >= 0:
        return nnz + (-1 - j) * n + i
    if j >= 0:
        return nnz + nb * n + (-1 - i) * n + j
    return nnz + 2 * nb * n + (-1 - i) * nb + (-1 - j)


@njit(cache=True)
def find_slots(tables, place, Ap, Ai, nb, f, e, slots):
    """The places of all numbers that element e of family f scatters."""
    n, m, k = tables.sizes[f, N], tables.sizes[f, M], tables.sizes[f, K]
    ns, ng, local = tables.sizes[f, NS], tables.sizes[f, NG], tables.sizes[f, LOCAL]
    at = tables.sizes[f, IDX] + e * (n + m + k)
    s = tables.sizes[f, SLOT] + e * (ns + 2 * ng)
    for i in range(ns + ng):
        row, column = tables.local[0, local + i], tables.idx[at + tables.local[1, local + i]]
        row = tables.idx[at + row] if i < ns else tables.idx[at + n + row]
        slots[s + i] = slot_of(place, Ap, Ai, nb, row, column)
        if i >= ns:
            slots[s + ng + i] = slot_of(place, Ap, Ai, nb, column, row)


@njit(cache=True)
def find_all_slots(tables, place, Ap, Ai, nb, slots):
    """find_slots for every element."""
    for f in range(tables.sizes.shape[0]):
        for e in range(tables.sizes[f, ELEMENTS]):
            find_slots(tables, place, Ap, Ai, nb, f, e, slots)


@inner
def find_moved_slots(tables, slides, place, Ap, Ai, nb, slots):
    """find_slots for every slider."""
    for k in range(slides.rows.shape[0]):
        find_slots(
            tables, place, Ap, Ai, nb, slides.rows[k, FAMILY], slides.rows[k, ELEMENT], slots
        )


@inner
def factorise(b, small):
    """Factorise what stands in ``values``; −1, or a number ≥ 0 if the order of pivots no longer serves."""
    status = sparse_lu.factorise(b.pattern, b.values, small, b.factors)
    return factorise_border(b) if status < 0 else status


@inner
def factorise_border(b):
    """V, W and the factors of S with the core's factors as they are."""
    n, nb, nnz = b.core.shape[0], b.border.shape[0], b.pattern.Ai.shape[0]
    x, values = b.factors.x, b.values
    for i in range(nb * nb):
        b.S[i // nb, i % nb] = values[nnz + 2 * nb * n + i]
    for i in range(n):
        x[i] = 0.0
    for side in range(2):
        begin = nnz + side * nb * n
        for j in range(nb):
            first = n
            for k in range(1, b.touched[0] + 1):
                i = b.touched[k] - begin - j * n
                if 0 <= i < n and values[b.touched[k]] != 0.0:
                    here = b.pattern.row_of[i] if side == 0 else b.column_of[i]
                    x[here] = values[b.touched[k]]
                    first = min(first, here)
            _reduce(b, side, j, first)
    for j in range(nb):
        for k in range(1, b.at[0, j, 0] + 1):
            x[b.at[0, j, k]] = b.full[0, j, k - 1]
        for i in range(nb):
            for k in range(1, b.at[1, i, 0] + 1):
                b.S[i, j] -= b.full[1, i, k - 1] * x[b.at[1, i, k]]
        for k in range(1, b.at[0, j, 0] + 1):
            x[b.at[0, j, k]] = 0.0
    return _factorise_dense(b.S, b.swaps)


@inner
def _reduce(b, side, j, first):
    """L⁻¹ x (side 0) or x U⁻¹ (side 1) for a sparse x that begins at ``first``; the result is listed, x cleared."""
    x, pattern, count = b.factors.x, b.pattern, 0
    for k in range(first, x.shape[0]):
        x_k = x[k]
        if x_k == 0.0:
            continue
        x[k] = 0.0
        if side == 0:
            for s in range(pattern.Lp[k], pattern.Lp[k + 1]):
                x[pattern.Li[s]] -= b.factors.L[s] * x_k
        else:
            x_k /= b.factors.pivot[k]
            for s in range(pattern.Rp[k], pattern.Rp[k + 1]):
                x[pattern.Rj[s]] -= b.factors.U[pattern.Rs[s]] * x_k
        b.full[side, j, count] = x_k
        count += 1
        b.at[side, j, count] = k
    b.at[side, j, 0] = count


@njit(cache=True)
def find_border(tables, touching, slots, nnz, nowhere, border_slots, touched):
    """border_slots = slots with the core's places replaced by ``nowhere``; the others are listed in ``touched``."""
    count = 0
    for k in range(touching.shape[0]):
        f = touching[k]
        first = tables.sizes[f, SLOT]
        for i in range(
            first,
            first + tables.sizes[f, ELEMENTS] * (tables.sizes[f, NS] + 2 * tables.sizes[f, NG]),
        ):
            border_slots[i] = nowhere
            if slots[i] >= nnz:
                border_slots[i] = slots[i]
                new = True
                for s in range(1, count + 1):
                    new = new and touched[s] != slots[i]
                if new:
                    count += 1
                    touched[count] = slots[i]
    touched[0] = count


@inner
def clear_border(b):
    """Zeros in B, C, D and in the place that nobody reads."""
    for k in range(1, b.touched[0] + 1):
        b.values[b.touched[k]] = 0.0
    b.values[b.values.shape[0] - 1] = 0.0


@inner
def _factorise_dense(S, swaps):
    """LU with row exchanges in place; −1, or the column without a pivot."""
    n = S.shape[0]
    for j in range(n):
        best = j
        for i in range(j + 1, n):
            if abs(S[i, j]) > abs(S[best, j]):
                best = i
        swaps[j] = best
        if not abs(S[best, j]) > 0.0:
            return j
        if best != j:
            for k in range(n):
                S[j, k], S[best, k] = S[best, k], S[j, k]
        for i in range(j + 1, n):
            S[i, j] /= S[j, j]
            for k in range(j + 1, n):
                S[i, k] -= S[i, j] * S[j, k]
    return -1


@inner
def solve(b, r, out):
    """out = matrix⁻¹ r; both over all unknowns, which may be the same array."""
    n, nb, x, z = b.core.shape[0], b.border.shape[0], b.factors.x, b.z
    for i in range(n):
        x[b.pattern.row_of[i]] = r[b.core[i]]
    sparse_lu.forward(b.pattern, b.factors)
    for i in range(nb):
        z[i] = r[b.border[i]]
        for k in range(1, b.at[1, i, 0] + 1):
            z[i] -= b.full[1, i, k - 1] * x[b.at[1, i, k]]
    _solve_dense(b.S, b.swaps, z)
    for j in range(nb):
        for k in range(1, b.at[0, j, 0] + 1):
            x[b.at[0, j, k]] -= b.full[0, j, k - 1] * z[j]
    sparse_lu.backward(b.pattern, b.factors)
    for j in range(n):
        out[b.core[b.pattern.column[j]]] = x[j]
    for i in range(nb):
        out[b.border[i]] = z[i]


@inner
def _solve_dense(S, swaps, z):
    n = S.shape[0]
    for j in range(n):
        z[j], z[swaps[j]] = z[swaps[j]], z[j]
    for j in range(n):
        for i in range(j + 1, n):
            z[i] -= S[i, j] * z[j]
    for j in range(n - 1, -1, -1):
        z[j] /= S[j, j]
        for i in range(j):
            z[i] -= S[i, j] * z[j]
