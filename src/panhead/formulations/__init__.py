"""How accelerations are found under constraints, and how drift is kept away.

A formulation turns M, f, G, gamma into a and lam; a stabilisation keeps g = 0 and ġ = 0 while marching.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final

from panhead.errors import require_not_negative


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Augmented:
    """All coordinates and the multipliers together               [Pappalardo20, eqs (14), (16)].

    ``saddle`` solves the whole matrix; ``range-space`` eliminates the accelerations first and needs a
    positive definite mass matrix.
    """

    solver: Literal["saddle", "range-space"] = "saddle"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """Only independent coordinates are integrated; the dependent ones follow from g = 0 and ġ = 0.

    The split is chosen by elimination with full pivoting and switched where its pivots have grown
    small [Wehage82].
    """


Formulation = Augmented | Embedded


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Unstabilised:
    """Nothing is done against drift; it is still measured."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Baumgarte:
    """g̈ + 2α ġ + β² g = 0 in place of g̈ = 0                     [Baumgarte72]."""

    alpha: float = 20.0  #: [1/s]
    beta: float = 20.0  #: [1/s]

    def __post_init__(self) -> None:
        require_not_negative(self, "alpha", "beta")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """After every step positions and rates are moved onto the constraints, nearest in the mass norm."""


Stabilisation = Unstabilised | Baumgarte | Projection

__all__ = [
    "Augmented",
    "Baumgarte",
    "Embedded",
    "Formulation",
    "Projection",
    "Stabilisation",
    "Unstabilised",
]
