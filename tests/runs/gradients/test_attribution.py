"""What peaks come from: an attribution is a prediction, and a new run tells whether it was right."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import panhead as ph
from panhead.desk.drawing import figures
from panhead.desk.reports import run_attribution
from panhead.desk.reports.page import PageTable, Picture
from panhead.files.variants import join, separate
from panhead.railway.line import read_line
from panhead.railway.line.layout import Layout
from panhead.railway.line.line_variants import expand_spans
from panhead.runs import peak_explanation
from panhead.runs.gradients import peak_attribution as why
from panhead.runs.gradients.dropper_trials import with_droppers_changed
from panhead.runs.gradients.gradient import gradient_of, tape_for_gradient
from panhead.runs.gradients.objectives import objective
from panhead.runs.gradients.peak_attribution import parts_of_name
from panhead.runs.linear.taped_run import tape_run
from panhead.runs.resolve import resolve, resolve_line
from panhead.runs.simulate import simulate
from panhead.validation.line_gradient.differences import with_changes
from panhead.validation.line_gradient.rough import base
from tests.oracles.changed_dropper import with_one_dropper_changed

pytestmark = pytest.mark.filterwarnings("ignore::panhead.errors.RunWarning")


@pytest.fixture(scope="module")
def run():
    return with_changes(base(), {})


@pytest.fixture(scope="module")
def tape(run):
    return tape_for_gradient(run)


@pytest.fixture(scope="module")
def top(tape):
    return why.extremes(tape, 10, 10)[0]


@pytest.fixture(scope="module")
def slopes(tape):
    """Of all extremes at once, the first being the top."""
    return why.part_slopes(tape, [why.seed(tape, e) for e in why.extremes(tape, 10, 10)])


def anew(run, name, longer):
    """The filtered forces of a run described, strung and factorised anew with one dropper longer."""
    line = with_one_dropper_changed(resolve_line(run), *parts_of_name(name), longer)
    tape = tape_run(resolve(replace(run, line=line, line_changes={})))
    return why.filtered_force(tape, tape.force)


@pytest.fixture(scope="module")
def explained(run):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(peak_explanation, "LISTED", 2)
        return peak_explanation.add_attribution(run, simulate(run), "trials")


def test_the_first_extremes_are_those_that_are_judged(tape):
    found = why.extremes(tape, 10, 10)
    peaks, valleys = ([e for e in found if e.sign == sign] for sign in (1, -1))
    assert peaks[0].force == pytest.approx(objective(tape, "actual_max").value)
    assert valleys[0].force == pytest.approx(objective(tape, "actual_min").value)
    assert all(a.force >= b.force for a, b in itertools.pairwise(peaks))


def test_a_sweep_of_many_is_the_sweep_of_each(tape, slopes):
    """Lanes do not mix, and what comes after an extreme has no say in it: the same numbers but for rounding."""
    for of, mine in (("actual_max", slopes[0]), ("actual_min", slopes[len(why.extremes(tape, 10, 10)) // 2])):
        whole = gradient_of(tape, of, why.FAMILIES_ASKED)
        for family in why.FAMILIES_ASKED:
            assert list(mine.of[family].values()) == pytest.approx(whole[family].to_numpy(), rel=1e-9, abs=1e-9)


def test_a_small_change_does_what_was_predicted(run, top, slopes):
    """A hundredth of the 5 mm told on the page: curvature is below a hundredth then, 2 % with kinks."""
    by = slopes[0].droppers
    name = max(by, key=lambda n: abs(by[n]))
    change = 0.01 * why.SHIFT
    new = anew(run, name, change)[top.pantograph, top.row] - top.force
    assert new == pytest.approx(by[name] * change, rel=0.02)


def test_droppers_tried_in_lanes_are_new_runs(run, tape, slopes):
    """Matrices are left as they were: droppers lean by 1e-4 more and weigh a gram more, 1e-3 of what 5 mm do."""
    names = sorted(slopes[0].droppers, key=lambda n: -abs(slopes[0].droppers[n]))[:2]
    before = why.filtered_force(tape, tape.force)
    changes = [(name, sign * why.SHIFT) for name in names for sign in (1, -1)]
    tried = with_droppers_changed(tape, changes, [tape.steps - 100 * k for k in range(len(changes))])
    for (name, longer), force in tried.items():
        new = anew(run, name, longer) - before
        assert why.filtered_force(tape, force) - before == pytest.approx(new, abs=2e-3 * np.abs(new).max())


def test_every_dropper_has_its_place(tape, slopes):
    places, by = why.dropper_places(tape), slopes[0].droppers
    assert list(places) == list(by)
    assert list(places.values()) == sorted(places.values())


def test_with_one_pantograph_no_wave_is_told(tape, top, slopes):
    assert not [b for b in why.contributions(tape, top, slopes[0]) if b.part.startswith("wave")]


def test_contributions_of_two_pantographs_are_what_runs_show(run):
    """The wave of the first at a peak of the second: 1e-4 more push in a run; 2 %, droppers have kinks."""
    pair = resolve(replace(run, train=(run.train[0], replace(run.train[0], behind=20.0))))
    tape = tape_run(pair)
    peak = next(e for e in why.extremes(tape, 10, 10) if e.pantograph == 1)
    (slopes,) = why.part_slopes(tape, [why.seed(tape, peak)])
    found = {b.part: b.newtons for b in why.contributions(tape, peak, slopes)}
    assert list(found) == sorted(found, key=lambda part: -abs(found[part]))
    push = 1e-4 * tape.way.uplift
    push[:, len(pair.pantographs[0].stages) :] = 0.0
    more = tape_run(pair, push)
    change = (why.filtered_force(more, more.force)[1, peak.row] - peak.force) / 1e-4
    assert abs(change) > 1.0
    assert found["wave of pantograph 1"] == pytest.approx(-change, rel=0.02)
    assert "wave of pantograph 2" not in found
    for name, slope in slopes.droppers.items():  # 5 mm longer or shorter, whichever makes the peak less of one
        assert found[name] == pytest.approx(-peak.sign * abs(slope) * why.SHIFT, rel=1e-12)


def test_the_page_shows_the_gradient_beside_what_was_tried(explained):
    blocks = run_attribution.blocks(explained)
    tables = [b for b in blocks if isinstance(b, PageTable)]
    assert [len(t.rows) for t in tables] == [2, 2]
    doubtful = run_attribution.untrusted_gradients(explained)
    said = [mood == "warning" for t in tables for mood in t.moods]
    assert said == doubtful.tolist()
    assert not [w for b in blocks if isinstance(b, Picture) for w in figures.without_unit(b.chart)]
    assert set(np.sign(explained["why_newtons"].to_numpy()[:2, 0])) == {-1.0}  # a peak is lowered, a valley raised
    assert set(np.sign(explained["why_newtons"].to_numpy()[2:, 0])) == {1.0}


def test_it_survives_being_joined_with_variants(explained):
    again = separate(join({"a": explained, "b": explained}))["b"]
    assert (
        run_attribution.untrusted_gradients(again).tolist() == run_attribution.untrusted_gradients(explained).tolist()
    )


def test_a_run_without_gradient_says_why_not(run):
    told = peak_explanation.add_attribution(replace(run, solver="cables"), simulate(run), "sweep")
    assert "solver" in told.attrs["why_not"]
    (words,) = run_attribution.blocks(told)
    assert "were not attributed" in words


def test_a_long_run_is_told_on_demand(run, monkeypatch):
    monkeypatch.setattr(peak_explanation, "LONG", 1e5)
    told = peak_explanation.add_attribution(run, simulate(run), "sweep")
    assert "panhead report --why" in run_attribution.blocks(told)[0]


def test_a_line_with_one_dropper_changed_is_as_long_as_before():
    line = read_line("en50318-2002")
    assert Layout(expand_spans(line)).n_spans == Layout(line).n_spans == 10
    once = with_one_dropper_changed(line, "T1", 2, 3, 0.002)
    (error,) = with_one_dropper_changed(once, "T1", 2, 3, 0.001).tension_lengths[0].dropper_errors
    assert (error.span, error.dropper) == (2, 3)
    assert error.error == pytest.approx(0.003)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["en50318-250", "en50318-300"])
def test_of_shipped_runs_every_prediction_holds(name):
    """The ten largest peaks: within 15 % of a run described anew, marked or not; where the gradient is not, marked."""
    run = ph.read_run(name)
    told = peak_explanation.add_attribution(run, simulate(run), "trials")
    doubtful = run_attribution.untrusted_gradients(told)
    assert 0 < doubtful.sum() < doubtful.size
    tape = tape_for_gradient(run)
    before = why.filtered_force(tape, tape.force)[0]
    for k in np.flatnonzero(told["why_sign"].to_numpy() == 1):
        after = anew(run, str(told["why_checked"][k].item()), float(told["why_shift"][k]))[0]
        row = round(float(told["why_time"][k]) / run.numerics.step) - 1
        change = after[row - 10 : row + 11].max() - before[row]
        assert float(told["why_predicted"][k]) == pytest.approx(change, rel=0.15)
        assert doubtful[k] or float(told["why_by_gradient"][k]) == pytest.approx(change, rel=0.16)
