"""Figures as plain data: curves, strokes and bands in panels with units on every axis; ``svg`` draws them.

Colours are names of the page's style sheet, so that one drawing serves a light and a dark page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np

from panhead.desk.drawing.diagram import Diagram

#: name of a colour → its value on a light and on a dark page
COLORS: Final = {
    "ink": ("#1e293b", "#e2e8f0"),
    "grey": ("#64748b", "#94a3b8"),
    "pale": ("#bcc8d6", "#526079"),
    "grid": ("#e5eaf0", "#2a3547"),
    "shade": ("#eff6ff", "#1d2b47"),
    "blue": ("#1d4ed8", "#7aa2ff"),
    "orange": ("#c2410c", "#fb923c"),
    "green": ("#0f766e", "#2dd4bf"),
    "purple": ("#7e22ce", "#c084fc"),
    "red": ("#b91c1c", "#f87171"),
    "gold": ("#a16207", "#facc15"),
    "sky": ("#0369a1", "#38bdf8"),
}
INK, GREY, PALE, GRID, SHADE = (f"var(--{name})" for name in list(COLORS)[:5])
BLUE, ORANGE, GREEN, PURPLE, RED, GOLD, SKY = (f"var(--{name})" for name in list(COLORS)[5:])
CYCLE: Final = (BLUE, ORANGE, GREEN, PURPLE, GOLD, GREY, RED, SKY)
DASHED, DOTTED = "7 4", "2 3"
FULL_WIDTH: Final = 900.0  #: of a chart [px]
_MOST_POINTS: Final = 1600  # of a drawn curve: two for each pixel across
ZOOM_POINTS: Final = 6000  # of a curve that a reader may zoom into

Limits = tuple[float | None, float | None]  #: None: as the data ask


def hue(k: int) -> str:
    """The colour of the k-th curve."""
    return CYCLE[k % len(CYCLE)]


@dataclass(frozen=True, slots=True)
class Stroke:
    """A polyline, dots or an area; NaN lifts the pen. ``share`` coordinates are 0 … 1 of the panel."""

    x: np.ndarray
    y: np.ndarray
    color: str
    width: float = 1.5  #: [px]; 0: no line
    label: str = ""
    dash: str = ""
    dot: float = 0.0  #: radius of a dot at every point [px]
    fill: float = 0.0  #: opacity of the area the line goes round
    share: Literal["", "x", "y"] = ""


@dataclass(slots=True)
class Panel:
    """One pair of axes; curves are added in the order they are painted."""

    height: float  #: of what is inside the axes [px]
    x_label: str = ""
    y_label: str = ""
    title: str = ""
    x_log: bool = False
    y_log: bool = False
    equal: bool = False  #: a metre is as long across as up
    x_limits: Limits = (None, None)
    y_limits: Limits = (None, None)
    station: float | None = None  #: chainage of x = 0, by which ticks are labelled [m]; None: by x
    names: list[tuple[float, str]] = field(default_factory=list)  #: (x, name) along the upper edge, such as masts
    strokes: list[Stroke] = field(default_factory=list)

    def curve(
        self,
        x: np.ndarray,
        y: np.ndarray,
        label: str = "",
        *,
        color: str | None = None,
        width: float = 1.5,
        dash: str = "",
        dot: float = 0.0,
        thin: bool = True,
        points: int | None = None,
    ) -> None:
        """A curve over rising x, thinned to what can be seen; ``thin`` = False for paths that turn back.

        points: at most so many are kept, more than can be seen at once where a reader may zoom.
        """
        x, y = np.asarray(x, float), np.asarray(y, float)
        if thin:
            x, y = thin_curve(x, y, points or _MOST_POINTS)
        lines = sum(s.width > 0 and not s.share for s in self.strokes)
        self.strokes.append(Stroke(x, y, color or hue(lines), width, label, dash, dot))

    def dots(self, x: np.ndarray, y: np.ndarray, label: str = "", *, color: str = INK, size: float = 3.0) -> None:
        """Unconnected dots of a radius in pixels."""
        x, y = np.atleast_1d(np.asarray(x, float)), np.atleast_1d(np.asarray(y, float))
        self.strokes.append(Stroke(x, y, color, 0.0, label, dot=size))

    def bars(
        self,
        x: np.ndarray,
        low: np.ndarray | float,
        high: np.ndarray | float,
        label: str = "",
        *,
        color: str = INK,
        width: float = 1.5,
        share: bool = False,
    ) -> None:
        """Upright bars at x from low to high; with ``share`` these are 0 … 1 of the panel's height."""
        x = np.atleast_1d(np.asarray(x, float))
        gap = np.full(x.shape, np.nan)
        ends = [np.broadcast_to(np.asarray(v, float), x.shape) for v in (low, high)]
        at, up = np.stack([x, x, gap], -1).ravel(), np.stack([*ends, gap], -1).ravel()
        self.strokes.append(Stroke(at, up, color, width, label, share="y" if share else ""))

    def rule(
        self,
        label: str = "",
        *,
        x: float | None = None,
        y: float | None = None,
        color: str = GREY,
        width: float = 1.2,
        dash: str = "",
    ) -> None:
        """A line right across the panel at one x or one y."""
        whole, at = np.array([0.0, 1.0]), np.full(2, y if x is None else x, float)
        across, up = (whole, at) if x is None else (at, whole)
        share: Literal["x", "y"] = "x" if x is None else "y"
        self.strokes.append(Stroke(across, up, color, width, label, dash, share=share))

    def band(self, low: float, high: float, label: str = "") -> None:
        """A pale band between two x, behind everything."""
        x, y = np.array([low, high, high, low]), np.array([0.0, 0.0, 1.0, 1.0])
        self.strokes.insert(0, Stroke(x, y, SHADE, 0.0, label, fill=1.0, share="y"))

    def steps(self, edges: np.ndarray, heights: np.ndarray, label: str = "", *, color: str, fill: float) -> None:
        """A histogram: heights (n,) between edges (n + 1,)."""
        x = np.repeat(edges, 2)
        y = np.concatenate(([0.0], np.repeat(heights, 2), [0.0]))
        self.strokes.append(Stroke(x, y, color, 1.5, label, fill=fill))

    def name(self, x: str, y: str) -> None:
        """Label both axes; a label carries its unit in brackets, "(1)" if it has none."""
        self.x_label, self.y_label = x, y


