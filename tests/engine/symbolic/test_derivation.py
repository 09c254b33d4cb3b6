"""Derived terms against independent derivations."""

import casadi as ca
import numpy as np
import pytest
from oracles import double_pendulum, planar_pantograph

from panhead.engine.symbolic import (
    Gravity,
    Mechanism,
    Parameters,
    PlacedBody,
    SymbolicSystem,
    coordinates,
    rotation_x,
    rotation_y,
    rotation_z,
    time,
)
from panhead.errors import ModelError
from panhead.runs.scenarios.shipped_models import mechanism

ROUND_OFF = 1e-12  # terms are sums of a few products of numbers of order 1 to 1000


def terms(system, t, q, v):
    """M, Q_v, Q_m, Q_e at one state."""
    d = system.derivation
    f = ca.Function("f", [d.t, d.q, d.v, d.u, d.p], [d.M, d.Q_v, d.Q_m, d.Q_e])
    values = f(t, q, v, np.zeros(len(system.controls)), system.p)
    return [np.array(value).squeeze() for value in values]


@pytest.mark.parametrize("seed", range(5))
def test_double_pendulum(seed):
    rng = np.random.default_rng(seed)
    t, q, v = rng.uniform(0, 5), rng.uniform(-3, 3, 2), rng.uniform(-4, 4, 2)
    M, Q_v, Q_m, Q_e = terms(SymbolicSystem(mechanism("double-pendulum")), t, q, v)
    np.testing.assert_allclose(M, double_pendulum.mass_matrix(q), atol=ROUND_OFF)
    np.testing.assert_allclose(Q_v, double_pendulum.quadratic_velocity_force(q, v), atol=ROUND_OFF)
    np.testing.assert_allclose(Q_m, double_pendulum.driven_force(t, q), atol=ROUND_OFF)
    np.testing.assert_allclose(Q_e, double_pendulum.gravity_force(q), atol=ROUND_OFF)


@pytest.mark.parametrize("seed", range(5))
def test_power_of_the_cart_drive(seed):
    """Time as a coordinate gives the drive's power; the oracle takes force on the cart times ẋ."""
    rng = np.random.default_rng(seed)
    t, q, v = rng.uniform(0, 5), rng.uniform(-3, 3, 2), rng.uniform(-4, 4, 2)
    system = SymbolicSystem(mechanism("double-pendulum"))
    a = double_pendulum.acceleration(t, q, v)
    power = system.power(t, q, v, a, np.zeros(0), np.zeros(0))
    assert power.drivers == pytest.approx(double_pendulum.drive_power(t, q, v), abs=1e-10)
    assert power.dissipated == 0


@pytest.mark.parametrize("seed", range(5))
def test_planar_pantograph(seed):
    rng = np.random.default_rng(seed)
    q = np.array([2.4, 2.5, -0.5, 0.1]) + rng.uniform(-0.3, 0.3, 4)
    v = rng.uniform(-1, 1, 4)
    system = SymbolicSystem(mechanism("planar-pantograph"))
    M, Q_v, Q_m, Q_e = terms(system, 0.0, q, v)
    np.testing.assert_allclose(M, planar_pantograph.mass_matrix(q), atol=ROUND_OFF)
    np.testing.assert_allclose(Q_v, planar_pantograph.quadratic_velocity_force(q, v), atol=ROUND_OFF)
    np.testing.assert_allclose(Q_m, 0.0, atol=ROUND_OFF)
    expected = (
        planar_pantograph.gravity_force(q)
        + planar_pantograph.elastic_force(q, 0.0)
        + planar_pantograph.damping_force(q, v, 0.0)
    )
    # forces are of order 1000 N·m, so round-off is a thousand times larger
    np.testing.assert_allclose(Q_e, expected, atol=1e3 * ROUND_OFF, rtol=ROUND_OFF)
    np.testing.assert_allclose(system.constraint(0.0, q), planar_pantograph.constraint(q), atol=ROUND_OFF)
    np.testing.assert_allclose(system.constraint_q(0.0, q), planar_pantograph.constraint_jacobian(q), atol=ROUND_OFF)
    np.testing.assert_allclose(
        system.constraint_bias(0.0, q, v), planar_pantograph.constraint_bias(q, v), atol=ROUND_OFF
    )


def top():
    """A symmetric top with a fixed point in z-x-z Euler angles."""
    p = Parameters(m=(2.0, "kg"), h=(0.3, "m"), A=(0.1, "kg*m**2"), C=(0.04, "kg*m**2"))
    psi, theta, phi = q = coordinates("psi", "theta", "phi")
    R = rotation_z(psi) @ rotation_x(theta) @ rotation_z(phi)
    position = p.h * R[:, 2]
    body = PlacedBody(
        name="top",
        mass=p.m,
        position=(position[0], position[1], position[2]),
        rotation=R,
        inertia=ca.diag(ca.vertcat(p.A, p.A, p.C)),
    )
    return SymbolicSystem(
        Mechanism(name="top", coordinates=q, units=("rad",) * 3, bodies=(body,), gravity=Gravity(), parameters=p)
    )


