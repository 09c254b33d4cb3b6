"""Wear index of the contact wire along its length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from panhead.errors import require_not_negative, require_positive
from panhead.files.units import Amperes, Dimensionless, MetresPerSecond, Newtons


@dataclass(frozen=True, slots=True, kw_only=True)
class WearLaw:
    """Wear index of a contact wire: friction, current through the contact, arcs while contact is lost.

        w = a (F/F₀)^β ((1 + I/I₀)/2)^−α + b (I/I₀)² (F₀/F)^γ (v₀/v) + c (I/I₀) (v₀/v) if contact is lost

    The three causes, and that a current lubricates the friction, are those of [Bucca09], [Bucca15]; the shape of the
    terms is recalled from there, and the numbers below are assumptions: they depend on wire and strip and are fitted to
    a test rig. w is 1 at F₀, I₀, v₀ in contact. It compares places and runs; it is no millimetre per passage.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    force: Newtons = 120.0  #: reference force F₀
    current: Amperes = 500.0  #: reference current I₀
    speed: MetresPerSecond = 55.0  #: reference speed v₀
    friction: Dimensionless = 0.6  #: weight a of friction
    heat: Dimensionless = 0.4  #: weight b of resistive heating
    arc: Dimensionless = 20.0  #: weight c of arcing
    friction_force: Dimensionless = 1.0  #: exponent β of the force in friction
    lubrication: Dimensionless = 0.5  #: exponent α of the lubrication by current
    heat_force: Dimensionless = 0.5  #: exponent γ of the contact resistance
    least_force: Newtons = 10.0  #: force below which the contact resistance no longer increases

    def __post_init__(self) -> None:
        require_positive(self, "force", "current", "speed", "least_force")
        for name in ("friction", "heat", "arc", "friction_force", "lubrication", "heat_force"):
            require_not_negative(self, name)

    def index(self, force: np.ndarray, current: float, speed: np.ndarray) -> np.ndarray:
        """w (n,) at forces (n,) [N], a current [A] and speeds (n,) [m/s]."""
        f, i = np.maximum(force, 0.0) / self.force, current / self.current
        pressed = np.maximum(force, self.least_force) / self.force
        slow = self.speed / np.maximum(speed, 0.1)
        rubbed = self.friction * f**self.friction_force * (0.5 * (1.0 + i)) ** -self.lubrication
        touching = rubbed + self.heat * i**2 * pressed**-self.heat_force * slow
        return np.where(np.asarray(force) > 0.0, touching, self.arc * i * slow)
