"""Runs on disk: a folder belongs to one run, and nothing that was computed is lost."""

import errno
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

import panhead as ph
from panhead.assess import verdict_sentences
from panhead.desk.reports import page_of
from panhead.engine.jobs import Job
from panhead.errors import FileError, Interrupted
from panhead.files import atomic_files as files
from panhead.files import parse, results
from panhead.runs import scenarios
from panhead.runs import simulate as runs
from panhead.runs.linear import run_driver
from panhead.runs.refined_run import with_other_mesh as repeated_run
from panhead.runs.scenarios import Scenario, output_folder
from panhead.runs.scenarios.output_folder import run_into

SHORT = ["journey.stop=250 m", "journey.judged_from=180 m", "journey.judged_to=240 m"]
MOTION = ("run", "iftomm-a01", "--set", "run.duration=0.1 s")


@pytest.fixture
def often(monkeypatch):
    """A checkpoint after every piece of half a second."""
    monkeypatch.setattr(run_driver, "_CHECKPOINT", 1)


@pytest.fixture(scope="module")
def plain():
    return scenarios.read("en50318-300", SHORT).simulate()


@pytest.fixture
def quick(monkeypatch, plain):
    """Every run gives the plain one at once, and nothing is written."""
    monkeypatch.setattr(Scenario, "simulate", lambda self, job: plain)
    monkeypatch.setattr(output_folder, "_save", lambda dataset, path: path)
    monkeypatch.setattr(output_folder, "_report", lambda result, folder: folder / "report.html")
    return plain


def short(*more, **changes):
    return scenarios.read("en50318-300", [*SHORT, *more], changes)


def stop_at(share, among=""):
    """A listener that stops the run when it has done its share of the part it names."""

    def progress(fraction, message=""):
        if fraction > share and among in message:
            raise KeyboardInterrupt

    return progress


def names(folder):
    return sorted(p.name for p in folder.iterdir())


# a folder belongs to one run


def test_the_second_run_in_a_folder_is_refused(panhead, tmp_path):
    """Two that wrote here mixed their rows: a mean of 74.4 N instead of 116.3 N and no word."""
    with files.claim_folder(tmp_path / "o"):
        answer = panhead(*MOTION, "--out", "o")
        assert answer.returncode == 2
        said = " ".join(answer.stderr.split())
        assert f"another run or study is writing here (process {os.getpid()}, since 20" in said
    assert not (tmp_path / "o").exists()


def test_the_lock_of_a_process_that_died_is_no_lock(tmp_path):
    code = "import os\nfrom panhead.files.atomic_files import claim_folder\n"
    code += f"with claim_folder({str(tmp_path)!r}): os._exit(9)"
    subprocess.run([sys.executable, "-c", code], check=False)
    (tmp_path / ".result.nc.1.part").write_text("half")
    assert (tmp_path / ".lock").exists()
    with files.claim_folder(tmp_path):
        assert names(tmp_path) == [".lock"]  # what it was writing is cleaned away
    assert names(tmp_path) == []


def test_strays_of_a_killed_run_are_cleaned_and_nobody_else_s(tmp_path):
    """Also those of pictures and checkpoints; what another program is fetching is not ours."""
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / ".force.svg.77.part").touch()
    (tmp_path / ".fetched.part").touch()
    with files.claim_folder(tmp_path):
        pass
    assert sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*")) == [".fetched.part", "figures"]


def test_every_setting_has_a_folder_of_its_own(panhead, quick):
    settings = [("--set", "speed=200 km/h"), ("--set", "speed=210 km/h"), ()]
    said = [panhead("run", "en50318-300", *words).stdout for words in settings]
    folders = [re.search(r"result +out/(.*)/result.nc", text)[1] for text in said]
    assert [f[:-6] for f in folders[:2]] == ["en50318-300,speed=200kmh,", "en50318-300,speed=210kmh,"]
    assert folders[2] == "en50318-300"


@pytest.mark.parametrize(
    "out, words",
    [
        ("file", "is a file"),
        ("file/deeper", "Not a directory"),
        ("x" * 300, "too long"),
        ("taken", "is a folder"),
        ("odd", ".run is a file"),
    ],
)
def test_where_nothing_can_be_written_it_is_told_before_the_run(panhead, tmp_path, out, words):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "taken" / "result.nc").mkdir(parents=True)
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / ".run").touch()
    before = names(tmp_path)
    answer = panhead(*MOTION, "--out", out)
    assert answer.returncode == 2
    assert words in " ".join(answer.stderr.split())
    assert "Traceback" not in answer.stderr
    assert names(tmp_path) == before
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("name", ["../x", "a/b", "..", "a\x1b[31m", "C:\\x", "n" * 200])
def test_a_name_does_not_leave_the_folder(panhead, tmp_path, name):
    scenario = {"kind": "motion", "mechanism": "pendulum", "name": name}
    (tmp_path / "it.toml").write_text(parse.write_toml(scenario))
    before = names(tmp_path)
    answer = panhead("run", "it.toml")
    assert answer.returncode == 2
    assert re.search(r"name: .*(valid\s+folder\s+name|a\s+folder\s+name\s+may)", answer.stderr, re.DOTALL)
    assert names(tmp_path) == before


