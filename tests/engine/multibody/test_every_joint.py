"""Laws that every joint must obey; see ``laws`` for what they say and ``specimens`` for what is tried."""

import numpy as np
import pytest

from engine.multibody.laws import (
    check_constraint,
    check_invariance,
    check_lagrange,
    check_momentum,
    check_power,
    check_tangents,
    elements,
)
from engine.multibody.specimens import JOINTS, WITHOUT_ROWS, kinds
from panhead.engine.bodies import PlanarBody, PointMass, RigidBody, ground
from panhead.engine.joints import (
    Coupled,
    Cylindrical,
    Distance,
    Driven,
    Held,
    Planar,
    PointOnLine,
    PointOnPlane,
    Prismatic,
    Revolute,
    RevolutePrismatic,
    Rigid,
    Spherical,
    Travel,
    Turn,
    Universal,
)
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.rank import rank_report
from panhead.engine.methods.simulate import simulate
from panhead.engine.multibody import Model
from panhead.engine.roles import Constraint
from panhead.engine.rotations import about


def test_no_joint_slips_through():
    tried = {type(s.item) for s in JOINTS} | set(WITHOUT_ROWS)
    assert kinds(Constraint) - tried == set(), "add them to JOINTS in specimens.py"


@pytest.mark.parametrize("specimen", JOINTS, ids=str)
@pytest.mark.parametrize(
    "law", [check_constraint, check_tangents, check_lagrange, check_power], ids=lambda f: f.__name__
)
def test_law(specimen, law):
    for e in elements(specimen):
        law(e)


@pytest.mark.parametrize("specimen", [s for s in JOINTS if s.indifferent], ids=str)
def test_rigid_motion(specimen):
    for e in elements(specimen):
        check_invariance(specimen, e)


@pytest.mark.parametrize("specimen", [s for s in JOINTS if s.pair], ids=str)
def test_reactions_are_equal_and_opposite(specimen):
    for e in elements(specimen):
        check_momentum(specimen, e)


FREEDOMS = {
    Spherical: 3, Revolute: 1, Universal: 2, Prismatic: 1, Cylindrical: 2, RevolutePrismatic: 2, Planar: 3, Rigid: 0,
    PointOnLine: 4, PointOnPlane: 5,
}  # fmt: skip
IN_PLANE = {Spherical: 1, Revolute: 1, Prismatic: 1, RevolutePrismatic: 2, Rigid: 0, PointOnLine: 2, PointOnPlane: 2}


@pytest.mark.parametrize("kind", FREEDOMS, ids=lambda k: k.__name__)
def test_freedoms(kind):
    """What each joint leaves free of the six motions of a body on the ground."""
    body = RigidBody(name="b", mass=1.0, inertia=(1, 2, 3), attitude=about((1, 2, 3), 0.5))
    b_axis = (1, 0, 0) if kind is Universal else (0, 0, 1)
    joint = kind(
        name="j", a=ground.at((0, 0, 0), across=(1, 0, 0)),
        b=body.at_world((0, 0, 0), axis=b_axis, across=(0, 1, 0) if kind is Universal else (1, 0, 0)),
    )  # fmt: skip
    system = Model(name="one", items=(body, joint)).system()
    assert np.abs(system.constraint(0.0, system.start.q)).max() < 1e-14
    report = rank_report(system, system.start.q)
    assert (report.freedoms, report.redundant) == (FREEDOMS[kind], ())


@pytest.mark.parametrize("kind", IN_PLANE, ids=lambda k: k.__name__)
def test_freedoms_in_the_plane(kind):
    body = PlanarBody(name="b", mass=1.0, inertia=1.0, angle=0.5)
    axis = (1, 0, 0)
    joint = kind(name="j", a=ground.at(axis=axis, across=(0, 1, 0)), b=body.at(axis=(np.cos(0.5), -np.sin(0.5), 0)))
    system = Model(name="one", items=(body, joint)).system()
    assert rank_report(system, system.start.q).freedoms == IN_PLANE[kind]


def residual(joint, *bodies):
    system = Model(name="hand", items=(*bodies, joint)).system()
    found = dict(zip(system.constraints, system.constraint(0.5, system.start.q), strict=True))
    return [found[n] for n in system.constraints if n.startswith(joint.name)]


def test_hand_computed_values():
    """B at (1, 2, 3) turned by 0.3 about x, A the world: d = (1, 2, 3), x_B = x, y_B = (0, c, s), z_B = (0, −s, c)."""
    c, s = np.cos(0.3), np.sin(0.3)
    B = RigidBody(name="B", mass=1.0, inertia=(1, 1, 1), position=(1, 2, 3), attitude=about((1, 0, 0), 0.3))
    ends = {"name": "j", "a": ground.at(across=(1, 0, 0)), "b": B.at(across=(1, 0, 0))}
    expected = {
        Spherical: (1, 2, 3),
        Revolute: (1, 2, 3, 0, -s),
        Universal: (1, 2, 3, c),
        Prismatic: (1, 2, 0, -s, 0),
        Cylindrical: (1, 2, 0, -s),
        RevolutePrismatic: (1, 2, 0, 0),
        Planar: (3, 0, -s),
        Rigid: (1, 2, 3, 0, -s, 0),
        PointOnLine: (1, 2),
        PointOnPlane: (3,),
    }
    for kind, values in expected.items():
        np.testing.assert_allclose(residual(kind(**ends), B), values, atol=1e-14, err_msg=kind.__name__)
    assert residual(Distance(length=3.0, **ends), B)[0] == pytest.approx(np.sqrt(14) - 3)
    about_x = {"axis": (1, 0, 0), "across": (0, 1, 0)}
    turn = Turn(name="j", a=ground.at(**about_x), b=B.at(**about_x))
    for item, value in ((turn, 0.3), (Travel(**ends), 3.0)):
        start = Model(name="hand", items=(B, item)).system().start
        assert start.q[-1] == pytest.approx(value)
        assert residual(item, B)[0] == pytest.approx(0.0, abs=1e-15)
    assert residual(Held(name="j", values={"B.y": 0.5}), B)[0] == pytest.approx(1.5)
    tied = Coupled(name="j", ratios={"B.x": 2.0, "B.z": -1.0}, motion=0.25)
    assert residual(tied, B)[0] == pytest.approx(2.0 - 3.0 - 0.25)
    assert residual(Driven(name="j", coordinate="B.z", motion=lambda t: 4 * t), B)[0] == pytest.approx(1.0)


