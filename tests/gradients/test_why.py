"""Why this peak: blame is a prediction, and a new run tells whether it was right."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import panhead as ph
from panhead.cases.line_gradient.references import base, changed
from panhead.drawing import figures
from panhead.files.variants import join, separate
from panhead.line import read_line
from panhead.line.changes import one_by_one, with_one_dropper_changed
from panhead.line.layout import Layout
from panhead.reports import run_why
from panhead.reports.page import PageTable, Picture
from panhead.runs.gradients import why
from panhead.runs.gradients.gradient import gradient_of, recorded
from panhead.runs.gradients.numbers import number
from panhead.runs.simulate import simulate

pytestmark = pytest.mark.filterwarnings("ignore::panhead.errors.RunWarning")


@pytest.fixture(scope="module")
def run():
    return changed(base(), {})


@pytest.fixture(scope="module")
def tape(run):
    return recorded(run)


@pytest.fixture(scope="module")
def top(tape):
    return why.extremes(tape)[0]


@pytest.fixture(scope="module")
def explained(run):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(why, "COUNT", 2)
        patch.setattr(why.extremes, "__defaults__", (2,))
        return why.explained(run, simulate(run))


def test_the_first_extremes_are_those_that_are_judged(tape):
    found = why.extremes(tape)
    peaks, valleys = ([e for e in found if e.sign == sign] for sign in (1, -1))
    assert peaks[0].force == pytest.approx(number(tape, "actual_max").value)
    assert valleys[0].force == pytest.approx(number(tape, "actual_min").value)
    assert all(a.force >= b.force for a, b in itertools.pairwise(peaks))


def test_a_sweep_from_the_extreme_is_the_whole_sweep(tape, top):
    """What comes after it has no say in it: the same numbers, but for rounding, from fewer steps."""
    mine, whole = why.slopes_at(tape, top), gradient_of(tape, "actual_max", why.FAMILIES)
    for family in why.FAMILIES:
        assert mine[family].to_numpy() == pytest.approx(whole[family].to_numpy(), rel=1e-9, abs=1e-9)


def test_a_small_change_does_what_was_predicted(run, tape, top):
    """A hundredth of the 5 mm told on the page: curvature is below a hundredth then, 2 % with kinks."""
    by = why.dropper_slopes(why.slopes_at(tape, top))
    name = max(by, key=lambda n: abs(by[n]))
    change = 0.01 * why.SHIFT
    new = why.changed_by(run, name, change)[top.pantograph, top.row] - top.force
    assert new == pytest.approx(by[name] * change, rel=0.02)


def test_every_dropper_has_its_place(tape, top):
    places, by = why.dropper_places(tape), why.dropper_slopes(why.slopes_at(tape, top))
    assert list(places) == list(by)
    assert list(places.values()) == sorted(places.values())


def test_another_pantograph_is_told_by_its_push(tape, top):
    """With one pantograph there is none; with two, what the rear one brings to the front is small ahead of its wave."""
    assert not [b for b in why.blames(tape, top, why.slopes_at(tape, top)) if b.part.startswith("wave")]


def test_the_page_shows_prediction_beside_new_run(explained):
    blocks = run_why.blocks(explained)
    tables = [b for b in blocks if isinstance(b, PageTable)]
    assert [len(t.rows) for t in tables] == [2, 2]
    doubtful = run_why.warned(explained)
    said = [mood == "warning" for t in tables for mood in t.moods]
    assert said == doubtful.tolist()
    assert not [w for b in blocks if isinstance(b, Picture) for w in figures.without_unit(b.chart)]
    assert set(np.sign(explained["why_newtons"].to_numpy()[:2, 0])) == {-1.0}  # a peak is lowered, a valley raised
    assert set(np.sign(explained["why_newtons"].to_numpy()[2:, 0])) == {1.0}


def test_it_survives_being_joined_with_variants(explained):
    again = separate(join({"a": explained, "b": explained}))["b"]
    assert run_why.warned(again).tolist() == run_why.warned(explained).tolist()


def test_a_run_without_gradient_says_why_not(run):
    told = why.explained(replace(run, solver="cables"), simulate(run))
    assert "solver" in told.attrs["why_not"]
    (words,) = run_why.blocks(told)
    assert "cannot be told" in words


def test_a_line_with_one_dropper_changed_is_as_long_as_before():
    line = read_line("en50318-2002")
    assert Layout(one_by_one(line)).n_spans == Layout(line).n_spans == 10
    once = with_one_dropper_changed(line, "T1", 2, 3, 0.002)
    (error,) = with_one_dropper_changed(once, "T1", 2, 3, 0.001).tension_lengths[0].dropper_errors
    assert (error.span, error.dropper) == (2, 3)
    assert error.error == pytest.approx(0.003)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["en50318-250", "en50318-300"])
def test_of_shipped_runs_a_prediction_holds_or_the_page_warned(name):
    """The ten largest peaks: within 15 % of a run described anew, unless its row is marked."""
    run = ph.read_run(name)
    told = why.explained(run, simulate(run))
    doubtful = run_why.warned(told)
    before = why.filtered(recorded(run))[0]
    for k in np.flatnonzero(told["why_sign"].to_numpy() == 1):
        piece, span, dropper = why._parts(str(told["why_checked"][k].item()))
        wrong = {"span": span, "dropper": dropper, "error": float(told["why_shift"][k])}
        cut = {"line_changes": {"tension_lengths": {"0": {"dropper_errors": [wrong]}}}}
        after = why.filtered(recorded(run.variant(ph.Variant(name="cut", changes=cut))))[0]
        row = round(float(told["why_time"][k]) / run.numerics.step) - 1
        change = after[row - 10 : row + 11].max() - before[row]
        assert change == pytest.approx(float(told["why_new_run"][k]), abs=0.05), piece
        assert doubtful[k] or float(told["why_predicted"][k]) == pytest.approx(change, rel=0.16)
