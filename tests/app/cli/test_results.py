"""Commands that take stored results, and options of runs that no other test types."""

import csv
import http.client
import re
import socket
import subprocess
import sys
import webbrowser
from urllib.parse import urlsplit

import numpy as np
import pytest
from openpyxl import load_workbook
from scipy.io import loadmat

from panhead.assess import judgement
from panhead.files import results
from panhead.files.variants import separate

RUN = """
kind = "run"
line = "en50318-2002"
speed = 60.0
train = [{ pantograph = "en50318-2002" }]
variants = [{ name = "slow", changes = { speed = 50.0 } }, { name = "fast", changes = { speed = 70.0 } }]
[line_changes]
tension_lengths = [{ name = "T", spans = [{ length = 50.0, count = 5, dropper_count = 5 }] }]
[journey]
start = 55.0
judged_from = 100.0
judged_to = 150.0
stop = 160.0
ramp = 0.4
[numerics]
step = 2e-3
element_length = 2.0
coarse = true
"""
FEW = re.sub(r"variants.*\n", "", RUN)


@pytest.fixture
def two(panhead, tmp_path):
    """result.nc of a run at two speeds."""
    (tmp_path / "two.toml").write_text(RUN)
    answer = panhead("run", "two.toml", "--out", "o", "--no-why", "--no-error-bars")
    assert answer.returncode == 0, answer.stderr
    return tmp_path / "o" / "result.nc"


def test_a_result_with_variants_is_shown_viewed_and_exported(panhead, two, tmp_path, monkeypatch):
    parts = separate(results.load(two))
    assert {p["contact_force"].attrs["units"] for p in parts.values()} == {"N"}
    for name, speed in (("slow", 50.0), ("fast", 70.0)):
        words = ("dropper", "--dropper", "T.span3.dropper2", "--variant", name, "--csv", "--out", f"{name}.csv")
        assert panhead("show", str(two), *words).returncode == 0
        (_, *rows) = csv.reader((tmp_path / f"{name}.csv").read_text().splitlines())
        stored = parts[name]
        number = stored["dropper_name"].to_numpy().tolist().index("T.span3.dropper2")
        np.testing.assert_array_equal([float(y) for _, y in rows], stored["dropper_force"].to_numpy()[:, number])
        x = stored["contact_x"].to_numpy()[0]
        assert (x[-1] - x[0]) / float(stored["time"][-1] - stored["time"][0]) == pytest.approx(speed)
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    answer = panhead("view", str(two), "--variant", "fast", "--out", "v.html", "--no-browser")
    assert answer.returncode == 0, answer.stderr
    assert "fast" in (tmp_path / "v.html").read_text()
    assert opened == []
    refused = panhead("view", str(two), "--variant", "faster", "--no-browser")
    assert refused.returncode == 2
    assert "slow" in refused.stderr
    assert panhead("export", str(two), "--mat", "--xlsx", "--out", "e").returncode == 0
    mat = loadmat(tmp_path / "e.mat", simplify_cells=True)
    fast, force = mat["variant_2"]["contact_force"], parts["fast"]["contact_force"]
    np.testing.assert_array_equal(np.squeeze(fast), np.squeeze(force))
    book = load_workbook(tmp_path / "e.xlsx", read_only=True)
    heads, *rows = book["judgement"].values
    found = {row[heads.index("variant")]: row[heads.index("value")] for row in rows if "mean_force" in row}
    told = {name: next(iter(of.values()))[0].value for name, of in judgement(results.load(two)).items()}
    assert found == pytest.approx(told, rel=1e-15)  # a workbook holds 16 digits
    assert found["slow"] != found["fast"]


def test_why_is_told_of_a_run_that_is_there(panhead, tmp_path):
    """A peak is attributed to parts of the line near it, and each trial moves the force."""
    (tmp_path / "r.toml").write_text(FEW)
    assert panhead("run", "r.toml", "--out", "o", "--no-why", "--no-error-bars").returncode == 0
    path = tmp_path / "o" / "result.nc"
    assert "why_force" not in results.load(path)
    answer = panhead("report", str(path), "--why")
    assert answer.returncode == 0, answer.stderr
    found = results.load(path)
    peak = float(found["why_force"][0])
    assert peak == pytest.approx(float(found["contact_force"].max()), rel=0.3)  # filtered, so lower
    assert np.abs(found["why_newtons"].to_numpy()).max() > 0.1
    assert "dropper" in str(found["why_part"].to_numpy())


def test_converge_halves_until_the_bar_is_small(panhead, tmp_path):
    (tmp_path / "r.toml").write_text(FEW)
    answer = panhead("run", "r.toml", "--out", "o", "--no-why", "--converge", "50")
    assert answer.returncode == 0, answer.stderr
    assert "step 2 ms, elements 2 m: the error bar of σ is" in answer.stderr
    (criteria,) = judgement(results.load(tmp_path / "o" / "result.nc"))[""].values()
    sigma = next(c for c in criteria if c.key == "deviation")
    assert sigma.error < 0.5 * sigma.value


def test_the_workbench_listens_where_it_is_told(tmp_path):
    """Port 0 of the system is asked for a free one first; the page answers there and nowhere else."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "panhead", "workbench", str(tmp_path), "--no-browser", "--port", str(port)]
    with subprocess.Popen([*words, "--workers", "1"], stdout=subprocess.PIPE, text=True) as process:
        try:
            address = next(found[0] for line in process.stdout if (found := re.search(r"http://\S+", line)))
            parts = urlsplit(address)
            assert parts.port == port
            line = http.client.HTTPConnection(parts.netloc, timeout=60)
            line.request("GET", parts.path)
            assert line.getresponse().status == 200
            line.close()
        finally:
            process.terminate()
