"""How a roof runs along a straight track."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from panhead.roles import Expression


@final
@dataclass(frozen=True, slots=True)
class AlongTrack:
    """p = (v t, 0, 0) at constant speed v [m/s]; equal speeds share compiled code."""

    speed: float

    def __call__(self, t: Expression) -> list[Expression]:
        return [self.speed * t, 0, 0]
