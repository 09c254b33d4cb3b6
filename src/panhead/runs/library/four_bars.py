"""Four-bar loops in a row that pass through singular positions: IFToMM benchmark A02."""

from __future__ import annotations

import math

from panhead.engine.bodies import PlanarBody, ground
from panhead.engine.joints import Revolute
from panhead.engine.multibody import Model
from panhead.errors import ModelError


def four_bars(loops: int = 2) -> Model:
    """``loops`` four-bars of uniform rods, 1 m and 1 kg each                      [Gonzalez06, problem A02].

    Upright i stands on (i, 0); coupler i lies between the heads of uprights i and i + 1. All uprights start
    vertical, and their heads at 1 m/s along x.
    """
    if loops < 1:
        raise ModelError(f"four-bars: loops must be 1 or more, got {loops!r}")
    uprights = [
        PlanarBody(
            name=f"upright{i}",
            mass=1.0,
            inertia=1 / 12,
            position=(i, 0.5),
            angle=math.pi / 2,
            velocity=(0.5, 0.0),
            spin=-1.0,
        )
        for i in range(loops + 1)
    ]
    couplers = [
        PlanarBody(name=f"coupler{i}", mass=1.0, inertia=1 / 12, position=(i + 0.5, 1.0), velocity=(1.0, 0.0))
        for i in range(loops)
    ]
    feet = [
        Revolute(name=f"foot{i}", a=ground.at((i, 0, 0)), b=upright.at((-0.5, 0))) for i, upright in enumerate(uprights)
    ]
    left = [
        Revolute(name=f"left{i}", a=uprights[i].at((0.5, 0)), b=coupler.at((-0.5, 0)))
        for i, coupler in enumerate(couplers)
    ]
    right = [
        Revolute(name=f"right{i}", a=coupler.at((0.5, 0)), b=uprights[i + 1].at((0.5, 0)))
        for i, coupler in enumerate(couplers)
    ]
    items = (*uprights, *couplers, *feet, *left, *right)
    return Model(name=f"{loops} four-bars", items=items, gravity=(0.0, -9.81, 0.0))
