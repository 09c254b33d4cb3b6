"""Conducting a study: compute what is missing, collect, answer, write."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from panhead.errors import FileError
from panhead.studies import index as table
from panhead.studies import limit
from panhead.studies.controls import wants_controls, with_controls
from panhead.studies.dispatch import compute_all
from panhead.studies.plan import Plan, Sample
from panhead.studies.work import Workers, take_tangents

if TYPE_CHECKING:
    import xarray as xr

Told = Callable[[int, int, int], None]  #: done, of, failures


def conduct(
    plan: Plan, folder: Path, workers: Workers, told: Told = lambda done, of, failed: None, *, controls: bool = True
) -> xr.Dataset:
    """Compute the samples that are missing and collect them; the same bits with any workers, after any interruption.

    ``controls``: gradients are taken as well, as control variates of a tolerance study.
    """
    plan.check()
    prepare(plan, folder)
    aside = [workers.submit(take_tangents, str(folder))] if controls and wants_controls(plan, folder) else []
    samples = _samples(plan, folder, lambda known: compute_all(folder, plan, known, workers, told))
    while aside:  # gradients are taken beside the samples, not after them
        aside = workers.done(aside)[1]
    index = with_controls(plan, table.collect(folder, plan, samples), folder, compute=controls)
    table.write(folder, index)
    return index


def samples_of(plan: Plan, folder: Path) -> list[Sample]:
    """The samples of a study that has been conducted, those of a search included."""
    return _samples(plan, folder, lambda known: None)


def _samples(plan: Plan, folder: Path, compute: Callable[[list[Sample]], None]) -> list[Sample]:
    """All samples, computed; of a search round after round, as long as every sample of the last one is there."""
    search = plan.study.form == "limit"
    samples, new = [], limit.ends(plan) if search else plan.samples()
    while new:
        samples += new
        compute(samples)
        if not search:
            break
        index = table.collect(folder, plan, samples)
        if index.sizes["sample"] < len(samples):
            break
        new = limit.next_samples(plan, len(samples), limit.bracket(plan, *verdicts(index)))
    return samples


def prepare(plan: Plan, folder: Path) -> bool:
    """Make the folder's ``study.json``; returns whether another study was there, whose samples stay."""
    from panhead.files.folder import put

    text = json.dumps(plan.plain(), indent=1, sort_keys=True, ensure_ascii=False)
    path = folder / "study.json"
    other = path.exists() and path.read_text(encoding="utf-8") != text
    try:
        if other or not path.exists():
            put(path, text.encode())
    except OSError as error:
        why = "is a file" if isinstance(error, FileExistsError) else error.strerror
        raise FileError(folder, f"cannot be written to: {why}; choose another --out") from None
    return other


def verdicts(index: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Values of the one varied input, and whether every limit is met; a failed sample does not meet them."""
    said = index["verdict"].to_numpy()
    return index["number"].to_numpy()[:, 0], np.isin(said, ("met", "for information"))
