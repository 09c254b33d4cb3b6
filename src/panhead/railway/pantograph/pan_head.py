"""Pan-head geometry across the track: working width and overall length.

╲____________________________________╱      horns bend down at both ends
  |  |←───── working_width ─────→|  |
  |←────────── length ───────────→|
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from panhead.errors import ModelError, require_positive
from panhead.files.units import Metres


@dataclass(frozen=True, slots=True, kw_only=True)
class PanHead:
    """Two widths of a head. The defaults are the European head of 1600 mm: its strips are at least 800 mm long, and
    the wire may deviate by 0.40 m to either side (0.55 m under a head of 1950 mm)."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    length: Metres = 1.6  #: length from horn to horn; beyond half of it the wire has left the head [m]
    working_width: Metres = 0.8  #: width of the range in which the wire may run [m]
    source: str = "assumption: European head of 1600 mm, wire within ±0.40 m (recalled from the TSI Energy, 4.2.9.2)"
    """Source of the dimensions."""

    def __post_init__(self) -> None:
        require_positive(self, "length", "working_width")
        if self.working_width > self.length:
            raise ModelError(
                f"PanHead: working_width {self.working_width:g} m is more than the head's length {self.length:g} m"
            )
