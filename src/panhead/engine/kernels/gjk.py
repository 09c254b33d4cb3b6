"""Distance of two convex cores: Gilbert, Johnson and Keerthi's algorithm                     [Gilbert88b, Ericson05].

The difference A − B of two sets holds the origin where they overlap; its point nearest to the origin is sought on
simplices of support points. Only cores that lie apart are asked for: radii about them take up what touches.
"""

import math
from typing import NamedTuple

import numpy as np

from panhead.engine.jit.compiler import part
from panhead.engine.kernels.convex_shapes import support

_MOST = 64  # iterations
_EXACT = 1e-10  # of the squared distance: no support point is nearer by more
OVERLAP = -1.0


class GjkRoom(NamedTuple):
    """Room for one pair."""

    Y: np.ndarray  # (4, 3) simplex of A − B
    A: np.ndarray  # (4, 3) its points on A
    B: np.ndarray  # (4, 3)
    weights: np.ndarray  # (3, 4)
    d: np.ndarray  # (2, 3)


@part()
def _squared(Y, lam):
    total = 0.0
    for k in range(3):
        x = lam[0] * Y[0, k] + lam[1] * Y[1, k] + lam[2] * Y[2, k] + lam[3] * Y[3, k]
        total += x * x
    return total


@part()
def _clear(lam):
    for k in range(4):
        lam[k] = 0.0


@part()
def _segment(Y, i, j, lam):
    """Weights of the point of a segment nearest to the origin; its squared distance."""
    d = 0.0
    t = 0.0
    for k in range(3):
        e = Y[j, k] - Y[i, k]
        t -= Y[i, k] * e
        d += e * e
    t = min(1.0, max(0.0, t / d)) if d > 0.0 else 0.0
    _clear(lam)
    lam[i], lam[j] = 1.0 - t, t
    return _squared(Y, lam)


@part()
def _det(n0, n1, n2, b, c):
    """n · (b × c)."""
    return n0 * (b[1] * c[2] - b[2] * c[1]) + n1 * (b[2] * c[0] - b[0] * c[2]) + n2 * (b[0] * c[1] - b[1] * c[0])


@part()
def _normal(a, b, c):
    """(b − a) × (c − a)."""
    x0, x1, x2 = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    y0, y1, y2 = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    return x1 * y2 - x2 * y1, x2 * y0 - x0 * y2, x0 * y1 - x1 * y0


@part()
def _triangle(Y, i, j, m, lam, trial):
    """The same of a triangle: its inside, or the best of its edges."""
    a, b, c = Y[i], Y[j], Y[m]
    n0, n1, n2 = _normal(a, b, c)
    if n0 * n0 + n1 * n1 + n2 * n2 > 0.0:
        u, v, w = _det(n0, n1, n2, b, c), _det(n0, n1, n2, c, a), _det(n0, n1, n2, a, b)
        if u >= 0.0 and v >= 0.0 and w >= 0.0:
            _clear(lam)
            total = u + v + w
            lam[i], lam[j], lam[m] = u / total, v / total, w / total
            return _squared(Y, lam)
    best = _segment(Y, i, j, lam)
    for edge in range(2):
        d = _segment(Y, j if edge == 0 else i, m, trial)
        if d < best:
            best = d
            for k in range(4):
                lam[k] = trial[k]
    return best


@part()
def _outside(Y, i, j, m, opposite):
    """Whether the origin and the fourth point lie on different sides of a triangle's plane."""
    a, d = Y[i], Y[opposite]
    n0, n1, n2 = _normal(a, Y[j], Y[m])
    origin = -(n0 * a[0] + n1 * a[1] + n2 * a[2])
    other = n0 * (d[0] - a[0]) + n1 * (d[1] - a[1]) + n2 * (d[2] - a[2])
    return origin * other <= 0.0


@part()
def _tetrahedron(Y, weights):
    """The same of a tetrahedron; 0 where the origin is inside."""
    best = math.inf
    lam, trial, more = weights[0], weights[1], weights[2]
    for opposite in range(4):
        i = 1 if opposite == 0 else 0
        j = 2 if opposite <= 1 else 1
        m = 2 if opposite == 3 else 3
        if _outside(Y, i, j, m, opposite):
            d = _triangle(Y, i, j, m, trial, more)
            if d < best:
                best = d
                for k in range(4):
                    lam[k] = trial[k]
    return 0.0 if best == math.inf else best


@part()
def _nearest(room, n):
    """Weights of the n points whose combination is nearest to the origin, and its squared distance."""
    lam = room.weights[0]
    if n == 1:
        _clear(lam)
        lam[0] = 1.0
        return _squared(room.Y, lam)
    if n == 2:
        return _segment(room.Y, 0, 1, lam)
    if n == 3:
        return _triangle(room.Y, 0, 1, 2, lam, room.weights[1])
    return _tetrahedron(room.Y, room.weights)


@part()
def _drop_unused(room, n):
    """Drop points of weight 0; how many are left."""
    lam, kept = room.weights[0], 0
    for k in range(n):
        if lam[k] > 0.0:
            for i in range(3):
                room.Y[kept, i], room.A[kept, i], room.B[kept, i] = room.Y[k, i], room.A[k, i], room.B[k, i]
            lam[kept] = lam[k]
            kept += 1
    for k in range(kept, 4):
        lam[k] = 0.0
        for i in range(3):
            room.Y[k, i] = 0.0
    return kept


@part()
def _add_support(table, poses, a, b, edges, room, n):
    """Point n of the simplex: farthest along −d on A, along d on B."""
    d, back = room.d[0], room.d[1]
    for i in range(3):
        back[i] = -d[i]
    support(table, poses, a, edges, back, room.A[n])
    support(table, poses, b, edges, d, room.B[n])
    for i in range(3):
        room.Y[n, i] = room.A[n, i] - room.B[n, i]


@part()
def core_distance(table, poses, a, b, edges, room, on_a, on_b):
    """Distance of the cores of shapes a and b; on_a, on_b (3,) their nearest points. OVERLAP: they are not apart."""
    d, lam = room.d[0], room.weights[0]
    for i in range(3):
        d[i] = poses.x[a, i] - poses.x[b, i]
        for k in range(4):
            room.Y[k, i] = 0.0
    if d[0] * d[0] + d[1] * d[1] + d[2] * d[2] == 0.0:
        d[0] = 1.0
    _add_support(table, poses, a, b, edges, room, 0)
    n, squared = 1, _nearest(room, 1)
    scale = squared
    for _ in range(_MOST):
        for i in range(3):
            on_a[i], on_b[i] = 0.0, 0.0
            for k in range(n):
                on_a[i] += lam[k] * room.A[k, i]
                on_b[i] += lam[k] * room.B[k, i]
            d[i] = on_a[i] - on_b[i]
        if not squared > 1e-26 * scale:
            return OVERLAP
        _add_support(table, poses, a, b, edges, room, n)
        y = room.Y[n]
        if squared - (d[0] * y[0] + d[1] * y[1] + d[2] * y[2]) <= _EXACT * squared:
            break
        scale = max(scale, y[0] * y[0] + y[1] * y[1] + y[2] * y[2])
        before = squared
        squared = _nearest(room, n + 1)
        if not squared < before:  # rounding: what was found before is as good as it gets
            squared = before
            break
        n = _drop_unused(room, n + 1)
        if n == 4:
            return OVERLAP
    return math.sqrt(squared)
