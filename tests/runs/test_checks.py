"""What is said about a run before it starts and after it, and what is refused."""

import json
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

from panhead.errors import ModelError, RunWarning, SimulationError
from panhead.railway.line import read_line
from panhead.railway.pantograph.lumped_pantograph import read_pantograph
from panhead.railway.pantograph.pan_head import PanHead
from panhead.runs import run_checks
from panhead.runs.description import Journey, Numerics, OnTrain, Run
from panhead.runs.resolve import resolve
from panhead.runs.simulate import simulate_one
from panhead.runs.static_force_search import TOLERANCE, with_mean_forces

NAME = "en50318-2002"
CLEAN = Journey(judged_from=320.0, judged_to=440.0, stop=480.0)


def run(**changes) -> Run:
    given = {"line": NAME, "train": (OnTrain(pantograph=NAME),), "speed": 300 / 3.6, "journey": CLEAN}
    return Run(**(given | changes))


def test_a_run_with_nothing_to_say_says_nothing(recwarn):
    assert resolve(run()).warnings == ()
    assert not recwarn


def test_judged_in_the_run_in_or_while_lifting_is_said():
    """From 30 m at 300 km/h lifting over 2 s ends at 196.7 m; inside the run-in the result decides, not the rule."""
    assert resolve(run(journey=Journey(judged_from=240.0, judged_to=360.0, stop=480.0))).warnings == ()
    with pytest.warns(RunWarning, match=r"starts at 60 m, while the pantograph is still being raised \(until 197 m\)"):
        resolve(run(journey=Journey(judged_from=60.0, judged_to=180.0, stop=480.0)))


def test_the_run_in_grows_as_the_speed_nears_that_of_waves():
    """60 m · c/(c − v) with c = √(20 kN / 1.35 kg/m) = 121.716 m/s: 190.3 m at 300 km/h, 120 m up to half of c."""
    lifted, clean = resolve(run()).settled_from
    assert clean - lifted == pytest.approx(60.0 / (1.0 - 300 / 3.6 / 121.716), rel=1e-4)
    lifted, clean = resolve(run(speed=40.0)).settled_from
    assert clean - lifted == 120.0
    lifted, clean = resolve(run(journey=replace(CLEAN, run_in=30.0))).settled_from
    assert clean - lifted == pytest.approx(30.0)


def test_whole_spans_are_judged_by_default():
    """Lifted at 197 m, run in at 387 m, stop at 570 m: spans 7 and 8, since fewer than two are left after 420 m."""
    assert resolve(run(journey=Journey())).judged == (360.0, 480.0)
    assert resolve(run(journey=Journey(run_in=60.0))).judged == (300.0, 480.0)
    assert resolve(run(journey=Journey(run_in=200.0))).judged == (420.0, 480.0)  # as asked for
    assert resolve(run(journey=Journey(judged_from=250.0))).judged == (250.0, 480.0)
    seven = {"tension_lengths": [{"spans": [{"length": 60.0, "count": 7, "dropper_count": 9}]}]}
    assert resolve(run(line_changes=seven, speed=250 / 3.6, journey=Journey())).judged == (180.0, 300.0)


def test_every_pantograph_is_judged_on_the_same_spans():
    train = (OnTrain(pantograph=NAME), OnTrain(pantograph=NAME, behind=100.0))
    way = Journey(start=130.0, judged_from=240.0, judged_to=360.0, stop=480.0, ramp=0.1, run_in=20.0)
    found = resolve(run(train=train, speed=80.0, journey=way))
    for k, behind in enumerate((0.0, 100.0)):
        times = np.array(found.judged_times(k))
        np.testing.assert_allclose(found.timetable.position(times) - behind, [240.0, 360.0], atol=0.1)
    with pytest.warns(RunWarning, match=r"assessed only over 240 … 300 m.*Move journey.stop to 460 m"):
        resolve(run(train=train, speed=80.0, journey=replace(way, stop=400.0)))
    with pytest.raises(ModelError, match=r"not reach the assessed section 240 … 320 m. Move journey.stop to 420 m"):
        resolve(run(train=train, speed=80.0, journey=replace(way, judged_to=320.0, stop=335.0)))


@pytest.mark.parametrize(
    ("numerics", "kmh"),
    [
        (Numerics(element_length=5.0), 300),  # σ 69.4 N instead of 36.7 N
        (Numerics(element_length=5.0), 250),  # 43.7 N instead of 29.8 N
        (Numerics(step=5e-3), 300),  # 46.7 N
        (Numerics(step=10e-3), 300),  # 60.3 N
    ],
)
def test_mesh_or_step_that_decides_the_answer_is_refused(numerics, kmh):
    with pytest.raises(ModelError, match=r"dropper passing.*use at most .*numerics.coarse = true to run anyway"):
        resolve(run(numerics=numerics, speed=kmh / 3.6))
    with pytest.warns(RunWarning, match="too long for"):
        resolve(run(numerics=replace(numerics, coarse=True), speed=kmh / 3.6))


