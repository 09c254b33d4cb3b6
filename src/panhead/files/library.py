"""Library of descriptions shipped with the package: found by name, all others by path."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from panhead.errors import FileError, alternatives
from panhead.files import parse
from panhead.files.file_kinds import FILES, refuse_table, without_kind

T = TypeVar("T")


def shipped(folder: str) -> dict[str, Path]:
    """Name → file of everything shipped in ``data/<folder>``, sorted by name."""
    place = Path(str(resources.files("panhead"))) / "data" / folder
    return {path.stem: path for path in sorted(place.glob("*.toml"))}


def read(cls: type[T], folder: str, source: str | Path, changes: Mapping[str, Any] | None = None) -> T:
    """Read a ``cls`` by its shipped name in ``data/<folder>``, or from a TOML file, with ``changes`` merged in."""
    known = shipped(folder)
    path = known.get(str(source), Path(source))
    if str(source) not in known and path.suffix != ".toml" and not parse.path_exists(path):
        raise FileError(source, f"is neither a file nor a shipped name in {folder}; {alternatives(source, known)}")
    kind = next((k for k, place in FILES.items() if place == (cls.__module__, cls.__name__)), None)
    if kind is not None:
        refuse_table(path, kind)
    raw = parse.read_toml(path)
    if kind is not None and "kind" not in cls.__annotations__:  # a profile has a kind of its own: wheel or rail
        raw = without_kind(raw, kind, path)
    return parse.build(cls, parse.merge(raw, dict(changes or {})), source=path)
