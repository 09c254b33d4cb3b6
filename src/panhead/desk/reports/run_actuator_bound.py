"""The ceiling: the best force of an actuator, and what share of it each law reaches."""

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
    """What a result holds of the ceiling; the first variant is without an actuator, the second has the best force."""
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
        f"The force of the actuator, between the mass it moves and the one below, is free in time, {bounds}, and was "
        "found knowing line and future. With contacts and droppers on and off as they are, no such force could bring "
        f"σ below {number(least, 3)} N. Laws measure and do not know what comes; they run with their own limits, as "
        "two codes that meet at every step."
    )  # fmt: skip
    headings = ["", "σ, 20 Hz (N)", "change (%)", "of what is possible (%)"]
    return PageTable("Share of what is possible", headings, rows, note=note)


def _force(dataset: xr.Dataset) -> Picture:
    chart, (panel,) = figures.chart(180)
    times, force = dataset["ceiling_time"].to_numpy(), dataset["ceiling_force"].to_numpy()
    size = float(dataset["ceiling_size"])
    panel.curve(times, force, color=figures.GREEN)
    for y in (-size, size):
        panel.rule("" if y < 0 else "bound", y=y, dash=figures.DASHED)
    panel.name("time (s)", "force of the actuator (N)")
    at = 100 * float(np.mean(np.abs(force) > 0.999 * size))
    return Picture("ceiling_force", "The best force", chart, f"At its bound for {number(at, 2)} % of the time.")


def _descent(dataset: xr.Dataset) -> Picture:
    chart, (panel,) = figures.chart(140)
    history = dataset["ceiling_history"].to_numpy()
    panel.curve(np.arange(history.size, dtype=float), history, "found", color=figures.BLUE, dot=2.0)
    panel.rule("bound from below", y=float(dataset["ceiling_least"]), color=figures.GREY, dash=figures.DASHED)
    panel.name("step of the search (1)", "deviation (N)")
    return Picture("ceiling_descent", "How it was found", chart)