@pytest.mark.parametrize(
    ("numerics", "kmh"),
    [
        (Numerics(element_length=2.0), 300),  # σ 39.4 N instead of 36.7 N
        (Numerics(element_length=3.0), 250),  # 33.3 N instead of 29.8 N
        (Numerics(step=3e-3), 300),  # 34.6 N
    ],
)
def test_mesh_or_step_that_is_felt_is_said(numerics, kmh):
    with pytest.warns(RunWarning, match="too long for"):
        resolve(run(numerics=numerics, speed=kmh / 3.6))


@pytest.mark.parametrize("kmh", [100, 250, 300])
def test_the_default_mesh_and_step_are_fine_enough(kmh):
    assert resolve(run(speed=kmh / 3.6)).warnings == ()


def test_the_wave_ahead_is_the_theory_s():
    """At 300 km/h and c = 121.716 m/s, 20 Hz run ahead as waves of (c − v)/20 Hz = 1.919 m with 63.4 Hz in the wire."""
    wave, period = 1.9191, 1 / 63.42
    said = lambda **n: resolve(run(numerics=Numerics(**n))).warnings
    assert not said(element_length=1.1, step=0.99 * period / run_checks.STEPS_WANTED)
    assert "step" in said(step=1.01 * period / run_checks.STEPS_WANTED)[0]
    assert f"{wave:.3g} m" in said(element_length=2.0)[0]


def staggered(stagger: float) -> object:
    line = read_line(NAME)
    return replace(line, support=replace(line.support, stagger=stagger))


def test_a_wire_beside_the_head_is_refused_and_outside_its_working_width_said():
    with pytest.raises(ModelError, match=r"is .2000 mm off centre, outside the head .* ±800 mm"):
        resolve(run(line=staggered(2.0)))
    with pytest.warns(RunWarning, match=r"is .500 mm off centre; the working width .* ±400 mm"):
        resolve(run(line=staggered(0.5)))
    wide = replace(read_pantograph(NAME), pan_head=PanHead(length=1.95, working_width=1.1))
    assert resolve(run(line=staggered(0.5), train=(OnTrain(pantograph=wide),))).warnings == ()


def test_a_head_is_not_narrower_than_its_working_width():
    with pytest.raises(ModelError, match="working_width 2 m is more than"):
        PanHead(working_width=2.0)


def result(resolved, **curves) -> xr.Dataset:
    """A record of contact with the line at rest, changed as told."""
    n = 101
    x = np.linspace(320.0, 440.0, n)
    given = {"contact_force": np.full(n, 100.0), "contact_x": x, "contact_z": np.full(n, 5.1), "contact_y": 0 * x}
    data = {name: (("pantograph", "time"), np.array(v, float)[None]) for name, v in (given | curves).items()}
    begin, end = resolved.judged_times()
    times = {"time": np.linspace(begin, end, n), "pantograph": list(resolved.names)}
    return xr.Dataset(data, times).assign(resolved.variables())


def test_a_run_ends_where_the_wire_leaves_the_head():
    resolved = resolve(run())
    y = np.linspace(0.0, 1.0, 101)
    with pytest.raises(SimulationError, match=r"the contact wire leaves the head: it is \+810 mm") as error:
        list(run_checks.warnings_after(resolved, result(resolved, contact_y=y)))
    assert error.value.partial.sizes["time"] == 82
    assert not list(run_checks.warnings_after(resolved, result(resolved, contact_y=0.5 * y)))


@pytest.mark.parametrize("height", [9.2, np.nan, 1600.0])
def test_a_wire_beyond_the_encumbrance_is_a_failure(height):
    resolved = resolve(run())
    z = np.full(101, 5.1)
    z[60:] = height
    with pytest.raises(SimulationError, match=r"more than the encumbrance of 1.2 m.*diverged") as error:
        list(run_checks.warnings_after(resolved, result(resolved, contact_z=z)))
    assert error.value.partial.sizes["time"] == 61


