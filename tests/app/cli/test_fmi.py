"""``panhead fmi`` as a person uses it."""

import sys

import numpy as np
import pytest
from runs.fmi.native import XML3, unit

from panhead.app.cli import main
from panhead.files import results

pytest.importorskip("fmpy")
pytest.importorskip("pythonfmu")
pytest.importorskip("pythonfmu3")


@pytest.fixture
def panhead(tmp_path, monkeypatch, capsys):
    """Call the command's entry point in this process, in an empty folder: exit code, words, complaints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["panhead", *arguments])
        with pytest.raises(SystemExit) as stopped:
            main()
        said = capsys.readouterr()
        return int(stopped.value.code or 0), said.out, " ".join(said.err.split())

    return call


def test_from_export_to_a_coupled_run(panhead, tmp_path):
    code, out, _ = panhead(
        "fmi", "export", "line", "en50318-2002", "--out", "line.fmu",
        "--set", "speed=250 km/h", "--set", "start=100 m", "--set", "element_length=2",
    )  # fmt: skip
    assert code == 0
    assert "needs Python with panhead" in out
    lumped = ("fmi", "export", "pantograph", "en50318-2002", "--set", "speed=250 km/h", "--set", "strip=5.06")
    assert panhead(*lumped, "--set", "ramp=50 ms", "--fmi", "2.0", "--out", "p.fmu")[0] == 0
    code, out, _ = panhead("fmi", "look", "p.fmu")
    assert code == 0
    assert "FMI 2.0" in out
    assert all(word in out for word in ("force_1", "height_1", "linux64", "input", "output"))
    run = ("fmi", "couple", "line.fmu", "p.fmu", "--duration", "0.1")
    code, _, err = panhead(*run)
    assert code == 2
    assert "runs with your privileges" in err
    assert "--trust-foreign-code" in err
    assert not (tmp_path / "out").exists()
    finer = ("--scheme", "iterated", "--exchange-step", "2e-3")
    code, out, err = panhead(*run, "--trust-foreign-code", *finer, "--out", "run.nc")
    assert code == 0, err
    stored = results.load(tmp_path / "run.nc")
    assert np.diff(stored["time"].to_numpy()) == pytest.approx(2e-3)
    assert results.inputs_of(stored)["scheme"] == "iterated"
    assert float(stored["contact_force"].max()) > 10.0
    assert stored.attrs["interface_energy_error"] < 1e-9  # agreed to 1e-8 N in every step


RUN = """
kind = "run"
line = "en50318-2002"
speed = 70.0
solver = "coupled"
train = [{ pantograph = "p.fmu" }]
[numerics]
element_length = 4.0
coarse = true
[journey]
start = 75.0
duration = 0.04
judged_from = 75.5
judged_to = 77.0
"""


def test_a_run_with_a_unit_asks_for_trust(panhead, tmp_path):
    lumped = ("fmi", "export", "pantograph", "en50318-2002", "--set", "speed=70", "--set", "strip=5.08")
    assert panhead(*lumped, "--set", "ramp=10 ms", "--out", "p.fmu")[0] == 0
    (tmp_path / "r.toml").write_text(RUN)
    code, _, err = panhead("run", "r.toml", "--out", "o")
    assert code == 2
    assert "--trust-foreign-code" in err
    code, _, err = panhead("run", "r.toml", "--out", "o", "--trust-foreign-code")
    assert code == 0, err
    assert float(results.load(tmp_path / "o" / "result.nc")["contact_force"].max()) > 10.0


def test_a_failed_run_keeps_what_it_has(panhead, tmp_path):
    settings = ("--set", "speed=100", "--set", "start=595", "--set", "element_length=5")
    assert panhead("fmi", "export", "line", "en50318-2002", "--out", "line.fmu", *settings)[0] == 0
    assert panhead("fmi", "export", "pantograph", "en50318-2002", "--out", "p.fmu")[0] == 0
    run = ("fmi", "couple", "line.fmu", "p.fmu", "--duration", "0.1", "--trust-foreign-code")
    code, _, err = panhead(*run, "--out", "run.nc")
    assert code == 2
    assert "outside the modelled line" in err
    assert 40 < results.load(tmp_path / "run.nc").sizes["time"] < 60


def test_what_is_missing_or_wrong_is_said(panhead):
    code, _, err = panhead("fmi", "export", "line", "en50318-2002", "--out", "line.fmu")
    assert code == 2
    assert "speed: required, but missing" in err
    code, _, err = panhead("fmi", "export", "pantograph", "no-such", "--out", "p.fmu")
    assert code == 2
    assert "neither a file nor a shipped pantograph" in err
    code, _, err = panhead("fmi", "look", "nothing.fmu")
    assert code == 2
    assert "no such file" in err


def test_words_of_a_stranger_are_shown_as_they_are(panhead, tmp_path):
    """No markup of theirs is obeyed, and no control character gets to the terminal."""
    xml = XML3.format(options="", interface="CoSimulation").replace(
        'name="v"', 'name="v" description="[bold red]\x9b31m[/]"'
    )
    unit(tmp_path / "odd.fmu", "3.0", library=False, xml=xml)
    code, out, _ = panhead("fmi", "look", "odd.fmu")
    assert code == 0
    assert "[bold red]31m[/]" in out
    assert "\x9b" not in out
