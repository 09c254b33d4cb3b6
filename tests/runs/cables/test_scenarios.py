"""Runs of the cables solver from their file to their judgement, and the cases beside the printed tables."""

import json

import numpy as np
import pytest

from panhead import validation
from panhead.assess.variant_comparison import side_by_side
from panhead.engine.jobs import Job
from panhead.errors import FileError, Interrupted, ModelError
from panhead.files import results
from panhead.files.variants import separate
from panhead.runs import scenarios
from panhead.runs.scenarios.output_folder import remove_rows

BARE = 'variants=[{name = "uncontrolled"}]'


def scenario(*settings: str, duration: float = 0.12) -> scenarios.Scenario:
    """From mid-span, where the wire is straight: at a dropper it bends, and its bend times v² is a force at once."""
    start, end = 84.375, 84.375 + 200 / 3.6 * duration
    journey = [f"journey.start={start}", f"journey.duration={duration}"]
    judged = [f"journey.judged_from={start}", f"journey.judged_to={end}"]
    return scenarios.read("s1-low-uplift", [*journey, *judged, *settings])


@pytest.fixture(scope="module")
def result():
    return scenario().simulate()


def test_laws_stand_side_by_side(result):
    assert str(result["variant"].to_numpy()[0]) == "uncontrolled"
    assert result["contact_force"].shape == (6, 1, 121)
    first = result["contact_force"].to_numpy()[:, 0, 0]
    assert first == pytest.approx(np.full(6, float(result["static_force"].to_numpy().ravel()[0])), rel=0.1)
    assert np.abs(result["actuator_force"].to_numpy()[0]).max() == 0.0
    assert result["constraint_residual"].max() < 1e-8  # [m], Newton stops at 1e-9


def test_it_has_what_every_solver_gives(result):
    one = separate(result)["derivative"]
    for name in ("support_uplift", "dropper_min_force", "dropper_force", "frame_contact_z", "balance", "elasticity"):
        assert name in one
    assert one["dropper_static_force"].min() > 10.0  # bilateral ones would show a spring that pushes
    assert one["dropper_force"].max() < 1e3
    assert json.loads(result.attrs["criteria"]).keys() == set(map(str, result["variant"].to_numpy()))


def test_a_start_where_the_wire_bends_does_not_ring_in_the_filter():
    """A filter may smooth and delay; a deviation larger than that of the force itself would be its own."""
    settings = ["journey.duration=0.1", "journey.judged_to=18.05", BARE]
    found = scenarios.read("s1-low-uplift", settings).simulate()
    one = separate(found)["uncontrolled"].isel(pantograph=0)
    kick = abs(float(one["contact_force"][0]) - float(one["static_force"]))
    (figures,) = side_by_side(found)
    assert kick > 3 * figures.deviation  # it starts at a dropper
    assert figures.filtered < figures.deviation


def test_the_result_can_be_stored_and_summed_up(result, tmp_path):
    back = results.load(results.save(result, tmp_path / "result.nc"))
    figures = {f.variant: f for f in side_by_side(back)}
    assert figures["uncontrolled"].published == pytest.approx((110.427, 37.3033))
    assert figures["derivative"].published_cut == pytest.approx(0.391, abs=1e-3)
    assert scenarios.kind("run").summarise(back)


def test_files_of_small_results_are_removed(tmp_path):
    short = scenario(BARE, duration=0.02)
    assert short.simulate(Job(out=tmp_path))["contact_force"].shape[-1] == 21
    remove_rows(tmp_path)  # whoever has put the result on the disk does that
    assert not [p for p in tmp_path.rglob("*") if p.is_file()]


def test_an_interrupted_comparison_keeps_the_laws_done():
    def stop(share: float, text: str) -> None:
        if text.startswith("derivative") and share > 0.25:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        scenario().simulate(Job(progress=stop))
    assert list(caught.value.partial["variant"].to_numpy()) == ["uncontrolled", "derivative"]


def test_a_parameter_that_a_law_has_not_is_refused():
    law = '{kind = "derivative", parameters = {gain = 1.0}}'
    with pytest.raises(FileError, match="has the parameters damping"):
        scenario(f"control={law}")


def test_numbers_of_a_law_are_found_before_the_run():
    """Of two numbers that differ hundredfold the better one is taken, and told."""
    search = "search = {grid = {damping = [100.0, 10000.0]}, evaluations = 2, duration = 0.1}"
    law = f'{{kind = "derivative", {search}}}'
    found = scenario(f"control={law}", "variants=[]", duration=0.1).simulate()
    damping = json.loads(found.attrs["control"])["damping"]
    other = f'{{kind = "derivative", parameters = {{damping = {10100.0 - damping}}}}}'
    worse = scenario(f"control={other}", "variants=[]", duration=0.1).simulate()
    assert found["contact_force"].std() < worse["contact_force"].std()


def test_a_search_over_nothing_is_refused():
    with pytest.raises(FileError, match="needs values"):
        scenario('control={kind = "derivative", search = {grid = {}}}')


def test_a_law_of_one_s_own_needs_its_feedback():
    from panhead.runs.cables.cables_options import HeadLaw

    with pytest.raises(ModelError, match="needs a `feedback` object"):
        HeadLaw(kind="own")


@pytest.mark.slow
@pytest.mark.parametrize("case", ["s1-statics", "s1-low-uplift", "s1-high-uplift", "linear-vs-ancf"])
def test_the_cases_hold(case):
    assert [c.quantity for c in validation.run(case) if c.ok is False] == []
