"""Hertz's contact of two crossed cylinders, a wire on a strip: its stiffness from radii and moduli."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from panhead.errors import ModelError, require_positive
from panhead.files.units import Dimensionless, Metres, Pascals

_ROUND = 1e-5  # of the ratio of radii: nearer to one the patch is a circle, to the tenth digit


@dataclass(frozen=True, slots=True, kw_only=True)
class HertzContact:
    """Wire and strip as crossed cylinders: their radii and moduli give K of F = K δ^{3/2}.

    A strip is flat along the wire but for its wear and crown; its radius there is large, and an estimate.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    wire_radius: Metres = 0.006  #: of the wire's underside, across it [m]; 113 mm²: 6 mm
    strip_radius: Metres = 0.35  #: of the strip's surface, along the wire [m]; an assumption
    wire_young: Pascals = 120e9  #: Young's modulus of the wire [Pa]; copper
    strip_young: Pascals = 12e9  #: Young's modulus of the strip [Pa]; carbon
    wire_poisson: Dimensionless = 0.34  #: Poisson's ratio of the wire
    strip_poisson: Dimensionless = 0.2  #: Poisson's ratio of the strip

    def __post_init__(self) -> None:
        require_positive(self, "wire_radius", "strip_radius", "wire_young", "strip_young")
        for name in ("wire_poisson", "strip_poisson"):
            if not -1.0 < (value := getattr(self, name)) <= 0.5:
                raise ModelError(f"HertzContact: {name} must lie between -1 and 0.5, got {value!r}")

    @property
    def stiffness(self) -> float:
        """K [N/m^{3/2}]."""
        return hertz_stiffness(
            radius_1=self.wire_radius,
            radius_2=self.strip_radius,
            young_1=self.wire_young,
            young_2=self.strip_young,
            poisson_1=self.wire_poisson,
            poisson_2=self.strip_poisson,
        )


def hertz_stiffness(
    *, radius_1: float, radius_2: float, young_1: float, young_2: float, poisson_1: float = 0.3, poisson_2: float = 0.3
) -> float:
    """K of F = K δ^{3/2} for two cylinders whose axes cross at a right angle   [Johnson85, eqs (4.24)–(4.32)].

        δ = (9 F² / 16 E*² R_e)^{1/3} F₂(e),   1/E* = (1 − ν₁²)/E₁ + (1 − ν₂²)/E₂,   R_e = √(R₁ R₂)

    The ellipse's ratio b/a follows from R₁/R₂; equal radii touch as a sphere of radius R on a plane,
    K = 4/3 E* √R. Radii [m], moduli [Pa]; K [N/m^{3/2}].
    """
    positive = {"radius_1": radius_1, "radius_2": radius_2, "young_1": young_1, "young_2": young_2}
    for name, x in positive.items():
        if not (x > 0.0 and math.isfinite(x)):
            raise ModelError(f"hertz_stiffness: {name} must be finite and > 0, got {x!r}")
    E = 1.0 / ((1 - poisson_1**2) / young_1 + (1 - poisson_2**2) / young_2)
    ratio = max(radius_1, radius_2) / min(radius_1, radius_2)
    R_e = math.sqrt(radius_1 * radius_2)
    if ratio < 1.0 + _ROUND:
        return 4.0 / 3.0 * E * math.sqrt(R_e)

    from scipy.optimize import brentq  # few runs give radii and moduli, and these take long to load
    from scipy.special import ellipe, ellipkm1

    def mismatch(log_x: float) -> float:
        x = math.exp(log_x)  # b/a < 1; the modulus is e² = 1 − x²
        K, L = ellipkm1(x * x), ellipe(1.0 - x * x)
        return math.log((L / (x * x) - K) / (K - L)) - math.log(ratio)

    x = math.exp(brentq(mismatch, -15.0, -1e-6))
    m = 1.0 - x * x
    K, L = ellipkm1(x * x), ellipe(m)
    # F₁ of the ellipse, and the approach it gives
    F1 = (4.0 / (math.pi * m)) ** (1 / 3) * x**0.5 * ((L / (x * x) - K) * (K - L)) ** (1 / 6)
    F2 = 2.0 / math.pi * math.sqrt(x) * K / F1
    return 4.0 / 3.0 * E * math.sqrt(R_e) / F2**1.5
