"""The page of a model of bodies and joints: can the numbers be trusted, how it moves, what joints carry.

It reads what ``panhead.multibody.recording`` writes: ``q``, ``v`` (time, coordinate) with
``coordinate_units``; ``lam`` (time, constraint); ``reaction`` (time, joint) in N; energies in J and their
``balance`` (time); ``constraint_residual``, ``velocity_residual`` (time); outputs (time) with units and
long_name; ``outline_x``, ``outline_y`` and in space ``outline_z`` (time, outline) with ``outline_part``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from panhead.report import energy, figures, mechanism, provenance, series
from panhead.report.multibody_animation import animations
from panhead.report.page import Block, Page, Picture, Section, Table
from panhead.report.words import number

if TYPE_CHECKING:
    import xarray as xr

_TRUSTED_ENERGY = 1e-3  # of what is turned over: a second-order method at a sensible step
_TRUSTED_CONSTRAINT = 1e-8  # [m]
_MOST = 14  # coordinates shown
_BODY = 7  # coordinates of a rigid body
_CURVES, _LINES = 6, 12  # joints drawn, joints listed
_RESIDUALS = ("constraint_residual", "velocity_residual")


def page(dataset: xr.Dataset) -> Page:
    """The report of one run of the scenario kind ``multibody``."""
    sections = [
        Section("Motion", animations(dataset, mechanism.outputs(dataset))),
        Section("Outputs", mechanism.shown_outputs(dataset)),
        Section("Reactions", _reactions(dataset)),
        Section("Energy", energy.pictures(dataset)),
        Section("Constraints", _residuals(dataset)),
        Section("Coordinates", _coordinates(dataset)),
        Section("About this run", provenance.blocks(dataset)),
    ]
    return Page(
        title=str(dataset.attrs.get("title", "Multibody model")),
        subtitle=str(dataset.attrs.get("about", "")),
        verdict=mechanism.verdict(
            dataset, energy_share=_TRUSTED_ENERGY, constraint=_TRUSTED_CONSTRAINT
        ),
        sections=[section for section in sections if section.blocks],
    )


def _reactions(dataset: xr.Dataset) -> list[Block]:
    """The joints that carry most: a table of their peaks, curves of the first few."""
    if "reaction" not in dataset:
        return []
    times, forces = dataset["time"].to_numpy(), dataset["reaction"].to_numpy()
    names = [str(name) for name in dataset["joint"].to_numpy()]
    order = np.argsort(-forces.max(axis=0), kind="stable")
    rows = [
        [
            names[k],
            number(float(forces[:, k].mean())),
            number(float(forces[:, k].max())),
            number(float(times[forces[:, k].argmax()])),
        ]
        for k in order[:_LINES]
    ]
    left = len(names) - len(rows)
    note = f"{left} more joints carry less; all are in result.nc." if left else ""
    headings = ["Joint", "Mean force (N)", "Largest force (N)", "at time (s)"]
    return [Table("", headings, rows, note=note), _forces(times, forces, names, order[:_CURVES])]


def _forces(times: np.ndarray, forces: np.ndarray, names: list[str], drawn: np.ndarray) -> Picture:
    made, (axes,) = figures.figure(height=3.4)
    for k in drawn:
        axes.plot(*figures.thinned(times, forces[:, k]), label=names[k])
    peaks = forces[:, drawn].max(axis=0)
    if peaks.max() > 50 * np.median(forces[:, drawn]) > 0:  # singular positions dwarf the rest
        axes.set_yscale("log")
    figures.name_axes(axes, "time (s)", "reaction (N)")
    figures.legend(axes, columns=6)
    caption = "The size of the force in each joint; moments are among the multipliers in result.nc."
    return Picture("reactions", "Forces in the joints", made, caption)


def _residuals(dataset: xr.Dataset) -> list[Block]:
    names = [name for name in _RESIDUALS if name in dataset]
    return [series.residuals(dataset, names)] if "lam" in dataset and names else []


def _coordinates(dataset: xr.Dataset) -> list[Block]:
    """All coordinates of a small model; of a large one those of some bodies and nodes."""
    names = [str(name) for name in dataset["coordinate"].to_numpy()]
    shown = chosen(names)
    units = [str(u) or "1" for u in dataset["coordinate_units"].to_numpy()[shown]]
    blocks: list[Block] = []
    if len(shown) < len(names):
        blocks.append(
            f"{len(shown)} of {len(names)} coordinates are drawn; all of them are in result.nc."
        )
    some = dataset.isel(coordinate=shown)
    rates = [f"{unit}/s" for unit in units]
    return [
        *blocks,
        series.panels(some["q"], units, stem="coordinates", title="Coordinates"),
        series.panels(
            some["v"], rates, stem="rates", title="Rates of the coordinates", prefix="rate of "
        ),
    ]


def chosen(names: list[str], most: int = _MOST) -> list[int]:
    """Which coordinates to draw: of bodies the first, middle and last, of wires three inner nodes."""
    if len(names) <= most:
        return list(range(len(names)))
    owners: dict[str, list[int]] = {}
    for k, name in enumerate(names):
        owners.setdefault(name.rsplit(".", 1)[0], []).append(k)
    wires = [mine for mine in owners.values() if len(mine) > _BODY]
    bodies = [mine for mine in owners.values() if len(mine) <= _BODY]
    picked: list[int] = []
    for i in dict.fromkeys((len(bodies) - 1, 0, len(bodies) // 2)) if bodies else ():
        picked += bodies[i] if len(picked) + len(bodies[i]) <= most else []
    return sorted(picked + [k for mine in wires for k in _inner_nodes(names, mine)])


def _inner_nodes(names: list[str], mine: list[int]) -> list[int]:
    """Positions of the nodes at a quarter, half and three quarters of a wire."""
    nodes: dict[int, list[int]] = {}
    for k in mine:
        found = re.fullmatch(r"(\d+)([^']*)", names[k].rsplit(".", 1)[1])
        if found:
            nodes.setdefault(int(found[1]), []).append(k)
    count = max(nodes, default=0)
    return [k for share in (1, 2, 3) for k in nodes.get(round(share * count / 4), [])]
