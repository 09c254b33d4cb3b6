"""Criteria inside a result: stored as text beside the numbers, found again by the report."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from panhead.assess.criteria import DEFAULT_EDITION, Criterion, Site, assess

if TYPE_CHECKING:
    import xarray as xr

Judgement = Mapping[str, Sequence[Criterion]]  #: pantograph's name → its criteria


def judge(dataset: xr.Dataset) -> dict[str, list[Criterion]]:
    """Judge every pantograph of a line's result; its names are those of ``panhead.report.line``."""
    attrs = dataset.attrs
    times = dataset["time"].to_numpy()
    window = float(attrs.get("judged_from", times[0])), float(attrs.get("judged_to", times[-1]))
    found = {}
    for number, name in enumerate(dataset["pantograph"].to_numpy()):
        one = dataset.isel(pantograph=number)
        site = Site(
            supply=attrs.get("supply", Site().supply),
            uplift=_judged_uplift(one),
            uplift_space=attrs.get("uplift_space"),
            contact_height=one["contact_z"].to_numpy() if "contact_z" in one else None,
            wave_speed=attrs.get("wave_speed"),
        )
        found[str(name)] = assess(
            one["contact_force"].to_numpy(),
            times,
            float(attrs["speed"]),
            site=site,
            window=window,
            edition=attrs.get("edition", DEFAULT_EDITION),
        )
    return found


def _judged_uplift(dataset: xr.Dataset) -> np.ndarray | None:
    if "support_uplift" not in dataset:
        return None
    uplift = dataset["support_uplift"].to_numpy()
    return (
        uplift[dataset["support_judged"].to_numpy() > 0] if "support_judged" in dataset else uplift
    )


def store(dataset: xr.Dataset, judgement: Judgement) -> xr.Dataset:
    """The same dataset with the judgement as its attribute ``criteria``."""
    plain = {
        name: [dataclasses.asdict(c) for c in criteria] for name, criteria in judgement.items()
    }
    return dataset.assign_attrs(criteria=json.dumps(plain, ensure_ascii=False))


def stored(dataset: xr.Dataset) -> dict[str, list[Criterion]]:
    """The judgement stored in a dataset; judged anew if there is none."""
    if "criteria" not in dataset.attrs:
        return judge(dataset)
    plain = json.loads(dataset.attrs["criteria"])
    return {name: [Criterion(**c) for c in criteria] for name, criteria in plain.items()}
