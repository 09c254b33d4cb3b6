"""Report page of a mechanism or multibody model: energy and constraint checks, outputs, joint forces, animation.

What it reads (only ``time``, ``q`` and ``v`` are needed, the rest adds sections): ``q``, ``v`` (time, coordinate) with
``coordinate_units`` (coordinate); ``lam`` (time, constraint); ``reaction`` (time, joint) in N; ``u`` (time, control);
energies in J and their ``balance`` (time); ``constraint_residual``, ``velocity_residual`` (time); outputs (time) with
units and long_name; ``outline_x``, ``outline_y`` and in space ``outline_z`` (time, outline) with the part each point
belongs to in ``outline_part``. Attributes: title, about, outputs, paths (JSON, point → names of its two outputs).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from panhead.assess.number_text import long_name, number, unit_of
from panhead.desk.drawing import figures
from panhead.desk.reports import series
from panhead.desk.reports.contacts import contacts
from panhead.desk.reports.page import (
    Animation,
    Block,
    Page,
    PageTable,
    PageVerdict,
    Picture,
    Polyline,
    RunningCurve,
    origin,
    page_with,
)

if TYPE_CHECKING:
    import xarray as xr

#: share of the energy turned over, and violation of constraints [m], above which a run is doubted
_TRUSTED: Final = (1e-6, 1e-6)
_TRUSTED_BODIES: Final = (1e-3, 1e-8)  # what a second-order method at a sensible step loses is said, not praised
_MOST: Final = 14  # coordinates, or multipliers, shown
_BODY: Final = 7  # coordinates of a rigid body
_CURVES, _LINES = 6, 12  # joints drawn, joints listed
_RESIDUALS: Final = ("constraint_residual", "velocity_residual")
_NUMBERS = 400_000  # drawn points times frames, so that a page stays small
_FRAMES = 1000  # at most
_FLAT = 0.12  # height over width below which heights are stretched
_WIRE = 8  # points from which on a part is drawn as a wire
_AZIMUTH, _ELEVATION = math.radians(-60.0), math.radians(22.0)
_AXES = (("x", figures.RED), ("y", figures.GREEN), ("z", figures.BLUE))


def page(dataset: xr.Dataset) -> Page:
    """The report of one run of a mechanism or of a model of bodies and joints."""
    sections = {
        "Motion": animations(dataset, outputs(dataset)),
        "Outputs": _outputs(dataset),
        "Contacts": contacts(dataset),
        "Reactions": _reactions(dataset),
        "Energy": series.energies(dataset),
        "Constraints": [*_multipliers(dataset), *series.residuals(dataset), *_controls(dataset)],
        "Coordinates": _coordinates(dataset),
        "About this run": origin(dataset),
    }
    title, about = (str(dataset.attrs.get(k, d)) for k, d in (("title", "Motion"), ("about", "")))
    bodies = any("." in str(name) for name in dataset["coordinate"].to_numpy())
    trusted = _TRUSTED_BODIES if bodies else _TRUSTED
    return page_with(title, about, verdict(dataset, *trusted), sections)


def outputs(dataset: xr.Dataset) -> list[str]:
    """Names of the outputs; without a list, every variable over time that has no other role."""
    if "outputs" in dataset.attrs:
        return [str(name) for name in np.atleast_1d(dataset.attrs["outputs"]) if str(name) in dataset]
    known = {*series.energy_names(dataset), "balance", *_RESIDUALS}
    return [str(n) for n, v in dataset.data_vars.items() if v.dims == ("time",) and n not in known]


def verdict(dataset: xr.Dataset, energy_share: float = _TRUSTED[0], constraint: float = _TRUSTED[1]) -> PageVerdict:
    """Verdict from the energy balance and the constraint residuals."""
    shares, doubts = [], []
    lost = series.energy_imbalance(dataset)
    if lost is not None:
        shares.append(f"the energy balance closes to {number(lost, 2)} of the energy exchanged")
        doubts += ["the energy balance"] if not lost <= energy_share else []
    if "constraint_residual" in dataset and "lam" in dataset:
        worst = float(dataset["constraint_residual"].max())
        shares.append(f"constraints are satisfied to {number(worst, 2)} m")
        doubts += ["the constraints"] if not worst <= constraint else []
    if not shares:
        return PageVerdict("neutral", "The run is complete; it recorded no error measures.")
    said = " and ".join(shares)
    if doubts:
        return PageVerdict(
            "warning", f"Check {' and '.join(doubts)}: {said}.", ["Reduce the time step or tighten the tolerance."]
        )
    if lost is not None and lost > _TRUSTED[0]:
        return PageVerdict(
            "neutral",
            f"The run is complete: {said}.",
            ["This does not bound the numerical error; repeat the run with half the time step to estimate it."],
        )
    return PageVerdict("good", f"Checks passed: {said}.")


def _outputs(dataset: xr.Dataset) -> list[Block]:
    """Statistics, curves and paths of the named outputs."""
    names = outputs(dataset)
    if not names:
        return []
    return [
        series.statistics(dataset, names),
        *series.by_unit(dataset, names, stem="outputs", title="Outputs over time"),
        *series.paths(dataset),
    ]


def _multipliers(dataset: xr.Dataset) -> list[Block]:
    """Constraint multipliers, for models without joint forces."""
    if "lam" not in dataset or "reaction" in dataset or dataset.sizes["constraint"] > _MOST:
        return []
    mixed = ["N, N·m"] * dataset.sizes["constraint"]
    return [series.panels(dataset["lam"], mixed, stem="multipliers", title="Multipliers")]


def _controls(dataset: xr.Dataset) -> list[Block]:
    if "u" not in dataset or not dataset["u"].to_numpy().any():
        return []
    mixed = ["N, N·m"] * dataset.sizes["control"]
    return [series.panels(dataset["u"], mixed, stem="controls", title="Controls")]


def _reactions(dataset: xr.Dataset) -> list[Block]:
    """Most loaded joints: a table of peak forces, and curves of the first few."""
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
    note = f"{left} more joints carry smaller forces; all are in result.nc." if left else ""
    headings = ["Joint", "Mean force (N)", "Largest force (N)", "at time (s)"]
    return [PageTable("", headings, rows, note=note), _forces(times, forces, names, order[:_CURVES])]


def _forces(times: np.ndarray, forces: np.ndarray, names: list[str], most: np.ndarray) -> Picture:
    chart, (panel,) = figures.chart(240)
    for k in most:
        panel.curve(times, forces[:, k], names[k])
    middle = np.median(forces[:, most])
    if forces[:, most].max() > 50 * middle > 0:  # singular positions dwarf the rest
        panel.y_log, panel.y_limits = True, (1e-4 * float(middle), None)
    panel.name("time (s)", "reaction (N)")
    caption = "Magnitude of the force in each joint; for moments see the multipliers in result.nc."
    return Picture("reactions", "Forces in the joints", chart, caption)


def _coordinates(dataset: xr.Dataset) -> list[Block]:
    """All coordinates of a small model, selected bodies and nodes of a large one."""
    names = [str(name) for name in dataset["coordinate"].to_numpy()]
    shown = choose_coordinates(names)
    units = ["1"] * len(shown)
    if "coordinate_units" in dataset:
        units = [str(u) or "1" for u in dataset["coordinate_units"].to_numpy()[shown]]
    blocks: list[Block] = []
    if len(shown) < len(names):
        blocks.append(f"{len(shown)} of {len(names)} coordinates are shown; result.nc contains all.")
    some = dataset.isel(coordinate=shown)
    rates = [f"{unit}/s" for unit in units]
    return [
        *blocks,
        series.panels(some["q"], units, stem="coordinates", title="Coordinates"),
        series.panels(some["v"], rates, stem="rates", title="Rates of the coordinates", prefix="rate of "),
    ]


def choose_coordinates(names: list[str], most: int = _MOST) -> list[int]:
    """Select coordinates to draw: of bodies the first, middle and last, of wires three inner nodes."""
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


def animations(dataset: xr.Dataset, outputs: Sequence[str]) -> list[Block]:
    """The animation, if the dataset holds outlines."""
    if "outline_x" not in dataset or "outline_part" not in dataset:
        return []
    times, xyz = outlines(dataset, max(2, min(_FRAMES, _NUMBERS // dataset.sizes["outline"])))
    spatial = len(xyz) == 3
    curves = _parts(dataset, *(project_view(*xyz) if spatial else xyz))
    flat = not spatial and np.ptp(xyz[1]) < _FLAT * np.ptp(xyz[0])
    return [
        Animation(
            "The model",
            times,
            curves + _triad(curves) if spatial else curves,
            x_label="horizontal (m)" if spatial else "x (m)",
            y_label="vertical (m)" if spatial else "y (m)",
            equal_aspect=not flat,
            traces=_traces(dataset, outputs),
            caption=_caption(spatial, flat),
        )
    ]


def outlines(dataset: xr.Dataset, frames: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Times of at most so many frames, and x, y and in space z of all drawn points, (frame, point) [m]."""
    times = dataset["time"].to_numpy()
    kept = np.arange(0, times.size, -(-times.size // frames))
    axes = [axis for axis in "xyz" if f"outline_{axis}" in dataset]
    return times[kept], [dataset[f"outline_{axis}"].to_numpy()[kept] for axis in axes]


@dataclass(frozen=True, slots=True)
class PartLook:
    """Colour, label and style of one part of a model."""

    label: str  #: "" where another of its kind is named
    points: np.ndarray  #: which of the drawn points are its own
    color: str
    width: float  #: [px]; 0: dots alone
    dots: bool


def project_view(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Across and up the plane of view; z stays upright, nothing is shortened by distance."""
    c, s = math.cos(_AZIMUTH), math.sin(_AZIMUTH)
    depth = c * x + s * y
    return -s * x + c * y, math.cos(_ELEVATION) * z - math.sin(_ELEVATION) * depth


def _parts(dataset: xr.Dataset, x: np.ndarray, y: np.ndarray) -> list[Polyline]:
    return [
        Polyline(p.label, x[:, p.points], y[:, p.points], color=p.color, width=p.width, dots=p.dots)
        for p in part_looks(dataset)
    ]


def part_looks(dataset: xr.Dataset) -> list[PartLook]:
    """One polyline for each part; the ground as points."""
    parts = np.array([str(name) for name in dataset["outline_part"].to_numpy()])
    names = list(dict.fromkeys(parts.tolist()))
    looks = _looks(names)
    found = []
    for name in names:
        mine = np.flatnonzero(parts == name)
        label, color = looks[name]
        width, dots = (2.5, False) if len(mine) >= _WIRE else (4.0, True)
        if name == "ground":
            width, color = 0.0, figures.GREY
        elif len(names) > 2 * _WIRE:
            width = 2.5
        found.append(PartLook(label, mine, color, width, dots))
    return found


def _looks(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Label and colour of every part; of many, those that differ by a number look alike and are named once."""
    if len(names) <= len(figures.CYCLE):
        return {name: (name, figures.CYCLE[k]) for k, name in enumerate(names)}
    stems = [name.rstrip("0123456789") or name for name in names]
    kinds = list(dict.fromkeys(stems))
    looks: dict[str, tuple[str, str]] = {}
    for k, (name, stem) in enumerate(zip(names, stems, strict=True)):
        again = stem in stems[:k]
        # links of one kind are told apart from their neighbours, kinds from one another
        shade = kinds.index(stem) if len(kinds) > 2 else k % 2
        looks[name] = ("" if again else stem, figures.CYCLE[shade % len(figures.CYCLE)])
    return looks


def _triad(curves: Sequence[Polyline]) -> list[Polyline]:
    """The world's axes in the lower left corner."""
    low = [min(float(c.x.min()) for c in curves), min(float(c.y.min()) for c in curves)]
    high = [max(float(c.x.max()) for c in curves), max(float(c.y.max()) for c in curves)]
    size = 0.08 * max(high[0] - low[0], high[1] - low[1])
    axes = []
    for (name, color), e in zip(_AXES, np.eye(3), strict=True):
        across, up = project_view(*(size * e))
        axes.append(
            Polyline(
                f"axis {name}",
                np.array([low[0], low[0] + float(across)]),
                np.array([low[1], low[1] + float(up)]),
                color=color,
                width=1.6,
            )
        )
    return axes


def _traces(dataset: xr.Dataset, outputs: Sequence[str]) -> list[RunningCurve]:
    """The running curve below the animation, a force if there is one."""
    if not outputs:
        return []
    chosen = next((n for n in outputs if dataset[n].attrs.get("units") == "N"), outputs[0])
    curve = figures.thin_curve(dataset["time"].to_numpy(), dataset[chosen].to_numpy())
    return [RunningCurve(f"{long_name(dataset, chosen)} ({unit_of(dataset, chosen)})", *curve)]


def _caption(spatial: bool, flat: bool) -> str:
    keys = "Space plays and pauses, the arrow keys step."
    if spatial:
        return f"Oblique view: x red, y green, z blue in the corner. {keys}"
    return f"Vertical scale exaggerated. {keys}" if flat else keys
