"""The sentence of a verdict, word by word, from criteria made by hand."""

import json
from dataclasses import replace

import pytest
import xarray as xr

from panhead.assess import Criterion, verdict_sentence, verdict_sentences
from panhead.assess.judge import Judgement, store
from panhead.assess.verdict_of_cases import verdict_of_cases

STANDARD = "EN 50367:2012 and EN 50119:2009"


def ratio(value: float, error: float | None = None, unjudged: str = "") -> Criterion:
    return Criterion(
        key="deviation_ratio", name="standard deviation over mean", value=value, unit="1", limit=0.3, error=error,
        standing="quoted", unjudged=unjudged,
    )  # fmt: skip


def least(value: float) -> Criterion:
    return Criterion(key="actual_min", name="actual minimum", value=value, unit="N", limit=0.0, bound="lower")


def said(found: Judgement) -> str:
    return verdict_sentence(store(xr.Dataset(), found))


@pytest.mark.parametrize(
    ("criteria", "sentence"),
    [
        ([ratio(0.25), least(20.0)], f"Contact quality complies with {STANDARD}: all 2 criteria are met."),
        ([ratio(0.315), least(20.0)], f"Contact quality does not comply with {STANDARD}: σ/Fm 31.50 % exceeds 30 %."),
        (
            [ratio(0.315, 0.004), least(-3.0)],
            f"Contact quality does not comply with {STANDARD}: σ/Fm 31.50 ± 0.40 % exceeds 30 %; "
            "actual minimum −3.000 N is below 0 N.",
        ),
        (
            [ratio(0.299, 0.004), least(20.0)],
            "Contact quality undecided: σ/Fm 29.90 ± 0.40 % straddles its limit 30 %. "
            f"Compliance with {STANDARD} is not shown. "
            "Halve numerics.step and numerics.element_length and run again.",
        ),
        (
            [ratio(0.25, unjudged="less than one whole span is assessed")],
            "Contact quality undecided: less than one whole span is assessed, so σ/Fm is not assessed. "
            f"Compliance with {STANDARD} is not shown. "
            "Assess a longer section (journey.judged_from, judged_to).",
        ),
        (
            [Criterion(key="mean_force", name="mean contact force", value=115.0, unit="N")],
            "No limit applies to this run; its quantities are reported for information.",
        ),
        ([ratio(float("nan"))], f"Contact quality does not comply with {STANDARD}: σ/Fm has no value (limit 30 %)."),
    ],
)
def test_one_pantograph(criteria, sentence):
    assert said({"": {"one": criteria}}) == sentence


def test_pantographs_are_named_where_there_are_several():
    assert said({"": {"one": [ratio(0.31)], "two": [ratio(0.32)]}}) == (
        f"Contact quality does not comply with {STANDARD}: σ/Fm 31.00 % exceeds 30 % (one) and "
        "32.00 % exceeds 30 % (two)."
    )
    assert said({"": {"one": [ratio(0.2)], "two": [ratio(0.2)]}}).endswith("met by every pantograph.")


def test_variants_are_named_by_their_verdict():
    found = {"a": {"one": [ratio(0.31)]}, "b": {"one": [ratio(0.3, 0.01)]}, "c": {"one": [ratio(0.2)]}}
    assert said(found) == (
        f"Contact quality does not comply with {STANDARD} in ‘a’: σ/Fm 31.00 % exceeds 30 % (a); "
        "undecided in ‘b’; complies in ‘c’."
    )
    assert said({"b": found["b"], "c": found["c"]}).startswith("Contact quality undecided in ‘b’: σ/Fm ")
    assert said({"b": found["c"], "c": found["c"]}) == f"Contact quality complies with {STANDARD} in all 2 variants."


def test_a_variant_without_limits_is_not_said_to_fail():
    """It used to be "not good enough" beside one that was."""
    free = [Criterion(key="mean_force", name="mean contact force", value=115.0, unit="N")]
    sentence = said({"a": {"one": [ratio(0.2)]}, "b": {"one": free}})
    assert sentence == f"Contact quality complies with {STANDARD} in ‘a’; no limit applies in ‘b’."


def test_a_verdict_on_a_recalled_limit_says_so():
    recalled = Criterion(
        key="mean_force", name="mean contact force", value=115.0, unit="N", limit=102.0, standing="recalled"
    )
    assert said({"": {"one": [replace(ratio(0.31), standing="recalled")]}}).endswith(
        "exceeds 30 %. This verdict depends on the limit of σ/Fm, which is recalled and not yet checked against the "
        "text of the standard."
    )
    assert said({"": {"one": [recalled]}}).endswith(
        "the run finds it. Its upper limit is recalled, not yet checked against the text of the standard."
    )


def mean(value: float, error: float | None = None) -> list[Criterion]:
    """A mean force between 102.3 and 157.3 N, quoted."""
    one = {"name": "mean contact force", "value": value, "unit": "N", "error": error, "standing": "quoted"}
    return [
        Criterion(key="mean_force", limit=157.3, **one),
        Criterion(key="mean_force_lower", limit=102.3, bound="lower", **one),
    ]


