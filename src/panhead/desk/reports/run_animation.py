"""Animations of a run: a window travelling along the line, and the pantograph linkage in train coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from panhead.desk.drawing import figures
from panhead.desk.reports.line_places import station, track_label
from panhead.desk.reports.page import Animation, Block, Polyline, RunningCurve
from panhead.desk.reports.run_force import Passage

if TYPE_CHECKING:
    import xarray as xr

_WIDTH = 90.0  # of the window [m]
_POINTS = 181  # of a wire in the window
_FRAMES = 400  # at most
_MAGNIFIED = 5.0  # motion of the wires about their rest
_NEAR = 1.6  # of wire to either side of the head, seen from the train [m]
_NEEDED = ("frame_time", "frame_x", "frame_contact_z", "frame_pantograph_x", "frame_head_z")


def animations(ways: Sequence[Passage]) -> list[Block]:
    """Animation of the line with the contact force of each pantograph, and of the linkage of the first."""
    if not has_pictures(ways[0].result):
        return []
    frames = np.unique(np.linspace(0, ways[0].result.sizes["frame"] - 1, _FRAMES).astype(int))
    some = ways[0].result.isel(frame=frames)
    times = some["frame_time"].to_numpy()
    variant = ways[0].variant
    traces = []
    for one in ways:
        shown = (one.times >= times[0]) & (one.times <= times[-1])
        label = f"contact force, filtered to 20 Hz (N){f', {one.pantograph}' if len(ways) > 1 else ''}"
        curve = figures.thin_curve(one.times[shown], one.smooth[shown])
        traces.append(RunningCurve(label, *curve, figures.hue(one.number)))
    return [_line(some, times, traces, variant), *_linkage(some, times, traces[:1], variant)]


def has_pictures(dataset: xr.Dataset) -> bool:
    """True if the run recorded animation frames of the line."""
    return all(name in dataset for name in _NEEDED) and dataset.sizes["frame"] > 1


def _line(dataset: xr.Dataset, times: np.ndarray, traces: Sequence[RunningCurve], variant: str) -> Animation:
    """A window of the line that travels with the pantographs, motion magnified."""
    places = dataset["frame_pantograph_x"].to_numpy()  # (frame, pantograph)
    centre = places.mean(axis=1)
    width = max(_WIDTH, 1.4 * float(np.ptp(places, axis=1).max()))
    grid = centre[:, None] + np.linspace(-width / 2, width / 2, _POINTS)
    scale = _MAGNIFIED if "static_x" in dataset else 1.0
    heads = dataset["frame_head_z"].to_numpy()
    if scale != 1.0:  # magnified as the wire above them
        rest = static_height(dataset, "contact", places)
        heads = rest + scale * (heads - rest)
    curves = [*line_curves(dataset, grid, scale), *_pantographs(dataset, places, heads)]
    said = f"Vertical motion of wires and head is magnified {scale:.0f} times. " if scale > 1 else ""
    return Animation(
        f"Line and pantograph{f', {variant}' if variant else ''}",
        times,
        curves,
        x_label=track_label(dataset),
        y_label="height above rail (m)",
        equal_aspect=False,
        follow=centre,
        width=width,
        traces=traces,
        caption=said + "The pantograph arms are schematic. Space plays and pauses, the arrow keys step.",
        station=station(dataset),
    )


def line_curves(dataset: xr.Dataset, grid: np.ndarray, scale: float = 1.0) -> list[Polyline]:
    """Supports, droppers and wires over places along the track (frame, point) [m], motion magnified."""
    contact = _wire(dataset, "contact", grid, scale)
    if "frame_messenger_z" not in dataset:  # a conductor rail
        rail = Polyline("conductor rail", grid, contact, color=figures.INK, width=4.0)
        return [*_upright(dataset, grid, contact, contact, contact), rail]
    messenger = _wire(dataset, "messenger", grid, scale)
    return [
        *_upright(dataset, grid, contact, messenger, _hangers(dataset, grid, scale, messenger)),
        *_others(dataset, grid, scale),
        Polyline("messenger wire", grid, messenger, color=figures.GREY, width=1.6),
        Polyline("contact wire", grid, contact, color=figures.INK, width=2.6),
    ]


def _others(dataset: xr.Dataset, grid: np.ndarray, scale: float) -> list[Polyline]:
    """Other wires: stitch and auxiliary wires, and in an overlap the wires out of running."""
    styles = {
        "stitch": Polyline("stitch wire", grid, grid, color=figures.PURPLE, width=1.4),
        "auxiliary": Polyline("auxiliary wire", grid, grid, color=figures.PURPLE, width=1.6),
        "other_contact": Polyline("contact wire of the other tension length", grid, grid, color=figures.SKY, width=2.0),
        "other_messenger": Polyline("messenger of the other tension length", grid, grid, color=figures.SKY, width=1.2),
    }
    curves = []
    for wire, style in styles.items():
        if f"frame_{wire}_z" in dataset:
            x = _with_ends(dataset, wire, grid)
            z = _wire(dataset, wire, x, scale, gaps=True)
            curves += [replace(style, x=x, y=z, gaps=True)] if np.isfinite(z).any() else []
    return curves


def _with_ends(dataset: xr.Dataset, wire: str, grid: np.ndarray) -> np.ndarray:
    """The grid with the point next to each end of a wire moved to that end, so that the wire is drawn whole."""
    if "static_x" not in dataset:
        return grid
    known = np.isfinite(dataset[f"static_{wire}_z"].to_numpy()).astype(int)
    x, change = dataset["static_x"].to_numpy(), np.diff(known, prepend=0, append=0)
    moved = grid.copy()
    for row in moved:
        begins, ends = x[change[:-1] == 1], x[change[1:] == -1]
        begins, ends = (side[(side > row[0]) & (side < row[-1])] for side in (begins, ends))
        before, after = np.searchsorted(row, begins, side="right") - 1, np.searchsorted(row, ends)
        row[before], row[after] = begins, ends
    return moved


def _linkage(dataset: xr.Dataset, times: np.ndarray, traces: Sequence[RunningCurve], variant: str) -> list[Animation]:
    """Side view of the pantograph members under the contact wire, to scale; empty without members."""
    curves = linkage_curves(dataset)
    if not curves:
        return []
    near = np.linspace(-_NEAR, _NEAR, 33)
    wire = _wire(dataset, "contact", dataset["frame_pantograph_x"].to_numpy()[:, :1] + near, 1.0)
    curves.append(Polyline("contact wire", near, wire, figures.INK, 2.6))
    return [
        Animation(
            f"Pantograph linkage, seen from the train{f', {variant}' if variant else ''}",
            times,
            curves,
            x_label="longitudinal distance from the contact strip (m)",
            y_label="height above rail (m)",
            traces=traces,
            caption="To scale; members that bend are drawn straight between their joints.",
        )
    ]


def linkage_curves(dataset: xr.Dataset) -> list[Polyline]:
    """The members of the first pantograph over the distance from its strip; none of a chain of masses."""
    curves = []
    members = [str(name) for name in dataset.data_vars if str(name).startswith("linkage_")]
    for k, name in enumerate(members):
        x, z = np.moveaxis(dataset[name].to_numpy(), -1, 0)
        word = name.removeprefix("linkage_").replace("_", " ")
        curves.append(Polyline(word, x, z, figures.hue(k), 4.0, dots=True))
    return curves


def _wire(dataset: xr.Dataset, wire: str, grid: np.ndarray, scale: float, *, gaps: bool = False) -> np.ndarray:
    """(frame, point) heights on the window's grid, motion magnified; NaN past the wire's ends.

    The motion is taken where the pictures have their points and interpolated from there: the
    difference of two interpolated heights would magnify the kinks at supports as well. ``gaps``: it hangs only
    here and there.
    """
    x, z = dataset["frame_x"].to_numpy(), dataset[f"frame_{wire}_z"].to_numpy()
    x = np.broadcast_to(x, z.shape)
    still = "static_x" in dataset
    motion = z - static_height(dataset, wire, x, gaps=gaps) if still else z
    masked = gaps and still  # by the shape at rest, whose ends lie between the points of a picture
    outside = None if masked else np.nan
    moved = np.array([_between(row, x[k], motion[k], gaps and not still, outside) for k, row in enumerate(grid)])
    return static_height(dataset, wire, grid, gaps=gaps) + scale * moved if still else moved


def _between(at: np.ndarray, x: np.ndarray, z: np.ndarray, gaps: bool, outside: float | None = None) -> np.ndarray:
    """Straight between the points that are known, or with ``gaps`` between neighbours that both are."""
    known = np.isfinite(x) & (gaps | np.isfinite(z))
    if not known.any():
        return np.full(at.shape, np.nan)
    return np.interp(at, x[known], z[known], left=outside, right=outside)


def static_height(dataset: xr.Dataset, wire: str, x: np.ndarray, *, gaps: bool = False) -> np.ndarray:
    return _between(x, dataset["static_x"].to_numpy(), dataset[f"static_{wire}_z"].to_numpy(), gaps)


def _strokes(
    places: np.ndarray, grid: np.ndarray, low: np.ndarray, high: np.ndarray, style: Polyline
) -> list[Polyline]:
    """Upright strokes between two wires as one curve; a stroke outside the window is a gap."""
    x = np.unique(places)
    x = x[(x >= grid.min()) & (x <= grid.max())]
    if x.size == 0:
        return []
    most = max(int(((x >= row[0]) & (x <= row[-1])).sum()) for row in grid)
    strokes_x = np.full((grid.shape[0], 3 * most), np.nan)
    strokes_z = np.full_like(strokes_x, np.nan)
    tenant = np.full(most, -1)
    for k, row in enumerate(grid):
        here = np.flatnonzero((x >= row[0]) & (x <= row[-1]))
        settled = (tenant[here % most] == here) | (k == 0)  # one frame of gap where a newcomer
        tenant[here % most] = here  # takes over a column, or its stroke would fly across
        column = 3 * (here[settled] % most)
        for shift, wire in ((0, low), (1, high)):
            strokes_x[k, column + shift] = x[here[settled]]
            strokes_z[k, column + shift] = np.interp(x[here[settled]], row, wire[k])
    return [replace(style, x=strokes_x, y=strokes_z)]


def _hangers(dataset: xr.Dataset, grid: np.ndarray, scale: float, messenger: np.ndarray) -> np.ndarray:
    """Heights of the wire that carries the droppers: stitch wire where present, else auxiliary or messenger wire."""
    above = messenger
    for wire in ("auxiliary", "stitch"):
        if f"frame_{wire}_z" in dataset:
            z = _wire(dataset, wire, grid, scale, gaps=True)
            above = np.where(np.isfinite(z), z, above)
    return above


def _upright(
    dataset: xr.Dataset, grid: np.ndarray, contact: np.ndarray, messenger: np.ndarray, above: np.ndarray
) -> list[Polyline]:
    """Supports and droppers of the part of the line that is seen."""
    none = np.empty(0)
    support = Polyline("supports", none, none, color=figures.PALE, width=4.0)
    dropper = Polyline("droppers", none, none, color=figures.GREEN, width=1.2)
    kinds = (("support_x", contact, messenger + 0.2, support), ("dropper_x", contact, above, dropper))
    return [
        curve
        for name, low, high, style in kinds
        if name in dataset
        for curve in _strokes(dataset[name].to_numpy(), grid, low, high, style)
    ]


def _pantographs(dataset: xr.Dataset, places: np.ndarray, heads: np.ndarray) -> list[Polyline]:
    """A head and a sketch of two arms below it for each pantograph."""
    curves = []
    floor = float(np.nanmin(heads)) - 0.55
    for k, name in enumerate(dataset["pantograph"].to_numpy()):
        x, z = places[:, k, None], heads[:, k, None]
        color = figures.hue(k)
        knee = floor + 0.45 * (z - floor)
        arms_x, arms_z = (np.hstack([x + 1.0, x + 5.0, x]), np.hstack([np.full_like(z, floor), knee, z]))
        curves.append(Polyline("", arms_x, arms_z, color=color, width=2.5, dots=True))
        curves.append(Polyline(str(name), np.hstack([x - 1.6, x + 1.6]), np.hstack([z, z]), color=color, width=5))
    return curves
