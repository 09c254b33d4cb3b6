"""Where compiled kernels are kept between runs.

Each key has a folder of its own. The key is a hash of every source of the kernels and of the laws in them, of the
versions of what compiles them, and of the processor: what other sources, versions or processors made is not looked at.
In a folder, a compiled form is named by its signature and by the fingerprint of its function.
Folders are found in ``PANHEAD_CACHE`` or, if that is not set, in the user's folder for caches, or beside the sources
where there is no such folder. Where none can be used, kernels are compiled in memory, anew in every process.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import platform
import re
import shutil
import sys
import tempfile
from pathlib import Path
from pickle import UnpicklingError

import llvmlite
import llvmlite.binding as llvm
import numba
import numpy as np
from numba.core.caching import IndexDataCacheFile, NullCache
from numba.core.compiler import CompileResult
from numba.core.typing import Signature

from panhead.kernels.fingerprint import Unknown, fingerprint, type_text, value_text

_HERE = Path(__file__).parent
_ROOMS = _HERE, _HERE.parent / "laws"
_ONE = "code"  # of a file, the only entry
_OLD_FOLDERS = 3  # kept beside the one in use, for those who go back and forth


@functools.cache
def key() -> str:
    """What makes compiled code usable: sources, versions, processor."""
    found = hashlib.sha256()
    for path in sorted(path for room in _ROOMS for path in room.glob("*.py")):
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
    """Where compiled kernels are read and written; None: nowhere."""
    for place in candidates():
        mine = place / key()
        if mine.is_dir() and os.access(mine, os.R_OK | os.X_OK):  # it may be read-only: filled, then shipped
            with contextlib.suppress(OSError):
                os.utime(mine)
            return mine
        with contextlib.suppress(OSError):
            mine.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=mine):
                _forget_old(place)
                return mine
    return None


def _forget_old(place: Path) -> None:
    """Remove the folders of keys that have not been used for longest; who still uses one compiles in memory."""
    keys = [path for path in place.iterdir() if re.fullmatch("[0-9a-f]{16}", path.name) and path.name != key()]
    keys.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for path in keys[_OLD_FOLDERS:]:
        shutil.rmtree(path, ignore_errors=True)


class Kept(NullCache):
    """The compiled forms of one function: files of its own for each signature, which processes may write at once."""

    def __init__(self, function, options):
        self._function, self._options = function, options

    def _file(self, signature):
        """The files of a compiled form, or None where it is not to be kept."""
        if folder() is None:
            return None
        source = Path(self._function.__code__.co_filename)
        try:
            kinds = (*signature.args, signature.return_type) if isinstance(signature, Signature) else signature
            what = repr(([type_text(kind) for kind in kinds], value_text(self._options), fingerprint(self._function)))
        except Unknown:
            return None
        if source.parent not in _ROOMS and source.is_file():
            what += source.read_text(encoding="utf-8")
        name = f"{source.stem}.{self._function.__name__}.{hashlib.sha256(what.encode()).hexdigest()[:16]}"
        return IndexDataCacheFile(str(folder()), name, key())

    def load_overload(self, sig, target_context):
        """The compiled form for a signature, or None."""
        target_context.refresh()
        file = self._file(sig)
        if file is None:
            return None
        try:
            data = file.load(_ONE)
        except (OSError, EOFError, UnpicklingError, ValueError):  # cut short when the machine went down
            with contextlib.suppress(OSError):
                os.unlink(file._index_path)
            return None
        return None if data is None else CompileResult._rebuild(target_context, *data)

    def save_overload(self, sig, data):
        """Keep a compiled form; what cannot be written is not kept."""
        file = None if data.library.has_dynamic_globals else self._file(sig)
        if file is not None:
            with contextlib.suppress(OSError):
                file.save(_ONE, data._reduce())
