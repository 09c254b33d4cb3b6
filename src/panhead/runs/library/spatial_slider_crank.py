"""A slider-crank in space: the crank's axis and the block's line do not meet."""

from __future__ import annotations

from typing import Literal

import numpy as np

from panhead.engine.bodies import RigidBody, ground
from panhead.engine.joints import Cylindrical, Prismatic, Revolute, Spherical, Universal
from panhead.engine.methods.equilibrium import consistent_rates
from panhead.engine.methods.trajectory import State
from panhead.engine.multibody import Model
from panhead.engine.roles import Item
from panhead.engine.rotations import quaternion_of
from panhead.errors import ModelError
from panhead.files.units import Metres, Radians, RadiansPerSecond

_PIVOT = np.array([0.0, 0.1, 0.12])  # [m]
_X, _Y, _Z = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def spatial_slider_crank(
    joints: Literal["universal", "cylindrical"] = "universal",
    *,
    crank: Metres = 0.08,
    rod: Metres = 0.3,
    angle: Radians = 0.0,
    speed: RadiansPerSecond = 20.0,
) -> Model:
    """A crank about an axis along x, a rod with a ball at the crank's tip, a block along the x axis; z upward.

    ``universal``: rod and block are tied by a cross, the block slides on a prismatic joint. ``cylindrical``:
    rod and block share a hinge, and the block may turn about its line. Either leaves one freedom.
    """
    arm = np.array([0.0, np.sin(angle), np.cos(angle)])
    tip = _PIVOT + crank * arm
    reach = rod**2 - tip[1] ** 2 - tip[2] ** 2
    if not reach > 0:
        raise ModelError(
            f"spatial-slider-crank: a rod of {rod!r} m does not reach from the crank's tip to the block's line"
        )
    end = np.array([np.sqrt(reach), 0.0, 0.0])
    along = (end - tip) / rod
    hinge = np.cross(_Z if joints == "universal" else _X, along)
    hinge /= np.linalg.norm(hinge)
    upright = np.eye(3) if joints == "universal" else np.column_stack([_X, hinge, np.cross(_X, hinge)])
    turned = np.column_stack([_X, np.cross(arm, _X), arm])
    bodies = (
        _body("crank", 0.12, (1e-4, 1e-4, 1e-5), _PIVOT + crank / 2 * arm, turned, speed),
        _body(
            "rod", 0.5, (6e-4, 4e-3, 3.5e-3), (tip + end) / 2, np.column_stack([along, hinge, np.cross(along, hinge)])
        ),
        _body("block", 2.0, (1e-3, 1e-3, 1e-3), end, upright),
    )
    items = (*bodies, *_joints(joints, bodies, crank, rod))
    return Model(name="slider-crank in space", items=items, gravity=(0.0, 0.0, -9.81))


def start(model: Model) -> State:
    """Initial state: the crank rate is given; with one degree of freedom all other rates follow."""
    system = model.system()
    crank = [name for name in system.coordinates if name.startswith("crank.")]
    q, v = system.start.q, system.start.v
    return State(q=q, v=consistent_rates(system, q, v, keep=crank))


def _joints(kind: str, bodies: tuple[RigidBody, RigidBody, RigidBody], crank: float, rod: float) -> tuple[Item, ...]:
    arm, bar, block = bodies
    pivot: tuple[float, float, float] = (0.0, 0.1, 0.12)
    head, far = bar.at((-rod / 2, 0.0, 0.0)), (rod / 2, 0.0, 0.0)
    common = (
        Revolute(name="bearing", a=ground.at(pivot, axis=_X), b=arm.at((0.0, 0.0, -crank / 2), axis=_X)),
        Spherical(name="ball", a=arm.at((0.0, 0.0, crank / 2)), b=head),
    )
    if kind == "universal":
        line = Prismatic(name="line", a=ground.at(axis=_X, across=_Y), b=block.at(axis=_X, across=_Y))
        return *common, Universal(name="cross", a=block.at(axis=_Z), b=bar.at(far, axis=_Y)), line
    return (
        *common,
        Revolute(name="hinge", a=block.at(axis=_Y), b=bar.at(far, axis=_Y)),
        Cylindrical(name="line", a=ground.at(axis=_X), b=block.at(axis=_X)),
    )


def _body(
    name: str, mass: float, inertia: tuple[float, float, float], place: np.ndarray, axes: np.ndarray, speed: float = 0.0
) -> RigidBody:
    """A body with its axes by columns; the crank turns about −x, its centre with it."""
    velocity = np.cross((-speed, 0.0, 0.0), place - _PIVOT)
    return RigidBody(
        name=name,
        mass=mass,
        inertia=inertia,
        position=(float(place[0]), float(place[1]), float(place[2])),
        attitude=quaternion_of(axes),
        velocity=(float(velocity[0]), float(velocity[1]), float(velocity[2])),
        spin=(-speed, 0.0, 0.0),
    )
