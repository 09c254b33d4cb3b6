"""Where a run puts its numbers: in memory, or appended to files that survive a killed run.

A stream is a table of float64 rows of one width. On disk each is one file of raw rows; a checkpoint
remembers how many rows there were, and a run that continues cuts off what came after it.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from panhead.errors import FileError

FOLDER = ".run"
_CHECKPOINT = "checkpoint.npz"


class Streams:
    """Growing tables, by name."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = None if folder is None else Path(folder) / FOLDER
        self.rows: dict[str, int] = {}
        self.widths: dict[str, int] = {}
        self._parts: dict[str, list[np.ndarray]] = {}

    def begin(self) -> None:
        """Start afresh: whatever an earlier run left is removed."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)

    def append(self, name: str, rows: np.ndarray) -> None:
        """Add rows (n, …) to a stream; all its rows have the same number of values."""
        table = np.ascontiguousarray(rows, dtype=np.float64).reshape(rows.shape[0], -1)
        self.widths.setdefault(name, table.shape[1])
        self.rows[name] = self.rows.get(name, 0) + table.shape[0]
        if self.folder is None:
            self._parts.setdefault(name, []).append(table.copy())
        else:
            with (self.folder / f"{name}.rows").open("ab") as file:
                file.write(table.tobytes())

    def table(self, name: str) -> np.ndarray:
        """All rows of a stream, (n, width); on disk they are mapped, not read."""
        width = self.widths.get(name, 0)
        if not self.rows.get(name):
            return np.zeros((0, width))
        if self.folder is None:
            parts = self._parts[name]
            if len(parts) > 1:
                self._parts[name] = parts = [np.concatenate(parts)]
            return parts[0]
        shape = self.rows[name], width
        return np.memmap(self.folder / f"{name}.rows", dtype=np.float64, mode="r", shape=shape)

    def size(self) -> int:
        """Bytes of everything there is."""
        return sum(8 * self.rows[name] * self.widths[name] for name in self.rows)

    def checkpoint(self, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> None:
        """Keep a state to continue from; it appears whole or not at all."""
        if self.folder is None:
            return
        text = json.dumps({**facts, "rows": self.rows, "widths": self.widths})
        partial = self.folder / f"{_CHECKPOINT}.part"
        with partial.open("wb") as file:
            np.savez(file, facts=np.frombuffer(text.encode(), dtype=np.uint8), **dict[str, Any](arrays))
            file.flush()
            os.fsync(file.fileno())
        partial.replace(self.folder / _CHECKPOINT)

    def restore(self, **expected: Any) -> tuple[dict[str, np.ndarray], dict[str, Any]] | None:
        """The last checkpoint, with the streams cut back to it; None if there is none.

        A checkpoint whose facts differ from those expected belongs to another run: FileError.
        """
        if self.folder is None or not (self.folder / _CHECKPOINT).exists():
            return None
        with np.load(self.folder / _CHECKPOINT, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files if name != "facts"}
            facts = json.loads(stored["facts"].tobytes().decode())
        for key, value in expected.items():
            if facts.get(key) != value:
                raise FileError(
                    self.folder / _CHECKPOINT,
                    f"belongs to another run ({key} differs); run without --resume, or choose another --out",
                )
        self.rows, self.widths = dict(facts.pop("rows")), dict(facts.pop("widths"))
        for name in self.rows:
            os.truncate(self.folder / f"{name}.rows", 8 * self.rows[name] * self.widths[name])
        for stray in self.folder.glob("*.rows"):
            if stray.stem not in self.rows:
                stray.unlink()
        return arrays, facts

    def remove(self) -> None:
        """Delete the files; the tables must have been copied."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
