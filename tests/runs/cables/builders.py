"""A short line of four spans, hung once for all tests that only look at it, and runs under it."""

import dataclasses
import functools

import numpy as np
import xarray as xr

from panhead.engine.jobs import Job
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.railway.line import Line, Strung, read_line, string
from panhead.runs.cables.cable_wires import cables_of
from panhead.runs.cables.cables_assembly import CableSystem, assemble, resting_line
from panhead.runs.cables.cables_dataset import dataset
from panhead.runs.cables.cables_march import METHOD, CableMarch, Sampled, march_of
from panhead.runs.cables.cables_options import CableOptions, HeadLaw
from panhead.runs.cables.cables_statics import RestingLine, hang
from panhead.runs.description import ContactLaw, Journey, Numerics, OnTrain, Run
from panhead.runs.resolve import resolve

SPEED = 200 / 3.6
SPAN = 56.25
DOWN = (0.0, 0.0, -9.81)  #: free fall [m/s²]
DRIVEN = HeadLaw(kind="force")  #: it asks for an actuator


@functools.cache
def short(spans: int = 4) -> Line:
    """The simple line, cut to a few spans."""
    whole = read_line("ancf-simple")
    length = whole.tension_lengths[0]
    few = dataclasses.replace(length.spans[0], count=spans)
    pieces = (dataclasses.replace(length, spans=(few,)),)
    return dataclasses.replace(whole, tension_lengths=pieces)


@functools.cache
def strung(spans: int = 4) -> Strung:
    return string(short(spans))


@functools.cache
def line(*, spans: int = 4, bilateral: bool = True, held: bool = False) -> RestingLine:
    """Its cables at rest."""
    cables = cables_of(strung(spans), element_length=6.25, bilateral=bilateral, contact_held=held)
    return hang(cables, DOWN)


def run(
    *,
    x: float = 1.5 * SPAN,
    speed: float = SPEED,
    duration: float = 0.1,
    step: float = 1e-3,
    keep: float = 0.02,
    held: bool = False,
    contact: ContactLaw | None = None,
    pantograph="cx-six-bodies",
    **changes,
) -> Run:
    """The CX pantograph of six bodies under it; ``changes`` are the pantograph's."""
    return Run(
        line=short(),
        train=(OnTrain(pantograph=pantograph, changes=changes),),
        speed=speed,
        solver="cables",
        droppers="bilateral",
        contact=contact or ContactLaw(kind="joint"),
        cables=CableOptions(contact_held=held),
        journey=Journey(start=x, duration=duration, judged_from=x, judged_to=x + 0.999 * speed * duration),
        numerics=Numerics(element_length=6.25, step=step, keep=keep),
    )


def whole(described: Run, law: HeadLaw | None = None) -> CableSystem:
    """Assembled and at rest."""
    resolved = resolve(described)
    return assemble(resolved, resting_line(resolved), law)


def ride(
    described: Run,
    law: HeadLaw | None = None,
    *,
    control: Sampled | None = None,
    method: GeneralizedAlpha = METHOD,
    job: Job | None = None,
) -> xr.Dataset:
    """The run's dataset, one pantograph's curves without their first dimension."""
    made = whole(described, law)
    if control is not None or law is None or method is not METHOD:
        march = CableMarch(made, method=method, control=control, job=job)
    else:
        march = march_of(made, law, job)
    march.run()
    return dataset(march).isel(pantograph=0)


def curve(result: xr.Dataset, name: str) -> np.ndarray:
    return result[name].to_numpy()
