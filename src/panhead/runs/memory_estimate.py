"""Memory estimate of a run, made before anything is allocated."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from panhead.errors import ModelError

if TYPE_CHECKING:
    from panhead.runs.description import Run

_NUMBER = 8  # bytes
_COPIES = 3  # of what is kept of every step: while it is computed, in the result, filtered
_CONTACT, _MASS, _ROW = 5, 3, 4  # numbers of a step: of every strip, of every mass, besides
_STATION = 4096  # bytes of the matrices of one station of all wires, about
_CONTROL_GROUP = Path("/sys/fs/cgroup/memory.max")


def check_memory(run: Run, pantographs: Sequence[Any], seconds: float, metres: float) -> None:
    """ModelError, with size and remedy, for a run that needs more memory than this machine has.

    ``seconds`` of motion in steps, ``metres`` of line in elements.
    """
    strips = sum(len(getattr(p, "heads", (0,))) for p in pantographs)
    masses = sum(int(getattr(p, "size", 8)) for p in pantographs)
    of_step = _NUMBER * _COPIES * (_CONTACT * strips + _MASS * masses + _ROW)
    parts = {
        "step": (of_step * seconds, seconds, "s", "steps"),
        "element_length": (_STATION * metres, metres, "m", "elements"),
    }
    key, (need, extent, unit, what) = max(parts.items(), key=lambda part: part[1][0] / getattr(run.numerics, part[0]))
    size, count = need / getattr(run.numerics, key), extent / getattr(run.numerics, key)
    room = memory()
    if not size <= room:
        raise ModelError(
            f"numerics.{key}: {getattr(run.numerics, key):.3g} {unit} gives {count:.3g} {what}, which need about "
            f"{_bytes(size)} of memory; this machine has {_bytes(room)}. Use at least {need / room:.1g} {unit}, or "
            "shorten the journey"
        )


def memory() -> float:
    """Bytes of memory that this process may use; infinity if the system does not say."""
    found = []
    with contextlib.suppress(AttributeError, ValueError, OSError):  # Windows has no such names
        found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with contextlib.suppress(ImportError):
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        found += [limit] if limit != resource.RLIM_INFINITY else []
    with contextlib.suppress(OSError, ValueError):  # "max" is no number
        found.append(int(_CONTROL_GROUP.read_text(encoding="ascii")))
    return float(min(found, default=float("inf")))


def _bytes(size: float) -> str:
    return f"{size / 1e9:.3g} GB" if size < 1e15 else f"{size:.1e} bytes"
