"""Disk cache of compiled kernels.

Each key has a folder of its own. The key is a hash of every source of the kernels and of the laws in them, of the
versions of what compiles them, and of the processor: what other sources, versions or processors made is not looked at.
Folders are found in ``PANHEAD_CACHE`` or, if that is not set, in the user's folder for caches, or beside the sources
where there is no such folder. Where none can be used, kernels are compiled in memory, anew in every process.

Machine code is run as it is, and Numba wraps it in pickles, which can run anything. Two checks come before a file is
unpacked: its checksum, against damage, and its owner, against malice: file and folder must belong to the user or to
root, and nobody else may be able to write them.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import platform
import re
import shutil
import stat
import sys
import tempfile
import uuid
import warnings
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm
import numba
import numpy as np

_HERE = Path(__file__).parent
_NAMES = "jit", "kernels", "laws", "step"
#: folders whose sources are part of the key
ROOMS = sorted(p for name in _NAMES for depth in ("*/", "*/*/") for p in _HERE.parents[1].glob(depth + name))
_DIGEST = hashlib.sha256().digest_size
_BINARY = getattr(os, "O_BINARY", 0)  # Windows: line ends as they are
_OLD_FOLDERS = 3  # kept beside the one in use, for those who go back and forth


@functools.cache
def key() -> str:
    """Cache key: hash of sources, versions and processor."""
    found = hashlib.sha256()
    for path in sorted(path for room in ROOMS for path in room.glob("*.py")):
        found.update(path.name.encode())
        found.update(path.read_bytes())
    versions = platform.python_implementation(), sys.version, numba.__version__, llvmlite.__version__, np.__version__
    processor = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten(), platform.platform()
    found.update(repr((versions, processor)).encode())
    return found.hexdigest()[:16]


def candidates() -> list[Path]:
    """Folders in which keys may have theirs, the best one first."""
    chosen = os.environ.get("PANHEAD_CACHE")
    if chosen:
        return [Path(chosen).absolute()]
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA", "~")
    else:
        home = os.environ.get("XDG_CACHE_HOME") or ("~/Library/Caches" if sys.platform == "darwin" else "~/.cache")
    mine = Path(os.path.expanduser(home)) / "panhead"
    return [mine] * mine.is_absolute() + [_HERE / "__pycache__"]


@functools.cache
def folder() -> Path | None:
    """Folder of compiled kernels; None if there is none."""
    for place in candidates():
        mine = place / key()
        if mine.is_dir() and os.access(mine, os.R_OK | os.X_OK):  # it may be read-only: filled, then shipped
            if not _is_trusted(mine.stat()):
                _warn_untrusted(mine)
                continue
            with contextlib.suppress(OSError):
                os.utime(mine)
            return mine
        with contextlib.suppress(OSError):
            place.mkdir(parents=True, exist_ok=True)
            mine.mkdir(mode=0o755, exist_ok=True)
            with tempfile.TemporaryFile(dir=mine):
                _evict_old(place)
                return mine
    return None


def _evict_old(place: Path) -> None:
    """Remove the folders of the least recently used keys; a process that still uses one compiles in memory."""
    keys = [path for path in place.iterdir() if re.fullmatch("[0-9a-f]{16}", path.name) and path.name != key()]
    keys.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for path in keys[_OLD_FOLDERS:]:
        shutil.rmtree(path, ignore_errors=True)


def read(name: str) -> bytes | None:
    """The content of a file of the folder; None where there is none, it is damaged, or others could have written it."""
    place = folder()
    if place is None:
        return None
    try:
        with open(place / name, "rb") as file:
            if not _is_trusted(os.fstat(file.fileno())):
                _warn_untrusted(place)
                return None
            found = file.read()
    except OSError:
        return None
    content = found[_DIGEST:]
    return content if found[:_DIGEST] == _digest(name, content) else None


def write(name: str, content: bytes) -> None:
    """Put a file into the folder, at once as a whole; what cannot be written is not kept."""
    place = folder()
    if place is None:
        return
    passing = place / f"{name}.{uuid.uuid4().hex}"
    with contextlib.suppress(OSError):
        try:
            with open(os.open(passing, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o644), "wb") as file:
                file.write(_digest(name, content) + content)
            os.replace(passing, place / name)
        finally:
            passing.unlink(missing_ok=True)


def _digest(name: str, content: bytes) -> bytes:
    """Checksum at the beginning of a file; includes its name, so that files cannot be exchanged."""
    return hashlib.sha256(name.encode() + b"\0" + content).digest()


def _is_trusted(status: os.stat_result) -> bool:
    """True if nobody but this user and root could have written it; Windows guards a user's folders itself."""
    if sys.platform == "win32":
        return True
    return status.st_uid in (os.geteuid(), 0) and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


@functools.cache
def _warn_untrusted(place: Path) -> None:
    """Warn, once per folder, that its files are not used."""
    warnings.warn(
        f"{place}: compiled kernels in this folder are not used, because other users could have "
        "written them. Files must belong to you or to root and be writable by nobody else: run chmod "
        "-R go-w, or set PANHEAD_CACHE to another folder",
        RuntimeWarning,
        stacklevel=2,
    )
