"""Shapes that meet against closed forms: friction, rolling, spinning, impacts, stacks, unequal masses, fast bodies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panhead.engine.bodies import RigidBody, ground
from panhead.engine.forces import Box, CollisionShape, HalfSpace, Hull, Sphere, SurfaceLaw
from panhead.engine.forces.solid_forms import Form
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import Trajectory
from panhead.engine.multibody import Model
from panhead.engine.roles import Item, Triple
from panhead.engine.rotations import matrix_of
from panhead.validation.checks import AFTER, BEFORE, CLOSED_FORM, Check, below, between, near

G = 9.81
_RESIDUAL = 1e-8  # of complementarity: the figure the method promises
_NOTHING = (0.0, 0.0, 0.0)


def shapes_that_meet() -> Sequence[Check]:
    """All rows, and the worst residual of complementarity among their runs."""
    worst: list[float] = []
    rows = [*_box(worst), *_ball(worst), *_stacks(worst), *_impacts(worst), *_free_flight(worst)]
    residual = below("shapes, worst residual of complementarity", max(worst), _RESIDUAL, "1", "promised", by=BEFORE)
    return [*rows, residual]


def _body(
    name: str, form: Form, mass: float, surface: SurfaceLaw, place: Triple, *, velocity: Triple = _NOTHING,
    spin: Triple = _NOTHING,
) -> tuple[Item, Item]:  # fmt: skip
    """A body with one shape."""
    assert not isinstance(form, HalfSpace)
    body = RigidBody(name=name, mass=mass, inertia=form.inertia(mass), position=place, velocity=velocity, spin=spin)
    return body, CollisionShape(name=f"{name} skin", at=body.at(), form=form, surface=surface)


def _floor() -> CollisionShape:
    return CollisionShape(name="floor", at=ground.at(), form=HalfSpace(), surface=SurfaceLaw(friction=0.0))


def _run(
    items: Sequence[Item], duration: float, dt: float, worst: list[float], gravity: Triple = (0.0, 0.0, -G)
) -> Trajectory:
    system = Model(name="shapes", items=tuple(items), gravity=gravity).system()
    motion = simulate(system, system.start, duration=duration, dt=dt)
    assert motion.collisions is not None
    worst.append(float(motion.collisions.residual.max()))
    return motion


def _box(worst: list[float]) -> list[Check]:
    """v²/2µg, at most the way of the last step too far; on a slope below the angle of friction nothing moves."""
    mu, h, form = 0.3, 4e-3, Box((0.4, 0.3, 0.1))
    slides = _body("box", form, 2.0, SurfaceLaw(friction=mu), (0.0, 0.0, 0.05), velocity=(1.0, 0.0, 0.0))
    motion = _run((*slides, _floor()), 0.4, h, worst)
    rests = _body("box", form, 2.0, SurfaceLaw(friction=0.5), (0.0, 0.0, 0.05))
    slope = 0.4  # rad; tan = 0.42
    held = _run((*rests, _floor()), 1.0, 1e-2, worst, (G * np.sin(slope), 0.0, -G * np.cos(slope)))
    return [
        near("shapes, box that slides, way", float(motion.q[-1, 0]), 1 / (2 * mu * G), "m", "v²/2µg",
             tol=mu * G * h**2 / 8, by=CLOSED_FORM),
        below("shapes, box held on a slope, drift in 1 s", float(np.abs(held.q[-1, :3] - held.q[0, :3]).max()), 1e-9,
              "m", "sticks: tan α < µ", by=CLOSED_FORM),
    ]  # fmt: skip


def _ball(worst: list[float]) -> list[Check]:
    """5/7 g sin α of second order in the step; J ω̇ = −s m g about the normal."""
    slope, duration = 0.5, 0.3
    gravity = (G * np.sin(slope), 0.0, -G * np.cos(slope))
    exact = 5 / 7 * G * np.sin(slope) * duration**2 / 2
    rolls = _body("ball", Sphere(0.1), 2.0, SurfaceLaw(friction=0.6), (0.0, 0.0, 0.1))
    wide, close = (
        abs(float(_run((*rolls, _floor()), duration, h, worst, gravity).q[-1, 0]) - exact) for h in (3e-3, 1.5e-3)
    )
    surface = SurfaceLaw(friction=0.5, spinning=2e-3)
    spun = _body("ball", Sphere(0.1), 2.0, surface, (0.0, 0.0, 0.1), spin=(0.0, 0.0, 8.0))
    motion, h = _run((*spun, _floor()), 0.2, 4e-3, worst), 4e-3
    slows = 2e-3 * G / (0.4 * 0.1**2)
    return [
        between("shapes, ball that rolls, order in the step", float(np.log2(wide / close)), (1.9, 2.1), "1",
                "second order of the method", by=AFTER),
        near("shapes, ball that spins, rate", float(2 * np.linalg.norm(motion.v[-1, 3:])), 8 - slows * 0.2, "rad/s",
             "ω₀ − s m g t/J; (ω h)² of it by the midpoint rule", tol=8 * (8 * h) ** 2, by=CLOSED_FORM),
    ]  # fmt: skip


def _stacks(worst: list[float]) -> list[Check]:
    """Ten equal boxes, and a thousand kilograms on one: each face carries what lies above it."""
    form, rows = Box((0.2, 0.2, 0.1)), []
    for name, masses in (("ten boxes", [1.0] * 10), ("1000 kg on 1 kg", [1.0, 1000.0])):
        items: list[Item] = [_floor()]
        for k, mass in enumerate(masses):
            items += _body(f"b{k}", form, mass, SurfaceLaw(), (0.0, 0.0, 0.05 + 0.1 * k))
        motion = _run(items, 0.1, 5e-3, worst)
        assert motion.collisions is not None
        last = motion.collisions.count[-1]
        pair, force = motion.collisions.pair[-last:], motion.collisions.forces[-last:, 0]
        carried = [float(force[np.sort(pair, axis=1)[:, 1] == k + 1].sum()) for k in range(len(masses))]
        above = [G * sum(masses[k:]) for k in range(len(masses))]
        off = float(np.abs(np.array(carried) / above - 1).max())
        rows += [
            below(f"shapes, {name}, forces of the faces against weights", off, 1e-6, "1", "weight above", by=BEFORE),
            below(f"shapes, {name}, drift", float(np.abs(motion.q[-1] - motion.q[0]).max()), 1e-8, "m", "at rest",
                  by=BEFORE),
        ]  # fmt: skip
    return rows


def _impacts(worst: list[float]) -> list[Check]:
    """Two balls head on, 1 : 1000 with e = 0.5; a ball of 200 m/s, 0.4 m a step, against a plate of 1 cm."""
    surface, m, M, v = SurfaceLaw(friction=0.0, restitution=0.5), 1.0, 1000.0, 3.0
    light = _body("light", Sphere(0.1), m, surface, (-0.5, 0.0, 0.0), velocity=(v, 0.0, 0.0))
    heavy = _body("heavy", Sphere(0.2), M, surface, (0.0, 0.0, 0.0))
    motion = _run((*light, *heavy), 0.2, 2e-3, worst, _NOTHING)
    common, e = m * v / (m + M), 0.5
    after = np.array([common - e * v * M / (m + M), common + e * v * m / (m + M)])
    off = float(np.abs(motion.v[-1, [0, 7]] - after).max())
    bullet = _body("bullet", Sphere(0.02), 1.0, SurfaceLaw(), (0.0, 0.0, 1.0), velocity=(0.0, 0.0, -200.0))
    plate = CollisionShape(name="plate", at=ground.at(), form=Box((1.0, 1.0, 0.01)))
    flown = _run((*bullet, plate), 0.02, 2e-3, worst)
    return [
        below("shapes, balls of 1 : 1000, speeds after the impact", off, 1e-9, "m/s", "momentum and e", by=CLOSED_FORM),
        between("shapes, fast ball, lowest height", float(flown.q[:, 2].min()), (0.025 - 1e-9, 1.0), "m",
                "on its side of the plate", by=CLOSED_FORM),
    ]  # fmt: skip


def _free_flight(worst: list[float]) -> list[Check]:
    """Two spinning hulls strike each other without gravity: momentum stays, energy does not grow.

    Angular momentum of free flight is that of the midpoint rule: wrong by (ω h)³ a step, here 30 of 0.01³.
    """
    corners = ((0.1, 0, 0), (-0.08, 0.05, 0), (0, -0.1, 0.02), (0.02, 0.03, 0.12), (0, 0.02, -0.1))
    form, law = Hull(corners).centred(), SurfaceLaw(friction=0.4, restitution=0.5)
    a = _body("a", form, 1.0, law, (-0.3, 0.01, 0.0), velocity=(2.0, 0.0, 0.1), spin=(3.0, -2.0, 4.0))
    b = _body("b", form, 2.0, law, (0.1, 0.0, 0.02), spin=(-1.0, 2.0, 5.0))
    motion = _run((*a, *b), 0.3, 2e-3, worst, _NOTHING)
    mass = np.array([1.0, 2.0])
    momentum = np.array([mass @ v.reshape(2, 7)[:, :3] for v in motion.v])
    turning, energy = np.zeros((len(motion.t), 3)), np.zeros(len(motion.t))
    for k, (q, v) in enumerate(zip(motion.q.reshape(-1, 2, 7), motion.v.reshape(-1, 2, 7), strict=True)):
        for m, x, rate in zip(mass, q, v, strict=True):
            J, w = _inertia(form, m), _angular_velocity(x[3:], rate[3:])
            turning[k] += m * np.cross(x[:3], rate[:3]) + np.array(matrix_of(x[3:])) @ J @ w
            energy[k] += m * rate[:3] @ rate[:3] / 2 + w @ J @ w / 2
    assert motion.collisions is not None
    grown = float(np.diff(energy).max() / energy[0])
    return [
        below("shapes, two hulls, change of momentum", float(np.abs(momentum - momentum[0]).max()), 1e-9, "kg*m/s",
              "no outer force", by=CLOSED_FORM),
        below("shapes, two hulls, change of angular momentum", float(np.abs(turning - turning[0]).max()),
              float(np.abs(turning[0]).max()) * 150 * 0.02**3, "kg*m2/s", "no outer moment", by=BEFORE),
        below("shapes, two hulls, largest growth of energy in a step", grown, 1e-6, "1", "nothing drives them",
              by=BEFORE),
        between("shapes, two hulls, share of energy lost", float(1 - energy[-1] / energy[0]), (0.01, 1.0), "1",
                "they do meet", by=BEFORE),
    ]  # fmt: skip


def _inertia(form: Hull, mass: float) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = form.inertia(mass)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _angular_velocity(e: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """2 ē ∘ ė, in the axes of the body, by the product of quaternions."""
    s, x = e[0], -e[1:]
    return 2 * (s * rate[1:] + rate[0] * x + np.cross(x, rate[1:]))
