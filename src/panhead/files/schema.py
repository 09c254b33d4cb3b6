"""Schema of input files: the keys of every kind of file with types, units, defaults and meaning.

The frozen descriptions are the only source: type hints (``Annotated[float, Unit("N")]`` carries the unit),
defaults, and the words beside a field (``#: …``, or the string below it) become ``panhead schema KIND``, its
JSON Schema and the page of keys in the documentation.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import importlib
import inspect
import operator
import re
import textwrap
import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from panhead.errors import FileError
from panhead.files.assumed_defaults import Assumed, AssumedText
from panhead.files.file_kinds import FILES
from panhead.files.parse import descriptions_in
from panhead.files.units import Unit

_PLAIN = {float: "number", int: "whole number", str: "text", bool: "true or false", Any: "anything"}
_EXPONENTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a table."""

    name: str
    type: str  #: in words
    unit: str  #: SI; a text such as "20 kN" is converted to it. Empty: none, or told in ``about``
    default: str  #: "required" if it must be given
    about: str


@dataclass(frozen=True, slots=True)
class KeyTable:
    """The keys of one table of a file."""

    name: str
    about: str
    keys: tuple[Key, ...]


def kinds() -> tuple[str, ...]:
    """Every kind of file: a run, the files it refers to, then other scenarios (``kind = "…"``)."""
    from panhead.runs import scenarios

    others = (_scenario(name) for name in scenarios.kinds() if name != "run")
    return ("run", *FILES, *others)


def description(kind: str) -> type:
    """The frozen description of a kind of file."""
    if kind in FILES:
        module, name = FILES[kind]
        return getattr(importlib.import_module(module), name)
    if kind in kinds():
        from panhead.runs import scenarios

        return scenarios.kind(_kind_key(kind)).description
    raise FileError(f"schema {kind}", f"unknown kind of file. Known: {', '.join(kinds())}")


def tables(kind: str) -> tuple[KeyTable, ...]:
    """The table at the top of a file of this kind, then every table in it, by first mention."""
    head = description(kind)
    first = _table(head)
    if kind not in FILES:
        said = Key("kind", f'"{_kind_key(kind)}"', "", "required", "kind of scenario")
        named = Key("name", "text", "", "the file's name", "name of the result")
        first = dataclasses.replace(first, keys=(said, named, *first.keys))
    return (first, *(_table(cls) for cls in _classes(head, apart=True)[1:]))


def json_schema(kind: str) -> dict[str, Any]:
    """The JSON Schema of a kind of file; quantities are numbers in SI units, or text with a unit."""
    from pydantic import TypeAdapter

    head = description(kind)
    schema = TypeAdapter(head).json_schema(schema_generator=_generator(), mode="validation")
    words = {cls.__name__: _field_comments(cls) for cls in _classes(head)}
    for name, entry in ((head.__name__, schema), *schema.get("$defs", {}).items()):
        for key, about in words.get(entry.get("title", name), {}).items():
            if about and key in entry.get("properties", {}):
                entry["properties"][key].setdefault("description", about)
    if kind not in FILES:
        schema["properties"] |= {"kind": {"const": _kind_key(kind)}, "name": {"type": "string"}}
        schema["required"] = ["kind", *schema.get("required", [])]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema


def as_markdown(kind: str, *, level: int = 2) -> str:
    """The tables of a kind as Markdown, each under a heading of this level or one below."""
    parts = []
    for number, table in enumerate(tables(kind)):
        title = f"{'#' * (level + (number > 0))} {kind if number == 0 else f'{kind}: {table.name}'}"
        rows = [
            f"| `{k.name}` | {_cell(k.type)} | {k.unit} | {_cell(k.default)} | {_cell(k.about)} |" for k in table.keys
        ]
        head = ["| key | type | unit | default | meaning |", "|---|---|---|---|---|"]
        parts.append("\n".join([title, "", table.about, "", *head, *rows, ""]))
    return "\n".join(parts)


def _cell(text: str) -> str:
    return re.sub(r"([|*_<])", r"\\\1", text)


def _scenario(kind: str) -> str:
    """Name of a kind of scenario in this module: prefixed where a kind of file has the same name."""
    return f"scenario-{kind}" if kind in FILES else kind


def _kind_key(kind: str) -> str:
    return kind.removeprefix("scenario-")


def _table(cls: type) -> KeyTable:
    hints, beside = get_type_hints(cls, include_extras=True), _field_comments(cls)
    keys = []
    for field in dataclasses.fields(cls):
        if field.init:
            bare, unit = _without_unit(hints[field.name])
            about, unit = _split_comment_unit(beside.get(field.name, ""), unit)
            keys.append(Key(field.name, _type_text(bare), unit, _default(field), about))
    about = inspect.cleandoc(cls.__doc__ or "").split("\n\n")[0].replace("``", "")
    return KeyTable(cls.__name__, " ".join(about.split()), tuple(keys))


@functools.cache
def _classes(head: type, *, apart: bool = False) -> list[type]:
    """``head`` and every description its fields mention, by first mention; ``apart``: without other kinds of files."""
    found: list[type] = [head]
    for cls in found:  # grows while it is walked
        for hint in get_type_hints(cls, include_extras=True).values():
            new = [c for c in descriptions_in(hint) if c not in found]
            found += [c for c in new if not (apart and _own_kind(c))]
    return found


