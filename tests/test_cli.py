"""The command line as a person uses it: its output, its files, its exit code."""

import json
import subprocess
import sys

import numpy as np
import pytest

from panhead import __version__, scenarios
from panhead.files import results


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
        "from panhead.cli import main\n"
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
    for word in words:
        assert word in said, answer.stderr
    assert "Traceback" not in answer.stderr
    assert len(answer.stderr.splitlines()) < 20
    assert sorted(tmp_path.iterdir()) == before


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
    assert "run failed" in answer.stderr
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
