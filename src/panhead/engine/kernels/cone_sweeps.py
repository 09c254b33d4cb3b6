"""Impulses of very many contacts by sweeps over them, with the residual of their laws              [Jean99, Acary08].

    y = W x + shift,   x = x_free + B P
    normal      0 ≤ y_N ⟂ P_N ≥ 0
    tangents    |P_T| ≤ μ P_N,          y_T = 0, or P_T against y_T at the edge of the disc
    spinning    |P_S| ≤ spinning P_N,   the same of the relative turning about the normal
    rolling     |P_R| ≤ rolling P_N,    the same of that about the tangents

Contact after contact is solved with the others held, forwards and backwards in turn. Between sweeps the impulses are
extrapolated from the last few by least squares [Walker11], and what makes the residual larger is taken back. The
residual is that of the natural map P − Π(P − y/D), D the diagonal, as a part of the largest impulse: zero where all
laws hold.
"""

import math

import numpy as np

from panhead.engine.jit.compiler import allocating, part
from panhead.engine.kernels.contact_rows_of_pairs import ROWS, change, coupling, relative_velocity
from panhead.engine.kernels.dense import lu_solve

FRICTION, SPINNING, ROLLING = 0, 1, 2  # columns of the coefficients
_NOTHING = 1e-6  # of the momentum of the fastest coordinate: smaller impulses are compared with this
_MEMORY = 8  # sweeps from which impulses are extrapolated


@part()
def _disc(a, b, d, r, s, radius):
    """(x, y) with |(x, y)| ≤ radius and [[a, b], [b, d]] (x, y) + (r, s) zero, or against (x, y) at the edge."""
    if not radius > 0.0:
        return 0.0, 0.0
    shift = 0.0
    x, y = 0.0, 0.0
    for _ in range(50):
        p, q = a + shift, d + shift
        det = p * q - b * b
        if not det > 0.0:
            shift += 1e-12 * (a + d)
            continue
        x, y = (b * s - q * r) / det, (b * r - p * s) / det
        length = math.sqrt(x * x + y * y)
        if length <= radius * (1.0 + 1e-15) and shift == 0.0:
            return x, y
        if abs(length - radius) <= 1e-15 * radius:
            break
        u, w = (q * x - b * y) / det, (p * y - b * x) / det  # the inverse times (x, y)
        step = length * length / (x * u + y * w) * (length - radius) / radius
        if shift + step <= 0.0:
            shift = 0.5 * shift
        else:
            shift += step
        if abs(step) <= 1e-16 * (shift + a + d):
            break
    length = math.sqrt(x * x + y * y)
    return (x * radius / length, y * radius / length) if length > 0.0 else (0.0, 0.0)


@part()
def _diagonals(maps, law, D):
    """D (n, 9): normal; tangents 11, 12, 22; spinning; rolling 11, 12, 22; scale of turning impulses as lengths."""
    for i in range(D.shape[0]):
        D[i, 0] = coupling(maps, i, 0, 0)
        D[i, 1], D[i, 3] = coupling(maps, i, 1, 1), coupling(maps, i, 2, 2)
        D[i, 2] = 0.5 * (coupling(maps, i, 1, 2) + coupling(maps, i, 2, 1))
        if law[i, SPINNING] > 0.0 or law[i, ROLLING] > 0.0:
            D[i, 4] = coupling(maps, i, 3, 3)
            D[i, 5], D[i, 7] = coupling(maps, i, 4, 4), coupling(maps, i, 5, 5)
            D[i, 6] = 0.5 * (coupling(maps, i, 4, 5) + coupling(maps, i, 5, 4))


@part()
def _pair(maps, i, r, at, D, radius, P, x):
    """Rows r, r + 1 of contact i, whose impulses lie in a disc; D[i, at …] their coupling."""
    a, b, d = D[i, at], D[i, at + 1], D[i, at + 2]
    y, z = relative_velocity(maps, i, r, x), relative_velocity(maps, i, r + 1, x)
    u, w = _disc(a, b, d, y - a * P[i, r] - b * P[i, r + 1], z - b * P[i, r] - d * P[i, r + 1], radius)
    change(maps, i, r, u - P[i, r], x)
    change(maps, i, r + 1, w - P[i, r + 1], x)
    P[i, r], P[i, r + 1] = u, w


@part()
def _solve_one(maps, i, law, shift, D, P, x):
    """Contact i with the others held: its normal, tangents, spinning, rolling."""
    normal = max(0.0, P[i, 0] - (relative_velocity(maps, i, 0, x) + shift[i]) / D[i, 0])
    if normal != P[i, 0]:
        change(maps, i, 0, normal - P[i, 0], x)
        P[i, 0] = normal
    if law[i, FRICTION] > 0.0 and (normal > 0.0 or P[i, 1] != 0.0 or P[i, 2] != 0.0):
        _pair(maps, i, 1, 1, D, law[i, FRICTION] * normal, P, x)
    if law[i, SPINNING] > 0.0:
        most = law[i, SPINNING] * normal
        turn = min(most, max(-most, P[i, 3] - relative_velocity(maps, i, 3, x) / D[i, 4]))
        change(maps, i, 3, turn - P[i, 3], x)
        P[i, 3] = turn
    if law[i, ROLLING] > 0.0:
        _pair(maps, i, 4, 5, D, law[i, ROLLING] * normal, P, x)


@part()
def _disc_residual(maps, i, r, stiff, radius, P, x):
    """Distance of the impulses r, r + 1 from their law's natural map."""
    u = P[i, r] - relative_velocity(maps, i, r, x) / stiff
    w = P[i, r + 1] - relative_velocity(maps, i, r + 1, x) / stiff
    length = math.sqrt(u * u + w * w)
    if length > radius:
        u, w = (u * radius / length, w * radius / length) if length > 0.0 else (0.0, 0.0)
    return math.hypot(P[i, r] - u, P[i, r + 1] - w)


