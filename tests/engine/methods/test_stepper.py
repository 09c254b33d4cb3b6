"""A system advanced interval by interval does what it does in one run."""

import numpy as np
import pytest

from panhead.engine.bodies import GuidedMass
from panhead.engine.forces import Actuator, SpringDamper
from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.integrators import BDF, Adaptive, GeneralizedAlpha, RungeKutta4
from panhead.engine.methods.integrators.stepper import Stepper
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import State
from panhead.engine.multibody import Model
from panhead.engine.symbolic.symbolic_system import SymbolicSystem
from panhead.errors import ModelError, NotConverged
from panhead.runs.library.slider_crank import slider_crank
from panhead.runs.scenarios.shipped_models import mechanism

METHOD = GeneralizedAlpha(spectral_radius=0.8, tolerance=1e-12)


def oscillator():
    """m = 2 kg on k = 800 N/m: ω = 20 rad/s, pushed by a control."""
    mass = GuidedMass(name="m", mass=2.0, axis=(0.0, 0.0, 1.0))
    items = (mass, SpringDamper(name="k", along="m.x", stiffness=800.0), Actuator(name="u", along="m.x"))
    return Model(name="oscillator", items=items, gravity=(0.0, 0.0, 0.0)).system()


def test_interval_by_interval_is_one_run():
    system = oscillator()
    push = lambda t: np.array([3.0 * t])
    run = simulate(system, system.start, duration=0.1, dt=1e-3, method=METHOD, controls=push)
    stepper = Stepper(system, system.start, method=METHOD)
    for k in range(20):
        t = k * 5e-3
        stepper.advance(5e-3, push(t), push(t + 5e-3), steps=5)
    # the same steps: only the sums of times round differently
    assert stepper.q == pytest.approx(run.q[-1], rel=1e-11)
    assert stepper.v == pytest.approx(run.v[-1], rel=1e-11)
    assert stepper.a == pytest.approx(run.a[-1], rel=1e-9)
    assert stepper.t == pytest.approx(0.1)


def test_constraints_and_multipliers_of_a_mechanism():
    system = slider_crank().system()
    run = simulate(system, system.start, duration=0.02, dt=1e-3, method=METHOD)
    stepper, u = Stepper(system, system.start, method=METHOD), np.zeros(len(system.controls))
    for _ in range(20):
        stepper.advance(1e-3, u, u)
    assert stepper.q == pytest.approx(run.q[-1], abs=1e-9)
    assert stepper.lam == pytest.approx(run.lam[-1], rel=1e-5, abs=1e-5)


def test_a_mechanism_of_positions():
    system = SymbolicSystem(mechanism("pendulum"))
    start = State(q=np.array([1.0, 0.0]), v=np.zeros(2))
    run = simulate(system, start, duration=0.2, dt=1e-2, method=METHOD)
    stepper, u = Stepper(system, start, method=METHOD), np.zeros(len(system.controls))
    kept = stepper.copy_state()
    for again in range(2):
        stepper.restore_copy(kept)
        stepper.advance(0.2, u, u, steps=20)
        # a factor kept from before changes Newton's last step, below its tolerance, twenty times
        assert stepper.q == pytest.approx(run.q[-1], abs=1e-10), again


def test_recalled_it_goes_the_same_way_again():
    system = oscillator()
    stepper, u = Stepper(system, system.start, method=METHOD), np.array([5.0])
    stepper.advance(0.01, u, u, steps=10)
    kept = stepper.copy_state()
    ends = []
    for _ in range(3):
        stepper.advance(0.02, u, -u, steps=4)
        ends.append(np.concatenate([stepper.q, stepper.v, stepper.a, [stepper.t]]))
        stepper.restore_copy(kept)
    assert (ends[0] == ends[1]).all()
    assert (ends[0] == ends[2]).all()


