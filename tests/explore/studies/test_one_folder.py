"""Two studies in one folder: the second is refused, and no sample is ever stored under another study's name."""

import pickle

import pytest

from panhead.errors import FileError
from panhead.explore.studies.run_study import conduct, prepare, unused_samples
from panhead.explore.studies.sample_plan import Plan
from panhead.explore.studies.sample_worker import InProcess, cluster_workers, compute, local_workers, path_of
from panhead.files.atomic_files import FolderInUse, claim_folder

from .test_cluster import cluster
from .test_samples import planned


def of_speed(value: float, **given) -> Plan:
    return planned(form="compare", vary=[{"input": "speed", "values": [value]}], **given)


def test_a_folder_at_work_is_refused_with_who_has_it_and_what_to_do(tmp_path):
    with claim_folder(tmp_path), pytest.raises(FolderInUse, match=r"another run or study.*process \d+, since.*--out"):
        conduct(of_speed(60.0), tmp_path, InProcess())
    assert not (tmp_path / "study.json").exists()


def test_a_key_that_does_not_follow_from_the_plan_is_not_written(tmp_path):
    """The file was edited and the study started again beside the first: 48 of 80 samples had the other's numbers."""
    one, other = of_speed(60.0), planned(form="compare", vary=[{"input": "lateral", "values": [True]}])
    prepare(one, tmp_path)
    samples = one.samples()
    prepare(other, tmp_path)  # whoever does not ask for the folder
    with pytest.raises(FileError, match=r"sample 0 belongs to another study.*Nothing was written"):
        compute(str(tmp_path), samples, [one.key(s) for s in samples])
    assert not (tmp_path / "samples").exists()


@pytest.mark.filterwarnings("ignore")  # Dask's own, about its event loop
def test_a_cluster_stores_nothing_under_another_name_either(tmp_path):
    one, other = of_speed(60.0), of_speed(60.0, seed=0, changes={"speed": 55.0, "numerics": {"step": 2e-3}})
    prepare(other, tmp_path)
    samples = one.samples()
    with cluster(1) as (port, _), cluster_workers(f"tcp://127.0.0.1:{port}") as hands:
        future = hands.submit(compute, str(tmp_path), samples, [one.key(s) for s in samples])
        while not hands.done([future])[0]:
            pass
        error = future.exception()
    assert isinstance(error, FileError)
    assert "another study" in str(error)
    assert not (tmp_path / "samples").exists()


def test_an_error_of_a_file_comes_back_from_a_worker_as_it_was():
    """Unpickled by its message alone it broke the pool of processes."""
    error = pickle.loads(pickle.dumps(FileError("a.toml", ["speed: is wrong", "line: too"])))
    assert (error.path, error.problems) == ("a.toml", ["speed: is wrong", "line: too"])


def test_what_a_killed_study_was_writing_is_cleaned_away(tmp_path):
    (tmp_path / "samples").mkdir()
    for name in (".study.json.77.part", "samples/.00ff.nc.77.part"):
        (tmp_path / name).touch()
    conduct(of_speed(60.0), tmp_path, InProcess())
    assert list(tmp_path.rglob("*.part")) == []


def test_a_study_that_is_stopped_leaves_nothing_half_written(tmp_path):
    from panhead.explore.studies.run_study import conduct_into

    def told(done: int, of: int, failed: int) -> None:
        (tmp_path / "samples").mkdir(exist_ok=True)
        (tmp_path / "samples" / ".00ff.nc.77.part").touch()  # of a worker that is ended with the study
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        conduct_into(of_speed(60.0), tmp_path, local_workers(1), lambda hands: told)
    assert [p.name for p in tmp_path.rglob("*.part")] == []
    assert not (tmp_path / ".lock").exists()


def test_a_folder_inside_that_another_process_has_is_left_alone(tmp_path):
    inner = tmp_path / "rerun-3"
    with claim_folder(inner):
        (inner / ".result.nc.77.part").touch()
        with claim_folder(tmp_path):
            assert (inner / ".result.nc.77.part").exists()


def test_samples_of_another_version_are_not_used_and_that_is_said(tmp_path, monkeypatch):
    """A folder in which studies have mixed keeps its files; none of them counts any more."""
    plan = of_speed(60.0)
    (tmp_path / "samples").mkdir()
    path_of(tmp_path, "0" * 24).write_bytes(b"of long ago")
    index = conduct(plan, tmp_path, InProcess())
    assert index.sizes["sample"] == 1
    assert unused_samples(plan, tmp_path, plan.samples()) == 1
