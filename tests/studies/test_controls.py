"""Control variates: what is known of a number's tangent sharpens what is estimated of the number, honestly."""

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import norm

from panhead.studies.answers import control_of
from panhead.studies.conduct import conduct
from panhead.studies.controls import controlled, tangents
from panhead.studies.intervals import LEVELS, Control, mean_interval, quantiles, share, wilson
from panhead.studies.work import Here

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
    index = conduct(plan, tmp_path, Here())
    assert "control" not in index  # of so few samples intervals would be too short
    index = controlled(plan, index, tmp_path, compute=True)
    keys = list(index["criterion"].to_numpy())
    k = keys.index("mean_force")
    y, c = index["value"].to_numpy()[:, 0, k], index["control"].to_numpy()[:, k]
    assert np.corrcoef(y, c)[0, 1] > 0.95
    control = control_of(index, k, np.nan)
    assert mean_interval(y, control)[1] < 0.5 * mean_interval(y)[1]
    # the tangent's mean: its value at the drawing, since every error has the mean zero; to the error of 2¹⁶ draws
    tangent = tangents(plan, tmp_path, [], compute=False)["mean_force"]
    assert control.mean == pytest.approx(tangent.value, abs=4 * c.std() / 256)
    again = controlled(plan, conduct(plan, tmp_path, Here()), tmp_path, compute=False)
    assert again["control"].equals(index["control"])
