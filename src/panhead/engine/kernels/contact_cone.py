"""Impulses of simultaneous contacts: complementarity in the normals, Coulomb's disc in the tangents.

    y = D P + c
    normal      0 ≤ y_N ⟂ P_N − least ≥ 0,   or y_N = 0 if the contact is two-sided
    tangents    |P_T| ≤ μ |P_N|,   y_T = 0 or P_T against y_T at the disc's edge

Contact after contact is solved exactly with the others held [Jean99] until nothing moves; every few sweeps the modes
found so far (open, sticking, sliding) are tried as linear equations, which then give the answer to rounding. Normals
alone are a linear complementarity problem. ``least`` is zero but for Poisson's expansion. Where D is singular, as under
a table with four legs, impulses are one of many that give the same y: those that the sweeps reach from the guess.
"""

import math

import numpy as np

from panhead.engine.jit.compiler import allocating, part
from panhead.engine.kernels.dense import lu_solve

OPEN, STICK, SLIDE = 0, 1, 2
_SWEEPS = 2_000
_TRIED = 8  # sweeps between trials of the modes
_CONVERGED = 1e-14  # of the largest impulse: change in a sweep
_STALLED = 200  # sweeps without a smaller change: what is left is rounding, or there is no answer
NO_ANSWER = -1.0


@part()
def _planar(a, b, c, d, n, t, mu, two_sided, least):
    """(found, P_N, P_T) of one contact with one slip: y = [[a, b], [c, d]] P + (n, t)."""
    if not two_sided:
        P_T = min(max(-(t + c * least) / d, -mu * least), mu * least) if least > 0.0 else 0.0
        if n + a * least + b * P_T >= 0.0:
            return True, least, P_T
    det = a * d - b * c
    if det > 0.0:  # it sticks
        P_N, P_T = (b * t - d * n) / det, (c * n - a * t) / det
        if (two_sided or least <= P_N) and abs(P_T) <= mu * abs(P_N):
            return True, P_N, P_T
    for side in (1.0, -1.0):  # P_T = s μ |P_N| with P_N = side |P_N|
        for s in (1.0, -1.0):
            slope = a + s * mu * side * b
            if slope == 0.0:
                continue
            P_N = -n / slope
            P_T = s * mu * abs(P_N)
            if P_N * side >= 0.0 and (two_sided or least <= P_N) and s * (t + c * P_N + d * P_T) <= 0.0:
                return True, P_N, P_T
    return False, max(-n / a, least), 0.0


@part()
def _sweep(D, c, first, mu, two_sided, least, P):
    """One pass over all contacts; the largest change of an impulse, −1 where a contact has no answer."""
    change = 0.0
    answered = True
    for i in range(first.shape[0] - 1):
        k, slips = first[i], first[i + 1] - first[i] - 1
        if slips == 1 and mu[i] > 0.0:
            n, t = c[k], c[k + 1]
            for j in range(P.shape[0]):
                if j != k and j != k + 1:
                    n += D[k, j] * P[j]
                    t += D[k + 1, j] * P[j]
            found, P_N, P_T = _planar(
                D[k, k], D[k, k + 1], D[k + 1, k], D[k + 1, k + 1], n, t, mu[i], two_sided[i], least[i]
            )
            answered = answered and found
            change = max(change, abs(P_N - P[k]), abs(P_T - P[k + 1]))
            P[k], P[k + 1] = P_N, P_T
            continue
        y = c[k]
        for j in range(P.shape[0]):
            y += D[k, j] * P[j]
        P_N = P[k] - y / D[k, k]
        if not two_sided[i]:
            P_N = max(P_N, least[i])
        change = max(change, abs(P_N - P[k]))
        P[k] = P_N
        change = max(change, _project_friction(D, c, k + 1, slips, mu[i] * abs(P_N), P))
    return change if answered else -1.0


@allocating
def _project_friction(D, c, k, slips, most, P):
    """The tangential impulses of one contact moved against the slip and back into the disc."""
    stiff = 0.0
    for i in range(slips):
        stiff += D[k + i, k + i]
    moved = np.zeros(3)
    size = 0.0
    for i in range(slips):
        y = c[k + i]
        for j in range(P.shape[0]):
            y += D[k + i, j] * P[j]
        moved[i] = P[k + i] - y / stiff if stiff > 0.0 else 0.0
        size += moved[i] ** 2
    share = min(1.0, most / math.sqrt(size)) if size > 0.0 else 0.0
    change = 0.0
    for i in range(slips):
        change = max(change, abs(share * moved[i] - P[k + i]))
        P[k + i] = share * moved[i]
    return change


