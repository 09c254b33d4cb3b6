"""Contact law with damping that grows with depth (Lankarani–Nikravesh). The linear law is ``unilateral_spring``.

    F = K δⁿ (1 + χ δ̇/δ̇⁻)   where δ > 0 and 1 + χ δ̇/δ̇⁻ > 0, else 0,   χ = ¾ (1 − e²)              [Lankarani90]
    V = K δ₊ⁿ⁺¹/(n + 1),   D = (F − K δ₊ⁿ) δ̇ ≥ 0,   F δ̇ = dV/dt + D

δ is how deep both bodies have gone into each other, δ̇⁻ the rate with which the present contact began, e the
coefficient of restitution, n ≥ 1 (Hertz: 3/2). F has no jump at δ = 0.
"""

from __future__ import annotations

from typing import Any


def hysteresis(restitution: Any) -> Any:
    """χ = ¾ (1 − e²)."""
    return 0.75 * (1.0 - restitution**2)


def elastic_force(depth: Any, K: Any, n: Any) -> Any:
    """K δ₊ⁿ [N]."""
    return K * (depth * (depth > 0)) ** n


def energy(depth: Any, K: Any, n: Any) -> Any:
    """V [J]; n = 1 is the linear law's."""
    return K * (depth * (depth > 0)) ** (n + 1.0) / (n + 1.0)


def lankarani_nikravesh(depth: Any, rate: Any, K: Any, n: Any, chi: Any, impact: Any) -> tuple[Any, Any, Any]:
    """F [N], ∂F/∂δ [N/m] and ∂F/∂δ̇ [N·s/m]."""
    g = depth * (depth > 0)
    share = 1.0 + chi / impact * rate
    on = (depth > 0) * (share > 0)
    elastic = K * g**n
    return elastic * share * on, n * K * g ** (n - 1.0) * share * on, elastic * chi / impact * on
