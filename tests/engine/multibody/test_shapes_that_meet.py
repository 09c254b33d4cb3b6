"""Shapes of bodies that meet: closed forms of rolling, sliding, spinning, bouncing; stacks; distances another way."""

import numpy as np
import pytest
from scipy.optimize import minimize

from panhead.engine.bodies import PlanarBody, RigidBody, ground
from panhead.engine.forces import (
    Box,
    Capsule,
    CollisionShape,
    Cylinder,
    HalfSpace,
    Hull,
    PlaneContact,
    Sphere,
    SurfaceLaw,
)
from panhead.engine.joints import Revolute
from panhead.engine.methods.integrators import ContactStepping, GeneralizedAlpha, MoreauJean
from panhead.engine.methods.simulate import simulate
from panhead.engine.multibody import Model
from panhead.engine.multibody.model_dataset import accounts
from panhead.engine.rotations import about, matrix_of
from panhead.errors import ModelError

G = 9.81
SIDEWAYS = about((1.0, 0.0, 0.0), np.pi / 2)  # the axis of a cylinder along y


def _slope(angle):
    return (G * np.sin(angle), 0.0, -G * np.cos(angle))


def _floor(surface=SurfaceLaw(friction=0.0)):  # noqa: B008  a frozen value
    return CollisionShape(name="floor", at=ground.at(), form=HalfSpace(), surface=surface)


def _on_a_floor(form, surface, *, height, mass=2.0, gravity=(0.0, 0.0, -G), **start):
    body = RigidBody(name="body", mass=mass, inertia=form.inertia(mass), position=(0.0, 0.0, height), **start)
    items = (body, CollisionShape(name="skin", at=body.at(), form=form, surface=surface), _floor())
    return Model(name="on a floor", items=items, gravity=gravity)


def _run(model, duration, dt, method=None):
    system = model.system()
    motion = simulate(system, system.start, duration=duration, dt=dt, method=method)
    assert motion.collisions.residual.max() <= 1e-8
    return system, motion


@pytest.mark.parametrize("form, share", [(Sphere(0.1), 5 / 7), (Cylinder(0.1, 0.3), 2 / 3)], ids=["ball", "cylinder"])
def test_what_rolls_down_a_slope(form, share):
    """share · g sin α t²/2, of second order: an error of 5e-5 at 5 ms, a quarter of it at half the step."""
    exact = share * G * np.sin(0.5) * 0.3**2 / 2
    attitude = SIDEWAYS if isinstance(form, Cylinder) else (1.0, 0.0, 0.0, 0.0)
    model = _on_a_floor(form, SurfaceLaw(friction=0.6), height=0.1, gravity=_slope(0.5), attitude=attitude)
    errors = [abs(_run(model, 0.3, h)[1].q[-1, 0] - exact) for h in (6e-3, 3e-3)]
    assert errors[0] < 1e-3 * exact
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


@pytest.mark.parametrize("mu, way", [(0.6, 0.0), (0.2, G * (np.sin(0.5) - 0.2 * np.cos(0.5)) * 0.3**2 / 2)])
def test_box_on_a_slope_sticks_or_slides(mu, way):
    model = _on_a_floor(Box((0.4, 0.3, 0.04)), SurfaceLaw(friction=mu), height=0.02, gravity=_slope(0.5))
    _, motion = _run(model, 0.3, 5e-3)
    assert motion.q[-1, 0] == pytest.approx(way, rel=1e-8, abs=1e-10)
    assert motion.q[-1, 2] == pytest.approx(0.02, abs=1e-9)
    assert motion.collisions.count[-1] == 4


