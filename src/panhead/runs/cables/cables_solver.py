"""Cable solver: wires of large deflection and pantographs of bodies and joints as one implicit system."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from panhead.engine.jobs import Job
from panhead.errors import SimulationError
from panhead.runs.cables.cables_assembly import CableSystem, assemble, resting_line
from panhead.runs.cables.cables_dataset import dataset
from panhead.runs.cables.cables_march import march_of
from panhead.runs.cables.cables_options import HeadLaw
from panhead.runs.cables.gain_search import search_gains
from panhead.runs.resolve import ResolvedRun

if TYPE_CHECKING:
    import xarray as xr


def simulate(resolved: ResolvedRun, job: Job) -> xr.Dataset:
    """Simulate a run with the cable solver; a failure carries the result up to it."""
    whole, law = _assemble(resolved, job)
    march = march_of(whole, law, job)
    told = {} if law is None else {"control": json.dumps(dict(law.parameters))}
    try:
        march.run()
    except SimulationError as error:
        error.partial = dataset(march).assign_attrs(told) if march.last else None
        raise
    return dataset(march).assign_attrs(told)


def _assemble(resolved: ResolvedRun, job: Job) -> tuple[CableSystem, HeadLaw | None]:
    """System, and the control law with the parameters found by its search."""
    line, law = resting_line(resolved), resolved.run.control
    if resolved.run.vehicle is None:
        law = search_gains(resolved, line, law, job)
        return assemble(resolved, line, law), law
    from panhead.runs.cables.vehicle_assembly import assemble_train

    return assemble_train(resolved, resolved.run.vehicle, line, law), law
