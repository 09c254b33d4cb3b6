"""Files that a description names: where they lie, and what stands in them."""

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


def beside(raw: Any, folder: Path) -> Any:
    """Plain data of a file in which names of other files lead there from anywhere: they count from its folder."""
    if isinstance(raw, Mapping):
        return {k: x if k in _PROSE else beside(x, folder) for k, x in raw.items()}
    if isinstance(raw, list):
        return [beside(x, folder) for x in raw]
    return str(folder / raw) if isinstance(raw, str) and raw.endswith(_ENDS) else raw


def with_contents(description: T) -> T:
    """The same description with what its names stand for: it needs no file any more."""
    if isinstance(description, tuple) and type(description) is tuple:
        items: Any = tuple(with_contents(x) for x in description)
        return description if all(a is b for a, b in zip(items, description, strict=True)) else items
    if not dataclasses.is_dataclass(description) or isinstance(description, type):
        return description
    changed: dict[str, Any] = {}
    for field in dataclasses.fields(description):
        value = getattr(description, field.name)
        found = with_contents(_read(field, value))
        if field.init and found is not value:
            changed[field.name] = found
    return dataclasses.replace(description, **changed) if changed else description


def digest(path: str | Path) -> str:
    """SHA-256 of a file's content, where the content itself cannot be kept."""
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
