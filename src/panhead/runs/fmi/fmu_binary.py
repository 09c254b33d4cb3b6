"""Loading and unloading of the binary of an FMU through fmpy."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import zipfile
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, final

from panhead.errors import FileError, ModelError, SimulationError
from panhead.runs.fmi.fmi_interfaces import Interface, open_three, open_two
from panhead.runs.fmi.model_description import BROKEN, UnitDescription

_KEPT_MESSAGES = 8  #: last messages of a unit that go into an error
_FATAL = 4  #: fmi2Fatal, fmi3Fatal: nothing may be called any more
_STATUS = {2: "discarded", 3: "error", 4: "fatal error", 5: "pending"}

TRUST_WARNING = (
    "an FMU is native code that runs with your privileges: it can read, change and send your files. If you trust "
    "its source, allow it with trust=True or --trust-foreign-code"
)


def import_fmpy() -> Any:
    """Import fmpy; ModelError that says how to install it."""
    try:
        import fmpy
    except ImportError:
        raise ModelError("importing an FMU needs the package fmpy: pip install 'panhead[fmi]'") from None
    return fmpy


@final
class LoadedUnit:
    """Running FMU: its binary, its unpacked files, its last messages."""

    def __init__(self, description: UnitDescription, *, trust: bool) -> None:
        if not trust:
            raise ModelError(f"{description.path} is not loaded: {TRUST_WARNING}")
        fmpy = import_fmpy()
        self.description = description
        self.messages: deque[str] = deque(maxlen=_KEPT_MESSAGES)
        platform = fmpy.platform if description.version == "2.0" else fmpy.platform_tuple
        if platform not in description.platforms:
            has = ", ".join(description.platforms) or "none"
            raise FileError(description.path, f"has no binary for this platform ({platform}); it has: {has}")
        self._folder = tempfile.TemporaryDirectory(prefix="panhead-fmu-", ignore_cleanup_errors=True)
        self._dead = False
        self._unit: Any = None
        try:
            self._unpack()
            self._load()
        except BaseException:
            self._clean()
            raise

    @property
    def open(self) -> bool:
        return self._unit is not None and not self._dead

    @property
    def calls(self) -> Interface:
        return self._calls

    def attempt(self, what: str) -> _Attempt:
        """Context manager ``with loaded.attempt("take a step"):`` that turns a failure of the FMU into a
        SimulationError."""
        return _Attempt(self, what)

    def close(self) -> None:
        """Terminate, free, unload, remove the unpacked files. May be called twice."""
        unit, self._unit = self._unit, None
        if unit is not None and not self._dead:
            with contextlib.suppress(self.refusal):
                unit.terminate()
            unit.freeInstance()
        self._clean()

    @property
    def refusal(self) -> type[Exception]:
        from fmpy.fmi1 import FMICallException

        return FMICallException

    def fail(self, what: str, status: int) -> NoReturn:
        self._dead = self._dead or status == _FATAL
        said = "".join(f"\n  {m}" for m in self.messages) or " (it gave no reason)"
        name, word = self.description.path.name, _STATUS.get(status, str(status))
        raise SimulationError(f"FMU {name} failed to {what}: {word}.{said}")

    def _unpack(self) -> None:
        try:
            with zipfile.ZipFile(self.description.path) as archive:
                archive.extractall(self._folder.name)  # keeps members inside the folder
        except BROKEN as error:
            raise FileError(self.description.path, f"cannot be unpacked: {error}") from None

    def _load(self) -> None:
        d = self.description
        arguments = {
            "guid": d.token,
            "modelIdentifier": d.identifier,
            "unzipDirectory": self._folder.name,
            "instanceName": d.name or d.identifier,
        }
        open_unit = open_two if d.version == "2.0" else open_three
        try:
            with _same_folder():
                self._unit, self._calls = open_unit(arguments, self._hear)
        except Exception as error:  # noqa: BLE001 fmpy raises Exception itself
            said = "".join(f"\n  {m}" for m in self.messages)
            raise FileError(d.path, f"its binary cannot be loaded: {error}{said}") from None

    def _hear(self, text: bytes | None) -> None:
        self.messages.append((text or b"").decode("utf-8", errors="replace").strip())

    def _clean(self) -> None:
        remove_fmu_modules(Path(self._folder.name))
        self._folder.cleanup()


@final
class _Attempt:
    """Turns a failure of the FMU into a SimulationError with its last messages."""

    def __init__(self, loaded: LoadedUnit, what: str) -> None:
        self._loaded, self._what = loaded, what

    def __enter__(self) -> Interface:
        if not self._loaded.open:
            raise SimulationError(f"FMU {self._loaded.description.path.name} is closed or has failed")
        return self._loaded.calls

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if isinstance(error, self._loaded.refusal):
            self._loaded.fail(self._what, int(getattr(error, "status", -1)))


@contextlib.contextmanager
def _same_folder() -> Iterator[None]:
    """Restore the working directory: fmpy changes it to load a binary, and leaves it changed on failure."""
    here = os.getcwd()
    try:
        yield
    finally:
        os.chdir(here)


def remove_fmu_modules(folder: Path) -> None:
    """Remove from the path and module table what an FMU written in Python has added."""
    inside = lambda place: folder in Path(place).parents or Path(place) == folder
    sys.path[:] = [p for p in sys.path if not inside(p)]
    for name, module in list(sys.modules.items()):
        if inside(getattr(module, "__file__", None) or ""):
            del sys.modules[name]
