"""What made the peaks of a result: its run is computed again with gradients, and the result holds the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from panhead import scenarios
from panhead.errors import ModelError
from panhead.files import results
from panhead.files.variants import join, separate
from panhead.jobs import Job, silent
from panhead.runs.description import Run

if TYPE_CHECKING:
    import xarray as xr

_QUICK = 3e7  # steps times coordinates of a run that is told without being asked


def with_why(result: xr.Dataset, progress: Callable[[float, str], None] = silent) -> xr.Dataset:
    """The same result with what made its peaks and valleys, of every variant; its inputs tell the run."""
    run = scenarios.from_plain(results.inputs_of(result), source="result").description
    if not isinstance(run, Run):
        raise ModelError("--why: only a run under a line has a contact force whose peaks can be told apart")
    return _told(run, result, progress, np.inf)


def with_quick_why(run: Run, result: xr.Dataset, job: Job) -> xr.Dataset:
    """The same where it costs a second or two; of a longer run, and where there is no gradient, the result says so."""
    return _told(run, result, job.progress, _QUICK / max(1, len(run.variants)))


def _told(run: Run, result: xr.Dataset, progress: Callable[[float, str], None], most: float) -> xr.Dataset:
    from panhead.runs.gradients.why import explained

    if not run.variants:
        return explained(run, result, progress, most)
    parts = separate(result)
    for k, variant in enumerate(run.variants):
        part = lambda share, words, k=k: progress((k + share) / len(run.variants), words)
        parts[variant.name] = explained(run.variant(variant), parts[variant.name], part, most)
    joined = join(parts)
    return joined.assign_attrs({k: v for k, v in result.attrs.items() if k not in joined.attrs})
