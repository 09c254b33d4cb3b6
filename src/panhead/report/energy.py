"""The energy ledger as a figure: what is stored, what came in, what was lost, what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from panhead.report import figures
from panhead.report.page import Block, Picture, Table
from panhead.report.words import number

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

_FIRST = ("kinetic", "potential")
_MOST_CURVES = 6
_SUMS = {"work": "work put in", "dissipated": "lost, all together"}


def names(dataset: xr.Dataset) -> list[str]:
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


def pictures(dataset: xr.Dataset) -> list[Block]:
    """Energies over time, and below them the part the ledger cannot explain."""
    stored = [name for name in names(dataset) if dataset[name].to_numpy().any()]
    if not stored:
        return []
    balanced = "balance" in dataset
    made, axes = figures.figure(
        1 + balanced,
        height=3.1 + 1.7 * balanced,
        share_x=True,
        ratios=[2.2, 1] if balanced else None,
    )
    times = dataset[_clock(dataset)].to_numpy()
    for label, values in _entries(dataset, stored).items():
        axes[0].plot(*figures.thinned(times, values), label=label)
    figures.name_axes(axes[0], "" if balanced else "time (s)", "energy (J)")
    figures.legend(axes[0])
    caption = ""
    if balanced:
        caption = _draw_balance(axes[1], dataset)
    picture = Picture("energy", "Energy and its balance", made, caption)
    return [picture, _ledger(dataset, stored)] if len(stored) > _MOST_CURVES else [picture]


def _label(dataset: xr.Dataset, name: str) -> str:
    return str(dataset[name].attrs.get("long_name", name.replace("_", " ")))


def _entries(dataset: xr.Dataset, stored: list[str]) -> dict[str, np.ndarray]:
    """The curves by their labels; works and losses are summed up where there are too many."""
    values = {name: dataset[name].to_numpy() for name in stored}
    if len(stored) <= _MOST_CURVES:
        return {_label(dataset, name): curve for name, curve in values.items()}
    curves: dict[str, np.ndarray] = {}
    for name, curve in values.items():
        word = next((w for prefix, w in _SUMS.items() if name.startswith(prefix)), "")
        label = word or _label(dataset, name)
        curves[label] = curves.get(label, 0.0) + curve
    return curves


def _ledger(dataset: xr.Dataset, stored: list[str]) -> Table:
    """Every entry of the ledger at the end of the run."""
    last = {name: float(dataset[name][-1]) for name in stored}
    rows = [[_label(dataset, name), f"{number(value)} J"] for name, value in last.items()]
    return Table("The ledger at the end of the run", ["Entry", "Energy"], rows)


def unexplained(dataset: xr.Dataset) -> float | None:
    """The largest balance over the largest energy turned over; None if no account was kept."""
    if "balance" not in dataset:
        return None
    worst = float(np.abs(dataset["balance"].to_numpy()).max())
    turned = max((float(np.ptp(dataset[name].to_numpy())) for name in names(dataset)), default=0.0)
    return worst / turned if turned > 0 else worst


def _draw_balance(axes: Axes, dataset: xr.Dataset) -> str:
    times, missing = dataset[_clock(dataset)].to_numpy(), dataset["balance"].to_numpy()
    axes.plot(*figures.thinned(times, missing), color=figures.RED)
    figures.name_axes(axes, "time (s)", "balance (J)")
    worst, share = float(np.abs(missing).max()), unexplained(dataset) or 0.0
    return (
        "The balance is what the ledger of energies, works and losses leaves unexplained: "
        f"at most {number(worst, 2)} J, {number(share, 2)} of the largest change."
    )
