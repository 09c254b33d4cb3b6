"""Lock files for mutual exclusion between processes; the lock of a process that dies is released."""

from __future__ import annotations

import contextlib
import json
import os
import platform
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from time import monotonic, sleep
from typing import IO, Any

from panhead.errors import FileError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_PAUSE = 0.01  # between two looks whether a lock is free [s]


class LockHeld(FileError):
    """Another process holds the lock; the only problem listed is a description of that process."""


@contextlib.contextmanager
def hold_lock(path: Path, *, wait: float = 0.0) -> Iterator[None]:
    """Hold the lock file ``path``, waiting at most ``wait`` seconds; ``LockHeld`` names its owner."""
    file, until = None, monotonic() + wait
    while file is None:
        try:
            file = _open(path)
        except LockHeld:
            if monotonic() >= until:
                raise
            sleep(_PAUSE)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # while it is ours; Windows removes no open file
            path.unlink()
        file.close()
        if fcntl is None:
            with contextlib.suppress(OSError):
                path.unlink()


def is_locked(path: Path) -> bool:
    """Return whether a process holds the lock file ``path``."""
    if not path.is_file():
        return False
    try:
        with path.open("r+", encoding="utf-8") as file:
            _lock_file(file)
    except OSError:  # held, or not ours to open
        return True
    return False


def _open(path: Path) -> IO[str]:
    """Open and lock the file; the lock lasts until it is closed."""
    if path.is_symlink():
        raise FileError(path, "is a link to another place; remove it, or choose another --out")
    while True:
        file = path.open("a+", encoding="utf-8")
        try:
            _lock_file(file)
        except (BlockingIOError, PermissionError):  # the second on Windows
            file.seek(0)
            owner = _owner(file.read())
            file.close()
            raise LockHeld(path, owner) from None
        with contextlib.suppress(FileNotFoundError):  # the one before us may have removed the file we have opened
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                break
        file.close()
    file.truncate(0)
    now = datetime.now().astimezone().isoformat(sep=" ", timespec="seconds")
    file.write(json.dumps({"process": os.getpid(), "host": platform.node(), "since": now}))
    file.flush()
    return file


def _lock_file(file: IO[str]) -> None:
    """Lock an open file; BlockingIOError if another process holds it."""
    if fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:  # a file system without locks: what is written in the file must do
            file.seek(0)
            if _owner_is_alive(_read(file.read())):
                raise BlockingIOError from None
        return
    import msvcrt

    file.seek(0)
    msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]


def _owner_is_alive(owner: dict[str, Any]) -> bool:
    """Return whether the owner of a lock is alive; a process of another machine is assumed to be."""
    return bool(owner) and (owner["host"] != platform.node() or process_exists(owner["process"]))


def process_exists(process: int) -> bool:
    """Return whether another process of this machine has this process id."""
    if process == os.getpid():
        return False
    if os.name == "nt":  # where os.kill(process, 0) ends the process
        return _windows_process_exists(process)
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # another user's
        return True
    return True


def _windows_process_exists(process: int) -> bool:
    """Ask Windows for a handle of the process, with the right to query it and no other."""
    import ctypes

    query, denied, running = 0x1000, 5, 259  # PROCESS_QUERY_LIMITED_INFORMATION, ERROR_ACCESS_DENIED, STILL_ACTIVE
    if not 0 < process < 1 << 32:
        return False
    system = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined]
    system.OpenProcess.restype = ctypes.c_void_p  # 64 bits
    handle = system.OpenProcess(query, False, ctypes.c_uint32(process))
    if not handle:
        return bool(ctypes.get_last_error() == denied)  # type: ignore[attr-defined]
    try:
        code = ctypes.c_uint32(running)
        system.GetExitCodeProcess(ctypes.c_void_p(handle), ctypes.byref(code))
        return code.value == running  # one that has ended lives on as long as someone holds it
    finally:
        system.CloseHandle(ctypes.c_void_p(handle))


def _read(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
        return {"process": int(found["process"]), "host": str(found.get("host", "")), "since": str(found["since"])}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def _owner(text: str) -> str:
    found = _read(text)
    if not found:
        return "a process that has just started"
    elsewhere = "" if found["host"] in ("", platform.node()) else f" on {found['host']}"
    return f"process {found['process']}{elsewhere}, since {found['since']}"
