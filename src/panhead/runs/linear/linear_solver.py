"""Linear solver: small motions of taut wires and lumped pantographs, with exact unilateral contact and droppers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from panhead.engine.jobs import Job
from panhead.runs.resolve import ResolvedRun
from panhead.runs.streams import Streams

if TYPE_CHECKING:
    import xarray as xr


def simulate(resolved: ResolvedRun, job: Job) -> xr.Dataset:
    """Simulate a run with the linear solver; a failure carries the result up to it."""
    # the kernels are only loaded when something is computed
    from panhead.runs.linear.linear_dataset import dataset
    from panhead.runs.linear.run_driver import drive

    streams = Streams(job.out)
    session, failure = drive(resolved, streams, job)
    result = dataset(session, streams)
    if failure is not None:
        raise type(failure)(str(failure), partial=result) from failure
    return result
