"""Peak attribution of a stored result: its run is repeated with gradients and dropper trials."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from panhead.engine.jobs import ignore_progress
from panhead.errors import ModelError
from panhead.files import results
from panhead.runs import scenarios
from panhead.runs.description import Run
from panhead.runs.peak_explanation import add_attribution

if TYPE_CHECKING:
    import xarray as xr


def with_attribution(result: xr.Dataset, progress: Callable[[float, str], None] = ignore_progress) -> xr.Dataset:
    """Add the attribution of peaks and valleys to a stored result, for every variant; its inputs define the run."""
    run = scenarios.from_plain(results.inputs_of(result), source="result").description
    if not isinstance(run, Run):
        raise ModelError("--why: only a pantograph run has contact force peaks to attribute")
    return add_attribution(run, result, "trials", progress)
