"""What a study answers, beside closed forms and published values."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from panhead.errors import ModelError
from panhead.explore.studies import intervals
from panhead.explore.studies import sample_index as index
from panhead.explore.studies.answers import ranks
from panhead.explore.studies.distributions import Distribution
from panhead.explore.studies.intervals import LEVELS, quantiles, wilson
from panhead.explore.studies.limit_search import bracket, next_samples
from panhead.explore.studies.sample_index import _like
from panhead.explore.studies.sample_plan import Plan
from panhead.explore.studies.sampling import listed_values, unit_points
from panhead.explore.studies.scatter import field_root
from panhead.explore.studies.sentences import with_undecided
from panhead.explore.studies.study_description import Scatter, Study, Vary

P = np.array([0.003, 0.2, 0.5, 0.77, 0.999])


@pytest.mark.parametrize(
    "given, known",
    [
        ({"kind": "normal", "mean": 3.0, "deviation": 2.0}, stats.norm(3, 2)),
        ({"kind": "uniform", "low": -1.0, "high": 4.0}, stats.uniform(-1, 5)),
        ({"kind": "triangular", "low": -1.0, "mode": 0.5, "high": 4.0}, stats.triang(0.3, -1, 5)),
        ({"kind": "truncated", "mean": 3.0, "deviation": 2.0, "low": 2.0, "high": 9.0}, stats.truncnorm(-0.5, 3, 3, 2)),
    ],
)
def test_a_distribution_is_the_one_of_its_name(given, known):
    """SciPy's own quantiles; both are evaluated to a few ulps."""
    assert Distribution(**given).values(P) == pytest.approx(known.ppf(P), rel=1e-12)


def test_units_at_the_door_of_a_distribution():
    d = Distribution(mean="0 mm", deviation="5 mm")
    assert d.values(np.array([stats.norm.cdf(2.0)]), "m")[0] == pytest.approx(0.010, rel=1e-12)
    assert Distribution(mean=0, deviation="5 mm").numbers()[1] == "mm"  # nothing needs no unit
    with pytest.raises(ModelError, match="same unit"):
        Distribution(mean="1 m", deviation="5 mm")
    with pytest.raises(ModelError, match="give high"):
        Distribution(kind="uniform", low=1.0)
    with pytest.raises(ModelError, match="must lie below"):
        Distribution(kind="uniform", low=4.0, high=1.0)


def test_wilson_is_wilsons():
    """Limits as SciPy has them, and the table in Newcombe (1998): 81 of 263 gives 0.2553 … 0.3662."""
    share = wilson(81, 263)
    assert (share.low, share.high) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    ci = stats.binomtest(3, 40).proportion_ci(method="wilson")
    assert (wilson(3, 40).low, wilson(3, 40).high) == pytest.approx((ci.low, ci.high), rel=1e-12)
    assert wilson(0, 20).low == 0.0


def test_quantiles_resampled_by_their_ranks_are_those_of_whole_resamples(monkeypatch):
    """40 000 resamples drawn in full; samples are 1/41 apart, a quantile between two of them moves by half of that."""
    monkeypatch.setattr(intervals, "_RESAMPLED", 40_000)
    x = np.linspace(0.0, 1.0, 42)
    whole = np.quantile(np.random.default_rng(5).choice(x, (40_000, x.size)), LEVELS, axis=1)
    found = quantiles(x, seed=1)
    assert found[0] == pytest.approx(np.quantile(x, LEVELS), abs=1e-15)
    assert np.array(found[1]) == pytest.approx(np.quantile(whole, (0.025, 0.975), axis=1).T, abs=0.5 / 41)


def test_a_sample_judged_by_other_criteria_finds_its_places():
    one = {name: np.array([[1.0, 2.0]]) for name in index._FILLED}
    one |= {"criterion": np.array(["a", "b"]), "span": np.array([4, 6]), "failed": np.array([[0, 1]], np.int8)}
    found = _like(one, np.array(["b", "c", "a"]), np.array([4, 5, 6]))
    assert np.array_equal(found["value"], [[2.0, np.nan, 1.0]], equal_nan=True)
    assert np.array_equal(found["failed"], [[1.0, np.nan, 0.0]], equal_nan=True)
    assert np.array_equal(found["span_min"], [[1.0, np.nan, 2.0]], equal_nan=True)


def test_more_samples_keep_what_is_computed():
    """The first of a longer Sobol or plain sequence are those of the shorter one."""
    for sampling in ("sobol", "random", "halton"):
        few, many = (unit_points(sampling, n, 5, 7) for n in (32, 64))
        assert np.array_equal(few, many[:32])
        assert few.min() > 0.0
        assert few.max() < 1.0
    assert not np.array_equal(unit_points("sobol", 8, 2, 1), unit_points("sobol", 8, 2, 2))


