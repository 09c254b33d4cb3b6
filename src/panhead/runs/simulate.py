"""Simulate and assess a run: every variant in turn, with the solver it names."""

from __future__ import annotations

import importlib
import itertools
import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.engine.jobs import Job
from panhead.errors import FileError, Interrupted, ModelError, RunWarning, SimulationError
from panhead.files.variants import VARIANT, join
from panhead.runs import run_checks
from panhead.runs.checkpoints import EvaluationCache, finished_part
from panhead.runs.description import Run
from panhead.runs.peak_explanation import add_attribution, attribution_cost
from panhead.runs.refined_run import RATIOS, REPEATS, with_other_mesh
from panhead.runs.resolve import ResolvedRun, resolve
from panhead.runs.static_force_search import means_of, search_report, static_forces, wants_mean_force, with_mean_forces
from panhead.runs.timetable import Roof

if TYPE_CHECKING:
    import xarray as xr

    from panhead.railway.line.layout import Layout

_SOLVERS = {
    "linear": "panhead.runs.linear.linear_solver",
    "cables": "panhead.runs.cables.cables_solver",
    "coupled": "panhead.runs.coupled.coupled_solver",
}
_DRAWN = 600.0  # of the assessed section, in which droppers are listed and wires at rest kept [m]
_REPEATED = ".repeated"  # folder of the run that error bars compare with


def simulate(run: Run, job: Job | None = None) -> xr.Dataset:
    """Run the pantographs under the line and assess the contact force.

    A numerical failure is a SimulationError that carries the result up to it. With ``job.error_bars`` the run is
    repeated on another step and mesh, and every criterion gets its error bar from the difference.
    """
    from panhead.assess.judge import judge

    job = job or Job()
    kind = run.numerics.repeat if job.error_bars == "described" else job.error_bars
    job = replace(job, error_bars=kind)
    how = run.numerics.explain if job.explain == "described" else job.explain
    costs = [1.0, *(1.0 / RATIOS[of] ** 2 for of in REPEATS.get(kind, ())), attribution_cost(run, how)]
    done = np.cumsum([0.0, *costs]) / sum(costs)
    found, model = _variants(run, replace(job, progress=_progress_share(job, 0.0, done[1])))
    result = _with_error_bars(run, judge(found), job, done)
    for words in json.loads(result.attrs["doubts"]):
        warnings.warn(words, RunWarning, stacklevel=4)
    job.judged(result)
    if model is not None:
        job.progress(float(done[-2]), "line at rest")
        result = _with_line(model, result)
    explained = _progress_share(job, float(done[-2]), 1.0)
    return result if how == "none" else add_attribution(run, result, how, explained, model)


def _with_error_bars(run: Run, result: xr.Dataset, job: Job, done: np.ndarray) -> xr.Dataset:
    """Add error bars from repeats; if a repeat fails, the result has no error bars.

    done: progress at the begin and end of each repeat.
    """
    from panhead.assess.judge import add_error_bars, judge

    repeats: list[xr.Dataset] = []
    kinds = REPEATS.get(job.error_bars, ())
    for number, of in enumerate(kinds, 1):
        progress = _progress_share(job, done[number], done[number + 1], "repeat, ")
        aside = replace(job, progress=progress, out=job.out and job.out / f"{_REPEATED}-{of}", error_bars=of)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RunWarning)  # said by the run itself
                repeats.append(judge(_variants(with_other_mesh(run, result, of), aside)[0]))
        except (FileError, Interrupted):
            raise
        except (ModelError, SimulationError) as error:
            words = f"no error bars: the repeat with {of} step and mesh failed: {error}"
            result = result if repeats else _add_warning(result, words)
            break
    if not repeats:
        return result
    coarser = repeats[1] if len(repeats) > 1 else None
    return add_error_bars(result, repeats[0], ratio=RATIOS[kinds[0]], coarser=coarser)


def _add_warning(result: xr.Dataset, words: str) -> xr.Dataset:
    return result.assign_attrs(doubts=json.dumps([*json.loads(result.attrs["doubts"]), words], ensure_ascii=False))


