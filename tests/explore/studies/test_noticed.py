"""What deleted statements showed to be unasked: shares, histograms and indices by hand, tasks that fail or are late."""

import math
from concurrent.futures import Future

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from panhead.errors import FileError
from panhead.explore.studies import control_variates, sample_worker
from panhead.explore.studies.answers import spreads
from panhead.explore.studies.distributions import Distribution
from panhead.explore.studies.intervals import samples_without_a_miss
from panhead.explore.studies.run_study import conduct, prepare
from panhead.explore.studies.sample_index import as_number
from panhead.explore.studies.sample_worker import InProcess, bars_path, compute, compute_error_bars, path_of
from panhead.explore.studies.sampling import indices, sensitivity_points
from panhead.explore.studies.sentences import _say_chance, _say_limit
from panhead.explore.studies.study_charts import histograms
from panhead.explore.studies.study_description import Study, Vary
from panhead.explore.studies.study_page import _probability_table, page

from .test_answers import limit_plan
from .test_samples import planned

NAMES = ("sample", "pantograph", "criterion")


def judged(values, limit=40.0, verdicts=None, **more) -> xr.Dataset:
    """Samples of one pantograph and one criterion."""
    x = np.asarray(values, float)[:, None, None]
    missed = x > limit
    said = np.where(missed[:, 0, 0], "not met", "met") if verdicts is None else np.array(verdicts)
    return xr.Dataset(
        {
            "value": (NAMES, x),
            "limit": (NAMES, np.full(x.shape, limit)),
            "failed": (NAMES, missed.astype(float)),
            "verdict": ("sample", said),
            "input": (("sample", "varied"), [[f"{v} km/h"] for v in values]),
            "number": (("sample", "varied"), x[:, :, 0]),
            "criterion_name": ("criterion", ["deviation"]),
            "criterion_unit": ("criterion", ["N"]),
            "criterion_bound": ("criterion", ["upper"]),
        },
        {"criterion": ["deviation"], "pantograph": ["one"], "varied": ["speed"]},
    ).assign(more)


def test_a_histogram_counts_every_computed_sample_and_marks_the_limit():
    values = [30.0, 31.0, 33.0, 38.0, 39.0, 41.0, 99.0]
    index = judged(values, verdicts=["met"] * 5 + ["not met", "failed"])
    (panel,) = histograms(index).chart.panels
    counted = [stroke for stroke in panel.strokes if np.size(stroke.y) > 2]
    assert counted
    assert max(np.max(stroke.x) for stroke in counted) == 41.0  # the failed one is not counted
    assert "deviation (N)" in panel.x_label


def test_the_table_of_chances_is_counted_by_hand():
    """Two of ten miss: 20 %, by Wilson 5.67 to 50.98 %, as Newcombe's formula gives it by hand."""
    index = judged([*range(31, 39), 41.0, 45.0])
    table = _probability_table(index, spreads(index))
    assert [row[2:5] for row in table.rows] == [["2 of 10", "5.67 … 51 %", "45.00 N"]]
    assert "40" in table.rows[0][1]
    assert list(table.moods) == ["bad"]
    still = judged([35.0, 35.0 + 1e-9, 35.0 - 1e-9] * 4)
    assert _probability_table(still, spreads(still)).rows[0][-1] == "–"  # it read: 6000000000 standard deviations away


@pytest.mark.parametrize(("samples", "mood"), [(64, "neutral"), (73, "good")])
def test_no_miss_at_all_is_no_reason_for_attention(samples, mood):
    """0 of 64 miss: 0 to 5.66 % by Wilson; 73 give 0 to 5.00 %, the first number of samples that does."""
    index = judged(np.linspace(30.0, 35.0, samples))
    said, sentence = _say_chance(None, index)
    assert said == mood
    needed = "; 73 samples without a miss would show that less than 5 % miss one" if samples == 64 else ""
    assert sentence.startswith(f"0 of {samples} samples miss a limit of contact quality{needed} (95 % interval 0 to ")
    assert list(_probability_table(index, spreads(index)).moods) == [mood]
    assert samples_without_a_miss(0.05) == 73
    ends = [stats.binomtest(0, n).proportion_ci(method="wilson").high for n in (72, 73)]
    assert ends[1] <= 0.05 < ends[0]


def test_chances_with_control_variates_are_told_as_such():
    """All that a tangent predicts is what happens: the share is that of the tangent, not of the samples."""
    values = [*range(31, 39), 41.0, 45.0] * 10
    missed = np.array(values) > 40.0
    index = judged(values, control_missed=("sample", missed), control_missed_share=((), 0.15))
    mood, sentence = _say_chance(None, index)
    assert mood == "bad"
    assert sentence.startswith("A limit of contact quality is missed with a probability of 15 %")
    assert "20 of 100 samples do, with gradients as control variates" in sentence


def test_no_limit_is_met_anywhere():
    index = judged([45.0, 50.0])
    index["number"] = (("sample", "varied"), np.array([[200.0], [300.0]]))
    index["input"] = (("sample", "varied"), np.array([["200 km/h"], ["300 km/h"]]))
    assert _say_limit(limit_plan(), index) == ("bad", "Contact quality is met at no computed speed.")


def test_words_are_no_numbers():
    assert math.isnan(as_number("stiff"))
    assert as_number("250 km/h") == 250.0


