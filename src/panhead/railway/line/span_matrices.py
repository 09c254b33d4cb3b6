"""Matrix blocks of one strung span, ready for assembly with its neighbours.

Coordinates are numbered by station: a station's block holds, wire by wire, (w, w′) and with lateral
motion (w, w′, y, y′). Displacements are counted from the strung shape, so gravity is gone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from panhead.railway.line.bows import bow_columns
from panhead.railway.line.layout import PlacedTensionLength, Post
from panhead.railway.line.rods import rod_indices
from panhead.railway.line.span_mesh import AIR, MASS
from panhead.railway.line.stringing import StrungSpan
from panhead.railway.line.wire_elements import add_wire_blocks


@dataclass(frozen=True, slots=True)
class Numbering:
    """Position of a wire's coordinates in a station's block.

    Neighbouring tension lengths take turns with two sets of wires, so that both fit in an overlap.
    """

    roles: tuple[str, ...]
    sets: int  #: 1, or 2 if the line has more than one tension length
    lateral: bool
    rods: int = 0  #: inner nodes of a dropper that is a rod
    rods_at: int = 0  #: droppers at one station, each with room for its inner nodes

    @property
    def per_wire(self) -> int:
        """Coordinates of one wire at one station."""
        return 4 if self.lateral else 2

    @property
    def b(self) -> int:
        """Coordinates of one station."""
        return self.sets * (len(self.roles) * self.per_wire + self.rods * self.rods_at)

    def inner(self, piece: int, slot: int) -> int:
        """Index in the block of the first inner node of a station's rod number ``slot``."""
        rod = (piece % self.sets) * self.rods_at + slot
        return self.sets * len(self.roles) * self.per_wire + rod * self.rods

    def dof(self, piece: int, role: str) -> int:
        """Index in the block of w of a wire of tension length number ``piece``; y is 2 further."""
        return ((piece % self.sets) * len(self.roles) + self.roles.index(role)) * self.per_wire


@dataclass(frozen=True, slots=True)
class MastBlock:
    """Contribution of one mast to its station for one tension length."""

    M: np.ndarray  #: (b,) diagonal
    C: np.ndarray
    K: np.ndarray
    fixed: np.ndarray  #: (b,) bool: what it holds
    displacements: np.ndarray  #: (b,) bool: w and y of every wire, held where a window cuts them


@dataclass(frozen=True, slots=True)
class SpanBlocks:
    """Matrices of one span of one tension length, both mast stations included, masts left out."""

    strung: StrungSpan
    matrices: tuple[np.ndarray, ...]  #: M_diag, M_off, C_diag, C_off, K_diag, K_off
    active: np.ndarray  #: (n + 1, b) bool: coordinates that exist
    left: MastBlock
    right: MastBlock
    links: dict[str, np.ndarray]  #: the dropper table of this span; x and station from its start


class BlockPart(NamedTuple):
    """One span of one tension length inside a window."""

    piece: PlacedTensionLength
    number: int  #: of the span along the line
    start: int  #: its first station in the window
    blocks: SpanBlocks

    @property
    def stop(self) -> int:
        """One beyond its last station in the window."""
        return self.start + self.blocks.active.shape[0]

    @property
    def name(self) -> str:
        """Name of the span."""
        return f"{self.piece.name}.span{self.number - self.piece.first + 1}"


def span_blocks(strung: StrungSpan, numbering: Numbering, piece: int) -> SpanBlocks:
    """Matrices of one strung span for tension length number ``piece``."""
    mesh, b = strung.mesh, numbering.b
    n, ell = mesh.x.size - 1, np.diff(mesh.x)
    shapes = [(n + 1, b, b), (n, b, b)] * 3
    matrices = tuple(np.zeros(shape) for shape in shapes)
    active = np.zeros((n + 1, b), dtype=bool)
    for role, table in mesh.wires.items():
        there = table[:, MASS] > 0
        present = np.append(there, False) | np.insert(there, 0, False)
        first = numbering.dof(piece, role)
        active[:, first : first + numbering.per_wire] = present[:, None]
        for shift in range(0, numbering.per_wire, 2):
            air = table[:, AIR] * (1.0 if shift else 0.5)
            add_wire_blocks(ell, table[:, :5], first + shift, matrices, air)
    _add_points(strung, numbering, piece, matrices)
    if numbering.rods:
        _add_rods(strung, numbering, piece, matrices, active)
    _tie_stitch(strung, numbering, piece, matrices, active)
    return SpanBlocks(
        strung=strung,
        matrices=matrices,
        active=active,
        left=_mast(strung, 0, numbering, piece),
        right=_mast(strung, 1, numbering, piece),
        links=_links(strung, numbering, piece),
    )