@part()
def _residual(maps, law, shift, D, least, P, x):
    """Residual of all laws as a part of the largest normal impulse, turning impulses as forces of the same effect."""
    worst, largest = 0.0, least
    for i in range(P.shape[0]):
        largest = max(largest, P[i, 0])
        free = P[i, 0] - (relative_velocity(maps, i, 0, x) + shift[i]) / D[i, 0]
        worst = max(worst, abs(P[i, 0] - max(0.0, free)))
        if law[i, FRICTION] > 0.0:
            worst = max(worst, _disc_residual(maps, i, 1, D[i, 1] + D[i, 3], law[i, FRICTION] * P[i, 0], P, x))
        if law[i, SPINNING] > 0.0:
            most, arm = law[i, SPINNING] * P[i, 0], math.sqrt(D[i, 4] / D[i, 0])
            turn = min(most, max(-most, P[i, 3] - relative_velocity(maps, i, 3, x) / D[i, 4]))
            worst = max(worst, arm * abs(turn - P[i, 3]))
        if law[i, ROLLING] > 0.0:
            stiff = D[i, 5] + D[i, 7]
            off = _disc_residual(maps, i, 4, stiff, law[i, ROLLING] * P[i, 0], P, x)
            worst = max(worst, math.sqrt(stiff / D[i, 0]) * off)
    return worst / largest if largest > 0.0 else worst


@part()
def _least_impulse(D, x):
    """Impulses below which only rounding differs: a millionth of what would stop the fastest."""
    fastest, stiff = 0.0, math.inf
    for k in range(x.shape[0]):
        fastest = max(fastest, abs(x[k]))
    for i in range(D.shape[0]):
        stiff = min(stiff, D[i, 0])
    return _NOTHING * fastest / stiff


@part()
def _restore(maps, x_free, P, x):
    """x = x_free + B P."""
    for k in range(x.shape[0]):
        x[k] = x_free[k]
    for i in range(P.shape[0]):
        for r in range(ROWS):
            if P[i, r] != 0.0:
                change(maps, i, r, P[i, r], x)


@part()
def _sweep(maps, law, shift, D, P, x):
    """Once forwards, once backwards."""
    n = P.shape[0]
    for i in range(n):
        _solve_one(maps, i, law, shift, D, P, x)
    for i in range(n - 1, -1, -1):
        _solve_one(maps, i, law, shift, D, P, x)


@part()
def _extrapolate(G, F, newest, kept, A, b, P):
    """P = Σ wⱼ Gⱼ with Σ wⱼ = 1 and Σ wⱼ Fⱼ smallest, of the last sweeps: results G and changes F (memory, n, 6)."""
    last, m, trace = newest, kept - 1, 0.0
    for j in range(m):
        J = (newest - 1 - j) % _MEMORY
        b[j, 0] = 0.0
        for k in range(m):
            K = (newest - 1 - k) % _MEMORY
            s = 0.0
            for i in range(P.shape[0]):
                for r in range(ROWS):
                    s += (F[last, i, r] - F[J, i, r]) * (F[last, i, r] - F[K, i, r])
            A[j, k] = s
        for i in range(P.shape[0]):
            for r in range(ROWS):
                b[j, 0] += (F[last, i, r] - F[J, i, r]) * F[last, i, r]
        trace += A[j, j]
    for j in range(m):
        A[j, j] += 1e-12 * trace + 1e-300
    if m == 0 or lu_solve(A[:m, :m], b[:m]) == 0.0:
        return
    for i in range(P.shape[0]):
        for r in range(ROWS):
            P[i, r] = G[last, i, r]
            for j in range(m):
                J = (newest - 1 - j) % _MEMORY
                P[i, r] -= b[j, 0] * (G[last, i, r] - G[J, i, r])


@allocating
def solve_cones(maps, law, shift, tolerance, most, P, x):
    """Solve for impulses P (n, 6), from a first guess, and x, given without them; (residual, sweeps).

    law (n, 4): friction, spinning, rolling, restitution (not used here); shift (n,) of the normals; ``most`` sweeps.
    """
    n = P.shape[0]
    D, x_free = np.zeros((n, 9)), x.copy()
    G, F = np.zeros((_MEMORY, n, ROWS)), np.zeros((_MEMORY, n, ROWS))
    A, b, before = np.zeros((_MEMORY, _MEMORY)), np.zeros((_MEMORY, 1)), np.zeros((n, ROWS))
    _diagonals(maps, law, D)
    least = _least_impulse(D, x_free)
    _restore(maps, x_free, P, x)
    kept, newest, best = 0, 0, math.inf
    for sweep in range(most):
        for i in range(n):
            for r in range(ROWS):
                before[i, r] = P[i, r]
        _sweep(maps, law, shift, D, P, x)
        residual = _residual(maps, law, shift, D, least, P, x)
        if residual <= tolerance:
            return residual, sweep + 1
        newest = (newest + 1) % _MEMORY
        kept = min(kept + 1, _MEMORY)
        for i in range(n):
            for r in range(ROWS):
                G[newest, i, r], F[newest, i, r] = P[i, r], P[i, r] - before[i, r]
        if residual > 2.0 * best:  # the extrapolation did harm: begin it anew
            kept = 1
        best = min(best, residual)
        if kept >= 3:
            _extrapolate(G, F, newest, kept, A, b, P)
            _restore(maps, x_free, P, x)
    return residual, most
