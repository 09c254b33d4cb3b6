"""Attribution of force peaks added to a result, or the reason why it is not available."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from panhead.engine.jobs import ignore_progress
from panhead.errors import ModelError, PanheadError, RunWarning
from panhead.files.variants import join, separate
from panhead.railway.line.layout import Layout
from panhead.runs.description import Run
from panhead.runs.resolve import ResolvedRun, journey_in_metres, metres, resolve, resolve_line

if TYPE_CHECKING:
    import xarray as xr

LONG = 3e7  #: steps times coordinates of the longest run that is swept without being asked for
#: cost of an attribution in runs; a sweep goes back once through a run that is short
_COSTS = {"none": 0.0, "sweep": 2.5, "trials": 9.0}
LISTED = 10  #: peaks, and as many valleys, of which droppers are changed in trials


def swept_work(steps: float, length: float, run: Run) -> float:
    """Steps times coordinates of a line of a length [m]: what a sweep goes through."""
    return steps * 4.0 * (2 if run.lateral else 1) * length / run.numerics.element_length


def attribution_cost(run: Run, kind: str) -> float:
    """Cost of an attribution in runs, before the run is resolved; nothing where it will be refused."""
    if run.solver != "linear" or kind != "sweep":
        return _COSTS[kind] if run.solver == "linear" else 0.0
    layout = Layout(resolve_line(run))
    length, journey = float(layout.mast_x[-1]), journey_in_metres(run.journey, layout)
    way = metres(journey.stop, length) - metres(journey.start, 0.0)
    speed = run.speed or max(v for _, v in run.speed_table)
    seconds = way / speed if journey.duration is None else journey.duration
    return 0.0 if swept_work(seconds / run.numerics.step, length, run) > LONG else _COSTS[kind]


def add_attribution(
    run: Run,
    result: xr.Dataset,
    kind: Literal["sweep", "trials"],
    progress: Callable[[float, str], None] = ignore_progress,
    model: ResolvedRun | None = None,
) -> xr.Dataset:
    """Add the attribution of σ and the force peaks to a result; the attribute ``why_not`` says why there is none.

    model: the run as it was computed, where it is at hand; else it is resolved again.
    """
    if not run.variants:
        return _add_to_run(run, result, kind, progress, model)
    parts = separate(result)
    for k, variant in enumerate(run.variants):
        share = lambda done, words, k=k: progress((k + done) / len(run.variants), words)
        parts[variant.name] = _add_to_run(run.variant(variant), parts[variant.name], kind, share, None)
    joined = join(parts)
    return joined.assign_attrs({k: v for k, v in result.attrs.items() if k not in joined.attrs})


def _refuse_long(model: ResolvedRun) -> None:
    """ModelError for a run that is too long for an automatic attribution."""
    from panhead.runs.linear.near_spans import spans_at

    first, stop = spans_at(model, 0)
    masts = model.strung.layout.mast_x
    if swept_work(model.steps, float(masts[stop] - masts[first]), model.run) > LONG:
        raise ModelError(
            "the run is long, and this would cost about nine runs; start it with “panhead report --why result.nc”"
        )


def _add_to_run(
    run: Run,
    result: xr.Dataset,
    kind: Literal["sweep", "trials"],
    progress: Callable[[float, str], None],
    model: ResolvedRun | None,
) -> xr.Dataset:
    from panhead.runs.gradients import peak_attribution  # its kernels are loaded when they are used
    from panhead.runs.gradients.gradient import refuse

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RunWarning)  # said by the run itself
            if run.solver != "linear":
                raise ModelError(f'peak attribution needs solver = "linear", not {run.solver!r}')
            refuse(run if model is None else model.run)
            model = model or resolve(run)
            if kind == "sweep":
                _refuse_long(model)
                found = peak_attribution.attribute_peaks(model, result, progress, peak_attribution.PEAKS, 0)
                return result.assign(peak_attribution.variables(found, result)).assign_attrs(why_not="")
            from panhead.runs.gradients.dropper_trials import trial_variables

            found = peak_attribution.attribute_peaks(model, result, progress, LISTED, LISTED)
            progress(0.6, "attribution, droppers changed")
            return result.assign(peak_attribution.variables(found, result) | trial_variables(found)).assign_attrs(
                why_not=""
            )
    except PanheadError as error:
        return result.assign_attrs(why_not=str(error).removeprefix("gradient: "))
