"""Inputs of an assessment besides the contact force, read from the dataset of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.assess.quantities import Site

if TYPE_CHECKING:
    import xarray as xr


def judged_window(one: xr.Dataset) -> tuple[float, float]:
    """Start and end of the assessment window of one pantograph [s]: while it passes the assessed section."""
    times = one["time"]
    if "judged_from" in one:
        return float(one["judged_from"]), float(one["judged_to"])
    return float(one.attrs.get("judged_from", times[0])), float(one.attrs.get("judged_to", times[-1]))


def judged_samples(times: np.ndarray, window: tuple[float, float]) -> np.ndarray:
    """Mask of the samples (n,) inside a window, both ends included, bool."""
    slack = 1e-9 * abs(times[-1] - times[0])
    return np.asarray((times >= window[0] - slack) & (times <= window[1] + slack))


def contact_across(result: xr.Dataset) -> np.ndarray | None:
    """Lateral position of the wire on each head, + to the left of its middle, (pantographs, samples) [m]; None if
    unknown.

    A solver that does not tell leaves the wire at rest; a vehicle below carries the head to the side with its roof.
    """
    if "contact_y" in result:
        across = result["contact_y"].to_numpy()
    elif "mast_y" in result and "contact_x" in result:
        across = np.interp(result["contact_x"].to_numpy(), result["mast_x"].to_numpy(), result["mast_y"].to_numpy())
    else:
        return None
    if "head_y" in result:
        across = across - result["head_y"].to_numpy()
    if "roof_y" in result:
        across = across - np.interp(result["time"], result["roof_time"], result["roof_y"])
    return np.asarray(across)


def site_of(one: xr.Dataset) -> Site:
    """Assessment inputs of one pantograph of a result."""
    attrs: Mapping[str, Any] = one.attrs
    height, span = _heights(one)
    across = contact_across(one)
    width = one.get("working_width")
    return Site(
        supply=attrs.get("supply", Site().supply),
        uplift=_judged_supports(one, "support_uplift"),
        uplift_place=_judged_supports(one, "support_x"),
        uplift_time=_judged_supports(one, "support_time"),
        uplift_space=attrs.get("uplift_space"),
        contact_place=one["contact_x"].to_numpy() if "contact_x" in one else None,
        mast_place=one["mast_x"].to_numpy() if "mast_x" in one else None,
        contact_height=height,
        contact_span=span,
        contact_across=across,
        working_width=None if width is None else float(width),
        wave_speed=attrs.get("wave_speed"),
    )


def _heights(one: xr.Dataset) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Height of the contact point over the straight line through the wire at its span's supports, and the span.

    A designed gradient does not count; the pre-sag and the motion during the passage do. −1: the span is not
    assessed, since in an overlap the pantograph passes from wire to wire.
    """
    if "contact_z" not in one:
        return None, None
    height = one["contact_z"].to_numpy()
    if "mast_z" not in one or "contact_x" not in one:
        return height, None
    masts, x = one["mast_x"].to_numpy(), one["contact_x"].to_numpy()
    span = np.clip(np.searchsorted(masts, x, side="right") - 1, 0, masts.size - 2)
    apart = one["span_overlap"].to_numpy()[span] > 0
    return height - np.interp(x, masts, one["mast_z"].to_numpy()), np.where(apart, -1, span)


def _judged_supports(one: xr.Dataset, name: str) -> np.ndarray | None:
    if name not in one:
        return None
    values = one[name].to_numpy()
    return values[one["support_judged"].to_numpy() > 0] if "support_judged" in one else values
