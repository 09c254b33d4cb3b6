"""The verdict first, then what explains it: order of output, interruption, and numbers against plain runs."""

from dataclasses import replace

import numpy as np
import pytest

from panhead.assess import judgement
from panhead.desk.reports import page_of, run_attribution
from panhead.desk.reports.render import html
from panhead.engine.jobs import Job
from panhead.errors import Interrupted, NotConverged
from panhead.files import results
from panhead.runs import peak_explanation, scenarios
from panhead.runs import simulate as runs
from panhead.runs.gradients.peak_attribution import PEAKS, parts_of_name
from panhead.runs.linear import run_driver
from panhead.runs.resolve import resolve_line
from panhead.runs.scenarios import output_folder
from panhead.validation.line_gradient.differences import with_changes
from panhead.validation.line_gradient.rough import base
from tests.oracles.changed_dropper import with_one_dropper_changed

pytestmark = pytest.mark.filterwarnings("ignore::panhead.errors.RunWarning")

SHORT = ["journey.stop=250 m", "journey.judged_from=180 m", "journey.judged_to=240 m"]
COMMAND = ("run", "en50318-300", *(word for setting in SHORT for word in ("--set", setting)), "--out", "o")


@pytest.fixture(scope="module")
def run():
    return with_changes(base(), {})


@pytest.fixture(scope="module")
def swept(run):
    return runs.simulate(run, Job(explain="described"))


def announced(monkeypatch, place, name, word):
    """Let a function say a word on the standard output when it is called."""
    real = getattr(place, name)

    def told(*arguments):
        print(word)
        return real(*arguments)

    monkeypatch.setattr(place, name, told)


# order and what is kept


def test_the_verdict_is_on_the_terminal_before_anything_that_explains_it(panhead, monkeypatch):
    announced(monkeypatch, runs, "_with_line", "LINE AT REST")
    announced(monkeypatch, runs, "add_attribution", "ATTRIBUTION")
    announced(monkeypatch, output_folder, "_save", "RESULT")
    announced(monkeypatch, output_folder, "_report", "PAGE")
    said = panhead(*COMMAND).stdout
    order = ["mean contact force", "verdict ", "LINE AT REST", "ATTRIBUTION", "RESULT", "PAGE", "why     The peak of"]
    places = [said.index(word) for word in order]
    assert places == sorted(places)
    assert said.count("verdict ") == said.count("LINE AT REST") == 1  # not of the repeat, which nobody looks at