@part()
def _modes(first, mu, two_sided, P, mode):
    """Mode of each contact; False where several directions slide, which is not a linear equation."""
    for i in range(mode.shape[0]):
        k, slips = first[i], first[i + 1] - first[i] - 1
        mode[i] = STICK
        if not two_sided[i] and P[k] <= 0.0:
            mode[i] = OPEN
            continue
        size = 0.0
        for j in range(slips):
            size += P[k + 1 + j] ** 2
        if slips == 0 or mu[i] == 0.0 or math.sqrt(size) >= mu[i] * abs(P[k]) * (1.0 - 1e-9):
            mode[i] = SLIDE
            if slips > 1 and mu[i] > 0.0:
                return False
    return True


@part()
def _solve_modes(D, c, first, mu, two_sided, P, mode, A, x):
    """P from the linear equations of the modes in place, True if it obeys every law."""
    if not _modes(first, mu, two_sided, P, mode):
        return False
    size = P.shape[0]
    for i in range(mode.shape[0]):
        for k in range(first[i], first[i + 1]):
            normal = k == first[i]
            held = mode[i] == STICK or (normal and mode[i] == SLIDE)
            x[k, 0] = -c[k] if held else 0.0
            for j in range(size):
                A[k, j] = D[k, j] if held else 0.0
            if not held:
                A[k, k] = 1.0
                if mode[i] == SLIDE and mu[i] > 0.0:
                    A[k, first[i]] = -math.copysign(mu[i], P[k] * P[first[i]])
    if not lu_solve(A, x) > 1e-13:
        return False
    scale = 0.0
    for k in range(size):
        scale = max(scale, abs(x[k, 0]))
    if not _satisfies_modes(D, c, first, mu, two_sided, x[:, 0], mode, scale):
        return False
    for k in range(size):
        P[k] = x[k, 0]
    for i in range(mode.shape[0]):
        if not two_sided[i]:
            P[first[i]] = max(P[first[i]], 0.0)
    return True


@part()
def _satisfies_modes(D, c, first, mu, two_sided, x, mode, scale):
    """True if impulses x satisfy the inequalities of their modes, to rounding."""
    small = 1e-12 * scale
    for i in range(mode.shape[0]):
        k = first[i]
        if not two_sided[i] and x[k] < -small:
            return False
        for r in range(first[i], first[i + 1]):
            y, stiff = c[r], D[r, r]
            for j in range(x.shape[0]):
                y += D[r, j] * x[j]
            if r == k and mode[i] == OPEN and y < -small * stiff:
                return False
            if r > k and mode[i] == STICK and abs(x[r]) > mu[i] * abs(x[k]) + small:
                return False
            if r > k and mode[i] == SLIDE and mu[i] > 0.0 and x[r] * y > small * scale * stiff:
                return False
    return True


@allocating
def solve_contacts(D, c, first, mu, two_sided, least, P):
    """P (rows,) in place, from a first guess; return how much of the largest impulse the last sweep still changed.

    That is the residual of the laws, relative: 0 where the modes gave the answer. ``NO_ANSWER`` where one contact has
    none while the others are held, as in Painlevé's paradox, or the impulses grow without bound.
    D (rows, rows), c (rows,), first (n + 1,) as in panhead.engine.system, mu, two_sided, least (n,).
    """
    plain = least.shape[0] == 0 or least.max() <= 0.0
    size, n = P.shape[0], first.shape[0] - 1
    mode, A, x = np.zeros(n, np.int64), np.zeros((size, size)), np.zeros((size, 1))
    residual, best, since = 1.0, math.inf, 0
    for sweep in range(_SWEEPS):
        change = _sweep(D, c, first, mu, two_sided, least, P)
        if change < 0.0 and sweep > _STALLED:
            return NO_ANSWER
        if plain and sweep % _TRIED == 0 and _solve_modes(D, c, first, mu, two_sided, P, mode, A, x):
            return 0.0
        largest = 0.0
        for k in range(size):
            largest = max(largest, abs(P[k]))
        if not largest < 1e300:
            return NO_ANSWER
        residual = change / largest if largest > 0.0 else 0.0
        if change < 0.0:
            residual = 1.0
        if residual <= _CONVERGED:
            return residual
        if residual < best:
            best, since = residual, 0
        else:
            since += 1
        if since > _STALLED and best < 1e-10:
            return residual
    return residual
