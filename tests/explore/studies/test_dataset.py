"""Data set of a study: curves are those of the runs, failed samples are kept, an interrupted export continues."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow.parquet as pq
import pytest

from panhead.errors import ModelError
from panhead.explore.studies import dataset
from panhead.explore.studies.dataset import split_of, write_dataset
from panhead.explore.studies.sample_plan import Plan
from panhead.explore.studies.study_description import Study
from panhead.files import parse
from panhead.runs import worker_processes
from panhead.runs.simulate import simulate_one
from tests.oracles.zarr_array import read_array

SHORT = {
    "line_changes": {"tension_lengths": [{"name": "T1", "spans": [{"length": 50.0, "count": 5, "dropper_count": 6}]}]},
    "numerics": {"step": "2 ms", "element_length": "2 m", "coarse": True},
    "journey": {"judged_from": 100.0, "judged_to": 150.0, "stop": 160.0, "ramp": 0.4},
    "speed": 60.0,
}
FORCES = ["110 N", "130 N", "-1e9 N"]  # the last one cannot be computed


def plan(**given):
    raw = {"base": "en50318-300", "changes": SHORT, "form": "compare"} | given
    return Plan.of("small", parse.build(Study, raw, source="small"))


def test_a_data_set_holds_the_runs(tmp_path):
    wanted = plan(vary=[{"input": "train.0.changes.static_force", "values": FORCES}])
    seen = []

    def stop(done, of, failed):
        seen.append((done, of, failed))
        if done == 2 and len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_dataset(wanted, tmp_path, stop)
    before = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "curves").iterdir()}
    card = write_dataset(wanted, tmp_path, stop).read_text(encoding="utf-8")
    assert {p.name: p.stat().st_mtime_ns for p in (tmp_path / "curves").iterdir()} == before
    rows = pq.read_table(tmp_path / "samples.parquet").to_pylist()
    assert [row["state"] for row in rows] == ["computed", "computed", "failed"]
    assert [row["train.0.changes.static_force"] for row in rows] == FORCES
    assert rows[2]["message"]
    assert rows[2]["message"] in card
    for word in ("## What", "## How", "## Licence", "## Splits", "## Known limits", "1 failed"):
        assert word in card
    curve = pq.read_table(tmp_path / rows[1]["curve"])
    result = simulate_one(wanted.run_of(wanted.samples()[1]))
    np.testing.assert_array_equal(curve["force_N"], result["contact_force"].to_numpy()[0].astype(np.float32))
    assert rows[0]["mean"] < rows[1]["mean"]


def test_a_zarr_store_holds_the_same_numbers_by_workers(tmp_path, monkeypatch):
    """Threads stand for processes: a batch is the same task in both. Text and numbers come back as written."""
    monkeypatch.setattr(worker_processes, "pool", ThreadPoolExecutor)
    monkeypatch.setattr(worker_processes, "end", lambda pool: pool.shutdown())
    monkeypatch.setattr(dataset, "_BATCH", 1)
    wanted = plan(vary=[{"input": "train.0.changes.static_force", "values": FORCES[1:]}])
    card = write_dataset(wanted, tmp_path, form="zarr", workers=2).read_text(encoding="utf-8")
    store = tmp_path / "data.zarr"
    assert "data.zarr/curves/sample-N" in card
    assert read_array(store / "samples" / "state").tolist() == ["computed", "failed"]
    (name, _) = read_array(store / "samples" / "curve")
    force = simulate_one(wanted.run_of(wanted.samples()[0]))["contact_force"].to_numpy()[0]
    np.testing.assert_array_equal(read_array(tmp_path / name / "force_N"), force.astype(np.float32))
    zarr = pytest.importorskip("zarr")
    assert zarr.open(str(store), mode="r")["samples/mean"][0] == read_array(store / "samples" / "mean")[0]


def test_splits_follow_from_the_key_alone():
    found = [split_of(f"key {k}") for k in range(2000)]
    assert 0.77 < found.count("train") / 2000 < 0.83  # 3.3 standard errors
    assert set(found) == {"train", "validation", "test"}


def test_a_search_has_no_data_set(tmp_path):
    search = plan(form="limit", vary=[{"input": "speed", "first": "200 km/h", "last": "250 km/h"}])
    with pytest.raises(ModelError, match="limit"):
        write_dataset(search, tmp_path)
