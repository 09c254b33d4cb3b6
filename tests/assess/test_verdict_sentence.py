"""The sentence of a verdict, word by word, from criteria made by hand."""

import pytest
import xarray as xr

from panhead.assess import Criterion, verdict_sentence
from panhead.assess.judge import Judgement, store

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
        ([ratio(0.25), least(20.0)], f"Complies with {STANDARD}: all 2 criteria are met."),
        ([ratio(0.315), least(20.0)], f"Does not comply with {STANDARD}: σ/Fm 31.50 % exceeds 30 %."),
        (
            [ratio(0.315, 0.004), least(-3.0)],
            f"Does not comply with {STANDARD}: σ/Fm 31.50 ± 0.40 % exceeds 30 %; actual minimum −3.000 N is below 0 N.",
        ),
        (
            [ratio(0.299, 0.004), least(20.0)],
            f"Undecided: σ/Fm 29.90 ± 0.40 % straddles its limit 30 %. Compliance with {STANDARD} is not shown. "
            "Halve numerics.step and numerics.element_length and run again.",
        ),
        (
            [ratio(0.25, unjudged="less than one whole span is assessed")],
            "Undecided: less than one whole span is assessed, so σ/Fm is not assessed. "
            f"Compliance with {STANDARD} is not shown. "
            "Assess a longer section (journey.judged_from, judged_to).",
        ),
        (
            [Criterion(key="mean_force", name="mean contact force", value=115.0, unit="N")],
            "No limit applies to this run; its quantities are reported for information.",
        ),
        ([ratio(float("nan"))], f"Does not comply with {STANDARD}: σ/Fm has no value (limit 30 %)."),
    ],
)
def test_one_pantograph(criteria, sentence):
    assert said({"": {"one": criteria}}) == sentence


def test_pantographs_are_named_where_there_are_several():
    assert said({"": {"one": [ratio(0.31)], "two": [ratio(0.32)]}}) == (
        f"Does not comply with {STANDARD}: σ/Fm 31.00 % exceeds 30 % (one) and 32.00 % exceeds 30 % (two)."
    )
    assert said({"": {"one": [ratio(0.2)], "two": [ratio(0.2)]}}).endswith("met by every pantograph.")


def test_variants_are_named_by_their_verdict():
    found = {"a": {"one": [ratio(0.31)]}, "b": {"one": [ratio(0.3, 0.01)]}, "c": {"one": [ratio(0.2)]}}
    assert said(found) == (
        f"Does not comply with {STANDARD} in ‘a’: σ/Fm 31.00 % exceeds 30 % (a); undecided in ‘b’; complies in ‘c’."
    )
    assert said({"b": found["b"], "c": found["c"]}).startswith("Undecided in ‘b’: σ/Fm ")
    assert said({"b": found["c"], "c": found["c"]}) == f"Complies with {STANDARD} in all 2 variants."


def test_a_variant_without_limits_is_not_said_to_fail():
    """It used to be "not good enough" beside one that was."""
    free = [Criterion(key="mean_force", name="mean contact force", value=115.0, unit="N")]
    sentence = said({"a": {"one": [ratio(0.2)]}, "b": {"one": free}})
    assert sentence == f"Complies with {STANDARD} in ‘a’; no limit applies in ‘b’."


def test_a_verdict_on_a_recalled_limit_says_so():
    recalled = Criterion(
        key="mean_force", name="mean contact force", value=115.0, unit="N", limit=102.0, standing="recalled"
    )
    assert said({"": {"one": [recalled]}}).endswith(
        "exceeds 102 N. This verdict depends on the limit of mean contact force, which is recalled and not yet "
        "checked against the text of the standard."
    )
