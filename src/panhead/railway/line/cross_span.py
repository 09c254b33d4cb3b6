"""Cross-spans: ropes across the track from which a contact wire without messenger hangs (trams, depots, stations)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from panhead.errors import require_not_negative, require_positive
from panhead.files.units import KilogramsPerMetre, Metres, Newtons


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossSpan:
    """A taut rope between two poles or walls; the contact wire hangs from a point of it.

    Pushed up by F at its point, a rope of the tension T with the lengths a and b on either side yields by F/k,

        k = T (1/a + 1/b),   m = μ (a + b)/3

    where m is the part of its mass that moves with that point: the rope is a triangle, ∫ μ w² dx/w₀² = μ (a + b)/3.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    tension: Newtons  #: T [N]
    left: Metres  #: a, from the wire to the pole on its left [m]
    right: Metres  #: b [m]
    mass_per_length: KilogramsPerMetre = 0.0  #: μ [kg/m]

    def __post_init__(self) -> None:
        require_positive(self, "tension", "left", "right")
        require_not_negative(self, "mass_per_length")

    @property
    def stiffness(self) -> float:
        """k [N/m]."""
        return self.tension * (1.0 / self.left + 1.0 / self.right)

    @property
    def moving_mass(self) -> float:
        """m [kg]."""
        return self.mass_per_length * (self.left + self.right) / 3.0
