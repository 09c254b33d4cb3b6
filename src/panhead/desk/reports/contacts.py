"""Report section on contacts: gaps and forces, and impacts with their energy loss.

Reads ``contact_gap``, ``contact_normal``, ``contact_friction``, ``contact_slip`` (time, contact) and, of impacts,
``strike_approach``, ``strike_departure``, ``strike_impulse``, ``strike_lost`` (strike) with the coordinates
``strike_time`` and ``strike_contact``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from panhead.assess.number_text import number
from panhead.desk.drawing import figures
from panhead.desk.reports.page import Block, PageTable, Picture

if TYPE_CHECKING:
    import xarray as xr

_ROUNDING = 1e-9  # [m]: below it a gap is none
_LISTED = 12  # impacts in the table, those that took most


def contacts(dataset: xr.Dataset) -> list[Block]:
    """Blocks of the section; empty without contacts."""
    if "contact_gap" not in dataset:
        return []
    return [_summary(dataset), _curves(dataset), *_impacts(dataset)]


def _summary(dataset: xr.Dataset) -> PageTable:
    rows = []
    struck = [str(x) for x in dataset["strike_contact"].to_numpy()] if "strike_lost" in dataset else []
    for k, name in enumerate(str(x) for x in dataset["contact"].to_numpy()):
        normal = dataset["contact_normal"].to_numpy()[1:, k]
        slip, pressed = dataset["contact_slip"].to_numpy()[1:, k], normal != 0
        mine = [i for i, contact in enumerate(struck) if contact == name]
        lost = float(dataset["strike_lost"].to_numpy()[mine].sum()) if mine else 0.0
        rubs = bool(dataset["contact_friction"].to_numpy()[:, k].any())
        sticks = f"{100 * np.mean(slip[pressed] < 1e-9):.0f} %" if rubs and pressed.any() else "no friction"
        rows.append(
            [name, f"{100 * pressed.mean():.0f} %", number(float(normal.max())), sticks, str(len(mine)), number(lost)]
        )
    headings = [
        "Contact",
        "Closed",
        "Largest force (N)",
        "Sticking while closed",
        "Impacts",
        "Energy lost in impacts (J)",
    ]
    return PageTable("", headings, rows)


def _curves(dataset: xr.Dataset) -> Picture:
    times = dataset["time"].to_numpy()
    panels = [("contact_normal", "normal force (N)")]
    if dataset["contact_gap"].to_numpy().max() > _ROUNDING:
        panels.insert(0, ("contact_gap", "gap (m)"))
    if dataset["contact_friction"].to_numpy().any():
        panels += [("contact_friction", "friction (N)"), ("contact_slip", "slip (m/s)")]
    chart, axes = figures.chart(*[170] * len(panels))
    for (variable, label), panel in zip(panels, axes, strict=True):
        for k, name in enumerate(dataset["contact"].to_numpy()):
            panel.curve(times, dataset[variable].to_numpy()[:, k], str(name), color=figures.hue(k))
        panel.name("time (s)", label)
    caption = "Forces are averages over a time step; impact impulses are not included."
    return Picture("contacts", "Gaps and forces of the contacts", chart, caption)


def _impacts(dataset: xr.Dataset) -> list[Block]:
    if "strike_lost" not in dataset:
        return ["There were no impacts."]
    fields = ("strike_approach", "strike_departure", "strike_impulse", "strike_lost")
    lost = dataset["strike_lost"].to_numpy()
    most = np.sort(np.argsort(-lost, kind="stable")[:_LISTED])
    rows = [
        [
            number(float(dataset["strike_time"].to_numpy()[k])),
            str(dataset["strike_contact"].to_numpy()[k]),
            *(number(float(dataset[field].to_numpy()[k])) for field in fields),
        ]
        for k in most
    ]
    headings = ["Time (s)", "Contact", "Approach (m/s)", "Departure (m/s)", "Impulse (N·s)", "Energy lost (J)"]
    left = len(lost) - len(rows)
    note = f"{left} more impacts lost {number(float(lost.sum() - lost[most].sum()))} J together." if left else ""
    return [PageTable("Impacts with the largest energy loss", headings, rows, note=note)]
