"""How fast a line may be run: wave speeds and what follows from them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from panhead.line.description import Line
from panhead.line.wires import Wire

SHARE_ALLOWED = 0.7  #: of the wave speed; EN 50119:2009, 5.2.4, as quoted in public papers


@dataclass(frozen=True, slots=True)
class SpeedCheck:
    """A running speed beside the waves in the contact wire."""

    speed: float  #: v [m/s]
    wave_speed: float  #: c = √(H/μ) of the contact wire, the slowest of the line's [m/s]
    reflection: float  #: r = √(H_m μ_m)/(√(H_c μ_c) + √(H_m μ_m)) at a dropper [Kiessling18]

    @property
    def limit(self) -> float:
        """The highest speed EN 50119 allows, 0.7 c [m/s]."""
        return SHARE_ALLOWED * self.wave_speed

    @property
    def share(self) -> float:
        """v/c."""
        return self.speed / self.wave_speed

    @property
    def ok(self) -> bool:
        """Whether v ≤ 0.7 c."""
        return self.speed <= self.limit

    @property
    def doppler(self) -> float:
        """α = (c − v)/(c + v), by which a wave shrinks when the pantograph meets it."""
        return (self.wave_speed - self.speed) / (self.wave_speed + self.speed)

    @property
    def amplification(self) -> float:
        """γ = r/α; above about 2 the waves a pantograph sends ahead come back too strong."""
        return self.reflection / self.doppler if self.doppler > 0 else math.inf


def check_speed(line: Line, speed: float) -> SpeedCheck:
    """Set ``speed`` [m/s] beside the wave speed of the contact wire (EN 50119: v ≤ 0.7 c)."""
    sets = [tl.wires or line.wires for tl in line.tension_lengths]
    slowest = min(sets, key=lambda wires: wires.contact.wave_speed)
    upper = slowest.auxiliary or slowest.messenger
    r = _impedance(upper) / (_impedance(slowest.contact) * slowest.contact_count + _impedance(upper))
    return SpeedCheck(speed=speed, wave_speed=slowest.contact.wave_speed, reflection=r)


def _impedance(wire: Wire) -> float:
    return math.sqrt(wire.tension * wire.mu)
