"""Standard gravity: the default of every description."""

from __future__ import annotations

from typing import Final

GRAVITY: Final = 9.81  #: g [m/s²]


def downwards(g: float) -> tuple[float, float, float]:
    """The acceleration of free fall as a vector, z up [m/s²]."""
    return (0.0, 0.0, -g)


DOWN: Final = downwards(GRAVITY)  #: [m/s²]
