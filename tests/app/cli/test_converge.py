"""Refinement until the error bar is as small as asked."""

import pytest
import xarray as xr

from panhead.app.cli.converge import HALVINGS, halvings_needed, refine_until, refined_settings
from panhead.assess import Criterion
from panhead.assess.judge import store
from panhead.runs.description import Numerics


def result(bar: float | None) -> xr.Dataset:
    return store(xr.Dataset(), {"": {"one": [Criterion(key="deviation", name="σ", value=40.0, unit="N", error=bar)]}})


@pytest.mark.parametrize(
    "first, wanted, tried",
    [
        (0.4, 0.01, [0]),
        (0.8, 0.01, [0, 1]),
        (3.2, 0.01, [0, 2]),  # by a quarter each time: 8 % to 1 % takes 1.5 halvings
        (300.0, 0.01, [0, HALVINGS]),
        (None, 0.01, [0]),
    ],
)
def test_step_and_mesh_are_halved_as_often_as_a_bar_of_second_order_needs(first, wanted, tried):
    seen, said = [], []

    def at(times):
        seen.append(times)
        return result(None if first is None else first / 4.0**times)

    assert refine_until(wanted, Numerics(), at, said.append) == tried[-1]
    assert seen == tried
    assert ("not reached" in said[-1]) is (first in (None, 300.0))


def test_a_bar_that_falls_more_slowly_is_halved_again():
    seen = []
    refine_until(0.01, Numerics(), lambda times: (seen.append(times), result(1.6 / 2.0**times))[1], lambda words: None)
    assert seen == [0, 1, 2]


def test_what_is_set():
    assert refined_settings(Numerics(step=1e-3, element_length=2.0), 2) == [
        "numerics.step=0.00025",
        "numerics.element_length=0.5",
    ]
    assert halvings_needed(0.04, 0.01) == 1
