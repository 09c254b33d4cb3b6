"""Substitution with a sparse triangle, six columns at a time.

Neighbouring columns of a unit lower triangle that have the same rows below them, a supernode, are laid out as lines of
WIDE numbers: five lines for the triangle among the columns themselves, then one for each row that they share. An
unknown is then read once for all of them, and their numbers lie side by side. Narrow supernodes are filled with zeros;
wide ones are cut. The columns of Lᵀ are rows of L, so an upper triangle is a lower one read backwards.
"""

from typing import NamedTuple

import numpy as np

from panhead.kernels.compiling import allocating, part, whole

WIDE = 6  #: columns of a panel; as many as a node of a cable in space has coordinates
_INSIDE = WIDE - 1  # lines of the triangle among the columns of a panel


class Panels(NamedTuple):
    """A unit lower triangle."""

    column: np.ndarray  # (panels,) the first of each
    line: np.ndarray  # (panels + 1,) its first line
    row: np.ndarray  # (lines,) row of each line
    place: np.ndarray  # (numbers of the triangle,) where each stands among the lines
    V: np.ndarray  # (lines, WIDE)


@allocating
def _cut(starts, rows):
    """First columns of panels, and n: each column of a panel holds its later ones, then the rows of the last."""
    n = starts.shape[0] - 1
    first = np.zeros(n + 1, dtype=np.int64)
    count = min(1, n)
    for j in range(1, n):
        before, here = starts[j - 1], starts[j]
        more = starts[j + 1] - here
        same = j - first[count - 1] < WIDE and here - before == more + 1 and rows[before] == j
        for s in range(more if same else 0):
            same = same and rows[before + 1 + s] == rows[here + s]
        if not same:
            first[count] = j
            count += 1
    first[count] = n
    return first[: count + 1].copy()


@whole
def _lay_out(starts, rows, column, line, row, place):
    for p in range(line.shape[0] - 1):
        j, end = column[p], column[p + 1]
        shared = starts[end - 1]
        for s in range(starts[end] - shared):
            row[line[p] + _INSIDE + s] = rows[shared + s]
        for k in range(j, end):
            for s in range(starts[k], starts[k + 1]):
                below = s - starts[k] + k - j  # the triangle's lines begin with the second row
                if below >= end - 1 - j:
                    below += WIDE - (end - j)
                place[s] = (line[p] + below) * WIDE + k - j


def panels_of(starts: np.ndarray, rows: np.ndarray) -> Panels:
    """Room for a triangle whose column j holds rows[starts[j] : starts[j + 1]], from top to bottom."""
    column = _cut(starts, rows)
    last = column[1:] - 1
    shared = starts[last + 1] - starts[last]
    line = np.concatenate([[0], np.cumsum(shared + _INSIDE)]).astype(np.int64)
    row, place = np.zeros(line[-1], np.int64), np.zeros(len(rows), np.int64)
    _lay_out(starts, rows, column, line, row, place)
    return Panels(column[:-1].copy(), line, row, place, np.zeros((int(line[-1]), WIDE)))


@part(fastmath={"contract"})
def substitute(panels, x):
    """x = L⁻¹ x; x (n + WIDE − 1,) or longer."""
    V = panels.V
    for p in range(panels.column.shape[0]):
        j, at = panels.column[p], panels.line[p]
        x0 = x[j]
        x1 = x[j + 1] - V[at, 0] * x0
        x2 = x[j + 2] - V[at + 1, 0] * x0 - V[at + 1, 1] * x1
        x3 = x[j + 3] - V[at + 2, 0] * x0 - V[at + 2, 1] * x1 - V[at + 2, 2] * x2
        x4 = x[j + 4] - V[at + 3, 0] * x0 - V[at + 3, 1] * x1 - V[at + 3, 2] * x2 - V[at + 3, 3] * x3
        x5 = (
            x[j + 5] - V[at + 4, 0] * x0 - V[at + 4, 1] * x1 - V[at + 4, 2] * x2 - V[at + 4, 3] * x3 - V[at + 4, 4] * x4
        )
        x[j + 1], x[j + 2], x[j + 3], x[j + 4], x[j + 5] = x1, x2, x3, x4, x5
        for s in range(at + _INSIDE, panels.line[p + 1]):
            y = V[s, 0] * x0 + V[s, 1] * x1 + V[s, 2] * x2
            z = V[s, 3] * x3 + V[s, 4] * x4 + V[s, 5] * x5
            x[panels.row[s]] -= y + z


@part(fastmath={"contract"})
def substitute_transposed(panels, x):
    """x = L⁻ᵀ x; x (n + WIDE − 1,) or longer."""
    V = panels.V
    for p in range(panels.column.shape[0] - 1, -1, -1):
        j, at = panels.column[p], panels.line[p]
        x0, x1, x2, x3, x4, x5 = x[j], x[j + 1], x[j + 2], x[j + 3], x[j + 4], x[j + 5]
        for s in range(at + _INSIDE, panels.line[p + 1]):
            y = x[panels.row[s]]
            x0 -= V[s, 0] * y
            x1 -= V[s, 1] * y
            x2 -= V[s, 2] * y
            x3 -= V[s, 3] * y
            x4 -= V[s, 4] * y
            x5 -= V[s, 5] * y
        x4 -= V[at + 4, 4] * x5
        x3 -= V[at + 4, 3] * x5 + V[at + 3, 3] * x4
        x2 -= V[at + 4, 2] * x5 + V[at + 3, 2] * x4 + V[at + 2, 2] * x3
        x1 -= V[at + 4, 1] * x5 + V[at + 3, 1] * x4 + V[at + 2, 1] * x3 + V[at + 1, 1] * x2
        x0 -= V[at + 4, 0] * x5 + V[at + 3, 0] * x4 + V[at + 2, 0] * x3 + V[at + 1, 0] * x2 + V[at, 0] * x1
        x[j], x[j + 1], x[j + 2], x[j + 3], x[j + 4], x[j + 5] = x0, x1, x2, x3, x4, x5
