"""Largest span by radius under wind: the closed form of the table beside formulas and the line strung in space."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from panhead.desk.sheets.span_table import blow_off, largest_offset, longest_spans
from panhead.railway.line import Conditions, Line, Mast, TrackPoint, Wind, line_in, string
from panhead.railway.line.design_line import design_line
from panhead.railway.line.line_design import read_design
from panhead.validation.checks import BEFORE, CLOSED_FORM, Check, near
from panhead.validation.declared_values.references import EXPECTED

_WIND = 29.0  # [m/s]
_DESIGNS = ("CA-220/25kV", "CA-220/3kV")


def span_by_radius() -> Sequence[Check]:
    """Offsets of two lines on straight track and in a curve, and the span at which an offset is reached."""
    return [*_closed_forms(), *(row for name in _DESIGNS for row in _strung(name))]


def _closed_forms() -> Iterator[Check]:
    line = design_line(read_design("CA-220/25kV"))
    load, tension = blow_off(line, _WIND)
    a, span, radius = line.support.stagger, 60.0, 500.0
    w = load * span**2 / (8.0 * tension)
    straight = 1e3 * (w + a**2 / (4.0 * w) if w > 0.5 * a else a)
    found = 1e3 * largest_offset(span, 0.0, a, load / tension)
    yield near("largest offset on straight track", found, straight, "mm", "w + a²/4w", rel=1e-3, by=CLOSED_FORM)
    curve = 1e3 * (span**2 / (8.0 * radius) + w - a)
    found = 1e3 * largest_offset(span, radius, a, load / tension)
    yield near("largest offset in a curve of 500 m", found, curve, "mm", "ℓ²/8R + qℓ²/8T − a", rel=1e-9, by=CLOSED_FORM)
    allowed = 0.55
    longest = np.sqrt(8.0 * (allowed + a) / (1.0 / radius + load / tension))
    (row,) = longest_spans(line, wind=_WIND, allowed=allowed, radii=[radius])
    source = "√(8 (e + a)/(1/R + q/T)), rounded down to half a metre"
    yield near("largest span in a curve of 500 m", row.span, np.floor(2.0 * longest) / 2.0, "m", source, by=CLOSED_FORM)


def _strung(name: str) -> Iterator[Check]:
    design = read_design(name)
    bound, reason = EXPECTED["spans"]["strung"], EXPECTED["spans"]["strung_reason"]
    for radius in (0.0, 1000.0):
        line = design_line(design, [design.longest_span] * 8)
        load, tension = blow_off(line, _WIND)
        rule = 1e3 * largest_offset(design.longest_span, radius, design.stagger, load / tension)
        where = f"in a curve of {radius:g} m" if radius else "on straight track"
        found = 1e3 * max(_offset(_in_curve(line, radius), sign * _WIND) for sign in (1.0, -1.0))
        yield near(
            f"{name}: largest offset of the strung line {where}", found, rule, "mm", reason, rel=bound, by=BEFORE
        )


def _in_curve(line: Line, radius: float) -> Line:
    """The line in a curve to the left, its staggers all outwards, that is to the right."""
    if not radius:
        return line
    (length,) = line.tension_lengths
    masts = tuple(Mast(at=k, stagger=-line.support.stagger, messenger_stagger=-line.support.stagger) for k in range(9))
    track = (TrackPoint(at=0.0, radius=radius),)
    return replace(line, alignment=track, tension_lengths=(replace(length, masts=masts),))


def _offset(line: Line, wind: float) -> float:
    strung = string(line_in(line, Conditions(wind=Wind(speed=wind))))
    spans = strung.spans(strung.layout.pieces[0])
    middle = spans[len(spans) // 2]
    return max(float(np.abs(s[:, 2]).max()) for role, s in middle.shape.items() if role.startswith("contact"))