def test_a_field_has_the_correlation_asked_for():
    x = np.array([0.0, 10.0, 35.0, 200.0])
    law = Distribution(mean=0.0, deviation=1.0)
    root = field_root(Scatter(of="stagger", distribution=law, correlation=50.0), x)
    assert root @ root.T == pytest.approx(np.exp(-np.abs(x[:, None] - x) / 50.0), abs=1e-12)
    # one wavenumber alone: R = cos κ Δx, of rank two
    narrow = Scatter(of="stagger", distribution=law, spectrum=((0.1 - 1e-9, 1.0), (0.1 + 1e-9, 1.0)))
    root = field_root(narrow, x)
    assert root @ root.T == pytest.approx(np.cos(0.1 * (x[:, None] - x)), abs=1e-6)
    assert np.array_equal(field_root(Scatter(of="stagger", distribution=law), x), np.eye(4))


def test_rank_correlation_is_spearmans():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    assert ranks(x, y) == pytest.approx([stats.spearmanr(x[:, k], y).statistic for k in range(3)], rel=1e-12)


def searched(met) -> tuple:
    """A search with a known answer, without any run: highest value met, the next one, samples, failures below."""
    vary = Vary(input="speed", first="100 km/h", last="300 km/h", steps=6)
    plan = Plan("search", Study(base="en50318-300", form="limit", vary=(vary,), error=0.01), {})
    values = np.linspace(100.0, 300.0, 6)
    while True:
        found = bracket(plan, values, met(values))
        new = next_samples(plan, values.size, found)
        if not new:
            return found.low, found.high, values.size, found.missed
        values = np.append(values, [float(str(s.values[0]).split()[0]) for s in new])


def test_the_limit_is_bracketed():
    low, high, count, missed = searched(lambda v: v <= 237.3)
    assert low <= 237.3 < high
    assert high - low <= 0.01 * 200
    assert count < 20
    assert not missed


def test_a_limit_outside_the_range_is_told():
    assert searched(lambda v: v <= 50.0)[:2] == (None, 100.0)
    assert searched(lambda v: v <= 400.0)[:2] == (300.0, None)


def test_values_that_fail_below_the_limit_are_told():
    low, high, _, missed = searched(lambda v: (v > 110.0) & (v < 263.0))
    assert low < 263.0 <= high
    assert missed == (100.0,)


@pytest.mark.parametrize(
    "given, message",
    [
        ({}, "no input varies"),
        ({"form": "speed", "vary": [{"input": "speed", "values": [1]}, {"input": "a", "values": [1]}]}, "exactly one"),
        ({"form": "limit", "vary": [{"input": "speed", "values": [1, 2]}]}, "first and last"),
        ({"form": "tolerance", "vary": [{"input": "speed", "values": [1, 2]}]}, "distribution"),
        ({"form": "compare", "vary": [{"input": "speed"}]}, "give one of values"),
        ({"form": "compare", "vary": [{"input": "speed", "first": 1.0}]}, "both first and last"),
        ({"form": "compare", "vary": [{"input": "speed", "values": [1]}] * 2}, "varies twice"),
    ],
)
def test_a_study_that_asks_nothing_is_refused(given, message):
    from panhead.files import parse

    with pytest.raises(ModelError, match=message):
        parse.build(Study, {"base": "en50318-300"} | given, source="study.toml")


def test_equal_steps_keep_their_unit():
    assert listed_values(Vary(input="speed", first="200 km/h", last="300 km/h", steps=3)) == [
        "200.0 km/h", "250.0 km/h", "300.0 km/h",
    ]  # fmt: skip


def test_ranges_are_told_with_what_is_missed_in_them():
    """The order of the samples does not matter; a range of one value is one value."""
    import xarray as xr

    from panhead.explore.studies.sentences import SENTENCES

    speeds, missed = [250.0, 180.0, 200.0, 220.0, 240.0], [1, 1, 1, 0, 0]
    index = xr.Dataset(
        {
            "number": (("sample", "varied"), np.array(speeds)[:, None]),
            "input": (("sample", "varied"), np.array([[f"{v} km/h"] for v in speeds])),
            "verdict": ("sample", np.where(missed, "not met", "met")),
            "failed": (("sample", "pantograph", "criterion"), np.array([[[m, 0]] for m in missed])),
            "criterion_name": ("criterion", np.array(["σ", "uplift"])),
        },
        {"criterion": ["deviation_ratio", "uplift"]},
    )
    mood, said = SENTENCES["speed"](None, index)
    assert said == "Contact quality is not met at 180 to 200 km/h (σ); met at 220 to 240 km/h; not met at 250 km/h (σ)."
    assert mood == "warning"


def speeds_with_one_wrong_setting():
    """Five speeds; at 210 km/h the mean force misses its limit, at 240 km/h σ does."""
    speeds = [120.0, 150.0, 180.0, 210.0, 240.0]
    failed = np.zeros((5, 1, 2), np.int8)
    failed[3, 0, 0] = failed[4, 0, 1] = 1
    said = lambda wrong: ("sample", np.where(wrong, "not met", "met"))
    return xr.Dataset(
        {
            "number": (("sample", "varied"), np.array(speeds)[:, None]),
            "input": (("sample", "varied"), np.array([[f"{v:g} km/h"] for v in speeds])),
            "verdict": said(failed.any(axis=(1, 2))),
            "quality": said(failed[:, 0, 1]),
            "setting": said(failed[:, 0, 0]),
            "failed": (("sample", "pantograph", "criterion"), failed),
            "criterion_name": ("criterion", np.array(["mean contact force", "standard deviation over mean"])),
        },
        {"criterion": ["mean_force", "deviation_ratio"], "varied": ["speed"]},
    )