def test_what_looks_like_markup_is_a_name(panhead, quick):
    answer = panhead("run", "en50318-300", "--set", "name=b[x]", "--out", "b[/x]")
    assert answer.returncode == 0, answer.stderr
    assert "b[x]" in answer.stdout
    assert "b[/x]/result.nc" in answer.stdout


def test_a_page_that_cannot_be_written_again(panhead, tmp_path, plain):
    saved = results.save(plain, tmp_path / "result.nc")
    (tmp_path / "report.html").mkdir()
    answer = panhead("report", str(saved))
    assert answer.returncode == 2
    assert "report.html: Is a directory" in " ".join(answer.stderr.split())


# nothing is lost


#: slow enough for five checkpoints, coarse enough for a second or two of work
SLOW = ("speed=60 km/h", "numerics.step=2 ms")


def started(folder):
    """A run as a process of its own that goes on from what is there, once there is something to go on from."""
    settings = [word for setting in SLOW for word in ("--set", setting)]
    command = [sys.executable, "-m", "panhead", "run", "en50318-300", *settings, "--out", str(folder), "--resume"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not output_folder.can_continue(folder):
        time.sleep(0.01)
    return process


def test_killed_at_random_instants_the_run_ends_the_same(tmp_path):
    """Twice here; ``scripts/attack --long`` does it a hundred times."""
    plain, chance, folder = scenarios.read("en50318-300", list(SLOW)).simulate(), random.Random(7), tmp_path / "killed"
    killed = 0
    for _ in range(2):
        process = started(folder)
        time.sleep(0.5 * chance.random())
        killed += process.poll() is None
        process.kill()
        process.communicate()
    last = started(folder)
    assert (last.communicate()[1].count("Traceback"), last.returncode, killed > 0) == (0, 0, True)
    again = results.load(folder / "result.nc")
    assert set(again.variables) == set(plain.variables)
    for name in plain.variables:
        np.testing.assert_array_equal(again[name], plain[name])
    assert names(folder) == ["figures", "report.html", "result.nc"]


@pytest.fixture(scope="module")
def with_bars():
    return short().simulate(Job(error_bars="coarser"))


@pytest.mark.parametrize("share, among", [(0.5, ""), (0.6, "repeat")])
def test_a_stopped_run_with_error_bars_goes_on(often, with_bars, tmp_path, share, among):
    """Stopped in the run or in its repeat, which used to leave an empty folder."""
    scenario = short()
    folder, said, seen = tmp_path / "o", [], []
    stopped = Job(out=folder, error_bars="coarser", progress=stop_at(share, among))
    with pytest.raises(Interrupted):
        run_into(scenario, folder, stopped)
    assert output_folder.can_continue(folder)
    job = replace(stopped, resume=True, say=said.append, progress=lambda f, m="": seen.append(f))
    again = run_into(scenario, folder, job).result
    assert said == []
    assert seen[0] > 0.3  # it went on, it did not start again
    assert again.attrs["criteria"] == with_bars.attrs["criteria"]
    np.testing.assert_array_equal(again["contact_force"], with_bars["contact_force"])
    assert names(folder) == ["figures", "report.html", "result.nc"]


def test_rows_stay_until_the_result_is_on_the_disk(often, plain, tmp_path, monkeypatch):
    """A disk that fills while the result is saved ended in a segmentation fault, with everything deleted before."""

    def full(handle, start, size):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "posix_fallocate", full)
        with pytest.raises(FileError, match=r"No space left on device[\s\S]*continue with --resume"):
            run_into(short(), tmp_path, Job(out=tmp_path))
    assert names(tmp_path) == [".run"]
    again = run_into(short(), tmp_path, Job(out=tmp_path, resume=True)).result
    np.testing.assert_array_equal(again["contact_force"], plain["contact_force"])
    assert names(tmp_path) == ["figures", "report.html", "result.nc"]


