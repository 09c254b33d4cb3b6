"""A force that runs along a stretched wire at constant speed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, final

import numpy as np

from panhead.engine.bodies import Cable, PointMass
from panhead.engine.forces import Push
from panhead.engine.joints import Coupled, Held, Sliding
from panhead.engine.multibody import Model
from panhead.engine.roles import Expression
from panhead.files.units import Metres, MetresPerSecond, Newtons

_AREA = 144e-6  # [m²], round
_YOUNG = 1.2e11  # [Pa], copper


@final
@dataclass(frozen=True, slots=True)
class ConstantSpeed:
    """x = start + speed · t, as an expression of time."""

    start: float  #: [m]
    speed: float  #: [m/s]

    def __call__(self, t: Expression) -> Expression:
        return self.start + self.speed * t


def moving_load(
    form: Literal["augmented", "embedded"] = "embedded",
    *,
    length: Metres = 100.0,
    elements: int = 100,
    tension: Newtons = 20e3,
    force: Newtons = 100.0,
    speed: MetresPerSecond = 100 / 3.6,
    start: Metres = 0.5,
) -> Model:
    """A copper wire without weight, clamped at both ends; a light slider carries a steady force upward.

    The slider starts at ``start`` with its full speed and is led along x; ``form`` is that of its joint.
    """
    wire = Cable(
        name="wire",
        nodes=tuple((float(x), 0.0) for x in np.linspace(0.0, length, elements + 1)),
        mass_per_length=1.35,
        axial_stiffness=_YOUNG * _AREA,
        bending_stiffness=_YOUNG * _AREA**2 / (4 * math.pi),
        tension=tension,
    )
    slider = PointMass(name="slider", mass=1e-3, position=(start, 0, 0), velocity=(speed, 0, 0), planar=True)
    held = {f"wire.0{part}": 0.0 for part in ("x", "y", "'y")}
    held |= {f"wire.{elements}x": length, f"wire.{elements}y": 0.0, f"wire.{elements}'y": 0.0}
    items = (
        wire,
        Held(name="ends", values=held),
        slider,
        Coupled(name="drive", ratios={"slider.x": 1.0}, motion=ConstantSpeed(start, speed)),
        Sliding(name="slide", point=slider.at(), wire=wire.track(start), form=form),
        Push(name="push", at=slider.at(), force=(0.0, force, 0.0)),
    )
    return Model(name="force along a wire", items=items, gravity=(0.0, 0.0, 0.0))
