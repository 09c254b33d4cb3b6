"""Assembly, consistent rates, statics, modes, rank, inverse dynamics."""

import numpy as np
import pytest
from oracles import planar_pantograph_motion as oracle

from panhead.engine.methods.equilibrium import (
    assemble_configuration,
    consistent_rates,
    equilibrium,
    project_onto_constraints,
    require_consistent,
)
from panhead.engine.methods.integrators import RungeKutta4
from panhead.engine.methods.inverse import constraint_forces, inverse_dynamics, required_force
from panhead.engine.methods.modes import linearise, modes
from panhead.engine.methods.rank import rank_report, require_independent
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import State
from panhead.engine.symbolic import Closure, Gravity, Mechanism, PlacedBody, SymbolicSystem, coordinates
from panhead.errors import ConstraintError, ModelError, NotConverged
from panhead.runs.scenarios.shipped_models import mechanism

GUESS = np.array([2.4, 2.5, -0.5, 0.1])


@pytest.fixture(scope="module")
def pantograph():
    return SymbolicSystem(mechanism("planar-pantograph"))


def test_equilibrium_and_modes_equal_the_oracle(pantograph):
    """The oracle solves two equations on the branch; we solve six by Newton. Round-off of both: 1e-9."""
    q, lam = equilibrium(pantograph, GUESS)
    np.testing.assert_allclose(q, oracle.equilibrium(), atol=1e-9)
    found = modes(linearise(pantograph, q, lam))
    frequency, damping = oracle.modes()
    np.testing.assert_allclose(found.frequency, np.sort(frequency), rtol=1e-6)
    np.testing.assert_allclose(found.damping, np.asarray(damping)[np.argsort(frequency)], rtol=1e-5)


def test_mode_is_seen_in_the_motion(pantograph):
    """A small push along a mode rings down at its frequency and damping: motion against linearisation."""
    q, lam = equilibrium(pantograph, GUESS)
    small = modes(linearise(pantograph, q, lam))
    push = 1e-5 * small.shapes[:, 1].real
    start = project_onto_constraints(pantograph, State(q=q + push, v=np.zeros(4)))
    motion = simulate(pantograph, start, duration=1.0, dt=1e-3, method=RungeKutta4())
    # fit the head's motion by the two modes' four exponentials
    s = np.concatenate([small.eigenvalues, small.eigenvalues.conj()])
    basis = np.exp(np.outer(motion.t, s))
    left = motion.q[:, 3] - q[3]
    fit = np.linalg.lstsq(basis, left.astype(complex), rcond=None)[0]
    assert np.abs(basis @ fit - left).max() < 1e-4 * np.abs(left).max()  # second-order terms: 1e-5 of the push


def test_assembly_finds_the_nearest_closure(pantograph):
    q = assemble_configuration(pantograph, GUESS)
    assert np.abs(pantograph.constraint(0.0, q)).max() < 1e-13
    held = assemble_configuration(pantograph, GUESS, fixed=("theta2", "x"))
    assert held[1] == GUESS[1]
    with pytest.raises(ModelError, match="theta9 is not a coordinate"):
        assemble_configuration(pantograph, GUESS, fixed=("theta9",))


def test_impossible_assembly_names_the_closure(pantograph):
    too_short = pantograph.with_parameters(L3=0.1)
    with pytest.raises(ConstraintError, match="four-bar closure"):
        assemble_configuration(too_short, GUESS)


def test_inconsistent_start_is_refused(pantograph):
    with pytest.raises(ConstraintError, match=r"initial positions.*four-bar closure"):
        require_consistent(pantograph, State(q=GUESS, v=np.zeros(4)))
    q = assemble_configuration(pantograph, GUESS)
    with pytest.raises(ConstraintError, match="initial rates"):
        require_consistent(pantograph, State(q=q, v=np.array([1.0, 0.0, 0.0, 0.0])))
    v = consistent_rates(pantograph, q, np.array([0.0, 1.0, 0.0, 0.0]), keep=("theta2",))
    assert v[1] == 1.0
    require_consistent(pantograph, State(q=q, v=v))
    with pytest.raises(ConstraintError, match="no rates"):
        consistent_rates(pantograph, q, np.array([1.0, 0.0, 0.0, 0.0]), keep=("theta1", "theta2", "theta3"))


