"""Files that a description refers to: resolve their paths, embed their content."""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from panhead.errors import FileError

T = TypeVar("T")

#: in the metadata of a field that may name a file or something shipped → "module:function" that reads it
NAMES = "names a file"
_ENDS = (".toml", ".fmu", ".nc", ".csv")
_PROSE = ("name", "about", "source", "sources")


def with_absolute_paths(raw: Any, folder: Path) -> Any:
    """Make the file names in plain data absolute; relative ones start from the folder of the file they stand in."""
    if isinstance(raw, Mapping):
        return {k: x if k in _PROSE else with_absolute_paths(x, folder) for k, x in raw.items()}
    if isinstance(raw, list):
        return [with_absolute_paths(x, folder) for x in raw]
    return str(folder / raw) if isinstance(raw, str) and raw.endswith(_ENDS) else raw


def with_embedded_files(description: T) -> T:
    """Embed the content of all referenced files in a description, so that it needs no other file."""
    if isinstance(description, tuple) and type(description) is tuple:
        items: Any = tuple(with_embedded_files(x) for x in description)
        return description if all(a is b for a, b in zip(items, description, strict=True)) else items
    if not dataclasses.is_dataclass(description) or isinstance(description, type):
        return description
    changed: dict[str, Any] = {}
    for field in dataclasses.fields(description):
        value = getattr(description, field.name)
        found = with_embedded_files(_read(field, value))
        if field.init and found is not value:
            changed[field.name] = found
    return dataclasses.replace(description, **changed) if changed else description


def digest(path: str | Path) -> str:
    """SHA-256 of a file's content, for files whose content cannot be embedded."""
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror}") from None


def _read(field: dataclasses.Field[Any], value: Any) -> Any:
    if NAMES not in field.metadata or not isinstance(value, str):
        return value
    module, function = field.metadata[NAMES].split(":")
    return getattr(importlib.import_module(module), function)(value)
