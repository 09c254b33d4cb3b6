"""Output folder of a scenario: results are on disk before their checkpoints are removed."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from panhead.engine.jobs import STOPPED, Job
from panhead.errors import FileError, Interrupted, SimulationError
from panhead.files import results
from panhead.files.atomic_files import claim_folder
from panhead.runs.checkpoints import FINISHED
from panhead.runs.scenarios import Scenario
from panhead.runs.streams import FOLDER

if TYPE_CHECKING:
    import xarray as xr

    from panhead.files.result import Result

RESULT, PARTIAL, REPORT, FIGURES = "result.nc", "partial.nc", "report.html", "figures"
_BARS = {"none": 0, "described": 1, "coarser": 1, "finer": 2}  # what is there may be more than is asked
_ROWS = (".run", ".ride", ".trials-*", ".repeated*", ".variant*")  # what runs stream into a folder
_STATES = ("checkpoint-?", FINISHED)  # to go on from
_PLACES = (".run", ".ride/.run", ".trials-*/.run", ".variant*/**", ".repeated*/**")
_LEFT = tuple(f"{where}/{what}" for where in _PLACES for what in _STATES)


@dataclass(frozen=True, slots=True)
class KeptResult:
    """Result and its path."""

    result: Result
    saved: Path
    report: Path


def run_into(scenario: Scenario, folder: Path, job: Job) -> KeptResult:
    """Run a scenario into an output folder: result.nc, report.html, figures; partial.nc on failure.

    A stopped run leaves its checkpoints, from which ``job.resume`` continues; after a finished run of the same inputs
    it does nothing. Once the verdict is known, result.nc is written in any case.
    """
    folder = Path(folder)
    with claim_folder(folder), _disk_errors(folder):
        _check_free(folder)
        done = _finished_result(scenario, folder, job) if job.resume else None
        if done is not None:
            job.say(f"nothing to do: {folder / RESULT} already holds the finished run of these inputs")
            return KeptResult(done, folder / RESULT, _report(done, folder))
        if job.resume and not can_continue(folder):
            job.say(f"no checkpoint in {folder}: the run starts from the beginning")
        judged: list[xr.Dataset] = []
        try:
            result = scenario.simulate(replace(job, judged=_chain_listeners(judged.append, job.judged)))
            job.progress(1.0, "result")
            saved = _save(result, folder / RESULT)
        except (OSError, FileError):
            raise
        except BaseException as error:
            if judged:
                _keep_verdict(judged[-1], folder, error)
            elif isinstance(error, SimulationError) and error.partial is not None:
                kept = _save(error.partial, folder / PARTIAL)
                _remove_report(folder)
                if not (isinstance(error, Interrupted) and can_continue(folder)):
                    remove_rows(folder)
                job.say(f"the run up to the failure is saved in {kept}")
            elif isinstance(error, KeyboardInterrupt) and not can_continue(folder):
                remove_rows(folder)  # where no solver keeps what there is: while a line is strung or a kernel compiles
            raise
        (folder / PARTIAL).unlink(missing_ok=True)
        if result.attrs.get("reason") == STOPPED:
            job.say(f"the search was interrupted; the best controls so far are in {saved}; continue with --resume")
        else:
            remove_rows(folder)
        job.progress(1.0, "page")
        return KeptResult(result, saved, _report(result, folder))


def _chain_listeners(
    first: Callable[[xr.Dataset], None], then: Callable[[xr.Dataset], None]
) -> Callable[[xr.Dataset], None]:
    """Combine two listeners."""

    def listener(result: xr.Dataset) -> None:
        first(result)
        then(result)

    return listener


def _keep_verdict(result: xr.Dataset, folder: Path, error: BaseException) -> None:
    """Save an assessed run whose explanation was interrupted."""
    _remove_report(folder)
    saved = _save(result.assign_attrs(unexplained="yes"), folder / RESULT)
    (folder / PARTIAL).unlink(missing_ok=True)
    if isinstance(error, KeyboardInterrupt):
        raise Interrupted(f"the run and its verdict are saved in {saved}; --resume completes its page") from None


def can_continue(folder: Path) -> bool:
    """True if a folder holds something to resume from."""
    return any(any(Path(folder).glob(pattern)) for pattern in _LEFT)


def remove_rows(folder: Path) -> None:
    """Delete the streams of finished runs from a folder."""
    for pattern in _ROWS:
        for rows in folder.glob(pattern):
            shutil.rmtree(rows, ignore_errors=True)


@contextlib.contextmanager
def _disk_errors(folder: Path) -> Iterator[None]:
    """Turn a full or missing disk into a FileError with a remedy."""
    try:
        yield
    except OSError as error:
        remedy = "Free some space" + (" and continue with --resume" if can_continue(folder) else "")
        raise FileError(error.filename or folder, f"cannot be used: {error.strerror or error}. {remedy}") from None


def _check_free(folder: Path) -> None:
    """FileError if a file or folder blocks an output path."""
    for name in (RESULT, PARTIAL, REPORT):
        if (folder / name).is_dir():
            raise FileError(folder / name, "is a folder, but a file must be written there; choose another --out")
    for name in (FIGURES, FOLDER):
        if (folder / name).exists() and not (folder / name).is_dir():
            raise FileError(folder / name, "is a file, but a folder is needed there; choose another --out")


def _finished_result(scenario: Scenario, folder: Path, job: Job) -> Result | None:
    """Finished result of the same inputs in the folder; FileError for an interrupted search of another run."""
    found = _stored_result(folder / RESULT)
    if found is None or "unexplained" in found.attrs:
        return None
    inputs = scenario.with_contents().inputs()
    same = results.can_repeat(inputs) and found.attrs.get("input_sha256") == results.input_hash(inputs)
    if found.attrs.get("reason") == STOPPED:
        if not same:
            raise FileError(
                folder / RESULT, "belongs to another run (inputs differ); run without --resume, or choose another --out"
            )
        return None
    return found if same and _BARS.get(str(found.attrs.get("error_bars", "none")), 0) >= _BARS[job.error_bars] else None


def _stored_result(path: Path) -> Result | None:
    """Result in a file; None if there is none, or it cannot be read."""
    try:
        return results.load(path) if path.is_file() else None
    except FileError:
        return None


def _save(dataset: xr.Dataset, path: Path) -> Path:
    """Save to disk; if that fails and there is no checkpoint, to a temporary folder."""
    try:
        return results.save(dataset, path)
    except OSError as error:
        if can_continue(path.parent):
            raise
        aside = results.save(dataset, Path(tempfile.mkdtemp(prefix="panhead-")) / path.name)
        raise FileError(path, f"cannot be written: {error.strerror or error}. It is saved in {aside} instead") from None


def _report(result: Result, folder: Path) -> Path:
    _remove_report(folder)
    try:
        return result.report(folder)
    except KeyboardInterrupt:
        raise Interrupted(
            f"{folder / RESULT} is complete; `panhead report {folder / RESULT}` writes its page"
        ) from None
    except OSError as error:
        again = f"{folder / RESULT} is safe; free some space, then `panhead report {folder / RESULT}` writes the page"
        raise FileError(folder / REPORT, f"cannot be written: {error.strerror or error}. {again}") from None


def _remove_report(folder: Path) -> None:
    (folder / REPORT).unlink(missing_ok=True)
    for figure in (folder / FIGURES).glob("*.svg"):
        figure.unlink()
    with contextlib.suppress(OSError):
        (folder / FIGURES).rmdir()
