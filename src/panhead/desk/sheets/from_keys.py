"""Read a table of keys: the part of a line that is neither mast nor dropper."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from panhead.errors import FileError
from panhead.files import parse
from panhead.files.decimal_mark import decimal_mark, plain_number
from panhead.files.sheet_rows import ColumnWanted, SheetRows
from panhead.files.units import to_si

KEYS: Final = (
    ColumnWanted("key", kind="text", required=True),
    ColumnWanted("value", kind="text"),
    ColumnWanted("unit", kind="text"),
)
_NUMBER: Final = re.compile(r"[+\-−]?[\d.,]*\d(?:[eE][+-]?\d+)?")
_ITEM: Final = re.compile(r"[1-9]\d{0,4}", re.ASCII)  # of a list
_DIGITS: Final = 19  # of a whole number of 64 bits
_DEEPEST: Final = 16  # parts of a key


def read_keys(found: SheetRows) -> dict[str, Any]:
    """Path by path: ``wires.contact.tension``, ``tension_lengths.1.hard_spots.1.mass``."""
    found.raise_errors()
    raw: dict[str, Any] = {}
    mark = _mark_of_values(found)
    for row, cells in found.rows:
        if len((cells["key"] or "").split(".")) > _DEEPEST:
            found.add_error(row, "key", f"has more than {_DEEPEST} parts")
            continue
        if cells["key"] is None or cells["value"] is None:
            found.add_error(row, "value" if cells["key"] else "key", "is empty")
            continue
        try:
            value = _read_value(cells["key"], cells["value"], cells["unit"], mark)
        except ValueError as error:
            found.add_error(row, "value", str(error))
            continue
        if not _insert(raw, cells["key"].split("."), value):
            found.add_error(
                row,
                "key",
                f"{cells['key'][:80]!r} appears twice, or is used both as a table and as a value; remove one of them",
            )
    found.raise_errors()
    return parse.check_plain(dict(_with_lists(raw)), found.source)


def _mark_of_values(found: SheetRows) -> str:
    """Decimal point or comma of the numbers among the values."""
    plain = [(row, cells["value"]) for row, cells in found.rows if not _is_name(cells["key"] or "")]
    values = [(row, 0, value) for row, value in plain if _NUMBER.fullmatch(value or "")]
    mark = decimal_mark(values, semicolons=found.semicolons)
    for row, _, words in mark.problems:
        found.add_error(row, "value", words)
    found.raise_errors()
    return mark.sign


def _is_name(key: str) -> bool:
    return key == "name" or key.endswith(".name")


def _read_value(key: str, text: str, unit: str | None, mark: str) -> Any:
    if text.startswith("[") or text in ("true", "false"):
        try:
            return json.loads(text, parse_constant=_refuse_constant, parse_float=lambda number: to_si(number, ""))
        except (json.JSONDecodeError, RecursionError):
            return text
    if _is_name(key) or not _NUMBER.fullmatch(text):
        return text
    number = plain_number(text, mark)
    if unit:
        return f"{number} {unit}"
    return int(number) if number.lstrip("+-").isdecimal() and len(number) < _DIGITS else to_si(number, "")


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not finite")


def _insert(place: dict[str, Any], path: list[str], value: Any) -> bool:
    """Insert a value; False if the key appears twice or lies inside a value."""
    for part in path[:-1]:
        inner = place.setdefault(part, {})
        if not isinstance(inner, dict):
            return False
        place = inner
    if path[-1] in place:
        return False
    place[path[-1]] = value
    return True


def _with_lists(raw: Any) -> Any:
    """Tables whose keys are 1, 2 … are lists; a gap in them is an empty item."""
    if not isinstance(raw, dict):
        return raw
    inner = {k: _with_lists(v) for k, v in raw.items()}
    if inner and all(_ITEM.fullmatch(k) for k in inner):
        return [inner.get(str(k)) for k in range(1, max(map(int, inner)) + 1)]
    return inner


def add_own(keys: SheetRows, lengths: list[dict[str, Any]], extra: Any) -> None:
    """Wires, hard spots … of single tension lengths, from the table of keys."""
    if not isinstance(extra, list) or not all(isinstance(own, dict | None) for own in extra):
        raise FileError(keys.source, "tension_lengths: use keys such as tension_lengths.1.hard_spots.1.mass")
    if len(extra) > len(lengths):
        raise FileError(
            keys.source, f"tension_lengths.{len(extra)}: the table of masts has {len(lengths)} tension lengths"
        )
    for k, own in enumerate(extra):
        lengths[k] |= own or {}
