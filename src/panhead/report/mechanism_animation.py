"""A mechanism in motion, drawn from the outlines of its parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from panhead.report import figures
from panhead.report.page import Animation, Block, Curve
from panhead.report.series import long_name, unit_text

if TYPE_CHECKING:
    import xarray as xr

_FRAMES = 1000  # at most


def animations(dataset: xr.Dataset, outputs: Sequence[str]) -> list[Block]:
    """The animation, if the dataset holds outlines."""
    if "outline_x" not in dataset or "outline_part" not in dataset:
        return []
    times = dataset["time"].to_numpy()
    kept = np.arange(0, times.size, -(-times.size // _FRAMES))
    trace = None
    if outputs:  # a force tells most
        chosen = next((n for n in outputs if dataset[n].attrs.get("units") == "N"), outputs[0])
        unit = unit_text(str(dataset[chosen].attrs.get("units", "")))
        trace = f"{long_name(dataset, chosen)} ({unit})", dataset[chosen].to_numpy()[kept]
    return [
        Animation(
            "The mechanism",
            times[kept],
            _curves(dataset, kept),
            trace=trace,
            caption="Space plays and pauses, the arrow keys step.",
        )
    ]


def _curves(dataset: xr.Dataset, kept: np.ndarray) -> list[Curve]:
    """One polyline for each part, in the order the parts are named."""
    parts = [str(name) for name in dataset["outline_part"].to_numpy()]
    x, y = dataset["outline_x"].to_numpy()[kept], dataset["outline_y"].to_numpy()[kept]
    curves = []
    for k, part in enumerate(dict.fromkeys(parts)):
        mine = [i for i, name in enumerate(parts) if name == part]
        color = figures.CYCLE[k % len(figures.CYCLE)]
        curves.append(
            Curve(part, x[:, mine], y[:, mine], color=color, width=4.0, dots=len(mine) <= 6)
        )
    return curves