def test_spinning_and_rolling_friction_of_a_ball():
    """J ω̇ = −s m g about the normal; rolling without sliding slows by 5/7 g ρ/r. Bounds: one step's loss."""
    form, h = Sphere(0.1), 2e-3
    _, spun = _run(_on_a_floor(form, SurfaceLaw(spinning=0.002), height=0.1, spin=(0.0, 0.0, 8.0)), 0.2, h)
    rate = 2 * np.linalg.norm(spun.v[-1, 3:])
    slows = 0.002 * G / (0.4 * 0.1**2)
    assert rate == pytest.approx(8.0 - slows * 0.2, rel=1e-4)
    surface = SurfaceLaw(friction=0.5, rolling=0.004)
    _, rolled = _run(_on_a_floor(form, surface, height=0.1, velocity=(1.0, 0, 0), spin=(0.0, 10.0, 0.0)), 0.4, h)
    assert rolled.v[-1, 0] == pytest.approx(1.0 - 5 / 7 * G * 0.04 * 0.4, rel=1e-4)


@pytest.mark.parametrize("e", [1.0, 0.5])
def test_ball_that_bounces(e):
    """Energy after n impacts e²ⁿ of that before; an elastic one keeps it. Impacts stand at most g h² too high."""
    model = _on_a_floor(Sphere(0.1), SurfaceLaw(friction=0.0, restitution=e), height=0.6)
    system, motion = _run(model, 1.2 if e == 1 else 0.6, 2e-3)
    E = accounts(system, motion)[:, :2].sum(axis=1) - 2.0 * G * 0.1
    impacts = int((np.diff(motion.v[:, 2]) > 0.1).sum())
    assert impacts == (2 if e == 1 else 1)
    assert E[-1] == pytest.approx(E[0] * e ** (2 * impacts), rel=1e-6 if e == 1 else 0.03)
    assert (np.diff(E) < 1e-9 * E[0]).all()


def test_stack_carries_its_weight():
    form = Box((0.2, 0.2, 0.1))
    bodies = [
        RigidBody(name=f"b{k}", mass=1.0, inertia=form.inertia(1.0), position=(0.0, 0.0, 0.05 + 0.1 * k))
        for k in range(12)
    ]
    shapes = [CollisionShape(name=f"s{k}", at=b.at(), form=form) for k, b in enumerate(bodies)]
    result = Model(name="stack", items=(*bodies, *shapes, _floor())).simulate(duration=0.02, dt=2e-3)
    assert float(result.collision_residual.max()) <= 1e-8
    last = result.touch_time == result.sizes["time"] - 1
    for k in range(12):
        pairs = (result.touch_first == f"s{k}") & (result.touch_second == f"s{k + 1}")
        carried = float(result.collision_normal_force.where(last & pairs).sum())
        assert carried == pytest.approx((11 - k) * G, rel=1e-6, abs=1e-9)
    assert np.abs(result.q.values[-1, 2::7] - result.q.values[0, 2::7]).max() < 1e-9


def _thrown(seed):
    """Three solids of different kinds above one another, turned and spinning at random."""
    rng = np.random.default_rng(seed)
    forms = [Box((0.12, 0.1, 0.06)), Capsule(0.03, 0.12), Cylinder(0.05, 0.08)]
    forms.append(Hull(tuple(map(tuple, rng.normal(size=(10, 3)) * 0.06))).centred())
    items = [_floor()]
    for k, kind in enumerate(rng.permutation(4)[:3]):
        form, axis = forms[kind], rng.normal(size=3)
        body = RigidBody(
            name=f"b{k}", mass=1.0, inertia=form.inertia(1.0), position=(*rng.uniform(-0.03, 0.03, 2), 0.15 + 0.2 * k),
            attitude=about(axis, rng.uniform(0, 3)), spin=tuple(rng.normal(size=3) * 5),
        )  # fmt: skip
        skin = CollisionShape(
            name=f"s{k}", at=body.at(), form=form, surface=SurfaceLaw(friction=rng.choice([0.3, 1.0]))
        )
        items += [body, skin]
    return Model(name="thrown", items=tuple(items))


_GAINS = pytest.mark.xfail(strict=False, reason="a capsule across the rim of a cylinder gains 0.2 % of the energy")


