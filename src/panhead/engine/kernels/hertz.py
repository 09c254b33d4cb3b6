"""Hertzian contact of two curved bodies: contact ellipse, approach and force.

Near the point of contact the undeformed surfaces are z = A x² + B y² apart [1/m]. The contact
ellipse has the semi-axes a along x and b along y, and the bodies come closer by δ:

    δ = 3 N K(e)/(2π l E*),   A + B = 3 N E(e)/(2π l s² E*),   e² = 1 − s²/l²     [Johnson85, §4.2]

l the longer, s the shorter semi-axis, K and E the complete elliptic integrals. A force follows
from a given approach without iteration once e is known, and e depends on A/B alone.
"""

from __future__ import annotations

import math

from panhead.engine.jit.compiler import whole


@whole
def elliptic(m1):
    """K and E of the complementary parameter m₁ = 1 − e², 0 < m₁ ≤ 1, by the arithmetic–geometric mean."""
    a, g = 1.0, math.sqrt(m1)
    c2 = 1.0 - m1
    total, weight = 0.5 * c2, 0.5
    for _ in range(30):
        if abs(a - g) <= 1e-16 * a:
            break
        mean = 0.5 * (a + g)
        c = 0.5 * (a - g)
        g = math.sqrt(a * g)
        a = mean
        weight *= 2.0
        total += weight * c * c
    K = 0.5 * math.pi / a
    return K, K * (1.0 - total)


@whole
def curvature_ratio(m1):
    """The smaller over the larger of A and B that belongs to m₁ = (s/l)²: (K − E)/(E/m₁ − K)."""
    if m1 > 0.997:  # both differences vanish: their series about the circle
        c = 1.0 - m1
        tail = 21.0 / 512.0 + c * (3.0 / 128.0 + c * 501.0 / 32768.0)
        return 1.0 - c * (0.75 + c * (3.0 / 32.0 + c * tail))
    K, E = elliptic(m1)
    return (K - E) / (E / m1 - K)


@whole
def ellipse_shape(ratio):
    """m₁ = (s/l)² of the ellipse for a ratio 0 < A/B ≤ 1 of curvatures, by bisection and secants."""
    if ratio >= 1.0:
        return 1.0
    target = math.log(ratio)
    low, high = -80.0, 0.0  # of ln m₁
    x = max(low, 1.5 * target)  # s/l ≈ ratio^(2/3), and a bit more slender
    f = math.log(curvature_ratio(math.exp(x))) - target
    for _ in range(80):
        if f > 0.0:
            high = x
        else:
            low = x
        h = 1e-6 * (1.0 + abs(x))
        slope = (math.log(curvature_ratio(math.exp(x - h))) - target - f) / -h
        new = x - f / slope if slope > 0.0 else low - 1.0
        if not (low < new < high):
            new = 0.5 * (low + high)
        step, x = new - x, new
        f = math.log(curvature_ratio(math.exp(x))) - target
        if abs(step) < 1e-15 * (1.0 + abs(x)) or f == 0.0:
            break
    return math.exp(x)


@whole
def hertz_numbers(ratio):
    """a, b, N for δ = 1, A + B = 1, E* = 1, given ratio = A/B: the three numbers of a shape.

    a = â √(δ/(A + B)),   b = b̂ √(δ/(A + B)),   N = N̂ E* δ^(3/2)/√(A + B).
    """
    m1 = ellipse_shape(min(ratio, 1.0 / ratio))
    K, E = elliptic(m1)
    s = math.sqrt(E / K)
    l = s / math.sqrt(m1)
    N = 2.0 * math.pi / 3.0 * l / K
    if ratio > 1.0:  # more curved along x: the ellipse is short there
        return s, l, N
    return l, s, N


@whole
def hertz(delta, A, B, E_star, out):
    """out = (a, b, N, p₀) [m, m, N, Pa] of an approach δ > 0 [m], with A, B > 0 [1/m], E* [Pa]."""
    a, b, N = hertz_numbers(A / B)
    size = math.sqrt(delta / (A + B))
    out[0] = a * size
    out[1] = b * size
    out[2] = N * E_star * delta * size
    out[3] = 1.5 * out[2] / (math.pi * out[0] * out[1])


@whole
def bounded_below(B, floor):
    """B where it is above twice the floor, a parabola from there to the floor at B = 0; C1.

    Where two local contacts are about to merge, the relative curvature between them vanishes and a
    Hertzian ellipse would grow without bound.
    """
    if floor <= 0.5 * B:
        return B
    return floor + 0.25 * B * B / floor if B > 0.0 else floor
