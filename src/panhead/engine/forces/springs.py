"""Springs and dampers along a distance, a displacement or a coordinate; on an angle they are torsional.

A positive force pulls: it makes the measured e smaller. Units are those of e: N/m on a length, N·m/rad on an
angle.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, final

from panhead.engine.bodies.measure import Along, measure
from panhead.engine.forces.tabulated_function import Table, area, curve, knots_of, numbers_of
from panhead.engine.laws import unilateral_spring
from panhead.engine.roles import Effort, Expression, Force, Row, Symbols, Terms, Triple
from panhead.errors import ModelError, require_finite, require_not_negative, require_one_of, require_positive


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SpringDamper(Force):
    """A linear spring and damper in parallel.

    F = k (e − rest) + preload + c ė,   V = ½ k (e − rest)² + preload (e − rest),   D = c ė²
    """

    name: str
    along: Along
    stiffness: float = 0.0  #: k [N/m] or [N·m/rad]
    damping: float = 0.0  #: c [N·s/m] or [N·m·s/rad]
    rest: float = 0.0  #: e without force [m] or [rad]
    preload: float = 0.0  #: pull at e = rest [N] or [N·m]

    def __post_init__(self) -> None:
        require_not_negative(self, "stiffness", "damping")
        require_finite(self, "rest", "preload")
        measure(self, self.along)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        m = measure(self, self.along)

        def terms(s: Symbols) -> Terms:
            e = m.write(s)
            e_dot, x = s.rate(e), e - s.p["rest"]
            return Terms(
                potential=0.5 * s.p["stiffness"] * x**2 + s.p["preload"] * x,
                efforts=(Effort(-s.p["damping"] * e_dot, e_dot, "dissipated"),),
                outputs={"force": s.p["stiffness"] * x + s.p["preload"] + s.p["damping"] * e_dot},
            )

        values = {n: float(getattr(self, n)) for n in ("stiffness", "damping", "rest", "preload")}
        return (Row(law=(type(self), m.kind), terms=terms, numbers=values, markers=m.markers),)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TabulatedSpringDamper(Force):
    """A spring and a damper given by points: F = F_s(e) + F_d(ė), V = ∫ F_s de, D = F_d(ė) ė."""

    name: str
    along: Along
    spring: Table | None = None  #: pull over e
    damper: Table | None = None  #: pull over ė; through (0, 0), never against the motion

    def __post_init__(self) -> None:
        measure(self, self.along)
        if self.spring is None and self.damper is None:
            raise ModelError(f"TabulatedSpringDamper {self.name!r}: give a spring or a damper")
        if self.damper is not None:
            bad = [p for p in self.damper.points if p[0] * p[1] < 0]
            if bad or (0.0, 0.0) not in [(float(x), float(y)) for x, y in self.damper.points]:
                raise ModelError(
                    f"TabulatedSpringDamper {self.name!r}: damper must pass through (0, 0) and have the sign of "
                    f"the rate everywhere, or it would generate energy; got {bad or self.damper.points!r}"
                )

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        m = measure(self, self.along)
        given = {n: x for n, x in (("spring", self.spring), ("damper", self.damper)) if x}
        counts = {n: len(table.points) for n, table in given.items()}

        def terms(s: Symbols) -> Terms:
            e = m.write(s)
            e_dot = s.rate(e)
            V = area(e, knots_of(s, "spring", counts["spring"])) if "spring" in counts else 0.0
            if "damper" not in counts:
                return Terms(potential=V)
            pull = curve(e_dot, knots_of(s, "damper", counts["damper"]))
            return Terms(potential=V, efforts=(Effort(-pull, e_dot, "dissipated"),))

        values = {k: x for n, table in given.items() for k, x in numbers_of(n, table).items()}
        law = (type(self), m.kind, tuple(counts.items()))
        return (Row(law=law, terms=terms, numbers=values, markers=m.markers),)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TensionOnly(Force):
    """A rope: it pulls and never pushes, by the law of ``engine/laws/unilateral_spring`` for x = e − rest.

    A strong damper needs an ``onset`` under implicit methods: without one N jumps by c ė where the rope comes taut,
    and Newton's method finds no answer between.
    """

    name: str
    along: Along
    stiffness: float  #: k [N/m]
    damping: float = 0.0  #: c [N·s/m]
    rest: float = 0.0  #: e at which it becomes taut [m]
    onset: float = 0.0  #: stretch over which the damper engages [m]

    def __post_init__(self) -> None:
        require_positive(self, "stiffness")
        require_not_negative(self, "damping", "onset")
        require_finite(self, "rest")
        measure(self, self.along)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        m, smooth = measure(self, self.along), self.onset > 0.0

        def terms(s: Symbols) -> Terms:
            x, c = m.write(s) - s.p["rest"], s.p["damping"]
            share = unilateral_spring.engagement(x, s.p["onset"]) if smooth else 1.0
            found = one_sided(x, s.rate(x), s.p["stiffness"], c * share)
            return replace(found, outputs={**found.outputs, "stretch": x})

        names = ("stiffness", "damping", "rest", *(("onset",) if smooth else ()))
        values = {n: float(getattr(self, n)) for n in names}
        law = (type(self), smooth, m.kind)
        return (Row(law=law, terms=terms, numbers=values, markers=m.markers),)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Stop(Force):
    """A buffer that e meets at ``limit``, from below or from above; it pushes back and never pulls.

    It is the law of ``engine/laws/unilateral_spring`` for x = ±(e − limit).
    """

    name: str
    along: Along
    limit: float  #: [m] or [rad]
    stiffness: float  #: k [N/m] or [N·m/rad]
    side: Literal["upper", "lower"]  #: upper: e should stay below the limit
    damping: float = 0.0  #: c [N·s/m] or [N·m·s/rad]

    def __post_init__(self) -> None:
        require_positive(self, "stiffness")
        require_not_negative(self, "damping")
        require_finite(self, "limit")
        require_one_of(self, ("upper", "lower"), "side")
        measure(self, self.along)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        m, sign = measure(self, self.along), 1.0 if self.side == "upper" else -1.0

        def terms(s: Symbols) -> Terms:
            x = s.p["sign"] * (m.write(s) - s.p["limit"])
            return one_sided(x, s.rate(x), s.p["stiffness"], s.p["damping"])

        values = {n: float(getattr(self, n)) for n in ("stiffness", "damping", "limit")}
        values["sign"] = sign
        return (Row(law=(type(self), m.kind), terms=terms, numbers=values, markers=m.markers),)


def one_sided(x: Expression, rate: Expression, k: Expression, c: Expression) -> Terms:
    """A spring and a damper against a positive x, nothing at a negative one; the law is ``unilateral_spring``."""
    elastic, viscous = k * x, c * rate
    return Terms(
        potential=unilateral_spring.energy(elastic, k),
        efforts=(Effort(-unilateral_spring.damper(elastic, viscous), rate, "dissipated"),),
        outputs={"force": unilateral_spring.tension(elastic, viscous)},
    )
