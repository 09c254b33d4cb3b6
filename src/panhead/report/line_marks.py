"""Marks that tell where along the track something happens: supports, droppers, the judged part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from panhead.report import figures

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

_MOST_SUPPORTS = 120  # more lines than that are a grey area
_MOST_DROPPERS = 400


def inside(dataset: xr.Dataset, name: str, low: float, high: float) -> np.ndarray:
    """The places called ``name`` between two distances; none if the dataset does not have them."""
    if name not in dataset:
        return np.empty(0)
    places = dataset[name].to_numpy()
    return places[(places >= low - 1e-6) & (places <= high + 1e-6)]


def mark_supports(axes: Axes, dataset: xr.Dataset, low: float, high: float) -> None:
    """A grey vertical line at each support."""
    places = inside(dataset, "support_x", low, high)
    if places.size <= _MOST_SUPPORTS:
        for place in places:
            axes.axvline(place, color=figures.GREY, lw=0.8, alpha=0.55, zorder=0.5)


def mark_droppers(axes: Axes, dataset: xr.Dataset, low: float, high: float) -> None:
    """A short tick at the bottom of the axes for each dropper."""
    places = inside(dataset, "dropper_x", low, high)
    if places.size <= _MOST_DROPPERS:
        axes.vlines(
            places, 0.0, 0.045, transform=axes.get_xaxis_transform(), color=figures.GREEN, lw=1.4
        )


def shade_judged(axes: Axes, dataset: xr.Dataset) -> None:
    """A pale band over the judged part of the first pantograph's way."""
    if "judged_from" not in dataset.attrs:
        return
    times, x = dataset["time"].to_numpy(), dataset["contact_x"].to_numpy()[0]
    ends = np.interp([dataset.attrs["judged_from"], dataset.attrs["judged_to"]], times, x)
    axes.axvspan(*ends, color="#eff6ff", zorder=0.1, lw=0)
