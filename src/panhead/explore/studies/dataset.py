"""Data set of a study: every sample as a table of its force curve, with splits and a data card.

    FOLDER/
      samples.parquet          a row for every sample: inputs, split, state, statistics; failed samples are kept
      curves/sample-N.parquet  time, place and contact force of every pantograph at every step
      card.md                  what it is, how it was made, licence, splits, known limits

or, as Zarr, FOLDER/data.zarr with the groups ``samples`` and ``curves/sample-N`` (``dataset_tables``). Parts that exist
are not computed again, so that an interrupted export continues where it was. Eight samples at a time are a task; worker
processes write their own files.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from panhead.assess import low_pass
from panhead.assess.assessment_inputs import judged_samples
from panhead.assess.filters import sampling_step
from panhead.errors import ModelError, PanheadError
from panhead.explore.studies.dataset_card import data_card
from panhead.explore.studies.dataset_tables import DatasetFormat, table_writer
from panhead.explore.studies.sample_plan import Plan, Sample
from panhead.files.atomic_files import write_atomic
from panhead.runs import worker_processes

if TYPE_CHECKING:
    import xarray as xr

SPLITS: Final = (("train", 0.8), ("validation", 0.1), ("test", 0.1))  #: name and share
_BATCH = 8  # runs computed side by side
_FAILED = "failed"


def write_dataset(
    plan: Plan,
    folder: Path,
    told: Callable[[int, int, int], None] = lambda done, of, failed: None,
    *,
    form: DatasetFormat = "parquet",
    workers: int = 1,
) -> Path:
    """Compute the samples that are missing and write tables and card; returns the path of the card."""
    tables = table_writer(form, folder)
    if plan.study.form == "limit":
        raise ModelError(
            'study: the samples of the form "limit" are not known beforehand; use "tolerance", "speed" or "compare" '
            "for a data set"
        )
    plan.check()
    samples = plan.samples()
    batches = [samples[first : first + _BATCH] for first in range(0, len(samples), _BATCH)]
    done = failed = 0
    for rows in _compute_batches(plan, batches, folder, form, workers):
        for row in rows:
            done, failed = done + 1, failed + (row["state"] == _FAILED)
            told(done, len(samples), failed)
    index = [_stored_row(folder, plan, s, form) for s in samples]
    tables.samples(_columns(plan, samples, index))
    return write_atomic(folder / "card.md", data_card(plan, index, form).encode())


def _compute_batches(
    plan: Plan, batches: Sequence[Sequence[Sample]], folder: Path, form: DatasetFormat, workers: int
) -> Iterator[list[dict[str, Any]]]:
    """Rows of every batch in order, here or in worker processes."""
    if min(workers, len(batches)) <= 1:
        yield from (write_batch(plan, some, folder, form) for some in batches)
        return
    pool = worker_processes.pool(min(workers, len(batches)))
    try:
        tasks = [pool.submit(write_batch, plan, some, folder, form) for some in batches]
        yield from (task.result() for task in tasks)
    finally:
        worker_processes.end(pool)


def split_of(key: str) -> str:
    """Split of a sample, by its key: the same in every export, whatever else is exported."""
    share = int(hashlib.sha256(key.encode()).hexdigest()[:12], 16) / 16**12
    for name, part in SPLITS:
        share -= part
        if share < 0.0:
            return name
    return SPLITS[-1][0]


def write_batch(plan: Plan, samples: Sequence[Sample], folder: Path, form: DatasetFormat) -> list[dict[str, Any]]:
    """Compute and write samples side by side, those whose files are missing; the rows of all."""
    tables = table_writer(form, folder)
    missing = [s for s in samples if not _row_path(folder, plan, s, form).exists()]
    for sample, result in _results(plan, missing):
        row = _row(plan, sample, result)
        if not isinstance(result, PanheadError):
            row["curve"] = tables.curve(sample.number, _curve(result))
        write_atomic(_row_path(folder, plan, sample, form), json.dumps(row).encode())
    return [_stored_row(folder, plan, s, form) for s in samples]


def _results(plan: Plan, samples: Sequence[Sample]) -> Iterator[tuple[Sample, xr.Dataset | PanheadError]]:
    from panhead.runs.batch import iterate_batch

    runs = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample in samples:
            try:
                runs[sample] = plan.run_of(sample)
            except PanheadError as error:
                yield sample, error
        order = list(runs)
        for k, found in iterate_batch(list(runs.values())):
            yield order[k], found


def _row_path(folder: Path, plan: Plan, sample: Sample, form: DatasetFormat) -> Path:
    return folder / ("rows" if form == "parquet" else f"rows-{form}") / f"{plan.key(sample)}.json"


def _stored_row(folder: Path, plan: Plan, sample: Sample, form: DatasetFormat) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_row_path(folder, plan, sample, form).read_text(encoding="utf-8"))
    return found


def _row(plan: Plan, sample: Sample, result: xr.Dataset | PanheadError) -> dict[str, Any]:
    """State and statistics of a sample: those of its first pantograph, filtered, over the assessed section."""
    row: dict[str, Any] = {"split": split_of(plan.key(sample)), "state": "computed", "message": "", "curve": ""}
    numbers = dict.fromkeys(("mean", "deviation", "highest", "lowest", "loss"), np.nan)
    if isinstance(result, PanheadError):
        return row | numbers | {"state": _FAILED, "message": str(result)}
    times, force = result["time"].to_numpy(), result["contact_force"].to_numpy()[0]
    inside = judged_samples(times, (float(result["judged_from"][0]), float(result["judged_to"][0])))
    smooth = low_pass(force, sampling_step(times))[inside]
    numbers = {
        "mean": float(smooth.mean()),
        "deviation": float(smooth.std()),
        "highest": float(smooth.max()),
        "lowest": float(smooth.min()),
        "loss": float((force[inside] <= 0.0).mean()),
    }
    return row | numbers


def _curve(result: xr.Dataset) -> dict[str, np.ndarray]:
    """Columns of a force curve, one pantograph after the other."""
    times, force, place = (result[name].to_numpy() for name in ("time", "contact_force", "contact_x"))
    heads, steps = force.shape
    windows = zip(result["judged_from"].to_numpy(), result["judged_to"].to_numpy(), strict=True)
    return {
        "pantograph": np.repeat(np.arange(1, heads + 1, dtype=np.int16), steps),
        "time_s": np.tile(times, heads),
        "x_m": place.ravel(),
        "force_N": force.ravel().astype(np.float32),
        "assessed": np.concatenate([judged_samples(times, (float(a), float(b))) for a, b in windows]),
    }


def _columns(plan: Plan, samples: Sequence[Sample], index: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Columns of the table of samples: number, key, inputs as written into the run, then the rows."""
    found: dict[str, Any] = {"sample": [s.number for s in samples], "key": [plan.key(s) for s in samples]}
    for k, vary in enumerate(plan.study.vary):
        found[vary.input] = [str(s.values[k]) for s in samples]
    if plan.study.scatter:
        found["scatter_shares"] = [list(s.shares) for s in samples]
    for name in index[0] if index else ():
        found[name] = [row[name] for row in index]
    return found
