"""Stored outcome of one sample: assessed quantities, force by span, uplift at supports."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.assess import group_verdicts, judgement, low_pass
from panhead.assess.filters import sampling_step

if TYPE_CHECKING:
    import xarray as xr

_TOUCHED = 0.05  # a span of which less is judged is only touched by the end of the assessed section


def outcome(result: xr.Dataset) -> xr.Dataset:
    """The small dataset of one assessed run."""
    import xarray as xr

    criteria = next(iter(judgement(result).values()))
    groups = group_verdicts([c for found in criteria.values() for c in found])
    # a criterion without a value cannot be judged, which the verdict of the sample says
    table = [[c for c in found if not (c.unjudged and np.isnan(c.value))] for found in criteria.values()]
    keys = list(dict.fromkeys(c.key for found in table for c in found))
    shape = len(table), len(keys)
    value, limit, error = np.full(shape, np.nan), np.full(shape, np.nan), np.full(shape, np.nan)
    failed = np.zeros(shape, np.int8)
    about: dict[str, tuple[str, str, str]] = {}
    for p, found in enumerate(table):
        for c in found:
            k = keys.index(c.key)
            value[p, k] = c.value
            limit[p, k] = np.nan if c.limit is None else c.limit
            error[p, k] = np.nan if c.error is None else c.error
            failed[p, k] = replace(c, error=None).verdict == "not met"
            about[c.key] = c.name, c.unit, c.bound
    both = ("pantograph", "criterion")
    return xr.Dataset(
        {
            "value": (both, value),
            "limit": (both, limit),
            "error": (both, error),
            "failed": (both, failed),
            "criterion_name": ("criterion", np.array([about[k][0] for k in keys])),
            "criterion_unit": ("criterion", np.array([about[k][1] for k in keys])),
            "criterion_bound": ("criterion", np.array([about[k][2] for k in keys])),
            **_by_span(result),
        },
        coords={"pantograph": np.array(list(criteria)), "criterion": np.array(keys)},
        attrs={"verdict": result.attrs["verdict"], "quality": groups["contact quality"], "setting": groups["setting"]},
    )


def _by_span(result: xr.Dataset) -> dict[str, Any]:
    """Extremes and deviation of the filtered force in every span that a pantograph is judged in."""
    times, x = result["time"].to_numpy(), result["contact_x"].to_numpy()
    begin, end = (result[name].to_numpy()[:, None] for name in ("judged_from", "judged_to"))
    filtered = np.array([low_pass(f, sampling_step(times)) for f in result["contact_force"].to_numpy()])
    span = np.searchsorted(result["mast_x"].to_numpy(), x, side="right")  # 1 is the line's first
    span = np.where((times >= begin) & (times <= end), span, 0)
    numbers, counts = np.unique(span[span > 0], return_counts=True)
    numbers = numbers[counts > _TOUCHED * counts.max(initial=0)]
    found = np.full((3, len(x), numbers.size), np.nan)
    for p in range(len(x)):
        for k, number in enumerate(numbers):
            mine = filtered[p, span[p] == number]
            if mine.size > 1:
                found[:, p, k] = mine.max(), mine.min(), mine.std()
    names = ("span_max", "span_min", "span_deviation")
    return {name: (("pantograph", "span"), found[k]) for k, name in enumerate(names)} | {"span": ("span", numbers)}


def failure(message: str) -> xr.Dataset:
    """Stored outcome of a sample that failed."""
    import xarray as xr

    return xr.Dataset(attrs={"verdict": "failed", "message": message})
