"""Wave propagation speed and the speed limit of a line, Doppler factor, run-in length."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from panhead.errors import ModelError
from panhead.railway.line.line_description import Line
from panhead.railway.line.wires import Wire

if TYPE_CHECKING:
    from panhead.assess.limits import Limit

EDITION: Final = "en50119-2009"  #: whose limit of v/c counts where the edition of a run has none
_RUN_IN = 120.0  # up to half the wave speed [m]


@dataclass(frozen=True, slots=True)
class SpeedCheck:
    """Running speed compared with the wave propagation speed of the contact wire."""

    speed: float  #: v [m/s]
    wave_speed: float  #: c = √(H/μ) of the contact wire, the slowest of the line's [m/s]
    reflection: float  #: r = √(H_m μ_m)/(√(H_c μ_c) + √(H_m μ_m)) at a dropper [Kiessling18]
    allowed: float  #: v/c that the edition of limits allows
    clause: str  #: where that stands

    @property
    def limit(self) -> float:
        """The highest speed allowed [m/s]."""
        return self.allowed * self.wave_speed

    @property
    def share(self) -> float:
        """v/c."""
        return self.speed / self.wave_speed

    @property
    def ok(self) -> bool:
        """True if v is within the limit."""
        return self.speed <= self.limit

    @property
    def doppler(self) -> float:
        """Doppler factor α = (c − v)/(c + v)."""
        return (self.wave_speed - self.speed) / (self.wave_speed + self.speed)

    @property
    def amplification(self) -> float:
        """Amplification coefficient γ = r/α; above about 2 reflected waves become too strong."""
        return self.reflection / self.doppler if self.doppler > 0 else math.inf


def check_speed(line: Line, speed: float, edition: str = EDITION) -> SpeedCheck | None:
    """Compare ``speed`` [m/s] with the wave speed of the contact wire, and v/c with the limit of an edition.

    None for a conductor rail without tension: its bending waves are dispersive, and no such limit exists.
    """
    sets = [wires for tl in line.tension_lengths if (wires := tl.wires or line.wires).contact.tension > 0.0]
    if not sets:
        return None
    slowest = min(sets, key=lambda wires: wires.contact.wave_speed)
    upper = slowest.auxiliary or slowest.messenger
    above, below = _impedance(upper) if upper else 0.0, _impedance(slowest.contact) * slowest.contact_count
    rule = share_allowed(edition, speed, line.supply)
    return SpeedCheck(
        speed=speed,
        wave_speed=slowest.contact.wave_speed,
        reflection=above / (below + above),
        allowed=rule.at(speed),
        clause=rule.clause,
    )


def share_allowed(edition: str, speed: float, supply: str) -> Limit:
    """Limit of v/c: the edition's (a name, a file or a whole table, as ``limits.read`` takes it), or EDITION's."""
    from panhead.assess import limits  # a room of its own, which nothing else here needs

    for name in (edition, EDITION):
        found = limits.read(name).find("wave_speed_ratio", "upper", speed, supply)
        if found is not None:
            return found
    raise ModelError(f"{EDITION} has no limit for the ratio of running speed to wave speed")


def run_in_length(line: Line, speed: float) -> float:
    """Run-in length, after which start-up transients have decayed [m]: 60 m times c/(c − v), at least 120 m.

    Waves ahead return from the next support or dropper after a time that is long when c − v is small;
    120 m, two spans, is what was used at half the wave speed. A rule of thumb: the result says whether σ has settled.
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
