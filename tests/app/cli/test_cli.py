"""The command line as a person uses it: its output, its files, its exit code."""

import json
import subprocess
import sys

import numpy as np
import pytest

from panhead import __version__
from panhead.files import results
from panhead.runs import scenarios


def test_as_a_process_of_its_own(tmp_path):
    """Once for all the others: ``python -m panhead`` answers, and an error has no traceback."""
    answer = subprocess.run(
        [sys.executable, "-m", "panhead", "run", "no-such-scenario"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert answer.returncode == 2
    assert "neither a file nor a shipped scenario" in " ".join(answer.stderr.split())
    assert "Traceback" not in answer.stderr


def test_help_loads_nothing_that_computes(tmp_path):
    """It answers in a tenth of a second because neither arrays nor pictures are loaded."""
    code = (
        "import sys; sys.argv = ['panhead', '--help']\n"
        "from panhead.app.cli import main\n"
        "try: main()\n"
        "finally: print(sorted({'numpy', 'rich', 'numba', 'xarray', 'pydantic'} & set(sys.modules)))"
    )
    answer = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "report.html" in answer.stdout
    assert answer.stdout.endswith("[]\n")


def test_run_writes_result_and_report_that_can_be_run_again(panhead, tmp_path):
    first = panhead("run", "iftomm-a01", "--set", "run.duration=1 s", "--out", "one")
    assert first.returncode == 0, first.stderr
    assert "height of the mass" in first.stdout
    assert sorted(p.name for p in (tmp_path / "one").iterdir()) == ["figures", "report.html", "result.nc"]
    stored = results.load(tmp_path / "one" / "result.nc")
    assert results.inputs_of(stored)["run"]["duration"] == 1.0
    assert stored["q"].attrs["long_name"] == "coordinates"
    for name in ("input_sha256", "versions", "cpu", "created"):
        assert stored.attrs[name]
    again = scenarios.read(str(tmp_path / "one" / "result.nc")).simulate()
    np.testing.assert_array_equal(again["q"], stored["q"])  # bit for bit on one machine
    assert again.attrs["input_sha256"] == stored.attrs["input_sha256"]
    (tmp_path / "one" / "report.html").unlink()
    assert panhead("report", "one/result.nc").returncode == 0
    assert (tmp_path / "one" / "report.html").exists()


@pytest.mark.parametrize(
    "arguments, words",
    [
        (
            ("run", "no-such-scenario"),
            ["no-such-scenario", "neither a file nor a shipped scenario", "planar-pantograph"],
        ),
        (("run", "missing.toml"), ["missing.toml", "no such file"]),
        (("run", "wrong.toml"), ["wrong.toml", "run.stepp: unknown key", "run.duration", "is not a quantity in s"]),
        (("run", "iftomm-a01", "--set", "parameters.mass=3"), ["unknown parameter mass", "m, L, g"]),
        (("run", "iftomm-a01", "--set", "parameters.m=-3"), ["body 'mass': mass must be > 0 kg"]),
        (("run", "iftomm-a01", "--set", "start.coordinates.z=3"), ["'z' is not a coordinate", "x, y"]),
        (("run", "iftomm-a01", "--set", "run.step=0"), ["MotionSteps: step must be finite and > 0"]),
        (("run", "text.nc"), ["text.nc", "cannot be read as netCDF-4"]),
        (("validate", "no-such-case"), ["no-such-case", "is not a validation case"]),
    ],
)
def test_bad_input_is_told_without_a_traceback_and_leaves_nothing(panhead, tmp_path, arguments, words):
    (tmp_path / "wrong.toml").write_text(
        'kind = "motion"\nmechanism = "pendulum"\n[run]\nstepp = 1\nduration = "3 kg"\n'
    )
    (tmp_path / "text.nc").write_text("not netCDF")
    before = sorted(tmp_path.iterdir())
    answer = panhead(*arguments)
    assert answer.returncode == 2
    said = " ".join(answer.stderr.split())
    assert said.startswith("error: ")
    for word in words:
        assert word in said, answer.stderr
    assert "Traceback" not in answer.stderr
    assert len(answer.stderr.splitlines()) < 20
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("run", "--nosuch"), "No such option: --nosuch"),
        (("rnu",), "No such command 'rnu'. Did you mean 'run'? Run `"),
        (("run", "--converge", "x"), "Invalid value for '--converge'"),
        (("compare",), "Missing argument 'results'. Run `"),
        (("line", "check", "a", "b"), "Got unexpected extra argument"),
    ],
)
def test_a_wrong_option_is_told_like_any_other_error(panhead, arguments, words):
    """It was "Usage: … Error: …"."""
    answer = panhead(*arguments)
    said = " ".join(answer.stderr.split())
    assert answer.returncode == 2
    assert answer.stdout == ""
    assert said.startswith(f"error: {words}")
    assert said.endswith("--help` for help.")


def test_a_group_without_a_command_shows_its_help(panhead):
    answer = panhead("line")
    assert answer.returncode == 2
    assert answer.stderr.startswith("Usage: ")
    assert "Commands:" in answer.stderr


def test_failed_run_keeps_what_it_has(panhead, tmp_path):
    answer = panhead(
        "run",
        "planar-pantograph",
        "--set",
        "run.step=100 ms",
        "--set",
        "run.keep=100 ms",
        "--set",
        "run.method=euler",
        "--set",
        "run.duration=100 s",
        "--out",
        "o",
    )
    assert answer.returncode == 2
    assert "\nerror: the motion became infinite" in answer.stderr
    assert [p.name for p in (tmp_path / "o").iterdir()] == ["partial.nc"]
    assert len(results.load(tmp_path / "o" / "partial.nc")["time"]) > 1


