"""Zarr stores (format 2, directories): groups of arrays that any Zarr reader opens; written without the library.

An array is a folder with ``.zarray`` (shape, type, compression) and one chunk; a group is a folder with ``.zgroup``.
Numbers are little-endian, chunks compressed with zlib, texts fixed-length Unicode (Zarr storage specification 2).
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from panhead.files.atomic_files import write_atomic

_LEVEL = 5  # of zlib


def write_group(
    folder: Path, arrays: Mapping[str, Any] | None = None, attributes: Mapping[str, Any] | None = None
) -> Path:
    """Write a group with these arrays; one that exists gets them in addition."""
    write_atomic(folder / ".zgroup", b'{"zarr_format": 2}')
    if attributes:
        write_atomic(folder / ".zattrs", json.dumps(dict(attributes)).encode())
    for name, values in (arrays or {}).items():
        write_array(folder / name, np.asarray(values))
    return folder


def write_array(folder: Path, array: np.ndarray) -> Path:
    """Write an array as one chunk; its description comes last, so that it is there whole or not at all."""
    stored = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    about = {
        "zarr_format": 2,
        "shape": list(stored.shape),
        "chunks": [max(1, n) for n in stored.shape],
        "dtype": stored.dtype.str,
        "compressor": {"id": "zlib", "level": _LEVEL},
        "fill_value": None,
        "order": "C",
        "filters": None,
    }
    if stored.size:
        chunk = ".".join("0" for _ in stored.shape) or "0"
        write_atomic(folder / chunk, zlib.compress(stored.tobytes(), _LEVEL))
    return write_atomic(folder / ".zarray", json.dumps(about).encode())
