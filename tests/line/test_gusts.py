"""Gusts in a run, tunnels on its way."""

from dataclasses import replace

import numpy as np
import pytest

from panhead.errors import ModelError
from panhead.line import Conditions, Wind, read_line
from panhead.line.turbulence import draw_gusts, spectra
from panhead.runs.description import Journey, Numerics, OnTrain, Run
from panhead.runs.simulate import simulate_one

WIND = Wind(speed=-18.0, intensity=0.15, seed=7)


def run(wind=WIND, **changes):
    changes = {"journey": Journey(stop=150.0, ramp=0.5, run_in=10.0), "speed": 60.0, **changes}
    train = (OnTrain(pantograph="en50318-2002"),)
    return simulate_one(
        Run(line="en50318-2002", train=train, lateral=True, conditions=Conditions(wind=wind), **changes)
    )


@pytest.fixture(scope="module")
def gusty():
    return run()


def test_the_ledger_closes_with_the_work_of_the_wind(gusty):
    turned = float(np.abs(gusty["work_train"]).max() + np.abs(gusty["work_uplift"]).max())
    assert float(np.abs(gusty["work_wind"]).max()) > 0.1
    assert float(np.abs(gusty["balance"]).max()) < 1e-9 * turned


def test_the_same_seed_is_the_same_wind(gusty):
    again, other = run(), run(replace(WIND, seed=8))
    assert np.array_equal(again["contact_force"], gusty["contact_force"])
    assert np.abs(other["contact_y"] - gusty["contact_y"]).max() > 1e-3


@pytest.mark.parametrize("spectrum", ["von-karman", "davenport"])
def test_a_spectrum_holds_the_variance_it_is_of(spectrum):
    """∫ S df = (I U)² along the wind; upwards von Kármán's too."""
    f = np.geomspace(1e-7, 1e5, 40_000)
    wind = Wind(speed=20.0, intensity=0.2, vertical=0.5, spectrum=spectrum)
    along, up = (float(np.trapezoid(S, f)) for S in spectra(wind, f))
    assert along == pytest.approx(16.0, rel=0.01)
    assert up == pytest.approx(4.0, rel=0.01)


def test_gusts_far_apart_know_nothing_of_each_other():
    x = np.array([0.0, 3.0, 400.0])
    u, _ = draw_gusts(replace(WIND, length_scale=20.0), x, 16384)
    near, far = (float(np.corrcoef(u[:, 0], u[:, k])[0, 1]) for k in (1, 2))
    assert near > 0.4
    assert abs(far) < 0.15


def test_gusts_on_a_moving_window_are_refused():
    with pytest.raises(ModelError, match="window = 'whole'"):
        run(numerics=Numerics(window="moving"))


def test_a_tunnel_lifts_more():
    """F₀ + 1.5 k v² inside, F₀ + k v² outside, read off the mean contact force of a light pantograph's passage."""
    line = replace(read_line("en50318-2002"), tunnels=((200.0, 420.0),))
    of = {"aerodynamic": 0.0097, "tunnel_factor": 1.5}
    train = (OnTrain(pantograph="en50318-2002", changes=of),)
    both = [
        simulate_one(Run(line=one, train=train, speed=70.0, journey=Journey(stop=500.0, ramp=1.0, run_in=30.0)))
        for one in (line, replace(line, tunnels=()))
    ]
    x = both[0]["contact_x"].to_numpy()[0]
    more = (both[0]["contact_force"] - both[1]["contact_force"]).to_numpy()[0]
    assert np.abs(more[x < 179.0]).max() < 1e-9
    assert more[(x > 230) & (x < 410)].mean() == pytest.approx(0.5 * 0.0097 * 70.0**2, rel=0.1)
    with pytest.raises(ModelError, match="tunnels"):
        simulate_one(Run(line=line, train=train, speed=70.0, solver="coupled"))
