"""``panhead leaderboard``, ``study --dataset`` and ``export c`` as they are typed."""

import csv

import pytest

from tests.oracles.zarr_array import read_array

pytestmark = pytest.mark.filterwarnings("ignore::panhead.errors.RunWarning")
SHORT = """line_changes.tension_lengths = [{ name = "T1", spans = [{ length = 50.0, count = 5, dropper_count = 6 }] }]
numerics = { step = "2 ms", element_length = "2 m", coarse = true, repeat = "none", explain = "none" }
journey = { judged_from = 100.0, judged_to = 150.0, stop = 160.0, ramp = 0.4 }
speed = 60.0
"""


def test_a_leaderboard_of_one_episode(panhead, tmp_path):
    """No control has no share of the possible; every baseline is in the table."""
    (tmp_path / "task.toml").write_text(f'runs = "en50318-300"\n[changes]\n{SHORT}', encoding="utf-8")
    told = panhead(
        "leaderboard", "task.toml", "--out", "board", "--episodes", "1", "--seed", "5", "--split", "train",
        "--iterations", "2",
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    with open(tmp_path / "board" / "leaderboard.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 3
    none = next(row for row in rows if "none" in row.values())
    assert float(none[next(key for key in none if key.startswith("share"))]) == pytest.approx(0.0, abs=1e-9)


def test_a_study_becomes_a_data_set(panhead, tmp_path):
    forces = 'vary = [{ input = "train.0.changes.static_force", values = ["110 N", "130 N"] }]\n'
    head = 'kind = "study"\nbase = "en50318-300"\nform = "compare"\n'
    (tmp_path / "small.toml").write_text(f"{head}{forces}[changes]\n{SHORT}", encoding="utf-8")
    told = panhead("study", "small.toml", "--dataset", "--format", "zarr", "--out", "set")
    assert told.returncode == 0, told.stderr
    mean = read_array(tmp_path / "set" / "data.zarr" / "samples" / "mean")
    assert 100.0 < mean[0] < mean[1] < 140.0  # the forces that were asked for
    told = panhead("study", "small.toml", "--dataset", "--cluster", "tcp://nowhere:1")
    assert "on this machine" in told.stderr


def test_a_rig_is_exported(panhead, tmp_path):
    told = panhead(
        "export", "c", "en50318-250", "--out", "rig", "--interface", "motion", "--float32", "--record", "32",
        "--set", "speed=60",
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    assert "#define RECORD 32" in (tmp_path / "rig" / "rig_motion.h").read_text(encoding="utf-8")
