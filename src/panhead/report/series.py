"""Time series: one panel per unit, so that curves which share an axis can be compared."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from panhead.report import figures
from panhead.report.page import Picture, Table
from panhead.report.words import number

if TYPE_CHECKING:
    import xarray as xr


def unit_text(unit: str) -> str:
    """A unit as it is printed: ``m/s**2`` becomes m/s², nothing becomes 1.

    >>> unit_text("N*m/rad**2")
    'N·m/rad²'
    """
    text = unit.replace("**2", "²").replace("**3", "³").replace("**4", "⁴").replace("*", "·")
    return text or "1"


def panels(
    values: xr.DataArray, units: Sequence[str], *, stem: str, title: str, prefix: str = ""
) -> Picture:
    """Columns of (time, item): those of one unit in one panel, unless that hides their motion.

    ``prefix`` stands before an item's name on its axis, as in "rate of x (m/s)".
    """
    item = str(values.dims[1])
    names = [f"{prefix}{name}" for name in values[item].to_numpy()]
    times, columns = values["time"].to_numpy(), values.to_numpy()
    groups = _together(units, columns)
    made, axes = figures.figure(
        len(groups), height=0.9 + (2.2 if len(groups) < 4 else 1.5) * len(groups), share_x=True
    )
    for group, one in zip(groups, axes, strict=True):
        for depth, k in enumerate(group):
            width = 1.4 + 0.4 * (len(group) - 1 - depth)  # coinciding curves show beneath
            color = figures.CYCLE[k % len(figures.CYCLE)]
            curve = figures.thinned(times, columns[:, k])
            one.plot(*curve, label=names[k], color=color, lw=min(width, 3.0))
        what = names[group[0]] if len(group) == 1 else title.lower().split()[0]
        last = group is groups[-1]
        figures.name_axes(one, "time (s)" if last else "", f"{what} ({unit_text(units[group[0]])})")
        if len(group) > 1:
            figures.legend(one, columns=6)
    return Picture(stem, title, made)


def _together(units: Sequence[str], columns: np.ndarray) -> list[list[int]]:
    """Which columns share a panel: equal units, and none moves less than a third of the panel."""
    groups = []
    for unit in dict.fromkeys(units):
        mine = [k for k, u in enumerate(units) if u == unit]
        ranges = np.ptp(columns[:, mine], axis=0)
        apart = np.ptp(columns[:, mine]) > 3.0 * ranges.max()
        groups += [[k] for k in mine] if apart and len(mine) <= 8 else [mine]
    return groups


def by_unit(dataset: xr.Dataset, names: Sequence[str], *, stem: str, title: str) -> list[Picture]:
    """Variables over time, a panel for each unit, four panels a figure."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(str(dataset[name].attrs.get("units", "")), []).append(name)
    parts = list(groups.items())
    pictures = []
    for first in range(0, len(parts), 4):
        some = parts[first : first + 4]
        made, axes = figures.figure(len(some), height=0.9 + 2.2 * len(some), share_x=True)
        for (unit, mine), one in zip(some, axes, strict=True):
            for name in mine:
                times, values = dataset["time"].to_numpy(), dataset[name].to_numpy()
                one.plot(*figures.thinned(times, values), label=long_name(dataset, name))
            said = long_name(dataset, mine[0])
            alone = len(mine) == 1 and len(said) < 26
            last = unit == some[-1][0]
            what = said if alone else "value"
            figures.name_axes(one, "time (s)" if last else "", f"{what} ({unit_text(unit)})")
            if not alone:
                figures.legend(one, columns=3)
        number_ = "" if len(parts) <= 4 else f"_{first // 4 + 1}"
        pictures.append(Picture(f"{stem}{number_}", title, made))
    return pictures


def long_name(dataset: xr.Dataset, name: str) -> str:
    """What a variable is called in words."""
    return str(dataset[name].attrs.get("long_name", name.replace("_", " ")))


def statistics(dataset: xr.Dataset, names: Sequence[str]) -> Table:
    """Mean, deviation and range of each output."""
    rows = []
    for name in names:
        values = dataset[name].to_numpy()
        numbers = (values.mean(), values.std(), values.min(), values.max(), values[-1])
        unit = unit_text(str(dataset[name].attrs.get("units", "")))
        rows.append([long_name(dataset, name), unit, *(number(float(x)) for x in numbers)])
    return Table(
        "", ["Output", "Unit", "Mean", "Deviation", "Smallest", "Largest", "At the end"], rows
    )


def residuals(dataset: xr.Dataset, names: Sequence[str]) -> Picture:
    """How far the constraints are from zero, on a logarithmic scale."""
    made, axes = figures.figure(len(names), height=0.9 + 1.7 * len(names), share_x=True)
    times = dataset["time"].to_numpy()
    for name, one in zip(names, axes, strict=True):
        values = np.maximum(
            np.abs(dataset[name].to_numpy()), 1e-17
        )  # exact zeros have no logarithm
        one.semilogy(*figures.thinned(times, values), color=figures.RED)
        unit = unit_text(str(dataset[name].attrs.get("units", "m")))
        figures.name_axes(
            one, "time (s)" if name == names[-1] else "", f"{name.split('_')[0]} ({unit})"
        )
    return Picture(
        "residuals",
        "Residuals of the constraints",
        made,
        "The largest violation of any constraint, and of its rate, at each moment.",
    )


def paths(dataset: xr.Dataset) -> list[Picture]:
    """The path of every point whose two outputs are named together, in true proportion."""
    pictures = []
    for point, (x, y) in json.loads(str(dataset.attrs.get("paths", "{}"))).items():
        made, (axes,) = figures.figure(width=6.0, height=5.0)
        axes.plot(dataset[x], dataset[y], linewidth=1.0)
        axes.plot(dataset[x][0], dataset[y][0], "o", color=figures.INK, label="start")
        axes.plot(dataset[x][-1], dataset[y][-1], "s", color=figures.RED, label="end")
        axes.set_aspect("equal", adjustable="datalim")
        for put, name in ((axes.set_xlabel, x), (axes.set_ylabel, y)):
            put(f"{dataset[name].attrs['long_name']} ({unit_text(dataset[name].attrs['units'])})")
        figures.legend(axes)
        pictures.append(Picture(f"path-{point}", f"Path of {point}", made))
    return pictures