INPUTS = json.dumps({"Run": [], "Pantograph one": [["static_force", 70.0, "N"]]})


def test_the_mean_force_is_a_setting_and_does_not_spoil_the_contact_quality():
    """0.06 N of mean force made a line "not compliant" whose contact is good."""
    result = store(xr.Dataset(attrs={"inventory": INPUTS}), {"": {"one": [ratio(0.25), *mean(157.36)]}})
    quality, setting = verdict_sentences(result)
    assert (quality.group, quality.verdict) == ("contact quality", "met")
    assert quality.sentence == f"Contact quality complies with {STANDARD}: its one criterion is met."
    assert (setting.group, setting.verdict) == ("setting", "not met")
    assert setting.sentence == (
        "Setting not met: mean contact force 157.4 N exceeds 157.3 N. Reduce the static force by about 0.4 N, to "
        '69.6 N, or write mean_force = "157 N" in [[train]] and the run finds it.'
    )
    assert result.attrs["verdict"] == "not met"  # of the standard as a whole, as before
    assert json.loads(result.attrs["verdicts"]) == {"contact quality": "met", "setting": "not met"}
    assert verdict_sentence(result) == f"{quality.sentence} {setting.sentence}"


def test_a_setting_that_is_met_names_its_band():
    assert said({"": {"one": mean(116.3)}}) == "Setting: mean contact force 116.3 N, within 102.3 N to 157.3 N."
    assert said({"": {"one": mean(116.3)[:1]}}) == "Setting: mean contact force 116.3 N, at most 157.3 N."
    assert said({"": {"one": mean(116.3), "two": mean(117.0)}}).endswith("its limits for every pantograph.")


def test_each_pantograph_gets_its_own_static_force():
    """Too weak at the front by 10.3 N, too strong at the rear: 1.05 N of static force for a newton of the mean."""
    words = said({"": {"one": mean(92.0), "two": mean(160.0)}})
    assert "Raise the static force by about 11.6 N (one); reduce the static force by about 3.2 N (two)" in words
    assert 'mean_force = "103 N" and mean_force = "157 N"' in words


def test_a_setting_within_its_error_bar_of_a_limit_is_undecided_and_has_a_remedy():
    words = said({"": {"one": mean(157.2, error=0.3)}})
    assert words.startswith("Setting undecided: mean contact force 157.2 ± 0.3 N straddles its limit 157.3 N. Reduce")
    assert 'mean_force = "157 N"' in words  # 157 + 0.3 N still lie below the limit


def riding(outcome: str) -> xr.Dataset:
    """A result with the outcome of its vehicle."""
    return xr.Dataset({"ride_outcome": ((), outcome, {"long_name": "at t = 2.1 s"})})


@pytest.mark.parametrize("outcome", ["derailed", "the track ended", "stopped"])
def test_a_vehicle_that_does_not_arrive_is_said_first_and_nothing_complies(outcome):
    """The verdict was "Complies with …", and `--check` gave exit code 0."""
    judged = store(riding(outcome), {"": {"one": [ratio(0.25)]}})
    assert judged.attrs["verdict"] == "undecided"
    assert verdict_sentence(judged) == (
        f"Vehicle: {outcome}; at t = 2.1 s. Undecided: the contact force after that has no meaning. "
        f"Compliance with {STANDARD} is not shown."
    )
    missed = store(riding(outcome), {"": {"one": [ratio(0.315)]}})
    assert missed.attrs["verdict"] == "not met"
    begin = f"Vehicle: {outcome}; at t = 2.1 s. Contact quality does not comply with "
    assert verdict_sentence(missed).startswith(begin)


def test_a_lifted_wheel_is_said_and_a_vehicle_on_the_track_is_not():
    met = {"": {"one": [ratio(0.25)]}}
    lifted, sound = (store(riding(o), met) for o in ("a wheel lifted", "on the track"))
    assert lifted.attrs["verdict"] == sound.attrs["verdict"] == "met"
    assert verdict_sentence(lifted) == f"Vehicle: a wheel lifted; at t = 2.1 s. {verdict_sentence(sound)}"
    assert verdict_sentence(sound).startswith("Contact quality complies with ")


def test_runs_together_name_the_setting_once():
    """It read "Setting: … At 220 km/h: Setting not met: …"."""
    runs = {
        name: store(xr.Dataset(attrs={"inventory": INPUTS}), {"": {"one": [ratio(0.25), *mean(value)]}})
        for name, value in (("200 km/h", 120.0), ("220 km/h", 157.36), ("240 km/h", 160.0))
    }
    setting = verdict_of_cases(runs)[1]
    assert setting.verdict == "not met"
    assert setting.sentence.startswith(
        "Setting: mean contact force within its limits at 200 km/h. At 220 km/h: not met:"
    )
    assert setting.sentence.count("Setting") == 1
    del runs["200 km/h"]
    assert verdict_of_cases(runs)[1].sentence.startswith("At 220 km/h: Setting not met: mean")
