"""The judge of every run under a line: limits by supply and edition, the verdict stored in the result."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.assess.criteria import DEFAULT_EDITION, Criterion, Site, assess, overall, with_error_bars
from panhead.errors import ModelError
from panhead.files.variants import separate

if TYPE_CHECKING:
    import xarray as xr

#: variant → pantograph → its criteria; the variant is "" where a result has none
Judgement = dict[str, dict[str, list[Criterion]]]


def judge(dataset: xr.Dataset) -> xr.Dataset:
    """The same result with its judgement: attributes ``criteria`` (JSON) and ``verdict``, the worst of all."""
    for needed in ("contact_force", "time"):
        if needed not in dataset.variables:
            raise ModelError(f"judge: the result has no {needed!r}; only a run under a line can be judged")
    return store(dataset, {name: _criteria(one) for name, one in separate(dataset).items()})


def judgement(dataset: xr.Dataset) -> Judgement:
    """The judgement a result carries."""
    if "criteria" not in dataset.attrs:
        raise ModelError("the result has not been judged; panhead.assess.judge(result) adds its verdict")
    plain = json.loads(dataset.attrs["criteria"])
    return {
        variant: {name: [Criterion(**c) for c in criteria] for name, criteria in found.items()}
        for variant, found in plain.items()
    }


def add_error_bars(result: xr.Dataset, repeat: xr.Dataset) -> xr.Dataset:
    """The judged result with error bars from its judged repeat, on another step and mesh."""
    other = judgement(repeat)
    return store(
        result,
        {
            variant: {name: with_error_bars(c, other[variant][name]) for name, c in found.items()}
            for variant, found in judgement(result).items()
        },
    )


def store(dataset: xr.Dataset, found: Judgement) -> xr.Dataset:
    """The result with a judgement written into its attributes."""
    plain = {
        variant: {name: [dataclasses.asdict(c) for c in criteria] for name, criteria in of.items()}
        for variant, of in found.items()
    }
    every = [c for of in found.values() for criteria in of.values() for c in criteria]
    return dataset.assign_attrs(criteria=json.dumps(plain, ensure_ascii=False), verdict=overall(every))


def _criteria(one: xr.Dataset) -> dict[str, list[Criterion]]:
    """Every pantograph of one variant by the limits of its supply and edition."""
    attrs, times = one.attrs, one["time"].to_numpy()
    window = float(attrs.get("judged_from", times[0])), float(attrs.get("judged_to", times[-1]))
    return {
        str(name): assess(
            _from_rest(one.isel(pantograph=k)),
            times,
            float(attrs["speed"]),
            site=_site(one.isel(pantograph=k)),
            window=window,
            edition=str(attrs.get("edition", DEFAULT_EDITION)),
        )
        for k, name in enumerate(one["pantograph"].to_numpy())
    }


def _site(one: xr.Dataset) -> Site:
    attrs: Mapping[str, Any] = one.attrs
    return Site(
        supply=attrs.get("supply", Site().supply),
        uplift=_judged_uplift(one),
        uplift_space=attrs.get("uplift_space"),
        contact_height=one["contact_z"].to_numpy() if "contact_z" in one else None,
        wave_speed=attrs.get("wave_speed"),
    )


def _from_rest(one: xr.Dataset) -> np.ndarray:
    """The contact force (n,) [N], with the static one at its beginning where the run began at rest.

    A filter starts in the state of its first sample, and the first instant of a load that starts where the wire
    bends has a force of its own, v² times the bend, which no instrument would have held for ever before.
    """
    force = one["contact_force"].to_numpy().copy()
    if "static_force" in one and np.isfinite(one["static_force"]):
        force[0] = float(one["static_force"])
    return np.asarray(force)


def _judged_uplift(one: xr.Dataset) -> np.ndarray | None:
    if "support_uplift" not in one:
        return None
    uplift = one["support_uplift"].to_numpy()
    return uplift[one["support_judged"].to_numpy() > 0] if "support_judged" in one else uplift
