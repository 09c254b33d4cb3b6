"""Small models that strike and rub, each with an answer by hand."""

from __future__ import annotations

import numpy as np

from panhead.bodies import GuidedMass, PlanarBody, PointMass, ground
from panhead.files.units import Dimensionless, Kilograms, Metres, MetresPerSecond, Radians
from panhead.forces import BallContact, ImpactLaw, PlaneContact
from panhead.joints import Revolute
from panhead.multibody import Model

GRAVITY = 9.81
_DOWN = (0.0, -GRAVITY, 0.0)
_FLOOR = ground.at(axis=(0.0, 1.0, 0.0))


def bouncing_ball(*, height: Metres = 1.0, mass: Kilograms = 2.0, restitution: Dimensionless = 0.7) -> Model:
    """A particle dropped on a floor."""
    ball = PointMass(name="ball", mass=mass, position=(0.0, height, 0.0), planar=True)
    floor = PlaneContact(name="floor", plane=_FLOOR, point=ball.at(), law=ImpactLaw(restitution=restitution))
    return Model(name="bouncing ball", items=(ball, floor), gravity=_DOWN)


def block(
    *, speed: MetresPerSecond = 2.0, friction: Dimensionless = 0.3, slope: Radians = 0.0, mass: Kilograms = 3.0
) -> Model:
    """A block on two feet on a slope that falls along x, which it starts down at ``speed``."""
    body = PlanarBody(name="block", mass=mass, inertia=1.0, velocity=(speed, 0.0))
    law = ImpactLaw(friction=friction)
    feet = (
        PlaneContact(name=name, plane=_FLOOR, point=body.at((x, 0.0)), law=law)
        for name, x in (("rear", -0.5), ("front", 0.5))
    )
    pull = (GRAVITY * float(np.sin(slope)), -GRAVITY * float(np.cos(slope)), 0.0)
    return Model(name="block on a slope", items=(body, *feet), gravity=pull)


def row_of_balls(*, restitution: Dimensionless = 1.0, rule: str = "newton") -> Model:
    """A ball of 1 m/s that meets two others, which touch one another: two contacts in one blow."""
    law = ImpactLaw(restitution=restitution, rule="poisson" if rule == "poisson" else "newton")
    balls = [
        GuidedMass(name=f"ball {k}", mass=1.0, axis=(1.0, 0.0, 0.0), position=x, velocity=v)
        for k, (x, v) in enumerate(((-0.5, 1.0), (0.2, 0.0), (0.4, 0.0)))
    ]
    pairs = (
        BallContact(name=f"pair {k}", a=balls[k].at(), b=balls[k + 1].at(), radii=(0.1, 0.1), law=law) for k in (0, 1)
    )
    return Model(name="row of balls", items=(*balls, *pairs), gravity=(0.0, 0.0, 0.0))


def thrown_ball(
    *, along: MetresPerSecond = 1.0, friction: Dimensionless = 0.2, restitution: Dimensionless = 0.5
) -> Model:
    """A ball (J = 2/5 m R²) that meets a floor at 1 m/s and ``along`` m/s without spin or weight."""
    R, m = 0.1, 1.0
    ball = PlanarBody(name="ball", mass=m, inertia=0.4 * m * R**2, position=(0.0, 0.2), velocity=(along, -1.0))
    law = ImpactLaw(restitution=restitution, friction=friction)
    return Model(
        name="thrown ball",
        items=(ball, PlaneContact(name="floor", plane=_FLOOR, point=ball.at(), radius=R, law=law)),
        gravity=(0.0, 0.0, 0.0),
    )


def falling_rod(*, angle: Radians = 0.5, restitution: Dimensionless = 0.5) -> Model:
    """A level-headed rod: 1 m, 1 kg, at ``angle`` from the level, its lower end 0.2 m above a smooth floor."""
    rod = PlanarBody(name="rod", mass=1.0, inertia=1.0 / 12.0, position=(0.0, 0.2 + 0.5 * np.sin(angle)), angle=angle)
    law = ImpactLaw(restitution=restitution)
    ends = (
        PlaneContact(name=name, plane=_FLOOR, point=rod.at((x, 0.0)), law=law)
        for name, x in (("left", -0.5), ("right", 0.5))
    )
    return Model(name="falling rod", items=(rod, *ends), gravity=_DOWN)


def striking_pendulum(*, angle: Radians = 1.0, restitution: Dimensionless = 0.8) -> Model:
    """A bar of 1 m hung by its end, let go at ``angle``, that strikes a wall when it hangs straight down."""
    p = 0.5 * np.array([np.sin(angle), -np.cos(angle)])
    bar = PlanarBody(name="bar", mass=1.0, inertia=1.0 / 12.0, position=(p[0], p[1]), angle=angle)
    hinge = Revolute(name="hinge", a=ground.at(), b=bar.at((0.0, 0.5)))
    wall = PlaneContact(
        name="wall",
        plane=ground.at((0.0, -1.0, 0.0), axis=(1.0, 0.0, 0.0)),
        point=bar.at((0.0, -0.5)),
        law=ImpactLaw(restitution=restitution),
        shown=0.2,
    )
    return Model(name="pendulum that strikes a wall", items=(bar, hinge, wall), gravity=_DOWN)
