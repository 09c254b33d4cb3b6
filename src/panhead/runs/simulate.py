"""From a description to a judged result: every variant in turn, by the solver it names."""

from __future__ import annotations

import importlib
import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.errors import SimulationError
from panhead.files import door
from panhead.files.variants import VARIANT, join, separate
from panhead.jobs import Job
from panhead.runs.description import Numerics, Run, Variant
from panhead.runs.resolve import ResolvedRun, resolve
from panhead.runs.timetable import Roof

if TYPE_CHECKING:
    import xarray as xr

_SOLVERS = {
    "linear": "panhead.runs.solvers.linear.solve",
    "cables": "panhead.runs.solvers.cables.solve",
    "coupled": "panhead.runs.solvers.coupled.solve",
}
_FAR = 10.0  # heights of the contact wire: where it is higher, the run has diverged
_LOST = 0.1  # of the energy turned over: where more is missing, the run has diverged
_REPEATED = ".repeated"  # folder of the run that error bars compare with


def simulate(run: Run, job: Job | None = None) -> xr.Dataset:
    """Run the pantographs under the line and judge the contact.

    A numerical failure is a SimulationError that carries the result up to it. With ``job.error_bars`` the run is
    repeated on another step and mesh, and every criterion gets the difference as its error bar.
    """
    from panhead.assess.judge import add_error_bars, judge

    job = job or Job()
    share = 1.0 / (1.0 + _effort(run)) if job.error_bars else 1.0
    result = judge(_variants(run, replace(job, progress=_part(job, 0.0, share))))
    if not job.error_bars:
        return result
    aside = replace(job, progress=_part(job, share, 1.0, "repeat, "), out=job.out and job.out / _REPEATED)
    return add_error_bars(result, judge(_variants(_repeated(run, result), aside)))


def _part(job: Job, begin: float, end: float, before: str = "") -> Callable[[float, str], None]:
    """Progress of a part of the work as progress of the whole."""

    def progress(fraction: float, message: str = "") -> None:
        job.progress(begin + (end - begin) * fraction, before + message)

    return progress


def _repeated(run: Run, result: xr.Dataset) -> Run:
    """The run --error-bars compares with: step and elements halved, or doubled; nothing is searched again.

    A variant with numbers of its own for them gets its own halved or doubled.
    """
    found = {name: one.attrs.get("control") for name, one in separate(result).items()}
    variants = tuple(_settled_law(_on_other_mesh(run, v), found.get(v.name)) for v in run.variants)
    law, numbers = run.control, found.get("")
    if law is not None and law.search is not None and numbers is not None:
        law = law.at(json.loads(numbers))
    return replace(run, numerics=_other_mesh(run.numerics), variants=variants, control=law)


def _other_mesh(n: Numerics) -> Numerics:
    factor = 0.5 if n.repeat == "finer" else 2.0
    return replace(n, step=factor * n.step, element_length=factor * n.element_length)


def _on_other_mesh(run: Run, variant: Variant) -> Variant:
    if "numerics" not in variant.changes and "numerics" not in variant.without:
        return variant
    other = door.to_plain(_other_mesh(run.variant(variant).numerics))
    return replace(variant, changes={**variant.changes, "numerics": other})


def _settled_law(variant: Variant, found: str | None) -> Variant:
    """The variant with the numbers that its search has found."""
    control: dict[str, Any] = dict(variant.changes.get("control", {}))
    if found is None or control.pop("search", None) is None:
        return variant
    control["parameters"] = json.loads(found)
    return replace(variant, changes={**variant.changes, "control": control})


def _effort(run: Run) -> float:
    return 4.0 if run.numerics.repeat == "finer" else 0.25


def _variants(run: Run, job: Job) -> xr.Dataset:
    """Every variant in turn; a failure carries what was done before it."""
    if not run.variants:
        return simulate_one(run, job)
    found: dict[str, xr.Dataset] = {}
    for k, variant in enumerate(run.variants):
        begin, end = k / len(run.variants), (k + 1) / len(run.variants)
        out = None if job.out is None else job.out / f".variant{k}"
        part = replace(job, progress=_part(job, begin, end, f"{variant.name}, "), out=out)
        try:
            found[variant.name] = simulate_one(run.variant(variant), part)
        except SimulationError as error:
            if error.partial is not None:
                found[variant.name] = error.partial
            error.partial = _with_print(run, found) if found else None
            raise
    return _with_print(run, found)


