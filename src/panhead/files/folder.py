"""Files that appear whole or not at all, in a folder that belongs to one run at a time."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import IO

from panhead.errors import FileError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_LOCK = ".lock"
_PART = ".part"  # end of the name of a file that is being written
_STRAY = re.compile(rf"\..+\.[0-9]+{re.escape(_PART)}", re.DOTALL)  # of whichever process
_LONGEST = 180  # bytes of a name, to which settings are added


@contextlib.contextmanager
def written(path: Path) -> Iterator[IO[bytes]]:
    """A file to fill: on the disk, and only then called ``path``; whatever goes wrong, ``path`` is as it was."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}{_PART}")
    try:
        partial.unlink(missing_ok=True)
        with partial.open("x+b") as file:  # never through a link that leads elsewhere
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
        sync(path.parent)
    except OSError as error:
        error.filename, error.filename2 = str(path), None  # the name that a person knows
        raise
    finally:
        partial.unlink(missing_ok=True)


def put(path: Path, content: bytes) -> Path:
    """Write a file in one movement."""
    with written(path) as file:
        file.write(content)
    return path


def sync(folder: Path) -> None:
    """Let the names in a folder reach the disk; systems that cannot do it for a folder do it by themselves."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextlib.contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """The folder as one run's own, from which what a killed one was writing is cleaned away.

    FileError names who has it. The system frees the lock of a process that dies, however it dies.
    """
    folder, made = Path(folder), []
    try:
        made = [place for place in (folder, *folder.parents) if not place.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        lock = _lock(folder)
    except OSError as error:
        why = "is a file" if isinstance(error, FileExistsError) else error.strerror
        raise FileError(folder, f"cannot be written to: {why}; choose another --out") from None
    try:
        for stray in (path for where in ("", "*/") for path in folder.glob(f"{where}.*{_PART}")):
            if _STRAY.fullmatch(stray.name):
                stray.unlink(missing_ok=True)
        yield
    finally:
        with contextlib.suppress(OSError):  # while it is ours; Windows removes no open file
            (folder / _LOCK).unlink()
        lock.close()
        if fcntl is None:
            with contextlib.suppress(OSError):
                (folder / _LOCK).unlink()
        with contextlib.suppress(OSError):
            for place in made:
                place.rmdir()  # if nothing was put into it


def _lock(folder: Path) -> IO[str]:
    """The open lock file of a folder; it is ours until it is closed."""
    path = folder / _LOCK
    if path.is_symlink():
        raise FileError(path, "leads elsewhere; remove it, or choose another --out")
    while True:
        file = path.open("a+", encoding="utf-8")
        try:
            _take(file)
        except (BlockingIOError, PermissionError):  # the second on Windows
            file.seek(0)
            story = _owner(file.read())
            file.close()
            raise FileError(
                folder, f"another run is writing here ({story}); wait for it, or choose another --out"
            ) from None
        with contextlib.suppress(FileNotFoundError):  # the one before us may have removed the file we have opened
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                break
        file.close()
    file.truncate(0)
    now = datetime.now().astimezone().isoformat(sep=" ", timespec="seconds")
    file.write(json.dumps({"process": os.getpid(), "since": now}))
    file.flush()
    return file


def _take(file: IO[str]) -> None:
    if fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if isinstance(error, BlockingIOError):
                raise  # any other: a file system without locks, on which nobody can be kept out
        return
    import msvcrt

    file.seek(0)
    msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]


def _owner(text: str) -> str:
    try:
        found = json.loads(text)
        return f"process {int(found['process'])}, since {found['since']}"
    except (ValueError, KeyError, TypeError):
        return "a process that has just begun"


def check_name(name: str) -> str:
    """The name, if it can be that of a folder wherever it is; ValueError otherwise."""
    if re.search(r"[/\\\x00-\x1f\x7f-\x9f]", name) or name.strip(". ") != name or not name:
        raise ValueError(f"{name!r} cannot name a folder; leave out / and \\, control characters and dots at its ends")
    if len(name.encode()) > _LONGEST:
        raise ValueError(f"{name[:20]!r}… has {len(name)} letters; at most {_LONGEST} can name a folder")
    return name
