"""Results: one xarray.Dataset per run, stored as netCDF-4 with everything needed to run it again."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from panhead import __version__
from panhead.errors import FileError, ModelError
from panhead.files import door

if TYPE_CHECKING:
    import xarray as xr

    from panhead.files.result import Result

_JSON = ("versions", "criteria", "variant_attributes", "paths", "control")  # attributes that hold it
_LIBRARIES = ("numpy", "scipy", "numba", "casadi", "xarray")


def versions() -> dict[str, str]:
    """The versions a number can depend on."""
    found = {"panhead": __version__, "python": platform.python_version()}
    return found | {name: metadata.version(name) for name in _LIBRARIES}


def cpu_name() -> str:
    """The processor's name as the system gives it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def with_provenance(dataset: xr.Dataset, inputs: Mapping[str, Any]) -> xr.Dataset:
    """The same dataset with its exact inputs, their hash, versions and machine as attributes."""
    text = json.dumps(inputs, sort_keys=True, ensure_ascii=False)
    return dataset.assign_attrs(
        inputs=text,
        input_sha256=hashlib.sha256(text.encode()).hexdigest(),
        versions=json.dumps(versions()),
        cpu=cpu_name(),
        system=platform.platform(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def inputs_of(dataset: xr.Dataset) -> dict[str, Any]:
    """The plain data of the scenario this result was computed from; ModelError if it has none."""
    found = _json("inputs", dataset.attrs.get("inputs", ""))
    if not isinstance(found, dict):
        raise ModelError(f"the attribute 'inputs' holds no table but {found!r:.60}")
    return door.checked(found, "the attribute 'inputs'")


def save(dataset: xr.Dataset, path: Path) -> Path:
    """Write netCDF-4 in one movement: the file appears whole or not at all."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        dataset.to_netcdf(partial, engine="h5netcdf")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return path


def load(path: str | Path) -> Result:
    """Read a result into memory; FileError if it is damaged or not one of ours."""
    import h5py
    import xarray as xr

    from panhead.files.result import Result

    if not door.is_there(Path(path)):
        raise FileError(path, "no such file")
    with told_of(path, "cannot be read as netCDF-4"):
        with h5py.File(path, "r") as file:
            dict(file.attrs)  # what fails here would leave h5netcdf half made, and its end is loud
        with xr.open_dataset(path, engine="h5netcdf") as dataset:
            result = dataset.load()
    if "inputs" not in result.attrs:
        raise FileError(path, "is netCDF, but not a Panhead result (it has no 'inputs' attribute)")
    with told_of(path):
        inputs_of(result)
        for name in _JSON:
            _json(name, result.attrs.get(name, "{}"))
    return Result.of(result)


@contextmanager
def told_of(path: str | Path, trouble: str = "is damaged") -> Iterator[None]:
    """Whatever a damaged file makes of its readers, inside, becomes one FileError that names it and what is wrong."""
    try:
        yield
    except FileError:
        raise
    except (ArithmeticError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError) as error:
        said = str(error.args[0]) if error.args else type(error).__name__
        lacks = isinstance(error, KeyError) and " " not in said
        raise FileError(path, f"{trouble}: {f'there is no {said!r}' if lacks else said}") from error


def _json(name: str, text: object) -> Any:
    try:
        return json.loads(str(text) or "{}")
    except (ValueError, RecursionError) as error:
        raise ModelError(f"the attribute {name!r} is not JSON: {error}") from None
