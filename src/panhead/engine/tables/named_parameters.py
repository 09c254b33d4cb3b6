"""Named parameters of a model, and derivatives with respect to them and to controls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np
import scipy.sparse

from panhead.engine.kernels.element_families import LaneRoom, Tables, evaluate
from panhead.engine.system import Matrix
from panhead.engine.tables.flat_arrays import Family
from panhead.errors import ModelError


@final
class Numbers:
    """Every number in the tables under the name of its part."""

    def __init__(self, families: Sequence[Family]) -> None:
        self.families = families
        self.place: dict[str, list[int]] = {}
        at = 0
        for family in families:
            for owner in family.owners:
                for name in family.law.numbers:
                    # the elements of a wire share their name: they change together
                    self.place.setdefault(_full(owner, name), []).append(at)
                    at += 1
        self.column = {name: k for k, name in enumerate(self.place)}

    def values(self, tables: Tables) -> dict[str, float]:
        return {name: float(tables.p[places[0]]) for name, places in self.place.items()}

    def set(self, model: str, tables: Tables, name: str, value: float) -> None:
        if name not in self.place:
            near = [n for n in self.place if n.split(".")[0] == name.split(".")[0]]
            known = f"{name.split('.')[0]!r} has {', '.join(near)}" if near else "no part has that name"
            raise ModelError(f"{model!r} has no parameter {name!r}; {known}")
        if not np.isfinite(value):
            raise ModelError(f"{model!r}: parameter {name} must be finite, got {value!r}")
        tables.p[self.place[name]] = value

    def by_control(self, tables: Tables, work: LaneRoom, x: tuple[Any, ...], nq: int, nu: int) -> Matrix:
        """∂r/∂u, (nq, nu)."""
        total = np.zeros((nq, nu))
        for f, family in enumerate(self.families):
            n, m, k = family.law.n, family.law.m, family.law.k
            if k:
                values = evaluate(tables, work, f, family.law.by_control.address, n * k, *x)
                for places, block in zip(family.places, values, strict=True):
                    np.add.at(total, np.ix_(places[:n], places[n + m :]), block.reshape(n, k))
        return total

    def by_number(self, tables: Tables, work: LaneRoom, x: tuple[Any, ...], size: int) -> Matrix:
        """∂(r, g)/∂p, (nq + nc, np), sparse."""
        rows, columns, values = [], [], []
        for f, family in enumerate(self.families):
            law = family.law
            width, n_p = law.n + law.m, len(law.numbers)
            found = evaluate(tables, work, f, law.by_number.address, width * n_p, *x)
            for owner, places, block in zip(family.owners, places_of(tables, f), found, strict=True):
                column = [self.column[_full(owner, name)] for name in law.numbers]
                rows.append(np.repeat(places[:width], n_p))
                columns.append(np.tile(column, width))
                values.append(block)
        shape = (size, len(self.place))
        if not rows:
            return scipy.sparse.csc_array(shape)
        data = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        return scipy.sparse.csc_array(scipy.sparse.coo_array(data, shape=shape))

    def pullback(self, tables: Tables, work: LaneRoom, x: tuple[Any, ...], mu: np.ndarray) -> np.ndarray:
        """μᵀ ∂(r, g)/∂p of every number of every element apart, (numbers in the tables,)."""
        found = []
        for f, family in enumerate(self.families):
            width, n_p = family.law.n + family.law.m, len(family.law.numbers)
            blocks = evaluate(tables, work, f, family.law.by_number.address, width * n_p, *x)
            felt = mu[places_of(tables, f)[:, :width]]
            found.append(np.einsum("ewp,ew->ep", blocks.reshape(-1, width, n_p), felt).ravel())
        return np.concatenate([np.zeros(0), *found])


def places_of(tables: Tables, f: int) -> np.ndarray:
    """Return current indices of the unknowns and controls of a family's elements, sliding ones too; (elements, ·)."""
    count, n, m, k, _, first = tables.sizes[f, :6]
    return np.asarray(tables.idx[first : first + count * (n + m + k)].reshape(count, n + m + k))


def _full(owner: str, name: str) -> str:
    return f"{owner}.{name}" if owner else name
