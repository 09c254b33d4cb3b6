"""Collector strips with contact points of their own, and their roll."""

from dataclasses import replace

import numpy as np
import pytest

from panhead.errors import ModelError
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph, Stage, read_pantograph
from panhead.railway.pantograph.strips import CollectorStrips
from panhead.runs.description import Journey, Numerics, OnTrain, Run
from panhead.runs.simulate import simulate_one

JOURNEY = Journey(stop=300.0, run_in=20.0, ramp=1.0)


def run(pantograph, **changes):
    return simulate_one(
        Run(
            line="en50318-2002",
            line_changes={"support": {"stagger": 0.2}},
            train=(OnTrain(pantograph=pantograph),),
            speed=60.0,
            journey=JOURNEY,
            **changes,
        )
    )


def turned(result):
    return float(np.abs(result["work_train"]).max() + np.abs(result["work_uplift"]).max())


@pytest.fixture(scope="module")
def rolling():
    base = read_pantograph("benchmark-2015")
    return replace(base, strips=CollectorStrips(spacing=0.5, spring_base=0.8, roll_inertia=1e-3))


@pytest.fixture(scope="module")
def rolled(rolling):
    return run(rolling)


def test_two_strips_in_one_place_are_one_head():
    """Half the contact stiffness each: the same chain."""
    base = read_pantograph("benchmark-2015")
    plain = run(base)
    parted = run(replace(base, contact_stiffness=base.contact_stiffness / 2, strips=CollectorStrips(spacing=0.0)))
    np.testing.assert_allclose(parted["contact_force"], plain["contact_force"], atol=2e-6 * 200)
    halves = parted["strip_force"].to_numpy()
    np.testing.assert_allclose(halves[0], halves[1], atol=1e-6)
    np.testing.assert_allclose(halves.sum(axis=0), parted["contact_force"][0], rtol=1e-12)


def test_the_ledger_closes_with_strips_that_roll(rolled):
    assert float(np.abs(rolled["balance"]).max()) < 1e-9 * turned(rolled)
    assert np.abs(rolled["strip_roll"]).max() > 0.01


def test_a_light_strip_rolls_as_its_springs_give_way(rolling, rolled):
    """k_φ φ = −F y where inertia is nothing: k_φ = k₁ b²/4n."""
    stage, strips = rolling.stages[0], rolling.strips
    k = stage.stiffness * strips.spring_base**2 / (4 * strips.count)
    late = rolled["time"].to_numpy() > 1.5
    c = stage.damping / stage.stiffness
    phi, moment = rolled["strip_roll"].to_numpy(), -(rolled["strip_force"] * rolled["strip_y"]).to_numpy()
    h = float(rolled.attrs["step"])
    sprung = k * (phi + c * np.gradient(phi, h, axis=1))
    error = np.sqrt(np.mean((sprung - moment)[:, late] ** 2) / np.mean(moment[:, late] ** 2))
    assert error < 0.02  # J φ̈ and the difference quotient


def test_the_rear_strip_follows_by_its_spacing(rolled):
    """The wire crosses the rear strip where it crossed the front one 0.5 m earlier."""
    y, v, h = rolled["strip_y"].to_numpy(), 60.0, float(rolled.attrs["step"])
    t = rolled["time"].to_numpy()
    later = np.interp(t - 0.5 / v, t, y[0])
    good = (t > 1.5) & np.isfinite(y).all(axis=0)
    np.testing.assert_allclose(y[1][good], later[good], atol=2e-3 * v * h)
    assert rolled["contact_x"].to_numpy()[0, 0] == pytest.approx(30.0 + v * h)


def test_what_does_not_go_with_strips_says_so(rolling):
    stage = Stage(mass=8.0, stiffness=5e3, friction=2.0)
    with pytest.raises(ModelError, match="remove either"):
        LumpedPantograph(name="p", stages=(stage,), static_force=60.0, strips=CollectorStrips())
    with pytest.raises(ModelError, match="solver 'linear'"):
        run(rolling, solver="coupled", numerics=Numerics())