def test_top_kinetic_energy_in_space():
    """T = ½ (A + m h²)(θ̇² + ψ̇² sin²θ) + ½ C (φ̇ + ψ̇ cos θ)², the textbook formula of the heavy top."""
    system = top()
    q, v = np.array([0.4, 0.9, -1.1]), np.array([2.0, -0.7, 11.0])
    A, C = 0.1 + 2.0 * 0.3**2, 0.04
    expected = 0.5 * A * (v[1] ** 2 + (v[0] * np.sin(q[1])) ** 2) + 0.5 * C * (v[2] + v[0] * np.cos(q[1])) ** 2
    assert system.energy(0.0, q, v).kinetic == pytest.approx(expected, rel=1e-13)


def test_steady_precession_of_the_top():
    """(A − C) ψ̇² cos θ − C s ψ̇ + m g h = 0 with spin s = φ̇ … gives θ̈ = 0; a wrong Q_v would tip the top."""
    system = top()
    A, C, mgh, theta, psi_dot = 0.1 + 2.0 * 0.3**2, 0.04, 2.0 * 9.81 * 0.3, 0.7, 1.5
    spin = (mgh / psi_dot + A * psi_dot * np.cos(theta)) / C  # ω₃ = φ̇ + ψ̇ cos θ
    q, v = np.array([0.3, theta, 0.2]), np.array([psi_dot, 0.0, spin - psi_dot * np.cos(theta)])
    a = np.linalg.solve(system.mass(0.0, q), system.force(0.0, q, v, np.zeros(0)))
    np.testing.assert_allclose(a, 0.0, atol=1e-10)


def test_prescribed_rotation_in_space():
    """A point mass in a frame that turns about z: centrifugal force m Ω² r and nothing else at rest."""
    (r,) = coordinates("r")
    Omega = 3.0
    R = rotation_z(Omega * time) @ rotation_y(0.0)
    body = PlacedBody(name="bead", mass=0.5, position=(r * R[0, 0], r * R[1, 0], r * R[2, 0]))
    system = SymbolicSystem(Mechanism(name="bead", coordinates=(r,), units=("m",), bodies=(body,)))
    force = system.force(0.3, np.array([0.7]), np.zeros(1), np.zeros(0))
    assert force[0] == pytest.approx(0.5 * Omega**2 * 0.7, rel=1e-13)


def interpreted(system, expression, t, q, v, u):
    """An expression of (t, q, v, u) by CasADi's own interpreter, which knows nothing of machine code."""
    d = system.derivation
    f = ca.Function("f", [d.t, d.q, d.v, d.u, d.p], [ca.densify(expression)])
    return np.array(f(t, q, v, u, system.p))


def test_compiled_terms_equal_the_interpreter():
    system = SymbolicSystem(mechanism("planar-pantograph")).with_parameters(s1=0.07, s2=0.007)
    rng = np.random.default_rng(3)
    t, q, v, u = 1.3, np.array([2.4, 2.5, -0.5, 0.1]), rng.uniform(-1, 1, 4), np.array([7.0])
    d = system.derivation
    pairs = [
        (system.mass(t, q), d.M),
        (system.force(t, q, v, u)[:, None], d.f),
        (system.force_q(t, q, v, u), ca.jacobian(d.f, d.q)),
        (system.force_v(t, q, v, u), ca.jacobian(d.f, d.v)),
        (system.force_u(t, q, v, u), ca.jacobian(d.f, d.u)),
        (system.constraint(t, q)[:, None], d.C),
        (system.constraint_t(t, q)[:, None], d.C_t),
        (system.constraint_q(t, q), d.C_q),
        (system.constraint_bias(t, q, v)[:, None], d.Q_d),
    ]
    for found, expression in pairs:
        expected = interpreted(system, expression, t, q, v, u)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-10)


def test_a_system_tells_what_it_is():
    text = repr(SymbolicSystem(mechanism("planar-pantograph")))
    assert "'planar-pantograph': 4 coordinates (theta1, theta2, theta3, x), 2 constraints" in text
    assert "1 control, " in text


def test_unknown_symbol_is_named():
    x, y = coordinates("x", "y")
    with pytest.raises(ModelError, match=r"body 'ball'.*uses y"):
        Mechanism(
            name="lost", coordinates=(x,), units=("m",), bodies=(PlacedBody(name="ball", mass=1.0, position=(x, y)),)
        )


