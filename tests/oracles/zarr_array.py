"""A reader of Zarr arrays of one chunk, for machines without the library."""

import json
import zlib
from pathlib import Path

import numpy as np


def read_array(folder: Path) -> np.ndarray:
    """Read an array of one chunk compressed with zlib."""
    about = json.loads((folder / ".zarray").read_text(encoding="utf-8"))
    kind, shape = np.dtype(about["dtype"]), tuple(about["shape"])
    assert about["compressor"]["id"] == "zlib"
    assert about["chunks"] == [max(1, n) for n in shape]
    chunk = folder / (".".join("0" for _ in shape) or "0")
    return np.frombuffer(zlib.decompress(chunk.read_bytes()) if chunk.exists() else b"", kind).reshape(shape)
