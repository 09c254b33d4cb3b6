"""Contact with friction in space against closed forms; models of this file, formulas by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panhead.engine.bodies import RigidBody, ground
from panhead.engine.forces import BallContact, ImpactLaw, PlaneContact
from panhead.engine.methods.integrators import MoreauJean
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import Trajectory
from panhead.engine.multibody import Model
from panhead.engine.roles import Triple
from panhead.validation.checks import AFTER, BEFORE, CLOSED_FORM, Check, below, between, near
from panhead.validation.contact_in_space.shapes import shapes_that_meet

G = 9.81
_MASS, _J, _ARM = 2.0, 0.04, np.hypot(0.2, 0.15)  # box: mass [kg], inertia about z [kg·m²], corner from its axis [m]
_BALL = (3.0, 0.1, 0.4 * 3.0 * 0.1**2)  # mass [kg], radius [m], inertia of a solid ball [kg·m²]


def contact_in_space() -> Sequence[Check]:
    """All rows; every bound follows from rounding or from the last step before a stop."""
    single = [*_sliding_box(), *_spinning_box(), *_stack(), *_ball_on_a_slope(), *_struck_ball(), *_rows_of_balls()]
    return [*single, *shapes_that_meet()]


def _run(model: Model, duration: float, dt: float, method: MoreauJean | None = None) -> Trajectory:
    system = model.system()
    return simulate(system, system.start, duration=duration, dt=dt, method=method or MoreauJean())


def _box(mu: float, *, name: str = "box", z: float = 0.01, low: float = 0.01, speed: float = 0.0, spin: float = 0.0):  # type: ignore[no-untyped-def]
    """A flat box and its corners' contacts with the ground."""
    body = RigidBody(
        name=name, mass=_MASS, inertia=(0.02, 0.03, _J), position=(0.0, 0.0, z), velocity=(speed, 0.0, 0.0),
        spin=(0.0, 0.0, spin),
    )  # fmt: skip
    law = ImpactLaw(friction=mu)
    feet = tuple(
        PlaneContact(name=f"{name} {i} {j}", plane=ground.at(), point=body.at((0.2 * i, 0.15 * j, -low)), law=law)
        for i in (-1, 1)
        for j in (-1, 1)
    )
    return body, feet


def _sliding_box() -> list[Check]:
    """Four corners, 16 rows of rank 6: v²/2µg whatever the share of each corner."""
    rows, h = [], 2e-3
    for mu in (0.1, 0.3, 0.8):
        body, feet = _box(mu, speed=1.0)
        motion = _run(Model(name="box", items=(body, *feet)), 1.2, h)
        far, most = float(motion.q[-1, 0]), mu * G * h**2 / 8
        source = "v²/2µg; at most µ g h²/8 too far"
        rows.append(
            near(f"box on four corners, way, µ = {mu:g}", far, 1 / (2 * mu * G), "m", source, tol=most, by=CLOSED_FORM)
        )
    assert motion.contacts is not None
    carried = float(motion.contacts.normal[-1].sum())
    weight = near("box at rest, sum of forces", carried, _MASS * G, "N", "its weight", rel=1e-9, by=CLOSED_FORM)
    return [*rows, weight]


def _spinning_box() -> list[Check]:
    """ω̇ = −µ m g R/J with all corners at the same radius R."""
    mu, spin, h = 0.3, 6.0, 1e-3
    body, feet = _box(mu, spin=spin)
    motion = _run(Model(name="box", items=(body, *feet)), 0.3, h)
    slows = mu * _MASS * G * _ARM / _J
    turned = 2 * np.arctan2(motion.q[-1, 6], motion.q[-1, 3])
    source = "J ω²/2µmgR; at most a step's ω̇ h²/8 too far, and directions of the end of a step"
    return [
        near("box that spins, turn until it stops", float(turned), spin**2 / (2 * slows), "rad", source,
             tol=slows * h**2 / 8 + spin**3 * h**2, by=CLOSED_FORM),
        below("box that spins, drift of its centre", float(np.hypot(*motion.q[-1, :2])), 1e-9, "m", "symmetry",
              by=CLOSED_FORM),
    ]  # fmt: skip


def _stack() -> list[Check]:
    """Three boxes on one another: each layer carries what lies above it."""
    items: list[object] = []
    below_it = None
    for k in range(3):
        body, feet = _box(0.5, name=f"box{k}", z=0.05 + 0.1 * k, low=0.05)
        plane = ground.at() if below_it is None else below_it.at((0.0, 0.0, 0.05))
        law = ImpactLaw(friction=0.5)
        items += [body, *(PlaneContact(name=f.name, plane=plane, point=f.point, law=law) for f in feet)]
        below_it = body
    motion = _run(Model(name="stack", items=tuple(items)), 0.1, 2e-3)  # type: ignore[arg-type]
    assert motion.contacts is not None
    normal = motion.contacts.normal[-1].reshape(3, 4).sum(axis=1)
    return [
        near(f"stack of three, force under box {k}", float(normal[k]), (3 - k) * _MASS * G, "N", "weight above",
             rel=1e-9, by=CLOSED_FORM)
        for k in range(3)
    ]  # fmt: skip