@pytest.mark.parametrize("stage", ["add_attribution", "_with_line"])
def test_what_is_interrupted_after_the_verdict_is_kept(panhead, tmp_path, monkeypatch, stage):
    def stopped(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(runs, stage, stopped)
        answer = panhead(*COMMAND)
    assert answer.returncode == 130
    assert "verdict " in answer.stdout
    assert "the run and its verdict are saved in o/result.nc" in " ".join(answer.stderr.split())
    kept = results.load(tmp_path / "o" / "result.nc")
    again = panhead(*COMMAND, "--resume")
    assert again.returncode == 0
    whole = results.load(tmp_path / "o" / "result.nc")
    assert ("unexplained" in kept.attrs, "unexplained" in whole.attrs) == (True, False)
    assert kept.attrs["criteria"] == whole.attrs["criteria"]
    np.testing.assert_array_equal(kept["contact_force"], whole["contact_force"])
    assert {"elasticity", "why_force"} <= set(whole.variables)
    assert "nothing to do" in panhead(*COMMAND, "--resume").stderr


@pytest.mark.parametrize("stage, error", [("add_attribution", ZeroDivisionError), ("_with_line", NotConverged)])
def test_an_error_in_what_explains_a_run_costs_no_result(tmp_path, monkeypatch, stage, error):
    """An elasticity that found no answer, or a defect of ours, used to lose the run."""

    def failed(*_):
        raise error("no answer")

    monkeypatch.setattr(runs, stage, failed)
    job = Job(out=tmp_path, explain="described")
    with pytest.raises(error):
        output_folder.run_into(scenarios.read("en50318-300", SHORT), tmp_path, job)
    assert "verdict" in results.load(tmp_path / "result.nc").attrs


def test_a_page_that_is_interrupted_leaves_the_whole_result(panhead, tmp_path, monkeypatch):
    def stopped(self, folder):
        raise KeyboardInterrupt

    monkeypatch.setattr("panhead.files.result.Result.report", stopped)
    answer = panhead(*COMMAND, "--no-why", "--no-error-bars")
    assert "`panhead report o/result.nc` writes its page" in " ".join(answer.stderr.split())
    assert "unexplained" not in results.load(tmp_path / "o" / "result.nc").attrs


# how much is told


@pytest.mark.parametrize(
    "words, held",
    [((), ["why_force"]), (("--no-why",), []), (("--set", "numerics.explain=none"), [])],
    ids=["default", "option", "key"],
)
def test_how_much_is_told_can_be_chosen(panhead, tmp_path, words, held):
    assert panhead(*COMMAND, *words, "--no-error-bars").returncode == 0
    found = results.load(tmp_path / "o" / "result.nc")
    assert [name for name in ("why_force", "why_checked") if name in found] == held
    page = (tmp_path / "o" / "report.html").read_text("utf-8")
    assert "panhead report --why result.nc" in page
    assert ("is most sensitive to" in page) == bool(held)


def test_why_adds_trials_and_tables(panhead, tmp_path, monkeypatch):
    monkeypatch.setattr(peak_explanation, "LISTED", 1)
    assert panhead(*COMMAND, "--why", "--no-error-bars").returncode == 0
    found = results.load(tmp_path / "o" / "result.nc")
    assert found["why_predicted"].shape == (2,)
    assert "Causes of the largest peaks" in (tmp_path / "o" / "report.html").read_text("utf-8")


def test_why_of_a_finished_run_is_added_to_it(panhead, tmp_path, monkeypatch):
    monkeypatch.setattr(peak_explanation, "LISTED", 1)
    panhead(*COMMAND, "--no-why", "--no-error-bars")
    answer = panhead(*COMMAND, "--why", "--no-error-bars", "--resume")
    assert "nothing to do" in answer.stderr
    assert "why_predicted" in results.load(tmp_path / "o" / "result.nc")


# what is told


def values(line, run):
    """The largest peak and σ of the plain run under a line, as judged."""
    plain = runs.simulate(replace(run, line=line, line_changes={}))
    (criteria,) = judgement(plain)[""].values()
    by_key = {c.key: c.value for c in criteria}
    return np.array([by_key["actual_max"], by_key["deviation"]])


def test_the_numbers_are_those_of_plain_runs_with_a_dropper_changed(run, swept):
    """Central differences of judged plain runs over ±0.05 mm; 2 %: droppers slacken a step sooner or later."""
    assert swept.sizes["extreme"] == PEAKS
    (criteria,) = judgement(swept)[""].values()
    top = next(c for c in criteria if c.key == "actual_max")
    assert float(swept["why_force"][0]) == pytest.approx(top.value)
    assert float(swept["why_place"][0]) == top.place  # as the judgement tells it, not where the filter shows it
    shift, line = 5e-5, resolve_line(run)
    of_peak, of_sigma = swept["why_influence"].to_numpy()[0] / 5e-3, swept["why_sigma"].to_numpy() * 1e3
    for k in {int(np.argmax(np.abs(of_peak))), int(np.argmax(np.abs(of_sigma)))}:
        name = parts_of_name(str(swept["why_dropper"][k].item()))
        up, down = (values(with_one_dropper_changed(line, *name, sign * shift), run) for sign in (1, -1))
        found = (up - down) / (2 * shift)
        largest = np.array([np.abs(of_peak).max(), np.abs(of_sigma).max()])
        np.testing.assert_allclose(np.array([of_peak[k], of_sigma[k]]) / largest, found / largest, atol=0.02)


def test_the_sentence_names_the_first_of_the_table(swept):
    words = run_attribution.sentence(swept)
    place = float(swept["why_place"][0])
    assert f"({place:.3g} m, between masts 2 and 3) is most sensitive to {swept['why_part'][0, 0].item()} (" in words
    assert run_attribution.blocks(swept)[0].startswith(words)


def test_the_run_is_not_resolved_nor_strung_again(run, monkeypatch):
    """Its line is that of the run."""
    calls = []
    for place in (runs, peak_explanation):
        real = place.resolve
        monkeypatch.setattr(place, "resolve", lambda *given, real=real: calls.append(1) or real(*given))
    runs.simulate(run, Job(explain="sweep"))
    assert calls == [1]


def test_a_run_with_checkpoints_that_is_another_one_tells_nothing(run, swept):
    """What a sweep leaves out of the run would make it tell of another one."""
    plain = swept.drop_vars([name for name in swept.variables if str(name).startswith("why_")])
    told = peak_explanation.add_attribution(run, plain.assign(contact_force=plain["contact_force"] + 0.01), "sweep")
    assert "differs by 0.01 N from the run itself" in told.attrs["why_not"]
    assert "why_force" not in told


def test_of_two_pantographs_the_wave_of_the_other_is_among_what_is_told(run):
    train = (run.train[0], replace(run.train[0], behind=20.0))
    found = runs.simulate(replace(run, train=train), Job(explain="sweep"))
    assert found.attrs["why_not"] == ""
    assert found.sizes["extreme"] == PEAKS
    assert "is most sensitive to" in run_attribution.sentence(found)


def test_a_resumed_run_is_told_as_if_it_had_not_been_stopped(run, swept, tmp_path, monkeypatch):
    def stop(share, message=""):
        if share > 0.7:
            raise KeyboardInterrupt

    monkeypatch.setattr(run_driver, "_CHECKPOINT", 1)
    with pytest.raises(Interrupted):
        runs.simulate(run, Job(out=tmp_path, progress=stop))
    again = runs.simulate(run, Job(out=tmp_path, resume=True, explain="sweep"))
    for name in ("why_influence", "why_sigma", "why_newtons"):
        np.testing.assert_array_equal(again[name], swept[name])


def test_in_a_moving_window_the_same_parts_are_told(run, swept):
    """Waves fade at the ends of a window, which is so wide here that nothing comes back in time."""
    moving = replace(run.numerics, window="moving", ahead=4, behind=4, absorbing=1)
    found = runs.simulate(replace(run, numerics=moving), Job(explain="sweep"))
    assert found.attrs["why_not"] == ""
    assert found["why_part"][0, 0].item() == swept["why_part"][0, 0].item()


@pytest.mark.parametrize("solver", ["cables", "coupled"])
def test_other_solvers_say_why_there_is_none(solver, swept):
    plain = swept.drop_vars([name for name in swept.variables if str(name).startswith("why_")])
    run = replace(with_changes(base(), {}), solver=solver)
    (words,) = run_attribution.blocks(peak_explanation.add_attribution(run, plain, "sweep"))
    assert f"peak attribution needs solver = \"linear\", not '{solver}'" in words


def test_a_run_on_a_vehicle_says_so_however_long_it_is(swept):
    train = scenarios.read("s1-train").description
    told = peak_explanation.add_attribution(train.variant(train.variants[0]), swept, "sweep")
    assert "does not support a vehicle" in told.attrs["why_not"]


def test_a_run_whose_static_force_was_searched_is_told(run):
    """The run that was found has its static force, and it is the one at hand."""
    (one,) = run.train
    asked = replace(run, train=(replace(one, mean_force=110.0),))
    assert runs.simulate(asked, Job(explain="sweep")).attrs["why_not"] == ""


def test_the_page_of_a_swept_run_is_a_page(swept):
    text = html(page_of(swept))
    assert "Influence of dropper lengths on σ and on the largest peak" in text
    assert "Causes of the largest peaks" not in text
