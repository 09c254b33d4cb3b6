"""Render charts and diagrams as SVG text, without a drawing library.

Letters are set by the reader's own fonts, so widths are estimated generously: nothing may overlap.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Final

import numpy as np

from panhead.desk.drawing.diagram import Diagram, parts_as_svg
from panhead.desk.drawing.figures import COLORS, FULL_WIDTH, Chart, Panel, Stroke
from panhead.desk.drawing.scale import Scale, axis, stations

FONT: Final = "system-ui,'Segoe UI',Roboto,'Liberation Sans',Arial,sans-serif"
_SIZE: Final = 12.5  # of letters [px]
_ROW: Final = 19.0  # of a legend [px]
_SAMPLE: Final = 20.0  # a legend's piece of line [px]
_RIGHT: Final = 16.0  # room for half a tick label [px]
_TICKS, _NAME = 21.0, 19.0  # below the axes: tick labels, what the axis is [px]
_GAP: Final = 14.0  # between panels [px]
_NAMES: Final = 16.0  # above the axes: names along the upper edge [px]
_APART: Final = 8.0  # between two of them [px]
_NARROW, _WIDE = frozenset(" .,:;'|!()[]ijlrtfI·"), frozenset("mwMWGOQ%@—→∞")


@dataclass(frozen=True, slots=True)
class _Box:
    """Position of a panel's axes [px], and the mapping from data to pixels."""

    left: float
    top: float
    width: float
    height: float
    x: Scale
    y: Scale


def document(drawing: Chart | Diagram) -> str:
    """The drawing as a file of its own: light colours on white, for any program that reads SVG."""
    element = fragment(drawing, "").replace(
        "<svg ", f'<svg xmlns="http://www.w3.org/2000/svg" font-family="{FONT}" ', 1
    )
    element = element.replace(">", '><rect width="100%" height="100%" fill="#fff"/>', 1)
    return re.sub(r"var\(--(\w+)\)", lambda found: COLORS[found[1]][0], element)


def fragment(drawing: Chart | Diagram, words: str) -> str:
    """The drawing as an element of a page whose style sheet knows the colours; ``words`` are read out instead."""
    said = f' role="img" aria-label="{escape(words)}"' if words else ""
    if drawing.width < FULL_WIDTH:  # letters of one size on the whole page
        said += f' style="max-width:{100 * drawing.width / FULL_WIDTH:.0f}%"'
    height, inside = (drawing.height, parts_as_svg(drawing)) if isinstance(drawing, Diagram) else _panels(drawing)
    said += ' class="zoom"' if isinstance(drawing, Chart) and drawing.zoom else ""
    return f'<svg viewBox="0 0 {drawing.width:g} {height:.0f}" font-size="{_SIZE}"{said}>{inside}</svg>'


def _panels(drawing: Chart) -> tuple[float, str]:
    """Height [px] and elements of a chart."""
    pitch = drawing.width / drawing.columns
    tops = _tops(drawing, pitch)
    parts: list[str] = []
    for k in range(drawing.columns):
        parts += _column(drawing, k, tops, pitch)
    last = drawing.panels[-1]
    height = tops[-1] + last.height + _TICKS + _NAME * bool(last.x_label) + 2
    return height, "".join(parts)


def _tops(drawing: Chart, pitch: float) -> list[float]:
    """The upper edge of the axes in every row; a legend stands above its panel."""
    tops, down = [], 0.0
    for first in range(0, len(drawing.panels), drawing.columns):
        row = drawing.panels[first : first + drawing.columns]
        head = max(len(_legend_rows(p, pitch - 90)) * _ROW + 20 * bool(p.title) + _NAMES * bool(p.names) for p in row)
        down += head + 5 if head else 8.0
        tops.append(down)
        down += max(p.height for p in row) + _GAP + (not drawing.share_x) * (_TICKS + _NAME)
    return tops


def _column(drawing: Chart, k: int, tops: Sequence[float], pitch: float) -> list[str]:
    """Panels under each other, their axes flush."""
    panels = drawing.panels[k :: drawing.columns]
    across = pitch - 90
    xs = _shared_x_axis(panels, across) if drawing.share_x else [_axis(p, "x", across) for p in panels]
    ys = [_axis(p, "y", p.height) for p in panels]
    left = max(
        max(map(_width, y.labels), default=0.0) + 14 + 15 * len(_label_lines(p))
        for p, y in zip(panels, ys, strict=True)
    )
    parts = []
    for row, (panel, x, y) in enumerate(zip(panels, xs, ys, strict=True)):
        size = pitch - left - _RIGHT, panel.height
        if panel.equal:
            x, y = _proportional(x, y, *size)
        named = row == len(panels) - 1 or not drawing.share_x
        box = _Box(k * pitch + left, tops[row], *size, x, y)
        parts.append(_furniture(panel, box, k * pitch, named=named) + _inside(panel, box))
    return parts