def _with_print(run: Run, found: Mapping[str, xr.Dataset]) -> xr.Dataset:
    """The variants side by side, with mean and deviation in print where there are some."""
    joined = join(found)
    printed = {v.name: v.published for v in run.variants}
    if not any(printed.values()):
        return joined
    table = np.array([printed[name] or (np.nan, np.nan) for name in found])
    words = {"units": "N", "long_name": "mean and deviation in print"}
    return joined.assign(published=((VARIANT, "moment"), table, words))


def simulate_one(run: Run, job: Job | None = None, *, roof: Roof | None = None) -> xr.Dataset:
    """One run without variants, not yet judged; ``roof`` instead of what the run says of it."""
    job = job or Job()
    added: dict[str, Any] = {}
    resolved = resolve(run, roof)
    if run.vehicle is not None and run.solver == "linear" and roof is None:
        from panhead.runs.ride import ride_under

        roof, added = ride_under(resolved, run.vehicle, job)
        resolved = replace(resolved, timetable=replace(resolved.timetable, roof=roof))
    try:
        result = importlib.import_module(_SOLVERS[run.solver]).simulate(resolved, job)
    except SimulationError as error:
        if error.partial is not None:
            error.partial = error.partial.assign(added).assign_attrs(resolved.attributes())
        raise
    result = _with_elasticity(resolved, result).assign(added).assign_attrs(resolved.attributes())
    _check_finite(resolved, result)
    _check_touch(resolved, result)
    return result


def _with_elasticity(resolved: ResolvedRun, result: xr.Dataset) -> xr.Dataset:
    """The same result with the elasticity of one span in the middle of the judged part."""
    from panhead.line import elasticity

    strung = resolved.strung
    curve = elasticity(strung, span=strung.layout.span_at(float(np.mean(resolved.judged))))
    place = {"units": "m", "long_name": "place along the track"}
    rise = {"units": "m/N", "long_name": "uplift per force"}
    return result.assign(
        elasticity_x=("elasticity_point", curve.x, place), elasticity=("elasticity_point", curve.value, rise)
    )


def _check_finite(resolved: ResolvedRun, result: xr.Dataset) -> None:
    """Refuse a run whose wire has flown away, or that has made energy of nothing: it has diverged."""
    height = np.abs(result["contact_z"].to_numpy())  # not a number where there is no wire above
    far, remedy = _FAR * resolved.line.contact_height, "Halve numerics.step; look at forces, masses and stiffnesses"
    if not np.nanmax(height) < far or not np.isfinite(result["contact_force"]).all():
        gone = ~(height < far) & ~np.isnan(height) | ~np.isfinite(result["contact_force"].to_numpy())
        at = float(result["time"][int(np.flatnonzero(gone.any(axis=0))[0])])
        worst = f"the contact wire was {np.nanmax(height):.3g} m high"
        raise SimulationError(f"the run diverged: from t = {at:.4g} s on {worst}. {remedy}", partial=result)
    missing, turned = _energy_missing(result)
    if missing > _LOST * max(turned, 1.0):
        raise SimulationError(
            f"the run diverged: {missing:.2g} J are not accounted for, of {turned:.2g} J. {remedy}", partial=result
        )


def _energy_missing(result: xr.Dataset) -> tuple[float, float]:
    """Largest gap of the ledger of the solver "linear", and what was turned over [J]."""
    if "balance" not in result or "work_train" not in result:
        return 0.0, 0.0
    turned = float(abs(result["work_train"]).max() + abs(result["work_uplift"]).max())
    return float(np.abs(result["balance"]).max()), turned


def _check_touch(resolved: ResolvedRun, result: xr.Dataset) -> None:
    """Refuse a run in which a pantograph is never in contact; warn if the ledger does not close."""
    begin, end = resolved.judged_times
    judged = result.sel(time=slice(begin, end))
    for name in resolved.names:
        if not float(judged["contact_force"].sel(pantograph=name).max()) > 0.0:
            raise SimulationError(
                f"pantograph {name!r} never touches the contact wire of line {resolved.line.name!r} in the judged "
                "part; look at its static_force and stops, and at the height of the wire",
                partial=result,
            )
    missing, turned = _energy_missing(result)
    if missing > 1e-6 * max(turned, 1.0):
        warnings.warn(
            f"the energy balance is off by {missing:.2g} J of {turned:.2g} J; halve numerics.step", stacklevel=4
        )
