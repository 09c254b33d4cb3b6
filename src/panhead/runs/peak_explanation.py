"""Attribution of force peaks added to a result, or the reason why it is not available."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from panhead.engine.jobs import ignore_progress
from panhead.errors import PanheadError, RunWarning
from panhead.files.variants import join, separate
from panhead.runs.description import Run
from panhead.runs.resolve import ResolvedRun, resolve

if TYPE_CHECKING:
    import xarray as xr

LISTED = 10  #: peaks, and as many valleys, of which droppers are changed in trials


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


def _add_to_run(
    run: Run,
    result: xr.Dataset,
    kind: Literal["sweep", "trials"],
    progress: Callable[[float, str], None],
    model: ResolvedRun | None,
) -> xr.Dataset:
    from panhead.runs.gradients import peak_attribution  # its kernels are loaded when they are used

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RunWarning)  # said by the run itself
            peak_attribution.refuse_run(run if model is None else model.run)
            model = model or resolve(run)
            if kind == "sweep":
                peak_attribution.refuse_long(model)
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
