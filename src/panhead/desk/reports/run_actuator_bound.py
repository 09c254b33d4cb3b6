"""Report section on the actuator bound: the best possible force, and the share each control law achieves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from panhead.assess.number_text import number, percent
from panhead.desk.drawing import figures
from panhead.desk.reports.judgement import Entry
from panhead.desk.reports.page import Block, PageTable, Picture

if TYPE_CHECKING:
    import xarray as xr


def blocks(dataset: xr.Dataset, found: Sequence[Entry]) -> list[Block]:
    """Blocks of the section; the first variant has no actuator, the second the best possible force."""
    if "ceiling_force" not in dataset:
        return []
    return [_shares(dataset, found), _force(dataset), _descent(dataset)]


def _shares(dataset: xr.Dataset, found: Sequence[Entry]) -> PageTable:
    passive, best = (one.figures.filtered for one in found[:2])
    rows = []
    for k, one in enumerate(found):
        sigma = one.figures.filtered
        share = (passive - sigma) / (passive - best)
        reached = "–" if k == 0 else "100" if k == 1 else number(100 * share, 3)
        rows.append([one.name, number(sigma), percent(sigma / passive - 1) if k else "–", reached])
    least = float(dataset["ceiling_least"])
    size, rate = (float(dataset[f"ceiling_{name}"]) for name in ("size", "rate"))
    bounds = f"at most {number(size, 3)} N" + (f" and {number(rate, 4)} N/s" if np.isfinite(rate) else "")
    note = (
        f"The actuator acts between its mass and the one below. Its force is a free function of time, {bounds}, "
        "optimised with full knowledge of the line and of the whole run. With the contact and dropper states of this "
        f"solution, no such force can reduce σ below {number(least, 3)} N. Control laws use measurements only and "
        "cannot look ahead; they run with their own limits in a co-simulation."
    )  # fmt: skip
    headings = ["", "σ, 20 Hz (N)", "change (%)", "share of the possible (%)"]
    return PageTable("Share of the possible reduction", headings, rows, note=note)


def _force(dataset: xr.Dataset) -> Picture:
    chart, (panel,) = figures.chart(180)
    times, force = dataset["ceiling_time"].to_numpy(), dataset["ceiling_force"].to_numpy()
    size = float(dataset["ceiling_size"])
    panel.curve(times, force, color=figures.GREEN)
    for y in (-size, size):
        panel.rule("" if y < 0 else "bound", y=y, dash=figures.DASHED)
    panel.name("time (s)", "force of the actuator (N)")
    at = 100 * float(np.mean(np.abs(force) > 0.999 * size))
    return Picture(
        "ceiling_force", "Best possible actuator force", chart, f"At its limit for {number(at, 2)} % of the time."
    )


def _descent(dataset: xr.Dataset) -> Picture:
    chart, (panel,) = figures.chart(140)
    history = dataset["ceiling_history"].to_numpy()
    panel.curve(np.arange(history.size, dtype=float), history, "found", color=figures.BLUE, dot=2.0)
    panel.rule("lower bound", y=float(dataset["ceiling_least"]), color=figures.GREY, dash=figures.DASHED)
    panel.name("iteration (1)", "deviation (N)")
    return Picture("ceiling_descent", "Convergence of the optimisation", chart)
