"""Wires of a line and their materials."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

from panhead.errors import ModelError, require_finite, require_not_negative, require_positive
from panhead.files.assumed_defaults import ZERO
from panhead.files.units import (
    Dimensionless,
    KilogramsPerMetre,
    Metres,
    Newtons,
    NewtonsPerMetre,
    NewtonSquareMetres,
    PerSecond,
    Seconds,
    SquareMetres,
    Unit,
)

PerKelvin = Annotated[float, Unit("1/degC")]
NewtonSecondsPerSquareMetre = Annotated[float, Unit("N*s/m**2")]


@dataclass(frozen=True, slots=True)
class Material:
    """Material of a wire."""

    density: float  #: [kg/m³]
    modulus: float  #: Young's modulus [Pa]
    expansion: float = 17e-6  #: thermal expansion [1/K]


#: Drawn copper, its alloys and strand materials; density and modulus as in [Kiessling18, ch. 11].
MATERIALS: Final = {
    "copper": Material(8890.0, 120e9),
    "copper-silver": Material(8890.0, 120e9),
    "copper-tin": Material(8890.0, 120e9),
    "copper-magnesium": Material(8890.0, 120e9),
    "bronze": Material(8900.0, 113e9),
    "copper-clad-steel": Material(8200.0, 160e9, 13e-6),
    "aluminium-clad-steel": Material(6590.0, 162e9, 13e-6),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """A wire under tension: an Euler–Bernoulli beam with a constant horizontal force H.

        μ ẅ + μ α ẇ + (1 + β ∂/∂t)(EI w⁗ − H w″) = f

    Either its mass per length is given, or a material and a cross-section, from which the mass,
    EA and EI follow (a strand of n equal wires bends like n separate ones: EI = E A²/(4π n)).
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    tension: Newtons
    """Horizontal component H of the tension, kept by the tensioning weights; 0 for a conductor rail."""
    mass_per_length: KilogramsPerMetre | None = None  #: mass per unstretched length [kg/m]
    bending_stiffness: NewtonSquareMetres | None = None  #: bending stiffness EI; 0 by default [N·m²]
    axial_stiffness: Newtons | None = None  #: axial stiffness EA; inextensible by default [N]
    material: str | None = None  #: material from the built-in table
    area: SquareMetres | None = None  #: area of the cross-section [m²]
    strands: int = 1  #: number of wires in the strand; 1: solid
    mass_damping: PerSecond = ZERO  #: mass-proportional damping α [1/s]
    stiffness_damping: Seconds = ZERO  #: stiffness-proportional damping β [s]
    diameter: Metres | None = None  #: diameter for wind and ice [m]; None: that of a round wire of the given area
    drag: Dimensionless = 1.1  #: drag coefficient c_d across the wind
    expansion: PerKelvin | None = None
    """Coefficient of thermal expansion α per kelvin; None: that of the material, or of copper."""
    side_load: NewtonsPerMetre = 0.0  #: steady lateral load, + to the left, such as wind [N/m]
    air_damping: NewtonSecondsPerSquareMetre = 0.0
    """Aerodynamic damping of lateral motion; half of it acts on vertical motion."""

    def __post_init__(self) -> None:
        require_not_negative(self, "tension", "mass_damping", "stiffness_damping", "drag", "air_damping")
        require_finite(self, "side_load", "expansion")
        for name in ("mass_per_length", "area", "axial_stiffness", "strands", "diameter"):
            if getattr(self, name) is not None:
                require_positive(self, name)
        if self.bending_stiffness is not None:
            require_not_negative(self, "bending_stiffness")
        self._require_substance()
        if not (self.tension > 0.0 or self.EI > 0.0):
            raise ModelError(
                f"Wire: tension must be > 0, got {self.tension!r}; only a conductor rail "
                "(bending_stiffness > 0) may have tension 0"
            )

    def _require_substance(self) -> None:
        if self.material is not None and self.material not in MATERIALS:
            known = ", ".join(sorted(MATERIALS))
            raise ModelError(f"Wire: material {self.material!r} is unknown; known: {known}")
        if self.mass_per_length is None and (self.material is None or self.area is None):
            raise ModelError("Wire: give mass_per_length, or material and area")

    @property
    def mu(self) -> float:
        """Mass per length μ [kg/m]."""
        if self.mass_per_length is not None:
            return self.mass_per_length
        assert self.material is not None  # _require_substance
        assert self.area is not None
        return MATERIALS[self.material].density * self.area

    @property
    def EI(self) -> float:
        """Bending stiffness [N·m²]."""
        if self.bending_stiffness is not None:
            return self.bending_stiffness
        if self.material is None or self.area is None:
            return 0.0
        return MATERIALS[self.material].modulus * self.area**2 / (4.0 * math.pi * self.strands)

    @property
    def EA(self) -> float:
        """Axial stiffness [N]; infinite if not given."""
        if self.axial_stiffness is not None:
            return self.axial_stiffness
        if self.material is None or self.area is None:
            return math.inf
        return MATERIALS[self.material].modulus * self.area

    @property
    def alpha(self) -> float:
        """Thermal expansion [1/K]."""
        if self.expansion is not None:
            return self.expansion
        return MATERIALS[self.material or "copper"].expansion

    @property
    def width(self) -> float:
        """Diameter exposed to wind and ice [m]; a strand fills three quarters of its circle, a new contact wire all."""
        if self.diameter is not None:
            return self.diameter
        filled = 1.0 if self.strands == 1 else 0.75
        area = self.mu / MATERIALS[self.material or "copper"].density if self.area is None else self.area
        return math.sqrt(4.0 * area / (math.pi * filled))

    @property
    def wave_speed(self) -> float:
        """c = √(H/μ) of transverse waves long against √(EI/H) [m/s]."""
        return math.sqrt(self.tension / self.mu)