def test_rod_carries_what_hangs_on_it():
    """A point of 2 kg at rest under a rod: the multiplier is its weight, 19.62 N."""
    point = PointMass(name="p", mass=2.0, position=(0, 0, -1.5))
    rod = Distance(name="rod", a=ground.at(), b=point.at(), length=1.5)
    system = Model(name="plumb", items=(point, rod)).system()
    motion = simulate(system, system.start, duration=0.01, dt=1e-3, method=GeneralizedAlpha())
    assert motion.lam[-1, 0] == pytest.approx(19.62, rel=1e-9)


def test_an_angle_counts_its_turns():
    """A wheel at 20 rad/s for 2 s has turned by 40 rad: 6.4 turns, and the coordinate says so."""
    for body in (
        RigidBody(name="w", mass=1.0, inertia=(1, 1, 2), attitude=about((0, 0, 1), 0.3), spin=(0, 0, 20.0)),
        PlanarBody(name="w", mass=1.0, inertia=2.0, angle=0.3, spin=20.0),
    ):
        items = (
            body,
            Revolute(name="pin", a=ground.at(across=(1, 0, 0)), b=body.at(across=(1, 0, 0))),
            Turn(name="turn", a=ground.at(across=(1, 0, 0)), b=body.at(across=(1, 0, 0)), near=6.0),
        )
        system = Model(name="wheel", items=items).system()
        k = system.place("turn.angle")
        assert system.start.q[k] == pytest.approx(0.3 + 2 * np.pi)
        assert system.start.v[k] == pytest.approx(20.0)
        motion = simulate(system, system.start, duration=2.0, dt=2e-3, method=GeneralizedAlpha())
        # the step of 0.04 rad has a phase error of (0.04)²/12 in a full Newmark step of Euler parameters
        assert motion.q[-1, k] - motion.q[0, k] == pytest.approx(40.0, rel=1e-3)


def test_gear_between_two_angles():
    """Wheels of 0.5 and 2 kg·m² with the ratio 1 : −2, driven by 3 N·m at the first: α = 3 / (0.5 + 2/4)."""
    from panhead.engine.forces import Thrust

    one, two = (PlanarBody(name=n, mass=1.0, inertia=J) for n, J in (("one", 0.5), ("two", 2.0)))
    pins = (Held(name="pins", values={f"{n}.{x}": 0.0 for n in ("one", "two") for x in "xy"}),)
    gear = Coupled(name="gear", ratios={"one.angle": 1.0, "two.angle": 2.0})
    push = Thrust(name="push", along="one.angle", force=3.0)
    system = Model(name="gears", items=(one, two, *pins, gear, push), gravity=(0, 0, 0)).system()
    motion = simulate(system, system.start, duration=1.0, dt=1e-2, method=GeneralizedAlpha())
    assert motion.v[-1, system.place("one.angle")] == pytest.approx(3.0, rel=1e-9)
    assert motion.v[-1, system.place("two.angle")] == pytest.approx(-1.5, rel=1e-9)
    assert motion.work[-1, 0] == pytest.approx(4.5, rel=1e-6)  # 3 N·m over 1.5 rad, by the trapezoidal rule


def test_driven_travel_takes_the_power_it_needs():
    """A slider driven along its guide by 0.1 t²: 2 kg · 0.2 m/s² = 0.4 N; work ½·2·0.2² = 0.04 J after 1 s."""
    body = RigidBody(name="b", mass=2.0, inertia=(1, 1, 1))
    axis = {"axis": (1, 0, 0), "across": (0, 1, 0)}
    items = (
        body,
        Prismatic(name="guide", a=ground.at(**axis), b=body.at(**axis)),
        Travel(name="travel", a=ground.at(**axis), b=body.at(**axis)),
        Driven(name="drive", coordinate="travel.x", motion=lambda t: 0.1 * t**2),
    )
    system = Model(name="slider", items=items).system()
    motion = simulate(system, system.start, duration=1.0, dt=1e-3, method=GeneralizedAlpha())
    assert motion.q[-1, 0] == pytest.approx(0.1, abs=1e-10)
    drive = system.constraints.index("drive.motion")
    assert -motion.lam[-1, drive] == pytest.approx(0.4, rel=1e-6)
    assert motion.work[-1, 0] == pytest.approx(0.04, rel=1e-5)
