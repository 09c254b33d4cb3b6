"""Files of a route's output folder: readings, fits and assessments of every tension length, as plain data."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from panhead.desk.sheets.survey_noise import SurveyNoise
from panhead.errors import FileError
from panhead.explore.asbuilt.fit_tension_length import TensionLengthFit
from panhead.explore.asbuilt.parts import BuiltPart
from panhead.files.atomic_files import write_atomic


def record_path(folder: Path, kind: str, index: int, ending: str) -> Path:
    """File of one tension length; kind: readings, fits, assessments."""
    return folder / kind / f"{index:05d}.{ending}"


def save_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Arrays in one file that appears whole."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]  # names are text
    write_atomic(path, buffer.getvalue())


def load_arrays(path: Path) -> dict[str, np.ndarray]:
    """Arrays of a file, nothing executed."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (OSError, ValueError) as error:
        raise FileError(path, f"cannot be read: {error}; delete it and repeat the command") from None


def save_json(path: Path, plain: Mapping[str, Any]) -> None:
    """Plain data as JSON."""
    write_atomic(path, json.dumps(plain, ensure_ascii=False).encode())


def load_json(path: Path) -> dict[str, Any]:
    """Plain data of a file."""
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise FileError(path, f"cannot be read: {error}; delete it and repeat the command") from None


def save_fit(folder: Path, index: int, fit: TensionLengthFit) -> None:
    """A fit in two files; the JSON, which says that it is there, last."""
    save_arrays(record_path(folder, "fits", index, "npz"), {"covariance": fit.covariance})
    plain = {name: getattr(fit, name) for name in ("name", "begin", "end", "rms", "used")}
    noise = [fit.noise.deviation, fit.noise.length]
    parts = [asdict(part) for part in fit.parts]
    save_json(record_path(folder, "fits", index, "json"), {**plain, "noise": noise, "notes": fit.notes, "parts": parts})


def load_fit(folder: Path, index: int) -> TensionLengthFit:
    """A fit from its files."""
    plain = load_json(record_path(folder, "fits", index, "json"))
    arrays = load_arrays(record_path(folder, "fits", index, "npz"))
    parts = tuple(BuiltPart(**{**raw, "place": tuple(raw["place"])}) for raw in plain["parts"])
    same = {name: plain[name] for name in ("name", "begin", "end", "rms", "used")}
    return TensionLengthFit(
        **same,
        parts=parts,
        covariance=arrays["covariance"],
        noise=SurveyNoise(*plain["noise"]),
        notes=tuple(plain["notes"]),
    )