def test_no_equilibrium_is_an_error():
    x, y = coordinates("x", "y")
    falling = SymbolicSystem(
        Mechanism(
            name="stone",
            coordinates=(x, y),
            units=("m", "m"),
            gravity=Gravity(),
            bodies=(PlacedBody(name="stone", mass=1.0, position=(x, y)),),
        )
    )
    with pytest.raises(NotConverged, match=r"no static equilibrium of 'stone'.* in y"):
        equilibrium(falling, np.zeros(2))


def doubled():
    """A pendulum whose rod is declared twice, once squared."""
    x, y = coordinates("x", "y")
    return SymbolicSystem(
        Mechanism(
            name="twice",
            coordinates=(x, y),
            units=("m", "m"),
            gravity=Gravity(),
            bodies=(PlacedBody(name="mass", mass=1.0, position=(x, y)),),
            closures=(
                Closure(name="rod", equations=(x**2 + y**2 - 1,)),
                Closure(name="rod again", equations=((x**2 + y**2) ** 2 - 1,)),
            ),
        )
    )


def test_redundant_closure_is_named():
    with pytest.raises(ConstraintError, match=r"redundant: rod( again)? repeats what rod( again)? already say"):
        require_independent(doubled(), np.array([1.0, 0.0]))
    with pytest.raises(ConstraintError, match="linearly dependent"):
        simulate(doubled(), State(q=np.array([1.0, 0.0]), v=np.zeros(2)), duration=1.0, dt=1e-2)


def test_free_directions_are_named(pantograph):
    q = assemble_configuration(pantograph, GUESS)
    report = rank_report(pantograph, q)
    assert report.freedoms == 2
    assert "free: x" in report.free
    assert any("theta" in sentence for sentence in report.free)
    singular = rank_report(SymbolicSystem(mechanism("four-bars")), np.array([np.pi / 2] * 3 + [0.0, 0.0]))
    assert singular.freedoms == 3  # all rods in one line: each loop may fold either way
    assert len(singular.redundant) == 2


def test_inverse_dynamics_undoes_the_motion(pantograph):
    """Controls and multipliers found from the motion are those that made it."""
    q = assemble_configuration(pantograph, GUESS)
    start = State(q=q, v=np.zeros(4))
    motion = simulate(
        pantograph,
        start,
        duration=0.2,
        dt=1e-3,
        method=RungeKutta4(),
        controls=lambda t: np.array([5 * np.sin(20 * t)]),
    )
    for i in (0, 77, 200):
        found = inverse_dynamics(pantograph, motion.t[i], motion.q[i], motion.v[i], motion.a[i])
        np.testing.assert_allclose(found.u, motion.u[i], atol=1e-7)
        np.testing.assert_allclose(found.lam, motion.lam[i], rtol=1e-8)
        np.testing.assert_allclose(found.missing, 0.0, atol=1e-8)
    with pytest.raises(ModelError, match=r"violates four-bar closure"):
        inverse_dynamics(pantograph, 0.0, q, np.zeros(4), np.ones(4))


def test_constraint_forces_balance(pantograph):
    """M a = f + Σ Q_c, eq. (17), in every row."""
    q = assemble_configuration(pantograph, GUESS)
    motion = simulate(pantograph, State(q=q, v=np.zeros(4)), duration=0.1, dt=1e-3, method=RungeKutta4())
    forces = constraint_forces(pantograph, motion)
    i = 60
    missing = required_force(pantograph, motion.t[i], motion.q[i], motion.v[i], motion.a[i])
    np.testing.assert_allclose(sum(f[i] for f in forces.values()), missing, atol=1e-9)
