"""``panhead measure``, ``calibrate`` and ``identify`` as they are typed: from a run to a record to parameters."""

import numpy as np
import pytest

from panhead.files.parse import read_toml

pytestmark = pytest.mark.filterwarnings("ignore::panhead.errors.RunWarning")
RUN = """kind = "run"
line = "en50318-2002"
line_changes.tension_lengths = [{ name = "T1", spans = [{ length = "50 m", count = 6, dropper_count = 6 }] }]
train = [{ pantograph = "en50318-2002" }]
speed = "60 m/s"
numerics = { step = "2 ms", repeat = "none", explain = "none" }
journey = { judged_from = "100 m", judged_to = "150 m", stop = "180 m", ramp = "0.4 s" }
"""
INSTRUMENT = """kind = "measurement"
name = "measuring run"
speed = "60 m/s"
force = "force.csv"
[instrument]
cell_noise = "1 N"
"""


def test_a_run_is_measured_and_its_mass_found(panhead, tmp_path):
    """The record comes from the run itself: the mass is found where it was, within three of its deviations."""
    (tmp_path / "short.toml").write_text(RUN, encoding="utf-8")
    (tmp_path / "train.toml").write_text(INSTRUMENT, encoding="utf-8")
    (tmp_path / "force.csv").write_text("place,force\nm,N\n100,120\n101,121\n", encoding="utf-8")
    assert panhead("run", "short.toml", "--out", "out", "--no-error-bars").returncode == 0
    told = panhead("measure", "out/result.nc", "--instrument", "train.toml", "--out", "measured", "--pantograph", "1")
    assert told.returncode == 0, told.stderr
    (record,) = (tmp_path / "measured").glob("*.csv")
    told = panhead(
        "calibrate", "short.toml", str(record), "--unknown", "pantograph.mass:*stage 1=20 %", "--noise", "force=1 N",
        "--posterior", "laplace", "--out", "found", "--workers", "1",
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    (mass,) = read_toml(tmp_path / "found" / "parameters.toml")["parameters"]
    assert abs(mass["value"] - 7.2) < 3.0 * mass["deviation"] < 0.72


def test_a_pantograph_is_identified_from_a_bench_test(panhead, tmp_path):
    """Two masses of EN 50318:2002; the response is that of the two equations of motion."""
    f = np.linspace(0.5, 25.0, 60)
    rows = ["frequency,inertance,phase", "Hz,m/s**2/N,deg"]
    for w in 2.0 * np.pi * f:
        k, c = 4200.0 + 10j * w, 50.0 + 90j * w
        head = 1.0 / (k - 7.2 * w**2 - k**2 / (k + c - 15.0 * w**2))
        rows.append(f"{w / 2 / np.pi:.6g},{abs(w**2 * head):.8g},{np.degrees(np.angle(-(w**2) * head)):.6g}")
    (tmp_path / "bench.csv").write_text("\n".join(rows), encoding="utf-8")
    told = panhead(
        "identify", "bench.csv", "--masses", "2", "--name", "own", "--static-force", "55 N", "--out", "own.toml"
    )
    assert told.returncode == 0, told.stderr
    found = read_toml(tmp_path / "own.toml")
    assert [float(str(s["mass"]).split()[0]) for s in found["stages"]] == pytest.approx([7.2, 15.0], rel=1e-3)
    assert "55" in str(found["static_force"])
    kept = (tmp_path / "own.toml").read_text()
    told = panhead("identify", "bench.csv", "--masses", "1", "--out", "own.toml")
    assert told.returncode == 2
    assert "already exists" in told.stderr
    assert (tmp_path / "own.toml").read_text() == kept
    assert panhead("identify", "bench.csv", "--masses", "1", "--out", "own.toml", "--replace").returncode == 0
    told = panhead("identify", "bench.csv", "--name", "../own")
    assert told.returncode == 2
    assert "--name: '../own' is not a valid folder name" in told.stderr
