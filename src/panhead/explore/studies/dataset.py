"""Data set of a study: every sample as a table of its force curve, with splits and a data card (extra ``dataset``).

    FOLDER/
      samples.parquet          a row for every sample: inputs, split, state, statistics; failed samples are kept
      curves/sample-N.parquet  time, place and contact force of every pantograph at every step
      card.md                  what it is, how it was made, licence, splits, known limits

Parts that exist are not computed again, so that an interrupted export continues where it was.
"""

from __future__ import annotations

import hashlib
import io
import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from panhead import __version__
from panhead.assess import low_pass
from panhead.assess.assessment_inputs import judged_samples
from panhead.assess.filters import sampling_step
from panhead.errors import ModelError, PanheadError
from panhead.explore.studies.dataset_card import data_card
from panhead.explore.studies.sample_plan import Plan, Sample
from panhead.files.atomic_files import write_atomic

if TYPE_CHECKING:
    import xarray as xr

SPLITS: Final = (("train", 0.8), ("validation", 0.1), ("test", 0.1))  #: name and share
_BATCH = 8  # runs computed side by side
_FAILED = "failed"


def write_dataset(
    plan: Plan, folder: Path, told: Callable[[int, int, int], None] = lambda done, of, failed: None
) -> Path:
    """Compute the samples that are missing and write tables and card; returns the path of the card."""
    arrow = _pyarrow()
    if plan.study.form == "limit":
        raise ModelError(
            'study: the samples of the form "limit" are not known beforehand; use "tolerance", "speed" or "compare" '
            "for a data set"
        )
    plan.check()
    samples = plan.samples()
    failed = 0
    for done, rows in enumerate(_parts(plan, samples, folder, arrow), 1):
        failed += rows["state"] == _FAILED
        told(done, len(samples), failed)
    index = [_stored_row(folder, plan, s) for s in samples]
    write_atomic(folder / "samples.parquet", _parquet(arrow, _columns(plan, samples, index)))
    return write_atomic(folder / "card.md", data_card(plan, index).encode())


def split_of(key: str) -> str:
    """Split of a sample, by its key: the same in every export, whatever else is exported."""
    share = int(hashlib.sha256(key.encode()).hexdigest()[:12], 16) / 16**12
    for name, part in SPLITS:
        share -= part
        if share < 0.0:
            return name
    return SPLITS[-1][0]


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ModelError("study --dataset: Parquet needs pyarrow: pip install panhead[dataset]") from None
    return pyarrow


def _parts(plan: Plan, samples: Sequence[Sample], folder: Path, arrow: Any) -> Iterator[dict[str, Any]]:
    """Row of every sample, computed eight at a time where its files are missing."""
    for first in range(0, len(samples), _BATCH):
        some = samples[first : first + _BATCH]
        missing = [s for s in some if not _row_path(folder, plan, s).exists()]
        for sample, result in _results(plan, missing):
            row = _row(plan, sample, result)
            if not isinstance(result, PanheadError):
                write_atomic(folder / _curve_name(sample), _parquet(arrow, _curve(result)))
            write_atomic(_row_path(folder, plan, sample), json.dumps(row).encode())
        yield from (_stored_row(folder, plan, s) for s in some)


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


def _row_path(folder: Path, plan: Plan, sample: Sample) -> Path:
    return folder / "rows" / f"{plan.key(sample)}.json"


def _stored_row(folder: Path, plan: Plan, sample: Sample) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_row_path(folder, plan, sample).read_text(encoding="utf-8"))
    return found


def _curve_name(sample: Sample) -> str:
    return f"curves/sample-{sample.number}.parquet"


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
    return row | numbers | {"curve": _curve_name(sample)}


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


def _parquet(arrow: Any, columns: Mapping[str, Any]) -> bytes:
    table = arrow.table(dict(columns)).replace_schema_metadata({"panhead": __version__})
    memory = io.BytesIO()
    arrow.parquet.write_table(table, memory, compression="zstd")
    return memory.getvalue()
