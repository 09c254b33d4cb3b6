"""What a run tells of the vehicle that carries the pantograph: its roof, and the loads of its wheels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from panhead.assess import spectrum
from panhead.reports import figures
from panhead.reports.page import Block, PageTable, Picture
from panhead.reports.run_force import Passage
from panhead.reports.words import number

if TYPE_CHECKING:
    import xarray as xr

_HIGHEST: Final = 20.0  # of a roof's spectrum [Hz]


def vehicle(ways: Sequence[Passage]) -> list[Block]:
    """How the roof under the pantograph moves, in time and by frequency; what the rails carry."""
    moving = next((one.result for one in ways if "roof_z" in one.result), None)
    if moving is None:
        return []
    t = moving["roof_time"].to_numpy()
    chart, (panel,) = figures.chart(180)
    spectra, (density,) = figures.chart(180)
    density.y_log = True
    for name, label in (("roof_z", "up"), ("roof_y", "to the left")):
        if name not in moving:
            continue
        values = 1e3 * moving[name].to_numpy()
        panel.curve(t, values, label)
        f, power = spectrum(values, float(np.diff(t).mean()))
        shown = (f > 0.05) & (f <= _HIGHEST)
        density.curve(f[shown], np.maximum(power[shown], 1e-12), label)
    panel.name("time (s)", "roof (mm)")
    density.name("frequency (Hz)", "density (mm²/Hz)")
    return [
        Picture("roof", "The roof under the pantograph", chart),
        Picture("roof_spectrum", "Spectrum of the roof", spectra),
        *_wheels(moving),
    ]


def _wheels(moving: xr.Dataset) -> list[Block]:
    """Loads of the wheels of a vehicle that feels its pantograph."""
    if "wheel_load" not in moving:
        return []
    t, load = moving["roof_time"].to_numpy(), 1e-3 * moving["wheel_load"].to_numpy()
    chart, (panel,) = figures.chart(180)
    rows = []
    for k, axle in enumerate(map(str, moving["axle_name"].to_numpy())):
        panel.curve(t, load[:, k].sum(axis=1), axle)
        for j, side in enumerate(map(str, moving["wheel_name"].to_numpy())):
            one, still = load[:, k, j], 1e-3 * float(moving["static_wheel_load"][k, j])
            rows.append([f"{axle}, {side}", *(number(x) for x in (still, one.mean(), one.min(), one.max()))])
    panel.name("time (s)", "load of both wheels (kN)")
    headings = ["Wheel", "Standing (kN)", "Mean (kN)", "Least (kN)", "Most (kN)"]
    return [Picture("wheel_loads", "Loads of the axles", chart), PageTable("Loads of the wheels", headings, rows)]
