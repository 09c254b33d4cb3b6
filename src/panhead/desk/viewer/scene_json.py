"""Plain data of a 3D scene for the page: arrays as base64, safe inside a ``<script>`` element."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final

import numpy as np

_GAP: Final = 65535  # the step that stands for "no number"


def scene_json(scene: object) -> str:
    """JSON of a scene made of dataclasses, sequences, numbers and arrays."""
    return json.dumps(_plain(scene), ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return pack_array(value)
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(inner) for inner in value]
    return value


def pack_array(values: np.ndarray) -> dict[str, Any]:
    """Array as the page reads it.

    Rows of float64 stay what they are: times, and places far from the origin of a line. Tables are 65 535 equal steps
    between their extremes, 5 µm of a motion of 0.3 m. float32 stays float32.
    """
    shape = list(values.shape)
    if values.dtype == np.float32:
        return {"kind": "f4", "shape": shape, "data": _base64(values.astype("<f4"))}
    if values.ndim == 1:
        return {"kind": "f8", "shape": shape, "data": _base64(values.astype("<f8"))}
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    step = (high - low) / (_GAP - 1) or 1.0
    steps = np.where(np.isfinite(values), np.rint((np.nan_to_num(values, nan=low) - low) / step), _GAP)
    return {"kind": "u2", "shape": shape, "low": low, "step": step, "data": _base64(steps.astype("<u2"))}


def _base64(values: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode()
