"""A derived mechanism as the law of a family with one element."""

from __future__ import annotations

from typing import final

import casadi as ca

from panhead.engine.symbolic.derivation import Derivation
from panhead.engine.symbolic.mechanism import Mechanism
from panhead.engine.tables.family_law import CompiledLaw, Expression


@final
class MechanismLaw(CompiledLaw):
    """r = M a − Q_b + C_qᵀ lam, g = C                                   [Pappalardo20, eq. (14)]"""

    lanes = 1
    whole = True

    def __init__(self, mechanism: Mechanism, derivation: Derivation) -> None:
        d = self.derivation = derivation
        self.numbers = tuple(mechanism.parameters.symbols)
        self.t, self.q, self.v, self.a, self.lam = d.t, d.q, d.v, d.a, d.lam
        self.u, self.p = d.u, d.p
        self.n, self.m, self.k = d.q.numel(), d.C.numel(), d.u.numel()
        self.g, self.g_q, self.g_t = d.C, d.C_q, d.C_t
        self.r = d.M @ d.a - d.f + d.C_q.T @ d.lam

    def by_q(self, e: Expression) -> Expression:
        return ca.jacobian(e, self.q)

    def gamma(self) -> Expression:
        return self.derivation.Q_d

    def energies(self) -> tuple[Expression, Expression]:
        return self.derivation.kinetic, self.derivation.potential

    def powers(self) -> list[Expression]:
        d = self.derivation
        return [ca.SX(x) for x in (d.power_drivers, d.power_controls, d.dissipation)]