@dataclass(frozen=True, slots=True)
class Chart:
    """Panels row by row; those of one column stand under each other and share x unless told not to."""

    panels: Sequence[Panel]
    columns: int = 1
    width: float = FULL_WIDTH  #: [px]
    share_x: bool = True
    zoom: bool = False  #: a reader may zoom and pan along x


def chart(
    *heights: float, columns: int = 1, width: float = FULL_WIDTH, share_x: bool = True, zoom: bool = False
) -> tuple[Chart, list[Panel]]:
    """An empty chart with a row of panels for each height [px], and its panels row by row."""
    panels = [Panel(height) for height in heights for _ in range(columns)]
    return Chart(panels, columns, width, share_x and columns == 1, zoom), panels


def without_unit(drawing: Chart | Diagram) -> list[str]:
    """The axes labels of a chart that name no unit; an honest chart, or a diagram, gives an empty list."""
    if isinstance(drawing, Diagram):
        return []
    below = drawing.panels[-1].x_label
    labels = [
        text
        for panel in drawing.panels
        for text in (panel.y_label, panel.x_label or (below if drawing.share_x else ""))
    ]
    return [text or "(no label)" for text in labels if not re.search(r"\(.+\)$", text)]


def thin_curve(x: np.ndarray, y: np.ndarray, limit: int = _MOST_POINTS) -> tuple[np.ndarray, np.ndarray]:
    """At most about ``limit`` points of a long curve that keep every extreme a reader could see.

    Each of limit/2 slices gives its lowest and its highest point, in the order they occur; gaps stay gaps.
    """
    n = x.size
    if n <= limit:
        return x, y
    size = -(-n // (limit // 2))  # points per slice, rounded up
    slices = np.append(y, np.full(-n % size, np.nan)).reshape(-1, size)
    start, finite = np.arange(0, n, size), np.isfinite(slices)
    lowest = start + np.where(finite, slices, np.inf).argmin(axis=1)
    highest = start + np.where(finite, slices, -np.inf).argmax(axis=1)
    gaps = np.flatnonzero(~np.isfinite(y))
    index = np.unique(np.concatenate((lowest, highest, gaps[:: 1 + gaps.size // limit], [0, n - 1])))
    return x[index], y[index]
