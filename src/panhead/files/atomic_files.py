"""Files that appear whole or not at all, in a folder that belongs to one process at a time."""

from __future__ import annotations

import contextlib
import errno
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from time import time
from typing import IO

from panhead.errors import FileError
from panhead.files.lock import Locked, hold_lock, is_locked, lives

_LOCK = ".lock"
_LOOK = 0.2  # seconds for which a look of ``is_locked`` may hold a lock at the very most
_PART = ".part"  # end of the name of a file that is being written
_STRAY = re.compile(rf"\..+\.([0-9]{{1,10}}){re.escape(_PART)}", re.DOTALL)  # of whichever process
_ABANDONED = 60.0  # age from which such a file of a dead process is nobody's [s]
_LONGEST = 180  # bytes of a name, to which settings are added


@contextlib.contextmanager
def atomic_file(path: Path) -> Iterator[IO[bytes]]:
    """A file to fill: on the disk, and only then called ``path``; whatever goes wrong, ``path`` is as it was."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
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


def write_atomic(path: Path, content: bytes) -> Path:
    """Write a file in one movement."""
    with atomic_file(path) as file:
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


class Claimed(FileError):
    """Another process works in a folder."""


@contextlib.contextmanager
def claim(folder: Path) -> Iterator[None]:
    """The folder as one process's own; what a killed one was writing there is cleaned away, before and after.

    Claimed names who has it. The system frees the lock of a process that dies, however it dies.
    """
    folder = Path(folder)
    with contextlib.ExitStack() as stack:
        try:
            stack.callback(_remove_empty, [place for place in (folder, *folder.parents) if not place.exists()])
            folder.mkdir(parents=True, exist_ok=True)
            stack.enter_context(hold_lock(folder / _LOCK, wait=_LOOK))
        except Locked as held:
            whose = f"another run or study is writing here ({held.problems[0]})"
            raise Claimed(folder, f"{whose}; wait for it, stop it, or choose another --out") from None
        except OSError as error:
            why = "is a file" if isinstance(error, FileExistsError) else error.strerror
            raise FileError(folder, f"cannot be written to: {why}; choose another --out") from None
        remove_strays(folder)
        stack.callback(remove_strays, folder)
        yield


def _remove_empty(folders: Sequence[Path]) -> None:
    """Delete folders if nothing was put into them, the innermost first."""
    with contextlib.suppress(OSError):
        for folder in folders:
            folder.rmdir()


def remove_strays(folder: Path) -> None:
    """Delete what killed processes were writing into a claimed folder; folders in it that others have are left."""
    for place in (folder, *(path for path in folder.glob("*/") if not is_locked(path / _LOCK))):
        for stray in place.glob(f".*{_PART}"):
            if _STRAY.fullmatch(stray.name):
                stray.unlink(missing_ok=True)


def remove_abandoned(folder: Path) -> None:
    """Delete what dead processes of this machine were writing into a folder in which others may write too."""
    for stray in folder.glob(f".*{_PART}"):
        found = _STRAY.fullmatch(stray.name)
        with contextlib.suppress(OSError):
            if found and time() - stray.stat().st_mtime > _ABANDONED and not lives(int(found[1])):
                stray.unlink()


def path_named(text: str) -> Path:
    """A path that is not empty, ValueError otherwise: of "" pathlib makes the folder one happens to be in."""
    if not str(text).strip():
        raise ValueError('is empty; name a file or a folder, "." for this one')
    return Path(text)


def check_apart(outputs: Iterable[Path], inputs: Iterable[Path | str | None]) -> None:
    """FileError if a file that will be written is, by whatever name, one that is read."""
    sources = [Path(source) for source in inputs if source and os.path.exists(source)]
    for out in outputs:
        if any(os.path.exists(out) and os.path.samefile(out, source) for source in sources):
            raise FileError(out, "is read by this command and would be overwritten; choose another --out")


def check_name(name: str) -> str:
    """The name, if it can be that of a folder wherever it is; ValueError otherwise."""
    if re.search(r"[/\\\x00-\x1f\x7f-\x9f]", name) or name.strip(". ") != name or not name:
        raise ValueError(f"{name!r} cannot name a folder; leave out / and \\, control characters and dots at its ends")
    if len(name.encode()) > _LONGEST:
        raise ValueError(f"{name[:20]!r}… has {len(name)} letters; at most {_LONGEST} can name a folder")
    return name
