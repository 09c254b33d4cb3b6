"""What is kept of one sample: every judged number, the force span by span, the uplift at every support."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.assess import judgement, low_pass
from panhead.assess.filters import sampling_step
from panhead.runs.description import Run
from panhead.runs.resolve import resolve_line

if TYPE_CHECKING:
    import xarray as xr


def outcome(run: Run, result: xr.Dataset) -> xr.Dataset:
    """The small dataset of one judged run."""
    import xarray as xr

    criteria = next(iter(judgement(result).values()))
    table = [found for found in criteria.values()]
    keys = list(dict.fromkeys(c.key for found in table for c in found))
    shape = len(table), len(keys)
    value, limit = np.full(shape, np.nan), np.full(shape, np.nan)
    failed = np.zeros(shape, np.int8)
    about: dict[str, tuple[str, str]] = {}
    for p, found in enumerate(table):
        for c in found:
            k = keys.index(c.key)
            value[p, k] = c.value
            limit[p, k] = np.nan if c.limit is None else c.limit
            failed[p, k] = c.verdict == "not met"
            about[c.key] = c.name, c.unit
    both = ("pantograph", "criterion")
    return xr.Dataset(
        {
            "value": (both, value),
            "limit": (both, limit),
            "failed": (both, failed),
            "criterion_name": ("criterion", np.array([about[k][0] for k in keys])),
            "criterion_unit": ("criterion", np.array([about[k][1] for k in keys])),
            **_by_span(run, result),
        },
        coords={"pantograph": np.array(list(criteria)), "criterion": np.array(keys)},
        attrs={"verdict": result.attrs["verdict"]},
    )


def _by_span(run: Run, result: xr.Dataset) -> dict[str, Any]:
    """Extremes and deviation of the filtered force in every span that is judged as a whole."""
    from panhead.line.layout import Layout

    masts = Layout(resolve_line(run)).mast_x
    times = result["time"].to_numpy()
    window = (times >= result.attrs["judged_from"]) & (times <= result.attrs["judged_to"])
    x, force = result["contact_x"].to_numpy(), result["contact_force"].to_numpy()
    filtered = np.array([low_pass(f, sampling_step(times)) for f in force])
    span = np.searchsorted(masts, x, side="right")  # 1 is the line's first
    numbers = np.unique(span[:, window])
    found = np.full((3, len(x), numbers.size), np.nan)
    for p in range(len(x)):
        for k, number in enumerate(numbers):
            mine = filtered[p, window & (span[p] == number)]
            if mine.size > 1:
                found[:, p, k] = mine.max(), mine.min(), mine.std()
    dims = ("pantograph", "span")
    names = ("span_max", "span_min", "span_deviation")
    return {name: (dims, found[k]) for k, name in enumerate(names)} | {"span": ("span", numbers)}


def failure(message: str) -> xr.Dataset:
    """What is kept of a sample that could not be computed."""
    import xarray as xr

    return xr.Dataset(attrs={"verdict": "failed", "message": message})
