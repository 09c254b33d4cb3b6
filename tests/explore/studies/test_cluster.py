"""A real Dask scheduler, real workers on loopback: what is written is lost with neither."""

import contextlib
import os
import signal
import socket
import subprocess
import sys

import pytest

from panhead.errors import SimulationError
from panhead.explore.studies.run_study import conduct
from panhead.explore.studies.sample_worker import InProcess, cluster_workers

from .test_samples import planned


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def started(*words: str) -> subprocess.Popen:
    env = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "distributed.cli." + words[0], *words[1:]]
    return subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def scheduler(port: int) -> subprocess.Popen:
    return started("dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")


def worker(port: int) -> subprocess.Popen:
    return started("dask_worker", f"tcp://127.0.0.1:{port}", "--nthreads", "1", "--no-nanny", "--no-dashboard",
                   "--death-timeout", "60")  # fmt: skip


@contextlib.contextmanager
def cluster(workers: int):
    port = free_port()
    crew = [scheduler(port), *(worker(port) for _ in range(workers))]
    try:
        yield port, crew
    finally:
        for process in crew:
            process.kill()
        for process in crew:
            process.wait()


def speeds(count: int):
    return planned(form="compare", vary=[{"input": "speed", "first": 50.0, "last": 60.0, "steps": count}])


@pytest.mark.filterwarnings("ignore")  # Dask's own, about its event loop
def test_a_killed_worker_costs_what_it_was_at(tmp_path):
    plan = speeds(6)
    with cluster(2) as (port, crew):
        seen = []

        def told(done: int, of: int, failed: int) -> None:
            seen.append(done)
            if done == 2 and crew[1].poll() is None:
                crew[1].send_signal(signal.SIGKILL)

        with cluster_workers(f"tcp://127.0.0.1:{port}") as hands:
            index = conduct(plan, tmp_path / "cluster", hands, told)
    assert seen[-1] == 6
    assert index.sizes["sample"] == 6
    assert index["value"].equals(conduct(plan, tmp_path / "here", InProcess())["value"])  # the same bits


def test_a_cluster_that_does_not_answer_is_told(monkeypatch):
    monkeypatch.setattr("panhead.explore.studies.cluster._PATIENCE", "1 s")
    with pytest.raises(SimulationError, match="does not respond"), cluster_workers(f"tcp://127.0.0.1:{free_port()}"):
        pass


def test_the_command_asks_the_cluster_it_is_told(panhead, tmp_path, monkeypatch):
    """By its address; what is not there is told, with what is kept."""
    monkeypatch.setattr("panhead.explore.studies.cluster._PATIENCE", "1 s")
    answer = panhead("study", "speed-curve", "--cluster", f"tcp://127.0.0.1:{free_port()}", "--out", "s")
    assert answer.returncode == 2
    assert "does not respond" in " ".join(answer.stderr.split())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_two_hundred_samples_survive_two_workers_and_the_scheduler(tmp_path):
    plan, folder = speeds(200), tmp_path / "cluster"
    with cluster(2) as (port, crew):

        def told(done: int, of: int, failed: int) -> None:
            for at, which in ((40, 1), (80, 2), (120, 0)):
                if done >= at and crew[which].poll() is None:
                    crew[which].kill()
                    crew[which].wait()
                    if which:
                        crew.append(worker(port))

        with pytest.raises(SimulationError, match="repeat the command to continue"):  # noqa: SIM117
            with cluster_workers(f"tcp://127.0.0.1:{port}") as hands:
                conduct(plan, folder, hands, told)
    kept = len(list((folder / "samples").glob("*.nc")))
    assert kept >= 120
    with cluster(2) as (port, _), cluster_workers(f"tcp://127.0.0.1:{port}") as hands:
        index = conduct(plan, folder, hands)
    assert index.sizes["sample"] == 200
    assert index["value"].equals(conduct(plan, tmp_path / "here", InProcess())["value"])
