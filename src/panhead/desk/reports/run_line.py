"""Figures of the overhead line: uplift at supports, dropper slackening and forces, elasticity."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from panhead.assess.number_text import number
from panhead.desk.drawing import figures
from panhead.desk.drawing.figures import DASHED
from panhead.desk.reports.line_places import name_track
from panhead.desk.reports.page import Block, PageTable, Picture
from panhead.desk.reports.run_force import mark_droppers, mark_supports

if TYPE_CHECKING:
    import xarray as xr

_DROPPER: Final = re.compile(r"(.+\.span\d+) (.+?)(?: at .+)?")  # span and dropper in the name of a dropper
_KINDS: Final = 6  # spans of which droppers are listed
_LONGEST_MAP: Final = 1200.0  # of the slack map [m]


def pictures(dataset: xr.Dataset, uplift_limit: float | None) -> list[Block | None]:
    """Figures of the line of one variant; ``uplift_limit`` [m]."""
    return [
        static_line(dataset),
        uplift(dataset, uplift_limit),
        slack_map(dataset),
        dropper_forces(dataset),
        elasticity(dataset),
    ]


_ROLES: Final = {
    "contact": ("contact wire", figures.INK),
    "messenger": ("messenger", figures.GREY),
    "auxiliary": ("auxiliary wire", figures.PURPLE),
    "stitch": ("stitch wire", figures.ORANGE),
}


def static_line(dataset: xr.Dataset) -> Picture | None:
    """Every wire of the assessed section at rest, droppers and masts; from the side and from above."""
    if "rest_z" not in dataset:
        return None
    chart, (side, above) = figures.chart(200, 90, zoom=True)
    named: set[str] = set()
    wires, x = dataset["rest_wire"].to_numpy(), dataset["rest_x"].to_numpy()
    for panel in (side, above):
        mark_supports(panel, dataset, x.min(), x.max())
    if dataset["cut_x"].size:
        low, high = (dataset[f"cut_{end}"].to_numpy() for end in ("bottom", "top"))
        side.bars(dataset["cut_x"].to_numpy(), low, high, "droppers", color=figures.GREEN, width=1.0)
    for wire in dict.fromkeys(map(str, wires)):
        mine, (word, color) = wires == wire, _ROLES[wire.rpartition(", ")[2].removesuffix("2")]
        label = "" if word in named else word
        named.add(word)
        side.curve(x[mine], dataset["rest_z"].to_numpy()[mine], label, color=color, thin=False)
        if word in ("contact wire", "messenger"):
            above.curve(x[mine], 1e3 * dataset["rest_y"].to_numpy()[mine], color=color, thin=False)
    name_track(side, dataset, "height (m)")
    name_track(above, dataset, "lateral, + left (mm)", masts=False)
    caption = (
        "Spans of the assessed section. Vertical lines mark supports. Bottom: plan view of contact and messenger wires."
    )
    return Picture("line_at_rest", "The line at rest", chart, caption)


def cut_droppers(dataset: xr.Dataset) -> list[Block]:
    """Lengths and forces of the droppers of the assessed section, a table for each kind of span."""
    if "cut_x" not in dataset or not dataset["cut_x"].size:
        return []
    names = [_DROPPER.fullmatch(str(name)) for name in dataset["cut_name"].to_numpy()]
    masts = dataset["mast_x"].to_numpy()
    x, length, force = (dataset[f"cut_{name}"].to_numpy() for name in ("x", "length", "tension"))
    away = x - masts[np.searchsorted(masts, x + 1e-6, side="right") - 1]
    spans: dict[str, list[list[str]]] = {}
    for k, found in enumerate(names):
        span, dropper = found.groups() if found else ("the line", str(k + 1))
        numbers = (f"{away[k]:.3f}", f"{length[k]:.4f}", f"{force[k]:.1f}")
        spans.setdefault(span, []).append([dropper, *numbers])
    kinds: dict[str, tuple[list[str], list[list[str]]]] = {}
    for span, rows in spans.items():
        kinds.setdefault(str(rows), ([], rows))[0].append(span)
    headings = ["", "Distance from the mast (m)", "Unstretched length (m)", "Force at rest (N)"]
    shown = list(kinds.values())[:_KINDS]
    left = sum(len(of) for of, _ in list(kinds.values())[_KINDS:])
    note = f"{left} more spans are in result.nc (cut_length, cut_tension)." if left else ""
    return [
        PageTable(f"Droppers of {', '.join(of)}", headings, rows, note=note if rows is shown[-1][1] else "")
        for of, rows in shown
    ]


def uplift(dataset: xr.Dataset, limit: float | None) -> Picture | None:
    """Largest uplift at each support, beside the limit."""
    if "support_uplift" not in dataset:
        return None
    x, lift = dataset["support_x"].to_numpy(), 1e3 * dataset["support_uplift"].to_numpy()
    known = np.isfinite(lift)
    if not known.any():
        return None
    chart, (panel,) = figures.chart(200, zoom=True)
    part = dataset["support_judged"].to_numpy() > 0 if "support_judged" in dataset else known
    few = x.size < 60
    for mask, color, label in ((known & ~part, figures.PALE, "not assessed"), (known & part, figures.BLUE, "assessed")):
        if mask.any():
            panel.bars(x[mask], 0.0, lift[mask], color=color, width=4 if few else 1)
            panel.dots(x[mask], lift[mask], label, color=color, size=4 if few else 1.5)
    if limit is not None:
        panel.rule(f"limit {1e3 * limit:.0f} mm", y=1e3 * limit, color=figures.RED, dash=DASHED)
    panel.y_limits = (min(0.0, 1.1 * float(lift[known].min())), None)
    name_track(panel, dataset, "largest uplift (mm)")
    return Picture("uplift", "Uplift at the supports", chart)


def slack_map(dataset: xr.Dataset) -> Picture | str | None:
    """Intervals in which each dropper is slack, relative to the passage of a pantograph."""
    if "dropper_x" not in dataset or ("slack_start" not in dataset and "dropper_force" not in dataset):
        return None
    places = dataset["dropper_x"].to_numpy()
    which, begin, finish = slackenings(dataset)
    if which.size == 0:
        return "No dropper slackens."
    passed = passing_times(dataset, places)  # (pantographs, droppers)
    cause, since = nearest(passed[:, which], 0.5 * (begin + finish))
    low, high = _shown_part(dataset, places[np.isfinite(passed).any(axis=0)])
    shown = np.isfinite(since) & (places[which] >= low) & (places[which] <= high)
    width = 3.0 if ((places >= low) & (places <= high)).sum() < 150 else 1.5
    names = [str(name) for name in dataset["pantograph"].to_numpy()]
    chart, (panel,) = figures.chart(230, zoom=True)
    panel.x_limits = (low - 2, high + 2)
    mark_supports(panel, dataset, low - 2, high + 2)
    mark_droppers(panel, dataset, low - 2, high + 2)
    panel.rule(y=0.0)
    for k, name in enumerate(names):
        mine = shown & (cause == k)
        color = figures.hue(k) if len(names) > 1 else figures.ORANGE
        low_, high_ = ((t - since)[mine] for t in (begin, finish))
        label = name if len(names) > 1 else ""
        panel.bars(places[which][mine], low_, high_, label, color=color, width=width)
    early, late = (begin - since)[shown], (finish - since)[shown]
    panel.y_limits = (1.1 * max(-1.5, early.min(initial=-0.1)), 1.1 * min(1.5, late.max(initial=0.1)))
    name_track(panel, dataset, "time after passing (s)")
    longest = number(1e3 * float((finish - begin).max(initial=0.0)), 3)
    caption = (
        "Each bar is an interval in which a dropper is slack; time 0 is the nearest pantograph passage. "
        f"{len(np.unique(which))} of {places.size} droppers slacken, for up to {longest} ms."
    )
    return Picture("slack_map", "Dropper slackening", chart, caption)


def slackenings(dataset: xr.Dataset) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Slack intervals (dropper, begin, end); from stored samples where the exact times were not recorded."""
    if "slack_start" in dataset:
        which = dataset["slack_dropper"].to_numpy().astype(int)
        return which, dataset["slack_start"].to_numpy(), dataset["slack_end"].to_numpy()
    t, force = dataset["sample"].to_numpy(), dataset["dropper_force"].to_numpy()
    slack = np.zeros((force.shape[1], t.size + 2), np.int8)
    slack[:, 1:-1] = (force <= 0.0).T
    change = np.diff(slack, axis=1)
    which, begin = np.nonzero(change > 0)
    _, finish = np.nonzero(change < 0)
    return which, t[begin], t[np.minimum(finish, t.size - 1)]


