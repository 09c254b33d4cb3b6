"""The rainflow count beside the example of the standard, and damage beside hand counts."""

import numpy as np
import pytest

from panhead.assess.rainflow import equivalent_range, rainflow, turning_points
from panhead.assess.wear import WearLaw
from panhead.errors import ModelError


def test_the_example_of_the_standard():
    """ASTM E1049-85, figure 6: −2, 1, −3, 5, −1, 3, −4, 4, −2."""
    ranges, counts = rainflow(np.array([-2.0, 1, -3, 5, -1, 3, -4, 4, -2]))
    found = {}
    for span, count in zip(ranges, counts, strict=True):
        found[span] = found.get(span, 0.0) + count
    assert found == {3.0: 0.5, 4.0: 1.5, 6.0: 0.5, 8.0: 1.0, 9.0: 0.5}


def test_every_half_cycle_is_counted_once():
    """A sine of n periods: 2n turning points more or less, each range a half; the count is that of its ranges."""
    record = np.sin(2 * np.pi * np.linspace(0.0, 10.0, 4001))
    ranges, counts = rainflow(record)
    assert counts.sum() == pytest.approx((turning_points(record).size - 1) / 2)
    assert ranges.max() == pytest.approx(2.0, abs=1e-4)
    assert equivalent_range(np.array([2.0]), np.array([16.0]), 4.0) == pytest.approx(4.0)


def test_a_record_that_rests_has_no_cycle():
    assert rainflow(np.full(10, 3.0))[0].size == 0
    assert equivalent_range(*rainflow(np.full(10, 3.0)), 4.0) == 0.0


def test_wear_is_one_at_the_reference_and_grows_with_force_and_with_losses():
    law = WearLaw()
    at = lambda force, current=500.0, speed=55.0: float(law.index(np.array([force]), current, np.array([speed]))[0])
    assert at(120.0) == pytest.approx(1.0)
    assert at(240.0, 0.0) == pytest.approx(2 * at(120.0, 0.0))  # friction alone is proportional to the force
    assert at(120.0, 0.0) == pytest.approx(0.6 * np.sqrt(2.0))  # nothing lubricates it without a current
    assert at(0.0) == pytest.approx(20.0)
    assert at(0.0, 0.0) == 0.0
    assert at(60.0, 500.0) - at(60.0, 0.0) * np.sqrt(0.5) == pytest.approx(0.4 * np.sqrt(2.0))  # heat at half the force
    with pytest.raises(ModelError, match="current"):
        WearLaw(current=0.0)
