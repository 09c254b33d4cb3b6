"""Read pantographs of any type by shipped name or from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from panhead.errors import FileError, alternatives
from panhead.files import library, parse
from panhead.files.embed import digest
from panhead.files.file_kinds import without_kind
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph

if TYPE_CHECKING:
    from panhead.railway.pantograph.linkage_pantograph import LinkagePantograph


def shipped_pantographs() -> dict[str, Path]:
    """Name → file of every pantograph that comes with the package, sorted by name."""
    return dict(sorted({**library.shipped("pantographs"), **library.shipped("linkages")}.items()))


def read_pantograph(source: str | Path, changes: Mapping[str, Any] | None = None) -> Any:
    """Read a pantograph by its shipped name, from a TOML file or an FMU (FILE.fmu), with ``changes`` merged in.

    A file with ``stages`` is a lumped-mass model, one with ``bodies`` a linkage; changes of a linkage are options of
    ``LinkagePantograph`` (``flexible``, ``static_force`` …) or rows of its tables.
    """
    known = shipped_pantographs()
    path = known.get(str(source), Path(source))
    if str(source) not in known and path.suffix not in (".toml", ".fmu") and not parse.path_exists(path):
        raise FileError(source, f"is neither a file nor a shipped pantograph; {alternatives(source, known)}")
    if path.suffix == ".fmu":
        from panhead.runs.fmi.fmu_pantograph import UnitPantograph

        unit = {"path": str(path), "sha256": digest(path)}
        return parse.build(UnitPantograph, unit | dict(changes or {}), source=path)
    raw = parse.read_toml(path)
    kind = "linkage" if "bodies" in raw else "pantograph"
    return _from_plain(without_kind(raw, kind, path), dict(changes or {}), path)


def _from_plain(raw: Mapping[str, Any], changes: dict[str, Any], source: object) -> Any:
    """Build a pantograph from plain data."""
    if "bodies" in raw:
        return _linkage(raw, changes, source)
    return parse.build(LumpedPantograph, parse.merge(raw, changes), source=source)


def pantograph_of(raw: Mapping[str, Any]) -> Any:
    """Build a pantograph from plain data: a lumped-mass model, a linkage, linkage tables or an FMU."""
    source = "pantograph of the train"
    if "linkage" in raw:
        from panhead.railway.pantograph.linkage_pantograph import LinkagePantograph

        return parse.build(LinkagePantograph, raw, source=source)
    if "path" in raw:
        from panhead.runs.fmi.fmu_pantograph import UnitPantograph

        return parse.build(UnitPantograph, raw, source=source)
    return _from_plain(raw, {}, source)


def _linkage(raw: Mapping[str, Any], changes: dict[str, Any], path: object) -> LinkagePantograph:
    from panhead.railway.pantograph.linkage import Linkage
    from panhead.railway.pantograph.linkage_pantograph import LinkagePantograph

    chosen = {f.name: changes.pop(f.name) for f in fields(LinkagePantograph) if f.name in changes}
    tables = parse.build(Linkage, parse.merge(raw, changes), source=path)
    return parse.build(LinkagePantograph, {"linkage": tables, **chosen}, source=path)


def resolve_pantograph(pantograph: Any, changes: Mapping[str, Any]) -> Any:
    """Return the pantograph that an entry of a train names or contains, with its changes."""
    if isinstance(pantograph, str):
        return read_pantograph(pantograph, changes)
    if not changes:
        return pantograph
    if not isinstance(pantograph, LumpedPantograph):
        from panhead.railway.pantograph.linkage_pantograph import LinkagePantograph

        if isinstance(pantograph, LinkagePantograph):
            own = {f.name: getattr(pantograph, f.name) for f in fields(pantograph) if f.name != "linkage"}
            return _linkage(parse.to_plain(pantograph.tables), own | dict(changes), f"pantograph {pantograph.name!r}")
    plain = parse.merge(parse.to_plain(pantograph), dict(changes))
    return parse.build(type(pantograph), plain, source=f"pantograph {pantograph.name!r}")
