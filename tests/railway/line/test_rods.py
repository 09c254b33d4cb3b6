"""Droppers that are rods."""

from dataclasses import replace

import numpy as np
import pytest

from panhead.errors import ModelError
from panhead.railway.line import DropperKind, RodModel, elasticity, read_line, string
from panhead.runs.description import Journey, Numerics, OnTrain, Run
from panhead.runs.simulate import simulate_one

PLAIN = read_line("en50318-2002")
JOURNEY = Journey(stop=330.0, ramp=1.0, run_in=30.0)


def line(rod=None, damping=0.0, mass=0.11):
    return replace(PLAIN, dropper=DropperKind(stiffness=1e5, damping=damping, mass_per_length=mass, rod=rod))


def run(of, **changes):
    train = (OnTrain(pantograph="en50318-2002"),)
    return simulate_one(Run(line=of, train=train, speed=70.0, journey=JOURNEY, **changes))


@pytest.fixture(scope="module")
def spring():
    return run(line(damping=20.0))


@pytest.fixture(scope="module")
def rod():
    return run(line(RodModel(parts=4, residual=3.0), damping=20.0))


def test_a_rod_without_much_mass_is_a_spring():
    """The lighter, the closer: contact and dropper forces; the parts are only springs in a row."""
    spring, rod = (run(line(model, mass=1e-4)) for model in (None, RodModel(parts=3)))
    assert np.abs(rod["contact_force"] - spring["contact_force"]).max() < 0.05 * 120
    assert float(np.abs(rod["dropper_max_force"] - spring["dropper_max_force"]).max()) < 0.05 * 120


def test_statics_do_not_feel_the_parts():
    a, b = (elasticity(string(line(model)), points=5, element_length=0.5) for model in (None, RodModel(parts=5)))
    np.testing.assert_allclose(a.value, b.value, rtol=1e-6)


def test_the_top_hangs_with_half_the_rod_more(spring, rod):
    """N + W/2 − W/2m at rest; one row for each dropper, whatever its parts."""
    assert rod.sizes["dropper"] == spring.sizes["dropper"]
    assert list(rod["dropper_name"].to_numpy()) == list(spring["dropper_name"].to_numpy())
    strung = string(line())
    length = strung.spans(strung.layout.pieces[0])[4].length
    more = (rod["dropper_static_force"] - spring["dropper_static_force"]).to_numpy()[rod["dropper_span"] == 4]
    np.testing.assert_allclose(more, 0.11 * 9.81 * length * (0.5 - 1 / 8), rtol=1e-6)


def test_a_pressed_rod_carries_its_residual_force_and_no_more(rod):
    assert float(rod["dropper_min_force"].min()) == pytest.approx(-3.0, abs=1e-9)
    turned = float(np.abs(rod["work_train"]).max() + np.abs(rod["work_uplift"]).max())
    assert float(np.abs(rod["balance"]).max()) < 1e-8 * turned


def test_contact_forces_agree_where_dropper_loads_do_not(spring, rod):
    """What published comparisons find: the mean force the same, the loads of the droppers another matter."""
    inside = (spring["contact_x"][0] > 150) & (spring["contact_x"][0] < 320)
    a, b = (float(r["contact_force"][0][inside].mean()) for r in (spring, rod))
    assert b == pytest.approx(a, rel=0.02)


def test_what_does_not_go_with_rods_says_so():
    with pytest.raises(ModelError, match="give mass_per_length"):
        DropperKind(stiffness=1e5, rod=RodModel())
    with pytest.raises(ModelError, match="parts must be 2"):
        RodModel(parts=1)
    for changes in ({"solver": "cables"}, {"solver": "coupled"}, {"droppers": "bilateral"}):
        with pytest.raises(ModelError, match=r"rod"):
            run(line(RodModel()), numerics=Numerics(), **changes)
