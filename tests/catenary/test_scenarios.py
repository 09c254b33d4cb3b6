"""The kind ``catenary`` from its file to its page, and the cases beside the printed tables."""

import json

import numpy as np
import pytest

from panhead import cases, scenarios
from panhead.errors import FileError, Interrupted
from panhead.files import results
from panhead.jobs import Job
from panhead.report import catenary as report
from panhead.report.figures import without_unit
from panhead.report.page import Picture, Table
from panhead.run.solvers.cables.dataset import dataset
from panhead.run.solvers.cables.run import ridden
from panhead.run.solvers.cables.wiring import Wiring

from .builders import line, made


def scenario(*settings: str) -> scenarios.Scenario:
    """From mid-span, where the wire is straight: at a dropper it bends, and its bend times v² is a force at once."""
    middle = "run.start=84.375 m"
    return scenarios.read("s1-low-uplift", ["run.duration=0.12", middle, *settings])


@pytest.fixture(scope="module")
def result():
    return scenario().simulate()


def test_laws_stand_side_by_side(result):
    assert str(result["law"].to_numpy()[0]) == "uncontrolled"
    assert result["force"].shape == (6, 121)
    assert result["force"].to_numpy()[:, 0] == pytest.approx(result["static_force"], rel=0.1)
    assert np.abs(result["actuator"].to_numpy()[0]).max() == 0.0
    assert result["residual"].max() < 1e-8  # [m], Newton stops at 1e-9


def test_the_page_shows_units_and_every_law(result):
    page = report.page(result)
    pictures = [b for s in page.sections for b in s.blocks if isinstance(b, Picture)]
    assert len(pictures) >= 4
    assert [name for p in pictures for name in without_unit(p.figure)] == []
    assert len(report.criteria(result)) == 6
    missed = [
        sum(c.verdict == "not met" for c in found) for found in report.criteria(result).values()
    ]
    assert "uncontrolled" in page.verdict.sentence
    assert (page.verdict.mood == "good") == (
        0 in missed
    )  # no green flag while the standard says no


def test_a_start_where_the_wire_bends_does_not_ring_in_the_filter():
    """A filter may smooth and delay; a deviation larger than that of the force itself would be its own."""
    settings = ["run.duration=0.1", 'laws=[{name = "uncontrolled"}]']
    result = scenarios.read("s1-low-uplift", settings).simulate()
    kick = abs(float(result["force"][0, 0]) - float(result["static_force"][0]))
    (law,) = report.judged(result)
    assert kick > 3 * law.deviation  # it starts at a dropper
    assert law.filtered < law.deviation


def test_the_result_can_be_stored_and_summed_up(result, tmp_path):
    back = results.load(results.save(result, tmp_path / "result.nc"))
    rows = {row.quantity: row for row in scenarios.kind("catenary").summarise(back)}
    assert rows["uncontrolled: mean force"].note == "published 110.43"
    assert rows["derivative: largest actuator force"].value > 0
    assert rows["derivative: cut of the lumped estimate"].note == "published 39.1"


def test_a_large_result_is_mapped_from_files(tmp_path, monkeypatch):
    """Nothing is held in memory beyond the limit; the numbers are the same."""
    records = {"uncontrolled": ridden(made(line()), duration=0.04)}
    whole, held = dataset(records), dataset(records, tmp_path)
    assert not list(tmp_path.iterdir())  # small: in memory
    monkeypatch.setattr("panhead.run.solvers.cables.dataset.HELD", 0)
    mapped = dataset(records, tmp_path)
    assert list(tmp_path.glob("force.npy"))
    for name in ("force", "contact_height"):
        assert np.array_equal(whole[name], held[name])
        assert np.array_equal(whole[name], mapped[name])


def test_files_of_small_results_are_removed(tmp_path):
    short = scenario("run.duration=0.02", 'laws=[{name = "uncontrolled"}]')
    assert short.simulate(Job(out=tmp_path))["force"].shape == (1, 21)
    assert not list(tmp_path.iterdir())


def test_a_tauter_line_yields_less():
    """Six times the tension, a sixth of the sag w L² / 8T; 2 %: tensions are met on average, not everywhere."""
    deepest = []
    for factor in (1.0, 6.0):
        places = Wiring(straight=True, tautness=factor).hung().places
        deepest.append(4.945 - min(z for n, z in places.items() if _height_of_contact(n)))
    assert deepest[0] / deepest[1] == pytest.approx(6.0, rel=0.02)


def _height_of_contact(name: str) -> bool:
    return name.startswith("contact.") and name.endswith("z") and "'" not in name


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


def test_numbers_of_a_law_are_found_before_the_run():
    """Of two numbers that differ hundredfold the better one is taken, and told."""
    search = "search = {grid = {damping = [100.0, 10000.0]}, evaluations = 2, duration = 0.1}"
    settings = ["run.duration=0.1", "run.start=84.375 m"]
    laws = f'laws=[{{name = "tuned", kind = "derivative", {search}}}]'
    result = scenarios.read("s1-low-uplift", [*settings, laws]).simulate()
    found = json.loads(result.attrs["parameters"])["tuned"]["damping"]
    (best,) = report.judged(result)
    other = 10100.0 - found
    laws = f'laws=[{{name = "other", kind = "derivative", parameters = {{damping = {other}}}}}]'
    (worse,) = report.judged(scenarios.read("s1-low-uplift", [*settings, laws]).simulate())
    assert best.deviation < worse.deviation


def test_a_search_over_nothing_is_refused():
    law = '{name = "x", kind = "derivative", search = {grid = {}}}'
    with pytest.raises(FileError, match="needs values"):
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
def test_the_cases_hold(case):
    assert [c.quantity for c in cases.run(case) if c.ok is False] == []
