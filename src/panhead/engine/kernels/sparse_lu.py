"""Sparse LU with a fixed pivot order: symbolic analysis once, numerical factorisation many times.

P_r A P_c = L U, L with unit diagonal. Columns are eliminated from left to right [Gilbert88]; the order of
rows and columns comes from outside (a factorisation with pivoting of a matrix like this one). A pivot that
has become small against its column is reported, so that the caller can choose a new order.
"""

from typing import NamedTuple

import numpy as np

from panhead.engine.jit.compiler import allocating, whole
from panhead.engine.kernels import row_panels
from panhead.engine.kernels.row_panels import Panels, panels_of, reversed_panels


class Pattern(NamedTuple):
    """Sparsity pattern of A, L and U, in the order of elimination."""

    row_of: np.ndarray  # (n,) new place of an old row
    column: np.ndarray  # (n,) old column of a new place
    Ap: np.ndarray  # (n + 1,) columns of A, compressed
    Ai: np.ndarray  # old rows of A
    Lp: np.ndarray  # (n + 1,) columns of L below the diagonal
    Li: np.ndarray
    Up: np.ndarray  # (n + 1,) columns of U above the diagonal, rows in the order of elimination
    Ui: np.ndarray


class Factors(NamedTuple):
    """The numbers that belong to a Pattern."""

    L: np.ndarray
    U: np.ndarray
    pivot: np.ndarray  # (n,) diagonal of U
    lower: Panels  # L and
    upper: Panels  # U once more, as substitution reads them
    x: np.ndarray  # (n + 1,) work


@allocating
def _grown(array):
    larger = np.empty(2 * array.shape[0] + 16, dtype=np.int64)
    for i in range(array.shape[0]):
        larger[i] = array[i]
    return larger


