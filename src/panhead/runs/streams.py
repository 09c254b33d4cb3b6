"""Output streams of a run: tables in memory, or appended to files that survive a killed run.

A stream is a table of float64 rows of one width. On disk each is one file of raw rows. A checkpoint remembers how many
rows there were and their checksums, and reaches the disk after them; a run that continues cuts off what came after it.
The last two checkpoints are kept: where one does not verify, the one before it is taken.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import warnings
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from panhead import __version__
from panhead.errors import FileError
from panhead.files.atomic_files import atomic_file, sync

FOLDER = ".run"
_CHECKPOINTS = ("checkpoint-0", "checkpoint-1")  # written in turn
_HEAD = b"panhead checkpoint 1\n"  # then SHA-256 of the rest, then an npz
_NAME = re.compile(r"[a-z_]{1,40}")  # of a stream
_READ = 1 << 22  # bytes at a time


class _NotVerified(Exception):
    """Checkpoint that does not verify; the message says why."""


class Streams:
    """Growing tables, by name."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = None if folder is None else Path(folder) / FOLDER
        self.rows: dict[str, int] = {}
        self.widths: dict[str, int] = {}
        self._sums: dict[str, int] = {}  # CRC-32 of all rows of a stream
        self._number = 0  # of the next checkpoint
        self._parts: dict[str, list[np.ndarray]] = {}

    def begin(self) -> None:
        """Start afresh: remove what an earlier run left."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)

    def append(self, name: str, rows: np.ndarray) -> None:
        """Add rows (n, …) to a stream; all its rows have the same number of values."""
        table = np.ascontiguousarray(rows, dtype=np.float64).reshape(len(rows), int(np.prod(rows.shape[1:])))
        self.widths.setdefault(name, table.shape[1])
        self.rows[name] = self.rows.get(name, 0) + table.shape[0]
        if self.folder is None:
            self._parts.setdefault(name, []).append(table.copy())
        else:
            content = table.tobytes()
            self._sums[name] = zlib.crc32(content, self._sums.get(name, 0))
            with self._path(name).open("ab") as file:
                file.write(content)

    def _path(self, name: str) -> Path:
        assert self.folder is not None
        return self.folder / f"{name}.rows"

    def table(self, name: str) -> np.ndarray:
        """All rows of a stream, (n, width); on disk they are mapped, not read."""
        width = self.widths.get(name, 0)
        if not self.rows.get(name) or not width:
            return np.zeros((self.rows.get(name, 0), width))
        if self.folder is None:
            parts = self._parts[name]
            if len(parts) > 1:
                self._parts[name] = parts = [np.concatenate(parts)]
            return parts[0]
        return np.memmap(self._path(name), dtype=np.float64, mode="r", shape=(self.rows[name], width))

    def size(self) -> int:
        """Size of all streams [bytes]."""
        return sum(8 * self.rows[name] * self.widths[name] for name in self.rows)

    def save(self, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> None:
        """Save a checkpoint to resume from: first the rows reach the disk, then it does, whole or not at all."""
        if self.folder is None:
            return
        for name in self.rows:
            with self._path(name).open("rb+") as file:
                os.fsync(file.fileno())
        sync(self.folder)
        streams = {name: [self.rows[name], self.widths[name], self._sums[name]] for name in self.rows}
        text = json.dumps({"facts": facts, "streams": streams, "number": self._number, "version": __version__})
        content = io.BytesIO()
        np.savez(content, about=np.frombuffer(text.encode(), dtype=np.uint8), **dict[str, Any](arrays))
        with atomic_file(self.folder / _CHECKPOINTS[self._number % 2]) as file:
            file.write(_HEAD + hashlib.sha256(content.getbuffer()).digest() + content.getbuffer())
        self._number += 1

    def restore(self, **expected: Any) -> tuple[dict[str, np.ndarray], dict[str, Any]] | None:
        """Last checkpoint that verifies, with the streams cut back to it; None if there is none.

        FileError where its facts differ from those expected, for then it belongs to another run, and where there are
        checkpoints but none verifies.
        """
        if self.folder is None:
            return None
        found, wrong = [], []
        for path in (self.folder / name for name in _CHECKPOINTS):
            try:
                found.append((path, *self._verify(path)))
            except FileNotFoundError:
                continue
            except (_NotVerified, OSError) as error:
                wrong.append(f"{path.name} {error}")
        if wrong and not found:
            raise FileError(self.folder, [*wrong, "no usable checkpoint; run without --resume"])
        if wrong:
            warnings.warn(f"{self.folder}: {'; '.join(wrong)}; using the previous checkpoint", stacklevel=2)
        if not found:
            return None
        path, arrays, about = max(found, key=lambda one: int(one[2]["number"]))
        for key, value in expected.items():
            if about["facts"].get(key) != value:
                raise FileError(
                    path, f"belongs to another run ({key} differs); run without --resume, or choose another --out"
                )
        self._cut_back(about)
        return arrays, about["facts"]

    def _verify(self, path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Arrays and facts of a checkpoint of this version whose rows are complete and unchanged."""
        content = path.read_bytes()
        begin = len(_HEAD) + 32
        if not content.startswith(_HEAD):
            raise _NotVerified("is not a checkpoint of this version")
        if hashlib.sha256(content[begin:]).digest() != content[len(_HEAD) : begin]:
            raise _NotVerified("is damaged")
        try:
            with np.load(io.BytesIO(content[begin:]), allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files if name != "about"}
                about = json.loads(stored["about"].tobytes())
            streams = {str(k): tuple(map(int, v)) for k, v in about["streams"].items()}
            written_by, _ = str(about["version"]), int(about["number"])
            assert isinstance(about["facts"], dict)
        except (ValueError, KeyError, TypeError, AssertionError, AttributeError, zipfile.BadZipFile, EOFError):
            raise _NotVerified("has not the content of a checkpoint") from None
        if written_by != __version__:
            raise _NotVerified(f"was written by panhead {written_by}, but this is panhead {__version__}")
        for name, numbers in streams.items():
            self._verify_rows(name, numbers)
        return arrays, about

    def _verify_rows(self, name: str, numbers: tuple[int, ...]) -> None:
        if not _NAME.fullmatch(name) or len(numbers) != 3 or min(numbers) < 0:
            raise _NotVerified(f"refers to an unknown stream {name!r}")
        if self._path(name).is_symlink():
            raise _NotVerified(f"needs {name}.rows, which is a symbolic link")
        rows, width, wanted = numbers
        left, found = 8 * rows * width, 0
        try:
            with self._path(name).open("rb") as file:
                while left and (piece := file.read(min(left, _READ))):
                    left, found = left - len(piece), zlib.crc32(piece, found)
        except OSError as error:
            raise _NotVerified(f"needs {name}.rows: {error.strerror}") from None
        if left:
            raise _NotVerified(f"needs {left} more bytes than {name}.rows has")
        if found != wanted:
            raise _NotVerified(f"does not match {name}.rows, which is damaged")

    def _cut_back(self, about: Mapping[str, Any]) -> None:
        assert self.folder is not None
        for name, (rows, width, checksum) in about["streams"].items():
            self.rows[name], self.widths[name], self._sums[name] = rows, width, checksum
            os.truncate(self._path(name), 8 * rows * width)
        for stray in self.folder.glob("*.rows"):
            if stray.stem not in self.rows:
                stray.unlink()
        for stray in self.folder.glob(".*.part"):
            stray.unlink()
        self._number = int(about["number"]) + 1
