"""Project folder of TOML files; nothing outside it is read or written."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import math
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from panhead.errors import FileError, PanheadError
from panhead.files import library, parse, schema
from panhead.files.atomic_files import check_name, remove_abandoned, write_atomic
from panhead.files.embed import with_absolute_paths
from panhead.files.lock import LockHeld, hold_lock
from panhead.railway.line.line_design import read_design, shipped_designs
from panhead.runs import scenarios

OUT: Final = "out"  # where runs and studies write, as on the command line
_LOCK_FILE: Final = ".saving.lock"  # held while a file is saved
_LOCK_TIMEOUT: Final = 5.0  # for another workbench to end its saving [s]
_MAX_FILES: Final = 2000  # files listed
_MAX_DEPTH: Final = 6  # folders inside one another
_FOLDERS: Final = {"line": "lines", "pantograph": "pantographs", "linkage": "linkages", "vehicle": "vehicles"}
_TEXT_KEYS: Final = ("name", "about", "source", "sources")
_PARTS: Final = ("line", "pantograph", "linkage", "vehicle", "profile", "irregularities", "limits")


@dataclasses.dataclass(frozen=True, slots=True)
class ProjectFile:
    """One file with its content."""

    path: str  #: from the project's folder; "shipped:KIND/NAME" for one that comes with the package
    kind: str  #: as ``panhead schema`` calls it; "" if it is none of them
    raw: dict[str, Any]
    mark: str  #: of its content; a file that was changed since has another


class Project:
    """Project folder and its files."""

    def __init__(self, folder: Path) -> None:
        try:
            self.folder = Path(folder).resolve(strict=True)
        except OSError as error:
            raise FileError(folder, f"cannot be opened: {error.strerror}; create the folder first") from None
        if not self.folder.is_dir():
            raise FileError(folder, "is a file; the workbench opens a folder")

    def place(self, name: str, end: str = ".toml") -> Path:
        """Path of a project file; FileError if it leads, or could lead, outside the project."""
        parts = name.split("/")
        if not name.endswith(end) or len(parts) > _MAX_DEPTH:
            raise FileError(
                name[:200],
                f"is not a valid project file name: it must end with {end} and have at most {_MAX_DEPTH - 1} folders",
            )
        try:
            for part in parts:
                check_name(part)
            path = self.folder.joinpath(*parts)
            if path.resolve() != path:
                raise FileError(name, "is a symbolic link or lies in a linked folder; copy the file into the project")
        except (OSError, ValueError, RuntimeError) as error:
            raise error if isinstance(error, FileError) else FileError(name[:200], str(error)) from None
        return path

    def read(self, name: str) -> ProjectFile:
        """Read a project file or a shipped file."""
        text = self.text(name)
        try:
            raw = parse.check_plain(tomllib.loads(text), name)
        except (ValueError, RecursionError) as error:
            raise error if isinstance(error, FileError) else FileError(name, f"is not valid TOML: {error}") from None
        _require_plain(raw, name)
        return ProjectFile(name, kind_of(raw), raw, _content_hash(text.encode()))

    def text(self, name: str) -> str:
        """Text of a project file or a shipped file, with its comments."""
        return _shipped_text(name) if name.startswith("shipped:") else parse.read_text(self.place(name))

    def write(self, name: str, raw: Mapping[str, Any], mark: str | None) -> ProjectFile:
        """Save a file, keeping comments and order; FileError if it is invalid, Conflict if it changed since reading."""
        from panhead.app.workbench.toml_edit import update_toml

        path = self.place(name)
        self.check(raw, path)
        with self._alone(name):
            remove_abandoned(path.parent)
            there = parse.read_text(path) if parse.path_exists(path) else None
            if mark is None and there is not None:
                raise Conflict(name, "there is such a file already; choose another name")
            if mark is not None and (there is None or _content_hash(there.encode()) != mark):
                raise Conflict(
                    name, "was changed on the disk since it was opened; reopen it, or save under another name"
                )
            write_atomic(path, update_toml(there or "", raw).encode())
            return self.read(name)

    def require_new(self, name: str) -> Path:
        """Path of a file that is not there yet; Conflict if it is."""
        path = self.place(name)
        if parse.path_exists(path):
            raise Conflict(name, "there is such a file already; choose another name")
        return path

    def create(self, texts: Mapping[str, str]) -> list[ProjectFile]:
        """Write new files, all or none, each with the text given for its name; Conflict if there is one of them."""
        for name, text in texts.items():
            raw, path = tomllib.loads(text), self.require_new(name)
            if kind_of(raw) in _PARTS:
                self.check(raw, path)
        with self._alone(", ".join(texts)):
            for path in [self.require_new(name) for name in texts]:
                write_atomic(path, texts[path.relative_to(self.folder).as_posix()].encode())
        return [self.read(name) for name in texts]

    @contextlib.contextmanager
    def _alone(self, name: str) -> Iterator[None]:
        """Hold the save lock of the project, so that check and write of a file are atomic."""
        try:
            with hold_lock(self.folder / _LOCK_FILE, wait=_LOCK_TIMEOUT):
                yield
        except LockHeld as held:
            raise Conflict(
                name, f"not saved: another workbench is saving in this project ({held.problems[0]}); try again"
            ) from None

    def rename(self, name: str, to: str) -> None:
        """Rename a file without overwriting another one."""
        old = self.place(name)
        self.place(to)
        with self._alone(to):
            if not old.is_file():
                raise FileError(name, "no such file")
            new = self.require_new(to)
            new.parent.mkdir(parents=True, exist_ok=True)
            old.rename(new)

    def check(self, raw: Mapping[str, Any], path: Path) -> str:
        """Validate a description like the command line and return its kind; FileError if it is invalid."""
        _require_plain(raw, path.name)
        kind = kind_of(raw)
        if not kind:
            raise FileError(
                path.name, 'kind of file not recognised: a run has kind = "run", a line has wires and tension_lengths'
            )
        plain = with_absolute_paths(parse.check_plain(dict(raw), path.name), path.parent)
        self.require_inside(plain)
        describe(kind, plain, path.name)
        return kind

    def require_inside(self, plain: Any, depth: int = 0) -> None:
        """Raise FileError if a description, or a file it refers to, refers to a file outside the project."""
        for word in _strings(plain):
            try:
                path = (self.folder / word).resolve()
                if not path.is_relative_to(self.folder):
                    raise FileError(word[:200], "lies outside the project's folder; copy it into the project")
                if path.suffix == ".toml" and depth < _MAX_DEPTH and path.is_file():
                    self.require_inside(parse.read_toml(path), depth + 1)
            except (OSError, ValueError, RuntimeError) as error:
                if isinstance(error, FileError):
                    raise
                raise FileError(word[:200], f"is not a valid file name: {error}") from None

    def files(self) -> Iterator[dict[str, Any]]:
        """Yield every description in the folder: path, kind, name and summary."""
        found = (p for p in sorted(self.folder.rglob("*.toml")) if not _hidden(p.relative_to(self.folder)))
        for _, path in zip(range(_MAX_FILES), found, strict=False):
            name = path.relative_to(self.folder).as_posix()
            try:
                one = self.read(name)
                yield {"path": name, "kind": one.kind, "name": _title(one.raw, path), "about": _about(one.raw)}
            except PanheadError as error:
                yield {"path": name, "kind": "", "name": path.stem, "about": str(error).partition("\n")[2].strip()}

    def results(self) -> Iterator[dict[str, Any]]:
        """Yield every stored result, newest first."""
        found = [p for p in (self.folder / OUT).glob("*/result.nc") if p.resolve() == p]
        for path in sorted(found, key=lambda p: -p.stat().st_mtime)[:_MAX_FILES]:
            yield {"path": path.relative_to(self.folder).as_posix(), "name": path.parent.name}


class Conflict(FileError):
    """The file on disk differs from the version that the page opened."""


def describe(kind: str, plain: Mapping[str, Any], source: object) -> Any:
    """Build the frozen description of plain data, validated as on the command line."""
    if kind in _PARTS:
        return parse.build(schema.description(kind), plain, source=source)
    if kind == "study":
        from panhead.explore.studies.study_description import Study

        return parse.build(Study, {k: v for k, v in plain.items() if k not in ("kind", "name")}, source=source)
    return scenarios.from_plain(dict(plain), source=source)


def kind_of(raw: Mapping[str, Any]) -> str:
    """Kind of a file from its key ``kind``, or from the keys that a kind requires; "" if unknown."""
    said = raw.get("kind")
    if isinstance(said, str) and (said == "study" or said in scenarios.kinds()):
        return said
    fits = {kind: _required_keys(kind) for kind in _PARTS}
    found = [kind for kind, keys in fits.items() if keys and keys <= set(raw)]
    return max(found, key=lambda kind: len(fits[kind]), default="")


def shipped() -> list[dict[str, Any]]:
    """Shipped files that can be copied: lines, pantographs, pantograph runs, studies; and lines of every design."""
    places = {kind: library.shipped(folder) for kind, folder in _FOLDERS.items()}
    places |= {"run": scenarios.shipped(), "study": library.shipped("studies")}
    rows = []
    for kind, found in places.items():
        for name, path in found.items():
            raw = parse.read_toml(path)
            if kind != "run" or raw.get("kind") == "run":
                about = {"path": f"shipped:{kind}/{name}", "kind": kind, "name": name}
                rows.append(about | {"about": _about(raw) or str(raw.get("name", ""))})
    return rows + [
        {"path": f"shipped:design/{name}", "kind": "design", "name": name, "about": _about_design(name)}
        for name in shipped_designs()
    ]


@functools.cache
def _about_design(name: str) -> str:
    design = read_design(name)
    wire = f"contact wire {design.contact.wire} at {design.contact.tension / 1e3:.4g} kN"
    return f"{design.supply}, {3.6 * design.line_speed:.0f} km/h, {wire}, spans to {design.longest_span:g} m"


def _shipped_text(name: str) -> str:
    kind, _, stem = name.removeprefix("shipped:").partition("/")
    if kind == "design" and stem in shipped_designs():
        from panhead.desk.starter.file_templates import design_text

        return design_text(stem, stem)
    known = (
        scenarios.shipped()
        if kind == "run"
        else library.shipped("studies" if kind == "study" else _FOLDERS.get(kind, "-"))
    )
    if stem not in known:
        raise FileError(name[:200], "is not shipped with Panhead")
    return parse.read_text(known[stem])


def _required_keys(kind: str) -> set[str]:
    fields = dataclasses.fields(schema.description(kind))
    missing = dataclasses.MISSING
    return {f.name for f in fields if f.init and f.default is missing and f.default_factory is missing}


def _hidden(path: Path) -> bool:
    return path.parts[0] == OUT or len(path.parts) > _MAX_DEPTH or any(part.startswith(".") for part in path.parts)


def _strings(plain: Any) -> Iterator[str]:
    """Yield every string of plain data that may be a file name."""
    if isinstance(plain, Mapping):
        for key, value in plain.items():
            if key not in _TEXT_KEYS or not isinstance(value, str | list):
                yield from _strings(value)
    elif isinstance(plain, list | tuple):
        for value in plain:
            yield from _strings(value)
    elif isinstance(plain, str):
        yield plain


def _require_plain(raw: Any, name: str) -> None:
    """Raise FileError for TOML values that JSON cannot hold: dates, NaN, infinity."""
    level = [raw]
    while level:
        level = [x for inner in level for x in (inner.values() if isinstance(inner, Mapping) else inner)]
        for x in level:
            if not isinstance(x, str | int | float | list | Mapping) or (isinstance(x, float) and not math.isfinite(x)):
                raise FileError(name, f"contains {x!r:.60}; only text, finite numbers, lists and tables are allowed")
        level = [x for x in level if isinstance(x, list | Mapping)]


def _content_hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _title(raw: Mapping[str, Any], path: Path) -> str:
    return str(raw.get("name") or path.stem)[:120]


def _about(raw: Mapping[str, Any]) -> str:
    return str(raw.get("about") or "")[:300]
