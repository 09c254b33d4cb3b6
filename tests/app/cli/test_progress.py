"""How far a job is: the share is that of the whole job, and so is the time left."""

import io
import warnings

import pytest
from rich.console import Console

from panhead.app.cli import progress_display
from panhead.app.cli.progress_display import TimeLeft, compile_notice
from panhead.engine.jobs import Job
from panhead.runs import scenarios

SHORT = ["journey.start=30 m", "journey.stop=330 m", "journey.judged_from=180 m", "journey.judged_to=300 m"]


class Clock:
    """A clock that a test moves."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_time_left_is_not_that_of_compiling():
    """40 s until the first report, then 12 s for the job: the old rule said 61.9 min at its first line."""
    clock = Clock()
    left = TimeLeft(clock)
    clock.now = 40.0
    left.report(0.0)
    assert left.seconds() is None  # nothing is known of its rate
    for step in range(1, 13):
        clock.now = 40.0 + step
        left.report(step / 12)
        assert left.seconds() == pytest.approx(12.0 - step, abs=1e-9)
    assert left.words() == "about 0 s left"


def test_a_job_that_was_resumed_is_timed_by_what_it_does_now():
    clock = Clock()
    left = TimeLeft(clock)
    left.report(0.5)
    clock.now = 60.0
    left.report(0.6)
    assert left.seconds() == pytest.approx(240.0)
    assert left.words() == "about 4 min left"
    clock.now = 100.0  # nothing was reported since: what is left falls all the same
    assert left.seconds() == pytest.approx(200.0)
    clock.now = 301.0  # and once it has passed nothing is known any more: a phase that compiles is not "about 0 s left"
    assert (left.seconds(), left.words()) == (None, "")


def shares(settings, **job):
    """The shares that a run reports, and how many phases it names."""
    told: list[tuple[float, str]] = []
    scenario = scenarios.read("en50318-300", [*SHORT, *settings])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scenario.simulate(Job(progress=lambda share, words="": told.append((share, words)), **job))
    return [share for share, _ in told], " ".join(words for _, words in told)


@pytest.mark.parametrize(
    ("settings", "phase"), [([], "attribution"), (['train=[{pantograph="en50318-2002", mean_force="110 N"}]'], "run 2")]
)
def test_the_share_is_that_of_the_whole_job(settings, phase):
    """Repeat, search and attribution each began at 0 % again, and the bar stood at 100 % before the last of them."""
    found, words = shares(settings, error_bars="coarser", explain="sweep")
    assert phase in words
    assert "repeat" in words
    assert found == sorted(found)
    assert found[-1] <= 1.0
    main = [share for share in found if share < 1.0]
    assert len(main) > len(found) // 2  # most of what is told comes before the end


def test_a_job_that_takes_longer_than_promised_promises_nothing():
    """It said "about 0 s left" for minutes."""
    clock = Clock()
    left = TimeLeft(clock)
    left.report(0.0)
    clock.now = 5.0
    left.report(0.5)
    clock.now = 9.0
    assert left.words() == "about 1 s left"
    clock.now = 30.0
    assert left.words() == ""


def test_a_log_tells_every_few_seconds_even_if_nothing_is_reported(monkeypatch, capsys):
    import time

    monkeypatch.setattr(progress_display, "_LOG_INTERVAL", 0.02)
    with compile_notice(Console()) as compilation, progress_display._log("fit", compilation):
        time.sleep(0.2)
    assert "fit preparing, 0 s so far" in capsys.readouterr().err


def test_compiling_is_announced_once_with_its_length():
    """Also where the cache holds other kernels; lines of a log say it while it lasts, and it is not time of the job."""
    import numba

    said = io.StringIO()
    console = Console(file=said, width=200)
    with compile_notice(console) as compilation:
        clock, log = TimeLeft(lambda: -compilation.seconds()).clock, progress_display._Log("fit", compilation)
        compilation.on_start(None)
        assert log.line().endswith(", compiling")
        compilation.on_end(None)
        assert "compiling" not in log.line()
        before = clock()
        for factor in (2.0, 3.0):
            numba.njit(lambda x, factor=factor: factor * x)(1.0)
        assert clock() < before
    first = said.getvalue()
    assert first.count("compiling kernels for this processor") == 1
    assert "kernels compiled within " in first
    with compile_notice(console):
        pass
    assert said.getvalue() == first


def test_a_run_too_long_for_an_attribution_does_not_reserve_time_for_it():
    """It stood at 33 % when it was done."""
    from panhead.runs.peak_explanation import attribution_cost

    short = scenarios.read("en50318-300").description
    assert attribution_cost(short, "sweep") > 1.0
    fine = scenarios.read("en50318-300", ["numerics.element_length=0.1 m", "numerics.step=0.1 ms"]).description
    assert attribution_cost(fine, "sweep") == 0.0
    assert attribution_cost(fine, "trials") > 0.0
    assert attribution_cost(short, "none") == 0.0
