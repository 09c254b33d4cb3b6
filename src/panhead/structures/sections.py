"""Cross-sections and materials of members."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from panhead.errors import ModelError, require_positive


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class BeamMaterial:
    """A linear elastic, isotropic material."""

    young: float  #: E [Pa]
    poisson: float  #: ν
    density: float  #: ρ [kg/m³]

    def __post_init__(self) -> None:
        require_positive(self, "young", "density")
        if not -1 < self.poisson <= 0.5:
            raise ModelError(f"Material: poisson must lie in −1 … 0.5, got {self.poisson!r}")

    @property
    def shear(self) -> float:
        """G = E / 2 (1 + ν) [Pa]."""
        return self.young / (2 * (1 + self.poisson))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A cross-section by its integrals about the centroid, y and z along its principal axes."""

    area: float  #: A [m²]
    inertia_y: float  #: I_y = ∫ z² dA, bending in the plane of x and z [m⁴]
    inertia_z: float  #: I_z = ∫ y² dA, bending in the plane of x and y [m⁴]
    torsion: float  #: J_t of Saint-Venant [m⁴]

    def __post_init__(self) -> None:
        require_positive(self, "area", "inertia_y", "inertia_z", "torsion")

    @property
    def round(self) -> bool:
        """Bends alike about all axes."""
        return math.isclose(self.inertia_y, self.inertia_z, rel_tol=1e-9)

    @classmethod
    def tube(cls, *, diameter: float, thickness: float | None = None) -> Section:
        """A round tube by its outer diameter and wall [m]; without a wall a full rod."""
        wall = diameter / 2 if thickness is None else thickness
        if not 0 < wall <= diameter / 2:
            raise ModelError(
                f"Section: the wall of a tube of diameter {diameter!r} must lie in 0 … {diameter / 2!r}, got {wall!r}"
            )
        inner = diameter - 2 * wall
        second = math.pi / 64 * (diameter**4 - inner**4)
        area = math.pi / 4 * (diameter**2 - inner**2)
        return cls(area=area, inertia_y=second, inertia_z=second, torsion=2 * second)

    @classmethod
    def rectangle(cls, *, width: float, height: float) -> Section:
        """A full rectangle, ``width`` along y and ``height`` along z [m].

        J_t = a b³ (1/3 − 64 b / (π⁵ a) Σ tanh(nπa / 2b) / n⁵), n odd, a ≥ b
        """
        a, b = max(width, height), min(width, height)
        if not b > 0:
            raise ModelError(f"Section: sides must be > 0, got {width!r} and {height!r}")
        series = sum(math.tanh(n * math.pi * a / (2 * b)) / n**5 for n in range(1, 40, 2))
        return cls(
            area=a * b,
            inertia_y=width * height**3 / 12,
            inertia_z=height * width**3 / 12,
            torsion=a * b**3 * (1 / 3 - 64 * b / (math.pi**5 * a) * series),
        )