@pytest.mark.parametrize("mass", [0.0, -1.0, float("nan")])
def test_mass_must_be_positive(mass):
    (x,) = coordinates("x")
    with pytest.raises(ModelError, match=r"body 'ball': mass must be > 0 kg"):
        Mechanism(
            name="m", coordinates=(x,), units=("m",), bodies=(PlacedBody(name="ball", mass=mass, position=(x, 0.0)),)
        )


def test_parameters_reject_nan_and_unknown_names():
    with pytest.raises(ModelError, match="parameter L must be finite"):
        Parameters(L=(float("nan"), "m"))
    with pytest.raises(ModelError, match="unknown parameter K; this mechanism has L"):
        Parameters(L=(1.0, "m")).changed({"K": 2.0})
    with pytest.raises(ModelError, match="is not a quantity in m"):
        Parameters(L=(1.0, "m")).changed({"L": "2 kg"})
    assert Parameters(L=(1.0, "m")).changed({"L": "2 cm"}).values["L"] == pytest.approx(0.02)


def ball(**changes):
    x, y = coordinates("x", "y")
    body = PlacedBody(name="ball", mass=1.0, position=(x, y))
    return Mechanism(**({"name": "m", "coordinates": (x, y), "units": ("m", "m"), "bodies": (body,)} | changes))


def test_parts_that_cannot_be_are_refused():
    from panhead.engine.symbolic import Closure, Damper

    x, _ = coordinates("x", "y")
    with pytest.raises(ModelError, match="damper 'd': damping must be ≥ 0, got -1"):
        ball(forces=(Damper(name="d", along=1.0, damping=-1.0),))
    with pytest.raises(ModelError, match="2 equations, but 1 labels"):
        Closure(name="loop", equations=(x, x), labels=("x",))
    with pytest.raises(ModelError, match="uses c, which is neither"):
        ball(forces=(Damper(name="d", along=1.0, damping=ca.SX.sym("c")),))
    with pytest.raises(ModelError, match="two parts have the name 'coordinate x'"):
        Mechanism(name="m", coordinates=(x, x), units=("m", "m"), bodies=())
    with pytest.raises(ModelError, match="cannot be called values"):
        Parameters(values=(1.0, "m"))
    with pytest.raises(ModelError, match="direction of gravity is undefined"):
        Mechanism(
            name="m",
            coordinates=(x,),
            units=("m",),
            gravity=Gravity(),
            bodies=(PlacedBody(name="slider", mass=1.0, position=(x,)),),
        )


def test_parameters_can_be_copied():
    from copy import deepcopy

    assert deepcopy(Parameters(L=(1.0, "m"))).values == {"L": 1.0}


def test_division_by_zero_is_told():
    """A force 1/y at y = 0 must not be swallowed by the compiled code."""
    from panhead.engine.methods.integrators import RungeKutta4
    from panhead.engine.methods.simulate import simulate
    from panhead.engine.methods.trajectory import State
    from panhead.engine.symbolic import AppliedForce
    from panhead.errors import SimulationError

    x, y = coordinates("x", "y")
    system = SymbolicSystem(
        Mechanism(
            name="pole",
            coordinates=(x, y),
            units=("m", "m"),
            bodies=(PlacedBody(name="ball", mass=1.0, position=(x, y)),),
            forces=(AppliedForce(name="pole", along=x, force=1 / y),),
        )
    )
    with pytest.raises(SimulationError, match="infinite or not a number"):
        simulate(system, State(q=np.zeros(2), v=np.zeros(2)), duration=1.0, dt=0.1, method=RungeKutta4())


def test_conditions_compile():
    """Comparisons, logic and signs in an expression: compiled and interpreted forces are equal."""
    from panhead.engine.symbolic import AppliedForce

    x, y = coordinates("x", "y")
    law = ca.if_else(ca.logic_and(x > 0.1, y <= 2), ca.sign(y) * x, ca.fabs(x) + ca.if_else(x == y, 1, 2))
    law += ca.logic_or(x < 0, y != 3) * 3 + ca.logic_not(x >= y) + ca.fmin(x, y) + ca.atan2(x, y + 4)
    system = SymbolicSystem(
        Mechanism(
            name="switch",
            coordinates=(x, y),
            units=("m", "m"),
            bodies=(PlacedBody(name="ball", mass=1.0, position=(x, y)),),
            forces=(AppliedForce(name="switch", along=x, force=law),),
        )
    )
    points = [np.array(p, float) for p in ((0.5, -1), (0.5, 3), (-1, -1), (-2, 1), (0, 0))]
    for q in points:
        expected = interpreted(system, system.derivation.f, 0.0, q, np.zeros(2), np.zeros(0))
        found = system.force(0.0, q, np.zeros(2), np.zeros(0))
        np.testing.assert_allclose(found, expected[:, 0], rtol=1e-14)
