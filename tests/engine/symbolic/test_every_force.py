"""Laws that every force and every closure must obey."""

import casadi as ca
import numpy as np
import pytest

from panhead.engine.symbolic import (
    AppliedForce,
    Closure,
    ConstantForce,
    Damper,
    Gravity,
    Mechanism,
    PlacedBody,
    Potential,
    Spring,
    StrokeActuator,
    SymbolicSystem,
    coordinates,
    time,
)

X, Y, PHI = coordinates("x", "y", "phi")
MOVING = ca.sqrt((X - 2 - 0.3 * ca.sin(time)) ** 2 + (Y + 1) ** 2)  # distance to a moving point
ANGLE = PHI - 0.2 * ca.cos(3 * time)

FORCES = [
    Spring(name="spring", along=MOVING, stiffness=70.0, rest=1.2),
    Damper(name="damper", along=MOVING, damping=4.0),
    ConstantForce(name="constant force", along=MOVING, force=-11.0),
    Potential(name="hardening spring", energy=3.0 * MOVING**4),
    StrokeActuator(name="actuator", along=ANGLE, channel="u", gain=2.0),
    AppliedForce(name="applied", along=MOVING, force=5.0 * ca.cos(2 * time) + X * Y),
    Spring(name="torsion", along=ANGLE, stiffness=6.0),
]
CLOSURES = [
    Closure(name="distance", equations=(MOVING - 2.0,)),
    Closure(name="coupling", equations=(X * PHI - ca.sin(time), Y**2 - X * time)),
]


def system_with(*, forces=(), closures=(), gravity=None):
    body = PlacedBody(
        name="plate",
        mass=2.0,
        position=(X + 0.1 * ca.cos(PHI), Y + 0.1 * ca.sin(PHI) + 0.05 * time**2),
        angle=PHI + 0.1 * ca.sin(time),
        inertia=0.3,
    )
    return SymbolicSystem(
        Mechanism(
            name="plate",
            coordinates=(X, Y, PHI),
            units=("m", "m", "rad"),
            bodies=(body,),
            forces=forces,
            closures=closures,
            gravity=gravity,
        )
    )


def state(seed):
    rng = np.random.default_rng(seed)
    return rng.uniform(0, 3), rng.uniform(-1, 1, 3), rng.uniform(-2, 2, 3)


@pytest.mark.parametrize("force", [*FORCES, Gravity()], ids=lambda f: getattr(f, "name", "gravity"))
@pytest.mark.parametrize("seed", range(4))
def test_power_balance(force, seed):
    """d(T + V)/dt = drivers + controls − dissipated, along the true acceleration, at any state.

    The left side is differenced along the motion with central steps of 1e-5 s: error of order 1e-10 × |E⃛|.
    """
    gravity = force if isinstance(force, Gravity) else None
    system = system_with(forces=() if gravity else (force,), gravity=gravity)
    t, q, v = state(seed)
    u = np.full(len(system.controls), 3.0)
    a = np.linalg.solve(system.mass(t, q), system.force(t, q, v, u))
    h = 1e-5
    energy = lambda s: sum(system.energy(t + s, q + s * v + s * s / 2 * a, v + s * a))
    E_dot = (energy(h) - energy(-h)) / (2 * h)
    power = system.power(t, q, v, a, np.zeros(0), u)
    assert power.dissipated >= 0
    assert E_dot == pytest.approx(power.drivers + power.controls - power.dissipated, abs=1e-6, rel=1e-7)


@pytest.mark.parametrize("closure", CLOSURES, ids=lambda c: c.name)
@pytest.mark.parametrize("seed", range(4))
def test_power_balance_of_constraints(closure, seed):
    """Ideal constraints do work only through their explicit time: −lamᵀ g_t is the drive's."""
    system = system_with(closures=(closure,), gravity=Gravity())
    t, q, v = state(seed)
    G, g_t = system.constraint_q(t, q), system.constraint_t(t, q)
    v = v - np.linalg.lstsq(G, G @ v + g_t, rcond=None)[0]
    M, f, gamma = (system.mass(t, q), system.force(t, q, v, np.zeros(0)), system.constraint_bias(t, q, v))
    nc = len(gamma)
    z = np.linalg.solve(np.block([[M, G.T], [G, np.zeros((nc, nc))]]), np.concatenate([f, gamma]))
    a, lam = z[:3], z[3:]
    h = 1e-5
    energy = lambda s: sum(system.energy(t + s, q + s * v + s * s / 2 * a, v + s * a))
    power = system.power(t, q, v, a, lam, np.zeros(0))
    assert (energy(h) - energy(-h)) / (2 * h) == pytest.approx(power.drivers, abs=1e-5, rel=1e-7)


