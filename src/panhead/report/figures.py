"""The house style of figures: made without pyplot, without a display, with units on every axis."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import matplotlib as mpl
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

INK: Final = "#1e293b"
GREY: Final = "#64748b"
PALE: Final = "#cbd5e1"
BLUE: Final = "#1d4ed8"
ORANGE: Final = "#c2410c"
GREEN: Final = "#0f766e"
PURPLE: Final = "#7e22ce"
RED: Final = "#b91c1c"
GOLD: Final = "#a16207"
CYCLE: Final = (BLUE, ORANGE, GREEN, PURPLE, GOLD, GREY, RED, "#0369a1")

_STYLE: Final[Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same picture on every machine
    "font.size": 9.5,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelcolor": INK,
    "axes.edgecolor": GREY,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.xmargin": 0.01,
    "axes.grid": True,
    "axes.prop_cycle": cycler(color=list(CYCLE)),
    "axes.formatter.useoffset": False,
    "axes.formatter.limits": (-4, 7),
    "axes.formatter.use_mathtext": False,  # typesetting every tick takes longer than all the rest
    "grid.color": "#e2e8f0",
    "grid.linewidth": 0.7,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "text.color": INK,
    "lines.linewidth": 1.4,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "path.simplify_threshold": 0.2,
    "svg.fonttype": "path",
    "svg.hashsalt": "panhead",  # equal figures give equal files
}


def figure(
    rows: int = 1,
    columns: int = 1,
    *,
    width: float = 9.0,
    height: float = 3.2,
    share_x: bool = False,
    ratios: Sequence[float] | None = None,
) -> tuple[Figure, list[Axes]]:
    """A figure of ``width`` × ``height`` inches and its axes, row by row."""
    with mpl.rc_context(_STYLE):
        made = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(made)
        grid = made.subplots(rows, columns, sharex=share_x, squeeze=False, height_ratios=ratios)
    return made, list(grid.flat)


def name_axes(axes: Axes, x: str, y: str) -> None:
    """Label both axes; a label carries its unit in brackets, "(1)" if it has none."""
    axes.set_xlabel(x)
    axes.set_ylabel(y)


def legend(axes: Axes, *, columns: int = 5) -> None:
    """A legend in rows above the axes, where it cannot hide a curve; as many columns as fit."""
    longest = max((len(text) for text in axes.get_legend_handles_labels()[1]), default=0)
    inches = axes.get_figure(root=True).get_size_inches()[0] - 0.8  # type: ignore[union-attr]
    fitting = int(inches / (0.07 * longest + 0.5))
    with mpl.rc_context(_STYLE):
        axes.legend(
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            ncols=max(1, min(columns, fitting)),
            borderaxespad=0.2,
            handlelength=1.6,
            columnspacing=1.4,
        )


def without_unit(made: Figure) -> list[str]:
    """The axes labels of a figure that name no unit; an honest figure gives an empty list."""
    wrong = []
    for axes in made.axes:
        if not axes.axison:
            continue
        shared = axes.get_shared_x_axes().get_siblings(axes)
        labels = [axes.get_ylabel(), next((a.get_xlabel() for a in shared if a.get_xlabel()), "")]
        wrong += [text or "(no label)" for text in labels if not re.search(r"\(.+\)$", text)]
    return wrong


def thinned(x: np.ndarray, y: np.ndarray, limit: int = 6000) -> tuple[np.ndarray, np.ndarray]:
    """At most about ``limit`` points of a long curve that keep every extreme a reader could see.

    Each of limit/2 slices gives its lowest and its highest point, in the order they occur.
    """
    n = x.size
    if n <= limit:
        return x, y
    size = -(-n // (limit // 2))  # points per slice, rounded up
    whole = n // size
    slices = y[: whole * size].reshape(whole, size)
    start = np.arange(whole) * size
    picked = np.concatenate(
        (
            start + np.nanargmin(_finite(slices, np.inf), axis=1),
            start + np.nanargmax(_finite(slices, -np.inf), axis=1),
            [0, n - 1],
        )
    )
    index = np.unique(picked)
    return x[index], y[index]


def _finite(values: np.ndarray, instead: float) -> np.ndarray:
    return np.where(np.isfinite(values), values, instead)


def to_svg(made: Figure) -> bytes:
    """The figure as an SVG document, the same bytes every time."""
    return _saved(made, "svg", {"Date": None, "Creator": None})


def to_png(made: Figure, dpi: int = 160) -> bytes:
    """The figure as a PNG image."""
    return _saved(made, "png", {"Software": None}, dpi)


def _saved(made: Figure, kind: str, metadata: Mapping[str, str | None], dpi: int = 100) -> bytes:
    buffer = io.BytesIO()
    with mpl.rc_context(_STYLE):
        if made.get_layout_engine() is not None:  # arranging costs more than drawing: do it once
            made.draw_without_rendering()
            made.set_layout_engine("none")
        made.savefig(buffer, format=kind, metadata=dict(metadata), dpi=dpi)
    return buffer.getvalue()