def _progress_share(job: Job, begin: float, end: float, before: str = "") -> Callable[[float, str], None]:
    """Progress callback that maps a part of the work to the whole."""

    def progress(fraction: float, message: str = "") -> None:
        job.progress(begin + (end - begin) * fraction, before + message)

    return progress


def _variants(run: Run, job: Job) -> tuple[xr.Dataset, ResolvedRun | None]:
    """Every variant in turn; a failure carries what was done before it.

    A single run of the solver "linear" comes with its resolved model, and without the static line, on which no
    assessed quantity depends.
    """
    if not run.variants and run.solver == "linear":
        return _compute(run, job, None)
    if not run.variants:
        return (
            simulate_one(run, job) if job.error_bars == "none" else _simulate_or_reuse(run, job)
        ), None  # alone: saved at once
    found: dict[str, xr.Dataset] = {}
    for k, variant in enumerate(run.variants):
        begin, end = k / len(run.variants), (k + 1) / len(run.variants)
        out = None if job.out is None else job.out / f".variant{k}"
        part = replace(job, progress=_progress_share(job, begin, end, f"{variant.name}, "), out=out)
        try:
            found[variant.name] = _simulate_or_reuse(run.variant(variant), part)
        except SimulationError as error:
            if error.partial is not None:
                found[variant.name] = error.partial
            error.partial = _join_variants(run, found) if found else None
            raise
    return _join_variants(run, found), None


def _simulate_or_reuse(run: Run, job: Job) -> xr.Dataset:
    return finished_part(run, job, lambda: simulate_one(run, job))


def _join_variants(run: Run, found: Mapping[str, xr.Dataset]) -> xr.Dataset:
    """Join the variants, with published mean and deviation where given."""
    joined = join(found)
    printed = {v.name: v.published for v in run.variants}
    if not any(printed.values()):
        return joined
    table = np.array([printed[name] or (np.nan, np.nan) for name in found])
    words = {"units": "N", "long_name": "mean and deviation in print"}
    return joined.assign(published=((VARIANT, "moment"), table, words))


def simulate_one(run: Run, job: Job | None = None, *, roof: Roof | None = None) -> xr.Dataset:
    """Simulate one run without variants, not yet assessed; ``roof`` replaces that of the run."""
    result, resolved = _compute(run, job or Job(), roof)
    return _with_line(resolved, result)


def _compute(run: Run, job: Job, roof: Roof | None) -> tuple[xr.Dataset, ResolvedRun]:
    """Simulate one run without variants; return its result, without the line at rest, and the resolved run."""
    if wants_mean_force(run):
        return _simulate_mean_force(run, job, roof)
    added: dict[str, Any] = {}
    resolved = resolve(run, roof)
    if run.vehicle is not None and run.solver == "linear" and roof is None:
        from panhead.runs.ride import ride_under

        roof, added = ride_under(resolved, run.vehicle, job)
        resolved = replace(resolved, timetable=replace(resolved.timetable, roof=roof))
    added |= resolved.variables()
    try:
        result = importlib.import_module(_SOLVERS[run.solver]).simulate(resolved, job)
        result = _with_sway(resolved, result.assign(added))
        found = tuple(run_checks.warnings_after(resolved, result))
    except SimulationError as error:
        if error.partial is not None:
            failed = {"failure": str(error)}
            error.partial = error.partial.assign(added).assign_attrs(resolved.attributes() | failed)
        raise
    for words in found:
        warnings.warn(words, RunWarning, stacklevel=3)
    resolved = replace(resolved, warnings=(*resolved.warnings, *found))
    return result.assign_attrs(resolved.attributes()), resolved


