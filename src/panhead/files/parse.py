"""Parse TOML files and plain data into validated descriptions, and back.

TOML → dict → frozen dataclass, checked field by field. Whatever is wrong becomes one FileError that
names the path, the field, the value and what is allowed.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeVar, get_args, get_origin, get_type_hints

from panhead.errors import FileError, ModelError, alternatives
from panhead.files.assumed_defaults import Assumed, AssumedText
from panhead.files.embed import with_absolute_paths

T = TypeVar("T")

_LARGEST: Final = 16_000_000  # bytes of a file: ten thousand masts, each with everything said of it
_DEEPEST: Final = 32  # tables and lists inside one another
_FIELD: Final = re.compile(r"[^:]*: (\w+) must ")  # how a description names its wrong field
_WORDS: Final = (("a valid tuple", "a list"), ("a valid dictionary", "a table"))
_WHOLE: Final = 2**63  # whole numbers of TOML have 64 bits


def path_exists(path: Path) -> bool:
    """Return whether a file or folder exists at this path; False for what cannot be a path."""
    try:
        return path.exists()
    except (OSError, ValueError):  # too long, or with a null character
        return False


def read_text(path: str | Path, largest: int = _LARGEST) -> str:
    """Read a text file, with or without a byte-order mark; FileError if it is missing, too large or not UTF-8."""
    try:
        return _read_bytes(Path(path), largest).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(path, f"cannot be read as UTF-8: {error}; save it as UTF-8") from None


def read_office_text(path: str | Path, largest: int = _LARGEST) -> tuple[str, str]:
    """Text of a file as office programs save it, and words on its encoding; "" if that is UTF-8.

    What is not UTF-8 is UTF-16 if it begins with that mark ("Unicode text"), else Windows-1252, western Europe's.
    """
    content = _read_bytes(Path(path), largest)
    marked = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    try:
        told = "row 1 begins as UTF-16, and the file was read so" if marked else ""
        return content.decode("utf-16" if marked else "utf-8-sig"), told
    except UnicodeDecodeError as error:
        row = 1 + content[: error.start].count(b"\n")
    try:
        return content.decode("cp1252"), f"row {row} is not UTF-8, and the file was read as Windows-1252 (cp1252)"
    except UnicodeDecodeError as error:
        raise FileError(path, f"is neither UTF-8 nor Windows-1252: {error}; save it as UTF-8") from None


def _read_bytes(path: Path, largest: int) -> bytes:
    try:
        if path.exists() and not path.is_file():
            raise FileError(path, "is not a file")
        with path.open("rb") as file:
            content = file.read(largest + 1)
    except FileNotFoundError:
        raise FileError(path, "no such file") from None
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        raise error if isinstance(error, FileError) else FileError(path, f"cannot be read: {error}") from None
    if len(content) > largest:
        raise FileError(path, f"is larger than the limit of {largest // 1_000_000} MB")
    return content


def read_toml(path: str | Path) -> dict[str, Any]:
    """Read a TOML file; FileError if it is missing, unreadable, not TOML, too large or nested too deeply.

    File names in it are relative to its own folder.
    """
    text = read_text(path)
    try:
        return with_absolute_paths(check_plain(tomllib.loads(text), path), Path(path).parent)
    except RecursionError:
        raise FileError(path, f"tables or lists are nested more than {_DEEPEST} levels deep") from None
    except ValueError as error:
        raise error if isinstance(error, FileError) else FileError(path, f"is not valid TOML: {error}") from None


def check_plain(raw: dict[str, Any], source: object) -> dict[str, Any]:
    """Return plain data unchanged; FileError if it is nested too deeply or contains an integer beyond 64 bits."""
    level: list[Any] = [raw]
    for _ in range(_DEEPEST):
        level = [x for inner in level for x in (inner.values() if isinstance(inner, Mapping) else inner)]
        if any(isinstance(x, int) and abs(x) >= _WHOLE for x in level):
            raise FileError(source, "contains an integer of more than 64 bits")
        level = [x for x in level if isinstance(x, Mapping | list)]
    if level:
        raise FileError(source, f"tables or lists are nested more than {_DEEPEST} levels deep")
    return raw


def write_toml(description: Any) -> str:
    """Write a description as TOML text (SI numbers), from which ``build`` makes an equal one."""
    import tomli_w

    return tomli_w.dumps(to_plain(description))


def build(cls: type[T], raw: Mapping[str, Any], *, source: object) -> T:
    """Make a ``cls`` out of plain data, or raise a FileError that lists everything wrong in it.

    ``source`` is what the message calls the origin of the data, usually a path.
    """
    from pydantic import ValidationError

    try:
        return _adapter(cls).validate_python(dict(raw))  # type: ignore[arg-type]  # every class can be hashed
    except ValidationError as error:
        raise FileError(source, [_error_text(cls, e) for e in error.errors()]) from None
    except FileError:
        raise
    except ModelError as error:
        raise FileError(source, str(error)) from None


@functools.cache
def _adapter(cls: Any) -> Any:
    """Validator of plain data for a description class; cached, because building it costs more than using it."""
    from pydantic import TypeAdapter

    return TypeAdapter(cls)


def _error_text(cls: type, error: Any) -> str:
    """Format one pydantic error as one line: where, what is wrong, what was given."""
    where = ".".join(str(part) for part in error["loc"]) or "(top level)"
    given = error.get("input")
    if error["type"] in ("unexpected_keyword_argument", "extra_forbidden"):
        known = alternatives(error["loc"][-1], _keys(cls, error["loc"]))
        return f"{where}: unknown key (given {_abbreviate(given)}); {known}"
    if error["type"] in ("missing", "missing_argument", "missing_keyword_only_argument"):
        return f"{where}: required, but missing"
    message = error["msg"].removeprefix("Value error, ")
    for theirs, ours in _WORDS:
        message = message.replace(theirs, ours)
    wrong = _FIELD.match(message)
    if wrong and isinstance(given, Mapping) and wrong[1] in given:
        given = given[wrong[1]]  # of a whole table only what is wrong in it
    return f"{where}: {message}" + ("" if _abbreviate(given) in message else f" (given {_abbreviate(given)})")


def _keys(cls: type, place: Sequence[Any]) -> list[str]:
    """Keys allowed at the place of an unknown key; ``place`` is that key's path."""
    here = [cls]
    for part in place[:-1]:
        hints = [get_type_hints(c).get(part) for c in here if dataclasses.is_dataclass(c)]
        inside = [c for hint in hints if hint is not None for c in descriptions_in(hint)]
        here = inside or [c for c in here if c.__name__ == part] or here  # a number, or the name of one of several
    return [f.name for c in here for f in dataclasses.fields(c) if f.init]


