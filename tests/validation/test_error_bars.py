"""Runs drawn for error bars, and whether the bars hold the truth."""

import itertools

import pytest

from panhead.validation.error_bars.draw import draw_runs
from panhead.validation.error_bars.references import NUMBERS, REDUCED, TEST, TRAINING, error_bars_in_full, ratios

pytestmark = pytest.mark.filterwarnings("ignore::panhead.errors.RunWarning")


def test_a_seed_draws_the_same_runs_and_another_seed_others():
    first = {seed: list(itertools.islice(draw_runs(seed), 4)) for seed in (TRAINING, TEST, REDUCED)}
    assert list(itertools.islice(draw_runs(TEST), 4)) == first[TEST]
    assert not any(a == b for a, b in zip(first[TRAINING], first[TEST], strict=True))
    assert not any(a == b for a, b in zip(first[TEST], first[REDUCED], strict=True))


def test_errors_over_bars_are_told_of_every_number():
    """One run beside half of its mesh and step: its own finer repeat, so that no bar can be missed by much."""
    (found,) = ratios(itertools.islice(draw_runs(REDUCED), 6, 7), finer=0.5)
    assert set(found) == set(NUMBERS)
    assert all(0.0 <= ratio < 3.0 for ratio in found.values())


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["coarser", "finer"])
def test_bars_of_the_whole_test_draw(kind):
    wrong = {c.quantity: c.value for c in error_bars_in_full(TEST, kind) if c.ok is False}
    assert wrong == {}
