"""A sparse core of fixed pattern with a small dense border.

    ⎡A  B⎤ ⎡x⎤   ⎡r⎤      X = A⁻¹ B,   S = D − C X,   y = A⁻¹ r,   z = S⁻¹ (s − C y),   x = y − X z
    ⎣C  D⎦ ⎣z⎦ = ⎣s⎦

What slides changes its place in the matrix; its unknowns form the border, so that the core's pattern stays.
Flat storage of the numbers: A (compressed columns), B by columns, C by rows, D by rows, and one place for
numbers that nobody reads.
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
    X: np.ndarray  # (nb, n)
    full: np.ndarray  # (nb,) whether a row of X is not zero
    S: np.ndarray  # (nb, nb) factors of S
    swaps: np.ndarray  # (nb,)
    y: np.ndarray  # (n,)
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
    """X = A⁻¹ B and the factors of S = D − C X with the core's factors as they are; columns of zeros cost nothing."""
    n, nb, nnz = b.core.shape[0], b.border.shape[0], b.pattern.Ai.shape[0]
    for j in range(nb):
        empty = True
        for i in range(n):
            b.y[i] = b.values[nnz + j * n + i]
            empty = empty and b.y[i] == 0.0
        if empty:
            for i in range(n):
                b.X[j, i] = 0.0
        else:
            sparse_lu.solve(b.pattern, b.factors, b.y, b.X[j])
        b.full[j] = not empty
    C, D = nnz + nb * n, nnz + 2 * nb * n
    for i in range(nb):
        for j in range(nb):
            b.S[i, j] = b.values[D + i * nb + j]
        for k in range(n):
            c = b.values[C + i * n + k]
            if c != 0.0:
                for j in range(nb):
                    b.S[i, j] -= c * b.X[j, k]
    return _factorise_dense(b.S, b.swaps)


@njit(cache=True)
def only_border(slots, nnz, nowhere, out):
    """out = slots, with the core's places replaced by the one that nobody reads."""
    for i in range(slots.shape[0]):
        out[i] = nowhere if slots[i] < nnz else slots[i]


@inner
def clear_border(b):
    """Zeros in B, C, D and in the place that nobody reads."""
    for i in range(b.pattern.Ai.shape[0], b.values.shape[0]):
        b.values[i] = 0.0


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
    n, nb = b.core.shape[0], b.border.shape[0]
    y, z = b.y, b.z
    for i in range(n):
        y[i] = r[b.core[i]]
    sparse_lu.solve(b.pattern, b.factors, y, y)
    C = b.pattern.Ai.shape[0] + nb * n
    for i in range(nb):
        total = r[b.border[i]]
        for k in range(n):
            c = b.values[C + i * n + k]
            if c != 0.0:
                total -= c * y[k]
        z[i] = total
    _solve_dense(b.S, b.swaps, z)
    for j in range(nb):
        if b.full[j]:
            for i in range(n):
                y[i] -= b.X[j, i] * z[j]
    for i in range(n):
        out[b.core[i]] = y[i]
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
