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
    """A cross-section by its integrals about the centroid, y and z along its principal axes.

    Warping is neglected, and so is the distance between centroid and shear centre of open sections.
    """

    area: float  #: A [m²]
    inertia_y: float  #: I_y = ∫ z² dA, bending in the plane of x and z [m⁴]
    inertia_z: float  #: I_z = ∫ y² dA, bending in the plane of x and y [m⁴]
    torsion: float  #: J_t of Saint-Venant [m⁴]
    shear_y: float | None = None  #: area that carries shear along y [m²]; None: 5/6 of all, as in a rectangle
    shear_z: float | None = None  #: along z [m²]

    def __post_init__(self) -> None:
        given = [name for name in ("shear_y", "shear_z") if getattr(self, name) is not None]
        require_positive(self, "area", "inertia_y", "inertia_z", "torsion", *given)

    @property
    def shear_areas(self) -> tuple[float, float]:
        """Along y and along z [m²]."""
        y, z = self.shear_y, self.shear_z
        return (5 / 6 * self.area if y is None else y, 5 / 6 * self.area if z is None else z)

    @property
    def round(self) -> bool:
        """Bends alike about all axes."""
        return math.isclose(self.inertia_y, self.inertia_z, rel_tol=1e-9)

    @classmethod
    def tube(cls, *, diameter: float, thickness: float | None = None) -> Section:
        """A round tube by its outer diameter and wall [m]; without a wall a full rod. Shear by [Cowper66], ν = 0."""
        wall = diameter / 2 if thickness is None else thickness
        if not 0 < wall <= diameter / 2:
            raise ModelError(
                f"Section: the wall of a tube of diameter {diameter!r} must lie in 0 … {diameter / 2!r}, got {wall!r}"
            )
        inner = diameter - 2 * wall
        second = math.pi / 64 * (diameter**4 - inner**4)
        area = math.pi / 4 * (diameter**2 - inner**2)
        ratio = (inner / diameter) ** 2
        shear = area * 6 * (1 + ratio) ** 2 / (7 * (1 + ratio) ** 2 + 20 * ratio)
        return cls(area=area, inertia_y=second, inertia_z=second, torsion=2 * second, shear_y=shear, shear_z=shear)

    @classmethod
    def channel(cls, *, web: float, flange: float, web_wall: float, flange_wall: float) -> Section:
        """A channel: outer height of its web along y, width of its flanges along z, and their walls [m].

        J_t = Σ b t³ / 3 of its three strips, as for every thin-walled open section; the web carries shear along y, the
        flanges along z.
        """
        if not (0 < web_wall < flange and 0 < 2 * flange_wall < web):
            raise ModelError(
                f"Section: walls {web_wall!r} and {flange_wall!r} do not fit a channel of {web!r} × {flange!r}"
            )
        inside = web - 2 * flange_wall
        strips = ((inside, web_wall, web_wall / 2), *((flange_wall, flange, flange / 2),) * 2)  # along y, z, centre z
        area = sum(y * z for y, z, _ in strips)
        centre = sum(y * z * at for y, z, at in strips) / area
        return cls(
            area=area,
            inertia_y=sum(y * z**3 / 12 + y * z * (at - centre) ** 2 for y, z, at in strips),
            inertia_z=(flange * web**3 - (flange - web_wall) * inside**3) / 12,
            torsion=(inside * web_wall**3 + 2 * flange * flange_wall**3) / 3,
            shear_y=web * web_wall,
            shear_z=5 / 3 * flange * flange_wall,
        )

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
