"""A sparse core of fixed pattern with a small dense border.

    ⎡A  B⎤ ⎡x⎤   ⎡r⎤      x₀ = A⁻¹ r,   S = D − C A⁻¹ B,   z = S⁻¹ (s − C x₀),   x = x₀ − A⁻¹ B z
    ⎣C  D⎦ ⎣z⎦ = ⎣s⎦

What slides changes its place in the matrix; its unknowns form the border, so that the core's pattern stays.
Only few core unknowns, T, meet the border: with E the unit columns of T, B = E B_T, C = C_T Eᵀ and Y = A⁻¹ E.
Columns of Y are kept as long as A's factor is and computed when a slider first meets their unknown, so that a
slider that moves within an element costs nothing but small dense products. Flat storage of the numbers: A
(compressed columns), B by columns, C by rows, D by rows, and one place for numbers that nobody reads.
"""

from typing import NamedTuple

import numpy as np

from panhead.engine.jit.compiler import part, whole
from panhead.engine.kernels import sparse_lu
from panhead.engine.kernels.dense import lu_factor, lu_substitute
from panhead.engine.kernels.element_families import ELEMENTS, IDX, LOCAL, NG, NS, SLOT, K, M, N
from panhead.engine.kernels.sliders import ELEMENT, FAMILY


class Bordered(NamedTuple):
    """Positions of the unknowns, and the factors."""

    place: np.ndarray  # (unknowns,) place in the core, or −1 − place in the border
    core: np.ndarray  # (n,) unknowns of the core
    border: np.ndarray  # (nb,) unknowns of the border
    pattern: sparse_lu.Pattern  # of A
    factors: sparse_lu.Factors
    values: np.ndarray  # flat storage
    column_of: np.ndarray  # (n,) new place of an old column
    touched: np.ndarray  # places of the border's numbers that may differ from zero, behind their count
    met: np.ndarray  # (1 + most,) T: places in the core that meet the border, behind their count
    row: np.ndarray  # (most,) row of Y that belongs to each of T
    known: np.ndarray  # (most,) place in the core each row of Y stands for, −1: none
    Y: np.ndarray  # (most, n) columns of A⁻¹, in the order of elimination
    Y_TT: np.ndarray  # (most, most) work
    w: np.ndarray  # (most,) work
    S: np.ndarray  # (nb, nb) factors of S
    order: np.ndarray  # (nb, 1) of its rows
    z: np.ndarray  # (nb,)


@whole
def slot_of(place, Ap, Ai, nb, row, column):
    """Index of the entry (row, column) in the flat storage."""
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


@whole
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


@whole
def find_all_slots(tables, place, Ap, Ai, nb, slots):
    """find_slots for every element."""
    for f in range(tables.sizes.shape[0]):
        for e in range(tables.sizes[f, ELEMENTS]):
            find_slots(tables, place, Ap, Ai, nb, f, e, slots)


@part()
def find_moved_slots(tables, slides, place, Ap, Ai, nb, slots):
    """find_slots for every slider."""
    for k in range(slides.rows.shape[0]):
        find_slots(tables, place, Ap, Ai, nb, slides.rows[k, FAMILY], slides.rows[k, ELEMENT], slots)


@part()
def factorise(b, small):
    """Factorise what stands in ``values``; −1, or a number ≥ 0 if the order of pivots no longer serves."""
    status = sparse_lu.factorise(b.pattern, b.values, small, b.factors)
    for i in range(b.known.shape[0]):
        b.known[i] = -1
    return factorise_border(b) if status < 0 else status


@part()
def factorise_border(b):
    """The factors of S with the core's factors as they are; −1, or a column without a pivot."""
    n, nb, nnz = b.core.shape[0], b.border.shape[0], b.pattern.Ai.shape[0]
    values, count, G = b.values, b.met[0], b.w
    _assign_solution_rows(b)
    for k in range(count):
        for l in range(count):
            b.Y_TT[l, k] = b.Y[b.row[k], b.column_of[b.met[1 + l]]]
    for i in range(nb):
        for k in range(count):
            G[k] = 0.0
        for l in range(count):
            C = values[nnz + nb * n + i * n + b.met[1 + l]]
            if C != 0.0:
                for k in range(count):
                    G[k] += C * b.Y_TT[l, k]
        for j in range(nb):
            total = values[nnz + 2 * nb * n + i * nb + j]
            for k in range(count):
                total -= G[k] * values[nnz + j * n + b.met[1 + k]]
            b.S[i, j] = total
    for i in range(nb):
        b.order[i, 0] = i
    return -1 if lu_factor(b.S, nb, b.order) > 0.0 else 0


