"""Lateral sway of the head in a curve: the body rolls on its springs under the cant deficiency.

    y = −s (v² κ/g − sin φ) (h − h_c)

s is the vehicle's coefficient of flexibility (roll of the body over that of the missing cant), h the height of the
head, h_c that of the roll centre; + to the left, so that too little cant in a left curve leans the head to the right
[Kiessling18, ch. 4]. The tilt of the track itself is in the axes, which lean with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from panhead.errors import require_not_negative
from panhead.files.units import Dimensionless, Metres
from panhead.railway.line.line_description import Line


@dataclass(frozen=True, slots=True, kw_only=True)
class Sway:
    """Lateral sway of a pantograph with its vehicle in a curve."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    flexibility: Dimensionless = 0.2  #: flexibility coefficient s of the suspension
    roll_centre: Metres = 0.5  #: height h_c of the roll centre above rail [m]

    def __post_init__(self) -> None:
        require_not_negative(self, "flexibility", "roll_centre")

    def head_displacement(self, line: Line, x: np.ndarray, height: np.ndarray, speed: np.ndarray) -> np.ndarray:
        """Lateral displacement of the head, + to the left of the track's middle, at positions x [m]."""
        if not line.alignment:
            return np.zeros_like(x)
        at = [p.at for p in line.alignment]
        kappa = np.interp(x, at, [p.curvature for p in line.alignment])
        lean = np.sin(np.interp(x, at, [p.tilt for p in line.alignment]))
        return -self.flexibility * (speed**2 * kappa / line.gravity - lean) * (height - self.roll_centre)