def test_a_full_disk_at_a_row_keeps_the_checkpoints(often, tmp_path, monkeypatch):
    count, append = [], run_driver.Streams.append

    def full(self, name, rows):
        count.append(name)
        if len(count) > 15:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(tmp_path / ".run" / name))
        append(self, name, rows)

    monkeypatch.setattr(run_driver.Streams, "append", full)
    with pytest.raises(FileError, match=r"No space left on device[\s\S]*continue with --resume"):
        run_into(short(), tmp_path, Job(out=tmp_path))
    assert output_folder.can_continue(tmp_path)


def test_a_full_disk_at_the_report_says_that_the_result_is_safe(tmp_path, monkeypatch):
    def full(path, content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    scenario = scenarios.read("iftomm-a01", ["run.duration=0.1 s"])
    monkeypatch.setattr("panhead.desk.reports.render.write_atomic", full)
    with pytest.raises(FileError, match=r"No space left[\s\S]*is safe[\s\S]*panhead report"):
        run_into(scenario, tmp_path, Job(out=tmp_path))
    assert names(tmp_path) == ["result.nc"]


def test_without_a_checkpoint_a_result_that_finds_no_room_is_put_elsewhere(tmp_path, monkeypatch):
    scenario, save = scenarios.read("iftomm-a01", ["run.duration=0.1 s"]), results.save
    monkeypatch.setattr(output_folder.tempfile, "mkdtemp", lambda prefix: str(tmp_path / "elsewhere"))

    def full(dataset, path):
        if "elsewhere" not in str(path):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return save(dataset, path)

    monkeypatch.setattr(results, "save", full)
    with pytest.raises(FileError, match=r"It is saved in .*elsewhere.result\.nc"):
        run_into(scenario, tmp_path / "o", Job(out=tmp_path / "o"))
    assert results.load(tmp_path / "elsewhere" / "result.nc")["q"].size


def test_a_failed_run_leaves_no_older_report_beside_it(panhead, tmp_path):
    """The good one's page would be read as that of the failed one; what has diverged is a failure, not a verdict."""
    (tmp_path / "o" / "figures").mkdir(parents=True)
    for older in ("result.nc", "report.html", "figures/force.svg"):
        (tmp_path / "o" / older).write_text("older")
    run = [word for setting in SHORT for word in ("--set", setting)]
    answer = panhead("run", "en50318-300", *run, "--set", "train.0.changes.static_force=1e6 N", "--out", "o")
    assert answer.returncode == 2
    assert "the run has diverged" in " ".join(answer.stderr.split())
    assert names(tmp_path / "o") == ["partial.nc", "result.nc"]


# going on


def test_resume_says_what_it_finds(panhead):
    first = panhead(*MOTION, "--out", "o", "--resume")
    assert "no checkpoint in o: the run starts" in " ".join(first.stderr.split())
    second = panhead(*MOTION, "--out", "o", "--resume")
    assert "nothing to do: o/result.nc already holds the finished run" in " ".join(second.stderr.split())
    assert [a.returncode for a in (first, second)] == [0, 0]
    assert first.stdout == second.stdout


def test_a_roof_that_moves_otherwise_is_another_run(often, tmp_path):
    """The ride is computed before the run, and what it gives is among what must agree."""
    run = short().description
    roof = runs.Roof.of([(0.0, 0.0), (10.0, 0.01)])
    with pytest.raises(Interrupted):
        runs.simulate_one(run, Job(out=tmp_path, progress=stop_at(0.7)), roof=roof)
    with pytest.raises(FileError, match="another run"):
        runs.simulate_one(run, Job(out=tmp_path, resume=True), roof=replace(roof, height=2.0 * roof.height))
    runs.simulate_one(run, Job(out=tmp_path, resume=True), roof=roof)


def test_a_finished_variant_is_not_computed_again(tmp_path, monkeypatch, plain):
    """Of solvers that keep no checkpoints; a model made in Python is not known by its name."""
    computed = []

    def one(run, job):
        computed.append(run.about)
        if computed == ["a", "b"]:
            raise Interrupted("stopped", partial=None)
        return results.without_provenance(plain).assign_attrs(about=run.about)

    monkeypatch.setattr(runs, "simulate_one", one)
    variants = [{"name": x, "changes": {"about": x}} for x in "ab"]
    scenario, said = short(solver="coupled", variants=variants), []
    with pytest.raises(Interrupted):
        run_into(scenario, tmp_path, Job(out=tmp_path))
    result = run_into(scenario, tmp_path, Job(out=tmp_path, resume=True, say=said.append)).result
    assert (computed, said) == (["a", "b", "b"], [])
    assert result.attrs["variant_attributes"] == '{"a": {"about": "a"}, "b": {"about": "b"}}'
    assert names(tmp_path) == ["figures", "report.html", "result.nc"]
    assert not results.can_repeat({"model": parse.to_plain({"x": f"(Model, {parse.FROM_PYTHON})"})})


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_command_says_what_is_kept_and_how_to_go_on(panhead, tmp_path, monkeypatch, request, number):
    def stopped(self, job):
        (tmp_path / "o" / ".run").mkdir()
        (tmp_path / "o" / ".run" / "checkpoint-0").touch()
        os.kill(os.getpid(), number)

    handled = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
    before = signal.signal(number, handled)  # a suite that a script starts in the background ignores SIGINT
    request.addfinalizer(lambda: signal.signal(number, before))
    monkeypatch.setattr(Scenario, "simulate", stopped)
    answer = panhead(*MOTION, "--out", "o")
    assert answer.returncode == 130
    assert "saved in o" in answer.stderr
    assert "panhead run iftomm-a01 --set 'run.duration=0.1 s' --out o --resume" in answer.stderr
    monkeypatch.setattr(Scenario, "simulate", lambda self, job: os.kill(os.getpid(), number))
    assert "nothing is saved" in panhead(*MOTION, "--out", "p").stderr


# the terminal


def test_a_terminal_that_is_not_utf_8(panhead, monkeypatch, quick):
    """A redirect on Windows, a service without a locale: it used to end in UnicodeEncodeError after the run."""
    said = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(said, encoding="ascii"))
    code = panhead("run", "en50318-300", "--out", "ö").returncode
    sys.stdout.flush()
    assert code == 0
    assert "<= 350 N" in said.getvalue().decode("ascii")


