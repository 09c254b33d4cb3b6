"""Numbers and frames of MJCF elements: positions, and orientations in any of their five notations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import final

import numpy as np

from panhead.engine.rotations import about, matrix_of
from panhead.errors import FileError

_NOTATIONS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")


@final
class Frames:
    """Reads numbers as a file's <compiler> says."""

    def __init__(self, path: Path, compiler: Mapping[str, str]) -> None:
        self.path = path
        unit = compiler.get("angle", "degree")
        if unit not in ("degree", "radian"):
            raise FileError(path, f"<compiler angle> must be degree or radian, got {unit!r}")
        self.angle = math.pi / 180 if unit == "degree" else 1.0  #: radians per unit
        self.sequence = compiler.get("eulerseq", "xyz")
        if len(self.sequence) != 3 or set(self.sequence.lower()) - set("xyz"):
            raise FileError(path, f"<compiler eulerseq> must be three letters of xyz or XYZ, got {self.sequence!r}")
        if compiler.get("coordinate", "local") != "local":
            raise FileError(path, "<compiler coordinate> must be local; save the model again with MuJoCo")

    def numbers(
        self, where: str, values: Mapping[str, str], key: str, count: int | None, default: Sequence[float] | None = None
    ) -> np.ndarray:
        """``count`` finite numbers of an attribute; None: any count."""
        if key not in values:
            if default is None:
                raise FileError(self.path, f"{where}: {key} is missing")
            return np.array(default, dtype=float)
        try:
            found = np.array([float(x) for x in values[key].split()])
        except ValueError:
            found = np.array([math.nan])
        if not np.isfinite(found).all() or (count is not None and len(found) != count) or not len(found):
            wanted = "numbers" if count is None else f"{count} finite number{'s' * (count > 1)}"
            raise FileError(self.path, f"{where}: {key} must be {wanted}, got {values[key][:60]!r}")
        return found

    def pose(self, where: str, values: Mapping[str, str]) -> tuple[np.ndarray, np.ndarray]:
        """Position and axes of an element in those of its parent."""
        given = [key for key in _NOTATIONS if key in values]
        if len(given) > 1:
            raise FileError(self.path, f"{where}: orientation is given twice, by {' and '.join(given)}")
        p = self.numbers(where, values, "pos", 3, (0.0, 0.0, 0.0))
        return p, self._axes(where, values, given[0]) if given else np.eye(3)

    def _axes(self, where: str, values: Mapping[str, str], key: str) -> np.ndarray:
        count = {"quat": 4, "axisangle": 4, "euler": 3, "xyaxes": 6, "zaxis": 3}[key]
        x = self.numbers(where, values, key, count)
        if not np.linalg.norm(x[:3] if key == "axisangle" else x) > 0 and key != "euler":
            raise FileError(self.path, f"{where}: {key} must not be zero")
        if key == "quat":
            return np.array(matrix_of(x / np.linalg.norm(x)))
        if key == "axisangle":
            return np.array(matrix_of(about(x[:3], self.angle * x[3])))
        if key == "zaxis":
            return turn_to(x)
        return self._euler(x) if key == "euler" else _from_two(x[:3], x[3:])

    def _euler(self, angles: np.ndarray) -> np.ndarray:
        """Turns one after the other, about moving axes (xyz) or fixed ones (XYZ)."""
        R = np.eye(3)
        for letter, angle in zip(self.sequence, angles, strict=True):
            axis = np.eye(3)["xyz".index(letter.lower())]
            turn = np.array(matrix_of(about(axis, self.angle * angle)))
            R = R @ turn if letter.islower() else turn @ R
        return R


def turn_to(z: np.ndarray) -> np.ndarray:
    """Axes whose z lies along a vector, by the least turn."""
    z = z / np.linalg.norm(z)
    axis, angle = np.cross((0.0, 0.0, 1.0), z), math.acos(max(-1.0, min(1.0, float(z[2]))))
    if not np.linalg.norm(axis) > 1e-12:
        axis = np.array([1.0, 0.0, 0.0])
    return np.array(matrix_of(about(axis, angle)))


def _from_two(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    x = x / np.linalg.norm(x)
    y = y - x * (x @ y)
    y = y / np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])
