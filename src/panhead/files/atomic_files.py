"""Atomic file writing, and exclusive folders: files appear complete or not at all, one process per folder."""

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
from panhead.files.lock import LockHeld, hold_lock, is_locked, process_exists

_LOCK = ".lock"
_LOOK = 0.2  # seconds for which a look of ``is_locked`` may hold a lock at the very most
_PART = ".part"  # end of the name of a file that is being written
_STRAY = re.compile(rf"\..+\.([0-9]{{1,10}}){re.escape(_PART)}", re.DOTALL)  # of whichever process
_ABANDONED = 60.0  # age from which such a file of a dead process is nobody's [s]
_LONGEST = 180  # bytes of a name, to which settings are added


@contextlib.contextmanager
def atomic_file(path: Path) -> Iterator[IO[bytes]]:
    """Yield a temporary file that is synced, then renamed to ``path``; on any failure ``path`` is unchanged."""
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
    """Write a file atomically."""
    with atomic_file(path) as file:
        file.write(content)
    return path


def sync(folder: Path) -> None:
    """Flush a folder's entries to disk (fsync); systems that cannot do this for a folder do it by themselves."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class FolderInUse(FileError):
    """Another process is writing to the folder."""


@contextlib.contextmanager
def claim_folder(folder: Path, *, not_of_a_run: bool = False) -> Iterator[None]:
    """Hold a folder exclusively; remove temporary files left by killed processes, before and after.

    ``not_of_a_run``: refuse a folder with the result of a run, whose report would be overwritten.

    ``FolderInUse`` names the owner. The operating system frees the lock of a process that dies, however it dies.
    """
    folder = Path(folder)
    if not_of_a_run and (folder / "result.nc").exists():
        raise FileError(folder, "holds the result of a run, whose report would be overwritten; choose another --out")
    with contextlib.ExitStack() as stack:
        try:
            stack.callback(_remove_empty, [place for place in (folder, *folder.parents) if not place.exists()])
            folder.mkdir(parents=True, exist_ok=True)
            stack.enter_context(hold_lock(folder / _LOCK, wait=_LOOK))
        except LockHeld as held:
            whose = f"another run or study is writing here ({held.problems[0]})"
            raise FolderInUse(folder, f"{whose}; wait for it, stop it, or choose another --out") from None
        except OSError as error:
            why = "is a file" if isinstance(error, FileExistsError) else error.strerror
            raise FileError(folder, f"cannot be written to: {why}; choose another --out") from None
        remove_leftovers(folder)
        stack.callback(remove_leftovers, folder)
        yield


def _remove_empty(folders: Sequence[Path]) -> None:
    """Delete the folders that are empty, the innermost first."""
    with contextlib.suppress(OSError):
        for folder in folders:
            folder.rmdir()


def remove_leftovers(folder: Path) -> None:
    """Delete temporary files of killed processes in a claimed folder; skip subfolders claimed by other processes."""
    for place in (folder, *(path for path in folder.glob("*/") if not is_locked(path / _LOCK))):
        for stray in place.glob(f".*{_PART}"):
            if _STRAY.fullmatch(stray.name):
                stray.unlink(missing_ok=True)


def remove_abandoned(folder: Path) -> None:
    """Delete temporary files of dead processes of this machine in a folder that several processes may write to."""
    for stray in folder.glob(f".*{_PART}"):
        found = _STRAY.fullmatch(stray.name)
        with contextlib.suppress(OSError):
            if found and time() - stray.stat().st_mtime > _ABANDONED and not process_exists(int(found[1])):
                stray.unlink()


def require_path(text: str) -> Path:
    """Convert text to a path; ValueError if it is empty, because pathlib reads "" as the current folder."""
    if not str(text).strip():
        raise ValueError('is empty; give a file or a folder ("." for the current one)')
    return Path(text)


def check_output_is_no_input(outputs: Iterable[Path], inputs: Iterable[Path | str | None]) -> None:
    """Raise FileError if an output file is the same file as an input, under any name."""
    sources = [Path(source) for source in inputs if source and os.path.exists(source)]
    for out in outputs:
        if any(os.path.exists(out) and os.path.samefile(out, source) for source in sources):
            raise FileError(out, "is an input of this command and would be overwritten; choose another --out")


def check_name(name: str) -> str:
    """Return the name if it is a valid folder name on every operating system; ValueError otherwise."""
    if re.search(r"[/\\\x00-\x1f\x7f-\x9f]", name) or name.strip(". ") != name or not name:
        raise ValueError(
            f"{name!r} is not a valid folder name; remove / and \\, control characters, and dots at the ends"
        )
    if len(name.encode()) > _LONGEST:
        raise ValueError(f"{name[:20]!r}… has {len(name)} characters; a folder name may have at most {_LONGEST}")
    return name
