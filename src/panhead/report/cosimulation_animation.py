"""The line as the pantograph passes, and the pantograph as the train sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from panhead.report import figures
from panhead.report.cosimulation_figures import filtered
from panhead.report.page import Animation, Block, Curve

if TYPE_CHECKING:
    import xarray as xr

_FRAMES = 250
_WINDOW = 90.0  # [m] of line
_MAGNIFIED = 5.0  # motion of the wires about their rest
_NEAR = 1.6  # [m] of wire to either side of the strip, seen from the train


def _chosen(dataset: xr.Dataset) -> np.ndarray:
    return np.unique(np.linspace(0, dataset.sizes["frame"] - 1, _FRAMES).astype(int))


def _trace(dataset: xr.Dataset, t: np.ndarray) -> tuple[str, np.ndarray]:
    force = np.interp(t, dataset["time"].to_numpy(), filtered(dataset)[0])
    return "contact force to 20 Hz (N)", force


def line(dataset: xr.Dataset) -> list[Block]:
    """The line as the first model passes, its motion magnified, with the contact force."""
    if dataset.sizes.get("frame", 0) < 2:
        return []
    chosen = _chosen(dataset)
    t = dataset["frame_time"].to_numpy()[chosen]
    x = float(dataset.attrs["start"]) + float(dataset.attrs["speed"]) * t
    station, still = dataset["station"].to_numpy(), dataset["static_z"].to_numpy()
    grid = x[:, None] + np.linspace(-_WINDOW / 2, _WINDOW / 2, 181)
    wires = dataset["wire_z"].to_numpy()[chosen].astype(float)
    drawn = still + _MAGNIFIED * (wires - still)
    contact, messenger = (_on(grid, station, drawn[:, k]) for k in range(2))
    middle = contact[:, grid.shape[1] // 2, None] + np.zeros(2)
    curves = [
        Curve("messenger wire", grid, messenger, figures.GREY, 1.6),
        Curve("contact wire", grid, contact, figures.INK, 2.6),
        Curve("strip", x[:, None] + np.array([-0.9, 0.9]), middle, figures.ORANGE, 5.0),
    ]
    caption = f"Vertical motion of the wires is drawn {_MAGNIFIED:.0f} times larger."
    return [
        Animation(
            "The line as the pantograph passes", t, curves, x_label="distance along the track (m)",
            y_label="height above rail (m)", equal_aspect=False, follow=x, width=_WINDOW,
            trace=_trace(dataset, t), caption=caption,
        )
    ]  # fmt: skip


def _on(grid: np.ndarray, station: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Heights (frame, point) of a wire on a grid that moves; NaN beyond its ends."""
    return np.stack(
        [
            np.interp(row, station, one, left=np.nan, right=np.nan)
            for row, one in zip(grid, z, strict=True)
        ]
    )


def linkage(dataset: xr.Dataset) -> list[Block]:
    """The rigid model from the side, to scale, under the wire above it; nothing without a rigid model first."""
    sides = [str(name) for name in dataset if str(name).startswith("side ")]
    if not sides or dataset.sizes.get("frame", 0) < 2:
        return []
    chosen = _chosen(dataset)
    t = dataset["frame_time"].to_numpy()[chosen]
    curves = [
        Curve(
            name.removeprefix("side "),
            dataset[name].to_numpy()[chosen, :, 0],
            dataset[name].to_numpy()[chosen, :, 1],
            figures.CYCLE[k % len(figures.CYCLE)],
            4.0,
            dots=True,
        )
        for k, name in enumerate(sides)
    ]
    strip = float(dataset.attrs["strip_x"])
    base = float(dataset.attrs["base_z"])
    at = np.searchsorted(dataset["time"].to_numpy(), t - 1e-9)
    surface = dataset["strip_height"].to_numpy()[0][at, None] - base
    curves.append(
        Curve(
            "strip",
            strip + np.array([-0.15, 0.15]) + 0 * surface,
            surface + np.zeros(2),
            figures.ORANGE,
            6,
        )
    )
    near = np.linspace(-_NEAR, _NEAR, 33)
    x = float(dataset.attrs["start"]) + float(dataset.attrs["speed"]) * t
    wire = dataset["wire_z"].to_numpy()[chosen, 0].astype(float)
    height = _on(x[:, None] + near, dataset["station"].to_numpy(), wire) - base
    curves.append(
        Curve("contact wire", np.broadcast_to(strip + near, height.shape), height, figures.INK, 2.6)
    )
    return [
        Animation(
            "The pantograph, seen from the train", t, curves, x_label="along the track from the base (m)",
            y_label="height above the base (m)", trace=_trace(dataset, t), caption="To scale; all bodies rigid.",
        )
    ]  # fmt: skip
