"""Pantographs by name or file, whatever they are made of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from panhead.errors import FileError
from panhead.files import door, library
from panhead.pantograph.lumped import LumpedPantograph


def shipped_pantographs() -> dict[str, Path]:
    """Name → file of every pantograph that comes with the package, sorted by name."""
    return dict(sorted({**library.shipped("pantographs"), **library.shipped("linkages")}.items()))


def read_pantograph(source: str | Path, changes: Mapping[str, Any] | None = None) -> Any:
    """A pantograph by its shipped name or from a TOML file, with ``changes`` merged in.

    A file with ``stages`` is a chain of masses, one with ``bodies`` a linkage.
    """
    known = shipped_pantographs()
    path = known.get(str(source), Path(source))
    if str(source) not in known and path.suffix != ".toml" and not path.exists():
        raise FileError(
            source, f"is neither a file nor a shipped pantograph. Shipped: {', '.join(known)}"
        )
    raw = door.read_toml(path)
    if "bodies" in raw:
        from panhead.pantograph.linkage import Linkage

        return door.build(Linkage, door.merged(raw, dict(changes or {})), source=path)
    return door.build(LumpedPantograph, door.merged(raw, dict(changes or {})), source=path)


def resolve_pantograph(pantograph: Any, changes: Mapping[str, Any]) -> Any:
    """The pantograph an entry of a train names or holds, with its changes."""
    if isinstance(pantograph, str):
        return read_pantograph(pantograph, changes)
    if not changes:
        return pantograph
    plain = door.merged(door.to_plain(pantograph), dict(changes))
    return door.build(type(pantograph), plain, source=f"pantograph {pantograph.name!r}")