@pytest.mark.parametrize("seed", [pytest.param(0, marks=_GAINS), 1, 2])
def test_mixed_shapes_tumble(seed):
    """Faces land, edges slide, bodies wedge: laws to 1e-8 in every step; energy grows by what overlaps lift.

    Curved ways leave overlaps of (ω h)² of a size, and removing them lifts a body:
    a thousandth of the energy in all.
    """
    system, motion = _run(_thrown(seed), 0.5, 4e-3)
    E = accounts(system, motion)[:, :2].sum(axis=1)
    grown = np.maximum(np.diff(E), 0.0)
    assert grown.sum() < 1e-3 * E[0]
    assert motion.collisions.count.max() >= 4  # something lies flat or on another
    assert motion.q[:, 2::7].min() > 0.02


@pytest.mark.parametrize("mu", [0.0, 1.0])
def test_face_that_lands_at_a_small_angle_does_not_wedge(mu):
    """Corners of one face that close different gaps ask nothing of a rigid box that it cannot do: few sweeps."""
    model = _on_a_floor(
        Box((0.4, 0.3, 0.04)), SurfaceLaw(friction=mu), height=0.0203, attitude=about((0.3, 1.0, 0.1), 1e-3),
        spin=(0.02, -0.01, 0.0),
    )  # fmt: skip
    _, motion = _run(model, 0.1, 2e-3)
    assert motion.collisions.sweeps.max() < 200
    assert motion.q[-1, 2] == pytest.approx(0.02, abs=1e-6)


def _distance(a, b):
    """Distance of two hulls by constrained minimisation over weights of their corners: no simplices of a difference."""
    n = len(a)
    gap = lambda w: w[:n] @ a - w[n:] @ b
    found = minimize(
        lambda w: gap(w) @ gap(w), np.repeat([1 / n, 1 / len(b)], [n, len(b)]), method="SLSQP",
        bounds=[(0, 1)] * (n + len(b)),
        constraints=[{"type": "eq", "fun": lambda w: (w[:n].sum() - 1, w[n:].sum() - 1)}],
        options={"ftol": 1e-16, "maxiter": 500},
    )  # fmt: skip
    return float(np.linalg.norm(gap(found.x)))


@pytest.mark.parametrize("seed", range(6))
def test_gap_of_two_hulls_by_another_road(seed):
    """A hull with a capsule's ball against one of corners alone: sharp edges, the distance to 1e-6 m."""
    rng = np.random.default_rng(seed)
    form, e = Hull(tuple(map(tuple, rng.normal(size=(12, 3)) * 0.1))), about(rng.normal(size=3), rng.uniform(0, 3))
    body = RigidBody(name="a", mass=1.0, inertia=(1.0, 1.0, 1.0), attitude=e)
    direction = rng.normal(size=3)
    centre = tuple(0.5 * direction / np.linalg.norm(direction))
    other = RigidBody(name="b", mass=1.0, inertia=(1.0, 1.0, 1.0), position=centre)
    shapes = (
        CollisionShape(name="hull", at=body.at(), form=form),
        CollisionShape(name="capsule", at=other.at(), form=Capsule(0.05, 0.2)),
    )
    system = Model(name="pair", items=(body, other, *shapes)).system()
    found = system.contacts.touching(0.0, system.start.q, np.full(2, 1.0))
    corners = np.array(form.points) @ np.array(matrix_of(e)).T
    segment = np.array(centre) + [(0, 0, 0.1), (0, 0, -0.1)]
    assert found.gaps.min() == pytest.approx(_distance(corners, segment) - 0.05, abs=1e-6)


def test_inertia_of_a_hull_is_that_of_the_box_it_is():
    box = Box((0.3, 0.2, 0.1))
    corners = tuple((0.15 * x, 0.1 * y, 0.05 * z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1))
    shifted = Hull(tuple((x + 1.0, y - 2.0, z) for x, y, z in corners))
    assert shifted.centre == pytest.approx([1.0, -2.0, 0.0], abs=1e-12)
    assert shifted.volume == pytest.approx(0.006, rel=1e-12)
    assert shifted.centred().inertia(2.0)[:3] == pytest.approx(box.inertia(2.0), rel=1e-12)
    assert len(shifted.polyhedron().faces) == 6


