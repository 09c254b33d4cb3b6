"""Adjoint of span assembly: from the cotangents of a span's matrices to those of its elements, droppers and clamps.

A matrix of a span is a sum over its elements and clamps, linear in tension, bending stiffness and mass of each:
∂J/∂T = Σ ∂J/∂K : ∂K/∂T, and so on. What remains is ten times smaller than the matrices. Lanes last.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from panhead.railway.line.span_matrices import Numbering, SpanBlocks
from panhead.railway.line.span_mesh import ALPHA, BENDING, BETA, MASS, TENSION, SpanMesh
from panhead.railway.line.wire_elements import mass_by_length, stiffness_by_length, wire_mass, wire_stiffness

FOLDED = ("k", "c", "N0", "nz", "ny")  #: of a dropper; without lateral motion n_z and n_y are folded into the others


@dataclass(slots=True)
class PartCotangents:
    """Cotangents of one span of one tension length as a run has it."""

    diag: np.ndarray  #: (3, n + 1, b, b, L) of M, C, K
    off: np.ndarray  #: (3, n, b, b, L) of the upper blocks, which stand for the lower too
    folded: dict[str, np.ndarray]  #: (links, L) of k, c and N₀ of droppers, as the run has them, and of n_z, n_y
    shape: dict[str, np.ndarray]  #: contact wire → (n + 1, 2, L) of its static z and z′

    @classmethod
    def of(cls, whole: SpanBlocks, lanes: int) -> PartCotangents:
        """Zero cotangents; whole: with all its stations."""
        n, b = whole.active.shape
        contact = [role for role in whole.strung.mesh.wires if role.startswith("contact")]
        return cls(
            np.zeros((3, n, b, b, lanes)),
            np.zeros((3, n - 1, b, b, lanes)),
            {name: np.zeros((whole.links["x"].size, lanes)) for name in FOLDED},
            {role: np.zeros((n, 2, lanes)) for role in contact},
        )


@dataclass(slots=True)
class SpanCotangents:
    """Cotangents of the properties of one span of one tension length, stringing left out."""

    table: dict[str, np.ndarray]  #: role → (n, 8, L), columns of ``mesh``: T, EI, μ, α, β
    ell: np.ndarray  #: (n, L) of the length of an element
    weights: np.ndarray  #: (links, 2, L) of the masses at a dropper's upper and lower end
    across: np.ndarray  #: (links, 4, 4, L) of the stiffness between (w, y) of both ends; (0, 4, 4, L) if not lateral
    folded: dict[str, np.ndarray]  #: as ``PartCotangents``
    shape: dict[str, np.ndarray]  #: as ``PartCotangents``

    def total(self, lanes: list[int]) -> SpanCotangents:
        """Sum over some lanes."""
        summed = lambda x: x[..., lanes].sum(axis=-1)
        each = lambda named: {name: summed(x) for name, x in named.items()}
        ell, weights, across = summed(self.ell), summed(self.weights), summed(self.across)
        return SpanCotangents(each(self.table), ell, weights, across, each(self.folded), each(self.shape))

    def add(self, other: SpanCotangents) -> None:
        for f in fields(self):
            mine, more = getattr(self, f.name), getattr(other, f.name)
            pairs = zip(mine.values(), more.values(), strict=True) if isinstance(mine, dict) else [(mine, more)]
            for x, y in pairs:
                x += y


def assembly_adjoint(whole: SpanBlocks, numbering: Numbering, piece: int, bars: PartCotangents) -> SpanCotangents:
    """Backpropagate from the matrices of a span to its properties; ``bars`` of stitch ends move to the messenger."""
    mesh = whole.strung.mesh
    weights, across = _clamp_cotangents(mesh, numbering, piece, bars)
    _stitch_adjoint(mesh, numbering, piece, bars)
    tables, lengths, ell = {}, np.zeros((mesh.x.size - 1, bars.diag.shape[-1])), np.diff(mesh.x)
    for role, table in mesh.wires.items():
        first = numbering.dof(piece, role)
        M, C, K = (
            np.sum([_gather_elements(diag, off, first + s) for s in coordinate_offsets(numbering)], axis=0)
            for diag, off in zip(bars.diag, bars.off, strict=True)
        )
        tables[role], by_length = _wire(ell, table, M, C, K)
        lengths += by_length
    return SpanCotangents(tables, lengths, weights, across, bars.folded, bars.shape)


def coordinate_offsets(numbering: Numbering) -> range:
    """Offsets of the coordinates of a wire: w, and with lateral motion y."""
    return range(0, numbering.per_wire, 2)


def _clamp_cotangents(
    mesh: SpanMesh, numbering: Numbering, piece: int, bars: PartCotangents
) -> tuple[np.ndarray, np.ndarray]:
    """Cotangents of the droppers' terms in diagonal blocks: masses, and with lateral motion N/L."""
    at, lanes = mesh.link_station, bars.diag.shape[-1]
    ends = [[numbering.dof(piece, role) for role in (link.upper, link.lower)] for link in mesh.links]
    dofs = np.array(ends, dtype=np.int64).reshape(-1, 2)
    weights = np.zeros((at.size, 2, lanes))
    for s in coordinate_offsets(numbering):
        weights += bars.diag[0][at[:, None], dofs + s, dofs + s]
    if not numbering.lateral:
        return weights, np.zeros((0, 4, 4, lanes))
    places = np.stack([dofs[:, 0], dofs[:, 0] + 2, dofs[:, 1], dofs[:, 1] + 2], axis=1)
    return weights, bars.diag[2][at[:, None, None], places[:, :, None], places[:, None, :]]


