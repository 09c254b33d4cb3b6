"""Draw a 3D scene with plotly as a self-contained page without network requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

import numpy as np

from panhead.desk.drawing.figures import COLORS
from panhead.desk.viewer.scene import ForceArrows, Scene, Strand
from panhead.errors import ModelError
from panhead.files.atomic_files import write_atomic
from panhead.files.result import in_frame

_ARROW: Final = 0.8  # length of the largest, of the least extent that is drawn …
_LONGEST: Final = 0.2  # … but not more of the greatest
_FLAT: Final = 0.01  # of the greatest extent: what is less is none
_BARB: Final = 0.25  # of an arrow's length
_THIN: Final = 0.08  # least extent of an axis, of the greatest
_MARGIN: Final = 0.05
_ACROSS, _UP = 2.4, 1.2  # what fits across and up the screen in plotly's space, whose camera stands about two away
_QUICKEST: Final = 40.0  # [ms] a picture stays at least


@final
@dataclass(frozen=True, slots=True)
class SpaceView:
    """A drawn scene: shows itself in a notebook, goes to a file of its own; ``figure`` is plotly's."""

    figure: Any

    def html(self) -> str:
        """The whole page, self-contained."""
        return str(
            self.figure.to_html(
                include_plotlyjs=True, full_html=True, auto_play=False, div_id="view",
                config={"displaylogo": False, "responsive": True}, default_height="96vh",
            )
        )  # fmt: skip

    def save(self, path: str | Path) -> Path:
        """Write the page; it appears whole or not at all."""
        return write_atomic(Path(path), self.html().encode())

    def _repr_html_(self) -> str:
        return in_frame(self.html())


def draw(scene: Scene) -> SpaceView:
    """Traces of one look each, a picture for every time, a slider, buttons; equal scales on all axes."""
    plotly = _import_plotly()
    strands = [*scene.strands, *(_arrows(a, scene) for a in scene.arrows)]
    looks = merge_strands(strands)
    moving = [k for k, look in enumerate(looks) if not np.array_equal(look.points, look.points[:1], equal_nan=True)]
    frames = [
        plotly.Frame(name=str(k), data=[plotly.Scatter3d(_coordinates(looks[m], k)) for m in moving], traces=moving)
        for k in range(len(scene.times))
    ]
    traces = [plotly.Scatter3d(_coordinates(look, 0) | _look(look)) for look in looks]
    return SpaceView(plotly.Figure(traces, _layout(scene, looks), frames))


def _import_plotly() -> Any:
    try:
        import plotly.graph_objects
    except ImportError:
        raise ModelError("view: the viewer needs the package plotly: pip install 'panhead[view]'") from None
    return plotly.graph_objects


def merge_strands(strands: Sequence[Strand]) -> list[Strand]:
    """Strands that look alike as one, a gap between them: a page of many bodies stays small."""
    kinds: dict[tuple[Any, ...], list[Strand]] = {}
    for strand in strands:
        kinds.setdefault((strand.color, strand.width, strand.dots), []).append(strand)
    return [_merge_alike(alike) for alike in kinds.values()]


def _merge_alike(alike: Sequence[Strand]) -> Strand:
    gap = np.full_like(alike[0].points[:, :1], np.nan)
    pieces = [piece for strand in alike for piece in (gap, strand.points)]
    name = ", ".join(dict.fromkeys(s.name for s in alike if s.name))
    first = alike[0]
    return Strand(name, np.concatenate(pieces[1:], axis=1), first.color, first.width, first.dots)


def _coordinates(look: Strand, k: int) -> dict[str, Any]:
    return dict(zip("xyz", look.points[k].T.astype(np.float32), strict=True))


def _look(look: Strand) -> dict[str, Any]:
    color = COLORS[look.color.removeprefix("var(--").removesuffix(")")][0]
    mode = "markers" if look.width == 0 else "lines+markers" if look.dots else "lines"
    return {
        "name": look.name,
        "mode": mode,
        "line": {"color": color, "width": 1.6 * look.width},
        "marker": {"color": color, "size": 4},
        "showlegend": bool(look.name),
        "hovertemplate": "%{x:.3f}, %{y:.3f}, %{z:.3f} m",
    }