@part()
def _assign_solution_rows(b):
    """Assign a row of Y to each entry of T: the one it has, or a free one, filled anew."""
    count, rows = b.met[0], b.known.shape[0]
    for k in range(count):
        b.row[k] = -1
        for i in range(rows):
            if b.known[i] == b.met[1 + k]:
                b.row[k] = i
    for i in range(rows):
        used = False
        for k in range(count):
            used = used or b.row[k] == i
        if not used:
            b.known[i] = -1
    for k in range(count):
        if b.row[k] < 0:
            i = 0
            while b.known[i] >= 0:
                i += 1
            b.row[k] = i
            b.known[i] = b.met[1 + k]
            _unit_solution(b, b.met[1 + k], b.Y[i])


@part()
def _unit_solution(b, place, out):
    """out = A⁻¹ e_place, in the order of elimination."""
    x = b.factors.x
    for i in range(x.shape[0]):
        x[i] = 0.0
    x[b.pattern.row_of[place]] = 1.0
    sparse_lu.substitute(b.factors)
    for i in range(out.shape[0]):
        out[i] = x[i]


@whole
def find_border(tables, touching, slots, n, nb, nnz, nowhere, border_slots, touched, met):
    """border_slots = slots with the core's places replaced by ``nowhere``; the others are listed in ``touched``,
    and the core's rows and columns among them in ``met``.
    """
    count = 0
    for k in range(touching.shape[0]):
        f = touching[k]
        first = tables.sizes[f, SLOT]
        for i in range(first, first + tables.sizes[f, ELEMENTS] * (tables.sizes[f, NS] + 2 * tables.sizes[f, NG])):
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
    met[0] = 0
    for s in range(1, count + 1):
        place = (touched[s] - nnz) % n if touched[s] < nnz + 2 * nb * n else -1
        for k in range(met[0]):
            if met[1 + k] == place:
                place = -1
        if place >= 0:
            met[0] += 1
            met[met[0]] = place


@part()
def clear_border(b):
    """Zeros in B, C, D and in the place that nobody reads."""
    for k in range(1, b.touched[0] + 1):
        b.values[b.touched[k]] = 0.0
    b.values[b.values.shape[0] - 1] = 0.0


@part()
def solve(b, r, out):
    """out = matrix⁻¹ r; both over all unknowns, which may be the same array."""
    n, nb, x, z = b.core.shape[0], b.border.shape[0], b.factors.x, b.z
    for i in range(n):
        x[b.pattern.row_of[i]] = r[b.core[i]]
    sparse_lu.substitute(b.factors)
    if nb > 0:
        _solve_border(b, r, x, z)
    for j in range(n):
        out[b.core[b.pattern.column[j]]] = x[j]
    for i in range(nb):
        out[b.border[i]] = z[i]


@part()
def _solve_border(b, r, x, z):
    """z = S⁻¹ (s − C x), x −= Y B_T z."""
    n, nb, nnz, count = b.core.shape[0], z.shape[0], b.pattern.Ai.shape[0], b.met[0]
    for i in range(nb):
        row = b.order[i, 0]
        z[i] = r[b.border[row]]
        for k in range(count):
            place = b.met[1 + k]
            z[i] -= b.values[nnz + nb * n + row * n + place] * x[b.column_of[place]]
    lu_substitute(b.S, nb, z.reshape(nb, 1))
    for k in range(count):
        w = 0.0
        for j in range(nb):
            w += b.values[nnz + j * n + b.met[1 + k]] * z[j]
        if w != 0.0:
            Y = b.Y[b.row[k]]
            for i in range(n):
                x[i] -= w * Y[i]
