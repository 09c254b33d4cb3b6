"""Motions as functions: jvp and vjp agree, Floquet multipliers, frequency response, PyTorch and JAX."""

import casadi as ca
import numpy as np
import pytest
import scipy.signal
from scipy.integrate import solve_ivp

import panhead as ph
from panhead.engine.methods.autodiff_bridges import jax_motion, torch_motion
from panhead.engine.methods.linear_response import frequency_response, to_control, to_scipy
from panhead.engine.methods.modes import linearise
from panhead.engine.methods.motion_derivatives import Direction, SimulatedMotion, floquet_multipliers
from panhead.errors import ModelError

STEPS = 30


def pendulum():
    rod = ph.bodies.PlanarBody(name="rod", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    hinge = ph.joints.Revolute(name="hinge", a=ph.bodies.ground.at(), b=rod.at_world((0.0, 0.0)))
    motor = ph.forces.Actuator(name="motor", along="rod.angle")
    system = ph.Model(name="pendulum", items=(rod, hinge, motor), gravity=(0.0, -9.81, 0.0)).system()
    return SimulatedMotion(system=system, duration=0.3, dt=0.01, start=system.start, u=np.zeros((STEPS + 1, 1)))


RANDOM = np.random.default_rng(0)
WEIGHTS = RANDOM.standard_normal((STEPS + 1, 3))
DIRECTIONS = {
    "controls": Direction(u=RANDOM.standard_normal((STEPS + 1, 1))),
    "mass": Direction(parameters={"rod.mass": 1.0}),
    "place of the hinge": Direction(parameters={"hinge.1.p.0": 1.0}),
    "rates": Direction(v=np.array([0.0, 0.5, 1.0])),
}


@pytest.fixture(scope="module")
def gradient():
    return pendulum().vjp({"q": WEIGHTS})


@pytest.mark.parametrize("name", DIRECTIONS)
def test_forward_and_backward_agree(name, gradient):
    """w · (J d) = (Jᵀ w) · d: two runs by differences, and the discrete adjoint."""
    d = DIRECTIONS[name]
    forward = (pendulum().jvp(d)["q"] * WEIGHTS).sum()
    backward = sum(gradient.parameters[n] * x for n, x in d.parameters.items())
    backward += 0.0 if d.u is None else (gradient.controls * d.u).sum()
    backward += 0.0 if d.v is None else gradient.start_v @ d.v
    assert forward == pytest.approx(backward, rel=1e-7)


def test_directions_are_checked():
    with pytest.raises(ModelError, match="no parameter"):
        pendulum().jvp(Direction(parameters={"rod.weight": 1.0}))
    with pytest.raises(ModelError, match="not zero"):
        pendulum().jvp(Direction())


def mathieu(offset, depth):
    mass = ph.bodies.PointMass(name="mass", mass=1.0, position=(0.0, 0.0, 0.0))
    guide = ph.joints.Held(name="guide", values={"mass.y": 0.0, "mass.z": 0.0})
    law = lambda x, rate, t: (offset + depth * ca.cos(t)) * x
    spring = ph.forces.FunctionForce(name="spring", along="mass.x", law=law)
    return ph.Model(name="Mathieu", items=(mass, guide, spring), gravity=(0.0, 0.0, 0.0)).system()


def test_floquet_multipliers_of_mathieus_equation():
    """ẍ + (¼ + 0.3 cos t) x = 0 lies in the first tongue of instability: two real ones, their product 1."""
    system = mathieu(0.25, 0.3)
    found = floquet_multipliers(system, system.start, 2 * np.pi, dt=0.1)
    rates = lambda t, y: (y[1], -(0.25 + 0.3 * np.cos(t)) * y[0])
    ends = [
        solve_ivp(rates, (0, 2 * np.pi), start, rtol=1e-12, atol=1e-13, method="DOP853").y[:, -1]
        for start in ((1.0, 0.0), (0.0, 1.0))
    ]
    expected = np.linalg.eigvals(np.array(ends).T)
    np.testing.assert_allclose(np.sort(found.real), np.sort(expected.real), rtol=1e-7)
    assert abs(found[0]) > 1 > abs(found[1])


def test_a_motion_that_does_not_return_has_no_multipliers():
    motion = pendulum()
    with pytest.raises(ModelError, match="not periodic"):
        floquet_multipliers(motion.system, motion.start, 0.3, dt=0.01)


def oscillator():
    mass = ph.bodies.PointMass(name="mass", mass=2.0, position=(0.0, 0.0, 0.0))
    guide = ph.joints.Held(name="guide", values={"mass.y": 0.0, "mass.z": 0.0})
    spring = ph.forces.SpringDamper(name="spring", along="mass.x", stiffness=50.0, damping=3.0)
    drive = ph.forces.Actuator(name="drive", along="mass.x", gain=4.0)
    system = ph.Model(name="oscillator", items=(mass, guide, spring, drive), gravity=(0.0, 0.0, 0.0)).system()
    return system, linearise(system, system.start.q, np.zeros(system.nc))


def test_frequency_response_of_an_oscillator():
    """H = gain / (k + i ω c − ω² m)."""
    system, linear = oscillator()
    f = np.array([0.0, 0.5, 0.8, 3.0])
    w = 2 * np.pi * f
    found = frequency_response(linear, f)[:, system.place("mass.x"), 0]
    np.testing.assert_allclose(found, 4.0 / (50.0 + 3.0j * w - 2.0 * w**2), rtol=1e-12)
    exported = to_scipy(linear, system, ["mass.x", "rate mass.x"])
    for k, x in enumerate(w):
        H = exported.C @ np.linalg.solve(1j * x * np.eye(2) - exported.A, exported.B)
        np.testing.assert_allclose(H[:, 0], [found[k], 1j * x * found[k]], rtol=1e-10, atol=1e-14)
    assert isinstance(exported, scipy.signal.StateSpace)


def test_export_to_python_control():
    control = pytest.importorskip("control")
    system, linear = oscillator()
    exported = to_control(linear, system, ["mass.x"])
    assert exported.input_labels == ["drive"]
    assert abs(control.dcgain(exported)) == pytest.approx(4.0 / 50.0)


def test_without_controls_nothing_responds():
    system = mathieu(1.0, 0.0)
    with pytest.raises(ModelError, match="no controls"):
        frequency_response(linearise(system, system.start.q, np.zeros(system.nc)), [1.0])


def inputs():
    return np.array([1.2, 9.0]), np.zeros(3), 0.1 * np.sin(np.arange(STEPS + 1.0))[:, None]


NAMES = ("rod.mass", "motor.gain")


def test_pytorch_bridge():
    """Against its own differences."""
    torch = pytest.importorskip("torch")
    function = torch_motion(pendulum(), NAMES)
    given = [torch.tensor(x, requires_grad=True) for x in inputs()]
    objective = lambda *x: (function(*x)[0][-1, 2] - 0.1) ** 2
    objective(*given).backward()
    h = 1e-5
    for k, place in ((0, (0,)), (0, (1,)), (2, (7, 0))):
        moved = []
        for sign in (1, -1):
            x = [np.array(y) for y in inputs()]
            x[k][place] += sign * h
            moved.append(float(objective(*map(torch.tensor, x))))
        assert float(given[k].grad[place]) == pytest.approx((moved[0] - moved[1]) / (2 * h), rel=1e-6)


def test_jax_bridge():
    """Against its own differences, inside jit."""
    jax = pytest.importorskip("jax")
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        function = jax_motion(pendulum(), NAMES)
        objective = jax.jit(lambda *x: (function(*x)[0][-1, 2] - 0.1) ** 2)
        given = inputs()
        found = jax.grad(objective, argnums=(0, 2))(*given)
        h = 1e-5
        for k, gradient, place in ((0, found[0], (0,)), (0, found[0], (1,)), (2, found[1], (7, 0))):
            moved = []
            for sign in (1, -1):
                x = [np.array(y) for y in inputs()]
                x[k][place] += sign * h
                moved.append(float(objective(*x)))
            assert float(gradient[place]) == pytest.approx((moved[0] - moved[1]) / (2 * h), rel=1e-6)
    finally:
        jax.config.update("jax_enable_x64", before)