def _add_points(strung: StrungSpan, numbering: Numbering, piece: int, matrices: tuple[np.ndarray, ...]) -> None:
    """Add masses of droppers and clamps, lateral stiffness N/L of hanging droppers, hard spots."""
    M, K = matrices[0], matrices[4]
    mesh, directions = strung.mesh, range(0, numbering.per_wire, 2)
    for k, (link, station) in enumerate(zip(mesh.links, mesh.link_station, strict=True)):
        half = 0.5 * link.kind.mass_per_length * strung.length[k] / (link.kind.rod.parts if link.kind.rod else 1)
        top, bottom = numbering.dof(piece, link.upper), numbering.dof(piece, link.lower)
        for shift in directions:
            M[station, top + shift, top + shift] += half + link.kind.top_clamp_mass
            M[station, bottom + shift, bottom + shift] += half + link.kind.bottom_clamp_mass
        if numbering.lateral:
            nz, ny = strung.direction[k]
            across = np.array([ny, -nz, -ny, nz])  # (w, y) of the top, then of the bottom
            dofs = np.array([top, top + 2, bottom, bottom + 2])
            stiffness = strung.tension[k] / strung.length[k]
            K[station, dofs[:, None], dofs] += stiffness * np.outer(across, across)
    contact = [role for role in mesh.wires if role.startswith("contact")]
    for station, (_, mass, stiffness) in zip(mesh.spot_station, mesh.plan.spots, strict=True):
        for role in contact:
            first = numbering.dof(piece, role)
            K[station, first, first] += stiffness / len(contact)
            for shift in directions:
                M[station, first + shift, first + shift] += mass / len(contact)


def _add_rods(
    strung: StrungSpan, numbering: Numbering, piece: int, matrices: tuple[np.ndarray, ...], active: np.ndarray
) -> None:
    """Add mass and friction of inner nodes of rods. Their coordinate s is a displacement (n_z + n_y) s along it."""
    mesh, M, C = strung.mesh, matrices[0], matrices[2]
    for k, slot in enumerate(rod_indices(mesh.links, mesh.link_station)):
        kind, station = mesh.links[k].kind, mesh.link_station[k]
        if kind.rod is None:
            continue
        first, n = numbering.inner(piece, slot), kind.rod.parts - 1
        share = strung.direction[k].sum() ** 2 if numbering.lateral else 1.0
        inner = np.arange(first, first + n)
        mass = kind.mass_per_length * strung.length[k] / kind.rod.parts
        M[station, inner, inner] = mass * share
        active[station, inner] = True
        top, bottom = (numbering.dof(piece, role) for role in (mesh.links[k].upper, mesh.links[k].lower))
        along = np.zeros((n + 2, numbering.b))  # displacement of every node along the rod
        along[np.arange(1, n + 1), inner] = math.sqrt(share)
        nz, ny = strung.direction[k] if numbering.lateral else (1.0, 0.0)
        along[[0, -1], [top, bottom]] = nz
        if numbering.lateral:
            along[[0, -1], [top + 2, bottom + 2]] = ny
        uneven = along[:-2] - 2.0 * along[1:-1] + along[2:]
        C[station] += kind.rod.friction(kind.stiffness, mass) * uneven.T @ uneven


def _tie_stitch(
    strung: StrungSpan, numbering: Numbering, piece: int, matrices: tuple[np.ndarray, ...], active: np.ndarray
) -> None:
    """Tie the ends of a stitch wire to the messenger: its w and y become the messenger's."""
    if "stitch" not in strung.mesh.wires:
        return
    there = strung.mesh.wires["stitch"][:, MASS] > 0
    s, m = numbering.dof(piece, "stitch"), numbering.dof(piece, "messenger")
    for station in np.flatnonzero(there[1:] != there[:-1]) + 1:
        for shift in range(0, numbering.per_wire, 2):
            slave, master = s + shift, m + shift
            for diag, off in (matrices[0:2], matrices[2:4], matrices[4:6]):
                for view in (diag[station], diag[station].T, off[station], off[station - 1].T):
                    view[master] += view[slave]
                    view[slave] = 0.0
            active[station, slave] = False


