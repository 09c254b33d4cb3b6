"""Runs of line designs by name, and the mean force at the upper limit of a standard."""

from dataclasses import replace

import pytest

from panhead.errors import FileError, ModelError
from panhead.files import parse
from panhead.railway.line.line_design import read_design
from panhead.runs import scenarios
from panhead.runs.description import OnTrain, Run
from panhead.runs.design_run import design_run, names_design
from panhead.runs.static_force_search import upper_mean_force, with_limit_forces


def test_a_design_is_a_scenario():
    """At line speed, one DSA 380 at the upper mean force, twenty of the longest spans."""
    run = scenarios.read("C-350").description
    assert run.speed == pytest.approx(350 / 3.6)
    assert run.line.name == "C-350"
    assert [p.mean_force for p in run.train] == ["upper limit"]
    assert sum(s.count for s in run.line.tension_lengths[0].spans) == 20


def test_several_pantographs_lengthen_the_line():
    two = scenarios.read("C-350 x2")
    assert [p.behind for p in two.description.train] == [0.0, 200.0]
    assert sum(s.count for s in two.description.line.tension_lengths[0].spans) == 24  # 200 m are four of 64 m
    assert two.name == "C-350-x2"
    assert not names_design("C-350 x9")
    with pytest.raises(FileError, match="nor a shipped scenario or line design; did you mean 'C-350'"):
        scenarios.read("C350")


@pytest.mark.parametrize(
    "name, speed, force", [("C-350", 350, 188.825), ("CA-200/25kV", 200, 108.8), ("CA-220/3kV", 200, 148.8)]
)
def test_the_upper_limit_follows_speed_and_supply(name, speed, force):
    """0.00097 v² + 70 N at 25 kV and + 110 N at 3 kV, two thousandths below."""
    assert upper_mean_force("en50367-2012", speed / 3.6, read_design(name).supply) == pytest.approx(0.998 * force)
    run = with_limit_forces(scenarios.read(name).description)
    assert run.train[0].mean_force == pytest.approx(0.998 * force)


def test_a_standard_without_a_mean_force_leaves_it_to_the_default():
    assert upper_mean_force("en50119-2009", 300 / 3.6, "25 kV AC") == pytest.approx(0.998 * 157.3)


def test_a_run_with_a_number_is_left_alone():
    run = Run(line="en50318-2002", train=(OnTrain(pantograph="dsa380", mean_force=120.0),), speed=50.0)
    assert with_limit_forces(run) is run
    with pytest.raises(ModelError, match="mean_force"):
        replace(run.train[0], mean_force=-1.0)
    with pytest.raises(FileError, match="mean_force"):
        parse.build(OnTrain, {"pantograph": "dsa380", "mean_force": "most"}, source="x")


def test_the_mean_force_of_a_design_run_meets_its_limit():
    """A run on the limit would be a toss-up; two thousandths below, it is met."""
    raw = design_run("CA-200/25kV") | {"journey": {"judged_from": 300.0, "judged_to": 420.0, "stop": 430.0}}
    result = scenarios.from_plain(raw, source="x").simulate()
    (mean,) = (c for c in result.criteria if c.key == "mean_force")
    assert mean.verdict == "met"
    assert mean.value == pytest.approx(108.58, rel=2e-3)  # the search ends at a thousandth
