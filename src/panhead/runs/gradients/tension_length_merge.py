"""Merge of the overlapping groups of spans in which a long tension length was strung."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panhead.railway.line.layout import PlacedTensionLength
from panhead.railway.line.span_mesh import mesh_span
from panhead.railway.line.stringing_adjoint import StringingCotangents
from panhead.railway.line.stringing_equations import Balance
from panhead.railway.line.strung_line import stringing_groups
from panhead.runs.gradients.tension_lengths import StringGroup, TensionLengthGradient
from panhead.runs.resolve import ResolvedRun


class MergedGroups:
    """∂J/∂ of a tension length for every objective, group by group; one that was strung as a whole is its own sum."""

    def __init__(self, model: ResolvedRun, piece: PlacedTensionLength) -> None:
        self.piece, self.slopes = piece, list[TensionLengthGradient]()
        self.single = len(stringing_groups(len(piece.spans))) == 1
        if not self.single:
            layout, length = model.strung.layout, model.run.numerics.element_length
            meshes = [mesh_span(layout.plan(piece, number), length) for number in range(piece.first, piece.stop)]
            self.balance = Balance(meshes, [f"{piece.name}, span {k + 1}," for k in range(len(meshes))])

    def add(self, group: StringGroup, slopes: Sequence[TensionLengthGradient]) -> None:
        """Add one group."""
        if self.single:
            self.slopes = list(slopes)
            return
        self._take_shape(group)
        if not self.slopes:
            self.slopes = [_zeros_for_tension_length(self.piece, self.balance, slope) for slope in slopes]
        begins = _sizes(self.balance, group.first)
        for total, slope in zip(self.slopes, slopes, strict=True):
            for kind, into, out in zip(_kinds(slope), _arrays(total), _arrays(slope), strict=True):
                into[begins[kind] : begins[kind] + len(out)] += out

    def _take_shape(self, group: StringGroup) -> None:
        """Shape of the whole tension length from the group's own spans."""
        whole, own = self.balance, group.balance
        size = 4 * len(whole.grid.roles)
        for k in group.own:
            a, b = own.grid.starts[k - group.first : k - group.first + 2]
            first = whole.grid.starts[k]
            whole.q[first * size : (first + b - a + 1) * size] = own.q[a * size : (b + 1) * size]
            mine, there = own.links.span == k - group.first, whole.links.span == k
            for name in ("tension", "given", "by_height"):
                getattr(whole, name)[there] = getattr(own, name)[mine]


def _arrays(slope: TensionLengthGradient) -> list[np.ndarray]:
    """All arrays of a tension length, in a fixed order."""
    found: list[np.ndarray] = []
    for string in (slope.drawn, slope.built):
        found += [*string.table.values(), string.ell, string.held, string.arm]
        found += [string.height, string.length, string.stiffness, string.mass]
    return [*found, *slope.table.values(), slope.ell, slope.masts, *slope.links.values()]


def _kinds(slope: TensionLengthGradient) -> list[str]:
    """Kind of the rows of each of ``_arrays``."""
    wires = ["element"] * len(slope.table)
    string = [*wires, "element", "coordinate", "mast", *["link"] * 4]
    return [*string, *string, *wires, "element", "mast", *["link"] * len(slope.links)]


def _sizes(balance: Balance, spans: int) -> dict[str, int]:
    """Number of items of each kind in the first spans of a tension length, without the mast after them."""
    element = int(balance.grid.starts[spans])
    links = int(np.searchsorted(balance.links.span, spans))
    return {"element": element, "coordinate": 4 * len(balance.grid.roles) * element, "link": links, "mast": spans}


def _zeros_for_tension_length(
    piece: PlacedTensionLength, balance: Balance, like: TensionLengthGradient
) -> TensionLengthGradient:
    """Zeros for a whole tension length."""
    grid = balance.grid
    sizes = {"element": grid.ell.size, "coordinate": grid.size, "link": balance.links.n, "mast": len(grid.posts)}
    zeros = iter([
        np.zeros((sizes[kind], *x.shape[1:])) for kind, x in zip(_kinds(like), _arrays(like), strict=True)
    ])  # fmt: skip

    def string() -> StringingCotangents:
        table = {role: next(zeros) for role in like.table}
        ell, held, arm, height, length, stiffness, mass = (next(zeros) for _ in range(7))
        return StringingCotangents(table, held, height, length, stiffness, mass, ell, arm)

    drawn, built, table = string(), string(), {role: next(zeros) for role in like.table}
    ell, masts = next(zeros), next(zeros)
    links = {name: next(zeros) for name in like.links}
    return TensionLengthGradient(piece, balance, drawn, built, table, links, masts, ell)
