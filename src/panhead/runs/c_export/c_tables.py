"""Arrays as constant tables in C."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from panhead.runs.c_export.c_layout import TABLES, record_fields, written_fields
from panhead.runs.c_export.c_types import ArrayType

_PER_LINE = 8


class CTables:
    """Constant tables of a program; equal ones are written once."""

    def __init__(self, *, single: bool = False) -> None:
        self.single, self.bytes = single, 0
        self._names: dict[tuple[str, bytes], str] = {}
        self._parts: list[str] = []

    def number(self, value: float) -> str:
        """A real with the shortest text that gives its bits back."""
        if math.isinf(value):
            return "INFINITY" if value > 0 else "-INFINITY"
        if self.single:
            return f"{float(np.float32(value))!r}f"
        return repr(float(value))

    def add(self, name: str, array: np.ndarray, declaration: str) -> str:
        """Write a table unless an equal one is there; return its name. declaration: with {} for the name."""
        key = declaration, array.tobytes() + str(array.shape).encode()
        if key not in self._names:
            unique = name if name not in self._names.values() else f"{name}_{len(self._names)}"
            self._names[key] = unique
            self._parts.append(f"static const {declaration.format(unique)} = {self.text(array)};\n")
            self.bytes += array.size * (4 if self.single and array.dtype.kind == "f" else 8)
        return self._names[key]

    def text(self, array: np.ndarray) -> str:
        """Initialiser of an array or a table."""
        if array.dtype.names:
            rows = [self._row(array[k]) for k in range(array.size)]
            return "{\n" + ",\n".join(rows) + "}"
        if array.ndim == 0:
            return self.number(float(array)) if array.dtype.kind == "f" else str(int(array))
        if array.ndim > 1:
            return "{" + ",\n".join(self.text(each) for each in array) + "}"
        numbers = [self.text(each) for each in array]
        lines = [", ".join(numbers[k : k + _PER_LINE]) for k in range(0, len(numbers), _PER_LINE)]
        return "{" + ",\n".join(lines) + "}"

    def _row(self, row: Any) -> str:
        name = next(n for n, t in TABLES.items() if t == row.dtype)
        fields = record_fields()[name]
        parts = []
        for field in written_fields(name):
            value = np.asarray(row[field])
            parts.append(self.text(value) if isinstance(fields[field], ArrayType) else self.text(value[()].reshape(())))
        return "    {" + ", ".join(parts) + "}"

    @property
    def source(self) -> str:
        """All tables."""
        return "\n".join(self._parts)