def _axis(panel: Panel, which: str, pixels: float) -> Scale:
    limits, log = (panel.x_limits, panel.x_log) if which == "x" else (panel.y_limits, panel.y_log)
    margin, apart = (0.01, 84) if which == "x" else (0.05, 34)
    made = axis(_values(panel, which), limits, log, pixels, margin, apart)
    return stations(made, panel.station, pixels) if which == "x" and panel.station is not None else made


def _shared_x_axis(panels: Sequence[Panel], pixels: float) -> list[Scale]:
    """One x axis for all panels of a column."""
    limits = next((p.x_limits for p in panels if p.x_limits != (None, None)), (None, None))
    every = np.concatenate([_values(p, "x") for p in panels])
    made = axis(every, limits, panels[0].x_log, pixels, 0.01, 84)
    station = panels[0].station
    return [made if station is None else stations(made, station, pixels)] * len(panels)


def _values(panel: Panel, which: str) -> np.ndarray:
    """Every coordinate that an axis must show."""
    found = [getattr(s, which) for s in panel.strokes if s.share != which]
    return np.concatenate([np.empty(0), *found])


def _proportional(x: Scale, y: Scale, width: float, height: float) -> tuple[Scale, Scale]:
    """Both axes widened about their middles until a unit is as long across as up."""
    unit = max((x.high - x.low) / width, (y.high - y.low) / height)
    made = []
    for old, pixels, apart in ((x, width, 84.0), (y, height, 34.0)):
        middle, half = 0.5 * (old.low + old.high), 0.5 * unit * pixels
        made.append(axis(np.empty(0), (middle - half, middle + half), False, pixels, 0.0, apart))
    return made[0], made[1]


def _furniture(panel: Panel, box: _Box, outer: float, *, named: bool) -> str:
    """Everything outside the axes: their lines and labels, title, legend; ``outer``: the column's left edge."""
    left, bottom = box.left, box.top + box.height
    parts = [f'<path d="M{left:.1f},{box.top:.1f}v{box.height:.1f}h{box.width:.1f}" stroke="var(--grey)" fill="none"/>']
    for share, text in zip(box.y.shares, box.y.labels, strict=True):
        parts.append(_text(left - 7, bottom - box.height * share + 4.5, text, "end"))
    if named:
        ticks = zip(box.x.shares, box.x.labels, strict=True)
        marks = "".join(_text(left + box.width * share, bottom + 17, text, "middle") for share, text in ticks)
        parts.append(f'<g class="ticks">{marks}</g>')
        parts.append(_text(left + box.width / 2, bottom + 36, panel.x_label, "middle", "ink"))
    lines = _label_lines(panel)
    for k, text in enumerate(lines):
        turned = f"translate({outer + 12 + 15 * k:.1f} {box.top + box.height / 2:.1f}) rotate(-90)"
        parts.append(f'<g transform="{turned}">{_text(0, 0, text, "middle", "ink")}</g>')
    return "".join(parts) + _upper_names(panel, box) + _legend(panel, box)


def _upper_names(panel: Panel, box: _Box) -> str:
    """Names along the upper edge; of those that would overlap the later ones are hidden until a reader zooms in."""
    parts, end = [], -np.inf
    for x, name in sorted(panel.names):
        share = float(box.x.share(np.array([x]))[0])
        if not -1e-6 <= share <= 1.0 + 1e-6:
            continue
        at, half = box.left + box.width * share, 0.4 * _width(name)
        hidden = at - half < end + _APART
        end = end if hidden else at + half
        look = ' display="none"' if hidden else ""
        parts.append(
            f'<text x="{at:.1f}" y="{box.top - 5:.1f}" text-anchor="middle" font-size="10" fill="var(--grey)" '
            f'data-share="{share:.5f}"{look}>{escape(name)}</text>'
        )
    return f'<g class="names">{"".join(parts)}</g>' if parts else ""


def _text(x: float, y: float, text: str, anchor: str, color: str = "grey") -> str:
    where = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{where} fill="var(--{color})">{escape(text)}</text>' if text else ""


def _legend(panel: Panel, box: _Box) -> str:
    """The panel's title and below it a sample and a name of every labelled stroke."""
    rows = _legend_rows(panel, box.width)
    y = box.top - len(rows) * _ROW - _NAMES * bool(panel.names)
    parts = [_text(box.left, y - 6, panel.title, "start", "ink")] if panel.title else []
    for row in rows:
        x = box.left
        for stroke, width in row:
            shown = replace(stroke, width=min(max(stroke.width, 0.0), 3.0), dot=min(stroke.dot, 4.0))
            ends = np.array([x, x + _SAMPLE]) if stroke.width else np.array([x + _SAMPLE / 2])
            at = np.full(ends.shape, y + _ROW / 2)
            if stroke.fill:
                parts.append(
                    f'<rect x="{x:.1f}" y="{y + 4:.1f}" width="{_SAMPLE}" height="11" '
                    f'fill="{stroke.color}" fill-opacity="{stroke.fill:g}"/>'
                )
            else:
                parts.append(_paint(ends, at, shown))
            parts.append(_text(x + _SAMPLE + 6, y + _ROW / 2 + 4.5, stroke.label, "start", "ink"))
            x += width
        y += _ROW
    return "".join(parts)