def test_a_joint_and_a_floor_hold_a_bar():
    """A bar hinged 0.2 m above the floor falls until its round end lies on it; the joint stays closed."""
    form = Capsule(0.02, 0.5)
    bar = RigidBody(
        name="bar",
        mass=1.0,
        inertia=form.inertia(1.0),
        position=(0.25, 0.0, 0.2),
        attitude=about((0, 1.0, 0), np.pi / 2),
    )
    hinge = Revolute(
        name="hinge", a=ground.at((0.0, 0.0, 0.2), axis=(0, 1, 0)), b=bar.at_world((0, 0, 0.2), axis=(0, 1, 0))
    )
    model = Model(name="bar", items=(bar, hinge, CollisionShape(name="skin", at=bar.at(), form=form), _floor()))
    _, motion = _run(model, 0.8, 4e-3)
    assert motion.q[-1, 2] == pytest.approx((0.2 + 0.02) / 2, abs=1e-7)
    assert np.abs(motion.g).max() < 1e-9
    assert np.abs(motion.v[-1]).max() < 1e-7


def test_groups_that_do_not_meet_pass_through():
    form = Sphere(0.1)
    body = RigidBody(name="b", mass=1.0, inertia=form.inertia(1.0), position=(0.0, 0.0, 0.2))
    skin = CollisionShape(name="skin", at=body.at(), form=form, group=2, meets=2)
    _, motion = _run(Model(name="ghost", items=(body, skin, _floor())), 0.3, 1e-2)
    assert motion.q[-1, 2] == pytest.approx(0.2 - G * 0.3**2 / 2, rel=1e-9)


def test_what_cannot_be_is_refused_by_name():
    form, flat = Sphere(0.1), PlanarBody(name="flat", mass=1.0, inertia=1.0)
    body = RigidBody(name="b", mass=1.0, inertia=form.inertia(1.0), position=(0.0, 0.0, 0.05))
    skin = CollisionShape(name="skin", at=body.at(), form=form)
    with pytest.raises(ModelError, match=r"'skin' and 'floor' overlap by 0\.05 m"):
        Model(name="deep", items=(body, skin, _floor())).simulate(duration=0.1, dt=1e-2)
    with pytest.raises(ModelError, match="'flat' must be a RigidBody or the ground"):
        CollisionShape(name="s", at=flat.at(), form=form)
    with pytest.raises(ModelError, match="HalfSpace belongs to the ground"):
        CollisionShape(name="s", at=body.at(), form=HalfSpace())
    with pytest.raises(ModelError, match="restitution must be 0 … 1"):
        SurfaceLaw(restitution=1.2)
    with pytest.raises(ModelError, match="lie in one plane"):
        Hull(((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)))
    with pytest.raises(ModelError, match="'b', which has no coordinates of its own"):
        Model(name="bodiless", items=(skin, _floor())).simulate(duration=0.1, dt=1e-2)
    single = PlaneContact(name="single", plane=ground.at(), point=body.at())
    with pytest.raises(ModelError, match="cannot stand in one model"):
        Model(name="both", items=(body, skin, single)).system()


def test_methods_that_do_not_know_shapes_say_so():
    model = _on_a_floor(Sphere(0.1), SurfaceLaw(), height=0.1)
    for method in (MoreauJean(), GeneralizedAlpha()):
        with pytest.raises(ModelError, match="ContactStepping"):
            model.simulate(duration=0.1, dt=1e-2, method=method)
    body = RigidBody(name="b", mass=1.0, inertia=(1.0, 1.0, 1.0))
    single = Model(name="single", items=(body, PlaneContact(name="c", plane=ground.at((0, 0, -1)), point=body.at())))
    with pytest.raises(ModelError, match="use MoreauJean"):
        single.simulate(duration=0.1, dt=1e-2, method=ContactStepping())
