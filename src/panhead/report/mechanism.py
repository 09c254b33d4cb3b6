"""The page of a mechanism: can the numbers be trusted, how it moves, what it does.

What it reads (only ``time``, ``q`` and ``v`` are needed, the rest adds sections): ``q``, ``v``
(time, coordinate) with ``coordinate_units`` (coordinate); ``lam`` (time, constraint); ``u`` (time,
control); energies in J and their ``balance`` (time); ``constraint_residual``, ``velocity_residual``
(time); outputs (time) with units and long_name; ``outline_x``, ``outline_y`` (time, outline) with
the part each point belongs to in ``outline_part``. Attributes: title, about, paths (JSON, point →
names of its two outputs).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from panhead.report import energy, provenance, series
from panhead.report.mechanism_animation import animations
from panhead.report.page import Block, Page, Section, Verdict
from panhead.report.words import number

if TYPE_CHECKING:
    import xarray as xr

_TRUSTED_ENERGY = 1e-6  # of the largest energy that is turned over
_TRUSTED_CONSTRAINT = 1e-6  # [m]
_RESIDUALS = ("constraint_residual", "velocity_residual")


def page(dataset: xr.Dataset) -> Page:
    """The report of one run of the scenario kind ``mechanism``."""
    sections = [
        Section("Motion", animations(dataset, outputs(dataset))),
        Section("Outputs", shown_outputs(dataset)),
        Section("Coordinates", _coordinates(dataset)),
        Section("Constraints", _constraints(dataset)),
        Section("Energy", energy.pictures(dataset)),
        Section("About this run", provenance.blocks(dataset)),
    ]
    return Page(
        title=str(dataset.attrs.get("title", "Mechanism")),
        subtitle=str(dataset.attrs.get("about", "")),
        verdict=verdict(dataset),
        sections=[section for section in sections if section.blocks],
    )


def outputs(dataset: xr.Dataset) -> list[str]:
    """The named outputs; without a list of them, everything over time that is nothing else."""
    if "outputs" in dataset.attrs:
        return [
            str(name) for name in np.atleast_1d(dataset.attrs["outputs"]) if str(name) in dataset
        ]
    known = {*energy.names(dataset), "balance", *_RESIDUALS}
    return [str(n) for n, v in dataset.data_vars.items() if v.dims == ("time",) and n not in known]


def verdict(
    dataset: xr.Dataset,
    *,
    energy_share: float = _TRUSTED_ENERGY,
    constraint: float = _TRUSTED_CONSTRAINT,
) -> Verdict:
    """Whether energy and constraints give reason to trust the run."""
    shares, doubts = [], []
    lost = energy.unexplained(dataset)
    if lost is not None:
        shares.append(f"energy balances to {number(lost, 2)} of what is turned over")
        doubts += ["the energy balance"] if not lost <= energy_share else []
    if "constraint_residual" in dataset and "lam" in dataset:
        worst = float(dataset["constraint_residual"].max())
        shares.append(f"constraints hold to {number(worst, 2)} m")
        doubts += ["the constraints"] if not worst <= constraint else []
    if not shares:
        return Verdict("neutral", "The run is complete; it kept no account of its own error.")
    told = " and ".join(shares)
    if doubts:
        return Verdict(
            "warning",
            f"Look twice at {' and '.join(doubts)}: {told}.",
            ["A shorter step or a tighter tolerance makes both smaller."],
        )
    return Verdict("good", f"The numbers can be trusted: {told}.")


def shown_outputs(dataset: xr.Dataset) -> list[Block]:
    """Statistics, curves and paths of the named outputs."""
    names = outputs(dataset)
    if not names:
        return []
    return [
        series.statistics(dataset, names),
        *series.by_unit(dataset, names, stem="outputs", title="Outputs over time"),
        *series.paths(dataset),
    ]


def _coordinates(dataset: xr.Dataset) -> list[Block]:
    units = (
        [str(u) for u in dataset["coordinate_units"].to_numpy()]
        if "coordinate_units" in dataset
        else ["1"] * dataset.sizes["coordinate"]
    )
    rates = [f"{unit}/s" for unit in units]
    return [
        series.panels(dataset["q"], units, stem="coordinates", title="Coordinates"),
        series.panels(
            dataset["v"], rates, stem="rates", title="Rates of the coordinates", prefix="rate of "
        ),
    ]


def _constraints(dataset: xr.Dataset) -> list[Block]:
    blocks: list[Block] = []
    if "lam" in dataset:
        mixed = ["N, N·m"] * dataset.sizes["constraint"]
        blocks.append(series.panels(dataset["lam"], mixed, stem="multipliers", title="Multipliers"))
        names = [name for name in _RESIDUALS if name in dataset]
        if names:
            blocks.append(series.residuals(dataset, names))
    if "u" in dataset and dataset["u"].to_numpy().any():
        mixed = ["N, N·m"] * dataset.sizes["control"]
        blocks.append(series.panels(dataset["u"], mixed, stem="controls", title="Controls"))
    return blocks
