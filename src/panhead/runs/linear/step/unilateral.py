"""Unilateral laws of a step, solved exactly: contact, droppers, stops, friction.

Each is a slot i with a gap g and its rate ġ, a force λ, and a law between them. What the rest of the
system does to it is linear: with the free answer (all λ = 0) known,

    g = g_free − S λ,   ġ = ġ_free − R λ                                        (1)

S = Dᵀ A⁻¹ D is the small influence matrix. In each mode of its law a slot is linear too,

    ε λᵢ = a gᵢ + b ġᵢ + const      (ε = 0: a gap or a rate is prescribed)        (2)

so that one small solve gives λ for given modes; the modes are then chosen anew, each from the exact
answer of its own slot with the others held, until none changes. A curved law is replaced by its
tangent at that answer, until the tangent no longer moves. Nothing is lagged.

Laws:

    contact, stop    λ = N(k g, c ġ) of ``engine/laws/unilateral_spring``
    Lankarani        λ = F(g, ġ) of ``engine/laws/contact``
    friction         λ = F_c tanh(ġ/v_c)
    dropper          N(N₀ + k g, c ġ) of ``engine/laws/unilateral_spring``; A holds it taut, so that
                     λ = N − N₀₊ − (k g + c ġ) is only the correction, N₀₊ = max(N₀, 0)
    bowed dropper    λ of ``bow``, likewise

Where a law jumps (a damper that engages with speed) the jump is filled: g stays at the jump and
λ takes the value between that keeps it there. Each law is then monotone, and the answer unique.
"""

from __future__ import annotations

import numpy as np

from panhead.engine.jit.compiler import part
from panhead.engine.kernels.compiled_laws import engaged, lankarani_nikravesh
from panhead.engine.kernels.dense import lu_factor, lu_substitute
from panhead.runs.linear.step.bow import bow_amplitude, bow_correction, bow_tangent

CONTACT, LANKARANI, STOP, FRICTION, DROPPER, BOWED = 0, 1, 2, 3, 4, 5
OPEN, CLOSED, EDGE = 0, 1, 2  # of a dropper: slack, taut, at the jump. Friction and bows are always closed
SWEEPS, RELAXATIONS = 40, 5000  # at most: simultaneous choices of all modes, then Gauss–Seidel sweeps


@part()
def linearise(s, mode, g, g_dot):
    """ε, a, b, const of eq. (2) for slot s in a mode, about (g, ġ)."""
    if s.kind == DROPPER:
        rest = max(s.N0, 0.0)
        if mode == OPEN:
            return 1.0, -s.k, -s.c, -rest
        if mode == CLOSED:
            return 1.0, 0.0, 0.0, s.N0 - rest
        return 0.0, 1.0, 0.0, s.N0 / s.k  # g = −N₀/k
    if s.kind == BOWED:
        force, a = bow_tangent(s, g)
        return 1.0, a, 0.0, force - a * g
    if s.kind == FRICTION:  # k is F_c, c is v_c
        force = s.k * np.tanh(g_dot / s.c)
        b = (s.k - force * force / s.k) / s.c
        return 1.0, 0.0, b, force - b * g_dot
    if mode == OPEN:
        return 1.0, 0.0, 0.0, 0.0
    if mode == EDGE:
        return 0.0, 1.0, 0.0, 0.0  # g = 0
    if s.kind == LANKARANI:
        force, a, b = lankarani_nikravesh(g, g_dot, s.k, s.power, s.chi, s.impact)
        return 1.0, a, b, force - a * g - b * g_dot
    return 1.0, s.k, s.c, 0.0


@part()
def law(s):
    """ε, a, b of a slot's law at its solution; eq. (2)."""
    eps, a, b, _ = linearise(s, s.mode, s.g, s.g_dot)
    return eps, a, b


@part()
def _dropper_mode(s, g, g_dot, S, R):
    """Mode of a dropper whose gap and rate would be g, ġ with λ = 0."""
    rest = max(s.N0, 0.0)
    taut = s.N0 - rest
    g_t, g_dot_t = g - S * taut, g_dot - R * taut
    if engaged(s.N0 + s.k * g_t, s.c * g_dot_t):
        return CLOSED
    slack = -(rest + s.k * g + s.c * g_dot) / (1.0 - s.k * S - s.c * R)
    g_s, g_dot_s = g - S * slack, g_dot - R * slack
    return EDGE if engaged(s.N0 + s.k * g_s, s.c * g_dot_s) else OPEN


@part()
def choose(s, g, g_dot, S, R):
    """Mode of slot s from its local free response g = g_free, ġ = ġ_free (its own λ = 0).

    S, R are its own diagonal entries. The slot's law and eq. (1) have exactly one answer in one
    unknown; this says on which branch of the law it lies.
    """
    if s.kind == DROPPER:
        return _dropper_mode(s, g, g_dot, S, R)
    if s.kind == FRICTION or s.kind == BOWED:
        return CLOSED
    if g <= 0.0:
        return OPEN
    if s.kind == LANKARANI:
        return CLOSED
    push = s.k * g + s.c * g_dot
    if push <= 0.0:
        return OPEN
    force = push / (1.0 + s.k * S + s.c * R)
    return CLOSED if g - S * force > 0.0 else EDGE


