"""Save and load results: one xarray.Dataset per run in netCDF-4, with everything needed to repeat the run."""

from __future__ import annotations

import functools
import hashlib
import json
import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from panhead import __version__
from panhead.errors import FileError, ModelError
from panhead.files import parse
from panhead.files.netcdf import save as save

if TYPE_CHECKING:
    import xarray as xr

    from panhead.files.result import Result

_JSON = ("versions", "criteria", "variant_attributes", "paths", "control", "doubts")  # attributes that hold it
_LIBRARIES = ("numpy", "scipy", "numba", "casadi", "xarray")


@functools.cache
def versions() -> dict[str, str]:
    """Versions of the software that results depend on."""
    found = {"panhead": __version__, "python": platform.python_version()}
    return found | {name: metadata.version(name) for name in _LIBRARIES}


@functools.cache
def cpu_name() -> str:
    """Processor name as the operating system reports it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


_PROVENANCE = ("inputs", "input_sha256", "versions", "cpu", "system", "created")


def with_provenance(dataset: xr.Dataset, inputs: Mapping[str, Any]) -> xr.Dataset:
    """Add the exact inputs, their hash, versions and machine to a dataset as attributes."""
    return dataset.assign_attrs(
        inputs=_text(inputs),
        input_sha256=input_hash(inputs),
        versions=json.dumps(versions()),
        cpu=cpu_name(),
        system=platform.platform(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def without_provenance(dataset: xr.Dataset) -> xr.Dataset:
    """Remove the attributes that ``with_provenance`` has added."""
    import xarray as xr

    attrs = {name: x for name, x in dataset.attrs.items() if name not in _PROVENANCE}
    return xr.Dataset(dataset.data_vars, dataset.coords, attrs)


def can_repeat(inputs: Mapping[str, Any]) -> bool:
    """Return whether the inputs are complete; parts made in Python are only named in them."""
    return f"{parse.FROM_PYTHON})" not in _text(inputs)


def input_hash(inputs: Mapping[str, Any]) -> str:
    """SHA-256 of the inputs, equal for runs of the same scenario."""
    return hashlib.sha256(_text(inputs).encode()).hexdigest()


def _text(inputs: Mapping[str, Any]) -> str:
    return json.dumps(inputs, sort_keys=True, ensure_ascii=False)


def inputs_of(dataset: xr.Dataset) -> dict[str, Any]:
    """The plain data of the scenario this result was computed from; ModelError if it has none."""
    found = _json("inputs", dataset.attrs.get("inputs", ""))
    if not isinstance(found, dict):
        raise ModelError(f"the attribute 'inputs' must be a table, got {found!r:.60}")
    return parse.check_plain(found, "the attribute 'inputs'")


def load(path: str | Path) -> Result:
    """Read a result into memory; FileError if it is damaged or not a Panhead result."""
    import h5netcdf
    import h5py
    import xarray as xr
    from xarray.backends import H5NetCDFStore

    from panhead.files.result import Result

    if not parse.path_exists(Path(path)):
        raise FileError(path, "no such file")
    with damaged_file_error(path, "cannot be read as netCDF-4"), h5py.File(path, "r") as file:
        dict(file.attrs)  # what fails here would leave h5netcdf half made, and its end is loud
        # of a file that is ours, and closed whatever is wrong in it
        with h5netcdf.File(file, "r", decode_vlen_strings=True) as whole:
            result = xr.open_dataset(H5NetCDFStore(whole)).load()
    if "inputs" not in result.attrs:
        raise FileError(path, "is netCDF, but not a Panhead result (it has no 'inputs' attribute)")
    with damaged_file_error(path):
        found = input_hash(inputs_of(result))
        if result.attrs.get("input_sha256", found) != found:
            raise ModelError("its inputs have been changed: they do not match their stored hash")
        for name in _JSON:
            _json(name, result.attrs.get(name, "{}"))
    return Result.of(result)


@contextmanager
def damaged_file_error(path: str | Path, trouble: str = "is damaged") -> Iterator[None]:
    """Convert any exception that a damaged file causes inside into one FileError with path and cause."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError) as error:
        if isinstance(error, FileError) and error.path == str(path):
            raise
        if isinstance(error, OSError) and error.filename not in (None, str(path), path):
            raise  # of a file that is written, not of this one
        said = str(error.args[0]) if error.args else type(error).__name__
        said = (error.strerror or said) if isinstance(error, OSError) else said
        lacks = isinstance(error, KeyError) and " " not in said
        raise FileError(path, f"{trouble}: {f'there is no {said!r}' if lacks else said}") from error


def _json(name: str, text: object) -> Any:
    try:
        return json.loads(str(text) or "{}")
    except (ValueError, RecursionError) as error:
        raise ModelError(f"the attribute {name!r} is not JSON: {error}") from None
