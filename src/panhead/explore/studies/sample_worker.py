"""Compute samples, one file each, in this process, in local worker processes or on a cluster."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from panhead import __version__
from panhead.errors import FileError, PanheadError
from panhead.explore.studies import sample_file
from panhead.explore.studies.sample_plan import STORED, Plan, Sample
from panhead.runs.description import Run
from panhead.runs.worker_processes import end, pool

if TYPE_CHECKING:
    import xarray as xr


_HANDS = 4  # files that are on their way to the disk at once


@lru_cache(4)
def _plan(text: str, path: Path) -> Plan:
    return Plan.from_text(text, path)


def stored_plan(folder: Path) -> Plan:
    """The plan that a study's folder holds at this moment; read once as long as it stays the same."""
    path = folder / STORED
    return _plan(path.read_text(encoding="utf-8"), path)


def path_of(folder: Path, key: str) -> Path:
    """Path of a sample's result."""
    return folder / "samples" / f"{key}.nc"


def bars_path(folder: Path, key: str) -> Path:
    """Path of the numerical error bars of a sample, if the study has them."""
    return folder / "bars" / f"{key}.nc"


def compute(folder: str, samples: Sequence[Sample], keys: Sequence[str]) -> int:
    """Compute samples and write a file for each that has none, as soon as it is judged; returns how many failed.

    A sample that cannot be computed leaves a file with the reason, and the study continues. A key that does not
    follow from the plan is refused: its file would contain the results of another study.
    """
    place = Path(folder)
    plan = stored_plan(place)
    missing = [(s, key) for s, key in zip(samples, keys, strict=True) if not path_of(place, key).exists()]
    _check_keys(plan, missing, place)
    failed, written = 0, []
    with warnings.catch_warnings(), ThreadPoolExecutor(_HANDS) as disk:  # who waits for it does not compute
        warnings.simplefilter("ignore")
        for k, found in outcomes_of(plan, [s for s, _ in missing]):
            written.append(disk.submit(write, place, *missing[k], found))
            failed += bool(found.attrs["verdict"] == "failed")
        for one in written:
            one.result()
    return failed


def _check_keys(plan: Plan, wanted: Sequence[tuple[Sample, str]], folder: Path) -> None:
    for sample, key in wanted:
        if plan.key(sample) != key:
            raise FileError(
                folder / STORED,
                f"sample {sample.number} belongs to another study, or to a version other than {__version__}: its key "
                f"is {key}, but this study expects {plan.key(sample)}. Nothing was written. Use a separate folder for "
                "each study (--out), and the same version on all machines",
            )


def compute_error_bars(folder: str, samples: Sequence[Sample], keys: Sequence[str]) -> int:
    """Compute samples with the repeat for their error bars, and write these; return how many failed."""
    from panhead.engine.jobs import Job
    from panhead.explore.studies.sample_outcome import failure, outcome
    from panhead.runs.simulate import simulate

    place, failed = Path(folder), 0
    plan = stored_plan(place)
    _check_keys(plan, list(zip(samples, keys, strict=True)), place)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample, key in zip(samples, keys, strict=True):
            if bars_path(place, key).exists():
                continue
            try:
                found = outcome(simulate(plan.run_of(sample), Job(error_bars="described")))
            except PanheadError as error:
                found, failed = failure(str(error)), failed + 1
            sample_file.save(found.assign_attrs(key=key, sample=sample.number), bars_path(place, key))
    return failed


def write(folder: Path, sample: Sample, key: str, found: xr.Dataset) -> None:
    """Write a sample's small dataset."""
    sample_file.save(found.assign_attrs(key=key, sample=sample.number), path_of(folder, key))


def compute_tangents(folder: str) -> int:
    """Take the gradients that serve as control variates, as a task among the samples (``control_variates``)."""
    from panhead.explore.studies.control_variates import OF, tangents

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tangents(stored_plan(Path(folder)), Path(folder), list(OF), compute=True)
    return 0


def outcomes_of(plan: Plan, samples: Sequence[Sample]) -> Iterator[tuple[int, xr.Dataset]]:
    """Number and small dataset of every sample as it is done, of a failure if there is one; the same bits in any
    company."""
    from panhead.explore.studies.sample_outcome import failure, outcome
    from panhead.runs.batch import iterate_batch

    runs: dict[int, Run] = {}
    for k, sample in enumerate(samples):
        try:
            runs[k] = plan.run_of(sample)
        except PanheadError as error:
            yield k, failure(str(error))
    numbers = list(runs)
    for k, found in iterate_batch(list(runs.values())):
        yield numbers[k], failure(str(found)) if isinstance(found, PanheadError) else outcome(found)


class Workers(Protocol):
    """Interface of anything that computes samples."""

    count: int
    ahead: int  #: tasks to be handed out at once for each of them
    lost: tuple[type[BaseException], ...]  #: what a task ends with if its worker died

    def submit(self, task: Callable[..., int], *given: Any) -> Any:
        """Begin a task."""

    def done(self, waiting: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Wait until at least one is done: those done, and those still waited for."""


class Processes:
    """Processes of this machine, each for itself: one that dies takes no other's work with it."""

    ahead = 1
    lost: tuple[type[BaseException], ...] = (BrokenProcessPool,)

    def __init__(self, count: int) -> None:
        self.count = count
        self._hands = [self._fresh() for _ in range(count)]
        self._tasks: list[list[Future[int]]] = [[] for _ in range(count)]

    def _fresh(self) -> ProcessPoolExecutor:
        return pool(1)

    def submit(self, task: Callable[..., int], *given: Any) -> Future[int]:
        """Begin a task where there is least to do; a process that was killed is made anew."""
        self._tasks = [[t for t in tasks if not t.done()] for tasks in self._tasks]
        k = min(range(self.count), key=lambda k: len(self._tasks[k]))
        try:
            found = self._hands[k].submit(task, *given)
        except BrokenProcessPool:
            self._hands[k] = self._fresh()
            found = self._hands[k].submit(task, *given)
        self._tasks[k].append(found)
        return found

    def done(self, waiting: Sequence[Future[int]]) -> tuple[list[Any], list[Any]]:
        """Wait until at least one is done."""
        ready, rest = wait(waiting, return_when=FIRST_COMPLETED)
        return list(ready), list(rest)

    def close(self) -> None:
        """End the workers; samples not begun are dropped, one under way is not written."""
        for hand in self._hands:
            end(hand)


class InProcess:
    """This process itself: for one worker, and for tests."""

    count = ahead = 1
    lost: tuple[type[BaseException], ...] = ()

    def submit(self, task: Callable[..., int], *given: Any) -> Future[int]:
        """Do a task now."""
        future: Future[int] = Future()
        try:
            future.set_result(task(*given))
        except OSError as error:
            future.set_exception(error)
        return future

    def done(self, waiting: Sequence[Future[int]]) -> tuple[list[Any], list[Any]]:
        """All of them are."""
        return list(waiting), []


@contextlib.contextmanager
def local_workers(count: int) -> Iterator[Workers]:
    """Workers on this machine."""
    if count == 1:
        yield InProcess()
        return
    hands = Processes(count)
    try:
        yield hands
    finally:
        hands.close()


@contextlib.contextmanager
def cluster_workers(address: str) -> Iterator[Workers]:
    """Workers of a Dask scheduler, by its address or the file it writes."""
    from panhead.explore.studies.cluster import Cluster

    cluster = Cluster(address)
    try:
        yield cluster
    finally:
        cluster.close()
