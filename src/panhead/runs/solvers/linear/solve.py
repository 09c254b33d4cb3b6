"""Small motions of taut wires over chains of masses: exact unilateral contact and droppers, one system."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from panhead.errors import ModelError, SimulationError
from panhead.jobs import Job
from panhead.runs.resolve import ResolvedRun
from panhead.runs.streams import Streams

if TYPE_CHECKING:
    import xarray as xr


def simulate(resolved: ResolvedRun, job: Job) -> xr.Dataset:
    """The run by the linear solver; a failure carries the result up to it."""
    _check_step(resolved)
    # the kernels are only loaded when something is computed
    from panhead.runs.solvers.linear.dataset import dataset
    from panhead.runs.solvers.linear.drive import drive

    streams = Streams(job.out)
    session, failure = drive(resolved, streams, job)
    result = dataset(session, streams)
    if failure is not None:
        raise SimulationError(str(failure), partial=result) from failure
    return result


def _check_step(resolved: ResolvedRun) -> None:
    run, h, cell = resolved.run, resolved.run.numerics.step, resolved.run.numerics.element_length
    passed = resolved.fastest * h
    if passed > cell:
        raise ModelError(
            f"numerics.step: {1e3 * h:g} ms is too long, the train passes {passed:.3g} m in it, more than an element "
            f"of {cell:g} m. Take at most {1e3 * 0.25 * cell / resolved.fastest:.2g} ms"
        )
    for name, p in zip(resolved.names, resolved.pantographs, strict=True):
        k = p.contact_stiffness if run.contact.stiffness is None else run.contact.stiffness
        swing = h * np.sqrt(k / min(p.stages[0].mass, resolved.line.wires.contact.mu * cell))
        linear = run.contact.kind == "linear"
        if (linear and swing > 1.0) or passed > 0.5 * cell:
            warnings.warn(
                f"numerics.step: {1e3 * h:g} ms is long for the contact of pantograph {name!r} "
                f"({swing:.2f} rad of its fastest swing, {passed / cell:.2f} elements passed); halve it",
                stacklevel=4,
            )
