"""Gusts in a run, tunnels on its way.

What gusts are and what wires do in them is set beside spectra and formulas in the case ``real-lines``. Here: a seed is
one wind, whoever asks.
"""

from dataclasses import replace

import numpy as np
import pytest

from panhead.engine.jobs import Job
from panhead.errors import Interrupted, ModelError
from panhead.railway.line import Conditions, Wind, read_line
from panhead.railway.line.turbulence import EDGES, INTERVAL, SPACING, gust_loads, gust_places, gust_speeds, spectra
from panhead.runs.batch import simulate_batch
from panhead.runs.description import Journey, Numerics, OnTrain, Run
from panhead.runs.linear.session import start
from panhead.runs.refined_run import with_other_mesh
from panhead.runs.resolve import resolve
from panhead.runs.simulate import simulate_one

WIND = Wind(speed=-18.0, intensity=0.15, seed=7)
JOURNEY = Journey(stop=150.0, ramp=0.5, run_in=10.0)


def describe(wind=WIND, **changes):
    changes = {"journey": JOURNEY, "speed": 60.0, **changes}
    train = (OnTrain(pantograph="en50318-2002"),)
    return Run(line="en50318-2002", train=train, lateral=True, conditions=Conditions(wind=wind), **changes)


def run(wind=WIND, **changes):
    return simulate_one(describe(wind, **changes))


def loads(description):
    """Times of the loads [s], and the loads on the wires, (times, coordinates)."""
    session = start(resolve(description))
    line = session.window.line
    first, every = line.gust_first * session.sc.h, line.gust_steps * session.sc.h
    return first + every * np.arange(len(line.gusts)), line.gusts


def sway(result, steady, times):
    """What gusts add to the wire's place across the track, at times [s]."""
    t = result["time"].to_numpy()
    return np.interp(times, t, (result["contact_y"] - steady["contact_y"]).to_numpy()[0])


@pytest.fixture(scope="module")
def gusty():
    return run()


@pytest.fixture(scope="module")
def steady():
    return run(replace(WIND, intensity=0.0))


def test_the_ledger_closes_with_the_work_of_the_wind(gusty):
    turned = float(np.abs(gusty["work_train"]).max() + np.abs(gusty["work_uplift"]).max())
    assert float(np.abs(gusty["work_wind"]).max()) > 0.1
    assert float(np.abs(gusty["balance"]).max()) < 1e-9 * turned


def test_the_same_seed_is_the_same_wind(gusty):
    again, other = run(), run(replace(WIND, seed=8))
    assert np.array_equal(again["contact_force"], gusty["contact_force"])
    assert np.abs(other["contact_y"] - gusty["contact_y"]).max() > 1e-3


def test_a_longer_run_is_in_the_same_wind(gusty):
    """To the last bit: 0.2 s more are 0.2 s more."""
    longer = run(journey=replace(JOURNEY, stop=162.0))
    steps = gusty.sizes["time"]
    assert longer.sizes["time"] == steps + 200
    for name in ("contact_force", "contact_y"):
        assert np.array_equal(longer[name].to_numpy()[:, :steps], gusty[name].to_numpy())


@pytest.mark.parametrize("step", [5e-4, 1.5e-3, 2e-3])
def test_the_wind_does_not_know_the_step(gusty, steady, step):
    """The step's own error is some 1 % here (2 ms, gusts up to 10 Hz); another wind differs by more than all of it."""
    numerics = Numerics(step=step, coarse=True)
    times = np.arange(0.5, 2.0, 0.006)
    one = sway(gusty, steady, times)
    other = sway(run(numerics=numerics), run(replace(WIND, intensity=0.0), numerics=numerics), times)
    assert np.abs(one).max() > 5e-3
    assert np.abs(other - one).max() < 0.03 * np.abs(one).max()


@pytest.mark.parametrize("other", [{"numerics": Numerics(step=1.5e-3, coarse=True)}, {"speed": 45.0}])
def test_loads_are_the_same_function_of_time(other):
    """On another step, under a faster train: rounding of the products aside, not even that on the same times."""
    (t, one), (at, two) = loads(describe()), loads(describe(**other))
    rows = min(t.size, at.size)
    np.testing.assert_allclose(t[:rows], at[:rows], rtol=1e-12)
    assert np.array_equal(one[:rows], two[:rows])


def test_an_error_bar_compares_the_same_wind():
    """The repeat has twice the step and elements, which changes the sway by less than 10 %; another wind, all of it."""
    times, numerics = np.arange(1.0, 4.0, 0.006), Numerics(step=1.5e-3, element_length=1.5, coarse=True)
    found = []
    for wind in (WIND, replace(WIND, intensity=0.0)):
        one = describe(wind, numerics=numerics, journey=replace(JOURNEY, stop=270.0))
        first = simulate_one(one)
        found.append((first, simulate_one(with_other_mesh(one, first, "coarser"))))
    told, again = (sway(gusty, steady, times) for gusty, steady in zip(*found, strict=True))
    assert np.abs(again - told).max() < 0.1 * np.abs(told).max()


