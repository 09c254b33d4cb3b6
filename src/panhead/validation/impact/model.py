"""Small models with impact and friction, each with a closed-form solution."""

from __future__ import annotations

from typing import Literal

import numpy as np

from panhead.engine.bodies import Carrier, GuidedMass, PlanarBody, PointMass, ground
from panhead.engine.forces import BallContact, ImpactLaw, PlaneContact, SpringDamper
from panhead.engine.joints import Revolute
from panhead.engine.multibody import Model
from panhead.files.units import Dimensionless, Kilograms, Metres, MetresPerSecond, NewtonsPerMetre, Radians

GRAVITY = 9.81
Rule = Literal["newton", "poisson"]
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


def row_of_balls(*, restitution: Dimensionless = 1.0, rule: Rule = "newton") -> Model:
    """A ball of 1 m/s that meets two others, which touch one another: two contacts in one blow."""
    law = ImpactLaw(restitution=restitution, rule=rule)
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


def two_balls(*, heavy: Kilograms = 3.0, light: Kilograms = 1.0, restitution: Dimensionless = 0.9) -> Model:
    """A light ball 1 mm over a heavy one, both at 2 m/s towards a floor 0.2 m below, without weight."""
    law = ImpactLaw(restitution=restitution)
    lower, upper = (
        PointMass(name=name, mass=m, position=(0.0, y, 0.0), velocity=(0.0, -2.0, 0.0), planar=True)
        for name, m, y in (("heavy", heavy, 0.3), ("light", light, 0.501))
    )
    floor = PlaneContact(name="floor", plane=_FLOOR, point=lower.at(), radius=0.1, law=law)
    pair = BallContact(name="pair", a=lower.at(), b=upper.at(), radii=(0.1, 0.1), law=law)
    return Model(name="two balls on a floor", items=(lower, upper, floor, pair), gravity=(0.0, 0.0, 0.0))


def rod_on_end(
    *,
    angle: Radians,
    friction: Dimensionless,
    restitution: Dimensionless = 0.0,
    rule: Rule = "newton",
    velocity: tuple[float, float] = (0.0, 0.0),
    weight: bool = False,
) -> Model:
    """A rod of 1 m and 1 kg, its right end on a rough floor, ``angle`` below its left one."""
    place = (0.0, 0.5 * float(np.sin(angle)))
    rod = PlanarBody(name="rod", mass=1.0, inertia=1.0 / 12.0, position=place, angle=-angle, velocity=velocity)
    law = ImpactLaw(restitution=restitution, friction=friction, rule=rule)
    floor = PlaneContact(name="floor", plane=_FLOOR, point=rod.at((0.5, 0.0)), law=law)
    return Model(name="rod on its end", items=(rod, floor), gravity=_DOWN if weight else (0.0, 0.0, 0.0))


def slider_on_belt(
    *,
    mass: Kilograms = 2.0,
    stiffness: NewtonsPerMetre = 50.0,
    speed: MetresPerSecond = 0.2,
    slides: Dimensionless = 0.3,
    sticks: Dimensionless = 0.5,
) -> Model:
    """A block on two feet on a belt that runs along x, held by a spring: it sticks and slips in turn."""
    belt = Carrier(name="belt", position=lambda t: (speed * t, 0, 0))
    body = PlanarBody(name="block", mass=mass, inertia=1.0)
    law = ImpactLaw(friction=slides, static_friction=sticks)
    feet = (
        PlaneContact(name=name, plane=belt.at(axis=(0.0, 1.0, 0.0)), point=body.at((x, 0.0)), law=law)
        for name, x in (("rear", -0.1), ("front", 0.1))
    )
    spring = SpringDamper(name="spring", along="block.x", stiffness=stiffness)
    return Model(name="slider on a belt", items=(belt, body, spring, *feet), gravity=_DOWN)
