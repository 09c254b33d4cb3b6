"""Time series, a panel for each unit, and the ledger of energies."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from panhead.assess.number_text import long_name, number, unit_of, unit_text
from panhead.desk.drawing import figures
from panhead.desk.reports.page import Block, PageTable, Picture

if TYPE_CHECKING:
    import xarray as xr

_FIRST: Final = ("kinetic", "potential")
_MOST_CURVES: Final = 6
_SUMS: Final = {"work": "external work", "dissipated": "total dissipated"}


def panels(values: xr.DataArray, units: Sequence[str], *, stem: str, title: str, prefix: str = "") -> Picture:
    """Columns of (time, item): those of one unit in one panel, unless that hides their motion.

    ``prefix`` stands before an item's name on its axis, as in "rate of x (m/s)".
    """
    item = str(values.dims[1])
    names = [f"{prefix}{name}" for name in values[item].to_numpy()]
    times, columns = values["time"].to_numpy(), values.to_numpy()
    groups = _groups(units, columns)
    chart, axes = figures.chart(*[190 if len(groups) < 4 else 125] * len(groups))
    for group, panel in zip(groups, axes, strict=True):
        for depth, k in enumerate(group):
            width = 1.5 + 0.4 * (len(group) - 1 - depth)  # coinciding curves show beneath
            label = names[k] if len(group) > 1 else ""
            panel.curve(times, columns[:, k], label, color=figures.hue(k), width=min(width, 3.0))
        what = names[group[0]] if len(group) == 1 else title.lower().split()[0]
        panel.name("time (s)", f"{what} ({unit_text(units[group[0]])})")
    return Picture(stem, title, chart)


def _groups(units: Sequence[str], columns: np.ndarray) -> list[list[int]]:
    """Group columns into panels: equal units, and each spans at least a third of the panel."""
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
        groups.setdefault(unit_of(dataset, name), []).append(name)
    parts = list(groups.items())
    pictures = []
    for first in range(0, len(parts), 4):
        some = parts[first : first + 4]
        chart, axes = figures.chart(*[190] * len(some))
        for (unit, mine), panel in zip(some, axes, strict=True):
            said = long_name(dataset, mine[0])
            alone = len(mine) == 1 and len(said) < 26
            for name in mine:
                label = "" if alone else long_name(dataset, name)
                panel.curve(dataset["time"].to_numpy(), dataset[name].to_numpy(), label)
            panel.name("time (s)", f"{said if alone else 'value'} ({unit})")
        suffix = "" if len(parts) <= 4 else f"_{first // 4 + 1}"
        pictures.append(Picture(f"{stem}{suffix}", title, chart))
    return pictures


def statistics(dataset: xr.Dataset, names: Sequence[str]) -> PageTable:
    """Mean, deviation and range of each output."""
    rows = []
    for name in names:
        values = dataset[name].to_numpy()
        numbers = (values.mean(), values.std(), values.min(), values.max(), values[-1])
        rows.append([long_name(dataset, name), unit_of(dataset, name), *(number(float(x)) for x in numbers)])
    headings = ["Output", "Unit", "Mean", "Deviation", "Smallest", "Largest", "At the end"]
    return PageTable("", headings, rows)


def residuals(dataset: xr.Dataset) -> list[Block]:
    """Constraint residuals on a logarithmic scale; empty without constraints."""
    known = [name for name in ("constraint_residual", "velocity_residual") if name in dataset]
    if "lam" not in dataset or not known:
        return []
    chart, axes = figures.chart(*[150] * len(known))
    for name, panel in zip(known, axes, strict=True):
        values = np.abs(dataset[name].to_numpy())
        panel.y_log = True
        panel.curve(dataset["time"].to_numpy(), np.maximum(values, 1e-17), color=figures.RED)
        unit = unit_text(str(dataset[name].attrs.get("units", "m")))
        panel.name("time (s)", f"{name.split('_')[0]} ({unit})")
    caption = "Largest violation of any constraint, and of its rate, at each time."
    return [Picture("residuals", "Constraint residuals", chart, caption)]


def paths(dataset: xr.Dataset) -> list[Picture]:
    """The path of every point whose two outputs are named together, in true proportion."""
    pictures = []
    for point, (x, y) in json.loads(str(dataset.attrs.get("paths", "{}"))).items():
        chart, (panel,) = figures.chart(420, width=640)
        px, py = dataset[x].to_numpy(), dataset[y].to_numpy()
        panel.equal = True
        panel.curve(px, py, width=1.2, thin=False)
        panel.dots(px[0], py[0], "start", size=5)
        panel.dots(px[-1], py[-1], "end", color=figures.RED, size=5)
        labels = (f"{long_name(dataset, name)} ({unit_of(dataset, name)})" for name in (x, y))
        panel.name(*labels)
        pictures.append(Picture(f"path-{point}", f"Path of {point}", chart))
    return pictures


def energy_names(dataset: xr.Dataset) -> list[str]:
    """The energies of a dataset: functions of time alone, in joules; the balance is apart."""
    clock = _clock(dataset)
    found = [
        str(name)
        for name, variable in dataset.data_vars.items()
        if variable.dims == (clock,) and variable.attrs.get("units") == "J" and name != "balance"
    ]
    return sorted(found, key=lambda name: (name not in _FIRST, name))


def _clock(dataset: xr.Dataset) -> str:
    """The dimension energies are kept over; long runs keep them at fewer moments than forces."""
    known = next((name for name in ("balance", *_FIRST) if name in dataset), None)
    return str(dataset[known].dims[-1]) if known else "time"


def energies(dataset: xr.Dataset) -> list[Block]:
    """Stored energy, external work and losses, and below them the energy imbalance."""
    stored = [name for name in energy_names(dataset) if dataset[name].to_numpy().any()]
    if not stored:
        return []
    balanced = "balance" in dataset
    chart, axes = figures.chart(*([240, 110] if balanced else [240]))
    times = dataset[_clock(dataset)].to_numpy()
    for label, values in _entries(dataset, stored).items():
        axes[0].curve(times, values, label)
    axes[0].name("time (s)", "energy (J)")
    caption = ""
    if balanced:
        missing = dataset["balance"].to_numpy()
        axes[1].curve(times, missing, color=figures.RED)
        axes[1].name("time (s)", "balance (J)")
        caption = (
            "The balance is the energy not explained by stored energy, work and losses: at most "
            f"{number(float(np.abs(missing).max()), 2)} J, {number(energy_imbalance(dataset) or 0.0, 2)} of the "
            "largest change."
        )
    picture = Picture("energy", "Energy and its balance", chart, caption)
    if len(stored) <= _MOST_CURVES:
        return [picture]
    rows = [[long_name(dataset, name), f"{number(float(dataset[name][-1]))} J"] for name in stored]
    return [picture, PageTable("Energy terms at the end of the run", ["Entry", "Energy"], rows)]


def _entries(dataset: xr.Dataset, stored: list[str]) -> dict[str, np.ndarray]:
    """The curves by their labels; works and losses are summed up where there are too many."""
    values = {name: dataset[name].to_numpy() for name in stored}
    if len(stored) <= _MOST_CURVES:
        return {long_name(dataset, name): curve for name, curve in values.items()}
    curves: dict[str, np.ndarray] = {}
    for name, curve in values.items():
        word = next((w for prefix, w in _SUMS.items() if name.startswith(prefix)), "")
        label = word or long_name(dataset, name)
        curves[label] = curves.get(label, 0.0) + curve
    return curves


def energy_imbalance(dataset: xr.Dataset) -> float | None:
    """The largest balance over the largest energy turned over; None if no account was kept."""
    if "balance" not in dataset:
        return None
    worst = float(np.abs(dataset["balance"].to_numpy()).max())
    turned = max((float(np.ptp(dataset[name].to_numpy())) for name in energy_names(dataset)), default=0.0)
    return worst / turned if turned > 0 else worst
