"""Substitution with a sparse triangle, six rows at a time.

Neighbouring rows of a triangle that hold numbers in about the same columns make a panel. What lies outside its own
six columns is laid out as lines: a column, and a number of it for each row, zero where the row has none. An unknown is
then read once for all six, and their numbers lie side by side. Narrow panels are filled up with rows that nobody reads.

Each unknown loses its products in the order of substitution, one after the other and nothing fused, as if columns
were taken one by one: the same bits. (What multiplies a zero that fills a line is subtracted as zero.)
"""

from typing import NamedTuple

import numpy as np

from panhead.engine.jit.compiler import allocating, part, whole

ROWS = 6  #: of a panel; as many as a node of a cable in space has coordinates
_INSIDE = ROWS * (ROWS - 1) // 2
_FILL = 0.25  # how much longer than its first row's a panel may become


class Panels(NamedTuple):
    """A triangle whose rows are found from the first to the last panel."""

    row: np.ndarray  # (panels, ROWS) in the order of substitution; n, where nobody reads, fills up
    line: np.ndarray  # (panels + 1,) its first line
    column: np.ndarray  # (lines,) in the order of substitution
    place: np.ndarray  # (numbers of the triangle,) where each stands among the numbers of lines, or behind them
    V: np.ndarray  # numbers of lines, ROWS each; then of the triangles among the panels' own columns, _INSIDE each
    pivot: np.ndarray  # (panels, ROWS) diagonal; 1 fills up


@allocating
def _cut(starts, columns):
    """First rows of panels, and n; how many lines each has: a row's columns before the panel's first row."""
    n = starts.shape[0] - 1
    first, lines = np.zeros(n + 1, dtype=np.int64), np.zeros(n, dtype=np.int64)
    seen = np.full(n, -1, dtype=np.int64)
    panels = 0
    for i in range(n):
        more = 0
        joined = panels > 0 and i - first[panels - 1] < ROWS
        if joined:
            for s in range(starts[i], starts[i + 1]):
                more += columns[s] < first[panels - 1] and seen[columns[s]] != panels - 1
            joined = more == 0 or lines[panels - 1] + more <= (1.0 + _FILL) * lines[panels - 1]
        if not joined:
            first[panels] = i
            more = starts[i + 1] - starts[i]
            panels += 1
        lines[panels - 1] += more
        for s in range(starts[i], starts[i + 1]):
            seen[columns[s]] = panels - 1
    first[panels] = n
    return first[: panels + 1].copy(), lines[:panels].copy()


@whole
def _lay_out(starts, columns, first, line, lines_of, at, place):
    """Columns of lines, in order, and the places of all numbers; at (n,): work."""
    for p in range(line.shape[0] - 1):
        begin, end = first[p], first[p + 1]
        count = line[p]
        for i in range(begin, end):
            for s in range(starts[i], starts[i + 1]):
                if columns[s] < begin and at[columns[s]] < line[p]:
                    at[columns[s]] = line[p]
                    k = count  # rows begin in order; few columns are inserted among others
                    while k > line[p] and lines_of[k - 1] > columns[s]:
                        lines_of[k] = lines_of[k - 1]
                        k -= 1
                    lines_of[k] = columns[s]
                    count += 1
        for s in range(line[p], count):
            at[lines_of[s]] = s
        inside = line[line.shape[0] - 1] * ROWS + p * _INSIDE
        for i in range(begin, end):
            for s in range(starts[i], starts[i + 1]):
                j, k = columns[s], i - begin
                place[s] = at[j] * ROWS + k if j < begin else inside + k * (k - 1) // 2 + j - begin


def panels_of(starts: np.ndarray, columns: np.ndarray) -> Panels:
    """Room for a lower triangle whose row i holds columns[starts[i] : starts[i + 1]] left of the diagonal."""
    n = len(starts) - 1
    first, lines = _cut(starts, columns)
    line = np.concatenate([[0], np.cumsum(lines)]).astype(np.int64)
    column, place = np.zeros(line[-1], np.int64), np.zeros(len(columns), np.int64)
    _lay_out(starts, columns, first, line, column, np.full(n, -1, np.int64), place)
    row = first[:-1, None] + np.arange(ROWS)
    row[row >= first[1:, None]] = n
    return Panels(row, line, column, place, np.zeros(line[-1] * ROWS + len(row) * _INSIDE), np.ones(row.shape))