def _mast(strung: StrungSpan, side: int, numbering: Numbering, piece: int) -> MastBlock:
    plan = strung.mesh.plan
    post = plan.right if side else plan.left
    M, C, K = np.zeros((3, numbering.b))
    fixed, displacements = np.zeros((2, numbering.b), dtype=bool)
    contact = [role for role in strung.mesh.wires if role.startswith("contact")]
    for role in strung.mesh.wires:
        first = numbering.dof(piece, role)
        displacements[first : first + numbering.per_wire : 2] = True
    if post.anchor:
        return MastBlock(M, C, K, displacements, displacements)
    if "messenger" in strung.mesh.wires:
        _hold_messenger(post, numbering, numbering.dof(piece, "messenger"), C, K, fixed)
    for role in contact:
        first = numbering.dof(piece, role)
        _hold_contact(post, strung.arm_pull[side], len(contact), first, M, C, K)
        if numbering.lateral:
            fixed[first + 2] = post.support.lateral_stiffness is None
            K[first + 2] += (post.support.lateral_stiffness or 0.0) / len(contact)
    if numbering.lateral and "auxiliary" in strung.mesh.wires:
        fixed[numbering.dof(piece, "auxiliary") + 2] = True
    return MastBlock(M, C, K, fixed, displacements)


def _hold_messenger(
    post: Post, numbering: Numbering, first: int, C: np.ndarray, K: np.ndarray, fixed: np.ndarray
) -> None:
    if post.support.messenger_stiffness is None:
        fixed[first] = True
    else:
        K[first] += post.support.messenger_stiffness
        C[first] += post.support.messenger_damping
    if numbering.lateral:
        fixed[first + 2] = True


def _hold_contact(post: Post, pull: float, share: int, first: int, M: np.ndarray, C: np.ndarray, K: np.ndarray) -> None:
    """Steady arm and support on one of ``share`` contact wires; see SteadyArm for the stiffness."""
    support, arm = post.support, post.support.steady_arm
    M[first] += support.holding_mass / share
    C[first] += support.contact_damping / share
    K[first] += support.holding_stiffness / share
    if arm is not None:
        M[first] += arm.mass / 3.0 / share
        C[first] += arm.damping / share
        K[first] += pull * arm.length**2 / (arm.length**2 - arm.rise**2) ** 1.5 / share


def _links(strung: StrungSpan, numbering: Numbering, piece: int) -> dict[str, np.ndarray]:
    """Dropper table of one span. In the vertical plane the slope of a dropper is folded into it."""
    links = strung.mesh.links
    top = np.array([numbering.dof(piece, link.upper) for link in links], dtype=np.int64)
    bottom = np.array([numbering.dof(piece, link.lower) for link in links], dtype=np.int64)
    k = np.array([link.kind.stiffness for link in links])
    c = np.array([link.kind.damping for link in links])
    N0 = k * (strung.length - strung.unstretched)  # negative: slack at rest, by that much
    nz, ny = strung.direction.reshape(-1, 2).T.copy()
    side = 2 if numbering.lateral else 0
    if not numbering.lateral:
        k, c, N0 = k * nz**2, c * nz**2, N0 * nz
        nz, ny = np.ones_like(nz), np.zeros_like(ny)
    whole = {
        "station": strung.mesh.link_station,
        "dof_top": top,
        "dof_bottom": bottom,
        "dof_top_y": top + side,
        "dof_bottom_y": bottom + side,
        "nz": nz,
        "ny": ny,
        "stiffness": k,
        "damping": c,
        "static_tension": N0,
        "x": np.array([link.x for link in links]),
        "part": np.zeros(len(links), dtype=np.int64),
        "residual": np.zeros(len(links)),
        "link": np.arange(len(links)),
    }
    whole |= bow_columns(links, strung.length, whole, strung.mesh.plan.gravity)
    return _split_rods(strung, numbering, piece, whole) if numbering.rods else whole


def _split_rods(
    strung: StrungSpan, numbering: Numbering, piece: int, whole: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Expand a dropper table to one row for every part of a rod, the top one first; see ``rods``."""
    links, rows = strung.mesh.links, []
    slots = rod_indices(links, strung.mesh.link_station)
    for k, link in enumerate(links):
        one = {name: column[k] for name, column in whole.items()}
        m = link.kind.rod.parts if link.kind.rod else 1
        first = numbering.inner(piece, slots[k])
        weight = link.kind.mass_per_length * strung.length[k] * strung.mesh.plan.gravity
        for i in range(m):
            part = dict(one)
            if link.kind.rod is not None:
                r = link.kind.rod.residual
                hangs = one["static_tension"] + 0.5 * weight - weight * (2 * i + 1) / (2 * m)
                part |= {"stiffness": m * one["stiffness"], "damping": m * one["damping"], "part": i + 1}
                part |= {"residual": r, "static_tension": hangs + r}
            if i > 0:
                part |= {"dof_top": first + i - 1, "dof_top_y": first + i - 1}
            if i < m - 1:
                part |= {"dof_bottom": first + i, "dof_bottom_y": first + i}
            rows.append(part)
    return {name: np.array([row[name] for row in rows], dtype=column.dtype) for name, column in whole.items()}
