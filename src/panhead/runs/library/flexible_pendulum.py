"""A rubber rod that falls about its hinged end."""

from __future__ import annotations

import numpy as np

from panhead.engine.bodies import Cable
from panhead.engine.joints import Held
from panhead.engine.multibody import Model
from panhead.files.units import KilogramsPerMetre, Metres, Newtons, NewtonSquareMetres


def flexible_pendulum(
    elements: int = 16,
    *,
    length: Metres = 1.0,
    mass_per_length: KilogramsPerMetre = 0.35,
    axial_stiffness: Newtons = 600.0,
    bending_stiffness: NewtonSquareMetres = 0.015,
) -> Model:
    """The rod starts straight along x and at rest; its end at the origin is hinged, gravity acts along −y."""
    rod = Cable(
        name="rod",
        nodes=tuple((float(x), 0.0) for x in np.linspace(0.0, length, elements + 1)),
        mass_per_length=mass_per_length,
        axial_stiffness=axial_stiffness,
        bending_stiffness=bending_stiffness,
    )
    hinge = Held(name="hinge", values={"rod.0x": 0.0, "rod.0y": 0.0})
    return Model(name="flexible pendulum", items=(rod, hinge), gravity=(0.0, -9.81, 0.0))
