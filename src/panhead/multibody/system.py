"""A model of bodies, joints and forces behind the seam."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, final

import numpy as np
import scipy.sparse

from panhead.errors import ModelError
from panhead.kernels import families as kernels
from panhead.kernels.slides import NO_SLIDES, Slides, follow
from panhead.methods.trajectory import State
from panhead.multibody.packing import Packed, tables_of, work_for
from panhead.multibody.sensitivity import Numbers
from panhead.multibody.sliding import border_of, sliders_of, slides_of
from panhead.system import CompiledFamilies, Energy, Matrix, Power, Vector


@final
class MultibodySystem:
    """The System of a model in absolute coordinates; matrices are sparse."""

    def __init__(
        self, name: str, packed: Packed, values: Mapping[str, float] | None = None
    ) -> None:
        self.name, self.packed = name, packed
        self.coordinates, self.constraints = packed.coordinates, packed.constraints
        self.controls = packed.controls
        self.nq, self.nc = len(self.coordinates), len(self.constraints)
        self.tables = tables_of(packed.families)
        self.work = work_for(packed.families)
        self._numbers = Numbers(packed.families, self.tables)
        self._changes = dict(values or {})
        for key, value in self._changes.items():
            self._numbers.set(self.name, self.tables, key, value)
        self.slides: Slides = slides_of(packed.families, self.tables, self.coordinates)

    @property
    def parameters(self) -> Mapping[str, float]:
        """Every number of every part, by part and name."""
        return self._numbers.values(self.tables)

    @property
    def start(self) -> State:
        """Where the parts were put."""
        return State(q=self.packed.q.copy(), v=self.packed.v.copy())

    def with_parameters(self, **values: float) -> MultibodySystem:
        return self.changed(values)

    def changed(self, values: Mapping[str, float]) -> MultibodySystem:
        """The same model with some numbers changed; names as in ``parameters``."""
        return MultibodySystem(self.name, self.packed, self._changes | dict(values))

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
    def compiled(self) -> None:
        """There are tables instead: see ``families``."""
        return

    @property
    def families(self) -> CompiledFamilies:
        """The same terms as tables, for kernels that march without returning to Python."""
        return CompiledFamilies(
            self.tables,
            self.work,
            self.slides,
            border_of(self.packed.families, self.nq),
            sliders_of(self.packed.families),
        )

    def _residual(
        self, t: float, q: Vector, v: Vector, a: Vector, lam: Vector, u: Vector
    ) -> np.ndarray:
        out = np.zeros(self.nq + self.nc)
        self.follow(t, q)
        q, v, a, lam, u = _arrays(q, v, a, lam, u)
        kernels.add_residual(self.tables, self.work, float(t), q, v, a, lam, u, out)
        return out

    def _tangent(
        self,
        c: tuple[float, float, float],
        t: float,
        q: Vector,
        v: Vector,
        a: Vector,
        lam: Vector,
        u: Vector,
    ) -> Matrix:
        self.follow(t, q)
        A, slots = self.pattern
        values = np.zeros(A.nnz)
        q, v, a, lam, u = _arrays(q, v, a, lam, u)
        kernels.add_tangent(self.tables, self.work, slots, float(t), c, q, v, a, lam, u, values)
        return scipy.sparse.csc_array((values, A.indices, A.indptr), shape=A.shape)

    def follow(self, t: float, q: Vector) -> None:
        """Sliders find their place on the wires."""
        if self.slides is NO_SLIDES:
            return
        if follow(
            self.tables,
            self.work,
            self.slides,
            float(t),
            np.ascontiguousarray(q, float),
            self._zeros,
        ):
            self.__dict__.pop("pattern", None)

    @functools.cached_property
    def _zeros(self) -> np.ndarray:
        return np.zeros(self.nc + len(self.controls))

    @functools.cached_property
    def _nothing(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return np.zeros(self.nq), np.zeros(self.nc), np.zeros(len(self.controls))

    def mass(self, t: float, q: Vector) -> Matrix:
        z, lam, u = self._nothing
        return self._tangent((1.0, 0.0, 0.0), t, q, z, z, lam, u)[: self.nq, : self.nq]

    def force(self, t: float, q: Vector, v: Vector, u: Vector) -> Vector:
        z, lam, _ = self._nothing
        return -self._residual(t, q, v, z, lam, u)[: self.nq]

    def force_q(self, t: float, q: Vector, v: Vector, u: Vector) -> Matrix:
        z, lam, _ = self._nothing
        return -self._tangent((0.0, 0.0, 1.0), t, q, v, z, lam, u)[: self.nq, : self.nq]

    def force_v(self, t: float, q: Vector, v: Vector, u: Vector) -> Matrix:
        z, lam, _ = self._nothing
        return -self._tangent((0.0, 1.0, 0.0), t, q, v, z, lam, u)[: self.nq, : self.nq]

    def force_u(self, t: float, q: Vector, v: Vector, u: Vector) -> Matrix:
        z, lam, _ = self._nothing
        x = (t, *_arrays(q, v, z, lam, u))
        return -self._numbers.by_control(self.tables, self.work, x, self.nq, len(self.controls))

    def constraint(self, t: float, q: Vector) -> Vector:
        z, lam, u = self._nothing
        return self._residual(t, q, z, z, lam, u)[self.nq :]

    def constraint_q(self, t: float, q: Vector) -> Matrix:
        z, lam, u = self._nothing
        return self._tangent((0.0, 0.0, 0.0), t, q, z, z, lam, u)[self.nq :, : self.nq]

    def _rates(self, t: float, q: Vector, v: Vector) -> np.ndarray:
        out = np.zeros((2, self.nc))
        self.follow(t, q)
        q, v = (np.ascontiguousarray(x, float) for x in (q, v))
        kernels.add_rates(
            self.tables, self.work, float(t), q, v, self._nothing[1], self._nothing[2], out
        )
        return out

    def constraint_t(self, t: float, q: Vector) -> Vector:
        return self._rates(t, q, self._nothing[0])[0]

    def constraint_bias(self, t: float, q: Vector, v: Vector) -> Vector:
        return self._rates(t, q, v)[1]

    def inertia_q(self, t: float, q: Vector, a: Vector) -> Matrix:
        z, lam, u = self._nothing
        with_a = self._tangent((0.0, 0.0, 1.0), t, q, z, a, lam, u)
        return (with_a - self._tangent((0.0, 0.0, 1.0), t, q, z, z, lam, u))[: self.nq, : self.nq]

    def reaction_q(self, t: float, q: Vector, lam: Vector) -> Matrix:
        z, zero, u = self._nothing
        with_lam = self._tangent((0.0, 0.0, 1.0), t, q, z, z, lam, u)
        return (with_lam - self._tangent((0.0, 0.0, 1.0), t, q, z, z, zero, u))[
            : self.nq, : self.nq
        ]

    def residual_p(
        self, t: float, q: Vector, v: Vector, a: Vector, lam: Vector, u: Vector
    ) -> Matrix:
        self.follow(t, q)
        x = (t, *_arrays(q, v, a, lam, u))
        return self._numbers.by_number(self.tables, self.work, x, self.nq + self.nc)[: self.nq]

    def constraint_p(self, t: float, q: Vector) -> Matrix:
        z, lam, u = self._nothing
        self.follow(t, q)
        x = (t, *_arrays(q, z, z, lam, u))
        return self._numbers.by_number(self.tables, self.work, x, self.nq + self.nc)[self.nq :]

    def _account(
        self, t: float, q: Vector, v: Vector, a: Vector, lam: Vector, u: Vector
    ) -> np.ndarray:
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
        """Where a coordinate stands in q."""
        if coordinate not in self.coordinates:
            raise ModelError(
                f"{self.name!r} has no coordinate {coordinate!r}; it has {', '.join(self.coordinates)}"
            )
        return self.coordinates.index(coordinate)


def _arrays(*values: Vector) -> Any:
    return tuple(np.ascontiguousarray(x, dtype=float) for x in values)
