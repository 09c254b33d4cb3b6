"""The strip: the power of a force on it is force times rate, wherever it acts; its weights are exact for cubics."""

import numpy as np
import pytest

from panhead.errors import ModelError
from panhead.railway.pantograph.linkage_pantograph import LinkagePantograph
from panhead.railway.pantograph.pantograph_statics import equilibrium_at_height
from panhead.railway.pantograph.strip import Strip
from panhead.railway.pantograph.strip import _motion as strip_motion


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


@pytest.mark.parametrize("y", [-0.5, -0.2, 0.0, 0.34, 0.6])
def test_linear_weights_share_a_force_by_the_lever_rule(y):
    """Force and moment about the middle are those of the force itself, beyond the stations as well."""
    strip = Strip(name="s", places=(-0.34, 0.34), stations=(None,) * 2, half_width=1.0, weighting="linear")  # type: ignore[arg-type]
    N, H = strip.weights(y).T
    assert N.sum() == pytest.approx(1.0)
    assert N @ strip.places == pytest.approx(y)
    assert not H.any()
    assert strip.slopes(y)[:, 0] == pytest.approx([-1 / 0.68, 1 / 0.68])


def test_a_force_on_virtual_bodies_does_not_bend_the_strip_at_rest():
    """The springs push where the force acts: only its own weight bends the strip between them, by far less."""
    at, deflection = LinkagePantograph(flexible="head").strip_above_base, {}
    for on in ("strip", "virtual bodies"):
        stand = equilibrium_at_height(LinkagePantograph(flexible="head", contact_acts_on=on), height=at, force=180.0)
        strip = LinkagePantograph(flexible="head").parts().strips()[0]
        motion = strip_motion(strip.stations, list(stand.system.coordinates))
        z = dict(zip(strip.places, motion(0.0, stand.state.q, stand.state.v)[0].full()[:, 0], strict=True))
        deflection[on] = 0.5 * (z[-0.34] + z[0.34]) - z[0.0]
    # F L³ / 48 EI of a beam on two supports, less the weight of the end masses beyond them
    beam = 180.0 * 0.68**3 / (48 * 71.2e9 * 12.85e-9)
    assert deflection["strip"] - deflection["virtual bodies"] == pytest.approx(beam, rel=0.02)


def test_power_on_virtual_bodies_is_force_times_rate():
    model = LinkagePantograph(flexible="head", contact_acts_on="virtual bodies")
    system = model.model(base=(5.0, 0.0, 4.0)).system()
    q, v = shaken(system, 5)
    strip, u = model.parts(base=(5.0, 0.0, 4.0)).strips()[0].on(system), np.zeros(len(system.controls))
    strip.push(u, 0.2, -150.0)
    assert accounted(system, q, v, u) == pytest.approx(-150.0 * strip.touch(0.0, q, v, 0.2).rate, rel=1e-12)


def test_virtual_bodies_need_a_flexible_head_and_have_no_middle():
    with pytest.raises(ModelError, match="needs a flexible head"):
        LinkagePantograph(contact_acts_on="virtual bodies")
    strip = LinkagePantograph(flexible="top arm and head", contact_acts_on="virtual bodies").parts().strips()[0]
    with pytest.raises(ModelError, match="contact_acts_on = 'strip'"):
        _ = strip.middle