def test_a_speed_study_speaks_of_contact_quality_and_tells_the_setting_apart():
    """It said "met at 120 to 180; missed at 210 (mean contact force); met at 240"."""
    from panhead.explore.studies.sentences import SENTENCES, setting_sentence

    index = speeds_with_one_wrong_setting()
    assert SENTENCES["speed"](None, index) == (
        "warning",
        "Contact quality is met at 120 to 210 km/h; not met at 240 km/h (standard deviation over mean).",
    )
    assert setting_sentence(index) == (
        "warning",
        "Setting: mean contact force met at 120 to 180 km/h; not met at 210 km/h; met at 240 km/h. Write mean_force in "
        "[[train]], and each run finds the static force that gives it.",
    )
    both = index.assign_attrs(judged="all limits")
    assert (
        "All limits are met at 120 to 180 km/h; not met at 210 to 240 km/h (mean" in SENTENCES["speed"](None, both)[1]
    )
    assert setting_sentence(both) is None


def bars_at_the_limit(slope=0.5, error=1.5, at=300.0):
    """Eleven speeds; σ = 90 N + slope (v − at) against 90 N, with its bar where it crosses."""
    v = np.array([260.0, 280.0, 290.0, 295.0, 298.0, 299.9, 300.1, 302.0, 305.0, 310.0, 330.0])
    sigma, bars = 90.0 + slope * (v - at), np.full((v.size, 1, 1), np.nan)
    bars[5:7] = error
    return xr.Dataset(
        {
            "number": (("sample", "varied"), v[:, None]),
            "input": (("sample", "varied"), np.array([[f"{x:g} km/h"] for x in v])),
            "verdict": ("sample", np.where(sigma <= 90.0, "met", "not met")),
            "value": (("sample", "pantograph", "criterion"), sigma[:, None, None]),
            "limit": (("sample", "pantograph", "criterion"), np.full((v.size, 1, 1), 90.0)),
            "error": (("sample", "pantograph", "criterion"), bars),
            "criterion_name": ("criterion", ["Standard deviation"]),
            "criterion_unit": ("criterion", ["N"]),
            "criterion_bound": ("criterion", ["upper"]),
        },
        {"varied": ["speed"], "criterion": ["deviation"]},
    )


def limit_plan():
    vary = Vary(input="speed", first="260 km/h", last="330 km/h", steps=3)
    return Plan("search", Study(base="en50318-300", form="limit", vary=(vary,), error=0.003), {})


def test_the_limit_is_told_to_what_its_numerical_error_leaves():
    """A bar of 1.5 N at 0.5 N per km/h is 3 km/h; 299.9 km/h would say that it is known to a tenth."""
    from panhead.explore.studies.limit_search import numerical_range
    from panhead.explore.studies.sentences import SENTENCES

    index = bars_at_the_limit()
    found = numerical_range(index, bracket(limit_plan(), index["number"].to_numpy()[:, 0], index["verdict"] == "met"))
    assert (found.met_to, found.missed_from) == pytest.approx((297.0, 303.0))
    said = SENTENCES["limit"](limit_plan(), index)[1]
    assert "speed = 299.9 ± 3.1 km/h" in said
    assert "Standard deviation ± 1.5 N), 297.0 to 303.0 km/h is undecided" in said


@pytest.mark.parametrize(
    "error, mood, words", [(np.nan, "good", "is not known"), (60.0, "warning", "Undecided at every computed speed")]
)
def test_a_limit_whose_numerical_error_is_not_known_or_too_large_says_so(error, mood, words):
    from panhead.explore.studies.sentences import SENTENCES

    found, said = SENTENCES["limit"](limit_plan(), bars_at_the_limit(error=error))
    assert words in said
    assert found == mood


def test_a_small_numerical_error_leaves_the_bracket():
    from panhead.explore.studies.sentences import SENTENCES

    said = SENTENCES["limit"](limit_plan(), bars_at_the_limit(error=1e-3))[1]
    assert "speed = 299.9 ± 0.2 km/h" in said  # what the search left open: a limit between 299.9 and 300.1


def test_runs_that_are_undecided_have_not_met_their_limits():
    index = xr.Dataset({"verdict": ("sample", np.array(["met", "undecided", "met"]))})
    mood, sentence = with_undecided(index, "good", "All 3 runs meet every limit they are judged by.")
    assert mood == "warning"
    assert sentence.startswith("1 of 3 runs are undecided")
    assert with_undecided(index.isel(sample=[0, 2]), "good", "All.") == ("good", "All.")
