"""A chain of masses: forces of its suspensions with dry friction and stops, and their derivatives."""

from __future__ import annotations

import math

from numba import njit


@njit(cache=True)
def add_chain_force(z, v, k, c, friction, friction_speed, stop_up, stop_down, stop_k, out):
    """out += suspension forces on the masses, upward positive [N].

    Suspension i is between mass i and mass i + 1 (the last one: and the roof at 0). With d, ḋ its
    stretch the upper mass feels

        f = −k d − c ḋ − R tanh(ḋ/v_R) − k_s max(0, d − up) + k_s max(0, −down − d)

    and the lower one −f. z, v, out and all parameters (n,), head first.
    """
    n = z.shape[0]
    for i in range(n):
        low, low_v = (z[i + 1], v[i + 1]) if i + 1 < n else (0.0 * z[i], 0.0 * v[i])
        d, dv = z[i] - low, v[i] - low_v
        f = -k[i] * d - c[i] * dv
        if friction[i] > 0.0:
            f -= friction[i] * math.tanh(dv / friction_speed[i])
        if d > stop_up[i]:
            f -= stop_k[i] * (d - stop_up[i])
        elif d < -stop_down[i]:
            f -= stop_k[i] * (d + stop_down[i])
        out[i] += f
        if i + 1 < n:
            out[i + 1] -= f


@njit(cache=True)
def add_chain_tangent(z, v, k, c, friction, friction_speed, stop_up, stop_down, stop_k, f_q, f_v):
    """f_q += ∂f/∂z and f_v += ∂f/∂v of ``add_chain_force``, each (n, n)."""
    n = z.shape[0]
    for i in range(n):
        low, low_v = (z[i + 1], v[i + 1]) if i + 1 < n else (0.0, 0.0)
        d, dv = z[i] - low, v[i] - low_v
        stiff, damp = k[i], c[i]
        if friction[i] > 0.0:
            damp += friction[i] / friction_speed[i] / math.cosh(min(dv / friction_speed[i], 50.0)) ** 2
        if d > stop_up[i] or d < -stop_down[i]:
            stiff += stop_k[i]
        f_q[i, i] -= stiff
        f_v[i, i] -= damp
        if i + 1 < n:
            f_q[i + 1, i + 1] -= stiff
            f_q[i, i + 1] += stiff
            f_q[i + 1, i] += stiff
            f_v[i + 1, i + 1] -= damp
            f_v[i, i + 1] += damp
            f_v[i + 1, i] += damp
