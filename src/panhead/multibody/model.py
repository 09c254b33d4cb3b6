"""A model: a name, items, gravity."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import final

from panhead.errors import ModelError
from panhead.multibody.packing import packed
from panhead.multibody.system import MultibodySystem
from panhead.roles import Item, Triple


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """Bodies, joints and forces."""

    name: str
    items: tuple[Item, ...]
    gravity: Triple = (0.0, 0.0, -9.81)  #: [m/s²]

    def __post_init__(self) -> None:
        twice = sorted(
            name for name, n in Counter(item.name for item in self.items).items() if n > 1
        )
        if twice:
            raise ModelError(
                f"model {self.name!r} has several items called {', '.join(twice)}; names must differ"
            )
        odd = [item.name for item in self.items if "." in item.name]
        if odd:
            raise ModelError(
                f"model {self.name!r}: names must not contain a dot, got {', '.join(odd)}"
            )

    def system(self) -> MultibodySystem:
        """The equations, compiled."""
        return MultibodySystem(self.name, packed(self.items, self.gravity))
