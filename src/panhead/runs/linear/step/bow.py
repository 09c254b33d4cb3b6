"""Droppers that bow sideways (``railway/line/bows``): the bow is eliminated within a step, so that a dropper is a law
again.

    m b̈ + c ḃ + (N D + E) b = (N₀ D + E) b_r,     N = N₀ + k e + ½ k D (b² − b_r²)                    (1)

In a step of the scheme everything of the old time is known and the first equation gives b = B/y, y = A + A₁ N. What
is left is one equation for N,

    N = N₀ + k e + ½ k D (B²/y² − b_r²)                                                                (2)

its right side falls with N where y > 0, so that it has one answer there, and Newton's method comes to it from below
without a turn. λ = N − N₀ − k e = ½ k D (b² − b_r²) is the correction of ``unilateral``.

Where a bow is so small that λ swings by less than ``STILL`` it is frozen: the dropper is a taut spring until it
would slacken. What it still had is booked as its loss.
"""

from __future__ import annotations

import math

from panhead.engine.jit.compiler import part

STILL = 0.02  # N


@part()
def predict_bow(sc, d):
    """A, A₁ and B of eq. (2) for a step from the record d."""
    b, v, a = d.bow[0], d.bow[1], d.bow[2]
    f, m = 1.0 - sc.alpha_f, 1.0 - sc.alpha_m
    rest = (d.bow_bend + d.N0 * d.bow_pull) * d.bow_rest
    now = (d.bow_bend + d.N * d.bow_pull) * b - rest
    d.bow_A = d.bow_mass * m * sc.a_u + f * (d.bow_drag * sc.C_u + d.bow_bend)
    d.bow_A1 = f * d.bow_pull
    d.bow_B = d.bow_mass * (m * (sc.a_u * b - sc.a_v * v - sc.a_a * a) - sc.alpha_m * a)
    d.bow_B += d.bow_drag * (f * (sc.C_u * b - sc.v_v * v - sc.v_a * a) - sc.alpha_f * v) + f * rest - sc.alpha_f * now


@part()
def bow_amplitude(s, spring, share):
    """y of eq. (2) for ``spring`` = N₀ + k e, its last term times ``share``; s: a slot or a dropper."""
    size = 0.5 * share * s.k * s.bow_pull
    bent, straight = size * s.bow_B * s.bow_B, spring - size * s.bow_rest * s.bow_rest
    y = s.bow_A + s.bow_A1 * straight
    if not y > 0.0:  # a start below the answer
        y = (0.5 * s.bow_A1 * bent) ** (1.0 / 3.0)
        more = -s.bow_A / s.bow_A1 - straight
        if more > 0.0:
            y = min(y, math.sqrt(0.5 * bent / more))
    for _ in range(200):
        r = y - s.bow_A - s.bow_A1 * (straight + bent / (y * y))
        step = r / (1.0 + 2.0 * s.bow_A1 * bent / (y * y * y))
        y -= step
        if not abs(step) > 1e-15 * y:
            break
    return y


@part()
def bow_correction(s, y):
    """λ = ½ k D (b² − b_r²) [N]."""
    b = s.bow_B / y
    return 0.5 * s.k * s.bow_pull * (b * b - s.bow_rest * s.bow_rest)


@part()
def bow_tangent(s, g):
    """λ and dλ/dg at the elongation g."""
    y = bow_amplitude(s, s.N0 + s.k * g, 1.0)
    b = s.bow_B / y
    soft = s.k * s.bow_pull * b * b * s.bow_A1 / y
    return bow_correction(s, y), -s.k * soft / (1.0 + soft)


@part()
def bow_energy(d, e):
    """Stored energy about rest, including motion [J]: (N² − N₀²)/2k − N₀ e + ½ E (b − b_r)² − N₀ D b_r (b − b_r) + ½ m
    ḃ²."""
    b = d.bow[0] - d.bow_rest
    N = d.N0 + d.k * e + d.p
    axial = (N * N - d.N0 * d.N0) / (2.0 * d.k) - d.N0 * e
    return axial + (0.5 * d.bow_bend * b - d.N0 * d.bow_pull * d.bow_rest) * b + 0.5 * d.bow_mass * d.bow[1] ** 2


@part()
def update_bow(sc, d, e, lam):
    """Store the bow of a step in its record; e: the new elongation, lam: its λ."""
    b0, v0, a0 = d.bow[0], d.bow[1], d.bow[2]
    b = d.bow_B / bow_amplitude(d, d.N0 + d.k * e, 1.0)
    d.bow[0] = b
    d.bow[1] = sc.C_u * (b - b0) + sc.v_v * v0 + sc.v_a * a0
    d.bow[2] = sc.a_u * (b - b0) + sc.a_v * v0 + sc.a_a * a0
    d.p = lam


@part()
def freeze_bow(d):
    """Freeze a bow so small that λ changes by less than ``STILL``; return the energy it had [J]."""
    pull = (d.N0 + d.k * d.e) * d.bow_pull
    if d.N0 <= 0.0 or pull <= 0.0:
        return 0.0
    swing = abs(d.bow[0]) + math.sqrt(d.bow_mass / (pull + d.bow_bend)) * abs(d.bow[1]) + abs(d.bow_rest)
    if 0.5 * d.k * d.bow_pull * swing * swing >= STILL:
        return 0.0
    before = bow_energy(d, d.e)
    d.bow[0], d.bow[1], d.bow[2], d.p = d.bow_rest, 0.0, 0.0, 0.0
    d.N = d.N0 + d.k * d.e
    return before - bow_energy(d, d.e)


@part()
def fade_bow(d, share):
    """Attenuate the bow with the wires, of which ``share`` is left, as of N − N₀; ḃ follows as √share."""
    d.p *= share
    room = d.bow_rest * d.bow_rest + 2.0 * d.p / (d.k * d.bow_pull)
    d.bow[0] = math.copysign(math.sqrt(max(room, 0.0)), d.bow[0])
    d.bow[1], d.bow[2] = d.bow[1] * math.sqrt(share), 0.0