def test_pressing_with_two_kilonewtons_fails_and_keeps_what_was_computed():
    """2000 N used to lift the wire by 4.1 m, past the messenger, and were judged."""
    train = (OnTrain(pantograph=NAME, changes={"static_force": 2000.0}),)
    short = Journey(start=30.0, stop=200.0, judged_from=120.0, judged_to=180.0, ramp=0.5)
    with pytest.raises(SimulationError, match="more than the encumbrance") as error:
        simulate_one(run(train=train, journey=short, numerics=Numerics(step=2e-3)))
    partial = error.value.partial
    assert "more than the encumbrance" in partial.attrs["failure"]
    assert partial["contact_z"].max() > 6.2


def test_what_was_said_is_in_the_result():
    early = Journey(start=30.0, stop=140.0, judged_from=60.0, judged_to=120.0, ramp=0.5)
    found = simulate_one(run(journey=early, numerics=Numerics(step=2e-3)))
    assert any("still being raised" in words for words in json.loads(found.attrs["warnings"]))
    stated = json.loads(found.attrs["inventory"])
    assert ["wires.contact.tension", 20000.0, "N"] in stated["Line"]
    assert ["stages.1.mass", 7.2, "kg"] in stated["Pantograph EN 50318:2002 reference pantograph"]
    assert ["numerics.step", 0.002, "s"] in stated["Run"]


def test_the_static_force_is_found_that_gives_the_mean_asked_for():
    """A frame on 500 N/m under a wire that yields by 0.4 mm/N: F_m = F − k e F_m, so F = 1.2 F_m."""
    asked = run(train=(OnTrain(pantograph=NAME, mean_force=150.0), OnTrain(pantograph=NAME, behind=90.0)))
    tried = []

    def means(one: Run) -> np.ndarray:
        tried.append(float(one.train[0].changes["static_force"]))
        assert one.train[1] == asked.train[1]
        return np.array([tried[-1] / 1.2, 100.0])

    found = with_mean_forces(asked, means)
    assert found.train[0].mean_force is None
    assert found.train[0].changes["static_force"] == pytest.approx(180.0, rel=TOLERANCE)
    assert tried[:2] == [120.0, 170.0]
    assert len(tried) == 3


def test_a_run_says_the_mean_and_the_static_force():
    """The frame rises with the wire by k ⟨z⟩ = 500 N/m · ⟨z⟩: the static force is the mean and as much more."""
    short = Journey(start=30.0, stop=200.0, judged_from=100.0, judged_to=180.0, ramp=0.5, run_in=20.0)
    train = (OnTrain(pantograph=NAME, mean_force=130.0, changes={"stages": {"1": {"stiffness": 500.0}}}),)
    found = simulate_one(run(train=train, journey=short, numerics=Numerics(step=2e-3)))
    (words,) = json.loads(found.attrs["found"])
    static = float(words.partition("static force of ")[2].split()[0])
    begin, end = (float(found[name][0]) for name in ("judged_from", "judged_to"))
    rise = found["mass_z"][-1].sel(time=slice(begin, end)).mean()
    assert static == pytest.approx(130.0 + 500.0 * float(rise), rel=0.05)  # damper and inertia: it still rises
    mean = float(words.partition("gives a mean of ")[2].split()[0])
    assert mean == pytest.approx(130.0, rel=TOLERANCE)
    assert "(130 N requested)" in words


def test_the_share_of_the_wave_speed_is_the_edition_s(tmp_path, recwarn):
    """c = √(20 kN/1.35 kg/m) = 438.2 km/h: 280 km/h is 63.9 % of it; a table may allow less than EN 50119, or more."""
    own = tmp_path / "own.toml"
    rule = (
        '[[limit]]\nquantity = "wave_speed_ratio"\nbound = "upper"\nvalue = {}\nclause = "our rule"\nstatus = "usual"\n'
    )
    own.write_text('name = "own"\nabout = "ours"\n' + rule.format(0.6))
    assert resolve(run(speed=280 / 3.6)).warnings == ()
    with pytest.warns(RunWarning, match=r"63\.9 % of the wave speed.*our rule allows 60 %"):
        resolve(run(speed=280 / 3.6, standard=str(own)))
    own.write_text('name = "own"\nabout = "ours"\n' + rule.format(0.8))
    assert not any("wave speed" in words for words in resolve(run(speed=320 / 3.6, standard=str(own))).warnings)
    with pytest.warns(RunWarning, match=r"EN 50119:2009, 5\.2\.4 allows 70 %"):  # an edition that has none
        resolve(run(speed=320 / 3.6, standard="en50318-2002"))


def test_judging_from_beyond_the_stop_is_named_as_such():
    """Lifting and run-in end long before the stop: they are not to blame."""
    with pytest.raises(ModelError, match=r"judged_from 1e\+29 m lies beyond the stop at 480 m; reduce judged_from"):
        resolve(run(journey=replace(CLEAN, judged_from=1e29)))
