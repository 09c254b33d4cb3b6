"""Which contact wire a pan-head touches where: in overlaps, at the end of a rail, under the wire of another track.

At rest the lowest wire within the head's reach is touched. Under a force F two wires of the elasticities e₁ and e₂, the
second higher by g, share it as two springs with an offset:

    h = e₁ F                              while e₁ F ≤ g
    h = (F + g/e₂)/(1/e₁ + 1/e₂)          beyond: F₁ = h/e₁, F₂ = (h − g)/e₂

where h is the height of the head over the first wire at rest and h − g the lift of the second.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from panhead.railway.line.strung_line import Strung
from panhead.railway.line.strung_shape import WireCurve, static_shape

_RIGID = 1e-9  # elasticity of what does not yield, such as a fixed end of a wire [m/N]


@dataclass(frozen=True, slots=True)
class TouchedSection:
    """A part of the line and the tension length whose contact wire is the lowest there."""

    begin: float  #: [m]
    end: float  #: [m]
    tension_length: str


def touched_sections(strung: Strung, *, element_length: float = 0.25) -> list[TouchedSection]:
    """The lowest contact wire along the line, at rest; at an anchor a wire ends."""
    wires = [w for w in static_shape(strung, element_length=element_length).wires if w.role == "contact"]
    x = np.unique(np.concatenate([wire.x for wire in wires]))
    z = np.stack([contact_height(wire, x) for wire in wires])
    lowest = np.argmin(z, axis=0)
    cuts = np.flatnonzero(np.diff(lowest))
    places = [_crossing(x[k : k + 2], z[:, k : k + 2], lowest[k], lowest[k + 1]) for k in cuts]
    ends = [float(x[0]), *places, float(x[-1])]
    names = [wires[int(lowest[k])].name for k in (*cuts, x.size - 1)]
    return [TouchedSection(a, b, name) for a, b, name in zip(ends[:-1], ends[1:], names, strict=True)]


def contact_height(wire: WireCurve, x: np.ndarray) -> np.ndarray:
    """Height of a wire at x (n,) [m]; infinite where it is not."""
    return np.interp(x, wire.x, wire.z, left=np.inf, right=np.inf)


def _crossing(x: np.ndarray, z: np.ndarray, one: int, other: int) -> float:
    """Where two wires are equally high between two places."""
    apart = z[one] - z[other]
    if not np.isfinite(apart).all() or apart[0] == apart[1]:
        return float(x[0] if np.isfinite(z[other, 0]) else x[1])
    return float(x[0] - apart[0] * (x[1] - x[0]) / (apart[1] - apart[0]))


def shared_force(
    force: float, gap: np.ndarray, first: np.ndarray, second: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Height of the head over the first wire at rest [m], and the force on each of two wires [N].

    gap (n,): second wire above the first, infinite out of reach [m]; first, second (n,): elasticities [m/N].
    """
    gap = np.asarray(gap, float)
    first, second = np.maximum(first, _RIGID), np.maximum(second, _RIGID)
    alone, other = first * force, second * force
    both = (force + np.where(np.isfinite(gap), gap, 0.0) / second) / (1.0 / first + 1.0 / second)
    height = np.where(alone <= gap, alone, np.where(gap + other <= 0.0, gap + other, both))
    return height, np.maximum(0.0, height) / first, np.maximum(0.0, height - gap) / second
