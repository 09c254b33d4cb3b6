"""The static force that the verdict names does what it says, and the reference model stands beside its ranges."""

import json

import pytest

import panhead as ph
from panhead.assess import verdict_sentences
from panhead.assess.mean_force_remedy import static_force_change, static_forces

QUICK = {"journey": {"start": "30 m", "stop": "330 m", "judged_from": "180 m", "judged_to": "300 m", "run_in": "5 m"}}


def at(force: str):
    train = [{"pantograph": "en50318-2002", "changes": {"static_force": force}}]
    return ph.run("en50318-300", changes=QUICK | {"train": train}, error_bars="none")


@pytest.mark.filterwarnings("ignore::panhead.errors.RunWarning")
@pytest.mark.parametrize("force", ["170 N", "90 N"])
def test_the_static_force_that_is_offered_meets_the_limits(force):
    """Too high and too low by 6 to 14 N: the next run with the force the sentence names is inside, in one step."""
    before = at(force)
    assert before.verdicts["setting"] == "not met"
    (name,) = before["pantograph"].to_numpy()
    change = static_force_change(before.criteria.rows, static_forces(before, "")[str(name)])
    assert change is not None
    setting = verdict_sentences(before)[-1]
    assert f"to {change.static:.1f} N" in setting.sentence
    after = at(f"{change.static:.1f} N")
    assert after.verdicts["setting"] == "met"
    assert abs(after.criteria["mean_force"].value - change.mean) < 1.0  # not just anywhere inside


@pytest.mark.filterwarnings("ignore::panhead.errors.RunWarning")
def test_a_reference_model_stands_beside_its_ranges_first():
    """At 300 km/h its σ/Fm misses the limit of lines in service; that says nothing against model or program."""
    result = ph.run("en50318-300", error_bars="none")
    first, quality, setting = verdict_sentences(result)
    assert (first.group, first.verdict) == ("reference model", "met")
    assert first.sentence.startswith("Reference model of EN 50318:2002: all 8 quantities lie within the ranges")
    assert quality.verdict == "not met"
    assert "exceeds 30 %. A reference model exists so that simulations can be compared" in quality.sentence
    assert setting.verdict == "met"
    page = result.page().html
    assert page.index("all 8 quantities lie") < page.index("Contact quality does not comply")
    assert '<section class="verdict good"' in page
    assert json.loads(result.attrs["reference"])["name"] == "EN 50318:2002"
    for part in (result.isel(time=0), result.isel(pantograph=0), result[["contact_x"]]):
        assert "all 8 quantities lie" in part._repr_html_()  # told of any part of it


@pytest.mark.filterwarnings("ignore::panhead.errors.RunWarning")
def test_ranges_are_told_only_where_they_apply_and_a_changed_model_falls_out_of_them():
    """The ranges are those of 250 and 300 km/h; another static force misses one of them."""
    slower = ph.run("en50318-300", changes=QUICK | {"speed": "280 km/h"}, error_bars="none")
    assert [one.group for one in verdict_sentences(slower)] == ["contact quality", "setting"]
    first, *_ = verdict_sentences(at("160 N"))
    assert (first.group, first.verdict) == ("reference model", "not met")
    assert "mean contact force 15" in first.sentence
    assert first.sentence.endswith("The ranges hold for the model without changes.")
