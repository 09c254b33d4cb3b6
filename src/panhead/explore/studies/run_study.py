"""Run a study: compute missing samples, collect them, write index and page."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from panhead.engine.jobs import ignore_message
from panhead.errors import FileError
from panhead.explore.studies import answers, limit_search
from panhead.explore.studies import sample_index as table
from panhead.explore.studies.control_variates import wants_controls, with_controls
from panhead.explore.studies.dispatch import compute_all
from panhead.explore.studies.sample_plan import STORED, Plan, Sample
from panhead.explore.studies.sample_worker import Workers, compute_error_bars, compute_tangents
from panhead.files.atomic_files import claim_folder, write_atomic

if TYPE_CHECKING:
    import xarray as xr

    from panhead.desk.reports.page import Page

SampleProgress = Callable[[int, int, int], None]  #: done, of, failures
OTHER_STUDY = (
    "the folder contains another study, or one of another version; common samples are reused, the others are kept but "
    "ignored"
)


@dataclass(frozen=True, slots=True)
class ConductedStudy:
    """A study that was computed into a folder."""

    index: xr.Dataset
    page: Page
    report: Path


def conduct(
    plan: Plan,
    folder: Path,
    workers: Workers,
    progress: SampleProgress = lambda done, of, failed: None,
    *,
    controls: bool = True,
) -> xr.Dataset:
    """Compute the samples that are missing and collect them; the same bits with any workers, after any interruption.

    ``controls``: gradients are taken as well, as control variates of a tolerance study. The folder is this study's own
    while it runs; otherwise ``LockHeld`` names the process that holds it.
    """
    plan.check()
    with claim_folder(folder):
        prepare(plan, folder)
        return _conduct(plan, folder, workers, progress, controls=controls)


def conduct_into(
    plan: Plan,
    folder: Path,
    crew: AbstractContextManager[Workers],
    progress: Callable[[Workers], SampleProgress] = lambda workers: lambda done, of, failed: None,
    say: Callable[[str], None] = ignore_message,
    shown: str = "",
) -> ConductedStudy:
    """A whole study in its folder, with its page; the workers have ended before the folder is another's.

    ``say`` is progress in a sentence what was in the folder before; ``shown`` is the folder's name on the page.
    """
    from panhead.desk.reports.render import write
    from panhead.explore.studies.study_page import page

    plan.check()
    with claim_folder(folder, not_of_a_run=True):
        if prepare(plan, folder):
            say(OTHER_STUDY)
        with crew as workers:
            index = _conduct(plan, folder, workers, progress(workers))
        found = page(index, shown)
        return ConductedStudy(index, found, write(found, folder))


def _conduct(
    plan: Plan, folder: Path, workers: Workers, progress: SampleProgress, *, controls: bool = True
) -> xr.Dataset:
    aside = [workers.submit(compute_tangents, str(folder))] if controls and wants_controls(plan, folder) else []
    samples = _samples(plan, folder, lambda known: compute_all(folder, plan, known, workers, progress))
    if plan.study.form == "limit":
        aside += [workers.submit(compute_error_bars, str(folder), *_with_keys(plan, _at_limit(plan, folder, samples)))]
    for task in aside:  # gradients are taken beside the samples, not after them
        while task in workers.done([task])[1]:
            pass
        if isinstance(error := task.exception(), FileError):
            raise error
    index = with_controls(plan, table.collect(folder, plan, samples), folder, compute=controls)
    table.write(folder, index)
    return index


def _at_limit(plan: Plan, folder: Path, samples: Sequence[Sample]) -> list[Sample]:
    """The samples on either side of the limit that was found, from which its numerical error is estimated."""
    index = table.collect(folder, plan, samples)
    values, met = verdicts(index)
    found = limit_search.bracket(plan, values, met)
    return [samples[k] for k, value in enumerate(values) if value in (found.low, found.high)] if met.size else []


def _with_keys(plan: Plan, samples: Sequence[Sample]) -> tuple[Sequence[Sample], list[str]]:
    return samples, [plan.key(s) for s in samples]


def samples_of(plan: Plan, folder: Path) -> list[Sample]:
    """The samples of a study that has been conducted, those of a search included."""
    return _samples(plan, folder, lambda known: None)


def unused_samples(plan: Plan, folder: Path, samples: Sequence[Sample]) -> int:
    """Number of sample files in a folder that belong to other studies or versions."""
    return len({path.stem for path in (folder / "samples").glob("*.nc")} - {plan.key(s) for s in samples})


def _samples(plan: Plan, folder: Path, compute: Callable[[list[Sample]], None]) -> list[Sample]:
    """All samples, computed; of a search round after round, as long as every sample of the last one is there."""
    search = plan.study.form == "limit"
    samples, new = [], limit_search.ends(plan) if search else plan.samples()
    while new:
        samples += new
        compute(samples)
        if not search:
            break
        index = table.collect(folder, plan, samples)
        if index.sizes["sample"] < len(samples):
            break
        new = limit_search.next_samples(plan, len(samples), limit_search.bracket(plan, *verdicts(index)))
    return samples


def prepare(plan: Plan, folder: Path) -> bool:
    """Write ``study.json``; return True if the folder held another study, whose samples are kept."""
    text = json.dumps(plan.plain(), indent=1, sort_keys=True, ensure_ascii=False)
    path = folder / STORED
    other = path.exists() and path.read_text(encoding="utf-8") != text
    try:
        if other or not path.exists():
            write_atomic(path, text.encode())
    except OSError as error:
        why = "is a file" if isinstance(error, FileExistsError) else error.strerror
        raise FileError(folder, f"is not writable: {why}; choose another --out") from None
    return other


def verdicts(index: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Values of the one varied input, and whether what is judged is met; a failed sample does not meet it."""
    said = answers.judged(index)
    return index["number"].to_numpy()[:, 0], np.isin(said, ("met", "for information"))