@allocating
def symbolic(n, Ap, Ai, row_of, column):
    """Columns of L and U: in column j stand the rows that its entries of A reach through L."""
    Lp, Up = np.zeros(n + 1, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    Li, Ui = np.empty(4 * Ai.shape[0], dtype=np.int64), np.empty(4 * Ai.shape[0], dtype=np.int64)
    mark = np.full(n, -1, dtype=np.int64)
    stack, at = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    order = np.empty(n, dtype=np.int64)
    nl = nu = 0
    for j in range(n):
        first = n  # finished rows stand at the end of order, in topological order
        while nl + n > Li.shape[0]:
            Li = _grown(Li)
        while nu + n > Ui.shape[0]:
            Ui = _grown(Ui)
        for s in range(Ap[column[j]], Ap[column[j] + 1]):
            start = row_of[Ai[s]]
            if mark[start] == j:
                continue
            mark[start] = j
            depth = 0
            stack[0] = start
            at[0] = Lp[start] if start < j else 0
            while depth >= 0:
                i = stack[depth]
                deeper = False
                if i < j:
                    while at[depth] < Lp[i + 1]:
                        child = Li[at[depth]]
                        at[depth] += 1
                        if mark[child] != j:
                            mark[child] = j
                            depth += 1
                            stack[depth] = child
                            at[depth] = Lp[child] if child < j else 0
                            deeper = True
                            break
                if not deeper:
                    first -= 1
                    order[first] = i
                    depth -= 1
        for s in range(first, n):
            i = order[s]
            if i < j:
                Ui[nu] = i
                nu += 1
            elif i > j:
                Li[nl] = i
                nl += 1
        Lp[j + 1], Up[j + 1] = nl, nu
    return Lp, Li[:nl].copy(), Up, Ui[:nu].copy()


@whole
def factorise(pattern, values, small, factors):
    """Numbers of L and U for the values of A; returns −1, or the column whose pivot is too small."""
    x, L, U = factors.x, factors.L, factors.U
    n = pattern.column.shape[0]
    for j in range(n):
        x[j] = 0.0
    for j in range(n):
        c = pattern.column[j]
        for s in range(pattern.Ap[c], pattern.Ap[c + 1]):
            x[pattern.row_of[pattern.Ai[s]]] = values[s]
        for s in range(pattern.Up[j], pattern.Up[j + 1]):
            k = pattern.Ui[s]
            x_k = x[k]
            U[s] = x_k
            x[k] = 0.0
            if x_k != 0.0:
                for r in range(pattern.Lp[k], pattern.Lp[k + 1]):
                    x[pattern.Li[r]] -= L[r] * x_k
        pivot = x[j]
        x[j] = 0.0
        largest = abs(pivot)
        for r in range(pattern.Lp[j], pattern.Lp[j + 1]):
            largest = max(largest, abs(x[pattern.Li[r]]))
        if not abs(pivot) > small * largest:
            return j
        factors.pivot[j] = pivot
        for r in range(pattern.Lp[j], pattern.Lp[j + 1]):
            L[r] = x[pattern.Li[r]] / pivot
            x[pattern.Li[r]] = 0.0
    arrange(factors)
    return -1


@whole
def arrange(factors):
    """Copy the numbers of L and U to where substitution reads them."""
    lower, upper = factors.lower, factors.upper
    for s in range(factors.L.shape[0]):
        lower.V[lower.place[s]] = factors.L[s]
    for s in range(factors.U.shape[0]):
        upper.V[upper.place[s]] = factors.U[s]
    for p in range(upper.row.shape[0]):
        for k in range(upper.row.shape[1]):
            if upper.row[p, k] < factors.pivot.shape[0]:
                upper.pivot[p, k] = factors.pivot[upper.row[p, k]]


@allocating
def rows_of(n, Up, Ui):
    """Entries of U by rows: starts, columns, places."""
    Rp = np.zeros(n + 1, dtype=np.int64)
    for s in range(Ui.shape[0]):
        Rp[Ui[s] + 1] += 1
    for i in range(n):
        Rp[i + 1] += Rp[i]
    at = Rp.copy()
    Rj, Rs = np.empty_like(Ui), np.empty_like(Ui)
    for j in range(n):
        for s in range(Up[j], Up[j + 1]):
            Rj[at[Ui[s]]], Rs[at[Ui[s]]] = j, s
            at[Ui[s]] += 1
    return Rp, Rj, Rs


def analyse(Ap: np.ndarray, Ai: np.ndarray, row_of: np.ndarray, column: np.ndarray) -> tuple[Pattern, Factors]:
    """Symbolic analysis for this order of rows and columns, and storage for the factors."""
    n = len(column)
    Lp, Li, Up, Ui = symbolic(n, Ap, Ai, row_of, column)
    rows_of_L, rows_of_U = rows_of(n, Lp, Li), rows_of(n, Up, Ui)
    lower, upper = panels_of(*rows_of_L[:2]), reversed_panels(*rows_of_U[:2])
    lower, upper = _for_columns(lower, rows_of_L[2]), _for_columns(upper, rows_of_U[2])
    factors = Factors(np.zeros(len(Li)), np.zeros(len(Ui)), np.zeros(n), lower, upper, np.zeros(n + 1))
    return Pattern(row_of, column, Ap, Ai, Lp, Li, Up, Ui), factors


def step_cost(pattern: Pattern, factors: Factors) -> int:
    """Products of a factorisation and of the two substitutions of a step, about; a panel's empty places count."""
    in_rows_of_U = np.bincount(pattern.Ui, minlength=len(pattern.column))
    return int(in_rows_of_U @ np.diff(pattern.Lp)) + len(factors.lower.V) + len(factors.upper.V)


def _for_columns(panels: Panels, at: np.ndarray) -> Panels:
    """Panels for numbers that are stored by columns; at: positions of the rows' numbers there."""
    place = np.zeros_like(panels.place)
    place[at] = panels.place
    return panels._replace(place=place)


@whole
def substitute(factors):
    """factors.x = U⁻¹ L⁻¹ x, in the order of elimination."""
    row_panels.substitute_unit(factors.lower, factors.x)
    row_panels.substitute(factors.upper, factors.x)


@whole
def solve(pattern, factors, b, out):
    """out = A⁻¹ b; b and out (n,), which may be the same array."""
    x, n = factors.x, factors.pivot.shape[0]
    for i in range(n):
        x[pattern.row_of[i]] = b[i]
    substitute(factors)
    for j in range(n):
        out[pattern.column[j]] = x[j]
