"""Animations as compact text: arrays become base64 inside JSON, small enough to mail."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from panhead.errors import ModelError
from panhead.report.page import Animation, Curve

_GAP = 65535  # the step that stands for "no point here"


def animation_json(animation: Animation) -> str:
    """What the player in the page reads; safe to stand inside a <script> element."""
    frames = np.asarray(animation.times).size
    if frames < 1:
        raise ModelError(f"Animation {animation.title!r}: times is empty; give at least one frame")
    extent = _extent(animation.curves)
    width = animation.width or extent[1] - extent[0]
    fine = (width / 8000, (extent[3] - extent[2]) / 8000)  # far below one pixel
    content = {
        "times": _packed(animation.times),
        "curves": [_curve(c, frames, fine) for c in animation.curves],
        "x_label": animation.x_label,
        "y_label": animation.y_label,
        "equal": animation.equal_aspect,
        "extent": extent,
        "width": width,
        "follow": None
        if animation.follow is None
        else _packed(_checked(animation.follow, (frames,), "follow"), width / 8000),
        "trace": None
        if animation.trace is None
        else {
            "label": animation.trace[0],
            "values": _packed(_checked(animation.trace[1], (frames,), "trace")),
        },
    }
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


def _curve(curve: Curve, frames: int, fine: tuple[float, float]) -> dict[str, Any]:
    x, y = np.asarray(curve.x, float), np.asarray(curve.y, float)
    points = x.shape[-1]
    for name, values in (("x", x), ("y", y)):
        if values.shape not in ((points,), (frames, points)):
            raise ModelError(
                f"Curve {curve.name!r}: {name} has shape {values.shape}; "
                f"it must be ({points},) at rest or ({frames}, {points}) in motion"
            )
    return {
        "name": curve.name,
        "color": curve.color,
        "width": curve.width,
        "dots": curve.dots,
        "points": points,
        "x": _packed(x, fine[0]),
        "y": _packed(y, fine[1]),
    }


def _checked(values: np.ndarray, shape: tuple[int, ...], name: str) -> np.ndarray:
    values = np.asarray(values, float)
    if values.shape != shape:
        raise ModelError(f"Animation: {name} has shape {values.shape}, it must be {shape}")
    return values


def _extent(curves: Iterable[Curve]) -> list[float]:
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


def _packed(values: np.ndarray, resolution: float = 0.0) -> dict[str, Any]:
    """uint16 steps where they resolve ``resolution``, float32 otherwise; row after row."""
    values = np.ascontiguousarray(values, dtype=float)
    low, high = _range(values)
    step = (high - low) / (_GAP - 1)
    if step > resolution:
        return {"kind": "f4", "data": _base64(values.astype("<f4"))}
    scaled = np.zeros_like(values) if step == 0 else (values - low) / step
    steps = np.where(np.isfinite(values), np.rint(scaled), _GAP).astype("<u2")
    return {"kind": "u2", "low": low, "step": step, "data": _base64(steps)}


def _base64(array: np.ndarray) -> str:
    return base64.b64encode(array.tobytes()).decode()
