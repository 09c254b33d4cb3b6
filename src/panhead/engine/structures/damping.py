"""Modal damping of a reduced structure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from panhead.errors import ModelError, require_not_negative


@final
@dataclass(frozen=True, slots=True)
class ModalRatios:
    """C = diag(2 ζᵢ ωᵢ): a share of critical damping for every coordinate; the last one given serves the rest."""

    ratios: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.ratios or not all(0 <= z < 1 for z in self.ratios):
            raise ModelError(f"ModalRatios: ratios lie in 0 … 1, got {self.ratios!r}")

    def matrix(self, omega: np.ndarray) -> np.ndarray:
        """C for unit modal masses, (k, k) [1/s]."""
        if len(self.ratios) > len(omega):
            raise ModelError(
                f"ModalRatios: {len(self.ratios)} ratios for {len(omega)} coordinates; give at most one per coordinate"
            )
        rest = (self.ratios[-1],) * (len(omega) - len(self.ratios))
        return np.diag(2 * np.array(self.ratios + rest) * omega)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Rayleigh:
    """C = α M + β K of the deformation; a rigid motion is not damped."""

    alpha: float = 0.0  #: α [1/s]
    beta: float = 0.0  #: β [s]

    def __post_init__(self) -> None:
        require_not_negative(self, "alpha", "beta")

    def matrix(self, omega: np.ndarray) -> np.ndarray:
        """C for unit modal masses, (k, k) [1/s]."""
        return np.diag(self.alpha + self.beta * omega**2)


Damping = ModalRatios | Rayleigh
