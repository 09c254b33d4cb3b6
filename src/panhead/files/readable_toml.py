"""Descriptions as TOML that a person edits: quantities with usual units, defaults left out, one item to a line.

``write_toml`` writes every number in SI units for programs; what is written here reads back to an equal description.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from panhead.files.assumed_defaults import Assumed, AssumedText
from panhead.files.inventory import field_units
from panhead.files.units import to_si

#: SI unit → units people use, from large to small, each from this size on
_USUAL: Final = {
    "m": (("m", 1.0), ("mm", 0.0)),
    "N": (("kN", 1e3), ("N", 0.0)),
    "N/m": (("kN/m", 1e3), ("N/m", 0.0)),
    "m**2": (("m**2", 1e-2), ("mm**2", 0.0)),
    "Pa": (("GPa", 1e9), ("MPa", 1e5), ("Pa", 0.0)),
    "s": (("s", 1.0), ("ms", 1e-4), ("s", 0.0)),
    "m/s": (("m/s", 0.0),),
}
_EXPONENTS: Final = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_WIDE: Final = 118  # columns of a line


def readable_toml(description: Any, *, comments: Mapping[str, str] | None = None, head: str = "") -> str:
    """TOML text of a description; ``comments``: path of a table or key → words above it, ``head``: words on top."""
    lines = [f"# {line}".rstrip() for line in head.splitlines()] + ([""] if head else [])
    lines += _table(readable_plain(description), "", dict(comments or {}))
    return "\n".join(lines).strip() + "\n"


def readable_plain(description: Any, unit: str = "") -> Any:
    """Plain data of a description without its defaults; quantities are text with a unit."""
    if dataclasses.is_dataclass(description) and not isinstance(description, type):
        units = field_units(type(description))
        fields = [(f, getattr(description, f.name)) for f in dataclasses.fields(description)]
        return {f.name: readable_plain(x, units[f.name]) for f, x in fields if not _left_out(f, x)}
    if isinstance(description, Mapping):
        return {str(k): readable_plain(v, unit) for k, v in description.items()}
    if isinstance(description, list | tuple):
        return [readable_plain(x) for x in description]  # lists of numbers stay SI
    if isinstance(description, float) and unit and "," not in unit:
        return quantity_text(description, unit)
    return description


def _left_out(field: dataclasses.Field[Any], value: Any) -> bool:
    """None, what is assumed, and what equals a default that is no assumption: a zero that was written is meant."""
    if value is None or isinstance(value, Assumed | AssumedText):
        return True
    usual = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
    return usual is not dataclasses.MISSING and not isinstance(usual, Assumed | AssumedText) and bool(value == usual)


def quantity_text(value: float, symbol: str) -> str:
    """A number in SI units as people write it; exactly the same number when it is read.

    >>> quantity_text(0.25, "m"), quantity_text(20000.0, "N"), quantity_text(1.2e-4, "m**2")
    ('250 mm', '20 kN', '120 mm²')
    """
    wanted = next((name for name, least in _USUAL.get(symbol, ()) if abs(value) >= least), symbol)
    for name in (wanted, symbol) if value else (symbol,):
        for digits in (6, 9, 12):
            text = f"{value / to_si(f'1 {name}', symbol):.{digits}g}"
            text = str(int(float(text))) if float(text).is_integer() and abs(float(text)) < 1e15 else repr(float(text))
            if to_si(f"{text} {name}", symbol) == value:
                return f"{text} {_pretty(name)}".rstrip()
    return f"{value!r} {_pretty(symbol)}".rstrip()


def _pretty(unit: str) -> str:
    powers = re.sub(r"\*\*(-?\d)", lambda match: match[1].translate(_EXPONENTS), unit)
    return powers.replace("*", "·").replace("degC", "°C")


def _table(raw: Mapping[str, Any], path: str, comments: Mapping[str, str]) -> Iterator[str]:
    """Keys of a table, then the tables in it."""
    inner = {k: v for k, v in raw.items() if isinstance(v, Mapping)}
    listed = {k: v for k, v in raw.items() if _is_list_of_tables(v) and not path}
    for key, value in sorted(raw.items(), key=lambda pair: _is_list_of_tables(pair[1])):
        if key not in inner and key not in listed:
            yield from _comment(comments, f"{path}.{key}".lstrip("."))
            yield from _entry(key, value)
    for key, value in inner.items():
        yield from _heading(comments, f"{path}.{_key(key)}".lstrip("."), value, "[{}]")
    for key, items in listed.items():
        for number, value in enumerate(items):
            yield from _heading(comments if number == 0 else {}, _key(key), value, "[[{}]]")


def _heading(comments: Mapping[str, str], path: str, raw: Mapping[str, Any], form: str) -> Iterator[str]:
    if form == "[[{}]]" or not raw or any(not isinstance(v, Mapping) for v in raw.values()):
        yield ""
        yield from _comment(comments, path)
        yield form.format(path)
    yield from _table(raw, path, comments)


def _comment(comments: Mapping[str, str], path: str) -> Iterator[str]:
    if path in comments:
        yield from (f"# {line}" for line in comments[path].splitlines())


def _entry(key: str, value: Any) -> Iterator[str]:
    one = f"{_key(key)} = {_inline(value)}"
    if isinstance(value, list) and (_is_list_of_tables(value) or len(one) > _WIDE):
        yield f"{_key(key)} = ["
        if _is_list_of_tables(value):
            yield from (f"    {line}" for item in value for line in _item(item))
        else:
            yield from _wrap_lines([_inline(item) for item in value])
        yield "]"
    else:
        yield one


def _item(raw: Mapping[str, Any]) -> Iterator[str]:
    """An item of a list; lists in a long one have a line for each of their items."""
    one = f"{_inline(raw)},"
    long = [key for key, value in raw.items() if _is_list_of_tables(value)]
    if len(one) + 4 <= _WIDE or not long:
        yield one
        return
    short = {key: value for key, value in raw.items() if key not in long}
    yield "{ " + "".join(f"{_key(k)} = {_inline(v)}, " for k, v in short.items()) + f"{_key(long[0])} = ["
    for number, key in enumerate(long):
        if number:
            yield f"], {_key(key)} = ["
        yield from (f"    {_inline(item)}," for item in raw[key])
    yield "] },"


def _wrap_lines(items: Sequence[str]) -> Iterator[str]:
    row = "   "
    for item in items:
        if len(row) + len(item) + 2 > _WIDE:
            yield row
            row = "   "
        row += f" {item},"
    yield row


def _inline(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {_inline(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    import tomli_w

    return tomli_w.dumps({"x": value}).removeprefix("x = ").rstrip("\n")


def _key(key: str) -> str:
    import tomli_w

    return key if _BARE.fullmatch(key) else tomli_w.dumps({key: 0}).removesuffix(" = 0\n")


def _is_list_of_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)
