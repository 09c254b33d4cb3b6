"""Pre-sag of the contact wire: prescribed depth below the straight line between its supports.

s(x) = 4 s₀ x (ℓ − x)/ℓ²,   s₀ at mid-span
"""

from __future__ import annotations

from panhead.railway.line.line_description import Line, Span


def presag_at_midspan(line: Line, span: Span) -> float:
    """Pre-sag s₀ of a span: its own, or the line's [m]."""
    return line.presag if span.presag is None else span.presag


def sag_at(presag: float, x: float, length: float) -> float:
    """s(x) [m]."""
    return 4.0 * presag * x * (length - x) / length**2


def sag_slope(presag: float, x: float, length: float) -> float:
    """ds/dx."""
    return 4.0 * presag * (length - 2.0 * x) / length**2