def _own_kind(cls: type) -> str:
    """Kind of file whose top table is this class; "" if there is none."""
    return next((k for k, place in FILES.items() if place == (cls.__module__, cls.__name__)), "")


def _without_unit(hint: Any) -> tuple[Any, str]:
    """Split a type hint into the hint without "or None" and the unit of its quantity, if it has one."""
    parts = [p for p in get_args(hint) if p is not types.NoneType] if _is_union(hint) else [hint]
    units = [p.__metadata__[0].symbol for p in parts if _has_unit(p)]
    bare = functools.reduce(operator.or_, (float if _has_unit(p) else p for p in parts))
    return bare, _unit_text(units[0]) if units else ""


def _is_union(hint: Any) -> bool:
    return get_origin(hint) in (Union, types.UnionType)


def _has_unit(hint: Any) -> bool:
    return get_origin(hint) is Annotated and isinstance(hint.__metadata__[0], Unit)


def _unit_text(symbol: str) -> str:
    """Format ``kg*m**2`` as kg·m²."""
    powers = re.sub(r"\*\*(-?\d+)", lambda m: m[1].translate(_EXPONENTS), symbol)
    return powers.replace("*", "·")


def _split_comment_unit(about: str, unit: str) -> tuple[str, str]:
    """Split a field's comment that ends with its unit, such as ``of one mast [kg]``, into text and unit."""
    match = re.fullmatch(r"((?:[^\[\]]* )?)\[([^\[\]]+)\]([,;] [^\[\]]+)?", about)
    if not match or (unit and match[2] != unit):
        return about, unit
    return (match[1].strip() + (match[3] or "")).lstrip(",; "), match[2]


def _type_text(hint: Any) -> str:
    """A type in words."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        kind = _own_kind(hint)
        return f"table of kind {kind}" if kind else f"table {hint.__name__}"
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        inside = _type_text(parts[0])
        return f"{inside} [{_unit_text(parts[1].symbol)}]" if _has_unit(hint) and parts[1].symbol else inside
    if origin is Literal:
        return " or ".join(f'"{p}"' if isinstance(p, str) else str(p) for p in parts)
    if _is_union(hint):
        named = [p for p in parts if p not in (types.NoneType, Any)]
        return " or ".join(dict.fromkeys(map(_type_text, named)))
    return _container_text(hint, origin, parts)


def _container_text(hint: Any, origin: Any, parts: tuple[Any, ...]) -> str:
    if origin is tuple and parts[-1] is Ellipsis:
        return f"list of {_type_text(parts[0])}"
    if origin is tuple:
        words = [_type_text(p) for p in parts]
        return f"{len(words)} × {words[0]}" if len(set(words)) == 1 else f"[{', '.join(words)}]"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"table of name = {_type_text(parts[1])}"
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return f"list of {_type_text(parts[0])}"
    return getattr(hint, "__name__", str(hint))


def _default(field: dataclasses.Field[Any]) -> str:
    if field.default is not MISSING:
        return _default_text(field.default)
    return "required" if field.default_factory is MISSING else _default_text(field.default_factory())


def _default_text(value: Any) -> str:
    """Format a default as a file would write it; a table whose keys all have defaults is not written out."""
    if dataclasses.is_dataclass(value):
        return "its defaults"
    if value is None or value == "" or (isinstance(value, (tuple, list, Mapping)) and not value):
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(_default_text(v) for v in value)}]"
    if isinstance(value, float):
        return f"{value:.6g}"
    return f'"{value}"' if isinstance(value, str) else str(value)


@functools.cache
def _field_comments(cls: type) -> dict[str, str]:
    """Field → text of its comment ``#: …`` or of the string below it, base classes first."""
    words: dict[str, str] = {}
    for owner in reversed(cls.__mro__):
        if dataclasses.is_dataclass(owner):
            words |= _comments_in(textwrap.dedent(inspect.getsource(owner)))
    return {name: re.sub(r"\bNone:", "none:", text.replace("``", "")) for name, text in words.items()}


def _comments_in(source: str) -> dict[str, str]:
    lines, words, last = source.split("\n"), {}, ""
    for node in next(n for n in ast.parse(source).body if isinstance(n, ast.ClassDef)).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            last = node.target.id
            own = lines[node.lineno - 1 : node.end_lineno]
            words[last] = " ".join(m[1] for line in own if (m := re.search(r"#:\s*(.+)$", line)))
        elif last and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            words[last] = " ".join(str(node.value.value).split())
        else:
            last = ""
    return words


def _generator() -> Any:
    """pydantic's schema generator, extended so that a quantity is a number or a text with a unit."""
    from pydantic.json_schema import GenerateJsonSchema

    class WithUnits(GenerateJsonSchema):
        def encode_default(self, dft: Any) -> Any:
            plain = float(dft) if isinstance(dft, Assumed) else str(dft) if isinstance(dft, AssumedText) else dft
            return super().encode_default(plain)

        def function_before_schema(self, schema: Any) -> Any:
            unit = getattr(schema["function"]["function"], "__self__", None)
            if not isinstance(unit, Unit):
                return super().function_before_schema(schema)
            number = self.generate_inner(schema["schema"])
            return {"anyOf": [number, {"type": "string"}], "unit": _unit_text(unit.symbol) or "1"}

    return WithUnits
