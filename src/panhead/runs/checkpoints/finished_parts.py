"""Finished parts of a larger run: a resumed run does not recompute finished variants or repeats.

An unfinished part has the checkpoints of its own time integration.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from panhead import __version__
from panhead.engine.jobs import Job
from panhead.errors import FileError
from panhead.files import parse, results
from panhead.runs.description import Run
from panhead.runs.streams import FOLDER

if TYPE_CHECKING:
    import xarray as xr

FINISHED = "finished.nc"


def finished_part(run: Run, job: Job, compute: Callable[[], xr.Dataset]) -> xr.Dataset:
    """Result of ``compute``, saved in the job's folder; a resumed job reads it from there."""
    inputs = {"run": parse.to_plain(run), "version": __version__}
    if job.out is None or run.solver == "linear" or not results.can_repeat(inputs):
        return compute()
    path = job.out / FOLDER / FINISHED
    if job.resume and path.is_file():
        try:
            found = results.load(path)
        except FileError:
            found = None  # damaged: it is computed again
        if found is not None and found.attrs["input_sha256"] == results.input_hash(inputs):
            return results.without_provenance(found)
    made = compute()
    results.save(results.with_provenance(made, inputs), path)
    return made
