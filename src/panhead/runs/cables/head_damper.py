"""Damper between plunger and pan-head whose coefficient follows a law r(t), as an item of the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca

from panhead.engine.bodies.measure import Along, measure
from panhead.engine.roles import Effort, Expression, Force, Row, Symbols, Terms, Triple
from panhead.errors import require_positive
from panhead.runs.cables.head_laws import DampingLaw


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class HeadDamper(Force):
    """A damper whose coefficient is a function of time: F = r(t) ė, never more than ``limit``.

    Its parameters are columns of the model's tables, so that a search changes them without compiling again.
    """

    name: str
    along: Along
    law: DampingLaw
    limit: float = 1e9  #: largest force [N]

    def __post_init__(self) -> None:
        require_positive(self, "limit")
        measure(self, self.along)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        m, law = measure(self, self.along), self.law

        def terms(s: Symbols) -> Terms:
            rate = s.rate(m.write(s))
            pull: Expression = law.coefficient(s.t, s.p, ca.exp) * rate
            pull = ca.fmax(-s.p["limit"], ca.fmin(s.p["limit"], pull))
            return Terms(efforts=(Effort(-pull, rate, "control"),), outputs={"force": -pull})

        values = law.numbers() | {"limit": self.limit}
        return (Row(law=(type(self), law.kernel, m.kind), terms=terms, numbers=values, markers=m.markers),)
