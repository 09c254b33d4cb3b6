"""Sliders on wires: find the element under each slider, and the position on it.

Row k of ``rows`` is (family, element, first local column on the wire, columns on the wire, column of the
number track.begin, column of the hidden number or −1, place of the arc length in q or −1, first row of
``elements``, number of elements, first of ``breaks``, address of the closure, first column of the direction across
that turns with the wire or −1, number of sliders found together: of two that cross 2 and 0).
"""

from typing import NamedTuple

import numpy as np

from panhead.engine.jit.compiler import part, whole
from panhead.engine.kernels.element_families import IDX, LANES, PAR, K, M, N, P, call_at, gather

FAMILY, ELEMENT, COLUMN, WIDTH, BEGIN, HIDDEN, ARC, FIRST, COUNT, BREAK, CLOSURE, ACROSS, TOGETHER = range(13)
_MAX_ITERATIONS = 50
_TOLERANCE = 1e-13  # of the wire's length
_BEYOND = 1e-3  # of the wire's length: how far a crossing is followed beyond an end


class Slides(NamedTuple):
    """Sliders of a model."""

    rows: np.ndarray  # (sliders, 13)
    elements: np.ndarray  # (elements of all wires, columns on the wire): places in q
    breaks: np.ndarray  # lengths at which elements begin, and ends [m]
    here: np.ndarray  # (sliders,) element under each slider now
    arc: np.ndarray  # (sliders,) length along the wire now [m]


NO_SLIDES = Slides(
    np.zeros((0, 13), np.int64), np.zeros((0, 1), np.int64), np.zeros(0), np.zeros(0, np.int64), np.zeros(0)
)


@whole
def element_at(breaks, first, count, s, guess):
    """The element whose stretch holds s; the first or last one for an s beyond the wire."""
    k = guess
    while k > 0 and s < breaks[first + k]:
        k -= 1
    while k < count - 1 and s >= breaks[first + k + 1]:
        k += 1
    return k


@whole
def write_slider(tables, slides, k, element):
    """Write the element's coordinates and stretch into the slider's line of the table."""
    row = slides.rows[k]
    f, e = row[FAMILY], row[ELEMENT]
    width = tables.sizes[f, N] + tables.sizes[f, M] + tables.sizes[f, K]
    at = tables.sizes[f, IDX] + e * width + row[COLUMN]
    for i in range(row[WIDTH]):
        tables.idx[at + i] = slides.elements[row[FIRST] + element, i]
    p = tables.sizes[f, PAR] + e * tables.sizes[f, P] + row[BEGIN]
    begin = slides.breaks[row[BREAK] + element]
    tables.p[p] = begin
    tables.p[p + 1] = slides.breaks[row[BREAK] + element + 1] - begin
    slides.here[k] = element


@part()
def _close_slider(tables, work, slides, k, t, q, nothing):
    """Newton on c(t, q, s) = 0 for a hidden arc length; the element changes on the way."""
    row = slides.rows[k]
    f, e = row[FAMILY], row[ELEMENT]
    p = tables.sizes[f, PAR] + e * tables.sizes[f, P] + row[HIDDEN]
    length = slides.breaks[row[BREAK] + row[COUNT]] - slides.breaks[row[BREAK]]
    s = slides.arc[k]
    for _ in range(_MAX_ITERATIONS):
        element = element_at(slides.breaks, row[BREAK], row[COUNT], s, slides.here[k])
        if element != slides.here[k]:
            write_slider(tables, slides, k, element)
        tables.p[p] = s
        first = (e // LANES) * LANES
        gather(tables, work, f, first, t, (0.0, 0.0, 0.0), q, q, q, nothing, nothing)
        call_at(row[CLOSURE], work.x, work.y)
        step = -work.y[e - first] / work.y[LANES + e - first]
        s += step
        if not abs(step) > _TOLERANCE * length:
            break
    tables.p[p] = s
    if row[ACROSS] >= 0:
        _turn(tables, work, row)
    return s


@part()
def _close_crossing(tables, work, slides, k, t, q, nothing):
    """Newton on c(t, q, s) = 0, (2,), for the hidden arc lengths of sliders k, k + 1; they stop beyond the ends."""
    f, e = slides.rows[k, FAMILY], slides.rows[k, ELEMENT]
    p = tables.sizes[f, PAR] + e * tables.sizes[f, P]
    first = (e // LANES) * LANES
    y = work.y[e - first :: LANES]
    for _ in range(_MAX_ITERATIONS):
        for i in range(k, k + 2):
            row = slides.rows[i]
            element = element_at(slides.breaks, row[BREAK], row[COUNT], slides.arc[i], slides.here[i])
            if element != slides.here[i]:
                write_slider(tables, slides, i, element)
            tables.p[p + row[HIDDEN]] = slides.arc[i]
        gather(tables, work, f, first, t, (0.0, 0.0, 0.0), q, q, q, nothing, nothing)
        call_at(slides.rows[k, CLOSURE], work.x, work.y)
        det = y[2] * y[5] - y[3] * y[4]
        steps = (y[3] * y[1] - y[5] * y[0]) / det, (y[4] * y[0] - y[2] * y[1]) / det
        far = 0.0
        for i in range(2):
            row = slides.rows[k + i]
            begin, end = slides.breaks[row[BREAK]], slides.breaks[row[BREAK] + row[COUNT]]
            slack, before = _BEYOND * (end - begin), slides.arc[k + i]
            slides.arc[k + i] = min(end + slack, max(begin - slack, before + steps[i]))
            far = max(far, abs(slides.arc[k + i] - before) / (end - begin))
        if not far > _TOLERANCE:
            break
    for i in range(k, k + 2):
        tables.p[p + slides.rows[i, HIDDEN]] = slides.arc[i]


@part()
def _turn(tables, work, row):
    """The direction across, as the closure has just told it."""
    f, e = row[FAMILY], row[ELEMENT]
    p = tables.sizes[f, PAR] + e * tables.sizes[f, P] + row[ACROSS]
    for i in range(3):
        tables.p[p + i] = work.y[(2 + i) * LANES + e % LANES]


@whole
def follow(tables, work, slides, t, q, nothing):
    """Bring every slider to its place for the configuration q; returns whether an element changed.

    nothing is a zero vector at least as long as the multipliers and the controls.
    """
    changed = False
    for k in range(slides.rows.shape[0]):
        row = slides.rows[k]
        before = slides.here[k]
        if row[TOGETHER] == 2:
            _close_crossing(tables, work, slides, k, t, q, nothing)
        if row[TOGETHER] != 1:
            s = slides.arc[k]
        elif row[HIDDEN] >= 0:
            s = _close_slider(tables, work, slides, k, t, q, nothing)
        else:
            s = q[row[ARC]]
        element = element_at(slides.breaks, row[BREAK], row[COUNT], s, slides.here[k])
        if element != slides.here[k]:
            write_slider(tables, slides, k, element)
        slides.arc[k] = s
        changed = changed or slides.here[k] != before
    return changed


@whole
def off_the_wire(slides):
    """The first slider that is beyond an end of its wire, or −1."""
    for k in range(slides.rows.shape[0]):
        row = slides.rows[k]
        first, last = slides.breaks[row[BREAK]], slides.breaks[row[BREAK] + row[COUNT]]
        slack = 1e-12 * (last - first)
        if not (first - slack <= slides.arc[k] <= last + slack):
            return k
    return -1
