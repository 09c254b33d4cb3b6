"""Droppers between two wires."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca

from panhead.bodies.measure import Line, measure
from panhead.errors import require_finite, require_not_negative, require_positive
from panhead.roles import Effort, Force, Marker, Row, Symbols, Terms, Triple


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Dropper(Force):
    """It pulls and never pushes, by the same law as on the linear line:

        N = max(0, k x + c ẋ),   x = |p_top − p_bottom| − rest,   V = ½ k x₊²,   D = (N − k x₊) ẋ ≥ 0

    N has no jump at x = 0, so that an implicit step always has an answer.
    """

    name: str
    bottom: Marker
    top: Marker
    stiffness: float  #: k [N/m]
    damping: float = 0.0  #: c [N·s/m]
    rest: float = 0.0  #: unstretched length [m]

    def __post_init__(self) -> None:
        require_positive(self, "stiffness")
        require_not_negative(self, "damping")
        require_finite(self, "rest")

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        m = measure(self, Line(a=self.bottom, b=self.top))

        def terms(s: Symbols) -> Terms:
            k, c, e = s.p["stiffness"], s.p["damping"], m.write(s)
            x, x_dot = e - s.p["rest"], s.rate(e)
            elastic = k * ca.fmax(0, x)
            N = ca.fmax(0, k * x + c * x_dot)
            return Terms(
                potential=0.5 * elastic * ca.fmax(0, x),
                efforts=(Effort(elastic - N, x_dot, "dissipated"),),
                outputs={"force": N},
            )

        values = {n: float(getattr(self, n)) for n in ("stiffness", "damping", "rest")}
        return (Row(law=type(self), terms=terms, numbers=values, markers=m.markers),)
