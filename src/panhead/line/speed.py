"""How fast a line may be run: wave speeds and what follows from them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from panhead.line.description import Line
from panhead.line.wires import Wire

_RUN_IN = 120.0  # up to half the wave speed [m]
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


def check_speed(line: Line, speed: float) -> SpeedCheck | None:
    """Set ``speed`` [m/s] beside the wave speed of the contact wire (EN 50119: v ≤ 0.7 c).

    None if the line is a conductor rail without tension: bending waves have no one speed, and no limit of this kind.
    """
    sets = [wires for tl in line.tension_lengths if (wires := tl.wires or line.wires).contact.tension > 0.0]
    if not sets:
        return None
    slowest = min(sets, key=lambda wires: wires.contact.wave_speed)
    upper = slowest.auxiliary or slowest.messenger
    above, below = _impedance(upper) if upper else 0.0, _impedance(slowest.contact) * slowest.contact_count
    return SpeedCheck(speed=speed, wave_speed=slowest.contact.wave_speed, reflection=above / (below + above))


def run_in_length(line: Line, speed: float) -> float:
    """How far a pantograph runs until its motion has settled [m]: 60 m times c/(c − v), 120 m at least.

    What it sends ahead comes back from the next support or dropper after a time that is long when c − v is small;
    120 m, two spans, is what was used at half the wave speed. A rule of thumb: the result tells whether σ has settled.
    """
    found = check_speed(line, speed)
    if found is None or found.share >= 1.0:
        return _RUN_IN
    return max(_RUN_IN, 0.5 * _RUN_IN / (1.0 - found.share))


def speed_ahead(line: Line, speed: float, frequency: float) -> float:
    """Speed c of the wave that runs ahead of a pantograph which feels ``frequency`` f [Hz], the slowest of the line.

    A wave of the wave number k is felt with ω = k (c − v). In a taut wire c = √(H/μ); in a rail without tension
    c = k √(EI/μ), so that c = ½ v + √(¼ v² + ω √(EI/μ)).
    """
    contacts = [(tl.wires or line.wires).contact for tl in line.tension_lengths]
    omega = 2.0 * math.pi * frequency
    rails = [
        0.5 * speed + math.sqrt(0.25 * speed**2 + omega * math.sqrt(w.EI / w.mu)) for w in contacts if not w.tension
    ]
    return min([*rails, *(w.wave_speed for w in contacts if w.tension)])


def _impedance(wire: Wire) -> float:
    return math.sqrt(wire.tension * wire.mu)
