"""Array tables of a linear line: droppers, contact wires and supports of a window."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from panhead.railway.line.insulators import runner_depth
from panhead.railway.line.layout import Layout
from panhead.railway.line.span_matrices import BlockPart, Numbering


class Droppers(NamedTuple):
    """One entry per dropper of the window; plain arrays for the kernels, then names."""

    station: np.ndarray  #: int64
    dof_top: np.ndarray  #: int64, index in the block of w of the upper wire
    dof_bottom: np.ndarray  #: int64, of the lower wire
    dof_top_y: np.ndarray  #: int64, of y; without lateral motion again w, and ny = 0
    dof_bottom_y: np.ndarray
    nz: np.ndarray  #: direction from the lower to the upper end
    ny: np.ndarray
    stiffness: np.ndarray  #: k [N/m]
    damping: np.ndarray  #: c [N·s/m]
    static_tension: np.ndarray  #: N₀ [N]; negative: slack at rest, taut once k e exceeds −N₀
    x: np.ndarray  #: [m]
    part: np.ndarray  #: int64, 0: a spring; of a rod 1 is its top part
    residual: np.ndarray  #: in N₀ and in every pull, but not at the top of the dropper [N]
    bow_mass: np.ndarray  #: m of a dropper that bows (``bows``), else 0 [kg]
    bow_drag: np.ndarray  #: c [N·s/m]
    bow_pull: np.ndarray  #: D [1/m]
    bow_bend: np.ndarray  #: E [N/m]
    bow_rest: np.ndarray  #: b_r [m]
    span: np.ndarray  #: int64, number of the span along the line
    names: tuple[str, ...]


class ContactPath(NamedTuple):
    """One contact wire inside the window. Arrays hold every station; use first … last only."""

    name: str
    piece: int  #: number of its tension length
    first: int  #: its first station
    last: int  #: its last station
    dof_w: int  #: index in the block; the slope is the next
    dof_y: int | None  #: None without lateral motion
    z0: np.ndarray  #: (ns,) static height [m]
    z0_x: np.ndarray  #: its slope
    y0: np.ndarray  #: stagger [m]
    y0_x: np.ndarray
    tension: float  #: [N]
    mass_per_length: float  #: new section [kg/m]


class Supports(NamedTuple):
    """Contact wires at masts, where uplift is recorded."""

    station: np.ndarray  #: int64
    dof: np.ndarray  #: int64, index in the block of w of the contact wire
    x: np.ndarray  #: [m]
    mast: np.ndarray  #: int64, number of the mast along the line
    names: tuple[str, ...]


def dropper_table(parts: list[BlockPart], mast_x: np.ndarray) -> Droppers:
    """Table of the droppers of all parts of a window."""
    columns: dict[str, list[np.ndarray]] = {}
    names: list[str] = []
    for part in [p for p in parts if p.blocks.links["x"].size] or parts[:1]:
        links = dict(part.blocks.links)
        links["station"] = links["station"] + part.start
        links["x"] = links["x"] + mast_x[part.number]
        links["span"] = np.full(links["x"].size, part.number, dtype=np.int64)
        names += [_link_name(part, k, i) for k, i in zip(links.pop("link"), links["part"], strict=True)]
        for name, values in links.items():
            columns.setdefault(name, []).append(values)
    return Droppers(**{k: np.concatenate(v) for k, v in columns.items()}, names=tuple(names))


def _link_name(part: BlockPart, k: int, number: int) -> str:
    """Name of a dropper, or of a lower part of a rod."""
    link = part.blocks.strung.mesh.links[k]
    kind = "auxiliary-dropper" if link.lower == "auxiliary" else "dropper"
    side = "-left" if link.lower == "contact2" else ""
    below = f", part {number}" if number > 1 else ""
    return f"{part.name}.{kind}{link.number}{side}{below}"


def contact_paths(parts: list[BlockPart], numbering: Numbering, ns: int) -> tuple[ContactPath, ...]:
    """The contact wires of a window of ``ns`` stations."""
    paths: dict[tuple[int, str], ContactPath] = {}
    tables: dict[tuple[int, str], np.ndarray] = {}
    for part in parts:
        shape, stop = part.blocks.strung.shape, part.stop
        for role in (r for r in shape if r.startswith("contact")):
            key = part.piece.index, role
            if key not in paths:
                tables[key] = np.zeros((4, ns))
                paths[key] = _new_path(part, role, numbering, tables[key])
            path = paths[key] = paths[key]._replace(last=stop - 1)
            tables[key][:, part.start : stop] = shape[role].T
            mesh = part.blocks.strung.mesh
            if mesh.plan.let_in:
                depth, slope = runner_depth(mesh.plan.let_in, mesh.x)
                path.z0[part.start : stop] -= depth
                path.z0_x[part.start : stop] -= slope
    return tuple(paths.values())


def _new_path(part: BlockPart, role: str, numbering: Numbering, table: np.ndarray) -> ContactPath:
    """A contact wire that begins with a part; table: its z, z′, y, y′ (4, ns), to be filled."""
    dof = numbering.dof(part.piece.index, role)
    wire = part.blocks.strung.mesh.plan.wires.contact
    return ContactPath(
        name=part.piece.name + (" left" if role == "contact2" else ""),
        piece=part.piece.index,
        first=part.start,
        last=part.start,
        dof_w=dof,
        dof_y=dof + 2 if numbering.lateral else None,
        z0=table[0],
        z0_x=table[1],
        y0=table[2],
        y0_x=table[3],
        tension=wire.tension,
        mass_per_length=wire.mu,
    )


def support_table(parts: list[BlockPart], numbering: Numbering, layout: Layout) -> Supports:
    """Every contact wire at every mast of a window, along x."""
    rows: dict[tuple[int, int, str], tuple[int, int, str]] = {}
    for part in parts:
        for mast, station in ((part.number, part.start), (part.number + 1, part.stop - 1)):
            for role in (r for r in part.blocks.strung.mesh.wires if r.startswith("contact")):
                if (mast, part.piece.index, role) not in rows:
                    name = layout.mast_name(part.piece, mast) + ("-left" if role == "contact2" else "")
                    dof = numbering.dof(part.piece.index, role)
                    rows[mast, part.piece.index, role] = station, dof, name
    masts = np.array([key[0] for key in rows], dtype=np.int64)
    order = np.argsort(masts, kind="stable")
    stations, dofs, names = zip(*rows.values(), strict=True)
    return Supports(
        station=np.array(stations, dtype=np.int64)[order],
        dof=np.array(dofs, dtype=np.int64)[order],
        x=layout.mast_x[masts[order]],
        mast=masts[order],
        names=tuple(names[i] for i in order),
    )
