"""The project: a folder of TOML files, beyond which nothing is read or written."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import math
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from panhead.errors import FileError, PanheadError
from panhead.files import library, parse, schema
from panhead.files.atomic_files import check_name, remove_abandoned, write_atomic
from panhead.files.embed import beside
from panhead.files.lock import Locked, hold_lock
from panhead.runs import scenarios

OUT: Final = "out"  # where runs and studies write, as on the command line
_SAVING: Final = ".saving.lock"  # held while a file is saved
_PATIENCE: Final = 5.0  # for another workbench to end its saving [s]
_MOST: Final = 2000  # files listed
_DEEPEST: Final = 6  # folders inside one another
_FOLDERS: Final = {"line": "lines", "pantograph": "pantographs", "linkage": "linkages", "vehicle": "vehicles"}
_PROSE: Final = ("name", "about", "source", "sources")
_PARTS: Final = ("line", "pantograph", "linkage", "vehicle", "profile", "irregularities", "limits")


@dataclasses.dataclass(frozen=True, slots=True)
class ProjectFile:
    """One file as it is written."""

    path: str  #: from the project's folder; "shipped:KIND/NAME" for one that comes with the package
    kind: str  #: as ``panhead schema`` calls it; "" if it is none of them
    raw: dict[str, Any]
    mark: str  #: of its content; a file that was changed since has another


class Project:
    """A folder and what is in it."""

    def __init__(self, folder: Path) -> None:
        try:
            self.folder = Path(folder).resolve(strict=True)
        except OSError as error:
            raise FileError(folder, f"cannot be opened: {error.strerror}; make the folder first") from None
        if not self.folder.is_dir():
            raise FileError(folder, "is a file; the workbench opens a folder")

    def place(self, name: str, end: str = ".toml") -> Path:
        """Where a file of the project is; FileError for whatever leads, or could lead, elsewhere."""
        parts = name.split("/")
        if not name.endswith(end) or len(parts) > _DEEPEST:
            raise FileError(name[:200], f"is no file of a project: its name ends with {end}, folders with /")
        try:
            for part in parts:
                check_name(part)
            path = self.folder.joinpath(*parts)
            if path.resolve() != path:
                raise FileError(name, "leads elsewhere (it is a link, or in a folder that is one)")
        except (OSError, ValueError, RuntimeError) as error:
            raise error if isinstance(error, FileError) else FileError(name[:200], str(error)) from None
        return path

    def read(self, name: str) -> ProjectFile:
        """A file of the project, or a shipped one, as it is written."""
        path = _shipped_path(name) if name.startswith("shipped:") else self.place(name)
        text = parse.read_text(path)
        try:
            raw = parse.check_plain(tomllib.loads(text), name)
        except (ValueError, RecursionError) as error:
            raise error if isinstance(error, FileError) else FileError(name, f"is not valid TOML: {error}") from None
        _require_plain(raw, name)
        return ProjectFile(name, kind_of(raw), raw, _mark(text.encode()))

    def write(self, name: str, raw: Mapping[str, Any], mark: str | None) -> ProjectFile:
        """Save a file; comments and order of what is there stay. FileError if it is wrong, or not as it was read."""
        from panhead.app.workbench.toml_edit import rewritten

        path = self.place(name)
        self.check(raw, path)
        with self._alone(name):
            remove_abandoned(path.parent)
            there = parse.read_text(path) if parse.is_there(path) else None
            if mark is None and there is not None:
                raise Conflict(name, "there is such a file already; choose another name")
            if mark is not None and (there is None or _mark(there.encode()) != mark):
                raise Conflict(
                    name, "was changed on the disk since it was opened; open it again, or save under another name"
                )
            write_atomic(path, rewritten(there or "", raw).encode())
            return self.read(name)

    @contextlib.contextmanager
    def _alone(self, name: str) -> Iterator[None]:
        """While nobody else saves in this project: between the look at a file and its change nothing comes."""
        try:
            with hold_lock(self.folder / _SAVING, wait=_PATIENCE):
                yield
        except Locked as held:
            raise Conflict(
                name, f"is not saved: another workbench is saving here ({held.problems[0]}); try again"
            ) from None

    def rename(self, name: str, to: str) -> None:
        """Give a file another name; nothing is overwritten."""
        old, new = self.place(name), self.place(to)
        with self._alone(to):
            if not old.is_file():
                raise FileError(name, "no such file")
            if parse.is_there(new):
                raise Conflict(to, "there is such a file already; choose another name")
            new.parent.mkdir(parents=True, exist_ok=True)
            old.rename(new)

    def check(self, raw: Mapping[str, Any], path: Path) -> str:
        """The kind of a description that the command line would take from ``path``; FileError otherwise."""
        _require_plain(raw, path.name)
        kind = kind_of(raw)
        if not kind:
            raise FileError(
                path.name, 'is no description: a run has kind = "run", a line has wires and tension_lengths'
            )
        plain = beside(parse.check_plain(dict(raw), path.name), path.parent)
        self.require_inside(plain)
        describe(kind, plain, path.name)
        return kind

    def require_inside(self, plain: Any, depth: int = 0) -> None:
        """FileError if a description, or a file that it names, names a file outside the project."""
        for word in _words(plain):
            try:
                path = (self.folder / word).resolve()
                if not path.is_relative_to(self.folder):
                    raise FileError(word[:200], "lies outside the project's folder; copy it into the project")
                if path.suffix == ".toml" and depth < _DEEPEST and path.is_file():
                    self.require_inside(parse.read_toml(path), depth + 1)
            except (OSError, ValueError, RuntimeError) as error:
                if isinstance(error, FileError):
                    raise
                raise FileError(word[:200], f"cannot name a file: {error}") from None

    def files(self) -> Iterator[dict[str, Any]]:
        """Every description in the folder, by path: kind, name and a mark of its content."""
        found = (p for p in sorted(self.folder.rglob("*.toml")) if not _hidden(p.relative_to(self.folder)))
        for _, path in zip(range(_MOST), found, strict=False):
            name = path.relative_to(self.folder).as_posix()
            try:
                one = self.read(name)
                yield {"path": name, "kind": one.kind, "name": _title(one.raw, path), "about": _about(one.raw)}
            except PanheadError as error:
                yield {"path": name, "kind": "", "name": path.stem, "about": str(error).partition("\n")[2].strip()}

    def results(self) -> Iterator[dict[str, Any]]:
        """Every kept result, the newest first."""
        found = [p for p in (self.folder / OUT).glob("*/result.nc") if p.resolve() == p]
        for path in sorted(found, key=lambda p: -p.stat().st_mtime)[:_MOST]:
            yield {"path": path.relative_to(self.folder).as_posix(), "name": path.parent.name}


class Conflict(FileError):
    """A file is not as whoever saves it believes."""


def describe(kind: str, plain: Mapping[str, Any], source: object) -> Any:
    """The frozen description of plain data, by the same door as on the command line."""
    if kind in _PARTS:
        return parse.build(schema.description(kind), plain, source=source)
    if kind == "study":
        from panhead.explore.studies.study_description import Study

        return parse.build(Study, {k: v for k, v in plain.items() if k not in ("kind", "name")}, source=source)
    return scenarios.from_plain(dict(plain), source=source)


def kind_of(raw: Mapping[str, Any]) -> str:
    """The kind of a file by its own word, or by the keys that a kind requires; "" if it is none."""
    said = raw.get("kind")
    if isinstance(said, str) and (said == "study" or said in scenarios.kinds()):
        return said
    fits = {kind: _required(kind) for kind in _PARTS}
    found = [kind for kind, keys in fits.items() if keys and keys <= set(raw)]
    return max(found, key=lambda kind: len(fits[kind]), default="")


def shipped() -> list[dict[str, Any]]:
    """What comes with the package and can be copied: lines, pantographs, runs under a line, studies."""
    places = {kind: library.shipped(folder) for kind, folder in _FOLDERS.items()}
    places |= {"run": scenarios.shipped(), "study": library.shipped("studies")}
    rows = []
    for kind, found in places.items():
        for name, path in found.items():
            raw = parse.read_toml(path)
            if kind != "run" or raw.get("kind") == "run":
                about = {"path": f"shipped:{kind}/{name}", "kind": kind, "name": name}
                rows.append(about | {"about": _about(raw) or str(raw.get("name", ""))})
    return rows


def _shipped_path(name: str) -> Path:
    kind, _, stem = name.removeprefix("shipped:").partition("/")
    known = (
        scenarios.shipped()
        if kind == "run"
        else library.shipped("studies" if kind == "study" else _FOLDERS.get(kind, "-"))
    )
    if stem not in known:
        raise FileError(name[:200], "does not come with the package")
    return known[stem]


def _required(kind: str) -> set[str]:
    fields = dataclasses.fields(schema.description(kind))
    missing = dataclasses.MISSING
    return {f.name for f in fields if f.init and f.default is missing and f.default_factory is missing}


def _hidden(path: Path) -> bool:
    return path.parts[0] == OUT or len(path.parts) > _DEEPEST or any(part.startswith(".") for part in path.parts)


def _words(plain: Any) -> Iterator[str]:
    """Every text of plain data that may name a file."""
    if isinstance(plain, Mapping):
        for key, value in plain.items():
            if key not in _PROSE or not isinstance(value, str | list):
                yield from _words(value)
    elif isinstance(plain, list | tuple):
        for value in plain:
            yield from _words(value)
    elif isinstance(plain, str):
        yield plain


def _require_plain(raw: Any, name: str) -> None:
    """FileError for what TOML can hold and the page cannot: dates, numbers that are none."""
    level = [raw]
    while level:
        level = [x for inner in level for x in (inner.values() if isinstance(inner, Mapping) else inner)]
        for x in level:
            if not isinstance(x, str | int | float | list | Mapping) or (isinstance(x, float) and not math.isfinite(x)):
                raise FileError(name, f"holds {x!r:.60}; a description is made of text, numbers, lists and tables")
        level = [x for x in level if isinstance(x, list | Mapping)]


def _mark(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _title(raw: Mapping[str, Any], path: Path) -> str:
    return str(raw.get("name") or path.stem)[:120]


def _about(raw: Mapping[str, Any]) -> str:
    return str(raw.get("about") or "")[:300]