def test_list_and_doctor(panhead):
    listed = panhead("list")
    assert listed.returncode == 0
    for name in scenarios.shipped():
        assert name in listed.stdout
    for name in ("twin-3kv", "dsa380", "cx", "s1-coach", "en50367-2012"):
        assert name in listed.stdout
    assert panhead("--version").stdout == f"panhead {__version__}\n"
    told = panhead("doctor")
    assert told.returncode == 0
    for word in ("numba", "processor", "BLAS threads", "kernel cache"):
        assert word in told.stdout


def test_validate_prints_json(panhead):
    answer = panhead("validate", "iftomm-a01", "--json")
    assert answer.returncode == 0, answer.stderr
    table = json.loads(answer.stdout)
    assert set(table) == {"iftomm-a01"}
    entry = table["iftomm-a01"]["period"]
    assert set(entry) == {"value", "unit", "reference", "low", "high", "ok", "source", "bound_by"}
    assert entry["ok"] is True


# what is written over what is read


@pytest.mark.parametrize(
    "words",
    [
        "measure one/result.nc",
        "leaderboard --episodes 1",
        "study speed-curve",
        "study speed-curve --dataset",
        "design head-suspension",
        "calibrate short.toml record.csv",
    ],
)
def test_no_report_takes_the_place_of_a_run_s(panhead, tmp_path, words):
    """The folder of a run keeps its report: another command would write its own over it."""
    (tmp_path / "one").mkdir()
    for name in ("result.nc", "report.html"):
        (tmp_path / "one" / name).write_text(name)
    (tmp_path / "record.csv").write_text("place,force\nm,N\n100,120\n101,121\n")
    (tmp_path / "short.toml").write_text(
        'kind = "run"\nline = "en50318-2002"\nspeed = "60 m/s"\ntrain = [{ pantograph = "en50318-2002" }]'
    )
    answer = panhead(*words.split(), "--out", "one")
    assert answer.returncode == 2
    assert "holds the result of a run" in " ".join(answer.stderr.split())
    assert (tmp_path / "one" / "report.html").read_text() == "report.html"


@pytest.mark.parametrize(
    "words, kept",
    [
        (("compare", "a.nc", "b.nc", "--out", "a.nc"), "a.nc"),
        (("compare", "a.nc", "b.nc", "--out", "./x/../b.nc"), "b.nc"),
        (("show", "a.nc", "force", "--out", "a.nc"), "a.nc"),
        (("maintain", "a.nc", "--out", "a.nc"), "a.nc"),
        (("view", "a.nc", "--no-browser", "--out", "link.nc"), "a.nc"),
        (("line", "import", "masts.csv", "--out", "masts.csv", "--replace"), "masts.csv"),
        (("line", "fit", "survey.csv", "--line", "en50318-2002", "--out", "survey.toml"), "survey.csv"),
        (("fmi", "export", "line", "line.toml", "--out", "line.toml"), "line.toml"),
        (("fmi", "couple", "a.fmu", "b.fmu", "--duration", "1", "--out", "b.fmu"), "b.fmu"),
        (("run", "one/result.nc", "--set", "speed=250 km/h", "--out", "one"), "one/result.nc"),
        (("identify", "survey.csv", "--out", "survey.csv", "--replace"), "survey.csv"),
        (("reproduce", "lipinski23", "--results", "a.nc", "--output", "a.nc"), "a.nc"),
        (("line", "crossing", "line.toml", "depot.toml", "--at", "9", "--other-at", "9", "--angle", "1", "--out",
          "line.toml"), "line.toml"),
    ],
    ids=lambda x: x[0] if isinstance(x, tuple) else "",
)
def test_no_command_writes_over_what_it_reads(panhead, tmp_path, words, kept):
    (tmp_path / "one").mkdir()
    (tmp_path / "x").mkdir()
    for name in ("a.nc", "b.nc", "masts.csv", "survey.csv", "line.toml", "a.fmu", "b.fmu", "one/result.nc"):
        (tmp_path / name).write_text(f"the only copy of {name}")
    (tmp_path / "link.nc").symlink_to("a.nc")
    answer = panhead(*words)
    assert answer.returncode == 2
    words = " ".join(answer.stderr.split())
    assert "is an input of this command and would be overwritten; choose another --out" in words
    assert (tmp_path / kept).read_text() == f"the only copy of {kept}"


@pytest.mark.parametrize(
    "words",
    [
        ("run", "en50318-300", "--out", ""),
        ("compare", "a", "b", "--out", " "),
        ("report", ""),
        ("study", "speed-curve", "--out", ""),
    ],
)
def test_an_empty_path_is_no_folder(panhead, tmp_path, words):
    """Of "" pathlib makes the folder one happens to be in, and a run filled it."""
    answer = panhead(*words)
    assert answer.returncode == 2
    assert "is empty; give a file or a folder" in " ".join(answer.stderr.split())
    assert list(tmp_path.iterdir()) == []


def test_a_file_cannot_be_written_where_a_folder_is(tmp_path):
    from panhead.files.atomic_files import write_atomic

    for place in (tmp_path, tmp_path / "..", "."):
        with pytest.raises(IsADirectoryError):
            write_atomic(place, b"")


def test_new_asks_nothing_of_a_closed_input(tmp_path):
    words = "sys.stdin = None; sys.argv = ['panhead', 'new', 'line', 'x.toml']"
    code = f"import sys; {words}; from panhead.app.cli import main; main()"
    answer = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert answer.stderr == ""
    assert (tmp_path / "x.toml").exists()
