"""A model of bodies and wires in motion; in space as seen from above one side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from panhead.report import figures
from panhead.report.page import Animation, Block, Curve
from panhead.report.series import long_name, unit_text

if TYPE_CHECKING:
    import xarray as xr

_NUMBERS = 400_000  # drawn points times frames, so that a page stays small
_FRAMES = 1000  # at most
_FLAT = 0.12  # height over width below which heights are stretched
_WIRE = 8  # points from which on a part is drawn as a wire
_AZIMUTH, _ELEVATION = math.radians(-60.0), math.radians(22.0)
_AXES = (("x", figures.RED), ("y", figures.GREEN), ("z", figures.BLUE))


def animations(dataset: xr.Dataset, outputs: Sequence[str]) -> list[Block]:
    """The animation, if the dataset holds outlines."""
    if "outline_x" not in dataset:
        return []
    times = dataset["time"].to_numpy()
    frames = max(2, min(_FRAMES, _NUMBERS // dataset.sizes["outline"]))
    kept = np.arange(0, times.size, -(-times.size // frames))
    spatial = "outline_z" in dataset
    xyz = [dataset[f"outline_{axis}"].to_numpy()[kept] for axis in ("xyz" if spatial else "xy")]
    curves = _curves(dataset, *(projected(*xyz) if spatial else xyz))
    flat = not spatial and np.ptp(xyz[1]) < _FLAT * np.ptp(xyz[0])
    return [
        Animation(
            "The model",
            times[kept],
            curves + _triad(curves) if spatial else curves,
            x_label="across the view (m)" if spatial else "x (m)",
            y_label="up the view (m)" if spatial else "y (m)",
            equal_aspect=not flat,
            trace=_trace(dataset, outputs, kept),
            caption=_caption(spatial, flat),
        )
    ]


def projected(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Across and up the plane of view; z stays upright, nothing is shortened by distance."""
    c, s = math.cos(_AZIMUTH), math.sin(_AZIMUTH)
    depth = c * x + s * y
    return -s * x + c * y, math.cos(_ELEVATION) * z - math.sin(_ELEVATION) * depth


def _curves(dataset: xr.Dataset, x: np.ndarray, y: np.ndarray) -> list[Curve]:
    """One polyline for each part; the ground as points."""
    parts = np.array([str(name) for name in dataset["outline_part"].to_numpy()])
    names = list(dict.fromkeys(parts.tolist()))
    looks = _looks(names)
    curves = []
    for name in names:
        mine = np.flatnonzero(parts == name)
        label, color = looks[name]
        width, dots = (2.5, False) if len(mine) >= _WIRE else (4.0, True)
        if name == "ground":
            width, color = 0.0, figures.GREY
        elif len(names) > 2 * _WIRE:
            width = 2.5
        curves.append(Curve(label, x[:, mine], y[:, mine], color=color, width=width, dots=dots))
    return curves


def _looks(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Label and colour of every part; of many, those that differ by a number look alike and are named once."""
    if len(names) <= len(figures.CYCLE):
        return {name: (name, figures.CYCLE[k]) for k, name in enumerate(names)}
    stems = [name.rstrip("0123456789") or name for name in names]
    kinds = list(dict.fromkeys(stems))
    looks: dict[str, tuple[str, str]] = {}
    for k, (name, stem) in enumerate(zip(names, stems, strict=True)):
        again = stem in stems[:k]
        # links of one kind are told apart from their neighbours, kinds from one another
        shade = kinds.index(stem) if len(kinds) > 2 else k % 2
        looks[name] = ("" if again else stem, figures.CYCLE[shade % len(figures.CYCLE)])
    return looks


def _triad(curves: Sequence[Curve]) -> list[Curve]:
    """The world's axes in the lower left corner."""
    low = [min(float(c.x.min()) for c in curves), min(float(c.y.min()) for c in curves)]
    high = [max(float(c.x.max()) for c in curves), max(float(c.y.max()) for c in curves)]
    size = 0.08 * max(high[0] - low[0], high[1] - low[1])
    made = []
    for (name, color), e in zip(_AXES, np.eye(3), strict=True):
        across, up = projected(*(size * e))
        made.append(
            Curve(
                f"axis {name}",
                np.array([low[0], low[0] + float(across)]),
                np.array([low[1], low[1] + float(up)]),
                color=color,
                width=1.6,
            )
        )
    return made


def _trace(
    dataset: xr.Dataset, outputs: Sequence[str], kept: np.ndarray
) -> tuple[str, np.ndarray] | None:
    """The running curve below: a force tells most."""
    if not outputs:
        return None
    chosen = next((n for n in outputs if dataset[n].attrs.get("units") == "N"), outputs[0])
    unit = unit_text(str(dataset[chosen].attrs.get("units", "")))
    return f"{long_name(dataset, chosen)} ({unit})", dataset[chosen].to_numpy()[kept]


def _caption(spatial: bool, flat: bool) -> str:
    keys = "Space plays and pauses, the arrow keys step."
    if spatial:
        return f"Seen from above one side: x red, y green, z blue in the corner. {keys}"
    return f"Heights are stretched. {keys}" if flat else keys
