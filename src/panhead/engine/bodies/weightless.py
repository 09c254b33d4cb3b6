"""Bodies exempt from gravity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from panhead.engine.roles import Body, Coordinate, Item, Row, Triple


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Weightless(Body):
    """Another body without its weight; it goes by the same name."""

    name: str
    item: Item

    def coordinates(self) -> tuple[Coordinate, ...]:
        return self.item.coordinates()

    def start_coordinates(self, start: Mapping[str, tuple[float, float]]) -> tuple[Coordinate, ...]:
        return self.item.start_coordinates(start)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        return self.item.rows((0.0, 0.0, 0.0))
