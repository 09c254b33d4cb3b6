"""Static equilibrium by one compiled Newton iteration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final
from weakref import WeakKeyDictionary

import numpy as np

from panhead.engine.kernels import element_families, equilibrium_newton
from panhead.engine.kernels.table_model import TabledModel
from panhead.engine.methods.linear_solvers import SingularMatrix
from panhead.engine.methods.table_matrix import TabledMatrix
from panhead.engine.system import System, Vector

_SMALL = 1e-10  # a step, beside the largest coordinate: the next one is rounding
_IDLE = 1e-12  # of the largest stiffness over the largest mass, so that idle spins stay where they are
_REORDERED = 8  # times in one search

#: The matrix of a system's last search, so that the next one has its pattern and an order of pivots.
_LAST: WeakKeyDictionary[System, tuple[TabledMatrix, TabledModel]] = WeakKeyDictionary()


@final
@dataclass(frozen=True, slots=True)
class Attempt:
    """Point at which an iteration stopped."""

    z: Vector  #: q, lam
    residual: float  #: largest, forces over the scale
    iterations: int
    settled: bool  #: the last step moved nothing any more

    @property
    def found(self) -> bool:
        """True if the residual is rounding, or as small as rounding in stiff parts allows."""
        return bool(self.residual <= 1e-9 or (self.settled and self.residual < 1e-6))


@final
class EquilibriumTables:
    """r(z) = (g_qᵀ lam − f, g) at z = (q, lam), the factors of its tangent and Newton's iteration, compiled.

    ``scale`` is the force in whose units r is judged. Stiffness and order of pivots are those of ``start``;
    SingularMatrix if there is none.
    """

    def __init__(self, system: System, start: Vector, t: float, u: Vector, scale: float = 1.0) -> None:
        nq, nc = len(system.coordinates), len(system.constraints)
        tables, own = system.families.tables, system.tangents_at_rest
        codes = np.where(own > 0, own, tables.tangent)
        self.nq, self.tabled = nq, system.families._replace(tables=tables._replace(tangent=codes))
        self.set_inputs(t, u)
        sizes = (nq, nc, nq + nc, nq, nq, nq, nq + nc, nq, nc + len(u), 0, 4)
        self.state = equilibrium_newton.EquilibriumSearch(*(np.zeros(k) for k in sizes))._replace(own=np.sign(own))
        self._set_state(start)
        kept = _LAST.get(system) if not self.tabled.sliders else None  # what slides changes the pattern
        self.matrix = kept[0] if kept else TabledMatrix(self.tabled, nq + nc)
        bare, stiff, heavy = (self._tangent(c).copy() for c in ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)))
        most, mass = (float(np.abs(values - bare).max(initial=0.0)) for values in (stiff, heavy))
        self.numbers = equilibrium_newton.EquilibriumNumbers(
            scale, max(most, scale), _IDLE * most / mass if mass > 0 else 0.0, 0.0, _SMALL, np.inf, 1
        )
        if kept:
            self.model = kept[1]
        else:
            self._tangent((self.numbers.idle / self.numbers.stiff, 0.0, 1.0 / self.numbers.stiff))
            self.model = self.matrix.model(self.tabled)
            _LAST[system] = self.matrix, self.model

    def set_inputs(self, t: float, u: Vector) -> None:
        """Continue at another time, with other controls."""
        self.t, self.u = float(t), np.ascontiguousarray(u, float)

    def _set_state(self, z: Vector) -> None:
        self.state.q[:], self.state.lam[:], self.state.moved[:] = z[: self.nq], z[self.nq :], 0.0

    def _tangent(self, c: tuple[float, float, float]) -> Vector:
        s, values, of = self.state, self.matrix.values, self.tabled
        values[:] = 0.0
        element_families.add_tangent(
            of.tables, of.work, self.matrix.slots, self.t, c, s.q, s.rest, s.a, s.lam, self.u, values
        )  # fmt: skip
        return values

    def newton(
        self,
        z: Vector,
        *,
        left: Vector | None = None,
        aim: Vector | None = None,
        heavy: float = 0.0,
        growth: float = 1e3,
        most: int = 20,
        small: float = _SMALL,
    ) -> Attempt:
        """Full steps from z to r(z) + (heavy M (q − aim), 0) = left; no step longer than ``growth`` first ones."""
        self._set_state(z)
        s, n = self.state, self.numbers._replace(heavy=heavy, growth=growth, most=most, small=small)
        s.left[:] = 0.0 if left is None else left
        s.aim[:] = 0.0 if aim is None else aim
        s.found[:] = 0.0
        for _ in range(_REORDERED):
            status = equilibrium_newton.newton(self.model, s, n, self.t, self.u)
            if status != equilibrium_newton.PIVOT:
                break
            try:
                self.model = self.matrix.model(self.tabled)
            except SingularMatrix:
                break
        ok = status == equilibrium_newton.OK
        return Attempt(np.concatenate([s.q, s.lam]), float(s.found[3]) if ok else np.inf, int(s.found[0]), ok)

    def residual(self, z: Vector) -> Vector:
        """r(z), (nq + nc,)."""
        self._set_state(z)
        self.state.left[:] = 0.0
        equilibrium_newton.balance(self.model, self.state, self.numbers, self.t, self.u)
        return self.state.r.copy()

    def factorise(self, z: Vector) -> None:
        """Make the factors of the tangent at z; SingularMatrix if it has none."""
        self._set_state(z)
        if (
            equilibrium_newton.factorise(self.model, self.state, self.numbers, self.t, self.u)
            == equilibrium_newton.PIVOT
        ):
            self.model = self.matrix.model(self.tabled)
            if (
                equilibrium_newton.factorise(self.model, self.state, self.numbers, self.t, self.u)
                == equilibrium_newton.PIVOT
            ):
                raise SingularMatrix("no safe order of pivots")

    def solve(self, b: Vector) -> Vector:
        """J⁻¹ b with the factors made last, (nq + nc,)."""
        out = np.empty_like(self.state.r)
        equilibrium_newton.solve(self.model, self.state, self.numbers, np.ascontiguousarray(b, float), out)
        return out
