"""Whether a run has settled, of forces whose deviation per span is known."""

import numpy as np
import pytest

from panhead.assess import Site, assess, overall
from panhead.assess.judged_section import significant_trend

SPEED, SPAN = 50.0, 60.0
TIMES = np.arange(0.0, 600.0 / SPEED, 1e-3)
PLACES = SPEED * TIMES
MASTS = SPAN * np.arange(11)


def found(amplitudes, judged=(120.0, 480.0)):
    """A sine of whole periods in every span, with an amplitude of its own."""
    force = 120.0 + np.asarray(amplitudes)[(PLACES // SPAN).astype(int)] * np.sin(2 * np.pi * 6 * PLACES / SPAN)
    site = Site(contact_place=PLACES, mast_place=MASTS)
    window = (judged[0] / SPEED, judged[1] / SPEED)
    return {c.key: c for c in assess(force, TIMES, SPEED, site=site, window=window)}


def test_alike_spans_are_settled():
    got = found(np.full(10, 40.0))
    assert got["judged_spans"].value == 6
    assert got["deviation_spread"].value == pytest.approx(0.0, abs=0.01)
    assert got["deviation_spread"].note.startswith("settled")


@pytest.mark.parametrize("amplitudes", [[0, 60, *[40] * 8], [*[40] * 8, 60, 0]], ids=["dies out", "grows"])
def test_a_swing_that_dies_out_is_not(amplitudes):
    """Amplitudes 60, 40, 40 …: pairs of √((60² + 40²)/4) = 36.06 and of √(40²/2) = 28.28 N; at the other end alike."""
    got = found(amplitudes)
    whole = np.sqrt((60**2 + 7 * 40**2) / 16)
    assert got["deviation_spread"].value == pytest.approx((np.sqrt(1300.0) - np.sqrt(800.0)) / whole, rel=0.02)
    assert got["deviation_spread"].note.startswith("not settled")


def test_two_judged_spans_are_told_by_their_neighbours():
    got = found([0, 0, 0, 60, *[40] * 6], judged=(240.0, 360.0))
    assert got["judged_spans"].value == 2
    assert "3 pairs, 2 spans assessed" in got["deviation_spread"].note
    assert got["deviation_spread"].value > 0.2


def test_slow_growth_is_not_settled():
    """1.4 % a span: σ at spans 7 and 8 is 12 % below that at spans 15 and 16, and the pairs around differ by 3 %."""
    got = found(40.0 * 1.014 ** np.arange(10), judged=(240.0, 360.0))
    assert got["deviation_spread"].value < 0.05
    assert got["deviation_trend"].value == pytest.approx(np.log(1.014), rel=0.02)
    assert got["deviation_spread"].note.startswith("not settled, σ grows by 1.4 % per span")
    assert "falls by" in found(40.0 * 1.014 ** -np.arange(10), judged=(240.0, 360.0))["deviation_spread"].note


@pytest.mark.parametrize(
    "deviations",
    [[28.3, 29.2, 30.4, 30.6, 30.6], [40.0, 41.0, 39.0, 41.0, 42.0, 39.5], [30.0, 31.0, 32.0]],
    ids=["has come to an end", "scatters", "too few"],
)
def test_no_trend_where_it_cannot_be_told_from_scatter_or_has_ended(deviations):
    assert 10 * abs(significant_trend(np.array(deviations))) <= 0.1


def test_a_force_that_rests_is_settled():
    assert found(np.zeros(10))["deviation_spread"].value == 0.0


def test_a_part_that_ends_beside_a_mast_holds_it():
    """By less than two samples, 0.1 m here."""
    assert found(np.full(10, 40.0), judged=(120.03, 479.97))["judged_spans"].value == 6
    assert found(np.full(10, 40.0), judged=(120.3, 479.7))["judged_spans"].value == 4


def test_one_pair_of_spans_tells_no_spread():
    """The first span of a record has one neighbour."""
    got = found(np.full(10, 40.0), judged=(0.0, 60.0))
    assert got["judged_spans"].value == 1
    assert "deviation_spread" not in got


def test_part_of_a_span_tells_nothing():
    got = found(np.full(10, 40.0), judged=(130.0, 170.0))
    assert got["judged_spans"].value == 0
    assert "deviation_spread" not in got
    limited = {key: c.verdict for key, c in got.items() if c.limit is not None}
    assert set(limited.values()) == {"undecided"}
    assert got["actual_max"].unjudged == "less than one whole span is assessed"
    assert overall(list(got.values())) == "undecided"
    assert found(np.full(10, 40.0), judged=(120.0, 180.0))["actual_max"].verdict == "met"
