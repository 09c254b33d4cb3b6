"""The variational midpoint method: momentum kept, energy without drift, joints, dampers, what it refuses."""

import casadi as ca
import numpy as np
import pytest

from panhead.engine.bodies import Beam, Cable, PointMass, RigidBody, ground
from panhead.engine.bodies.measure import LineBetween
from panhead.engine.forces import Push, SpringDamper
from panhead.engine.joints import Revolute, Sliding, Spherical
from panhead.engine.methods.formulations import Baumgarte
from panhead.engine.methods.integrators import Adaptive, VariationalMidpoint
from panhead.engine.methods.simulate import simulate
from panhead.engine.multibody import Model
from panhead.errors import ModelError, NotConverged

FREE = (0.0, 0.0, 0.0)


def momentum(system, q, v):
    """Noether's p · δq of a small turn of the world about each axis, (3,); bodies of position and Euler parameters."""
    p, found = system.mass(0.0, q) @ v, []
    for w in np.eye(3):
        moved = np.zeros_like(q).reshape(-1, 7)
        x, e = q.reshape(-1, 7)[:, :3], q.reshape(-1, 7)[:, 3:]
        moved[:, :3] = np.cross(w, x)
        moved[:, 3] = -0.5 * e[:, 1:] @ w
        moved[:, 4:] = 0.5 * (e[:, :1] * w + np.cross(w, e[:, 1:]))
        found.append(p @ moved.ravel())
    return np.array(found)


def drift(system, motion):
    values = np.array([momentum(system, q, v) for q, v in zip(motion.q, motion.v, strict=True)])
    return np.abs(values - values[0]).max() / np.linalg.norm(values[0])


def test_two_hinged_bodies_tumble_with_the_momentum_they_have():
    """0.3 rad a step. Momentum to rounding times iterations; the energy within (ω dt)² and as good at the end."""
    a = RigidBody(name="a", mass=2.0, inertia=(0.3, 0.5, 0.6), spin=(0.5, 3.0, 1.0))
    b = RigidBody(name="b", mass=1.0, inertia=(0.2, 0.1, 0.25), position=(1.0, 0.0, 0.0), spin=(0.5, 3.0, 1.0),
                  velocity=(0.0, 1.0, -3.0))  # fmt: skip
    joint = Spherical(name="j", a=a.at((0.5, 0.0, 0.0)), b=b.at((-0.5, 0.0, 0.0)))
    system = Model(name="pair", items=(a, b, joint), gravity=FREE).system()
    motion = simulate(system, system.start, duration=10.0, dt=0.1, method=VariationalMidpoint())
    assert drift(system, motion) < 1e-11
    energy = np.array([sum(system.energy(0.0, q, v)) for q, v in zip(motion.q, motion.v, strict=True)])
    assert np.abs(energy / energy[0] - 1).max() < 0.1
    assert energy[-30:].mean() == pytest.approx(energy[:30].mean(), rel=0.03)
    assert np.abs(motion.g).max() < 1e-11
    assert np.abs(motion.g_dot).max() < 1e-10


def test_a_soft_beam_in_free_flight_keeps_its_momentum():
    """Geometrically exact elements, bent and thrown by a push that ends; then 20 steps of 2 ms."""
    beam = Beam(name="b", begin=FREE, end=(1.0, 0.0, 0.0), elements=2, height=0.02, width=0.02, young=1e8,
                density=1000.0)  # fmt: skip
    system = Model(name="m", items=(beam,), gravity=FREE).system()
    q, v = system.start.q.copy(), np.zeros(system.nq)
    v[system.place("b.2z")], v[system.place("b.0y")], v[system.place("b.0e1")] = 3.0, 1.0, 2.0
    start = type(system.start)(q=q, v=v)
    motion = simulate(system, start, duration=0.04, dt=0.002, method=VariationalMidpoint())
    assert drift(system, motion) < 1e-10


def test_observed_order_with_hinge_damper_and_driven_force():
    """Second order against a tight run: constraints, dissipation, a force of time; the energy ledger closes with it."""
    arm = RigidBody(name="arm", mass=1.5, inertia=(0.1, 0.2, 0.3), position=(0.5, 0.0, 0.0))
    pin = Revolute(name="pin", a=ground.at(axis=(0, 1, 0)), b=arm.at((-0.5, 0.0, 0.0), axis=(0, 1, 0)))
    above = LineBetween(a=ground.at((0.5, 0.0, 1.0)), b=arm.at())
    spring = SpringDamper(name="s", along=above, stiffness=40.0, damping=2.0, rest=1.0)
    push = Push(name="p", at=arm.at(), force=(0.0, 0.0, 3.0), course=lambda t: ca.sin(5 * t))
    system = Model(name="arm", items=(arm, pin, spring, push), gravity=(0.0, 0.0, -9.81)).system()
    exact = simulate(system, system.start, duration=0.5, dt=0.1, method=Adaptive(rtol=1e-11, atol=1e-13)).q[-1]
    motions = [simulate(system, system.start, duration=0.5, dt=dt, method=VariationalMidpoint()) for dt in (0.02, 0.01)]
    errors = [np.abs(m.q[-1] - exact).max() for m in motions]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)
    m = motions[1]
    energy = [sum(system.energy(t, q, v)) for t, q, v in zip(m.t, m.q, m.v, strict=True)]
    change = m.work[-1] @ [1.0, 1.0, -1.0]
    assert energy[-1] - energy[0] == pytest.approx(change, abs=2e-3)


def test_what_it_does_not_support_is_refused_by_name():
    body = RigidBody(name="a", mass=2.0, inertia=(0.3, 0.5, 0.6), spin=(0.5, 3.0, 1.0))
    system = Model(name="free", items=(body,), gravity=FREE).system()
    run = {"duration": 1.0, "dt": 0.1}
    with pytest.raises(ModelError, match="augmented saddle formulation"):
        simulate(system, system.start, method=VariationalMidpoint(), stabilisation=Baumgarte(), **run)
    with pytest.raises(NotConverged, match=r"the step of 0.1 s at t = 0 s failed.*Halve the step"):
        simulate(system, system.start, method=VariationalMidpoint(max_iterations=1), **run)
    wire = Cable(name="w", nodes=((0, 0), (1, 0), (2, 0)), mass_per_length=1.0, axial_stiffness=900.0, tension=50.0)
    bead = PointMass(name="bead", mass=1.0, position=(0.4, 0.0, 0.0), planar=True)
    slide = Sliding(name="runner", point=bead.at(), wire=wire.track(0.4))
    sliding = Model(name="sliding", items=(wire, bead, slide), gravity=FREE).system()
    with pytest.raises(ModelError, match="does not support sliding along wires"):
        simulate(sliding, sliding.start, method=VariationalMidpoint(), **run)
    with pytest.raises(ModelError, match="tolerance must be"):
        VariationalMidpoint(tolerance=0.0)