@pytest.mark.parametrize("closure", CLOSURES, ids=lambda c: c.name)
def test_constraint_derivatives(closure):
    """g_q, g_t and gamma against central differences along a parabola q + s v + s² a / 2.

    g̈ = g_q a − gamma exactly; second differences with h = 1e-4 leave 1e-8 × |g⁗| and 1e-8 of round-off.
    """
    system = system_with(closures=(closure,))
    t, q, v = state(1)
    a = np.array([0.3, -0.2, 0.9])
    g = lambda s: system.constraint(t + s, q + s * v + s * s / 2 * a)
    h = 1e-5
    first = (g(h) - g(-h)) / (2 * h)
    np.testing.assert_allclose(first, system.constraint_q(t, q) @ v + system.constraint_t(t, q), atol=1e-8)
    h = 1e-4
    second = (g(h) - 2 * g(0) + g(-h)) / h**2
    np.testing.assert_allclose(second, system.constraint_q(t, q) @ a - system.constraint_bias(t, q, v), atol=2e-6)


@pytest.mark.parametrize("force", FORCES, ids=lambda f: f.name)
def test_tangents(force):
    """∂f/∂q, ∂f/∂v, ∂f/∂u and ∂(M a)/∂q against central differences of 1e-6."""
    system = system_with(forces=(force,))
    t, q, v = state(2)
    u, a, h = np.full(len(system.controls), 3.0), np.array([0.4, -1.0, 2.0]), 1e-6

    def difference(function, x):
        return (
            np.column_stack([(function(x + h * e) - function(x - h * e)) / (2 * h) for e in np.eye(len(x))])
            if len(x)
            else np.zeros((3, 0))
        )

    close = {"atol": 1e-6, "rtol": 1e-6}
    np.testing.assert_allclose(system.force_q(t, q, v, u), difference(lambda q: system.force(t, q, v, u), q), **close)
    np.testing.assert_allclose(system.force_v(t, q, v, u), difference(lambda v: system.force(t, q, v, u), v), **close)
    np.testing.assert_allclose(system.force_u(t, q, v, u), difference(lambda u: system.force(t, q, v, u), u), **close)
    np.testing.assert_allclose(system.inertia_q(t, q, a), difference(lambda q: system.mass(t, q) @ a, q), **close)


def test_reaction_tangent():
    """∂(g_qᵀ lam)/∂q against central differences."""
    system = system_with(closures=tuple(CLOSURES))
    t, q, _ = state(3)
    lam, h = np.array([1.0, -2.0, 0.5]), 1e-6
    f = lambda q: system.constraint_q(t, q).T @ lam
    expected = np.column_stack([(f(q + h * e) - f(q - h * e)) / (2 * h) for e in np.eye(3)])
    np.testing.assert_allclose(system.reaction_q(t, q, lam), expected, atol=1e-6)


def test_hand_computed_values():
    """One number per force, worked out by hand at x = 3, y = −1, t = 0: distance 1, gradient (1, 0)."""
    q, v = np.array([3.0, -1.0, 0.5]), np.array([2.0, 0.0, 0.0])
    expected = {
        "spring": -70.0 * (1.0 - 1.2),
        "damper": -4.0 * (2.0 - 0.3),
        "constant force": -11.0,
        "hardening spring": -12.0,
        "applied": 5.0 - 3.0,
    }
    nothing = system_with().force(0.0, q, v, np.zeros(0))
    for force in FORCES:
        if force.name in expected:
            Q = system_with(forces=(force,)).force(0.0, q, v, np.zeros(0)) - nothing
            assert Q[0] == pytest.approx(expected[force.name], rel=1e-12), force.name
            assert Q[1] == pytest.approx(0.0, abs=1e-12)


def test_parameter_derivatives():
    """∂(M a + g_qᵀ lam − f)/∂p and ∂g/∂p of the planar pantograph against central differences."""
    from panhead.runs.scenarios.shipped_models import mechanism

    system = SymbolicSystem(mechanism("planar-pantograph")).with_parameters(s1=0.05)
    t, q = 0.7, np.array([2.4, 2.5, -0.5, 0.1])
    v, a, lam, u = np.full(4, 0.3), np.full(4, -0.7), np.array([50.0, 20.0]), np.array([3.0])

    def residual(s):
        return s.mass(t, q) @ a + s.constraint_q(t, q).T @ lam - s.force(t, q, v, u)

    analytic, closure = system.residual_p(t, q, v, a, lam, u), system.constraint_p(t, q)
    for k, (name, value) in enumerate(system.parameters.items()):
        h = 1e-6 * max(1.0, abs(value))
        up, down = (system.with_parameters(**{name: value + s * h}) for s in (1, -1))
        np.testing.assert_allclose(analytic[:, k], (residual(up) - residual(down)) / (2 * h), rtol=2e-5, atol=1e-4)
        np.testing.assert_allclose(closure[:, k], (up.constraint(t, q) - down.constraint(t, q)) / (2 * h), atol=1e-8)
