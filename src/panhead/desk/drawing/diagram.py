"""Block diagrams as plain data: boxes, sums, arrows and cuts in pixels; colours are those of the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final, Literal

_HEAD: Final = 7.0  # of an arrow [px]
_LINE: Final = 17.0  # between lines of text [px]


@dataclass(frozen=True, slots=True)
class DiagramBox:
    """A block with its words in lines, about its centre [px]."""

    x: float
    y: float
    lines: Sequence[str]
    width: float = 110.0
    height: float = 52.0


@dataclass(frozen=True, slots=True)
class DiagramSum:
    """A circle in which signals meet; signs stand beside the places where they come in (dx, dy, sign)."""

    x: float
    y: float
    signs: Sequence[tuple[float, float, str]] = ()


@dataclass(frozen=True, slots=True)
class DiagramArrow:
    """A signal along corners [px], with its name at a place."""

    corners: Sequence[tuple[float, float]]
    label: str = ""
    at: tuple[float, float] = (0.0, 0.0)
    anchor: Literal["start", "middle", "end"] = "middle"
    dashed: bool = False  #: what is measured, not a flow of power


@dataclass(frozen=True, slots=True)
class DiagramCut:
    """A dashed upright line through a pair of signals whose product is a power, with its name."""

    x: float
    top: float
    bottom: float
    label: str = ""


DiagramPart = DiagramBox | DiagramSum | DiagramArrow | DiagramCut


@dataclass(frozen=True, slots=True)
class Diagram:
    """Parts in the order they are painted."""

    width: float  #: [px]
    height: float  #: [px]
    parts: Sequence[DiagramPart]


def parts_as_svg(drawing: Diagram) -> str:
    """The elements inside the SVG."""
    return "".join(_paint(part) for part in drawing.parts)


def _paint(part: DiagramPart) -> str:
    if isinstance(part, DiagramBox):
        return _box(part)
    if isinstance(part, DiagramSum):
        signs = "".join(_text(part.x + dx, part.y + dy, sign) for dx, dy, sign in part.signs)
        circle = f'<circle cx="{part.x:g}" cy="{part.y:g}" r="10" fill="var(--shade)" stroke="var(--ink)"/>'
        return circle + signs
    if isinstance(part, DiagramCut):
        line = f'<path d="M{part.x:g},{part.top:g}V{part.bottom:g}" stroke="var(--red)" stroke-dasharray="6 4"/>'
        return line + _text(part.x, part.top - 8, part.label, color="red")
    return _arrow(part)


def _box(box: DiagramBox) -> str:
    left, top = box.x - box.width / 2, box.y - box.height / 2
    first = box.y + 4.5 - _LINE * (len(box.lines) - 1) / 2
    words = "".join(
        _text(box.x, first + k * _LINE, line, color="ink" if k == 0 else "grey") for k, line in enumerate(box.lines)
    )
    return (
        f'<rect x="{left:g}" y="{top:g}" width="{box.width:g}" height="{box.height:g}" rx="3" fill="var(--shade)" '
        f'stroke="var(--ink)"/>{words}'
    )


def _arrow(arrow: DiagramArrow) -> str:
    (x0, y0), (x, y) = arrow.corners[-2:]
    length = max(abs(x - x0), abs(y - y0), 1e-9)
    dx, dy = (x - x0) / length, (y - y0) / length
    a, b = (x - _HEAD * dx, y - _HEAD * dy), (0.45 * _HEAD * dy, -0.45 * _HEAD * dx)
    corners = [*arrow.corners[:-1], a]
    look = ' stroke-dasharray="2 3"' if arrow.dashed else ""
    path = "M" + " ".join(f"{u:g},{w:g}" for u, w in corners)
    head = f"M{x:g},{y:g}L{a[0] + b[0]:g},{a[1] + b[1]:g}L{a[0] - b[0]:g},{a[1] - b[1]:g}Z"
    said = _text(*arrow.at, arrow.label, arrow.anchor) if arrow.label else ""
    return f'<path d="{path}" fill="none" stroke="var(--blue)"{look}/><path d="{head}" fill="var(--blue)"/>{said}'


def _text(x: float, y: float, text: str, anchor: str = "middle", color: str = "ink") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="var(--{color})">{escape(text)}</text>'
