"""Kernels: Numba only, arrays in, ``out`` last.

Numba keeps compiled kernels beside their sources and looks at the file of a kernel alone to see whether what it kept
still holds; a kernel's code also holds what it calls in other files. So what was kept is thrown away as soon as any
source of the kernels or of the laws in them has changed.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

_HERE = Path(__file__).parent
_KEPT = _HERE / "__pycache__"


def _forget_stale_code() -> None:
    sources = sorted([*_HERE.glob("*.py"), *(_HERE.parent / "laws").glob("*.py")])
    now = "\n".join(f"{p.name} {p.stat().st_size} {p.stat().st_mtime_ns}" for p in sources)
    mark = _KEPT / "sources.txt"
    if mark.exists() and mark.read_text(encoding="utf-8") == now:
        return
    for kept in (*_KEPT.glob("*.nbi"), *_KEPT.glob("*.nbc")):
        kept.unlink(missing_ok=True)
    _KEPT.mkdir(exist_ok=True)
    mark.write_text(now, encoding="utf-8")


with contextlib.suppress(OSError):  # where nothing can be written nothing is kept either
    _forget_stale_code()
