"""Defects of a line: wrong dropper lengths, worn wire, hard spots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from panhead.errors import ModelError, require_finite, require_not_negative, require_positive
from panhead.files.units import Dimensionless, Kilograms, Metres, NewtonsPerMetre


@dataclass(frozen=True, slots=True, kw_only=True)
class DropperError:
    """One dropper of a tension length is longer (+) or shorter (−) than it should be."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    span: int  #: 1 is the first span
    dropper: int  #: 1 is the span's first dropper
    error: Metres  #: length error, + if longer [m]

    def __post_init__(self) -> None:
        require_positive(self, "span", "dropper")
        require_finite(self, "error")


@dataclass(frozen=True, slots=True, kw_only=True)
class WornSection:
    """The contact wire has lost cross-section between two places; its tension stays.

    Mass and EA shrink with the section that remains, EI with its square (a round section's I ~ A²).
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    start: Metres  #: from the first mast of the tension length [m]
    end: Metres  #: end of the section [m]
    remaining: Dimensionless  #: remaining fraction of the cross-section, 0 … 1

    def __post_init__(self) -> None:
        require_not_negative(self, "start")
        require_positive(self, "end", "remaining")
        if self.end <= self.start:
            raise ModelError(f"WornSection: end {self.end:g} m must be greater than start {self.start:g} m")
        if self.remaining > 1.0:
            raise ModelError(f"WornSection: remaining must be at most 1, got {self.remaining:g}")


@dataclass(frozen=True, slots=True, kw_only=True)
class HardSpot:
    """A splice or section insulator: a lumped mass on the contact wire, or a spring to ground."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    position: Metres  #: from the first mast of the tension length [m]
    mass: Kilograms = 0.0  #: point mass [kg]
    stiffness: NewtonsPerMetre = 0.0  #: vertical stiffness to ground [N/m]

    def __post_init__(self) -> None:
        require_not_negative(self, "position", "mass", "stiffness")
