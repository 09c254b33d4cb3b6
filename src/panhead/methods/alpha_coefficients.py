"""The numbers of the generalized-α method, from the damping that is wanted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from panhead.errors import ModelError


@final
@dataclass(frozen=True, slots=True)
class AlphaCoefficients:
    """α_m, α_f, γ, β of the wanted spectral radius ρ at infinite frequency        [Chung93, eq. (25)].

        α_m = (2ρ − 1)/(ρ + 1),  α_f = ρ/(ρ + 1),  γ = ½ − α_m + α_f,  β = (1 − α_m + α_f)²/4

    ρ = 1 is the trapezoidal rule (Newmark's average acceleration), which loses no energy.
    """

    alpha_m: float
    alpha_f: float
    gamma: float
    beta: float

    @staticmethod
    def of(rho: float) -> AlphaCoefficients:
        """Of the spectral radius ``rho``, 0 … 1."""
        if not 0.0 <= rho <= 1.0:
            raise ModelError(f"spectral_radius must be between 0 and 1, got {rho!r}")
        alpha_m, alpha_f = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
        gamma = 0.5 + alpha_f - alpha_m
        return AlphaCoefficients(alpha_m, alpha_f, gamma, 0.25 * (gamma + 0.5) ** 2)
