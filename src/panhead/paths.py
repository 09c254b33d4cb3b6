"""Folders outside the package: only the cache of compiled kernels."""

from __future__ import annotations

import os
from pathlib import Path


def kernel_cache() -> Path:
    """Where generated and compiled kernels are kept between runs (``PANHEAD_CACHE`` moves it)."""
    chosen = os.environ.get("PANHEAD_CACHE")
    base = (
        Path(chosen)
        if chosen
        else Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "panhead"
    )
    folder = base / "kernels"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
