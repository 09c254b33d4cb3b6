"""∂J/∂ of far spans from the η of a stretch of steps, as ``interaction_outer`` does it for the matrices of a line.

A step holds Ω² u + m · a_b + … of the modes and m a_k + d v_k of the masts: with u, m and c the scheme's averages of a
step, of modes (k) and of masts (b), and η_k, η_b the adjoints of their equations,

    ∂J/∂Ω² = Σ η_k u_k,   ∂J/∂c = Σ η_k c_k,   ∂J/∂m = Σ η_b m_k + η_k m_b,   ∂J/∂d = Σ η_b c_k + η_k c_b

Lanes come first here: modes are what a vector register is filled with.
"""

from __future__ import annotations

from panhead.kernels.compiling import part, whole
from panhead.kernels.interaction_arrays import A, U, V
from panhead.kernels.interaction_outer import SIDE


@whole
def far_motion(far, first, q, eta, out):
    """out (rows, 3, n, k) = η, η̇, η̈ of what states hold of far spans, eta (rows, 3, ·): rates without m q̇_b, m q̈_b.

    first (n,): where the modes of each are in eta; q (rows, 3, ns·nt·4): the line.
    """
    for r in range(q.shape[0]):
        for n in range(far.base.shape[0]):
            modes, at = far.modes[n], far.base[n]
            for d in range(3):
                for k in range(modes):
                    out[r, d, n, k] = eta[r, d, first[n] + k]
            for j in range(far.mass.shape[1]):
                if far.free[n, j]:
                    v, a = q[r, V, at + j], q[r, A, at + j]
                    for k in range(modes):
                        out[r, V, n, k] -= v * far.mass[n, j, k]
                        out[r, A, n, k] -= a * far.mass[n, j, k]


@whole
def add_far(sc, far, steps, row, past, line_past, mean, x, lane, slope):
    """Add some steps to lanes from ``lane`` on of slope: Ω² and c (L, n, k), m and d (L, n, 2·nt·4, k).

    steps: their numbers; row (steps,): where each begins in far.kept; past (steps, n, k, L): η_k; line_past
    (⌈ns/SIDE⌉, steps, SIDE·nt·4, L): η of the line; mean (3, steps, ns·nt·4): its u, m, c; x (4, k): scratch.
    """
    for n in range(far.base.shape[0]):
        modes = far.modes[n]
        for s in steps:
            _averages(sc, far.kept[row[s]], far.kept[row[s] + 1], n, modes, x)
            for l in range(past.shape[3]):
                for k in range(modes):
                    x[3, k] = past[s, n, k, l]
                    slope[0][lane + l, n, k] += x[3, k] * x[0, k]
                    slope[1][lane + l, n, k] += x[3, k] * x[2, k]
                _add_masts(far, n, s, l, line_past, mean, x, slope[2][lane + l, n], slope[3][lane + l, n])


@part()
def _averages(sc, before, after, n, modes, x):
    """x[:3] = u_f, m and c of the modes of span n in a step between two states (3, n, k)."""
    for k in range(modes):
        step = (1.0 - sc.alpha_f) * (after[U, n, k] - before[U, n, k])
        v, a = before[V, n, k], before[A, n, k]
        x[0, k] = before[U, n, k] + step
        x[1, k] = sc.M_u * step - sc.M_v * v - sc.M_a * a
        x[2, k] = sc.C_u * step - sc.C_v * v - sc.C_a * a


@part()
def _add_masts(far, n, s, l, line_past, mean, x, mass, drag):
    """m and d (2·nt·4, k) of span n by step s."""
    size = far.mass.shape[1] // 2
    station = far.base[n] // size
    for j in range(2 * size):
        if far.free[n, j]:
            i = station + j // size
            e = line_past[i // SIDE, s, i % SIDE * size + j % size, l]
            m, c = mean[1, s, far.base[n] + j], mean[2, s, far.base[n] + j]
            for k in range(far.modes[n]):
                mass[j, k] += e * x[1, k] + m * x[3, k]
                drag[j, k] += e * x[2, k] + c * x[3, k]
