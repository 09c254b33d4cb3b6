"""∂J/∂ of the matrices of a line, from the η of a stretch of steps: Σₙ ηₙ xₙᵀ where a matrix has entries.

With u_f = (1 − α) u₁ + α u₀ the equation of a step holds K u_f + M m + C c, so that x is u_f, m or c of that step. A
station at a time: what its entries add up to stays in registers while the steps go by. η is written step by step and
read station by station; ``SIDE`` stations lie side by side, so that either way goes through the memory in runs.
"""

from __future__ import annotations

from panhead.kernels.compiling import part, whole
from panhead.kernels.interaction_arrays import A, U, V
from panhead.kernels.lane_solve import add
from panhead.kernels.lanes import fma, four_zeros, take, take4

SIDE = 15  # stations of which η lies side by side; not 16, whose 4 kB would all meet in the same lines of the cache


@whole
def average_steps(sc, kept, row, mean):
    """mean (3, steps, ns, nt, 4) = u_f, m and c of the steps that begin in these rows of ``kept``."""
    af = sc.alpha_f
    for n in range(row.shape[0]):
        q0, q1 = kept.q[row[n]], kept.q[row[n] + 1]
        for i in range(q0.shape[1]):
            for t in range(q0.shape[2]):
                for k in range(4):
                    u, v, a = q0[U, i, t, k], q0[V, i, t, k], q0[A, i, t, k]
                    u_f = (1.0 - af) * q1[U, i, t, k] + af * u
                    mean[0, n, i, t, k] = u_f
                    mean[1, n, i, t, k] = sc.M_u * (u_f - u) - sc.M_v * v - sc.M_a * a
                    mean[2, n, i, t, k] = sc.C_u * (u_f - u) - sc.C_v * v - sc.C_a * a


@whole
def add_outer(line, eta, mean, steps, smooth, kinked):
    """K, M and C of two slopes += Σ ηₙ xₙᵀ: over the steps before steps[1, 0] and those after, numbers in steps[0].

    eta as ``Back.past``, in lanes; mean (3, steps, ns, nt, 4).
    """
    ns, nt = mean.shape[2], mean.shape[3]
    half, whole = steps[1, 0], steps.shape[1]
    for i in range(ns):
        for t in range(nt):
            for d in range(3):
                j = i + (0 if d == 0 else -1 if d == 1 else 1)
                if 0 <= j < ns:
                    for slope, first, stop in ((smooth, 0, half), (kinked, half, whole)):
                        if first < stop:
                            _add_entries(eta, mean[0, :, j, t], steps[0, first:stop], i, t, d, slope.K)
                            _add_entries(eta, mean[1, :, j, t], steps[0, first:stop], i, t, d, slope.M)
                            if line.damped:
                                _add_entries(eta, mean[2, :, j, t], steps[0, first:stop], i, t, d, slope.C)
    for slope, first, stop in ((smooth, 0, half), (kinked, half, whole)):
        _add_rest(line.K.place, eta, mean[0], steps[0, first:stop], slope.K_rest)
        _add_rest(line.M.place, eta, mean[1], steps[0, first:stop], slope.M_rest)
        _add_rest(line.C.place, eta, mean[2], steps[0, first:stop], slope.C_rest)


@part()
def _add_entries(eta, x, steps, i, t, d, S):
    """The eight entries by which the coordinates of tile t at station i meet x (steps, 4), those of a neighbour."""
    own, other = four_zeros(eta), four_zeros(eta)
    for n in steps:
        e, y = take4(eta, (i // SIDE, n, i % SIDE, t)), x[n]
        own = (fma(y[0], e[0], own[0]), fma(y[1], e[1], own[1]), fma(y[2], e[2], own[2]), fma(y[3], e[3], own[3]))
        other = (
            fma(y[1], e[0], other[0]), fma(y[0], e[1], other[1]), fma(y[3], e[2], other[2]), fma(y[2], e[3], other[3]),
        )  # fmt: skip
    for k in range(4):
        add(S, (i, d, t, k), own[k])
        add(S, (i, d, t, 4 + k), other[k])


@part()
def _add_rest(place, eta, x, steps, S):
    """The same for entries beside the pairs."""
    for k in range(place.shape[0]):
        i, d, j, e = place[k, 0], place[k, 1], place[k, 2], place[k, 3]
        for n in steps:
            add(S, (k,), take(eta, (i // SIDE, n, i % SIDE, d >> 2, d & 3)) * x[n, j, e >> 2, e & 3])