@part()
def local_force(s, mode, g, g_dot, S, R):
    """λ of slot s whose local free response is g, ġ: its law and eq. (1) in one unknown, exactly."""
    if mode == OPEN and s.kind != DROPPER:
        return 0.0
    if s.kind == BOWED:
        return bow_correction(s, bow_amplitude(s, s.N0 + s.k * g, 1.0 - s.k * S))
    if s.kind != FRICTION and s.kind != LANKARANI:
        eps, a, b, const = linearise(s, mode, 0.0, 0.0)
        return (const + a * g + b * g_dot) / (eps + a * S + b * R)
    low, high = (-s.k, s.k) if s.kind == FRICTION else (0.0, g / S)
    lam = 0.5 * (low + high)
    for _ in range(200):  # λ − Λ(λ) rises with λ: Newton, kept inside a bracket that shrinks
        eps, a, b, const = linearise(s, mode, g - S * lam, g_dot - R * lam)
        residual = lam - (const + a * (g - S * lam) + b * (g_dot - R * lam))
        if residual > 0.0:
            high = lam
        else:
            low = lam
        step = residual / (eps + a * S + b * R)
        if abs(step) <= 1e-15 * (1.0 + abs(lam)) or high - low <= 1e-15 * (1.0 + abs(lam)):
            break  # before a step too small to leave an end of the bracket is taken for one outside it
        lam = lam - step if low < lam - step < high else 0.5 * (low + high)
    return lam


@part()
def solve_modes(m, slot, S, R, A, r):
    """λ for the modes as they are, eqs (1) and (2); returns the largest change of λ, or −1."""
    for i in range(m):
        s = slot[i]
        eps, a, b, const = linearise(s, s.mode, s.g, s.g_dot)
        r[i] = const + a * s.g_free + b * s.g_dot_free
        for j in range(m):
            A[i, j] = a * S[i, j] + b * R[i, j]
        A[i, i] += eps
    right = r.reshape(r.shape[0], 1)
    if lu_factor(A, m, right) == 0.0:
        return -1.0
    lu_substitute(A, m, right)
    change = 0.0
    for i in range(m):
        change = max(change, abs(r[i] - slot[i].lam) / (1.0 + abs(r[i])))
        slot[i].lam = r[i]
    return change


@part()
def respond(m, slot, S, R):
    """Compute g and ġ for the present λ, eq. (1); a slot that is off has no gap."""
    for i in range(m):
        if slot[i].on == 0:
            continue
        g, g_dot = slot[i].g_free, slot[i].g_dot_free
        for j in range(m):
            g -= S[i, j] * slot[j].lam
            g_dot -= R[i, j] * slot[j].lam
        slot[i].g, slot[i].g_dot = g, g_dot


@part()
def _rechoose(m, slot, S, R):
    """Choose new modes for all slots; return how many changed, and whether a law is curved."""
    changed, curved = 0, False
    for i in range(m):
        s = slot[i]
        if s.on == 0:
            continue
        g, g_dot = s.g + S[i, i] * s.lam, s.g_dot + R[i, i] * s.lam
        mode = choose(s, g, g_dot, S[i, i], R[i, i])
        if mode != s.mode:
            changed += 1
            s.mode = mode
        if mode == CLOSED and (s.kind == LANKARANI or s.kind == FRICTION or s.kind == BOWED):
            curved = True
            lam = local_force(s, mode, g, g_dot, S[i, i], R[i, i])
            s.g, s.g_dot = g - S[i, i] * lam, g_dot - R[i, i] * lam
    return changed, curved


@part()
def _gauss_seidel_sweep(m, slot, S, R):
    """One Gauss–Seidel sweep: each slot solved exactly with the others held; the largest change.

    Slow but sure for monotone laws: it cannot cycle where the simultaneous choice can.
    """
    change = 0.0
    for i in range(m):
        s = slot[i]
        if s.on == 0:
            continue
        g, g_dot = s.g_free, s.g_dot_free
        for j in range(m):
            if j != i:
                g -= S[i, j] * slot[j].lam
                g_dot -= R[i, j] * slot[j].lam
        s.mode = choose(s, g, g_dot, S[i, i], R[i, i])
        lam = local_force(s, s.mode, g, g_dot, S[i, i], R[i, i])
        change = max(change, abs(lam - s.lam) / (1.0 + abs(lam)))
        s.lam = lam
    return change


@part()
def solve_slots(m, slot, S, R, A, r):
    """Solve λ, modes, g and ġ of the first m slots; return True if a solution was found.

    slot (m,) of the dtype ``SLOT``; S, R and the scratch A (m, m), r (m,). The modes, g and ġ found
    in the slots are the first guess.
    """
    for sweep in range(SWEEPS):
        change = solve_modes(m, slot, S, R, A, r)
        if change < 0.0:
            break
        respond(m, slot, S, R)
        changed, curved = _rechoose(m, slot, S, R)
        if changed == 0 and (not curved or change < (1e-13 if sweep < 15 else 1e-11)):
            respond(m, slot, S, R)
            return True
    for _ in range(RELAXATIONS):
        if _gauss_seidel_sweep(m, slot, S, R) < 1e-14:
            respond(m, slot, S, R)
            return True
    return False
