"""Wires of two tracks that cross or run together: crossings and turnouts.

The second track crosses the first at an angle α; its wire, s along its own track and y₂ beside it, lies at

    x = x₀ + (s − s₀) cos α − y₂ sin α,   y = d + (s − s₀) sin α + y₂ cos α

of the first track, d its offset there (0 at a crossing; a turnout's wires meet before the tracks do). While |y| is in
the head's reach the head may touch it. Statics only: which wire is touched where, and how far the second is lifted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from panhead.errors import ModelError
from panhead.railway.line.elasticity import elasticity
from panhead.railway.line.strung_line import Strung
from panhead.railway.line.strung_shape import WireCurve, static_shape
from panhead.railway.line.touched_wire import contact_height, shared_force

_STEP = 0.1  # between places that are looked at [m]
_POINTS = 13  # of elasticity in a span


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackCrossing:
    """Where and how a second track meets the first."""

    at: float  #: x₀, along the first line [m]
    other_at: float  #: s₀, along the second line [m]
    angle: float  #: α, + the second track leads to the left [rad]
    offset: float = 0.0  #: d, of the second track to the left at x₀ [m]
    reach: float = 0.725  #: half of the head's working width [m]

    def __post_init__(self) -> None:
        if not abs(self.angle) <= 0.5 * math.pi + 1e-9:
            raise ModelError(
                f"crossing: an angle of {math.degrees(self.angle):g}° between two tracks is beyond 90°; give the acute "
                'one with its unit, such as "6 deg"'
            )


@dataclass(frozen=True, slots=True)
class WirePassage:
    """A head under the first line where the second wire is within its reach, (n,) each."""

    x: np.ndarray  #: along the first line [m]
    y: np.ndarray  #: of the second wire, + to the left [m]
    gap: np.ndarray  #: second wire above the first, at rest [m]
    force_first: np.ndarray  #: [N]
    force_second: np.ndarray  #: [N]
    lift_first: np.ndarray  #: [m]
    lift_second: np.ndarray  #: [m]
    crossing: float | None  #: where the wires cross in plan [m]

    @property
    def touched(self) -> tuple[float, float] | None:
        """First and last place where the second wire is touched; None: nowhere."""
        there = self.x[self.force_second > 0.0]
        return (float(there[0]), float(there[-1])) if there.size else None


def wire_passage(first: Strung, second: Strung, crossing: TrackCrossing, force: float) -> WirePassage:
    """Pass a head with a static force [N] under the first line, through the crossing."""
    mine, theirs = _contact_wire(first, crossing.at), _contact_wire(second, crossing.other_at)
    x, y, s = _seen_from_first_track(theirs, crossing)
    inside = (np.abs(y) <= crossing.reach) & (x >= mine.x[0]) & (x <= mine.x[-1])
    if not inside.any():
        raise ModelError(
            f"crossing: the second wire does not come within {crossing.reach:g} m of the first track at "
            f"{crossing.at:g} m; check the places, the angle and the offset"
        )
    x, y, s = x[inside], y[inside], s[inside]
    gap = contact_height(theirs, s) - contact_height(mine, x)
    yielding = _elasticity_at(first, x, force), _elasticity_at(second, s, force)
    height, on_first, on_second = shared_force(force, gap, *yielding)
    aside = y - np.interp(x, mine.x, mine.y)
    turn = np.flatnonzero(np.diff(np.sign(aside)))
    meet = None if not turn.size else float(np.interp(0.0, *_sort_by_value(aside[turn[0] :][:2], x[turn[0] :][:2])))
    lifts = np.maximum(0.0, height), np.maximum(0.0, height - gap)
    return WirePassage(x, y, gap, on_first, on_second, *lifts, meet)


def _sort_by_value(values: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    order = np.argsort(values)
    return values[order], places[order]


def _contact_wire(strung: Strung, at: float) -> WireCurve:
    """The contact wire over a place, the lowest of two."""
    wires = [w for w in static_shape(strung, element_length=0.25).wires if w.role == "contact"]
    found = [w for w in wires if w.x[0] <= at <= w.x[-1]]
    if not found:
        raise ModelError(f"crossing: {at:g} m is not on the line {strung.layout.line.name!r}; check the place")
    return min(found, key=lambda w: float(np.interp(at, w.x, w.z)))


def _seen_from_first_track(wire: WireCurve, crossing: TrackCrossing) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x and y of the second wire along the first track, and s along its own, x increasing."""
    s = np.arange(wire.x[0], wire.x[-1] + 0.5 * _STEP, _STEP)
    across, c, sine = np.interp(s, wire.x, wire.y), math.cos(crossing.angle), math.sin(crossing.angle)
    x = crossing.at + (s - crossing.other_at) * c - across * sine
    y = crossing.offset + (s - crossing.other_at) * sine + across * c
    order = np.argsort(x, kind="stable")
    return x[order], y[order], s[order]


def _elasticity_at(strung: Strung, x: np.ndarray, force: float) -> np.ndarray:
    """Elasticity of a line at places (n,) [m/N]."""
    layout, found = strung.layout, np.zeros(x.size)
    spans = np.array([layout.span_at(float(place)) for place in x])
    for number in np.unique(spans):
        curve = elasticity(strung, span=int(number), points=_POINTS, force=force)
        here = spans == number
        at = np.linspace(0.0, float(layout.mast_x[number + 1] - layout.mast_x[number]), curve.value.size)
        found[here] = np.interp(x[here] - layout.mast_x[number], at, curve.value)
    return found
