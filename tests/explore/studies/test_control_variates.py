"""Control variates: what is known of a number's tangent sharpens what is estimated of the number, honestly."""

import numpy as np
import pytest
import xarray as xr
from scipy.special import ndtr
from scipy.stats import norm

from panhead.explore.studies.answers import control_of, not_compliant, running_estimate, spreads
from panhead.explore.studies.control_variates import tangents, with_control_variates
from panhead.explore.studies.intervals import LEVELS, Control, mean_interval, quantiles, share, wilson
from panhead.explore.studies.run_study import conduct
from panhead.explore.studies.sample_worker import InProcess
from panhead.explore.studies.study_page import _spread

from .test_samples import LAW, planned

REPEATED = 400
QUANTILES = norm.ppf(LEVELS)
INSIDE = 0.95 - 3 * np.sqrt(0.95 * 0.05 / REPEATED)  # three standard errors below 95 %


def drawn(n: int, bend: float = 0.3, noise: float = 0.3, twist: float = 0.0):
    """A number that is not quite its tangent c, again and again; E[y] = 3.

    y = 3 + 2 c + bend (c² − 1) + twist c³ + noise ε
    """
    rng = np.random.default_rng(5)
    for _ in range(REPEATED):
        c, e = rng.standard_normal((2, n))
        yield 3.0 + 2.0 * c + bend * (c**2 - 1.0) + twist * c**3 + noise * e, c


def test_the_mean_keeps_its_coverage_with_a_fraction_of_the_variance():
    """Var y = 4 + 2 bend² + noise² = 4.27, of which the tangent leaves 0.27 and its square 0.09: 47 times less."""
    found = [
        (mean_interval(y), mean_interval(y, Control(c, 0.0, 1.0, QUANTILES))) for y, c in drawn(24)
    ]  # fmt: skip
    plain, sharp = np.array(found).transpose(1, 2, 0)
    assert (np.abs(sharp[0] - 3.0) <= sharp[1]).mean() >= INSIDE
    assert plain[0].var() / sharp[0].var() > 0.7 * 4.27 / 0.09  # a few samples of 24 are spent on the slopes


def test_the_mean_keeps_its_coverage_where_it_leaves_its_tangent_by_a_curve():
    """Residuals that are no noise: taken as alike, those of a straight line cover 88 % here (10 000 draws)."""
    found = [mean_interval(y, Control(c, 0.0, 1.0, QUANTILES)) for y, c in drawn(64, bend=0.1, noise=0.05, twist=0.05)]
    mean, half = np.array(found).T
    assert (np.abs(mean - 3.0) <= half).mean() >= INSIDE


@pytest.mark.parametrize("limit", [4.0, 6.0])
def test_a_probability_keeps_its_coverage(limit):
    """y = 3 + 2 c + ε 0.6 over a limit: Φ((3 − limit)/√4.36), 32 and 8 %."""
    exact = float(ndtr((3.0 - limit) / np.sqrt(4.36)))
    beyond = float(ndtr((3.0 - limit) / 2.0))
    inside, errors, wide = 0, [], []
    for y, c in drawn(80, bend=0.0, noise=0.6):
        missed = y > limit
        sharp = share(missed, Control(3.0 + 2.0 * c, 3.0, 2.0, 3.0 + 2.0 * QUANTILES, limit, beyond))
        plain = wilson(int(missed.sum()), missed.size)
        inside += sharp.low <= exact <= sharp.high
        errors.append((plain.value - exact, sharp.value - exact))
        wide.append((plain.high - plain.low, sharp.high - sharp.low))
    assert inside / REPEATED >= INSIDE
    apart, width = np.square(errors).mean(axis=0), np.mean(wide, axis=0)
    assert apart[1] < apart[0]
    if limit == 4.0:  # at 8 % the control is left out in a fifth of the cases: fewer than four samples lie beyond
        assert apart[1] < 0.6 * apart[0]
        assert width[1] < 0.8 * width[0]


def test_quantiles_are_nearer_and_keep_their_coverage():
    """y is normal with the mean 3 and the variance 4.09; its median is much nearer, since the tangent's is known."""
    exact = 3.0 + np.sqrt(4.09) * QUANTILES
    found = [
        ((np.quantile(y, LEVELS),), quantiles(y, 0, Control(c, 0.0, 1.0, QUANTILES))) for y, c in drawn(120, bend=0.0)
    ]
    inside = np.mean([[a <= e <= b for e, (a, b) in zip(exact, sharp[1], strict=True)] for _, sharp in found], axis=0)
    assert inside.min() >= INSIDE
    plain, sharp = (np.var([pair[k][0] for pair in found], axis=0) for k in (0, 1))
    assert plain[1] / sharp[1] > 2.0
    assert (sharp < 1.1 * plain).all()


def test_a_control_that_tells_nothing_does_no_harm():
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(REPEATED):
        y, c = rng.standard_normal((2, 16))
        mean, half = mean_interval(y, Control(c, 0.0, 1.0, QUANTILES))
        hits += abs(mean) <= half
    assert hits / REPEATED >= INSIDE
    lone = share(np.array([True, False, True]), Control(np.array([0.0, 1.0, 2.0]), 0.0, 1.0, QUANTILES, 1.5, 0.1))
    assert lone == wilson(2, 3)  # one sample beyond the limit is too few


