"""Names of columns as offices write them: other languages (data), mappings of an office (file or option), units."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any, ClassVar, Final

from panhead.errors import ModelError, alternatives
from panhead.files import parse
from panhead.files.file_kinds import without_kind
from panhead.files.sheet_rows import ColumnWanted, own_names, plain_name

_SPELLED: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_SUFFIX: Final = ".toml"
_QUOTES: Final = " \"'“”„"  # around a pair, where no shell takes them away


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnMapping:
    """Meaning of the columns of an office's tables (kind of file "columns").

    >>> ColumnMapping(columns={"Lage": "stagger", "Nr": ""}, units={"stagger": "mm"}).columns["Lage"]
    'stagger'
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    columns: dict[str, str] = field(default_factory=dict)  #: name in the tables → column; "": it is not used
    units: dict[str, str] = field(default_factory=dict)  #: column, or its name in the tables → unit of its numbers


def read_mapping(columns: str | None, units: str | None = None) -> ColumnMapping:
    """Mapping of the options ``--columns`` (a FILE.toml, or "Lage=stagger, Nr=") and ``--units`` ("stagger=mm")."""
    if columns is not None and columns.strip().lower().endswith(_SUFFIX) and "=" not in columns:
        found = _read_file(columns.strip())
    else:
        found = ColumnMapping(columns=parse_pairs(columns, "--columns", 'NAME=COLUMN, as in "Seitenlage=stagger, Nr="'))
    given = parse_pairs(units, "--units", 'COLUMN=UNIT, as in "stagger=mm, chainage=km"', plain=False)
    return replace(found, units=found.units | given)


def as_mapping(columns: Mapping[str, str] | ColumnMapping | None) -> ColumnMapping:
    """Mapping from what callers in Python give: a mapping, names alone, or nothing."""
    return columns if isinstance(columns, ColumnMapping) else ColumnMapping(columns=dict(columns or {}))


def _read_file(path: str) -> ColumnMapping:
    return parse.build(ColumnMapping, without_kind(parse.read_toml(path), "columns", path), source=path)


def parse_pairs(text: str | None, option: str, form: str, *, plain: bool = True) -> dict[str, str]:
    """Pairs ``a=b, c=``; names are normalised as those of columns, ``plain``: what stands behind the sign too."""
    found: dict[str, str] = {}
    for part in filter(str.strip, (text or "").split(",")):
        name, sign, value = part.strip(_QUOTES).partition("=")
        if not sign or not name.strip() or plain_name(name) in found:
            raise ModelError(f"{option}: {part.strip()!r} is not {form}")
        found[plain_name(name)] = plain_name(value) if plain else value.strip()
    return found


def units_by_column(
    units: Mapping[str, str], wanted: Sequence[ColumnWanted], named: Mapping[str, str]
) -> dict[str, str]:
    """Unit by wanted column; ModelError if a name is that of no column."""
    known = {name: c.name for c in wanted for name in c.names}
    found = {}
    for name, unit in units.items():
        column = known.get(named.get(plain_name(name), plain_name(name)))
        if column is None:
            raise ModelError(f"units: there is no column {name!r}; {alternatives(name, own_names(wanted))}")
        found[column] = unit
    return found


def with_languages(wanted: Sequence[ColumnWanted], table: str) -> tuple[ColumnWanted, ...]:
    """The wanted columns of a table, each also under its names in other languages."""
    found, own = [], own_names(wanted)
    for column in wanted:
        foreign = [s for names in _names(table).get(column.name, {}).values() for n in names for s in spellings(n)]
        found.append(replace(column, foreign=tuple(dict.fromkeys(n for n in foreign if n not in own))))
    return tuple(found)


def first_name(table: str, column: str, language: str) -> str:
    """Name of a column in a language; its own name where the language has none."""
    names = _names(table).get(column, {}).get(language, [])
    return str(names[0]) if names else column


def sheet_spellings(sheet: str) -> frozenset[str]:
    """Spellings of the names that a sheet of a workbook may have, in every language."""
    names = [sheet, *(n for names in _names("sheets").get(sheet, {}).values() for n in names)]
    return frozenset(s for name in names for s in spellings(name))


def languages() -> tuple[str, ...]:
    """Languages that columns have names in, beside English."""
    return tuple(sorted({code for columns in _file().values() for names in columns.values() for code in names}))


def spellings(name: str) -> tuple[str, ...]:
    """Spellings of a name: as it is, with umlauts spelled out, without accents."""
    plain = plain_name(name)
    bare = "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
    return tuple(dict.fromkeys((plain, plain.translate(_SPELLED), bare)))


def _names(table: str) -> Mapping[str, Mapping[str, Sequence[str]]]:
    return _file().get(table, {})


@functools.cache
def _file() -> dict[str, Any]:
    return parse.read_toml(Path(str(resources.files("panhead"))) / "data" / "tables" / "column_names.toml")
