"""Render a Page as one self-contained HTML file: works offline, on small screens, in light and dark mode."""

from __future__ import annotations

import base64
import functools
import json
import re
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Any, Final

import numpy as np
from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from panhead import __version__
from panhead.desk.drawing import svg
from panhead.desk.drawing.figures import COLORS, Chart
from panhead.desk.reports.page import Animation, Block, Page, PageList, PageTable, Picture, Polyline
from panhead.errors import ModelError
from panhead.files.atomic_files import write_atomic

#: how a mood looks and what it is called: never colour alone
MARKS: Final = {"good": ("✓", "OK"), "warning": ("!", "Attention"), "bad": ("✕", "Fail"), "neutral": ("i", "Result")}
_GAP: Final = 65535  # the step that stands for "no point here"


def html(page: Page) -> str:
    """The whole report as HTML text, without any network request."""
    blocks = [block for section in page.sections for block in section.blocks]
    names = [block.name for block in blocks if isinstance(block, Picture)]
    for name in names:
        if not re.fullmatch(r"[\w-]+", name):
            raise ModelError(f"Picture {name!r}: the name becomes a file name; use letters, digits, - and _ only")
        if names.count(name) > 1:
            raise ModelError(f"Picture {name!r}: two pictures have this name; rename one")
    # something can be zoomed, or is folded and opened before it is printed
    zoomed = any(isinstance(b, Picture) and isinstance(b.chart, Chart) and b.chart.zoom for b in blocks)
    opened = any(part.folded for part in page.sections) or any(getattr(b, "folded", False) for b in blocks)
    light, dark = ("".join(f"--{name}:{values[k]};" for name, values in COLORS.items()) for k in (0, 1))
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            page=page,
            version=__version__,
            marks=MARKS,
            show=_show,
            colors=Markup(f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"),
            css=_asset("style.css"),
            js=_asset("player.js"),
            opens=_asset("zoom.js") if zoomed or opened else "",
            animated=any(isinstance(b, Animation) for b in blocks),
        )
    )


def write(page: Page, folder: Path) -> Path:
    """Write ``report.html`` and ``figures/*.svg``; each file appears whole or not at all."""
    folder = Path(folder)
    text = html(page)  # first: if it fails, nothing is written
    for section in page.sections:
        for block in section.blocks:
            if isinstance(block, Picture):
                drawn = svg.document(block.chart)
                write_atomic(folder / "figures" / f"{block.name}.svg", drawn.encode())
    return write_atomic(folder / "report.html", text.encode())


@functools.cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("panhead.desk.reports", "templates"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )


@functools.cache
def _asset(name: str) -> Markup:
    """A shipped stylesheet or script, inserted without escaping."""
    return Markup((resources.files("panhead.desk.reports") / "templates" / name).read_text("utf-8"))


def _show(block: Block) -> Markup:
    macros: Any = _environment().get_template("blocks.html.j2").module
    if isinstance(block, PageList):
        return macros.bullets(block)
    if isinstance(block, PageTable):
        _check_shape(block)
        return macros.table(block, _numeric_columns(block), MARKS)
    if isinstance(block, Picture):
        words = ": ".join(text for text in (block.title, block.caption) if text)
        return macros.picture(block, Markup(svg.fragment(block.chart, words or block.name)))
    if isinstance(block, Animation):
        return macros.animation(block, Markup(animation_json(block)))
    return macros.paragraph(block)


def _check_shape(table: PageTable) -> None:
    for row in table.rows:
        if len(row) != len(table.headings):
            raise ModelError(
                f"PageTable {table.title!r}: row {list(row)} has {len(row)} cells under {len(table.headings)} headings"
            )
    if table.moods and len(table.moods) != len(table.rows):
        raise ModelError(f"PageTable {table.title!r}: {len(table.moods)} moods for {len(table.rows)} rows")