@pytest.mark.parametrize("length", [0.5, 2.0, 3.5])
def test_any_mesh_has_the_load_of_the_wind(length):
    """∫ ρ c d U u φ dx with φ = sin² πx/l of the fourth span: by hand, the speeds straight between their places.

    1 %: cubic elements of 3.5 m follow φ, two points of Gauß the kinks.
    """
    linear = start(resolve(describe(numerics=Numerics(element_length=length, coarse=True)))).window.linear
    u, _ = gust_speeds(WIND, gust_places(linear), range(50))
    rows = (u @ gust_loads(linear, WIND)[0].T).reshape(50, linear.ns, linear.b)
    first, last = linear.x[linear.masts[3]], linear.x[linear.masts[4]]
    inside = (linear.x >= first) & (linear.x <= last)
    at, dof = np.pi * (linear.x[inside] - first) / (last - first), linear.paths[0].dof_y
    slope = np.pi / (last - first) * np.sin(2.0 * at)
    found = rows[:, inside, dof] @ np.sin(at) ** 2 + rows[:, inside, dof + 1] @ slope
    wire, x = read_line("en50318-2002").wires.contact, np.linspace(first, last, 20001)
    speeds = np.array([np.interp(x, SPACING * np.arange(one.size), one) for one in u])
    hand = -1.225 * wire.drag * wire.width * 18.0 * speeds @ np.sin(np.pi * (x - first) / (last - first)) ** 2
    hand *= x[1] - x[0]
    assert np.abs(found - hand).max() < 0.01 * np.abs(hand).max()


def test_damping_of_a_wire_that_is_no_wind_is_no_load():
    """A wire's own ``air_damping`` lets gusts push no harder."""
    damped = {"line_changes": {"wires": {"contact": {"air_damping": 1.0}}}}
    assert np.array_equal(loads(describe())[1], loads(describe(**damped))[1])


def test_a_window_is_in_the_wind_of_the_whole_line():
    whole = start(resolve(describe())).window.linear
    some = whole.window(4, 7, (np.inf,) * 3)
    rows = []
    for linear in (whole, some):
        u, w = gust_speeds(WIND, gust_places(linear), range(100, 150))
        aside, up = gust_loads(linear, WIND)
        loads = (u @ aside.T + w @ up.T).reshape(50, linear.ns, linear.b)
        rows.append(loads[:, (linear.x > some.x[0] + 1e-6) & (linear.x < some.x[-1] - 1e-6)])
    np.testing.assert_allclose(rows[1], rows[0], rtol=0, atol=1e-12 * np.abs(rows[0]).max())


def test_a_longer_line_goes_on_in_the_same_wind():
    short, long = (gust_speeds(WIND, range(places), range(130)) for places in (300, 700))
    for one, other in zip(short, long, strict=True):
        np.testing.assert_allclose(other[:, :300], one, rtol=0, atol=1e-12)


def test_beside_others_a_run_is_in_the_same_wind(gusty):
    together = simulate_batch([describe(replace(WIND, intensity=0.0)), describe(), describe(speed=50.0)])
    assert np.array_equal(together[1]["contact_force"], gusty["contact_force"])


def test_a_resumed_run_is_in_the_same_wind(tmp_path):
    description = describe(journey=replace(JOURNEY, stop=380.0))

    def stop(share, message=""):
        if share > 0.9:
            raise KeyboardInterrupt

    seen = []
    with pytest.raises(Interrupted):
        simulate_one(description, Job(out=tmp_path, progress=stop))
    again = simulate_one(description, Job(out=tmp_path, resume=True, progress=lambda f, m="": seen.append(f)))
    assert seen
    assert all(one > 0.7 for one in seen)
    assert np.array_equal(again["contact_force"], simulate_one(description)["contact_force"])


def test_no_intensity_is_a_steady_wind(steady):
    """Bit for bit, whatever else is said of gusts."""
    none = run(Wind(speed=-18.0, decay=3.0, spectrum="davenport"))
    assert np.array_equal(none["contact_force"], steady["contact_force"])
    assert "work_wind" not in none


@pytest.mark.parametrize("spectrum", ["von-karman", "davenport"])
@pytest.mark.parametrize("seconds", [5.0, 20.0])
def test_short_runs_have_all_of_the_variance(spectrum, seconds):
    """Over seeds and places that are next to independent, along the wind and upwards; 4 % is three times its scatter,
    and what is beyond 10 Hz is less than 3 %."""
    wind = replace(WIND, decay=1e3, spectrum=spectrum)
    instants = range(0, round(seconds / INTERVAL), 20)
    drawn = np.array([gust_speeds(replace(wind, seed=seed), range(400), instants) for seed in range(20)])
    along, up = np.sqrt(np.mean(drawn**2, axis=(0, 2, 3)))
    assert along == pytest.approx(0.15 * 18.0, rel=0.04)
    assert up == pytest.approx(0.5 * 0.15 * 18.0, rel=0.04)


def test_frequencies_reach_from_none_to_half_the_sampling():
    assert EDGES[0] == 0.0
    assert (np.diff(EDGES) > 0.0).all()
    assert EDGES[-1] == pytest.approx(0.5 / INTERVAL, rel=1e-3)


@pytest.mark.parametrize("spectrum", ["von-karman", "davenport"])
def test_a_spectrum_holds_the_variance_it_is_of(spectrum):
    """∫ S df = (I U)² along the wind; upwards von Kármán's too."""
    f = np.geomspace(1e-7, 1e5, 40_000)
    wind = Wind(speed=20.0, intensity=0.2, vertical=0.5, spectrum=spectrum)
    along, up = (float(np.trapezoid(S, f)) for S in spectra(wind, f))
    assert along == pytest.approx(16.0, rel=0.01)
    assert up == pytest.approx(4.0, rel=0.01)


def test_gusts_far_apart_know_nothing_of_each_other():
    """Along the same course of time; the closed form is a row of the case."""
    places = round(400.0 / SPACING)
    u, _ = gust_speeds(replace(WIND, length_scale=20.0), range(places + 1), range(8192))
    near, far = (float(np.corrcoef(u[:, 0], u[:, k])[0, 1]) for k in (round(3.0 / SPACING), places))
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
