"""A slider-crank whose connecting rod bends and stretches."""

from __future__ import annotations

import math

import numpy as np

from panhead.engine.bodies import Cable, PlanarBody, PointMass, ground
from panhead.engine.joints import Held, Revolute
from panhead.engine.multibody import Model
from panhead.errors import ModelError
from panhead.files.units import (
    Kilograms,
    KilogramsPerMetre,
    Metres,
    Newtons,
    NewtonSquareMetres,
    Radians,
    RadiansPerSecond,
)


def slider_crank(
    elements: int = 8,
    *,
    crank: Metres = 0.15,
    crank_mass: Kilograms = 1.0,
    rod: Metres = 0.5,
    mass_per_length: KilogramsPerMetre = 0.6,
    axial_stiffness: Newtons = 2e4,
    bending_stiffness: NewtonSquareMetres = 1.0,
    block_mass: Kilograms = 0.4,
    angle: Radians = math.pi / 4,
    speed: RadiansPerSecond = 20.0,
) -> Model:
    """A uniform crank about the origin, an elastic rod, a block on the x axis; gravity along −y.

    The crank starts at ``angle`` from x with ``speed``; the rod starts straight, without strain, and moves
    as a rigid body would.
    """
    if not 0 < crank < rod:
        raise ModelError(f"slider-crank: crank must be shorter than rod, got {crank!r} m and {rod!r} m")
    out = np.array([math.cos(angle), math.sin(angle)])
    tip, tip_dot = crank * out, crank * speed * _quarter_turn(out)
    beta = -math.asin(tip[1] / rod)
    along = np.array([math.cos(beta), math.sin(beta)])
    spin = -tip_dot[1] / (rod * along[0])  # the block's velocity has no y
    places = np.linspace(0.0, rod, elements + 1)[:, None]
    nodes, rates = tip + places * along, tip_dot + places * spin * _quarter_turn(along)
    arm = PlanarBody(
        name="crank",
        mass=crank_mass,
        inertia=crank_mass * crank**2 / 12,
        position=_pair(tip / 2),
        angle=angle,
        velocity=_pair(tip_dot / 2),
        spin=speed,
    )
    bar = Cable(
        name="rod",
        nodes=tuple(map(_pair, nodes)),
        slopes=(_pair(along),) * (elements + 1),
        velocities=tuple(map(_pair, rates)),
        slope_rates=(_pair(spin * _quarter_turn(along)),) * (elements + 1),
        mass_per_length=mass_per_length,
        axial_stiffness=axial_stiffness,
        bending_stiffness=bending_stiffness,
    )
    block = PointMass(
        name="block",
        mass=block_mass,
        position=(float(nodes[-1, 0]), 0.0, 0.0),
        velocity=(float(rates[-1, 0]), 0.0, 0.0),
        planar=True,
    )
    joints = (
        Revolute(name="bearing", a=ground.at(), b=arm.at((-crank / 2, 0))),
        Revolute(name="pin", a=arm.at((crank / 2, 0)), b=bar.at(0.0)),
        Revolute(name="wrist", a=bar.at(bar.breaks[-1]), b=block.at()),
        Held(name="guide", values={"block.y": 0.0}),
    )
    return Model(name="slider-crank with an elastic rod", items=(arm, bar, block, *joints), gravity=(0.0, -9.81, 0.0))


def _quarter_turn(a: np.ndarray) -> np.ndarray:
    """A quarter turn ahead."""
    return np.array([-a[1], a[0]])


def _pair(a: np.ndarray) -> tuple[float, float]:
    return float(a[0]), float(a[1])
