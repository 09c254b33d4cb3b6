"""``panhead doctor``: versions, machine and kernel cache, for bug reports."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from panhead.files import results


def findings() -> dict[str, str]:
    """Name → value of everything about the installation that can affect a run."""
    found = dict(results.versions())
    found["system"] = platform.platform()
    found["processor"] = f"{results.cpu_name()} ({os.cpu_count()} cores)"
    found["BLAS threads"] = _blas_threads()
    found["kernels"] = _compilation_mode()
    found["kernel cache"] = _kernel_cache()
    return found


def _compilation_mode() -> str:
    """Compilation mode of the kernels."""
    from panhead.engine.jit import compiler

    return f"{compiler.MODE} compilation" + (" (slower)" if compiler.MODE == "plain" else "")


def _kernel_cache() -> str:
    """Folder of the kernel cache, with its size."""
    from panhead.engine.jit import kernel_cache

    folder = kernel_cache.folder()
    if folder is None:
        tried = ", ".join(map(str, kernel_cache.candidates()))
        return f"none (tried {tried}): kernels are compiled in every run; set PANHEAD_CACHE to a writable folder"
    return f"{folder} ({_folder_size(folder)}{'' if os.access(folder, os.W_OK) else ', read-only'})"


def _blas_threads() -> str:
    import numpy as np

    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    chosen = ", ".join(f"{n}={os.environ[n]}" for n in names if n in os.environ)
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"]
    return f"{blas}, {chosen or 'all cores (no variable set)'}"


def _folder_size(folder: Path) -> str:
    files = [f for f in folder.rglob("*") if f.is_file()]
    return f"{len(files)} files, {sum(f.stat().st_size for f in files) / 1e6:.1f} MB"