def _legend_rows(panel: Panel, room: float) -> list[list[tuple[Stroke, float]]]:
    """Labelled strokes in as many rows as they need, each with the pixels it takes."""
    rows: list[list[tuple[Stroke, float]]] = []
    used = np.inf
    for stroke in (s for s in panel.strokes if s.label):
        width = _SAMPLE + 26 + _width(stroke.label)
        if used + width > room:
            rows.append([])
            used = 0.0
        rows[-1].append((stroke, width))
        used += width
    return rows


def _inside(panel: Panel, box: _Box) -> str:
    """Bands, grid, then the strokes, cut off at the axes."""
    lines = [f"M{box.width * share:.1f},0v{box.height:.1f}" for share in box.x.shares]
    lines += [f"M0,{box.height * (1 - share):.1f}h{box.width:.1f}" for share in box.y.shares]
    behind = [s for s in panel.strokes if s.fill and s.share]
    before = [s for s in panel.strokes if not (s.fill and s.share)]
    station = "" if panel.station is None else f' data-station="{panel.station:.8g}"'
    return (
        f'<svg class="plot" data-low="{box.x.low:.8g}" data-high="{box.x.high:.8g}"{station} '
        f'x="{box.left:.1f}" y="{box.top:.1f}" width="{box.width:.1f}" height="{box.height:.1f}">'
        + "".join(_stroke(s, box) for s in behind)
        + f'<path d="{"".join(lines)}" stroke="var(--grid)" stroke-width=".8"/>'
        + "".join(_stroke(s, box) for s in before)
        + "</svg>"
    )


def _stroke(stroke: Stroke, box: _Box) -> str:
    x = stroke.x if stroke.share == "x" else box.x.share(stroke.x)
    y = stroke.y if stroke.share == "y" else box.y.share(stroke.y)
    # far outside the axes a point only has to be far outside
    return _paint(box.width * np.clip(x, -9, 10), box.height * (1.0 - np.clip(y, -9, 10)), stroke)


def _paint(x: np.ndarray, y: np.ndarray, stroke: Stroke) -> str:
    """A path, and dots as strokes of no length with round ends."""
    parts = []
    if stroke.width or stroke.fill:
        look = f'fill="{stroke.color}" fill-opacity="{stroke.fill:g}"' if stroke.fill else 'fill="none"'
        if stroke.width:
            look += f' stroke="{stroke.color}" stroke-width="{stroke.width:g}" stroke-linejoin="round"'
        look += f' stroke-dasharray="{stroke.dash}"' if stroke.dash else ""
        parts.append(f'<path d="{_path(x, y)}" {look}/>')
    if stroke.dot:
        known = np.isfinite(x) & np.isfinite(y)
        places = zip(x[known].tolist(), y[known].tolist(), strict=True)
        dots = "".join(map("M%.1f,%.1fh0".__mod__, places))
        parts.append(
            f'<path d="{dots}" stroke="{stroke.color}" stroke-width="{2 * stroke.dot:g}" stroke-linecap="round"/>'
        )
    return "".join(parts)


def _path(x: np.ndarray, y: np.ndarray) -> str:
    """Moves and lines; a gap in the numbers lifts the pen."""
    known = np.isfinite(x) & np.isfinite(y)
    cuts = np.flatnonzero(np.diff(known.astype(np.int8))) + 1
    pieces = []
    for run in np.split(np.arange(x.size), cuts):
        if run.size and known[run[0]]:
            places = zip(x[run].tolist(), y[run].tolist(), strict=True)
            pieces.append("M" + " ".join(map("%.1f,%.1f".__mod__, places)))
    return "".join(pieces)


def _width(text: str) -> float:
    """About how wide a text is [px]; rather too wide."""
    return _SIZE * sum(0.4 if c in _NARROW else 0.95 if c in _WIDE else 0.64 for c in text)


def _label_lines(panel: Panel) -> list[str]:
    """Label of the vertical axis, in two lines if one is longer than the panel is high."""
    words = panel.y_label.split(" ")
    if _width(panel.y_label) <= panel.height + 16 or len(words) < 2:
        return [panel.y_label]
    cut = min(range(1, len(words)), key=lambda k: abs(len(" ".join(words[:k])) - len(panel.y_label) / 2))
    return [" ".join(words[:cut]), " ".join(words[cut:])]
