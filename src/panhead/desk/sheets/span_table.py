"""Largest span that a radius allows: curve and wind against the lateral offset that a pan-head allows.

In a curve of radius R the wire is a chord of the track's arc, and wind blows it further off. With the stagger a at both
supports (outwards in a curve, alternating on straight track), the contact wire's wind load q_c and its tension T_c, and
the messenger's taken as blown off alike, the offset of a point from the track's middle is

    curve     y(x) = a − x (ℓ − x)/(2 R) ∓ w(x),      w(x) = q x (ℓ − x)/(2 T)
    straight  y(x) = a (1 − 2 x/ℓ) + w(x),            largest: w₀ + a²/(4 w₀), or a where w₀ < a/2;   w₀ = q ℓ²/(8 T)

with q = q_c + q_m and T = T_c + T_m: both wires hang together by their droppers. The largest |y| of all points and both
directions of the wind must not exceed what is allowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from panhead.errors import ModelError
from panhead.files.units import Metres, MetresPerSecond
from panhead.railway.line.conditions import Wind, drag_rate
from panhead.railway.line.layout import Layout
from panhead.railway.line.line_description import Line

#: length of a pan-head → lateral offset of the contact wire that it allows [m]; Spanish instruction, as transcribed
HEAD_OFFSETS: Final = {1.6: 0.4, 1.95: 0.55}
_STEP: Final = 0.5  # spans are tabulated to this [m]


@dataclass(frozen=True, slots=True)
class SpanRow:
    """Largest span of one radius."""

    radius: float  #: 0: straight track [m]
    span: float  #: [m]
    stagger: float  #: at the supports, outwards in a curve [m]
    offset: float  #: largest distance from the track's middle [m]
    decided_by: str


def longest_spans(
    line: Line, *, wind: MetresPerSecond, allowed: Metres, radii: Sequence[Metres], longest: Metres | None = None
) -> Iterator[SpanRow]:
    """Largest span of each radius, to half a metre, at most the line's longest one."""
    if line.wires.is_rail:
        raise ModelError(f"{line.name}: a conductor rail is not blown aside; give a line whose wires have tension")
    most = longest or max(float(s.length or 0.0) for p in Layout(line).pieces for s in p.spans)
    load, tension = blow_off(line, wind)
    stagger = abs(line.support.stagger)
    if stagger > allowed:
        raise ModelError(
            f"{line.name}: its stagger of {stagger:g} m is beyond the offset of {allowed:g} m that is allowed"
        )
    wrong = [radius for radius in radii if not 0.0 <= radius < np.inf]
    if wrong:
        raise ModelError(f"radii must be finite and ≥ 0 (0: straight track), got {wrong[0]:g} m")
    for radius in radii:
        spans = np.arange(_STEP, most + 1e-9, _STEP)
        offsets = np.array([largest_offset(span, radius, stagger, load / tension) for span in spans])
        good = np.flatnonzero(offsets <= allowed + 1e-9)
        if not good.size:
            raise ModelError(
                f"{line.name}: no span keeps within {allowed:g} m in a wind of {wind:g} m/s at a radius of "
                f"{radius:g} m; reduce the wind, or allow more"
            )
        k = int(good[-1])
        by = "the design's longest span" if k == spans.size - 1 else "curve and wind" if radius else "wind"
        yield SpanRow(radius, float(spans[k]), stagger, float(offsets[k]), by)


def blow_off(line: Line, wind: MetresPerSecond) -> tuple[float, float]:
    """Wind load of all wires of a line per length, q [N/m], and their tension T [N]."""
    wires = line.wires
    held = [wires.contact] * wires.contact_count + [w for w in (wires.messenger, wires.auxiliary) if w is not None]
    blowing = Wind(speed=wind)
    return sum(0.5 * drag_rate(w, blowing) * wind for w in held), sum(w.tension for w in held)


def largest_offset(span: Metres, radius: Metres, stagger: Metres, load_ratio: float) -> float:
    """Largest offset of the wire from the track's middle in either wind; ``load_ratio`` is q/T [1/m]."""
    x = np.linspace(0.0, span, 201)
    parabola = 0.5 * x * (span - x)
    drawn = stagger - parabola / radius if radius else stagger * (1.0 - 2.0 * x / span)
    return float(max(np.abs(drawn + sign * load_ratio * parabola).max() for sign in (1.0, -1.0)))