def test_the_verdict_is_printed_and_can_be_the_exit_code(panhead, monkeypatch, quick):
    for verdict, code in (("met", 0), ("not met", 3), ("undecided", 3)):
        monkeypatch.setitem(quick.attrs, "verdict", verdict)
        answer = panhead("run", "en50318-300", "--out", "o", "--check")
        first, *others = (one.sentence for one in verdict_sentences(quick))
        assert "\n".join([f"verdict {first}", *(f"        {words}" for words in others)]) in answer.stdout
        assert answer.returncode == code
        assert panhead("run", "en50318-300", "--out", "o").returncode == 0


# what was lost at the end of a run


@pytest.mark.parametrize("setting", ["journey.stop=250.2 m", "numerics.keep=1 s", "numerics.keep=100 s"])
def test_a_last_piece_shorter_than_the_time_between_samples(setting):
    """About one length in fifty ended in ``cannot reshape array of size 0`` after the run."""
    result = short(setting).simulate()
    assert result["contact_force"].shape[1] >= 2640
    page_of(result)


def test_error_bars_of_a_variant_with_a_step_of_its_own():
    """Its own step and mesh are halved, not those of the run it differs from."""
    run = replace(
        short().description,
        variants=(ph.Variant(name="own", changes={"numerics": {"step": "0.5 ms"}}), ph.Variant(name="same")),
    )
    repeated = repeated_run(run, runs.join({name: xr.Dataset({"x": 0.0}) for name in ("own", "same")}), "finer")
    own, same = (repeated.variant(v).numerics for v in repeated.variants)
    assert (own.step, own.element_length) == (0.25e-3, 0.5)
    assert (same.step, same.element_length) == (0.5e-3, 0.5)


# a file system without locks


def _held_by(folder, **owner):
    (folder / ".lock").write_text(json.dumps({"since": "2026-01-01 00:00:00+00:00"} | owner))


def test_without_locks_of_the_system_a_dead_owner_is_followed_and_a_living_one_is_not(tmp_path, monkeypatch):
    import platform

    from panhead.files import lock

    def no_locks(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(lock.fcntl, "flock", no_locks)
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    _held_by(tmp_path, process=dead.pid, host=platform.node())
    with files.claim_folder(tmp_path):
        pass
    for owner in ({"process": os.getppid(), "host": platform.node()}, {"process": 4, "host": "elsewhere"}):
        _held_by(tmp_path, **owner)
        with pytest.raises(files.FolderInUse, match=f"process {owner['process']}"), files.claim_folder(tmp_path):
            pass


def test_a_run_stopped_before_its_first_steps_leaves_nothing(tmp_path, monkeypatch):
    """SIGTERM while a kernel compiled left a folder with an empty .run, and the words that nothing is kept."""

    def compiling(session, *_):
        raise KeyboardInterrupt

    monkeypatch.setattr(run_driver, "_advance", compiling)
    scenario = scenarios.read("en50318-300")
    with pytest.raises(KeyboardInterrupt):
        run_into(scenario, tmp_path / "o", Job(out=tmp_path / "o"))
    assert not (tmp_path / "o").exists()
