"""The kind ``catenary`` from its file to its page, and the cases beside the printed tables."""

import numpy as np
import pytest

from panhead import results, scenarios, validation
from panhead.errors import FileError, Interrupted
from panhead.jobs import Job
from panhead.report import catenary as report
from panhead.report.figures import without_unit
from panhead.report.page import Picture, Table


def scenario(*settings: str) -> scenarios.Scenario:
    return scenarios.read("s1-low-uplift", ["run.duration=0.12", *settings])


@pytest.fixture(scope="module")
def result():
    return scenario().simulate()


def test_laws_stand_side_by_side(result):
    assert str(result["law"].to_numpy()[0]) == "uncontrolled"
    assert result["force"].shape == (5, 121)
    assert result["force"].to_numpy()[:, 0] == pytest.approx(result["static_force"], rel=0.1)
    assert np.abs(result["actuator"].to_numpy()[0]).max() == 0.0
    assert result["residual"].max() < 1e-8  # [m], Newton stops at 1e-9


def test_the_page_shows_units_and_every_law(result):
    page = report.page(result)
    pictures = [b for s in page.sections for b in s.blocks if isinstance(b, Picture)]
    assert len(pictures) >= 4
    assert [name for p in pictures for name in without_unit(p.figure)] == []
    assert len(report.criteria(result)) == 5
    missed = [
        sum(c.verdict == "not met" for c in found) for found in report.criteria(result).values()
    ]
    assert "uncontrolled" in page.verdict.sentence
    assert (page.verdict.mood == "good") == (
        0 in missed
    )  # no green flag while the standard says no


def test_the_result_can_be_stored_and_summed_up(result, tmp_path):
    back = results.load(results.save(result, tmp_path / "result.nc"))
    rows = {row.quantity: row for row in scenarios.kind("catenary").summarise(back)}
    assert rows["uncontrolled: mean force"].note == "published 110.43"
    assert rows["derivative: largest actuator force"].value > 0


def test_an_interrupted_comparison_keeps_the_laws_done():
    def stop(share: float, text: str) -> None:
        if text.startswith("derivative") and share > 0.3:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        scenario().simulate(Job(progress=stop))
    assert list(caught.value.partial["law"].to_numpy()) == ["uncontrolled", "derivative"]


def test_a_parameter_that_a_law_has_not_is_refused():
    law = '{name = "x", kind = "derivative", parameters = {gain = 1.0}}'
    with pytest.raises(FileError, match="has the parameters damping"):
        scenario(f"laws=[{law}]")


def test_error_bars_are_the_difference_from_a_finer_run():
    settings = ["run.duration=0.05", 'laws=[{name = "uncontrolled"}]']
    barred = scenarios.read("s1-low-uplift", settings).simulate(Job(error_bars=True))
    finer = scenarios.read(
        "s1-low-uplift", [*settings, "run.step=0.5 ms", "wiring.element_length=3.125 m"]
    ).simulate()
    (law,), (other,) = report.judged(barred), report.judged(finer)
    assert law.errors["mean"] == pytest.approx(abs(law.mean - other.mean), rel=1e-9)
    assert law.errors["mean"] > 0
    (found,) = report.criteria(barred).values()
    assert all(c.error is not None for c in found)
    assert any(
        "±" in cell
        for b in report.page(barred).sections[0].blocks
        if isinstance(b, Table)
        for cell in b.rows[0]
    )


@pytest.mark.slow
@pytest.mark.parametrize("case", ["s1-statics", "s1-low-uplift", "s1-high-uplift"])
def test_what_is_outside_its_bounds_says_that_it_is_not_reproduced(case):
    assert [c for c in validation.run(case) if not c.ok and "not reproduced" not in c.source] == []
