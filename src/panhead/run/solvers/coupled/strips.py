"""Contact strips as the pantograph side and the joined model see them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, final

from panhead.pantograph.strip import Touch
from panhead.system import Vector

#: The whole control vector (nu,) at a time, contacts left out.
Drives = Callable[[float], Vector]


class Surface(Protocol):
    """A strip of a system: how high it is at a lateral place, and which controls a force there means.

    The power of a force at y is the force times ``touch(…).rate``, exactly.
    """

    def touch(self, t: float, q: Vector, v: Vector, y: float) -> Touch:
        """Height, rate at constant y, slope ∂z/∂y at y [m]."""

    def push(self, u: Vector, y: float, force: float) -> None:
        """Add a force at y, up positive [N], to the controls u (nu,)."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FlatStrip:
    """A strip that stays level: z = offset + q[place], pushed by one control that lifts."""

    place: int  #: of the coordinate in q
    control: int  #: place in u of the force that lifts it
    offset: float = 0.0  #: [m]

    def touch(self, t: float, q: Vector, v: Vector, y: float) -> Touch:
        del t, y
        return Touch(
            self.offset + float(q[self.place]), float(v[self.place]), 0.0, float("nan"), 0.0
        )

    def push(self, u: Vector, y: float, force: float) -> None:
        del y
        u[self.control] += force
