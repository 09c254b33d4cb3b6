"""Formulations of constrained dynamics, and stabilisation against drift.

A formulation turns M, f, G, gamma into a and lam; a stabilisation keeps g = 0 and ġ = 0 while marching.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final

from panhead.errors import require_not_negative, require_one_of


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Augmented:
    """Augmented form: all coordinates and the multipliers together               [Pappalardo20, eqs (14), (16)].

    ``saddle`` solves the whole matrix; ``range-space`` eliminates the accelerations first and needs a
    positive definite mass matrix.
    """

    solver: Literal["saddle", "range-space"] = "saddle"

    def __post_init__(self) -> None:
        require_one_of(self, ("saddle", "range-space"), "solver")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """Only independent coordinates are integrated; the dependent ones follow from g = 0 and ġ = 0.

    The split is chosen by elimination with full pivoting and switched where its pivots have grown
    small [Wehage82].
    """


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Eliminated:
    """Named coordinates and all multipliers are eliminated from the equations        [Lipinski23, eqs (25)–(31)].

    The ``dependent`` coordinates, as many as constraints, follow from g = 0, ġ = 0 and g̈ = 0; the multipliers
    follow from the dependent rows. What remains is an ordinary differential equation.
    """

    dependent: tuple[str, ...]  #: full names


Formulation = Augmented | Embedded | Eliminated


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Unstabilised:
    """No stabilisation against drift; the drift is still measured."""


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
    """After every step project positions and rates onto the constraints, nearest in the mass norm."""


Stabilisation = Unstabilised | Baumgarte | Projection

__all__ = [
    "Augmented",
    "Baumgarte",
    "Eliminated",
    "Embedded",
    "Formulation",
    "Projection",
    "Stabilisation",
    "Unstabilised",
]
