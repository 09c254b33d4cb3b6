"""Spans computed at a step: those near a pantograph in full, others as superelements."""

from __future__ import annotations

import numpy as np

from panhead.railway.line.superelements import WIDEST
from panhead.runs.resolve import ResolvedRun

NEAR = 3  #: spans before and behind the pantographs that have all their stations
NARROWER = (2 * NEAR, 4 * NEAR, 8 * NEAR)  #: spans away beyond which the band of modes narrows
DIES = 3.0  #: nepers a wave of the highest band must lose on its way out of the near spans and back


def spans_at(model: ResolvedRun, step: int) -> tuple[int, int]:
    """First and one beyond the last span computed at a step."""
    n, spans = model.run.numerics, model.strung.layout.n_spans
    if not model.moving:
        return 0, spans
    rear, front = _under(model, step)
    return max(0, rear - n.behind), min(spans, front + 1 + n.ahead)


def bands_at(model: ResolvedRun, step: int) -> tuple[float, ...]:
    """Highest frequency of the modes of each of these spans [Hz]; infinite: it has all its stations."""
    first, stop = spans_at(model, step)
    near = near_spans(model) if model.moving else stop
    rear, front = _under(model, step)
    away = [max(rear - number, number - front) for number in range(first, stop)]
    return tuple(np.inf if d <= near else band_at(d) for d in away)


def band_at(away: int) -> float:
    """Highest frequency of the modes of a span at that distance in spans [Hz].

    Damping β ω²/2 takes of a wave of the band's edge as much on the way there and back wherever the band narrows.
    """
    begins = max([NEAR, *(d for d in NARROWER if d < away)])
    return float(WIDEST * np.sqrt(NEAR / begins))


def near_spans(model: ResolvedRun) -> int:
    """Number of spans before and behind the pantographs computed in full: as given, or as damping allows."""
    n = model.run.numerics
    if n.near is not None:
        return n.near
    return NEAR if lost_by_waves(model) >= DIES else max(n.ahead, n.behind)


def lost_by_waves(model: ResolvedRun) -> float:
    """Attenuation in nepers of a wave of the highest band through the near spans and back.

    ½ (α + β ω²) · 2 n L/c, L the shortest span. Superelements send faster waves back.
    """
    wire = model.line.wires.contact
    omega = 2.0 * np.pi * WIDEST
    way = 2 * NEAR * float(np.diff(model.strung.layout.mast_x).min())
    rate = 0.5 * (wire.mass_damping + wire.stiffness_damping * omega**2)
    return rate * way / float(np.sqrt(wire.tension / wire.mu))


def _under(model: ResolvedRun, step: int) -> tuple[int, int]:
    """Spans over the last and over the first pantograph."""
    layout = model.strung.layout
    front = float(model.timetable.position(np.array([step * model.run.numerics.step]))[0])
    return layout.span_at(front - float(model.behind[-1])), layout.span_at(front)
