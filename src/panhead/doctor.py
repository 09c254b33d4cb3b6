"""What the machine and the installation look like, for bug reports and for the curious."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from panhead.files import results


def findings() -> dict[str, str]:
    """Name → value of everything that can make a run differ or fail."""
    found = dict(results.versions())
    found["system"] = platform.platform()
    found["processor"] = f"{results.cpu_name()} ({os.cpu_count()} cores)"
    found["BLAS threads"] = _blas_threads()
    folder = _kernel_cache()
    found["kernel cache"] = f"{folder} ({_size(folder)}{'' if _writable(folder) else ', NOT WRITABLE'})"
    return found


def _kernel_cache() -> Path:
    """Where Numba keeps compiled kernels between runs (``NUMBA_CACHE_DIR`` moves it)."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    return Path(chosen) if chosen else Path(__file__).parent / "kernels" / "__pycache__"


def _blas_threads() -> str:
    import numpy as np

    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    chosen = ", ".join(f"{n}={os.environ[n]}" for n in names if n in os.environ)
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"]
    return f"{blas}, {chosen or 'all cores (no variable set)'}"


def _size(folder: Path) -> str:
    files = [f for f in folder.rglob("*") if f.is_file()]
    return f"{len(files)} files, {sum(f.stat().st_size for f in files) / 1e6:.1f} MB"


def _writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK)
