"""Rows with hand-written compiled functions: what no expression can state, such as a contact search.

A compiled function has the C signature of machine code, ``void f(const double *x, double *y)``, and reads the
numbers of LANES rows interleaved, in the order of ``element_families``. Numbers of a row are float64: the
address of an array fits into one exactly, and ``directory`` lays many arrays and scalars out behind a single address.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn, final

import numpy as np

from panhead.engine.kernels.element_families import LANES
from panhead.engine.roles import Native, Row, Terms
from panhead.errors import ModelError


@final
@dataclass(frozen=True, slots=True)
class Code:
    """Address of a compiled function."""

    address: int


@final
class NativeLaw:
    """Law of hand-written functions, as packing and marching need it; no controls."""

    def __init__(self, native: Native, row: Row) -> None:
        if row.controls or row.tracks:
            raise ModelError(f"{row.law}: a hand-written row cannot have controls or wires")
        if bool(row.constraints) != bool(native.rates):
            raise ModelError(f"{row.law}: a hand-written row has constraints if it has their rates, and only then")
        on_markers = sum(len(marker.coordinates) for marker in row.markers)
        self.n, self.m, self.k = on_markers + len(row.owned), len(row.constraints), 0
        on_marker = (f"{k}.{name}" for k, m in enumerate(row.markers) for name in m.numbers)
        self.numbers = (*on_marker, *row.numbers)
        self.terms = Terms()
        self.active, self.lanes, self.whole = True, LANES, False
        self.at_rest = None
        self.explicit, self.mass_entries = None, np.zeros((2, 0), np.int64)
        self.residual, self.tangent = Code(native.residual), Code(native.tangent)
        self.account = Code(native.account)
        self.rates = Code(native.rates or native.account)  # without constraints nobody calls it
        self._name = str(row.law)

    @property
    def entries(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns of the tangent, (2, n·n), and of g_q, (2, m·n): both full."""
        full = lambda rows: np.indices((rows, self.n)).reshape(2, -1).astype(np.int64)
        return full(self.n), full(self.m)

    def _refuse(self) -> NoReturn:
        raise ModelError(
            f"{self._name}: a hand-written row has no derivatives with respect to its parameters or controls"
        )

    @property
    def by_control(self) -> Code:
        self._refuse()

    @property
    def by_number(self) -> Code:
        self._refuse()

    @property
    def outputs(self) -> Code:
        self._refuse()

    @property
    def closing(self) -> Code:
        self._refuse()


def directory(*parts: Any) -> np.ndarray:
    """Scalars and the addresses and sizes of arrays as one block of 64-bit places, tuples field by field.

    A scalar takes one place, by its bits; an array four: address and three sizes. The arrays are not copied:
    keep them alive beside the block.
    """
    places: list[np.ndarray] = []
    for leaf in _leaves(parts):
        if isinstance(leaf, np.ndarray):
            if not leaf.flags.c_contiguous or leaf.itemsize != 8 or leaf.ndim > 3:
                raise ModelError(
                    f"a directory lists contiguous arrays of 64-bit numbers with at most three dimensions, got "
                    f"{leaf.dtype} {leaf.shape}"
                )
            sizes = (*leaf.shape, 1, 1, 1)[:3]
            places.append(np.array([leaf.ctypes.data, *sizes], dtype=np.int64))
        elif isinstance(leaf, bool | int):
            places.append(np.array([int(leaf)], dtype=np.int64))
        else:
            places.append(np.array([float(leaf)]).view(np.int64))
    return np.concatenate(places)


def _leaves(parts: tuple[Any, ...]) -> Iterator[Any]:
    for part in parts:
        if isinstance(part, tuple):
            yield from _leaves(part)
        else:
            yield part