def _simulate_mean_force(run: Run, job: Job, roof: Roof | None) -> tuple[xr.Dataset, ResolvedRun]:
    """Simulate a run with the static forces that give the requested mean forces; the result reports both."""
    runs, known = itertools.count(1), EvaluationCache(job if roof is None else Job(), "force", run)

    def means(tried: Run) -> np.ndarray:
        number = next(runs)
        begin, end = (0.75 * (1.0 - 0.5**n) for n in (number - 1, number))  # nobody knows how many it will take
        aside = Job(trust=job.trust, progress=_progress_share(job, begin, end, f"static force, run {number}, "))
        return known.at(static_forces(tried), lambda: means_of(_compute(tried, aside, roof)[0]))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)  # the run itself says them
        found = with_mean_forces(run, means)
    result, resolved = _compute(found, replace(job, progress=_progress_share(job, 0.75, 1.0)), roof)
    return result.assign_attrs(found=json.dumps(search_report(run, found, result), ensure_ascii=False)), resolved


def _with_sway(resolved: ResolvedRun, result: xr.Dataset) -> xr.Dataset:
    """Add the lateral position of every head, if any sways."""
    sways = [p.sway for p in resolved.run.train]
    if not any(sways):
        return result
    x, z = (
        result["contact_x"].to_numpy(),
        np.nan_to_num(result["contact_z"].to_numpy(), nan=resolved.line.contact_height),
    )
    v = resolved.timetable.speed(result["time"].to_numpy())
    rows = [s.head_displacement(resolved.line, x[k], z[k], v) if s else np.zeros(v.size) for k, s in enumerate(sways)]
    words = {"units": "m", "long_name": "place of the swaying head across the track, + to the left"}
    return result.assign(head_y=(("pantograph", "time"), np.array(rows), words))


def _plain_span(layout: Layout, first: float, last: float) -> int:
    """Span nearest to the middle of a section that only one tension length passes; the middle one if there is none.

    In an overlap one of the wires rises to its anchor, and its elasticity is not representative.
    """
    middle = layout.span_at(0.5 * (first + last))
    spans = range(layout.span_at(first), layout.span_at(last - 1e-6) + 1)
    return min(
        (s for s in spans if len(layout.tension_lengths_at(s)) == 1), key=lambda s: abs(s - middle), default=middle
    )


def _with_line(resolved: ResolvedRun, result: xr.Dataset) -> xr.Dataset:
    """Add the line at rest: its wires, its droppers as cut, the elasticity of one span."""
    from panhead.railway.line import elasticity, static_shape

    strung, (first, last) = resolved.strung, resolved.judged
    layout = strung.layout
    a, b = (layout.span_at(x) for x in (first, min(last, first + _DRAWN) - 1e-6))
    curve = elasticity(strung, span=_plain_span(layout, first, last))
    shape = static_shape(strung, spans=(a, b + 1), element_length=resolved.run.numerics.element_length)
    names = [f"{wire.name}, {wire.role}" for wire in shape.wires for _ in range(wire.x.size)]
    x, y, z = (np.concatenate([getattr(wire, axis) for wire in shape.wires]) for axis in "xyz")
    cut, of = shape.droppers, lambda dim, values, unit, words: (dim, values, {"units": unit, "long_name": words})
    return result.assign(
        elasticity_x=of("elasticity_point", curve.x, "m", "place along the track"),
        elasticity=of("elasticity_point", curve.value, "m/N", "uplift per force"),
        rest_wire=of("rest", np.array(names, dtype=str), "1", "wire of the line at rest"),
        rest_x=of("rest", x, "m", "place along the track"),
        rest_y=of("rest", y, "m", "place across the track, + to the left"),
        rest_z=of("rest", z, "m", "height above rail"),
        cut_name=of("cut", np.array(cut.names, dtype=str), "1", "dropper of the assessed section"),
        cut_x=of("cut", cut.x, "m", "place along the track"),
        cut_top=of("cut", cut.z_top, "m", "height of its upper end at rest"),
        cut_bottom=of("cut", cut.z_bottom, "m", "height of its lower end at rest"),
        cut_length=of("cut", cut.length, "m", "unstretched length"),
        cut_tension=of("cut", cut.tension, "N", "force at rest"),
    )
