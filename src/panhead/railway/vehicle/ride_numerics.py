"""Numerical settings of vehicle runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, final

from panhead.errors import require_positive
from panhead.files.units import Seconds

if TYPE_CHECKING:
    from panhead.engine.methods.integrators import GeneralizedAlpha


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RideNumerics:
    """Time step of the generalized-α method, and stored output."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    step: Seconds = 1e-3  #: time step
    keep: Seconds = 1e-2  #: time between stored states
    spectral_radius: float = 0.9  #: spectral radius at infinite frequency; 1: no numerical damping
    tolerance: float = 1e-9  #: tolerance of a Newton step [m, rad]

    def __post_init__(self) -> None:
        require_positive(self, "step", "keep")
        self.method()

    def method(self) -> GeneralizedAlpha:
        """Integration method with these settings."""
        from panhead.engine.methods.integrators import GeneralizedAlpha

        return GeneralizedAlpha(
            spectral_radius=self.spectral_radius, tolerance=self.tolerance, factor="while it serves"
        )
