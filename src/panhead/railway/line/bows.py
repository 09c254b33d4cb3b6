"""Bowing droppers: lateral bowing under compression, and straightening when they come taut again.

A dropper of length L hangs between its clamps as y = b sin πs/L. Its bow b takes up length, and its own inertia keeps
it from straightening at once, which limits the impact when a slack dropper comes taut:

    N = N₀ + k e + ½ k D (b² − b_r²),     D = π²/2L
    m b̈ + c ḃ + (N D + E) b = (N₀ D + E) b_r,     m = μL/2,  E = π⁴ EI/2L³,  c = m/τ

b_r is the bow at rest, b_s E/(E + N₀ D) of a dropper that would be crooked by b_s if nothing pulled at it. Pressed
slowly it carries Euler's load at most, N → −E/D = −π² EI/L². N is the pull in the middle; half the weight is added at
its top. Slopes are small (b ≪ L), the pull is the same all along (waves along the dropper are fast), one half wave.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from panhead.errors import require_positive
from panhead.files.units import Metres, NewtonSquareMetres, Seconds
from panhead.railway.line.rods import dropper_kinds

if TYPE_CHECKING:
    from panhead.railway.line.layout import Link
    from panhead.railway.line.line_description import Line


@dataclass(frozen=True, slots=True, kw_only=True)
class BowModel:
    """A dropper that bows sideways (solver "linear")."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    bending: NewtonSquareMetres = 0.1
    """Bending stiffness EI; a strand of 10 mm² has between 0.02 (loose wires) and 0.9 (solid)."""
    crooked: Metres = 0.01  #: deviation b_s from the straight line without load [m]
    fading: Seconds = 0.5  #: decay time τ of the lateral velocity without tension [s]

    def __post_init__(self) -> None:
        require_positive(self, "bending", "crooked", "fading")


def bow_columns(
    links: Sequence[Link], length: np.ndarray, table: dict[str, np.ndarray], gravity: float
) -> dict[str, np.ndarray]:
    """Columns of the dropper table (``line_arrays``) for bows; zeros where a dropper has none.

    A dropper that is slack at rest is bowed and carries no force: ½ D b_r² is its excess length.
    Where the table has the vertical component of an inclined dropper's force, it has D/n_z.
    """
    found = {name: np.zeros(len(links)) for name in ("bow_mass", "bow_drag", "bow_pull", "bow_bend", "bow_rest")}
    N0, residual = table["static_tension"], table["residual"].copy()
    for i, link in enumerate(links):
        kind, L = link.kind, float(length[i])
        if kind.bow is None:
            continue
        D = math.pi**2 / (2.0 * L) * math.sqrt(kind.stiffness / table["stiffness"][i])
        E, mass = math.pi**4 * kind.bow.bending / (2.0 * L**3), 0.5 * kind.mass_per_length * L
        rest = kind.bow.crooked * E / (E + max(N0[i], 0.0) * D)
        if N0[i] <= 0.0:
            rest = max(rest, math.sqrt(-2.0 * N0[i] / (table["stiffness"][i] * D)))
        values = mass, mass / kind.bow.fading, D, E, rest
        for column, value in zip(found.values(), values, strict=True):
            column[i] = value
        residual[i] = -mass * gravity
    return found | {"residual": residual}


def bows(line: Line) -> bool:
    """Return whether any dropper of a line bows."""
    return any(kind.bow is not None for kind in dropper_kinds(line))
