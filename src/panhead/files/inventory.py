"""Inventory of a description for reports: every value that was given or assumed, with its unit."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from panhead.files.parse import PYTHON_ONLY
from panhead.files.units import Unit

#: path of a field ("stages.1.mass", counted from 1), its value in SI units, its unit
Stated = tuple[str, Any, str]


def stated_fields(description: Any, path: str = "", unit: str = "") -> Iterator[Stated]:
    """Yield every field that has a value, lists of numbers as one; None, "" and () count as no value."""
    if description is None or description == "" or description == () or description == {}:
        return
    if dataclasses.is_dataclass(description) and not isinstance(description, type):
        for field in dataclasses.fields(description):
            value = getattr(description, field.name)
            if PYTHON_ONLY in field.metadata:
                value = f"({type(value).__name__}, from Python)"
            unit = field_units(type(description))[field.name]
            yield from stated_fields(value, f"{path}.{field.name}".lstrip("."), unit)
    elif isinstance(description, Mapping):
        for name, value in description.items():
            yield from stated_fields(value, f"{path}.{name}".lstrip("."), unit)
    elif isinstance(description, (list, tuple)):
        if any(dataclasses.is_dataclass(x) or isinstance(x, Mapping) for x in description):
            for k, value in enumerate(description, 1):
                yield from stated_fields(value, f"{path}.{k}", unit)
        else:
            yield path, [list(x) if isinstance(x, tuple) else x for x in description], unit
    else:
        yield path, description if isinstance(description, (bool, int, float, str)) else str(description), unit


@functools.cache
def field_units(cls: type) -> dict[str, str]:
    """Units of every field of a description."""
    return {name: _unit(hint) for name, hint in get_type_hints(cls, include_extras=True).items()}


def _unit(hint: Any) -> str:
    """Unit of the numbers in a type, at any depth; several are listed, as in "s, m/s"."""
    if get_origin(hint) is Annotated:
        return next((x.symbol for x in hint.__metadata__ if isinstance(x, Unit)), "")
    return ", ".join(dict.fromkeys(filter(None, map(_unit, get_args(hint)))))
