"""What made the peaks of a stored result: its run is computed again with gradients, and the result holds the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from panhead.engine.jobs import silent
from panhead.errors import ModelError
from panhead.files import results
from panhead.runs import scenarios
from panhead.runs.description import Run
from panhead.runs.peak_explanation import add_attribution

if TYPE_CHECKING:
    import xarray as xr


def with_why(result: xr.Dataset, progress: Callable[[float, str], None] = silent) -> xr.Dataset:
    """The same result with what made its peaks and valleys, of every variant; its inputs tell the run."""
    run = scenarios.from_plain(results.inputs_of(result), source="result").description
    if not isinstance(run, Run):
        raise ModelError("--why: only a pantograph run has contact force peaks to attribute")
    return add_attribution(run, result, "trials", progress)