def passing_times(dataset: xr.Dataset, places: np.ndarray) -> np.ndarray:
    """(pantographs, droppers): time at which each passes each dropper [s]; NaN if never."""
    times = dataset["time"].to_numpy()
    ways = dataset["contact_x"].to_numpy()
    return np.array([np.interp(places, x, times, left=np.nan, right=np.nan) for x in ways])


def nearest(passed: np.ndarray, moments: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each time (n,) the pantograph whose passage is nearest, and the time of that passage; NaN if none."""
    away = np.where(np.isfinite(passed), np.abs(passed - moments), np.inf)
    cause = away.argmin(axis=0)
    return cause, passed[cause, np.arange(moments.size)]


def _shown_part(dataset: xr.Dataset, passed: np.ndarray) -> tuple[float, float]:
    """Range of droppers to draw: those passed, or only the middle of a long line."""
    if passed.size == 0:
        return float(dataset["dropper_x"].min()), float(dataset["dropper_x"].max())
    low, high = float(passed.min()), float(passed.max())
    middle = 0.5 * (low + high)
    return max(low, middle - _LONGEST_MAP / 2), min(high, middle + _LONGEST_MAP / 2)


def dropper_forces(dataset: xr.Dataset) -> Picture | None:
    """Static and largest force of every dropper."""
    if "dropper_max_force" not in dataset:
        return None
    chart, (panel,) = figures.chart(190, zoom=True)
    x, largest = dataset["dropper_x"].to_numpy(), dataset["dropper_max_force"].to_numpy()
    size = 2.6 if x.size < 200 else 1.3
    mark_supports(panel, dataset, x.min(), x.max())
    if "dropper_static_force" in dataset:
        static = dataset["dropper_static_force"].to_numpy()
        panel.bars(x, static, largest, color=figures.PALE)
        panel.dots(x, static, "at rest", color=figures.GREY, size=0.8 * size)
    panel.dots(x, largest, "largest", color=figures.GREEN, size=size)
    if "dropper_min_force" in dataset:
        smallest = dataset["dropper_min_force"].to_numpy()
        if smallest.min() < 0.0:  # bilateral droppers push
            panel.dots(x, smallest, "smallest", color=figures.ORANGE, size=size)
    if not any((s.y < 0).any() for s in panel.strokes):
        panel.y_limits = (0.0, None)
    name_track(panel, dataset, "force (N)")
    return Picture("dropper_forces", "Dropper forces", chart)


def dropper_table(results: dict[str, xr.Dataset]) -> list[Block]:
    """Smallest and largest dropper force of each variant, where there are several."""
    known = {name: one for name, one in results.items() if "dropper_max_force" in one}
    if len(known) < 2:
        return []
    rows = [
        [name, number(float(one["dropper_min_force"].min())), number(float(one["dropper_max_force"].max()))]
        for name, one in known.items()
    ]  # fmt: skip
    note = "Negative: the dropper is in compression (bilateral droppers only)."
    headings = ["", "Smallest force (N)", "Largest force (N)"]
    return [PageTable("Droppers", headings, rows, note=note)]


def elasticity(dataset: xr.Dataset) -> Picture | None:
    """Elasticity along the span, and its non-uniformity."""
    if "elasticity" not in dataset:
        return None
    chart, (panel,) = figures.chart(200)
    x, e = dataset["elasticity_x"].to_numpy(), 1e3 * dataset["elasticity"].to_numpy()
    mark_supports(panel, dataset, x.min(), x.max())
    mark_droppers(panel, dataset, x.min(), x.max())
    panel.curve(x, e, color=figures.PURPLE)
    panel.y_limits = (0.0, 1.12 * float(e.max()))
    name_track(panel, dataset, "elasticity (mm/N)")
    uneven = (e.max() - e.min()) / (e.max() + e.min())
    caption = (
        f"From {number(e.min(), 3)} to {number(e.max(), 3)} mm/N; non-uniformity (max − min)/(max + min) = "
        f"{number(100 * uneven, 3)} %. Ticks mark droppers."
    )
    return Picture("elasticity", "Elasticity of the line at rest", chart, caption)
