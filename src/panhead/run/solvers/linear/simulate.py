"""From a description to a judged result."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from panhead.errors import SimulationError
from panhead.jobs import Job
from panhead.run.solvers.linear.description import LineRun
from panhead.run.solvers.linear.model import Model, resolve
from panhead.run.solvers.linear.timetable import Roof

if TYPE_CHECKING:
    import xarray as xr


def simulate(run: LineRun, job: Job | None = None, *, roof: Roof | None = None) -> xr.Dataset:
    """Run the pantographs under the line; ``roof``: how the roof of the vehicle moves under the pantograph.

    A numerical failure is a SimulationError that carries the result up to it. With
    ``job.error_bars`` the run is repeated on another step and mesh, and the attribute ``criteria``
    holds the difference of each criterion as its error bar.
    """
    job = job or Job()
    share = 1.0 / (1.0 + _effort(run)) if job.error_bars else 1.0
    result = _simulate_once(run, replace(job, progress=_part(job, 0.0, share)), roof)
    if job.error_bars:
        other = repeated(run)
        quiet = Job(progress=_part(job, share, 1.0, "repeat, "))
        result = _with_error_bars(result, _simulate_once(other, quiet, roof), run.numerics.repeat)
    return result


def _part(job: Job, begin: float, end: float, before: str = "") -> Callable[[float, str], None]:
    """Progress of a part of the work as progress of the whole."""

    def tell(fraction: float, message: str = "") -> None:
        job.progress(begin + (end - begin) * fraction, before + message)

    return tell


def repeated(run: LineRun) -> LineRun:
    """The run --error-bars compares with: step and elements halved, or doubled."""
    factor = 0.5 if run.numerics.repeat == "finer" else 2.0
    n = run.numerics
    return replace(
        run, numerics=replace(n, step=factor * n.step, element_length=factor * n.element_length)
    )


def _effort(run: LineRun) -> float:
    return 4.0 if run.numerics.repeat == "finer" else 0.25


def _simulate_once(run: LineRun, job: Job, roof: Roof | None) -> xr.Dataset:
    # the kernels are only loaded when something is computed
    from panhead.run.solvers.linear.dataset import dataset
    from panhead.run.solvers.linear.drive import drive
    from panhead.run.streams import Streams

    model = resolve(run, roof)
    streams = Streams(job.out)
    session, failure = drive(model, streams, job)
    result = dataset(session, streams)
    if failure is not None:
        raise SimulationError(str(failure), partial=result) from failure
    _check_touch(model, result)
    return result


def _check_touch(model: Model, result: xr.Dataset) -> None:
    """Refuse a run in which a pantograph is never in contact; warn if the ledger does not close."""
    begin, end = model.judged_times
    judged = result.sel(time=slice(begin, end))
    for name in model.names:
        if not float(judged["contact_force"].sel(pantograph=name).max()) > 0.0:
            raise SimulationError(
                f"pantograph {name!r} never touches the contact wire of line {model.line.name!r} in the judged part; "
                "look at its static_force and stops, and at the height of the wire",
                partial=result,
            )
    if "balance" in result:
        turned = float(abs(result["work_train"]).max() + abs(result["work_uplift"]).max())
        missing = float(np.abs(result["balance"]).max())
        if missing > 1e-6 * max(turned, 1.0):
            warnings.warn(
                f"the energy balance is off by {missing:.2g} J of {turned:.2g} J; halve numerics.step",
                stacklevel=4,
            )


def _with_error_bars(result: xr.Dataset, other: xr.Dataset, kind: str) -> xr.Dataset:
    from panhead.assess.criteria import with_error_bars
    from panhead.assess.storage import judge, store

    first, second = judge(result), judge(other)
    bars = {name: with_error_bars(criteria, second[name]) for name, criteria in first.items()}
    keys = [c.key for c in next(iter(first.values()))]
    difference = np.array(
        [[c.error if c.error is not None else np.nan for c in bars[n]] for n in bars]
    )
    result = result.assign(
        criterion=("criterion", np.array(keys, dtype=str)),
        criterion_error=(
            ("pantograph", "criterion"),
            difference,
            {"units": "SI", "long_name": f"difference of the criterion to a {kind} repeat"},
        ),
    )
    return store(result, bars)
