"""A force of given size and direction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from panhead.roles import Effort, Expression, Force, Marker, Row, Symbols, Terms, Triple, numbers


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Push(Force):
    """A force at a place, in the world's axes; ``course`` scales it in time."""

    name: str
    at: Marker
    force: Triple  #: [N]
    course: Callable[[Expression], Expression] | None = None  #: factor, a function of time

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        course = self.course

        def terms(s: Symbols) -> Terms:
            force = s.vector("force") * (1 if course is None else course(s.t))
            return Terms(efforts=(Effort(force, s.rate(s.frames[0].p), "driver"),))

        return (
            Row(
                law=(type(self), course),
                terms=terms,
                numbers=numbers("force", self.force),
                markers=(self.at,),
            ),
        )