def test_elementary_effects_of_a_plane_are_its_slopes():
    """Morris: every trajectory sees |slope| between the points it visits, and no scatter."""
    law = Distribution(kind="uniform", low=0.0, high=1.0)
    vary = tuple(Vary(input=name, distribution=law) for name in ("speed", "train.0.behind"))
    study = Study(base="en50318-300", form="sensitivity", indices="morris", samples=4, vary=vary)
    points = sensitivity_points(study)
    found = indices(study, points, 3.0 * points[:, 0] - 7.0 * points[:, 1])
    assert found["mu_star"] == pytest.approx([3.0, 7.0], rel=5e-3)  # ends are moved inwards by 1e-3
    assert found["sigma"] == pytest.approx([0.0, 0.0], abs=0.05)


def test_sobol_indices_of_a_plane_are_its_shares_of_the_variance():
    """Var(3 x − 7 y) = (9 + 49)/12 for uniform x, y: 9/58 and 49/58, alone and in all, as nothing interacts."""
    law = Distribution(kind="uniform", low=0.0, high=1.0)
    vary = tuple(Vary(input=name, distribution=law) for name in ("speed", "train.0.behind"))
    study = Study(base="en50318-300", form="sensitivity", indices="sobol", samples=1024, vary=vary)
    points = sensitivity_points(study)
    found = indices(study, points, 3.0 * points[:, 0] - 7.0 * points[:, 1])
    for name in ("S1", "ST"):
        assert found[name] == pytest.approx([9 / 58, 49 / 58], abs=0.02)  # 1024 quasi-random points: a percent or so


@pytest.mark.parametrize(("samples", "form"), [(64, "with"), (63, "without")])
def test_control_variates_from_64_samples_on(monkeypatch, tmp_path, samples, form):
    law = {"kind": "normal", "mean": "0 mm", "deviation": "5 mm"}
    plan = planned(form="tolerance", samples=samples, scatter=[{"of": "dropper length", "distribution": law}])
    index = judged(np.linspace(30.0, 35.0, samples))
    monkeypatch.setattr(control_variates, "with_control_variates", lambda *_, **__: index.assign_attrs(controls="with"))
    assert control_variates.with_controls(plan, index, tmp_path, compute=False).attrs.get("controls", "without") == form


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    plan = planned(form="compare", vary=[{"input": "speed", "values": [60.0, 1e4]}])
    folder = tmp_path_factory.mktemp("prepared")
    prepare(plan, folder)
    samples = plan.samples()
    return folder, samples, [plan.key(s) for s in samples]


def test_a_disk_that_refuses_is_not_passed_over(prepared, monkeypatch):
    """Files are written beside the computing: an error there is one of the task."""

    def full(*_):
        raise OSError(28, "No space left on device")

    folder, samples, keys = prepared
    monkeypatch.setattr(sample_worker, "write", full)
    with pytest.raises(OSError, match="No space left"):
        compute(str(folder), samples[:1], keys[:1])
    assert not path_of(folder, keys[0]).exists()


def test_error_bars_are_written_and_failures_counted(prepared):
    """The second sample is far beyond the wave speed and cannot be run."""
    folder, samples, keys = prepared
    assert compute_error_bars(str(folder), samples, keys) == 1
    found = xr.load_dataset(bars_path(folder, keys[0]))
    assert 0.0 < float(found["error"].max()) < float(found["value"].max())
    assert "error" not in xr.load_dataset(bars_path(folder, keys[1]))


def test_error_bars_of_another_study_are_refused(prepared):
    folder, samples, _ = prepared
    with pytest.raises(FileError, match="another study"):
        compute_error_bars(str(folder), samples[:1], ["0" * 16])


class Late(InProcess):
    """Tasks beside the samples are done only when somebody waits for them."""

    def __init__(self, error=None):
        self.waiting, self.error = [], error

    def submit(self, task, *given):
        if task is not sample_worker.compute_error_bars:
            return super().submit(task, *given)
        future = Future()
        self.waiting.append((future, task, given))
        return future

    def done(self, waiting):
        for future, task, given in self.waiting:
            future.set_result(task(*given)) if self.error is None else future.set_exception(self.error)
        self.waiting = []
        return list(waiting), []


def limit_search():
    return planned(form="limit", vary=[{"input": "speed", "first": 50.0, "last": 60.0, "steps": 2}])


def test_a_search_waits_for_the_error_bars_of_its_limit(tmp_path):
    """What is told of the limit's error comes from tasks that were handed out last."""
    plan = limit_search()
    late, here = (conduct(plan, tmp_path / name, hands) for name, hands in (("late", Late()), ("here", InProcess())))
    assert late["error"].equals(here["error"])
    assert np.isfinite(late["error"].to_numpy()).any()


def test_an_error_of_a_task_beside_the_samples_is_raised(tmp_path):
    with pytest.raises(FileError, match="another study"):
        conduct(limit_search(), tmp_path, Late(FileError(tmp_path, "another study")))


def test_a_page_of_chosen_speeds_blames_no_chance(prepared):
    """Nothing is drawn at random: no correlations, no tornado."""
    plan = planned(form="compare", vary=[{"input": "speed", "values": [60.0, 55.0]}])
    index = conduct(plan, prepared[0].parent / "chosen", InProcess())
    headings = [section.heading for section in page(index, "x").sections]
    assert not any("driv" in heading.lower() for heading in headings)