def _arrows(arrows: ForceArrows, scene: Scene) -> Strand:
    """Shafts and barbs as strokes; the largest force has a length that fits the scene, the legend tells the scale."""
    low, high = _box(scene.strands)
    extent = np.sort((high - low)[high - low > _FLAT * (high - low).max()])
    length = min(_ARROW * extent[0], _LONGEST * extent[-1]) if extent.size else 1.0
    most = float(np.nanmax(np.linalg.norm(arrows.force, axis=-1), initial=0.0))
    newtons = _round(most / length) if most > 0 else 1.0
    shaft = arrows.force / newtons
    tip = arrows.foot + shaft
    side = _BARB * 0.4 * np.cross([0.0, 0.0, 1.0] if scene.planar else [0.0, -1.0, 0.0], shaft)
    back = tip - _BARB * shaft
    gap = np.full_like(tip, np.nan)
    strokes = np.stack([arrows.foot, tip, back + side, gap, tip, back - side, gap], axis=2)
    name = f"{arrows.name} ({newtons:g} N per metre)"
    return Strand(name, strokes.reshape(len(strokes), -1, 3), "var(--red)", 4.0)


def _round(value: float) -> float:
    """1, 2 or 5 times a power of ten, not less than the value."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(next(power * digit for digit in (1, 2, 5, 10) if power * digit >= 0.999999 * value))


def _box(strands: Sequence[Strand]) -> tuple[np.ndarray, np.ndarray]:
    """Least and greatest coordinates of everything that is ever drawn."""
    points = np.concatenate([strand.points.reshape(-1, 3) for strand in strands])
    points = points[np.isfinite(points).all(axis=1)]
    if not points.size:
        raise ModelError("view: none of the recorded positions is a number")
    return points.min(axis=0), points.max(axis=0)


def _layout(scene: Scene, looks: Sequence[Strand]) -> dict[str, Any]:
    low, high = _box(looks)
    middle, extent = (low + high) / 2, (high - low) * (1 + 2 * _MARGIN)
    extent = np.maximum(extent, _THIN * (extent.max() or 1.0))
    up = 1 if scene.planar else 2
    ratio = extent * min(_ACROSS / float(extent[:up].sum()), _UP / extent[up])
    axes = {
        f"{axis}axis": {
            "title": {"text": scene.axes[k]},
            "range": [float(middle[k] - extent[k] / 2), float(middle[k] + extent[k] / 2)],
            "nticks": max(3, round(10 * float(extent[k] / extent.max()))),
        }
        for k, axis in enumerate("xyz")
    }
    camera = {"up": {"x": 0, "y": 1, "z": 0}, "eye": {"x": 0.3, "y": 0.3, "z": 2.2}} if scene.planar else _CAMERA
    space = {**axes, "aspectmode": "manual", "aspectratio": dict(zip("xyz", ratio.tolist(), strict=True))}
    return {
        "title": {"text": f"{scene.title}<br><sup>{scene.note}</sup>"},
        "scene": {**space, "camera": camera, "uirevision": "kept"},
        "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom"},
        "margin": {"l": 10, "r": 10, "b": 10, "t": 120},
        "sliders": [_slider(scene.times)],
        "updatemenus": [_buttons(scene.times)],
    }


_CAMERA: Final = {"eye": {"x": -0.9, "y": -1.7, "z": 0.7}}


def _animation(milliseconds: float, **more: Any) -> dict[str, Any]:
    return {"frame": {"duration": milliseconds, "redraw": True}, "transition": {"duration": 0}, **more}


def _slider(times: np.ndarray) -> dict[str, Any]:
    steps = [
        {"label": f"{t:.4g}", "method": "animate", "args": [[str(k)], _animation(0.0, mode="immediate")]}
        for k, t in enumerate(times)
    ]
    return {"steps": steps, "currentvalue": {"prefix": "time ", "suffix": " s"}, "x": 0.12, "len": 0.86}


def _buttons(times: np.ndarray) -> dict[str, Any]:
    """Play in real time where the browser can, and pause."""
    each = max(_QUICKEST, 1e3 * float(np.diff(times).mean())) if len(times) > 1 else _QUICKEST
    play = {"label": "▶", "method": "animate", "args": [None, _animation(each, fromcurrent=True)]}
    pause = {"label": "❚❚", "method": "animate", "args": [[None], _animation(0.0, mode="immediate")]}
    return {
        "type": "buttons", "direction": "left", "showactive": False, "buttons": [play, pause],
        "x": 0.0, "xanchor": "left", "y": 0.0, "yanchor": "top", "pad": {"t": 30},
    }  # fmt: skip
