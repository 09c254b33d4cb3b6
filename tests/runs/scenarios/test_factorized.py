"""The scenarios and validation cases of the factorized form, from file to page."""

import numpy as np
import pytest

from panhead import validation
from panhead.desk.drawing.figures import without_unit
from panhead.desk.reports import page_of
from panhead.desk.reports.page import Picture
from panhead.errors import FileError
from panhead.files.results import inputs_of
from panhead.runs import scenarios

NAMES = ("crank-rod", "two-link-robot", "variator")


@pytest.fixture(scope="module")
def results():
    return {name: scenarios.read(name).simulate() for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_runs_again_from_its_result(results, name):
    again = scenarios.from_plain(inputs_of(results[name]), source="result").simulate()
    assert again.attrs["input_sha256"] == results[name].attrs["input_sha256"]
    for variable in again.data_vars:
        np.testing.assert_array_equal(again[variable], results[name][variable])


@pytest.mark.parametrize("name", NAMES)
def test_page_is_complete(results, name):
    page = page_of(results[name])
    pictures = [b for s in page.sections for b in s.blocks if isinstance(b, Picture)]
    assert page.verdict.mood == "good"
    assert pictures
    assert all(without_unit(p.chart) == [] for p in pictures)


@pytest.mark.parametrize("name", NAMES)
def test_validation_case(name):
    outside = [c for c in validation.run(name) if c.ok is False]
    assert outside == []


@pytest.mark.parametrize(
    "name, setting, message",
    [
        ("variator", "rates.phi=1", "phi.*not a coordinate.*theta"),
        ("variator", "external.tilt.amplitude=3 m", "external.tilt"),
        ("variator", "external.slope={amplitude=1, frequency=1}", "slope.*no such parameter"),
        ("variator", "step=0", "step must be finite and > 0"),
        ("variator", "scheme=sideways", "scheme"),
        ("variator", "sceme=central", "sceme: unknown key"),
        ("two-link-robot", "rates.theta1=1", "remove"),
        ("crank-rod", "parameters.m=-1", "piston.*mass must be > 0"),
        ("crank-rod", "mechanism=planar-pantograph", "four-bar closure"),
    ],
)
def test_bad_input_is_named(name, setting, message):
    with pytest.raises(FileError, match=message):
        scenarios.read(name, [setting])
