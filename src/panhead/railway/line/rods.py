"""Rod droppers: distributed mass, longitudinal waves, and a residual force under compression.

A rod of unstretched length L₀ and stiffness k (EA = k L₀) is cut into m parts. Each is a spring m k with a damper m c
between two nodes that carry a share of the mass: μL/m inside, half of that at the ends, on the wires. Part i, counted
from the top, hangs with

    N_i = N + W/2 − W (2i − 1)/2m,     W = μ g L

at rest. Pressed together, a stranded dropper buckles and carries a residual force r at most: N_i ≥ −r. Waves run with
c = √(EA/μ); the natural frequencies between held ends are n c/2L, of m parts (m c/πL) sin(nπ/2m). An end that is pulled
away with v meets the impedance √(EA μ) v, and three times that when the wave is back from the other end, held.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from panhead.errors import ModelError, require_not_negative, require_positive
from panhead.files.units import Dimensionless, Newtons

if TYPE_CHECKING:
    from panhead.railway.line.layout import Link
    from panhead.railway.line.line_description import Line
    from panhead.railway.line.parts import DropperKind

_MOST = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class RodModel:
    """A dropper in parts, instead of one spring (solver "linear")."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    parts: int = 4  #: number m of segments
    residual: Newtons = 0.0  #: largest compressive force r [N]
    damping_ratio: Dimensionless = 0.5  #: damping ratio ζ of the highest axial frequency of the segments

    def __post_init__(self) -> None:
        require_not_negative(self, "residual")
        require_positive(self, "damping_ratio")
        if not 2 <= self.parts <= _MOST:
            raise ModelError(f"RodModel: parts must be 2 … {_MOST}, got {self.parts}")

    def friction(self, stiffness: float, mass: float) -> float:
        """d = ζ √(m k · μL/m)/4 [N·s/m] against uneven motion of three nodes in a row, d (u̇₀ − 2 u̇₁ + u̇₂).

        It takes the fastest swings out and leaves an even stretch alone: it passes on no force from wire to wire.
        stiffness: of the whole rod; mass: of an inner node.
        """
        return 0.25 * self.damping_ratio * math.sqrt(self.parts * stiffness * mass)


def dropper_kinds(line: Line) -> list[DropperKind]:
    """All dropper kinds of a line."""
    kinds = [*([line.dropper] if line.dropper else []), *line.dropper_kinds.values()]
    spans = [*line.span_kinds.values(), *(span for tl in line.tension_lengths for span in tl.spans)]
    own = [d.kind for span in spans for d in span.droppers if d.kind is not None and not isinstance(d.kind, str)]
    return kinds + own


def inner_nodes(line: Line) -> int:
    """Largest number of inner nodes of a dropper of a line; 0: all are springs."""
    return max((kind.rod.parts - 1 for kind in dropper_kinds(line) if kind.rod is not None), default=0)


def rod_indices(links: tuple[Link, ...], stations: np.ndarray) -> list[int]:
    """Index of each dropper among the rods at its station: 0, 1 …"""
    seen: dict[int, int] = {}
    found = []
    for link, station in zip(links, stations, strict=True):
        k = seen.get(int(station), 0)
        found.append(k)
        seen[int(station)] = k + (link.kind.rod is not None)
    return found
