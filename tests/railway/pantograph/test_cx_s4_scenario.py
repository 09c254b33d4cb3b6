"""The scenario cx-modes from file to page, and the case of the same name."""

import pytest

from panhead import validation
from panhead.desk.drawing import figures
from panhead.desk.reports import page_of
from panhead.desk.reports.page import PageTable, Picture
from panhead.files import results
from panhead.runs import scenarios

pytestmark = pytest.mark.slow  # three models are compiled
#: What is told as not met, see docs/theory/cx_pantograph.md.
NOT_MET = {"top arm: inertia about x", "head: third bending about x"}


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    made = scenarios.read("cx-modes").simulate()
    path = tmp_path_factory.mktemp("modes") / "result.nc"
    results.save(made, path)
    return results.load(path)


def test_the_page_tells_what_is_met(result):
    page = page_of(result)
    assert "11 of 12 printed frequencies" in page.verdict.sentence
    assert page.verdict.mood == "warning"
    blocks = [block for section in page.sections for block in section.blocks]
    pictures = [block for block in blocks if isinstance(block, Picture)]
    assert [figures.without_unit(picture.chart) for picture in pictures] == [[], []]
    assert {"Joints", "Bodies", "Misprints corrected"} <= {
        block.title for block in blocks if isinstance(block, PageTable)
    }


def test_the_short_table_names_every_frequency(result):
    rows = scenarios.kind("modes").summarise(result)
    assert sum(row.unit == "Hz" for row in rows) == 12
    assert sum("not met" in row.note for row in rows) == 1


def test_the_case_holds_and_lists_what_is_not_met():
    checks = validation.run("cx-modes")
    assert [check.quantity for check in checks if check.ok is False] == []
    listed = {check.quantity: check for check in checks if check.low is None and check.high is None}
    assert set(listed) == NOT_MET
    assert all("not met" in check.source for check in listed.values())
