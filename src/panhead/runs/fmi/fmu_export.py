"""Export of lines and pantographs as FMUs for co-simulation in other tools.

An exported FMU contains its description as text (resources/unit.toml), a few lines of Python, and the binaries of
pythonfmu3 (FMI 3.0) or pythonfmu (FMI 2.0) for Linux and Windows on x86-64. Panhead does the computation: the importing
machine needs Python with panhead installed.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

from panhead.errors import FileError, ModelError
from panhead.runs.fmi import exportable_units
from panhead.runs.fmi.fmu_binary import remove_fmu_modules

VERSIONS = {"2.0": ("pythonfmu", "unit_two"), "3.0": ("pythonfmu3", "unit_three")}


def export(unit: exportable_units.ExportedUnit, out: str | Path, *, fmi: str = "3.0") -> Path:
    """Write the FMU; the file appears complete or not at all."""
    if fmi not in VERSIONS:
        raise ModelError(f"FMI version {fmi!r} cannot be exported; available: {', '.join(VERSIONS)}")
    out = Path(out)
    if out.suffix != ".fmu":
        raise FileError(out, "the file name of an FMU must end in .fmu")
    package, script = VERSIONS[fmi]
    builder = _builder(package)
    with _staging_folder() as stage:
        shutil.copy(Path(__file__).with_name(f"{script}.py"), stage / f"panhead_{script}.py")
        (stage / "unit.toml").write_text(exportable_units.write(unit), encoding="utf-8")
        _add_licence(stage / "documentation" / "licenses", package)
        built = builder.build_FMU(
            stage / f"panhead_{script}.py",
            dest=stage / "built",
            project_files=[stage / "unit.toml"],
            documentation_folder=stage / "documentation",
            needsExecutionTool=True,
            canHandleVariableCommunicationStepSize=True,
            canBeInstantiatedOnlyOncePerProcess=False,
            canGetAndSetFMUState=True,
            canGetAndSetFMUstate=True,
            canSerializeFMUState=True,
            canSerializeFMUstate=True,
        )
        return _move(built, out)


def _builder(package: str) -> Any:
    try:
        if package == "pythonfmu":
            from pythonfmu import FmuBuilder
        else:
            from pythonfmu3 import FmuBuilder
    except ImportError:
        raise ModelError(f"exporting an FMU needs the package {package}: pip install 'panhead[fmi]'") from None
    return FmuBuilder


@contextmanager
def _staging_folder() -> Iterator[Path]:
    """Temporary build folder; Python's path is restored afterwards."""
    before = list(sys.path)
    with tempfile.TemporaryDirectory(prefix="panhead-fmu-") as folder:
        try:
            yield Path(folder)
        finally:
            sys.path[:] = before
            remove_fmu_modules(Path(folder))


def _add_licence(folder: Path, package: str) -> None:
    """Add the licence of the third-party code in the FMU."""
    folder.mkdir(parents=True)
    for file in metadata.files(package) or []:
        if "LICENSE" in file.name:
            shutil.copy(str(file.locate()), folder / f"{package}.txt")


def _move(built: Path, out: Path) -> Path:
    partial = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(built, partial)
        partial.replace(out)
    except OSError as error:
        raise FileError(out, f"cannot be written: {error}") from None
    finally:
        partial.unlink(missing_ok=True)
    return out