def reversed_panels(starts: np.ndarray, columns: np.ndarray) -> Panels:
    """Room for an upper triangle whose row i holds columns[starts[i] : starts[i + 1]] right of the diagonal.

    Its rows from the last to the first, and the columns likewise, are a lower triangle.
    """
    n = len(starts) - 1
    found = panels_of(len(columns) - starts[::-1], n - 1 - columns[::-1])
    row, column = n - 1 - found.row, n - 1 - found.column
    row[found.row == n] = n
    return found._replace(row=row, column=column, place=found.place[::-1].copy())


@part()
def _less_lines(panels, p, x):
    """The unknowns of panel p less what earlier ones take from them."""
    V, row = panels.V, panels.row
    x0, x1, x2 = x[row[p, 0]], x[row[p, 1]], x[row[p, 2]]
    x3, x4, x5 = x[row[p, 3]], x[row[p, 4]], x[row[p, 5]]
    for s in range(panels.line[p], panels.line[p + 1]):
        y, at = x[np.uint64(panels.column[s])], np.uint64(s * ROWS)
        x0 -= V[at] * y
        x1 -= V[at + np.uint64(1)] * y
        x2 -= V[at + np.uint64(2)] * y
        x3 -= V[at + np.uint64(3)] * y
        x4 -= V[at + np.uint64(4)] * y
        x5 -= V[at + np.uint64(5)] * y
    return x0, x1, x2, x3, x4, x5


@part()
def _put(panels, p, x, x0, x1, x2, x3, x4, x5):
    row = panels.row
    x[row[p, 0]], x[row[p, 1]], x[row[p, 2]] = x0, x1, x2
    x[row[p, 3]], x[row[p, 4]], x[row[p, 5]] = x3, x4, x5


@whole
def substitute_unit(panels, x):
    """x = T⁻¹ x with ones on T's diagonal; x (n + 1,), of which the last place is work."""
    V, lines = panels.V, panels.column.shape[0]
    for p in range(panels.row.shape[0]):
        x0, x1, x2, x3, x4, x5 = _less_lines(panels, p, x)
        at = lines * ROWS + p * _INSIDE
        x1 -= V[at] * x0
        x2 = x2 - V[at + 1] * x0 - V[at + 2] * x1
        x3 = x3 - V[at + 3] * x0 - V[at + 4] * x1 - V[at + 5] * x2
        x4 = x4 - V[at + 6] * x0 - V[at + 7] * x1 - V[at + 8] * x2 - V[at + 9] * x3
        x5 = x5 - V[at + 10] * x0 - V[at + 11] * x1 - V[at + 12] * x2 - V[at + 13] * x3 - V[at + 14] * x4
        _put(panels, p, x, x0, x1, x2, x3, x4, x5)


@whole
def substitute(panels, x):
    """x = T⁻¹ x; x (n + 1,), of which the last place is work."""
    V, lines, D = panels.V, panels.column.shape[0], panels.pivot
    for p in range(panels.row.shape[0]):
        x0, x1, x2, x3, x4, x5 = _less_lines(panels, p, x)
        at = lines * ROWS + p * _INSIDE
        x0 /= D[p, 0]
        x1 = (x1 - V[at] * x0) / D[p, 1]
        x2 = (x2 - V[at + 1] * x0 - V[at + 2] * x1) / D[p, 2]
        x3 = (x3 - V[at + 3] * x0 - V[at + 4] * x1 - V[at + 5] * x2) / D[p, 3]
        x4 = (x4 - V[at + 6] * x0 - V[at + 7] * x1 - V[at + 8] * x2 - V[at + 9] * x3) / D[p, 4]
        x5 = (x5 - V[at + 10] * x0 - V[at + 11] * x1 - V[at + 12] * x2 - V[at + 13] * x3 - V[at + 14] * x4) / D[p, 5]
        _put(panels, p, x, x0, x1, x2, x3, x4, x5)
