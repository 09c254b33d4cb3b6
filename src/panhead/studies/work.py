"""Computing samples: one function writes one file, whoever calls it, here or on another machine."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Protocol

from panhead.errors import PanheadError, SimulationError
from panhead.files import results
from panhead.studies.plan import Plan, Sample

_TRIES = 3  # of a sample whose worker died


@lru_cache(4)
def _plan(folder: str, _changed: float) -> Plan:
    return Plan.stored(Path(folder))


def path_of(folder: Path, key: str) -> Path:
    """Where a sample's result is."""
    return folder / "samples" / f"{key}.nc"


def compute(folder: str, sample: Sample, key: str) -> bool:
    """Compute one sample and write its file, unless it is there; returns whether it failed.

    A sample that cannot be computed leaves a file with the reason: the rest of the study goes on.
    """
    path = path_of(Path(folder), key)
    if path.exists():
        return False
    plan = _plan(folder, (Path(folder) / "study.json").stat().st_mtime)
    found = outcome_of(plan, sample)
    results.save(found.assign_attrs(key=key, sample=sample.number), path)
    return bool(found.attrs["verdict"] == "failed")


def outcome_of(plan: Plan, sample: Sample) -> Any:
    """The small dataset of a sample; of a failure if there is one."""
    from panhead.runs.simulate import simulate
    from panhead.studies.outcome import failure, outcome

    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        try:
            return outcome(simulate(plan.run_of(sample)))
        except PanheadError as error:
            return failure(str(error))


class Workers(Protocol):
    """Whoever computes samples."""

    count: int

    def submit(self, folder: str, sample: Sample, key: str) -> Any:
        """Begin a sample."""

    def done(self, waiting: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Wait until at least one is done: those done, and those still waited for."""


class Processes:
    """Processes of this machine."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool = self._fresh()

    def _fresh(self) -> ProcessPoolExecutor:
        # spawned, not forked: a worker shares no lock or thread with this process
        return ProcessPoolExecutor(self.count, mp_context=get_context("spawn"), initializer=_one_thread)

    def submit(self, folder: str, sample: Sample, key: str) -> Future[bool]:
        """Begin a sample; a pool whose worker was killed is made anew."""
        try:
            return self._pool.submit(compute, folder, sample, key)
        except BrokenProcessPool:
            self._pool = self._fresh()
            return self._pool.submit(compute, folder, sample, key)

    def done(self, waiting: Sequence[Future[bool]]) -> tuple[list[Any], list[Any]]:
        """Wait until at least one is done."""
        ready, rest = wait(waiting, return_when=FIRST_COMPLETED)
        return list(ready), list(rest)

    def close(self) -> None:
        """End the workers; samples not begun are dropped, one under way is not written."""
        processes = list((self._pool._processes or {}).values())
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()


class Here:
    """This process itself: for one worker, and for tests."""

    count = 1

    def submit(self, folder: str, sample: Sample, key: str) -> Future[bool]:
        """Compute a sample now."""
        future: Future[bool] = Future()
        try:
            future.set_result(compute(folder, sample, key))
        except OSError as error:
            future.set_exception(error)
        return future

    def done(self, waiting: Sequence[Future[bool]]) -> tuple[list[Any], list[Any]]:
        """All of them are."""
        return list(waiting), []


def _one_thread() -> None:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ[name] = "1"


@contextlib.contextmanager
def local_workers(count: int) -> Iterator[Workers]:
    """Workers on this machine."""
    if count == 1:
        yield Here()
        return
    pool = Processes(count)
    try:
        yield pool
    finally:
        pool.close()


@contextlib.contextmanager
def cluster_workers(address: str) -> Iterator[Workers]:
    """Workers of a Dask scheduler, by its address or the file it writes."""
    from panhead.studies.cluster import Cluster

    cluster = Cluster(address)
    try:
        yield cluster
    finally:
        cluster.close()


def compute_all(
    folder: Path, plan: Plan, samples: Sequence[Sample], workers: Workers, told: Callable[[int, int, int], None]
) -> None:
    """Compute those samples whose files do not exist; ``told(done, of, failed)`` after each.

    A worker that dies costs the sample it was at: it is tried again, three times in all.
    """
    queue = [(s, plan.key(s), 0) for s in samples]
    queue = [entry for entry in queue if not path_of(folder, entry[1]).exists()]
    total, finished, failed = len(samples), len(samples) - len(queue), 0
    told(finished, total, failed)
    queue.reverse()
    waiting: dict[Any, tuple[Sample, str, int]] = {}
    while queue or waiting:
        while queue and len(waiting) < 3 * workers.count:
            entry = queue.pop()
            waiting[workers.submit(str(folder), entry[0], entry[1])] = entry
        ready, _ = workers.done(list(waiting))
        for future in ready:
            sample, key, tries = waiting.pop(future)
            error = future.exception()
            if error is None:
                finished, failed = finished + 1, failed + future.result()
                told(finished, total, failed)
            elif isinstance(error, OSError) or tries + 1 == _TRIES:
                raise SimulationError(f"sample {sample.number} could not be computed: {type(error).__name__}: {error}")
            else:
                queue.append((sample, key, tries + 1))
