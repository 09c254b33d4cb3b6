"""The terms of a system as dense arrays, in as few calls as it allows; for systems of some hundred coordinates."""

from __future__ import annotations

from typing import final

import numpy as np

from panhead.kernels import families as kernels
from panhead.kernels.slides import follow
from panhead.methods.linear_solvers import dense
from panhead.system import System, Vector

_MASS, _NOTHING = (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)


@final
class DenseTerms:
    """r = M a − f + g_qᵀ lam and g, and their derivatives: from tables of elements where there are some."""

    def __init__(self, system: System) -> None:
        self.system, self.nq, self.nc = system, len(system.coordinates), len(system.constraints)
        self.tables = system.families
        self.zero = np.zeros(self.nq)
        self.no_lam, self.no_u = np.zeros(self.nc), np.zeros(len(system.controls))
        self._idle = np.zeros(self.nc + len(system.controls))
        self._slots: np.ndarray | None = None

    def _followed(self, t: float, q: Vector) -> None:
        """Sliders find their place; entries of the matrix move with them."""
        f = self.tables
        assert f is not None
        if follow(f.tables, f.work, f.slides, float(t), np.ascontiguousarray(q, float), self._idle):
            self._slots = None

    def residual(
        self, t: float, q: Vector, v: Vector, a: Vector, lam: Vector, u: Vector
    ) -> tuple[Vector, Vector]:
        """r (nq,) and g (nc,)."""
        if self.tables is None:
            s = self.system
            r = s.mass(t, q) @ a - s.force(t, q, v, u)
            return (r + s.constraint_q(t, q).T @ lam if self.nc else r), s.constraint(t, q)
        self._followed(t, q)
        out = np.zeros(self.nq + self.nc)
        q, v, a, lam, u = (np.ascontiguousarray(x, dtype=float) for x in (q, v, a, lam, u))
        kernels.add_residual(self.tables.tables, self.tables.work, float(t), q, v, a, lam, u, out)
        return out[: self.nq], out[self.nq :]

    def force(self, t: float, q: Vector, v: Vector, u: Vector) -> Vector:
        """f (nq,)."""
        return -self.residual(t, q, v, self.zero, self.no_lam, u)[0]

    def constraint(self, t: float, q: Vector) -> Vector:
        """g (nc,)."""
        return self.residual(t, q, self.zero, self.zero, self.no_lam, self.no_u)[1]

    def mass_and_jacobian(self, t: float, q: Vector) -> tuple[np.ndarray, np.ndarray]:
        """M (nq, nq) and g_q (nc, nq)."""
        return self.tangent(_MASS, t, q, self.zero, self.zero, self.no_lam, self.no_u)

    def jacobian(self, t: float, q: Vector) -> np.ndarray:
        """g_q (nc, nq)."""
        if self.tables is None:
            return dense(self.system.constraint_q(t, q))
        return self.tangent(_NOTHING, t, q, self.zero, self.zero, self.no_lam, self.no_u)[1]

    def tangent(
        self,
        c: tuple[float, float, float],
        t: float,
        q: Vector,
        v: Vector,
        a: Vector,
        lam: Vector,
        u: Vector,
    ) -> tuple[np.ndarray, np.ndarray]:
        """c_a ∂r/∂a + c_v ∂r/∂v + c_q ∂r/∂q, (nq, nq), and g_q, (nc, nq)."""
        if self.tables is None:
            return self._by_the_seam(c, t, q, v, a, lam, u)
        self._followed(t, q)
        size, f = self.nq + self.nc, self.tables
        if self._slots is None:
            rows, columns = kernels.entries(f.tables)
            self._slots = rows * size + columns
        out = np.zeros(size * size)
        q, v, a, lam, u = (np.ascontiguousarray(x, dtype=float) for x in (q, v, a, lam, u))
        kernels.add_tangent(f.tables, f.work, self._slots, float(t), c, q, v, a, lam, u, out)
        A = out.reshape(size, size)
        return A[: self.nq, : self.nq], A[self.nq :, : self.nq]

    def _by_the_seam(
        self,
        c: tuple[float, float, float],
        t: float,
        q: Vector,
        v: Vector,
        a: Vector,
        lam: Vector,
        u: Vector,
    ) -> tuple[np.ndarray, np.ndarray]:
        s = self.system
        A = c[0] * dense(s.mass(t, q))
        if c[1]:
            A = A - c[1] * dense(s.force_v(t, q, v, u))
        if c[2]:
            A = A + c[2] * (dense(s.inertia_q(t, q, a)) - dense(s.force_q(t, q, v, u)))
            A = A + c[2] * dense(s.reaction_q(t, q, lam)) if self.nc else A
        return A, dense(s.constraint_q(t, q))
