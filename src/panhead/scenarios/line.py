"""Scenarios of the kind ``line``: pantographs under an overhead contact line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from panhead.jobs import Job
from panhead.run.solvers.linear.description import LineRun
from panhead.run.solvers.linear.simulate import simulate
from panhead.scenarios import Kind, Row

if TYPE_CHECKING:
    import xarray as xr

    from panhead.report.page import Page

_SHORT = ("mean_force", "deviation", "actual_max", "actual_min", "contact_loss", "uplift")


def _simulate(run: LineRun, job: Job) -> xr.Dataset:
    """Simulate and add what the report shows of the line at rest."""
    return _with_elasticity(run, simulate(run, job))


def _with_elasticity(run: LineRun, result: xr.Dataset) -> xr.Dataset:
    """The same result with the elasticity of one span in the middle of the judged part."""
    import numpy as np

    from panhead.line import elasticity, string
    from panhead.run.solvers.linear.model import resolve_line

    strung = string(resolve_line(run))
    times = [result.attrs["judged_from"], result.attrs["judged_to"]]
    middle = float(np.interp(np.mean(times), result["time"], result["contact_x"][0]))
    curve = elasticity(strung, span=strung.layout.span_at(middle))
    attrs = {"units": "m", "long_name": "place along the track"}
    return result.assign(
        elasticity_x=("elasticity_point", curve.x, attrs),
        elasticity=(
            "elasticity_point",
            curve.value,
            {"units": "m/N", "long_name": "uplift per force"},
        ),
    )


def _summarise(result: xr.Dataset) -> Sequence[Row]:
    from panhead.assess.storage import stored

    rows = []
    judgement = stored(result)
    for name, criteria in judgement.items():
        label = f"{name}: " if len(judgement) > 1 else ""
        for c in criteria:
            if c.limit is None and c.key not in _SHORT:
                continue
            value, limit, error, unit = c.shown()
            bar = "" if error is None else f" ± {error:.2g}"
            sign = "≤" if c.bound == "upper" else "≥"
            note = "" if limit is None else f"{sign} {limit:.4g} {unit}: {c.verdict}"
            rows.append(Row(label + c.name, f"{value:.4g}{bar}", unit, note))
    rows.append(
        Row(
            "energy not accounted for",
            float(abs(result["balance"]).max()),
            "J",
            "largest of the run",
        )
    )
    return rows


def _page(result: xr.Dataset) -> Page:
    from panhead.report.line import page

    return page(result)


KIND = Kind("line", LineRun, _simulate, _summarise, _page)