def descriptions_in(hint: Any) -> Iterator[type]:
    """Description classes that a type refers to, in order of first mention."""
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        yield hint
    elif get_origin(hint) is not Literal:
        yield from dict.fromkeys(c for part in get_args(hint) for c in descriptions_in(part))


def _abbreviate(value: Any, limit: int = 60) -> str:
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


#: in the metadata of a field that holds code: no file can, and plain data only names its type
PYTHON_ONLY = "python only"
FROM_PYTHON = "from Python"


def to_plain(description: Any) -> Any:
    """Convert a description to dicts, lists, strings and numbers; None and assumed defaults are left out."""
    if dataclasses.is_dataclass(description) and not isinstance(description, type):
        pairs = ((f, getattr(description, f.name)) for f in dataclasses.fields(description))
        return {
            f.name: f"({type(x).__name__}, {FROM_PYTHON})" if PYTHON_ONLY in f.metadata else to_plain(x)
            for f, x in pairs
            if x is not None and not isinstance(x, Assumed | AssumedText)
        }
    if isinstance(description, Mapping):
        return {str(k): to_plain(v) for k, v in description.items() if v is not None}
    if isinstance(description, (list, tuple)):
        return [to_plain(v) for v in description]
    if isinstance(description, Path):
        return str(description)
    if isinstance(description, float) and not math.isfinite(description):
        raise ModelError(f"a description contains the non-finite number {description!r}")
    return description


def with_overrides(raw: Mapping[str, Any], settings: Sequence[str]) -> dict[str, Any]:
    """Apply ``a.b=value`` settings of the command line to plain data.

    The value is read as TOML if it is TOML (``3``, ``true``, ``[1, 2]``, ``"text"``) and as text
    otherwise (``300 km/h``). ``a.2.b`` reaches into the third item of a list.
    """
    result = _copy(raw)
    for setting in settings:
        key, sign, text = setting.partition("=")
        if not sign or not key.strip():
            raise FileError(f"--set {setting}", "must have the form key=value, e.g. run.duration=5s")
        try:
            value = tomllib.loads(f"x = {text}")["x"]
        except tomllib.TOMLDecodeError:
            value = text.strip()
        _assign(result, key.strip().split("."), value, setting)
    return result


def with_values(raw: Mapping[str, Any], values: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return plain data with values set at dotted names such as ``train.0.behind``."""
    result = _copy(raw)
    for key, value in values:
        _assign(result, key.strip().split("."), value, f"{key}={value}")
    return result


def merge(raw: Any, changes: Any) -> Any:
    """Merge changes into plain data: tables are merged deeply, anything else is replaced.

    A table with numbers as keys (``0``, ``1`` …) reaches into the items of a list.
    """
    if isinstance(raw, Mapping) and isinstance(changes, Mapping):
        return dict(raw) | {k: merge(raw[k], v) if k in raw else v for k, v in changes.items()}
    if isinstance(raw, list) and isinstance(changes, Mapping):
        for key in changes:
            if not (str(key).isdigit() and int(key) < len(raw)):
                raise ModelError(f"changes: {key!r} is not one of the items 0 to {len(raw) - 1}")
        return [merge(x, changes[str(k)]) if str(k) in changes else x for k, x in enumerate(raw)]
    return changes


def _copy(raw: Any) -> Any:
    if isinstance(raw, Mapping):
        return {k: _copy(v) for k, v in raw.items()}
    return [_copy(v) for v in raw] if isinstance(raw, list) else raw


def _assign(place: Any, path: list[str], value: Any, setting: str) -> None:
    for here, part in enumerate(path):
        last = here == len(path) - 1
        if isinstance(place, list):
            if not part.isdigit() or int(part) >= len(place):
                where = ".".join(path[:here])
                raise FileError(f"--set {setting}", f"{where} has items 0 to {len(place) - 1}")
            index: Any = int(part)
        elif isinstance(place, dict):
            index = part
        else:
            raise FileError(f"--set {setting}", f"{'.'.join(path[:here])} has no parts")
        if last:
            place[index] = value
        else:
            place = place.setdefault(index, {}) if isinstance(place, dict) else place[index]