def test_steps_chosen_by_their_error_are_never_longer_than_the_interval():
    """m ẍ + k x = u with u = c t: x = c/k (t − sin ωt/ω), exactly."""
    system = oscillator()
    method = GeneralizedAlpha(spectral_radius=1.0, tolerance=1e-14, local_error=1e-9)
    stepper = Stepper(system, system.start, method=method)
    for k in range(4):
        before = stepper.iterations
        stepper.advance(0.05, np.array([100.0 * 0.05 * k]), np.array([100.0 * 0.05 * (k + 1)]))
        assert stepper.iterations > before
    exact = 100.0 / 800.0 * (0.2 - np.sin(20 * 0.2) / 20)
    assert stepper.q[0] == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize(
    ("method", "steps", "near"),
    [(BDF(), 1, 1e-6), (RungeKutta4(), 10, 1e-7), (Adaptive(), 1, 1e-9)],
    ids=["Gear", "Runge–Kutta", "adaptive"],
)
def test_methods_by_intervals_and_from_where_they_were(method, steps, near):
    """x = c/k (t − sin ωt/ω) again; Gear's method within its tolerance of 1e-7 a step."""
    system = oscillator()
    stepper = Stepper(system, system.start, method=method)
    for k in range(10):
        stepper.advance(0.02, np.array([2.0 * k]), np.array([2.0 * (k + 1)]), steps=steps)
        if k == 4:
            kept = stepper.copy_state()
    exact = 100.0 / 800.0 * (0.2 - np.sin(20 * 0.2) / 20)
    assert stepper.q[0] == pytest.approx(exact, abs=near)
    end = stepper.q.copy()
    stepper.restore_copy(kept)
    for k in range(5, 10):
        stepper.advance(0.02, np.array([2.0 * k]), np.array([2.0 * (k + 1)]), steps=steps)
    assert (stepper.q == end).all()


def test_gear_keeps_its_history_over_intervals():
    """After the start one step of high order serves each interval; begun anew it would creep up from order one."""
    system = oscillator()
    stepper = Stepper(system, system.start, method=BDF(rtol=1e-6, atol=1e-8))
    taken = []
    for k in range(200):
        before = stepper.iterations
        stepper.advance(2e-3, np.array([0.2 * k]), np.array([0.2 * (k + 1)]))
        taken.append(stepper.iterations - before)
    assert np.mean(taken[50:]) <= 2.0
    exact = 100.0 / 800.0 * (0.4 - np.sin(20 * 0.4) / 20)
    assert stepper.q[0] == pytest.approx(exact, abs=2e-6)


def test_gear_corrects_dependent_coordinates_of_closed_loops():
    system = SymbolicSystem(mechanism("planar-pantograph"))
    q, _ = equilibrium(system, np.array([2.4, 2.5, -0.5, 0.1]))
    stepper = Stepper(system, State(q=q, v=np.zeros(4)), method=BDF(), u=np.zeros(1))
    for _ in range(50):
        stepper.advance(1e-3, np.zeros(1), np.zeros(1))
    assert np.abs(system.constraint(stepper.t, stepper.q)).max() < 1e-8


def test_a_start_with_a_load_begins_with_its_acceleration():
    system = oscillator()
    stepper = Stepper(system, system.start, method=METHOD)
    assert stepper.a[0] == 0.0
    stepper.restart(np.array([8.0]))
    assert stepper.a[0] == pytest.approx(4.0)


def test_a_step_that_fails_leaves_everything_where_it_was():
    system = slider_crank().system()
    method = GeneralizedAlpha(tolerance=1e-300, max_iterations=2)
    stepper, u = Stepper(system, system.start, method=method), np.zeros(len(system.controls))
    q = stepper.q.copy()
    with pytest.raises(NotConverged):
        stepper.advance(1e-3, u, u)
    assert (stepper.q == q).all()
    assert stepper.t == 0.0


def test_controls_are_checked_once():
    with pytest.raises(ModelError, match="finite numbers"):
        Stepper(oscillator(), oscillator().start, u=np.zeros(3))
