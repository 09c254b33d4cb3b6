"""The strip: the power of a force on it is force times rate, wherever it acts; its weights are exact for cubics."""

import numpy as np
import pytest

from panhead.errors import ModelError
from panhead.railway.pantograph.linkage_pantograph import LinkagePantograph
from panhead.railway.pantograph.strip import Strip


def accounted(system, q, v, u):
    """Power of the controls [W]."""
    zero = np.zeros(len(q))
    return system.power(0.0, q, v, zero, np.zeros(len(system.constraints)), u).controls


def shaken(system, seed):
    """Any configuration and any rates: consistency does not require the constraints to hold."""
    random = np.random.default_rng(seed)
    q = system.start.q + 0.02 * random.standard_normal(len(system.coordinates))
    return q, random.standard_normal(len(q))


@pytest.fixture(scope="module")
def two():
    model = LinkagePantograph(strips=2, drag=True, head_turns="roll and pitch")
    return model, model.model(base=(5.0, 0.0, 4.0)).system()


@pytest.mark.parametrize("y", [-0.55, 0.0, 0.2, 0.7])
def test_power_is_force_times_rate(two, y):
    model, system = two
    q, v = shaken(system, 3)
    for strip in model.parts(base=(5.0, 0.0, 4.0)).strips():
        bound, u = strip.on(system), np.zeros(len(system.controls))
        bound.push(u, y, -150.0, drag=-20.0)
        touch = bound.touch(0.0, q, v, y)
        power = -150.0 * touch.rate - 20.0 * touch.x_rate
        assert accounted(system, q, v, u) == pytest.approx(power, rel=1e-12)


def test_rates_and_slopes_are_derivatives(two):
    model, system = two
    q, v = shaken(system, 4)
    strip = model.parts(base=(5.0, 0.0, 4.0)).strips()[0].on(system)
    h = 1e-6
    ahead, back = (strip.touch(0.0, q + s * h * v, v, 0.3) for s in (1, -1))
    now = strip.touch(0.0, q, v, 0.3)
    # central differences: error of the order of h²
    assert now.rate == pytest.approx((ahead.height - back.height) / (2 * h), rel=1e-7)
    assert now.x_rate == pytest.approx((ahead.x - back.x) / (2 * h), rel=1e-7)
    left, right = (strip.touch(0.0, q, v, 0.3 + s * h).height for s in (1, -1))
    assert now.slope == pytest.approx((left - right) / (2 * h), rel=1e-7)


def test_two_strips_stand_apart_along_the_track(two):
    model, system = two
    front, rear = (s.on(system) for s in model.parts(base=(5.0, 0.0, 4.0)).strips())
    q, v = system.start.q, system.start.v
    gap = front.touch(0.0, q, v, 0.1).x - rear.touch(0.0, q, v, 0.1).x
    assert gap == pytest.approx(model.strip_gap)


@pytest.mark.parametrize("y", [-0.9, -0.5, -0.2, 0.05, 0.3, 0.5])
def test_weights_reproduce_cubics(y):
    """Hermite's weights are exact for cubics between stations, for straight lines beyond them."""
    places = (-0.5, -0.1, 0.1, 0.5)
    strip = Strip(name="s", places=places, stations=(None,) * 4, half_width=1.0)  # type: ignore[arg-type]
    p = np.polynomial.Polynomial([0.3, -1.2, 0.0, 0.0] if abs(y) > 0.5 else [0.3, -1.2, 2.0, 0.7])
    values = np.array([[p(x), p.deriv()(x)] for x in places])
    assert np.sum(strip.weights(y) * values) == pytest.approx(p(y))
    assert np.sum(strip.slopes(y) * values) == pytest.approx(p.deriv()(y))


def test_beyond_its_end_there_is_no_strip(two):
    model, system = two
    with pytest.raises(ModelError, match="is beyond it"):
        model.parts(base=(5.0, 0.0, 4.0)).strips()[0].on(system).touch(0.0, system.start.q, system.start.v, 0.9)


def test_a_drag_needs_its_controls():
    model = LinkagePantograph()
    system = model.model().system()
    strip = model.parts(base=(5.0, 0.0, 4.0)).strips()[0].on(system)
    with pytest.raises(ModelError, match="drag=True"):
        strip.push(np.zeros(len(system.controls)), 0.0, -100.0, drag=5.0)
