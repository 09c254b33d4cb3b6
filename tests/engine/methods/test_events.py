"""Events: times by closed forms, energy that actions add, segments with other numbers."""

import numpy as np
import pytest

import panhead as ph
from panhead.errors import ModelError, NotConverged

G = 9.81


def falling(*more):
    ball = ph.bodies.PlanarBody(name="ball", mass=1.0, inertia=0.1, position=(0.0, 1.0))
    return ph.Model(name="ball", items=(ball, *more), gravity=(0.0, -G, 0.0))


def bounce(restitution):
    act = lambda s: ph.EventAction(rates={"ball.y": -restitution * s.rate("ball.y")})
    return ph.Event(name="bounce", when=lambda s: s["ball.y"], act=act, direction="falling")


@pytest.mark.parametrize("method", [None, ph.GeneralizedAlpha()])
def test_times_of_a_bouncing_ball(method):
    """t₁ = √(2h/g), then 2 e v/g between bounces; each takes (1 − e²) of the kinetic energy."""
    motion = falling().simulate(duration=1.6, dt=0.01, events=(bounce(0.8),), method=method)
    first = np.sqrt(2.0 / G)
    times = first + np.array([0.0, 2 * 0.8, 2 * (0.8 + 0.64)]) * first
    times = times[times < 1.6]
    np.testing.assert_allclose(motion["event_time"], times, rtol=0, atol=1e-11)
    np.testing.assert_allclose(motion["event_added_energy"][0], -(1 - 0.64) * G, rtol=1e-9)
    assert float(abs(motion["balance"]).max()) < 1e-9 * G


def test_kept_states_are_those_of_the_grid():
    motion = falling().simulate(duration=1.0, dt=0.01, keep=0.05, events=(bounce(0.5),))
    np.testing.assert_allclose(motion["time"], np.arange(21) * 0.05, atol=1e-12)


def test_a_spring_that_breaks():
    mass = ph.bodies.PointMass(name="mass", mass=1.0, position=(0.1, 0.0, 0.0))
    spring = ph.forces.SpringDamper(name="spring", along="mass.x", stiffness=100.0)
    model = ph.Model(name="breaking", items=(mass, spring), gravity=(0.0, 0.0, 0.0))
    cut = ph.Event(
        name="break",
        when=lambda s: s["mass.x"] - 0.05,
        act=lambda s: ph.EventAction(parameters={"spring.stiffness": 0.0}),
    )
    motion = model.simulate(duration=1.0, dt=0.01, events=(cut,), outputs=("spring.force",))
    at = np.arccos(0.5) / 10
    assert float(motion["event_time"][0]) == pytest.approx(at, abs=1e-12)
    assert float(motion["q"][-1, 0]) == pytest.approx(0.05 - np.sqrt(0.75) * (1.0 - at), abs=1e-9)
    assert float(motion["spring_force"][-1]) == 0.0
    assert float(motion["spring_force"][0]) == pytest.approx(10.0)
    assert float(motion["event_added_energy"][0]) == pytest.approx(-0.5 * 100 * 0.05**2)
    assert float(abs(motion["balance"]).max()) < 1e-10


def test_a_run_ends_at_an_event():
    end = ph.Event(name="ground", when=lambda s: s["ball.y"], act=lambda s: ph.EventAction(stop=True))
    motion = falling().simulate(duration=2.0, dt=0.01, events=(end,))
    assert motion["time"][-1] <= np.sqrt(2 / G) < motion["time"][-1] + 0.01


