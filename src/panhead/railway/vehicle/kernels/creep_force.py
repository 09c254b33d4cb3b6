"""Creep forces: Kalker's linear theory, and how it saturates at μN.

With longitudinal, lateral and spin creepages ξ, η [1], φ [1/m] and c² = ab, the forces on the wheel
are, small as they are,

    F_x = −G c² C₁₁ ξ,   F_y = −G c² (C₂₂ η + c C₂₃ φ),   M = −G c³ (−C₂₃ η + c C₃₃ φ)   [Kalker90]

and with T = |(F_x, F_y)| and τ = T/(μN) the saturated resultant is

    μN (τ − τ²/3 + τ³/27) for τ < 3, else μN                                    [Vermeulen64]
    μN 2/π (k_A ε/(1 + k_A² ε²) + arctan k_S ε),  ε = π τ/4                        [Polach05]

Polach's ε is written with Kalker's resultant, spin included. The law is a number: a kernel's switch.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from panhead.engine.jit.compiler import whole

LINEAR, JOHNSON_VERMEULEN, POLACH = 0, 1, 2


class Friction(NamedTuple):
    """A law of saturation and its numbers; μ = μ₀ ((1 − A) exp(−B w) + A) at the slip speed w."""

    law: int
    mu: float  #: μ₀
    k_A: float  #: Polach's reduction in the area of adhesion
    k_S: float  #: and in the area of slip
    A: float  #: friction at infinite slip over μ₀; 1: constant friction
    B: float  #: [s/m]


@whole
def saturation(tau, law, k_A, k_S):
    """Fraction of Kalker's linear resultant after saturation at τ = T/(μN) ≥ 0; 1 at τ = 0, ≤ 1/τ."""
    if law == LINEAR:
        return 1.0
    if law == JOHNSON_VERMEULEN:
        return 1.0 - tau * (1.0 / 3.0 - tau / 27.0) if tau < 3.0 else 1.0 / tau
    eps = 0.25 * math.pi * tau
    if eps < 1e-9:  # the limit of arctan(x)/x
        return 0.5 * (k_A + k_S)
    x = k_A * eps
    return 2.0 / math.pi * (x / (1.0 + x * x) + math.atan(k_S * eps)) / tau


@whole
def creep_force(xi, eta, phi, w, patch, N, friction):
    """(F_x, F_y, M) on the wheel [N, N, N·m]; creepages as in the head of the module.

    w the slip speed [m/s], patch = (G a b [N], √(ab) [m], C₁₁, C₂₂, C₂₃, C₃₃), N the normal force
    [N], friction a ``Friction``.
    """
    G_ab, c, C11, C22, C23, C33 = patch
    F_x = -G_ab * C11 * xi
    F_y = -G_ab * (C22 * eta + c * C23 * phi)
    M = -G_ab * c * (c * C33 * phi - C23 * eta)
    mu = friction.mu
    if friction.A < 1.0:
        mu *= (1.0 - friction.A) * math.exp(-friction.B * w) + friction.A
    T = math.sqrt(F_x * F_x + F_y * F_y)
    bound = mu * N
    # without a normal force nothing is left, whatever the creepage
    k = saturation(T / bound, friction.law, friction.k_A, friction.k_S) if bound > 0.0 else 0.0
    return k * F_x, k * F_y, k * M
