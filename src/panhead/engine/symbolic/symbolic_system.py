"""A derived mechanism as a ``System``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, final

import casadi as ca
import numpy as np

from panhead.engine.symbolic.derivation import derive
from panhead.engine.symbolic.mechanism import Mechanism
from panhead.engine.symbolic.mechanism_law import MechanismLaw
from panhead.engine.system import Matrix, Vector
from panhead.engine.tables.flat_arrays import Family
from panhead.engine.tables.table_system import TabledSystem


@final
class SymbolicSystem(TabledSystem):
    """The System of a mechanism in generalised coordinates: a table of one element; matrices are dense."""

    sparse: ClassVar[bool] = False

    def __init__(
        self, mechanism: Mechanism, law: MechanismLaw | None = None, controls: tuple[str, ...] | None = None
    ) -> None:
        self.mechanism, self.law = mechanism, law or MechanismLaw(mechanism, derive(mechanism))
        self.derivation = self.law.derivation
        nq, nc = self.law.n, self.law.m
        places = np.concatenate([np.arange(nq + nc), np.arange(self.law.k)])[None, :]
        values: Mapping[str, float] = mechanism.parameters.values
        self.p = np.array(list(values.values()), dtype=float)
        super().__init__(
            mechanism.name,
            [c.name() for c in mechanism.coordinates],
            [name for closure in mechanism.closures for name in closure.names()],
            mechanism.controls() if controls is None else controls,
            [Family(self.law, (), ("",), places, self.p[None, :])],
            {},
        )

    def with_parameters(self, **values: Any) -> SymbolicSystem:
        """Return the system with some parameters changed; nothing is derived or compiled again."""
        return SymbolicSystem(self.mechanism.with_parameters(values), self.law, self.controls)

    def outputs(self, t: Vector, q: Matrix, v: Matrix, u: Matrix) -> dict[str, np.ndarray]:
        """Every declared output along a motion: name → (n,)."""
        declared = self.mechanism.outputs
        rows = self._along([o.expression for o in declared], t, q, v, u)
        return {o.name: row for o, row in zip(declared, rows, strict=True)}

    def energies(self, t: Vector, q: Matrix, v: Matrix) -> np.ndarray:
        """Kinetic and potential energy along a motion, (2, n)."""
        d = self.derivation
        u = np.zeros((len(t), len(self.controls)))
        return self._along([d.kinetic, d.potential], t, q, v, u)

    def outline(self, t: Vector, q: Matrix) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Every drawn part along a motion: name → x and y, each (n, points)."""
        parts = {}
        for name, points in self.mechanism.outline.items():
            flat = [c for point in points for c in point]
            rows = self._along(flat, t, q, 0 * q, np.zeros((len(t), len(self.controls))))
            parts[name] = (rows[0::2].T.copy(), rows[1::2].T.copy())
        return parts

    def _along(self, expressions: list[Any], t: Vector, q: Matrix, v: Matrix, u: Matrix) -> np.ndarray:
        """Expressions of (t, q, v, u) along a motion: (len(expressions), n)."""
        if not expressions:
            return np.zeros((0, len(t)))
        d = self.derivation
        function = ca.Function("along", [d.t, d.q, d.v, d.u, d.p], [ca.densify(ca.vertcat(*expressions))])
        p = np.tile(self.p[:, None], (1, len(t)))
        return np.array(function.map(len(t))(t[None, :], q.T, v.T, u.T, p))
