"""A ``System`` whose terms come from tables of elements."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

import numpy as np
import scipy.sparse

from panhead.engine.kernels import element_families as kernels
from panhead.engine.kernels.equations import Equations
from panhead.engine.kernels.machine_code_calls import call_with_state
from panhead.engine.kernels.sliders import NO_SLIDES, Slides, follow
from panhead.engine.system import CollisionTerms, CompiledFamilies, ContactTerms, Energy, Matrix, Power, Vector
from panhead.engine.tables.flat_arrays import Family, equations_of, tables_of, work_for
from panhead.engine.tables.named_parameters import Numbers
from panhead.errors import ModelError

_TOLD = 8  # names of coordinates in a message


class TabledSystem:
    """The terms of the seam, and the tables kernels march over; front ends add what they alone know."""

    sparse: ClassVar[bool] = True  #: whether matrices are SciPy's sparse ones

    def __init__(
        self,
        name: str,
        coordinates: Sequence[str],
        constraints: Sequence[str],
        controls: Sequence[str],
        families: Sequence[Family],
        changes: Mapping[str, float],
    ) -> None:
        self.name, self._families, self._changes = name, tuple(families), dict(changes)
        self.coordinates, self.constraints = tuple(coordinates), tuple(constraints)
        self.controls = tuple(controls)
        self.nq, self.nc, self.nu = map(len, (coordinates, constraints, controls))
        self.work = work_for(families)
        self.slides: Slides = NO_SLIDES
        self._laid_for = np.zeros(0, np.int64)  # elements under the sliders for which ``pattern`` holds
        self.border, self.sliders = np.zeros(0, np.int64), cast(tuple[str, ...], ())
        self._nothing = np.zeros(self.nq), np.zeros(self.nc), np.zeros(self.nu)

    @property
    def corners(self) -> tuple[float, ...]:
        """Times at which given functions of time are not smooth [s]."""
        return ()

    @property
    def contacts(self) -> ContactTerms | CollisionTerms | None:
        """Unilateral contacts of the system."""
        return None

    def __repr__(self) -> str:
        count = lambda n, word: f"{n} {word}{'' if n == 1 else 's'}"
        shown = ", ".join(self.coordinates[:6]) + (", …" if self.nq > 6 else "")
        return (
            f"<{type(self).__name__} {self.name!r}: {count(self.nq, 'coordinate')} ({shown}), "
            f"{count(self.nc, 'constraint')}, {count(self.nu, 'control')}, "
            f"{count(len(self._numbers.place), 'parameter')}>"
        )

    @functools.cached_property
    def _numbers(self) -> Numbers:
        return Numbers(self._families)

    @functools.cached_property
    def tables(self) -> kernels.Tables:
        """Tables that kernels read; compiled on first use."""
        tables = tables_of(self._families)
        for key, value in self._changes.items():
            self._numbers.set(self.name, tables, key, value)
        return tables

    @property
    def changes(self) -> Mapping[str, float]:
        """Parameters that differ from the description's."""
        return self._changes

    @property
    def parameters(self) -> Mapping[str, float]:
        """Every number of every part, by part and name."""
        return self._numbers.values(self.tables)

    @functools.cached_property
    def pattern(self) -> tuple[scipy.sparse.csc_array, np.ndarray]:
        """The pattern of [[K, g_qᵀ], [g_q, 0]] and the place of every scattered number in it."""
        size = self.nq + self.nc
        rows, columns = kernels.entries(self.tables)
        keys, slots = np.unique(columns * size + rows, return_inverse=True)
        indptr = np.searchsorted(keys, np.arange(size + 1) * size)
        A = scipy.sparse.csc_array((np.zeros(len(keys)), keys % size, indptr), shape=(size, size))
        return A, slots.astype(np.int64)

    @property
    def families(self) -> CompiledFamilies:
        """Terms as tables, for kernels that march without returning to Python."""
        rows = [row for family in self._families for row in family.rows]
        memory = tuple(row.native.memory for row in rows if row.native is not None)
        return CompiledFamilies(self.tables, self.work, self.slides, self.border, self.sliders, memory)

    @functools.cached_property
    def tangents_at_rest(self) -> np.ndarray:
        """Addresses (families,) of the tangents that take Newton's last step at rest for v; 0: none of its own."""
        return np.array([0 if f.law.at_rest is None else f.law.at_rest.address for f in self._families], dtype=np.int64)

    @functools.cached_property
    def equations(self) -> Equations:
        """Terms for kernels that march over dense matrices."""
        sizes = self.nq, self.nc, self.nu
        return equations_of(self._families, self.tables, self.work, self.slides, sizes)

    def _residual(self, t: float, q: Vector, v: Vector, a: Vector, lam: Vector, u: Vector) -> np.ndarray:
        out = np.zeros(self.nq + self.nc)
        self.follow(t, q)
        q, v, a, lam, u = _arrays(q, v, a, lam, u)
        kernels.add_residual(self.tables, self.work, float(t), q, v, a, lam, u, out)
        return out

    def tangent(
        self, c: tuple[float, float, float], t: float, q: Vector, v: Vector, a: Vector, lam: Vector, u: Vector
    ) -> Matrix:
        self.follow(t, q)
        A, slots = self.pattern
        values = np.zeros(A.nnz)
        q, v, a, lam, u = _arrays(q, v, a, lam, u)
        kernels.add_tangent(self.tables, self.work, slots, float(t), c, q, v, a, lam, u, values)
        matrix = scipy.sparse.csc_array((values, A.indices, A.indptr), shape=A.shape)
        return matrix if self.sparse else matrix.toarray()

    def follow(self, t: float, q: Vector) -> None:
        """Sliders find their place on the wires."""
        if self.slides is NO_SLIDES:
            return
        q = np.ascontiguousarray(q, float)
        zeros = np.zeros(self.nc + self.nu)
        follow(self.tables, self.work, self.slides, float(t), q, zeros)
        if not np.array_equal(self._laid_for, self.slides.here):  # also where a march has moved them
            self.__dict__.pop("pattern", None)
            self._laid_for = self.slides.here.copy()

    def mass(self, t: float, q: Vector) -> Matrix:
        z, lam, u = self._nothing
        if self._families and self._families[0].law.whole:
            return self._whole_mass(float(t), q)
        return self.tangent((1.0, 0.0, 0.0), t, q, z, z, lam, u)[: self.nq, : self.nq]

    def _whole_mass(self, t: float, q: Vector) -> np.ndarray:
        """M of a system in one piece without its other tangents, which a force such as 1/y makes infinite."""
        law, nothing, nq = self._families[0].law, np.zeros(0), self.nq
        out = np.zeros(law.explicit.outputs)
        x, room = np.concatenate([q, np.zeros(nq)]), np.zeros(law.explicit.inputs)
        call_with_state(
            law.explicit.address, room, t, x, self._nothing[2], self.tables.p, nothing, nothing, nothing, out
        )  # fmt: skip
        return out[: nq * nq].reshape(nq, nq)

    def force(self, t: float, q: Vector, v: Vector, u: Vector) -> Vector:
        z, lam, _ = self._nothing
        return -self._residual(t, q, v, z, lam, u)[: self.nq]

    def force_q(self, t: float, q: Vector, v: Vector, u: Vector) -> Matrix:
        z, lam, _ = self._nothing
        return -self.tangent((0.0, 0.0, 1.0), t, q, v, z, lam, u)[: self.nq, : self.nq]

    def force_v(self, t: float, q: Vector, v: Vector, u: Vector) -> Matrix:
        z, lam, _ = self._nothing
        return -self.tangent((0.0, 1.0, 0.0), t, q, v, z, lam, u)[: self.nq, : self.nq]

    def force_u(self, t: float, q: Vector, v: Vector, u: Vector) -> Matrix:
        z, lam, _ = self._nothing
        x = (float(t), *_arrays(q, v, z, lam, u))
        return -self._numbers.by_control(self.tables, self.work, x, self.nq, self.nu)

    def constraint(self, t: float, q: Vector) -> Vector:
        z, lam, u = self._nothing
        return self._residual(t, q, z, z, lam, u)[self.nq :]

    def constraint_q(self, t: float, q: Vector) -> Matrix:
        z, lam, u = self._nothing
        return self.tangent((0.0, 0.0, 0.0), t, q, z, z, lam, u)[self.nq :, : self.nq]

    def _rates(self, t: float, q: Vector, v: Vector) -> np.ndarray:
        out = np.zeros((2, self.nc))
        self.follow(t, q)
        q, v = _arrays(q, v)
        _, lam, u = self._nothing
        kernels.add_rates(self.tables, self.work, float(t), q, v, lam, u, out)
        return out

    def constraint_t(self, t: float, q: Vector) -> Vector:
        return self._rates(t, q, self._nothing[0])[0]

    def constraint_bias(self, t: float, q: Vector, v: Vector) -> Vector:
        return self._rates(t, q, v)[1]

    def inertia_q(self, t: float, q: Vector, a: Vector) -> Matrix:
        z, lam, u = self._nothing
        with_a = self.tangent((0.0, 0.0, 1.0), t, q, z, a, lam, u)
        return (with_a - self.tangent((0.0, 0.0, 1.0), t, q, z, z, lam, u))[: self.nq, : self.nq]

    def reaction_q(self, t: float, q: Vector, lam: Vector) -> Matrix:
        z, zero, u = self._nothing
        with_lam = self.tangent((0.0, 0.0, 1.0), t, q, z, z, lam, u)
        without = self.tangent((0.0, 0.0, 1.0), t, q, z, z, zero, u)
        return (with_lam - without)[: self.nq, : self.nq]

    def _by_number(self, *x: Any) -> Matrix:
        self.follow(x[0], x[1])
        size = self.nq + self.nc
        found = self._numbers.by_number(self.tables, self.work, (float(x[0]), *_arrays(*x[1:])), size)
        return found if self.sparse else found.toarray()

    def residual_p(self, t: float, q: Vector, v: Vector, a: Vector, lam: Vector, u: Vector) -> Matrix:
        return self._by_number(t, q, v, a, lam, u)[: self.nq]

    def constraint_p(self, t: float, q: Vector) -> Matrix:
        z, lam, u = self._nothing
        return self._by_number(t, q, z, z, lam, u)[self.nq :]

    def weighed_by_number(self, mu: Vector, t: float, *x: Vector) -> Vector:
        """μᵀ ∂(M a + g_qᵀ lam − f, g)/∂p at (t, q, v, a, lam, u), of every number of every element apart.

        ``places_of_numbers`` tells which is which.
        """
        self.follow(t, x[0])
        return self._numbers.pullback(self.tables, self.work, (float(t), *_arrays(*x)), np.asarray(mu, float))

    @functools.cached_property
    def addresses_by_number(self) -> np.ndarray:
        """Addresses (families,) of ∂(r, g)/∂p, compiled on first use."""
        return np.array([family.law.by_number.address for family in self._families], dtype=np.int64)

    @property
    def places_of_numbers(self) -> Mapping[str, list[int]]:
        """Return the indices of every named parameter; a wire has one of each for every element."""
        return self._numbers.place

    def _account(self, t: float, q: Vector, v: Vector, a: Vector, lam: Vector, u: Vector) -> np.ndarray:
        out = np.zeros(5)
        self.follow(t, q)
        q, v, a, lam, u = _arrays(q, v, a, lam, u)
        kernels.add_account(self.tables, self.work, False, float(t), q, v, a, lam, u, out)
        return out

    def energy(self, t: float, q: Vector, v: Vector) -> Energy:
        z, lam, u = self._nothing
        T, V = self._account(t, q, v, z, lam, u)[:2]
        return Energy(float(T), float(V))

    def power(self, t: float, q: Vector, v: Vector, a: Vector, lam: Vector, u: Vector) -> Power:
        return Power(*map(float, self._account(t, q, v, a, lam, u)[2:]))

    def place(self, coordinate: str) -> int:
        """Return the index of a coordinate in q."""
        if coordinate not in self.coordinates:
            near = difflib.get_close_matches(coordinate, self.coordinates, _TOLD, 0.3) or self.coordinates[:_TOLD]
            rest = f", … ({self.nq} in all)" if self.nq > len(near) else ""
            raise ModelError(f"{self.name!r} has no coordinate {coordinate!r}; it has {', '.join(near)}{rest}")
        return self.coordinates.index(coordinate)


def _arrays(*values: Vector) -> Any:
    return tuple(np.ascontiguousarray(x, dtype=float) for x in values)
