"""The coefficients of the generalized-α method."""

from __future__ import annotations


def coefficients(rho: float) -> tuple[float, float, float, float]:
    """α_m, α_f, γ, β for the spectral radius ρ at infinite frequency                    [Chung93, eqs (17)–(25)].

    α_m = (2ρ − 1)/(ρ + 1),   α_f = ρ/(ρ + 1),   γ = ½ − α_m + α_f,   β = ¼ (1 − α_m + α_f)²

    ρ = 1 is the trapezoidal rule (Newmark's average acceleration), which loses no energy.
    """
    alpha_m, alpha_f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
    return alpha_m, alpha_f, 0.5 - alpha_m + alpha_f, 0.25 * (1.0 - alpha_m + alpha_f) ** 2
