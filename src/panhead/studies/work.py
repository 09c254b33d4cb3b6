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
from typing import TYPE_CHECKING, Any, Protocol

from panhead.errors import PanheadError, SimulationError
from panhead.runs.description import Run
from panhead.studies import sample_file
from panhead.studies.plan import Plan, Sample

if TYPE_CHECKING:
    import xarray as xr

_TRIES = 3  # of samples whose worker died
_HANDFUL = 8  # samples computed side by side


@lru_cache(4)
def _plan(folder: str, _changed: float) -> Plan:
    return Plan.stored(Path(folder))


def path_of(folder: Path, key: str) -> Path:
    """Where a sample's result is."""
    return folder / "samples" / f"{key}.nc"


def compute(folder: str, samples: Sequence[Sample], keys: Sequence[str]) -> int:
    """Compute samples and write a file for each that has none, as soon as it is judged; returns how many failed.

    A sample that cannot be computed leaves a file with the reason: the rest of the study goes on.
    """
    place = Path(folder)
    missing = [(s, key) for s, key in zip(samples, keys, strict=True) if not path_of(place, key).exists()]
    plan = _plan(folder, (place / "study.json").stat().st_mtime)
    failed = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k, found in outcomes_of(plan, [s for s, _ in missing]):
            sample, key = missing[k]
            sample_file.save(found.assign_attrs(key=key, sample=sample.number), path_of(place, key))
            failed += bool(found.attrs["verdict"] == "failed")
    return failed


def outcomes_of(plan: Plan, samples: Sequence[Sample]) -> Iterator[tuple[int, xr.Dataset]]:
    """Number and small dataset of every sample as it is done, of a failure if there is one; the same bits in any
    company."""
    from panhead.runs.together import each_together
    from panhead.studies.outcome import failure, outcome

    runs: dict[int, Run] = {}
    for k, sample in enumerate(samples):
        try:
            runs[k] = plan.run_of(sample)
        except PanheadError as error:
            yield k, failure(str(error))
    numbers = list(runs)
    for k, found in each_together(list(runs.values())):
        yield numbers[k], failure(str(found)) if isinstance(found, PanheadError) else outcome(found)


class Workers(Protocol):
    """Whoever computes samples."""

    count: int

    def submit(self, folder: str, samples: Sequence[Sample], keys: Sequence[str]) -> Any:
        """Begin some samples."""

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

    def submit(self, folder: str, samples: Sequence[Sample], keys: Sequence[str]) -> Future[int]:
        """Begin some samples; a pool whose worker was killed is made anew."""
        try:
            return self._pool.submit(compute, folder, samples, keys)
        except BrokenProcessPool:
            self._pool = self._fresh()
            return self._pool.submit(compute, folder, samples, keys)

    def done(self, waiting: Sequence[Future[int]]) -> tuple[list[Any], list[Any]]:
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

    def submit(self, folder: str, samples: Sequence[Sample], keys: Sequence[str]) -> Future[int]:
        """Compute some samples now."""
        future: Future[int] = Future()
        try:
            future.set_result(compute(folder, samples, keys))
        except OSError as error:
            future.set_exception(error)
        return future

    def done(self, waiting: Sequence[Future[int]]) -> tuple[list[Any], list[Any]]:
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
    """Compute those samples whose files do not exist; ``told(done, of, failed)`` after each handful.

    A worker that dies costs the handful it was at: it is tried again, three times in all.
    """
    missing = [(s, key) for s in samples if not path_of(folder, key := plan.key(s)).exists()]
    total, finished, failed = len(samples), len(samples) - len(missing), 0
    told(finished, total, failed)
    queue = [(part, 0) for part in reversed(_handfuls(missing, workers.count))]
    waiting: dict[Any, tuple[list[tuple[Sample, str]], int]] = {}
    while queue or waiting:
        while queue and len(waiting) < 3 * workers.count:
            part, tries = queue.pop()
            waiting[workers.submit(str(folder), [s for s, _ in part], [key for _, key in part])] = part, tries
        ready, _ = workers.done(list(waiting))
        for future in ready:
            part, tries = waiting.pop(future)
            error = future.exception()
            if error is None:
                finished, failed = finished + len(part), failed + future.result()
                told(finished, total, failed)
            elif isinstance(error, OSError) or tries + 1 == _TRIES:
                raise _given_up(part, error)
            else:
                queue.append((part, tries + 1))


def _handfuls(missing: list[tuple[Sample, str]], workers: int) -> list[list[tuple[Sample, str]]]:
    """What is handed to a worker at once: as many as go side by side, fewer if that keeps all of them busy."""
    size = max(1, min(_HANDFUL, -(-len(missing) // workers)))
    return [missing[k : k + size] for k in range(0, len(missing), size)]


def _given_up(part: list[tuple[Sample, str]], error: BaseException) -> SimulationError:
    numbers = ", ".join(str(s.number) for s, _ in part)
    return SimulationError(
        f"{'samples' if len(part) > 1 else 'sample'} {numbers} could not be computed: {type(error).__name__}: {error}"
    )