def _numeric_columns(table: PageTable) -> list[bool]:
    """True for each column of numbers (with or without error bars), which is right-aligned."""

    def numeric(column: int) -> bool:
        cells = [row[column] for row in table.rows if row[column].strip(" –—")]
        return bool(cells) and all(re.match(r"^[<>≤≥±~✓✕?]?\s*[-+−]?\d", cell) for cell in cells)

    return [column > 0 and numeric(column) for column in range(len(table.headings))]


def animation_json(animation: Animation) -> str:
    """JSON for the animation player: arrays as base64, safe inside a <script> element."""
    frames = np.asarray(animation.times).size
    if frames < 1:
        raise ModelError(f"Animation {animation.title!r}: times is empty; give at least one frame")
    extent = _extent(animation.curves)
    width = animation.width or extent[1] - extent[0]
    fine = (width / 8000, (extent[3] - extent[2]) / 8000)  # far below one pixel
    follow = animation.follow
    content = {
        "times": _pack(animation.times),
        "curves": [_polyline(c, frames, fine) for c in animation.curves],
        "x_label": animation.x_label,
        "y_label": animation.y_label,
        "equal": animation.equal_aspect,
        "extent": extent,
        "width": width,
        "station": animation.station,
        "follow": None if follow is None else _pack(_require_shape(follow, (frames,), "follow"), width / 8000),
        "traces": [
            {
                "label": trace.label,
                "color": trace.color,
                "times": _pack(trace.times),
                "values": _pack(_require_shape(trace.values, np.shape(trace.times), "trace")),
            }
            for trace in animation.traces
        ],
    }
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


def _polyline(curve: Polyline, frames: int, fine: tuple[float, float]) -> dict[str, Any]:
    x, y = np.asarray(curve.x, float), np.asarray(curve.y, float)
    points = x.shape[-1]
    for name, values in (("x", x), ("y", y)):
        if values.shape not in ((points,), (frames, points)):
            raise ModelError(
                f"Polyline {curve.name!r}: {name} has shape {values.shape}; "
                f"it must be ({points},) at rest or ({frames}, {points}) in motion"
            )
    return {
        "name": curve.name,
        "color": curve.color,
        "width": curve.width,
        "dots": curve.dots,
        "gaps": curve.gaps,
        "points": points,
        "x": _pack(x, fine[0]),
        "y": _pack(y, fine[1]),
    }


def _require_shape(values: np.ndarray, shape: tuple[int, ...], name: str) -> np.ndarray:
    values = np.asarray(values, float)
    if values.shape != shape:
        raise ModelError(f"Animation: {name} has shape {values.shape}, it must be {shape}")
    return values


def _extent(curves: Iterable[Polyline]) -> list[float]:
    """x₀, x₁, y₀, y₁ of everything that is ever drawn, with a margin of 5 %."""
    sides: list[float] = []
    for axis in ("x", "y"):
        ranges = [_range(getattr(c, axis)) for c in curves]
        low, high = min(r[0] for r in ranges), max(r[1] for r in ranges)
        margin = 0.05 * (high - low) or 0.5
        sides += [low - margin, high + margin]
    return sides


def _range(values: np.ndarray) -> tuple[float, float]:
    finite = np.asarray(values, float)
    finite = finite[np.isfinite(finite)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)


def _pack(values: np.ndarray, resolution: float = 0.0) -> dict[str, Any]:
    """uint16 steps where they resolve ``resolution``, float32 otherwise; row after row."""
    values = np.ascontiguousarray(values, dtype=float)
    low, high = _range(values)
    step = (high - low) / (_GAP - 1)
    coarse = step > resolution
    scaled = np.zeros_like(values) if step == 0 else (values - low) / step
    packed = values.astype("<f4") if coarse else np.where(np.isfinite(values), np.rint(scaled), _GAP).astype("<u2")
    data = base64.b64encode(packed.tobytes()).decode()
    return {"kind": "f4", "data": data} if coarse else {"kind": "u2", "low": low, "step": step, "data": data}
