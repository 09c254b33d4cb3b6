"""Backward differentiation: order, tolerance, and constraints that stay met."""

import numpy as np
import pytest

from panhead.engine.bodies import PlanarBody, ground
from panhead.engine.joints import Revolute
from panhead.engine.methods.formulations import Baumgarte, Eliminated, Projection
from panhead.engine.methods.integrators import BDF, Adaptive
from panhead.engine.methods.simulate import simulate
from panhead.engine.multibody import Model
from panhead.engine.multibody.tree import in_joint_coordinates
from panhead.errors import ModelError


@pytest.fixture(scope="module")
def pendulum():
    """Two rods, in absolute coordinates, and the same in joint coordinates."""
    one = PlanarBody(name="one", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    two = PlanarBody(name="two", mass=2.0, inertia=0.2, position=(1.5, 0.0))
    joints = (
        Revolute(name="A", a=ground.at(), b=one.at((-0.5, 0.0))),
        Revolute(name="B", a=one.at((0.5, 0.0)), b=two.at((-0.5, 0.0))),
    )
    model = Model(name="rods", items=(one, two, *joints), gravity=(0.0, -9.81, 0.0))
    return model.system(), in_joint_coordinates(model).system()


def end(system, method, **options):
    duration = 0.4
    run = simulate(system, system.start, duration=duration, dt=duration, method=method, **options)
    return np.concatenate([run.q[-1], run.v[-1]]), run


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_observed_order(pendulum, order):
    """Fixed steps and orders, with starting values of their own: slope ± 0.2 of the label over two halvings.

    The largest error of ten instants: at a single one it may pass through zero. The interpolation at the end
    of the starting values is exact there, so that the rest is the formula's; 0.2 leaves room for the next power.
    """
    _, tree = pendulum

    def motion(method):
        run = simulate(tree, tree.start, duration=0.4, dt=0.04, method=method)
        return np.hstack([run.q, run.v])

    exact = motion(Adaptive(rtol=1e-13, atol=1e-14))
    steps = 0.04 / np.array([16, 32, 64])
    tight = {"rtol": 1e-10, "atol": 1e-12}  # of Newton
    errors = [np.abs(motion(BDF(max_order=order, step=h, **tight)) - exact).max() for h in steps]
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] == pytest.approx(order, abs=0.2), errors


@pytest.mark.parametrize("tolerance", [1e-5, 1e-7])
@pytest.mark.parametrize("stabilisation", [Projection(), Baumgarte()], ids=["projection", "Baumgarte"])
def test_error_follows_the_tolerance(pendulum, stabilisation, tolerance):
    """Variable step and order on the constrained equations: the global error is some hundred tolerances."""
    system, _ = pendulum
    exact, _ = end(system, Adaptive(rtol=1e-12, atol=1e-13))
    found, run = end(system, BDF(rtol=tolerance, atol=tolerance), stabilisation=stabilisation)
    assert np.abs(found - exact).max() < 500 * tolerance
    if isinstance(stabilisation, Projection):
        assert np.abs(run.g).max() < 1e-13
        assert np.abs(run.g_dot).max() < 1e-12


def test_order_grows(pendulum):
    """At the same tolerance five orders need far fewer steps than one."""
    _, tree = pendulum
    low = end(tree, BDF(rtol=1e-6, atol=1e-6, max_order=1))[1].notes["steps"]
    high = end(tree, BDF(rtol=1e-6, atol=1e-6))[1].notes["steps"]
    assert high < low / 4


def test_eliminated_coordinates(pendulum):
    system, _ = pendulum
    exact, _ = end(system, Adaptive(rtol=1e-12, atol=1e-13))
    form = Eliminated(dependent=("one.x", "one.y", "two.x", "two.y"))
    found, run = end(system, BDF(rtol=1e-7, atol=1e-9), formulation=form)
    assert np.abs(found - exact).max() < 5e-5
    assert np.abs(run.g).max() < 1e-14


def test_refusals():
    with pytest.raises(ModelError, match="max_order must be 1 … 5, got 6"):
        BDF(max_order=6)