def _stitch_adjoint(mesh: SpanMesh, numbering: Numbering, piece: int, bars: PartCotangents) -> None:
    """Move the cotangents of a stitch wire's ends, which are the messenger's coordinates, to the messenger."""
    if "stitch" not in mesh.wires:
        return
    there = mesh.wires["stitch"][:, MASS] > 0
    s, m = numbering.dof(piece, "stitch"), numbering.dof(piece, "messenger")
    swapped = lambda block: block.transpose(1, 0, 2)
    for station in np.flatnonzero(there[1:] != there[:-1]) + 1:
        for diag, off in zip(bars.diag, bars.off, strict=True):
            for view in (swapped(off[station - 1]), off[station], swapped(diag[station]), diag[station]):
                for shift in coordinate_offsets(numbering):
                    view[s + shift] = view[m + shift]


def _gather_elements(diag: np.ndarray, off: np.ndarray, first: int) -> np.ndarray:
    """∂J/∂ of each element's matrix, (n, 4, 4, L); the upper right corner stands for both."""
    here = slice(first, first + 2)
    element = np.zeros((off.shape[0], 4, 4, off.shape[-1]))
    element[:, :2, :2] = diag[:-1, here, here]
    element[:, 2:, 2:] = diag[1:, here, here]
    element[:, :2, 2:] = off[:, here, here]
    return element


def _dot(bar: np.ndarray, by: np.ndarray) -> np.ndarray:
    return np.asarray(np.einsum("eijl,eij->el", bar, by))


def _wire(
    ell: np.ndarray, table: np.ndarray, M: np.ndarray, C: np.ndarray, K: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """∂J/∂ of each element's T, EI, μ, α, β, and of its length, through one wire's matrices."""
    found = np.zeros((*table.shape, M.shape[-1]))
    there = table[:, MASS] != 0.0
    one, none = np.ones_like(ell), np.zeros_like(ell)
    alpha, beta = (table[:, c, None, None, None] for c in (ALPHA, BETA))
    stiff, heavy = K + beta * C, M + alpha * C
    found[:, TENSION] = _dot(stiff, wire_stiffness(ell, one, none))
    found[:, BENDING] = _dot(stiff, wire_stiffness(ell, none, one))
    found[:, MASS] = _dot(heavy, wire_mass(ell, one))
    found[:, ALPHA] = _dot(C, wire_mass(ell, table[:, MASS]))
    found[:, BETA] = _dot(C, wire_stiffness(ell, table[:, TENSION], table[:, BENDING]))
    by_length = _dot(heavy, mass_by_length(ell, table[:, MASS]))
    by_length += _dot(stiff, stiffness_by_length(ell, table[:, TENSION], table[:, BENDING]))
    return np.where(there[:, None, None], found, 0.0), np.where(there[:, None], by_length, 0.0)
