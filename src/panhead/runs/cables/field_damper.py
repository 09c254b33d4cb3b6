"""Electro- or magneto-rheological damper between plunger and pan-head: what it can give of the force a law asks for.

    F = c₀ ė + b F_y tanh(ė / v₀),   T ḃ + b = b*,   0 ≤ b* ≤ 1             Bingham's law, rounded near ė = 0

A law asks for the force r(t) ė [Pappalardo16, eqs (28)–(30)]. The field b* that would give it is commanded, the field
b follows with the time constant T, and the force is the damper's: it never pushes, never falls below the viscous part
c₀ ė of a damper without field, and never exceeds c₀ |ė| + F_y.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, tanh
from typing import Any, ClassVar, final

from panhead.errors import require_not_negative, require_positive
from panhead.files.units import MetresPerSecond, Newtons, NewtonSecondsPerMetre, Seconds
from panhead.runs.cables.head_laws import Controller, HeadFeedback, Measurements


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FieldDamper:
    """Damper whose yield force follows an electric or magnetic field."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    yield_force: Newtons = 300.0  #: F_y at full field [N]
    viscous: NewtonSecondsPerMetre = 50.0  #: c₀ without field [N·s/m]
    time: Seconds = 5e-3  #: time constant T of the field; 0: at once
    rounding: MetresPerSecond = 0.1
    """Speed v₀ over which the yield force builds up. The damper is sampled: F_y/v₀ times the step should stay below
    the mass of the head."""

    def __post_init__(self) -> None:
        require_positive(self, "yield_force", "rounding")
        require_not_negative(self, "viscous", "time")

    def force(self, field: float, rate: float) -> float:
        """Resistance to the rate ė at a field b, of the sign of ė [N]."""
        return self.viscous * rate + field * self.yield_force * tanh(rate / self.rounding)

    def field(self, wanted: float, rate: float) -> float:
        """Field that gives the resistance ``wanted`` at the rate, from 0 to 1; 0 if the damper would have to push."""
        grip = self.yield_force * tanh(rate / self.rounding)
        if grip == 0.0:
            return 0.0
        return min(1.0, max(0.0, (wanted - self.viscous * rate) / grip))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ThroughDamper:
    """A law whose force is given by a damper with a field."""

    law: HeadFeedback
    damper: FieldDamper

    def begin(self, period: float) -> Controller:
        """The controller for one run: the field starts at zero."""
        inner, damper = self.law.begin(period), self.damper
        share = 1.0 - exp(-period / damper.time) if damper.time else 1.0
        state = [0.0]

        def u(t: float, m: Measurements) -> float:
            state[0] += share * (damper.field(-inner(t, m), m.rate) - state[0])
            return -damper.force(state[0], m.rate)

        return u
