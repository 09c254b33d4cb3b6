"""∂J/∂ of the matrices of a line, from the η of a stretch of steps: Σₙ ηₙ xₙᵀ where a matrix has entries.

With u_f = (1 − α) u₁ + α u₀ the equation of a step holds M m + C c + K u_f, so that x is u_f, m or c of that step. A
station at a time: what its entries add up to stays in registers while the steps go by.
"""

from __future__ import annotations

from panhead.kernels.block_tridiagonal import FMA
from panhead.kernels.compiling import part, whole
from panhead.kernels.interaction_arrays import A, U, V
from panhead.kernels.lane_solve import add
from panhead.kernels.lanes import fma, four_zeros, take, take4


@whole
def average_steps(sc, kept, steps, mean):
    """mean (steps, 3, n) = u_f, m and c of every step of a stretch."""
    af = sc.alpha_f
    for n in range(steps):
        _average(sc, af, kept.flat[n], kept.flat[n + 1], mean[n])


@part(FMA)
def _average(sc, af, f0, f1, out):
    for i in range(out.shape[1]):
        u, v, a = f0[U, i], f0[V, i], f0[A, i]
        u_f = (1.0 - af) * f1[U, i] + af * u
        out[0, i] = u_f
        out[1, i] = sc.M_u * (u_f - u) - sc.M_v * v - sc.M_a * a
        out[2, i] = sc.C_u * (u_f - u) - sc.C_v * v - sc.C_a * a


@whole
def add_outer(eta, x, which, wanted, place, S, rest):
    """S, rest += Σ ηₙ xₙᵀ over the steps n whose ``which`` is ``wanted``: pairs, and entries beside them (``Paired``).

    eta (steps, ns, nt, 4) and S (ns, 3, nt, 8), rest (k,) in lanes; x (steps, ns, nt, 4), which (steps,) bool.
    """
    ns, nt = S.shape[0], S.shape[2]
    for i in range(ns):
        for t in range(nt):
            for d in range(3):
                j = i + (0 if d == 0 else -1 if d == 1 else 1)
                if 0 <= j < ns:
                    _add_entries(eta, x, which, wanted, i, j, t, d, S)
    for k in range(place.shape[0]):
        i, d, j, e = place[k, 0], place[k, 1], place[k, 2], place[k, 3]
        for n in range(which.shape[0]):
            if which[n] == wanted:
                add(rest, (k,), x[n, j, e >> 2, e & 3] * take(eta, (n, i, d >> 2, d & 3)))


@part()
def _add_entries(eta, x, which, wanted, i, j, t, d, S):
    """The eight entries by which the coordinates of tile t at station i meet those at station j."""
    own, other = four_zeros(eta), four_zeros(eta)
    for n in range(which.shape[0]):
        if which[n] == wanted:
            e, y = take4(eta, (n, i, t)), x[n, j, t]
            own = (fma(y[0], e[0], own[0]), fma(y[1], e[1], own[1]), fma(y[2], e[2], own[2]), fma(y[3], e[3], own[3]))
            other = (
                fma(y[1], e[0], other[0]), fma(y[0], e[1], other[1]),
                fma(y[3], e[2], other[2]), fma(y[2], e[3], other[3]),
            )  # fmt: skip
    for k in range(4):
        add(S, (i, d, t, k), own[k])
        add(S, (i, d, t, 4 + k), other[k])
