"""Generalized-α update of a step (``arrays.Scheme``) from x = u_f; value and adjoint."""

from __future__ import annotations

from panhead.engine.jit.compiler import part
from panhead.engine.jit.lanes import fma
from panhead.runs.linear.step.step_arrays import A, U, V


@part()
def advance(sc, x, u, v, a, u1, v1, a1):
    """u₁, v₁ and, where they matter, a₁ from x = u_f; all (n,)."""
    share = 1.0 / (1.0 - sc.alpha_f)
    for i in range(x.shape[0]):
        u1[i] = fma(x[i] - u[i], share, u[i])
    for i in range(x.shape[0]):
        v1[i] = fma(sc.v_v, v[i], sc.C_u * (u1[i] - u[i]))
    if not sc.lossless:
        for i in range(x.shape[0]):
            v1[i] = fma(sc.v_a, a[i], v1[i])
            a1[i] = fma(sc.a_a, a[i], fma(sc.a_v, v[i], sc.a_u * (u1[i] - u[i])))


@part()
def advance_adjoint(sc, q, load):
    """U = ū + C_u v̄ + a_u ā; q (3, n), load (n,)."""
    for i in range(load.shape[0]):
        load[i] = fma(sc.C_u, q[V, i], q[U, i])
    if not sc.lossless:
        for i in range(load.shape[0]):
            load[i] = fma(sc.a_u, q[A, i], load[i])


@part()
def averages(sc, u0, v0, a0, u1):
    """u_f, m = M_u u_f − s_M and c = C_u u_f − s_C of one coordinate in a step from u₀, v₀, a₀ to u₁."""
    u_f = (1.0 - sc.alpha_f) * u1 + sc.alpha_f * u0
    m = sc.M_u * (u_f - u0) - sc.M_v * v0 - sc.M_a * a0
    c = sc.C_u * (u_f - u0) - sc.C_v * v0 - sc.C_a * a0
    return u_f, m, c
