"""Free joint: no constraint; defines the frames between which relative coordinates are measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from panhead.engine.roles import Constraint, Marker, Row, Triple


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Free(Constraint):
    """No equation between frame A and frame B.

    In absolute coordinates it does nothing. In joint coordinates the place and the attitude of B in A become
    the coordinates of B's body: the root of a tree, at the point that suits.
    """

    name: str
    a: Marker
    b: Marker

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        return ()