def test_rates_not_named_follow_from_the_joints():
    """A pendulum that is struck: its centre moves as its hinge lets it."""
    rod = ph.bodies.PlanarBody(name="rod", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    hinge = ph.joints.Revolute(name="hinge", a=ph.bodies.ground.at(), b=rod.at_world((0.0, 0.0)))
    model = ph.Model(name="pendulum", items=(rod, hinge), gravity=(0.0, -G, 0.0))
    strike = ph.Event(
        name="strike",
        when=lambda s: s["rod.angle"] + np.pi / 2,
        act=lambda s: ph.EventAction(rates={"rod.angle": 3.0}),
        direction="falling",
    )
    motion = model.simulate(duration=1.0, dt=0.01, events=(strike,))
    assert len(motion["event_time"]) == 1
    assert float(motion["constraint_residual"].max()) < 1e-9
    assert float(abs(motion["balance"]).max()) < 1e-7


def test_events_that_accumulate_are_told():
    with pytest.raises(NotConverged, match="accumulate"):
        falling().simulate(duration=2.0, dt=0.2, events=(bounce(0.4),), method=ph.GeneralizedAlpha())


def test_events_with_contacts_are_refused():
    ball = ph.bodies.PlanarBody(name="ball", mass=1.0, inertia=0.1, position=(0.0, 0.5))
    plane = ph.bodies.ground.at(axis=(0.0, 1.0, 0.0))
    floor = ph.forces.PlaneContact(name="floor", plane=plane, point=ball.at(), law=ph.forces.ImpactLaw())
    model = ph.Model(name="ball", items=(ball, floor), gravity=(0.0, -G, 0.0))
    with pytest.raises(ModelError, match="cannot be combined with contacts"):
        model.simulate(duration=0.5, dt=1e-3, events=(bounce(0.5),))


def swinging_rod():
    rod = ph.bodies.PlanarBody(name="rod", mass=1.0, inertia=1 / 12, position=(0.5, 0.0))
    hinge = ph.joints.Revolute(name="hinge", a=ph.bodies.ground.at(), b=rod.at_world((0.0, 0.0)))
    return rod, ph.Model(name="rod", items=(rod, hinge), gravity=(0.0, -G, 0.0))


def at_the_lowest(act):
    return ph.Event(name="low", when=lambda s: s["rod.angle"] + np.pi / 2, act=act, direction="falling")


def test_a_rod_that_changes_hands():
    """At its lowest ω² = 3 g/L. Gripped at the other end, the moment of momentum about that end,
    (m L²/12 − m L²/4) ω = m L²/3 ω⁺, leaves ω⁺ = −ω/2: three quarters of m g L/2 are lost."""
    rod, model = swinging_rod()
    tip = ph.bodies.ground.at((0.0, -1.0, 0.0))
    grip = ph.joints.Revolute(name="other", a=tip, b=rod.at((0.5, 0.0)))
    change = at_the_lowest(lambda s: ph.EventAction(releases=("hinge",), grips=(grip,)))
    motion = model.simulate(duration=0.6, dt=1e-3, events=(change,), method=ph.GeneralizedAlpha())
    assert float(motion["event_added_energy"][0]) == pytest.approx(-0.75 * G / 2, rel=1e-5)
    after = motion.sel(time=slice(float(motion["event_time"][0]), None))
    assert float(after["v"][0, 2]) == pytest.approx(np.sqrt(3 * G) / 2, rel=1e-3)
    assert bool(motion["reaction"].sel(joint="hinge").isel(time=-1).isnull())
    assert bool(motion["reaction"].sel(joint="other").isel(time=0).isnull())
    assert float(motion["constraint_residual"].max()) < 1e-9
    assert float(abs(motion["balance"]).max()) < 1e-3


def test_a_rod_that_lets_go_flies():
    """Released at its lowest with v = ω L/2, its centre falls freely and its spin stays."""
    _, model = swinging_rod()
    free = at_the_lowest(lambda s: ph.EventAction(releases=("hinge",)))
    motion = model.simulate(duration=0.8, dt=1e-3, events=(free,), method=ph.GeneralizedAlpha())
    t = 0.8 - float(motion["event_time"][0])
    x, y, _ = motion["q"].values[-1]
    assert x == pytest.approx(-np.sqrt(3 * G) / 2 * t, rel=1e-4)
    assert y == pytest.approx(-0.5 - G / 2 * t**2, rel=1e-4)
    assert motion["v"].values[-1, 2] == pytest.approx(-np.sqrt(3 * G), rel=1e-4)


def test_joints_that_cannot_open_are_named():
    _, model = swinging_rod()
    nothing = at_the_lowest(lambda s: ph.EventAction(releases=("rod",)))
    with pytest.raises(ModelError, match="no closed joint called rod"):
        model.simulate(duration=0.6, dt=0.01, events=(nothing,), method=ph.GeneralizedAlpha())
