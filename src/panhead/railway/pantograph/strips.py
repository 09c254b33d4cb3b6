"""Collector strips of a head, each with its own contact point and free to roll about the direction of travel.

  wire                      ______ y φ
   ↓  z + y φ              /  φ
[════════ m₁/n, J ════════]        one of n strips, seen along the track
  ⌇ k₁/2n           k₁/2n ⌇        its springs stand ``spring_base`` apart
[═══════ second mass ═══════]

n strips share the mass m₁, the spring k₁ and the damper c₁ of the first stage. Two equal springs b apart resist
a roll with k_φ = k₁ b²/4n, the dampers likewise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

import numpy as np

from panhead.errors import require_not_negative, require_positive
from panhead.files.units import KilogramSquareMetres, Metres

if TYPE_CHECKING:
    from panhead.railway.pantograph.lumped_pantograph import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectorStrips:
    """Collector strips into which the first stage is divided (solver "linear")."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    count: Literal[1, 2] = 2  #: number of strips
    spacing: Metres = 0.5  #: distance of the strips along the track [m]
    spring_base: Metres = 0.9  #: lateral distance b of the springs of a strip [m]
    roll_inertia: KilogramSquareMetres | None = None
    """Moment of inertia J of each strip about its roll axis [kg·m²]; None: no roll."""

    def __post_init__(self) -> None:
        require_not_negative(self, "spacing")
        require_positive(self, "spring_base")
        if self.roll_inertia is not None:
            require_positive(self, "roll_inertia")

    @property
    def each(self) -> int:
        """Number of coordinates of one strip: z, and φ if it rolls."""
        return 1 if self.roll_inertia is None else 2


class StripPlace(NamedTuple):
    """One strip among the coordinates of its pantograph."""

    mass: int  #: number of its z
    roll: int | None  #: number of its φ
    ahead: float  #: of the pantograph's place [m]


def strip_places(strips: CollectorStrips | None) -> tuple[StripPlace, ...]:
    """The strips of a head, the foremost first; a plain head is one that does not roll."""
    if strips is None:
        return (StripPlace(0, None, 0.0),)
    n, each = strips.count, strips.each
    return tuple(
        StripPlace(k * each, k * each + 1 if each == 2 else None, strips.spacing * (0.5 * (n - 1) - k))
        for k in range(n)
    )


def spread_over(strips: CollectorStrips, values: np.ndarray) -> np.ndarray:
    """Forces on the masses of a chain (…, stages) as forces on its coordinates: strips share the first."""
    first = np.zeros((*values.shape[:-1], strips.count, strips.each))
    first[..., 0] = values[..., :1] / strips.count
    return np.concatenate([first.reshape(*values.shape[:-1], -1), values[..., 1:]], axis=-1)


def strip_matrices(strips: CollectorStrips, stages: Sequence[Stage]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """M, C, K of the strips on the rest of the chain."""
    n, first = strips.count * strips.each, stages[0]
    size = n + len(stages) - 1
    M, C, K = np.zeros((3, size, size))
    for place in strip_places(strips):
        M[place.mass, place.mass] = first.mass / strips.count
        _join(K, place.mass, n, first.stiffness / strips.count)
        _join(C, place.mass, n, first.damping / strips.count)
        if place.roll is not None:
            turn = 0.25 * strips.spring_base**2 / strips.count
            M[place.roll, place.roll] = float(strips.roll_inertia or 0.0)
            K[place.roll, place.roll] = first.stiffness * turn
            C[place.roll, place.roll] = first.damping * turn
    for k, stage in enumerate(stages[1:], n):
        M[k, k] = stage.mass
        _join(K, k, k + 1, stage.stiffness)
        _join(C, k, k + 1, stage.damping)
    return M, C, K


def _join(matrix: np.ndarray, upper: int, lower: int, value: float) -> None:
    """A spring between two coordinates; beyond the last one is the roof."""
    matrix[upper, upper] += value
    if lower < matrix.shape[0]:
        matrix[lower, lower] += value
        matrix[upper, lower] -= value
        matrix[lower, upper] -= value
