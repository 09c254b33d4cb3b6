"""Figures of the line itself: uplift at supports, slack of droppers, elasticity."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.collections import LineCollection

from panhead.assess import judgement
from panhead.report import figures
from panhead.report.line_marks import mark_droppers, mark_supports
from panhead.report.page import Picture
from panhead.report.words import number

if TYPE_CHECKING:
    import xarray as xr

_LONGEST_MAP = 1200.0  # of the slack map [m]


def uplift(dataset: xr.Dataset) -> Picture | None:
    """Largest uplift at each support, beside the limit."""
    if "support_uplift" not in dataset:
        return None
    made, (axes,) = figures.figure(height=3.0)
    x, lift = dataset["support_x"].to_numpy(), 1e3 * dataset["support_uplift"].to_numpy()
    known = np.isfinite(lift)
    part = dataset["support_judged"].to_numpy() > 0 if "support_judged" in dataset else known
    for mask, color, label in (
        (known & ~part, figures.PALE, "not judged"),
        (known & part, figures.BLUE, "judged"),
    ):
        if mask.any():
            axes.vlines(
                x[mask], 0, lift[mask], color=color, lw=4 if x.size < 60 else 1, label=label
            )
            axes.plot(x[mask], lift[mask], "o", color=color, ms=5 if x.size < 60 else 2)
    limit = next(
        (
            c.limit
            for c in next(iter(next(iter(judgement(dataset).values())).values()))
            if c.key == "uplift"
        ),
        None,
    )
    if limit is not None:
        axes.axhline(
            1e3 * limit, color=figures.RED, lw=1.1, ls="--", label=f"limit {1e3 * limit:.0f} mm"
        )
    axes.set_ylim(min(0.0, 1.1 * float(lift[known].min())), None)
    figures.name_axes(axes, "support, distance along the track (m)", "largest uplift (mm)")
    figures.legend(axes)
    return Picture("uplift", "Uplift at the supports", made)


def slack_map(dataset: xr.Dataset) -> Picture | None:
    """When each dropper hangs slack, before and after a pantograph passes it."""
    if "slack_start" not in dataset or "dropper_x" not in dataset:
        return None
    made, (axes,) = figures.figure(height=3.6)
    places = dataset["dropper_x"].to_numpy()
    which = dataset["slack_dropper"].to_numpy().astype(int)
    begin, finish = dataset["slack_start"].to_numpy(), dataset["slack_end"].to_numpy()
    passed = _passing(dataset, places)  # (pantographs, droppers)
    cause, since = _nearest(passed[:, which], 0.5 * (begin + finish))
    low, high = _shown_part(dataset, places[np.isfinite(passed).any(axis=0)])
    shown = np.isfinite(since) & (places[which] >= low) & (places[which] <= high)
    width = 3.0 if ((places >= low) & (places <= high)).sum() < 150 else 1.5
    names = [str(name) for name in dataset["pantograph"].to_numpy()]
    for k, name in enumerate(names):
        mine = shown & (cause == k)
        ends = [np.stack([places[which], t - since], 1)[mine] for t in (begin, finish)]
        color = figures.CYCLE[k] if len(names) > 1 else figures.ORANGE
        bars = LineCollection(list(np.stack(ends, 1)), colors=color, linewidths=width, label=name)
        axes.add_collection(bars)
    axes.axhline(0.0, color=figures.GREY, lw=1.2)
    axes.set_xlim(low - 2, high + 2)
    early, late = (begin - since)[shown], (finish - since)[shown]
    axes.set_ylim(1.1 * max(-1.5, early.min(initial=-0.1)), 1.1 * min(1.5, late.max(initial=0.1)))
    mark_supports(axes, dataset, low - 2, high + 2)
    mark_droppers(axes, dataset, low - 2, high + 2)
    figures.name_axes(axes, "dropper, distance along the track (m)", "time after passing (s)")
    if len(names) > 1:
        figures.legend(axes)
    return Picture(
        "slack_map",
        "Slack droppers",
        made,
        "A bar is a time in which a dropper carries nothing; at 0 the pantograph next to it in "
        f"time passes. {len(np.unique(which))} of {places.size} droppers slacken, the longest for "
        f"{number(1e3 * float((finish - begin).max(initial=0.0)), 3)} ms.",
    )


def _passing(dataset: xr.Dataset, places: np.ndarray) -> np.ndarray:
    """(pantographs, droppers): the moment each is below each dropper [s]; NaN if never."""
    times = dataset["time"].to_numpy()
    ways = dataset["contact_x"].to_numpy()
    return np.array([np.interp(places, x, times, left=np.nan, right=np.nan) for x in ways])


def _nearest(passed: np.ndarray, moments: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each moment (n,) the pantograph that passes nearest to it, and when; NaN if none does."""
    away = np.where(np.isfinite(passed), np.abs(passed - moments), np.inf)
    cause = away.argmin(axis=0)
    return cause, passed[cause, np.arange(moments.size)]


def _shown_part(dataset: xr.Dataset, passed: np.ndarray) -> tuple[float, float]:
    """From where to where droppers are drawn: what was passed, of a long line the middle only."""
    if passed.size == 0:
        return float(dataset["dropper_x"].min()), float(dataset["dropper_x"].max())
    low, high = float(passed.min()), float(passed.max())
    middle = 0.5 * (low + high)
    return max(low, middle - _LONGEST_MAP / 2), min(high, middle + _LONGEST_MAP / 2)


def dropper_forces(dataset: xr.Dataset) -> Picture | None:
    """Static and largest force of every dropper."""
    if "dropper_max_force" not in dataset:
        return None
    made, (axes,) = figures.figure(height=2.9)
    x = dataset["dropper_x"].to_numpy()
    size = 5 if x.size < 200 else 2
    if "dropper_static_force" in dataset:
        static = dataset["dropper_static_force"].to_numpy()
        axes.vlines(x, static, dataset["dropper_max_force"].to_numpy(), color=figures.PALE, lw=1.2)
        axes.plot(x, static, "_", color=figures.GREY, ms=size + 2, mew=2, label="at rest")
    axes.plot(
        x,
        dataset["dropper_max_force"].to_numpy(),
        "o",
        color=figures.GREEN,
        ms=size - 1,
        label="largest",
    )
    mark_supports(axes, dataset, x.min(), x.max())
    axes.set_ylim(0, None)
    figures.name_axes(axes, "dropper, distance along the track (m)", "force (N)")
    figures.legend(axes)
    return Picture("dropper_forces", "Dropper forces", made)


def elasticity(dataset: xr.Dataset) -> Picture | None:
    """Uplift per newton along the span, and how uneven it is."""
    if "elasticity" not in dataset:
        return None
    made, (axes,) = figures.figure(height=3.0)
    x, e = dataset["elasticity_x"].to_numpy(), 1e3 * dataset["elasticity"].to_numpy()
    axes.plot(*figures.thinned(x, e), color=figures.PURPLE)
    mark_supports(axes, dataset, x.min(), x.max())
    mark_droppers(axes, dataset, x.min(), x.max())
    axes.set_ylim(0, 1.12 * e.max())
    figures.name_axes(axes, "distance along the track (m)", "elasticity (mm/N)")
    uneven = (e.max() - e.min()) / (e.max() + e.min())
    return Picture(
        "elasticity",
        "Elasticity of the line at rest",
        made,
        f"From {number(e.min(), 3)} to {number(e.max(), 3)} mm/N; "
        f"non-uniformity (max − min)/(max + min) = {number(100 * uneven, 3)} %. "
        "Ticks are droppers.",
    )