def test_a_study_takes_its_gradients_as_controls(tmp_path):
    """Droppers and lift scatter: the tangent follows the mean force sample by sample, and its interval is shorter."""
    plan = planned(
        form="tolerance", samples=16, sampling="random", seed=2,
        scatter=[{"of": "dropper length", "distribution": LAW}],
        vary=[{"input": "train.0.changes.static_force", "distribution": LAW | {"mean": "120 N", "deviation": "3 N"}}],
    )  # fmt: skip
    index = conduct(plan, tmp_path, InProcess())
    assert "control" not in index  # of so few samples intervals would be too short
    index = with_control_variates(plan, index, tmp_path, compute=True)
    keys = list(index["criterion"].to_numpy())
    k = keys.index("mean_force")
    y, c = index["value"].to_numpy()[:, 0, k], index["control"].to_numpy()[:, k]
    assert np.corrcoef(y, c)[0, 1] > 0.95
    control = control_of(index, k, np.nan)
    assert mean_interval(y, control)[1] < 0.5 * mean_interval(y)[1]
    # the tangent's mean: its value at the drawing, since every error has the mean zero; to the error of 2¹⁶ draws
    tangent = tangents(plan, tmp_path, [], compute=False)["mean_force"]
    assert control.mean == pytest.approx(tangent.value, abs=4 * c.std() / 256)
    again = with_control_variates(plan, conduct(plan, tmp_path, InProcess()), tmp_path, compute=False)
    assert again["control"].equals(index["control"])


def one_limit_missed(n=200):
    """σ follows its tangent and misses its limit in some samples; the mean force has two limits, and keeps both."""
    rng = np.random.default_rng(11)
    c = rng.standard_normal(n)
    mean, sigma = 120.0 + 0.3 * rng.standard_normal(n), 30.0 + 2.0 * c + 0.4 * rng.standard_normal(n)
    value = np.stack([mean, mean, sigma], axis=1)[:, None]
    limit = np.broadcast_to([150.0, 90.0, 32.0], value.shape)
    missed = sigma > 32.0
    failed = np.zeros(value.shape, np.int8)
    failed[:, 0, 2] = missed
    beyond = float(ndtr(-1.0))
    both = ("sample", "pantograph", "criterion")
    return xr.Dataset(
        {
            "verdict": ("sample", np.where(missed, "not met", "met")),
            "value": (both, value),
            "limit": (both, limit),
            "failed": (both, failed),
            "criterion_name": ("criterion", ["Mean force", "Mean force, lower limit", "Standard deviation"]),
            "criterion_unit": ("criterion", ["N"] * 3),
            "criterion_bound": ("criterion", ["upper", "lower", "upper"]),
            "control": (("sample", "criterion"), np.stack([mean, mean, 30.0 + 2.0 * c], axis=1)),
            "control_mean": ("criterion", [120.0, 120.0, 30.0]),
            "control_deviation": ("criterion", [0.3, 0.3, 2.0]),
            "control_quantiles": (("level", "criterion"), np.outer(QUANTILES, [0.3, 0.3, 2.0]) + [120.0, 120.0, 30.0]),
            "control_share": ("criterion", [0.0, 1.0, beyond]),
            "control_missed": ("sample", (30.0 + 2.0 * c > 32.0).astype(np.int8)),
            "control_missed_share": beyond,
        },
        {"criterion": ["mean_force", "mean_force_lower", "deviation"]},
    )


def test_what_the_page_says_first_and_what_its_table_says_are_one_statistic():
    """Only σ misses its limit: the share of samples that miss any is that of σ, to the last bit, and ends the curve."""
    index = one_limit_missed()
    first, table = not_compliant(index), {s.key: s.failing for s in spreads(index)}["deviation"]
    assert table.controlled is not None
    assert first == table
    assert running_estimate(index)[1][-1].tolist() == [first.low, first.value, first.high]


def test_a_quantity_with_two_limits_is_listed_once_with_one_mean(monkeypatch):
    index = one_limit_missed()
    upper, lower, _ = spreads(index)
    assert (upper.mean, upper.mean_error, upper.quantiles) == (lower.mean, lower.mean_error, lower.quantiles)
    monkeypatch.setattr("panhead.explore.studies.study_charts.histograms", lambda index: None)
    rows = _spread(index, spreads(index))[1].rows
    assert [row[0] for row in rows] == ["Mean force", "Standard deviation"]


def test_both_limits_of_a_quantity_have_its_control(tmp_path, monkeypatch):
    """The lower one had none: the same mean stood twice on the page, with two intervals."""
    from panhead.explore.studies import control_variates

    plan = planned(
        form="tolerance", samples=4, seed=2,
        vary=[{"input": "train.0.changes.static_force", "distribution": LAW | {"mean": "120 N", "deviation": "3 N"}}],
    )  # fmt: skip
    taken = {"deviation": control_variates.Tangent(120.0, np.array([1.0]), ())}
    monkeypatch.setattr(control_variates, "tangents", lambda *given, compute: taken)
    keys, both = ["deviation", "deviation_lower"], ("sample", "pantograph", "criterion")
    index = xr.Dataset(
        {
            "limit": (both, np.broadcast_to([123.0, 119.0], (4, 1, 2))),
            "criterion_bound": ("criterion", ["upper", "lower"]),
        },
        {"sample": np.arange(4), "criterion": keys},
    )
    found = with_control_variates(plan, index, tmp_path, compute=False)
    control = found["control"].to_numpy()
    assert np.array_equal(control[:, 0], control[:, 1])
    # a lift of N(120, 3) N: above 123 N, below 119 N; to four times the error of 2¹⁶ draws
    exact = float(ndtr(-1.0) + ndtr(-1.0 / 3.0))
    assert float(found["control_missed_share"]) == pytest.approx(exact, abs=4 * 0.5 / 256)
    assert np.array_equal(found["control_missed"], (control[:, 0] > 123.0) | (control[:, 0] < 119.0))
