"""Matrix of a Newton step over tables of elements: sparsity pattern and pivot order."""

from __future__ import annotations

from typing import final

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from panhead.engine.kernels import bordered_matrix, element_families, sparse_lu
from panhead.engine.kernels.table_model import TabledModel
from panhead.engine.methods.linear_solvers import SingularMatrix
from panhead.engine.system import CompiledFamilies

_RULES = ("COLAMD", "MMD_AT_PLUS_A")
_SMALL = 200  # unknowns: below it the second rule costs more than it saves


@final
class TabledMatrix:
    """The step's matrix: pattern of the core, border, and an order of pivots found by SuperLU."""

    def __init__(self, families_: CompiledFamilies, unknowns: int) -> None:
        self.border = families_.border
        nb, n = len(self.border), unknowns - len(self.border)
        self.place = np.zeros(unknowns, dtype=np.int64)
        self.place[self.border] = -1 - np.arange(nb)
        self.core = np.flatnonzero(self.place == 0)
        self.place[self.core] = np.arange(n)
        rows, columns = (self.place[x] for x in element_families.entries(families_.tables))
        inside = (rows >= 0) & (columns >= 0)
        keys = np.sort(columns[inside] * n + rows[inside])  # np.unique hashes, which takes ten times as long
        keys = keys[np.diff(keys, prepend=-1) > 0]
        self.Ap, self.Ai = np.searchsorted(keys, np.arange(n + 1) * n), keys % n
        self.values = np.zeros(len(keys) + 2 * nb * n + nb * nb + 1)
        self.slots = np.zeros(len(rows), np.int64)
        bordered_matrix.find_all_slots(families_.tables, self.place, self.Ap, self.Ai, nb, self.slots)
        self.border_slots = np.full_like(self.slots, len(self.values) - 1)
        self.touching = _families_at(families_.tables, self.place)
        self.touched = np.zeros(self._max_border_entries(families_.tables) + 1, np.int64)
        self.most = _max_border_coupling(families_.tables, self.place)
        self.met = np.zeros(1 + self.most, np.int64)
        bordered_matrix.find_border(
            families_.tables, self.touching, self.slots, n, nb, len(keys), len(self.values) - 1,
            self.border_slots, self.touched, self.met,
        )  # fmt: skip

    def _max_border_entries(self, tables: element_families.Tables) -> int:
        """A bound for the numbers in the border."""
        of = tables.sizes[self.touching]
        return int((of[:, 0] * (of[:, 8] + 2 * of[:, 9])).sum())

    def model(self, of: CompiledFamilies, order: tuple[np.ndarray, np.ndarray] | None = None) -> TabledModel:
        """Tables and matrix together, with pivots in this order of rows and columns, or one for the present values."""
        matrix = self._matrix_in_order(*(order or self._pivots()))
        return TabledModel(of.tables, of.work, of.slides, self.slots, self.border_slots, self.touching, matrix)

    def _pivots(self) -> tuple[np.ndarray, np.ndarray]:
        """An order with safe pivots: of two rules, the one that costs a step less; one if the matrix is small."""
        n, nnz = len(self.core), len(self.Ai)
        A = scipy.sparse.csc_array((self.values[:nnz], self.Ai, self.Ap), shape=(n, n))
        rules = _RULES if n > _SMALL else _RULES[:1]
        try:
            found = [scipy.sparse.linalg.splu(A, permc_spec=rule, diag_pivot_thresh=0.01) for rule in rules]
        except RuntimeError as error:
            raise SingularMatrix(str(error)) from None
        least = min(lu.nnz for lu in found)
        orders = [(lu.perm_r.astype(np.int64), np.argsort(lu.perm_c)) for lu in found if lu.nnz <= 2 * least]
        if len(orders) == 1:
            return orders[0]
        return min(orders, key=lambda order: sparse_lu.step_cost(*sparse_lu.analyse(self.Ap, self.Ai, *order)))

    def _matrix_in_order(self, row_of: np.ndarray, column: np.ndarray) -> bordered_matrix.Bordered:
        """Room for factors, with pivots in this order."""
        n, nb, most = len(self.core), len(self.border), self.most
        pattern, factors = sparse_lu.analyse(self.Ap, self.Ai, row_of, column)
        return bordered_matrix.Bordered(
            self.place, self.core, self.border, pattern, factors, self.values, np.argsort(column), self.touched,
            self.met, np.zeros(most, np.int64), np.full(most, -1, np.int64), np.zeros((most, n)),
            np.zeros((most, most)), np.zeros(most), np.zeros((nb, nb)), np.zeros((nb, 1), np.int64), np.zeros(nb),
        )  # fmt: skip


def _families_at(tables: element_families.Tables, place: np.ndarray) -> np.ndarray:
    """The families that hold an unknown of the border."""
    found: list[int] = []
    if not (place < 0).any():
        return np.array(found, dtype=np.int64)
    for f, (count, n, m, k, _, first, *_) in enumerate(tables.sizes.tolist()):
        unknowns = tables.idx[first : first + count * (n + m + k)].reshape(count, -1)[:, : n + m]
        if (place[unknowns] < 0).any():
            found.append(f)
    return np.array(found, dtype=np.int64)


def _max_border_coupling(tables: element_families.Tables, place: np.ndarray) -> int:
    """Return how many unknowns of the core can meet the border at once: those of all elements that hold some of it."""
    most = 0
    if not (place < 0).any():
        return most
    for count, n, m, k, _, first, *_ in tables.sizes.tolist():
        unknowns = tables.idx[first : first + count * (n + m + k)].reshape(count, -1)[:, : n + m]
        on_border = place[unknowns] < 0
        most += int((~on_border[on_border.any(axis=1)]).sum())
    return most
