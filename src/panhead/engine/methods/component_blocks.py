"""Saddle-point matrices that fall apart into components: bodies that neither joints nor forces couple.

Hundreds of free bodies make one matrix of hundreds of small blocks. Each block is inverted apart, blocks of equal size
together.
"""

from __future__ import annotations

from typing import final

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import connected_components

from panhead.engine.kernels import element_families
from panhead.engine.system import System, Vector
from panhead.errors import NotConverged

_State = tuple[float, Vector, Vector, Vector, Vector, Vector]  # t, q, v, a, lam, u


@final
class ComponentBlocks:
    """A⁻¹ of [[c_a M + c_v D + c_q K, g_qᵀ], [g_q, 0]], unknowns (q, lam) ordered by component."""

    def __init__(self, system: System, together: np.ndarray) -> None:
        """``together`` (k, m): coordinates that stay in one component, behind one another."""
        self.system, self.tabled = system, system.families
        self.nq = len(system.coordinates)
        n = self.nq + len(system.constraints)
        rows, columns = element_families.entries(self.tabled.tables)
        ends = [
            np.concatenate([x, y]) for x, y in ((rows, together[:, :-1].ravel()), (columns, together[:, 1:].ravel()))
        ]
        graph = scipy.sparse.coo_array((np.ones(len(ends[0])), tuple(ends)), shape=(n, n))
        count, component = connected_components(graph, directed=False)
        order = np.argsort(component, kind="stable")
        self.slot = np.empty(n, np.int64)  # place of each unknown among the ordered ones
        self.slot[order] = np.arange(n)
        sizes = np.bincount(component, minlength=count)
        self.component = component[order].astype(np.int64)
        self.start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.begin = np.concatenate([[0], np.cumsum(sizes**2)]).astype(np.int64)
        owner = component[rows]
        local = lambda k: self.slot[k] - self.start[owner]
        self._places = self.begin[owner] + local(rows) * sizes[owner] + local(columns)
        self._of_rates = self._places[(rows >= self.nq) & (columns < self.nq)]
        self._groups = [np.flatnonzero(sizes == m) for m in np.unique(sizes)]
        self._sizes = sizes
        self.inverse = np.zeros(self.begin[-1])

    def order(self, x: Vector) -> Vector:
        """(q, lam) → ordered by component."""
        out = np.empty_like(x)
        out[self.slot] = x
        return out

    def invert(self, c: tuple[float, float, float], state: _State, end: tuple[float, Vector] | None = None) -> None:
        """A⁻¹ at a state; with ``end`` (t, q) the rows of g_q are those there."""
        values = self._tangent(c, state)
        if end is not None and len(self._of_rates):
            t, q = end
            there = self._tangent((0.0, 0.0, 0.0), (t, q, *state[2:]))
            values[self._of_rates] = there[self._of_rates]
        for group in self._groups:
            m = int(self._sizes[group[0]])
            at = self.begin[group][:, None] + np.arange(m * m)
            blocks = values[at].reshape(-1, m, m)
            try:
                self.inverse[at] = np.linalg.inv(blocks).reshape(len(group), -1)
            except np.linalg.LinAlgError:
                raise NotConverged(
                    f"the equations of {self.system.name!r} became singular at t = {state[0]:.6g} s: a joint holds "
                    "what another one holds already, or a body has no inertia"
                ) from None

    def _tangent(self, c: tuple[float, float, float], state: _State) -> Vector:
        values = np.zeros(self.begin[-1])
        tables, work = self.tabled.tables, self.tabled.work
        element_families.add_tangent(tables, work, self._places, state[0], c, *state[1:], values)
        return values

    def solve(self, x: Vector) -> Vector:
        """A⁻¹ x, both ordered."""
        out = np.empty_like(x)
        for group in self._groups:
            m = int(self._sizes[group[0]])
            A = self.inverse[self.begin[group][:, None] + np.arange(m * m)].reshape(-1, m, m)
            at = self.start[group][:, None] + np.arange(m)
            out[at] = np.einsum("kij,kj->ki", A, x[at])
        return out