def _ball(velocity: Triple = (0.0, 0.0, 0.0), spin: Triple = (0.0, 0.0, 0.0)) -> RigidBody:
    mass, radius, inertia = _BALL
    return RigidBody(
        name="ball", mass=mass, inertia=(inertia,) * 3, position=(0.0, 0.0, radius), velocity=velocity, spin=spin
    )


def _on_the_floor(ball: RigidBody, mu: float, gravity: Triple) -> Model:
    floor = PlaneContact(name="floor", plane=ground.at(), point=ball.at(), radius=_BALL[1], law=ImpactLaw(friction=mu))
    return Model(name="ball", items=(ball, floor), gravity=gravity)


def _ball_on_a_slope() -> list[Check]:
    """A solid ball rolls with 5/7 g sin α, or slides with g (sin α − µ cos α) where µ < 2/7 tan α.

    Turning is of second order in the step, sliding without turning of the direction exact.
    """
    alpha, duration = 0.5, 0.5

    def way(mu: float, h: float) -> float:
        model = _on_the_floor(_ball(), mu, (G * np.sin(alpha), 0.0, -G * np.cos(alpha)))
        return float(_run(model, duration, h).q[-1, 0])

    rolls, slides = 5 / 7 * G * np.sin(alpha), G * (np.sin(alpha) - 0.1 * np.cos(alpha))
    ways = [way(0.5, h) for h in (5e-3, 2.5e-3)]
    wide, close = (abs(x - rolls * duration**2 / 2) for x in ways)
    return [
        near("ball on a slope that slides, way", way(0.1, 5e-3), slides * duration**2 / 2, "m", "closed form", rel=1e-9,
             by=CLOSED_FORM),
        between("ball on a slope that rolls, order in the step", float(np.log2(wide / close)), (1.9, 2.1), "1",
                "second order of the method", by=BEFORE),
        near("ball on a slope that rolls, way", ways[0], rolls * duration**2 / 2, "m", "closed form", rel=6e-4,
             by=AFTER),
    ]  # fmt: skip


def _struck_ball() -> list[Check]:
    """A ball with side spin slides in one direction, then rolls with v₀ − 2/7 u₀, u₀ the slip of its lowest point."""
    mu, velocity, spin = 0.2, np.array([2.0, 0.0, 0.0]), np.array([15.0, -5.0, 0.0])
    model = _on_the_floor(_ball(tuple(velocity), tuple(spin)), mu, (0.0, 0.0, -G))
    motion = _run(model, 1.2, 5e-3)
    slip = velocity + np.cross(spin, (0.0, 0.0, -_BALL[1]))
    rolls = velocity - 2 / 7 * slip
    return [
        near(f"ball with side spin, rolls at last along {axis}", float(motion.v[-1, k]), float(rolls[k]), "m/s",
             "v₀ − 2/7 u₀", rel=5e-4, by=AFTER)
        for k, axis in enumerate("xy")
    ]  # fmt: skip


def _rows_of_balls() -> list[Check]:
    """Five balls in touch, the first struck: one contact after the other, and all together."""
    rows = []
    expected = {"sequential": (0.0, 0.0, 0.0, 0.0, 1.0), "simultaneous": (-0.6, 0.4, 0.4, 0.4, 0.4)}
    for rule, speeds in expected.items():
        balls = [
            RigidBody(
                name=f"b{k}", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0.2 * k - 0.1 * (k == 0), 0.0, 0.0),
                velocity=(float(k == 0), 0.0, 0.0),
            )
            for k in range(5)
        ]  # fmt: skip
        law = ImpactLaw(restitution=1.0)
        meets = [
            BallContact(name=f"c{k}", a=balls[k].at(), b=balls[k + 1].at(), radii=(0.1, 0.1), law=law) for k in range(4)
        ]
        model = Model(name="row", items=(*balls, *meets), gravity=(0.0, 0.0, 0.0))
        motion = _run(model, 0.3, 0.01, MoreauJean(impacts=rule))  # type: ignore[arg-type]
        worst = float(np.abs(motion.v[-1, ::7] - speeds).max())
        source = "velocities swapped pair by pair" if rule == "sequential" else "γ⁺ = −e γ⁻ of all gaps"
        rows.append(below(f"five balls in touch, {rule}, speeds", worst, 1e-9, "m/s", source, by=CLOSED_FORM))
    return rows
