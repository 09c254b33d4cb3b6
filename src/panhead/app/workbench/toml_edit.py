"""Update the values of a TOML file; unchanged entries keep their comments, units and order."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, MutableSequence
from typing import Any, cast


def update_toml(text: str, raw: Mapping[str, Any]) -> str:
    """TOML text of ``raw``, based on the previous ``text``."""
    import tomlkit

    document = tomlkit.parse(text)
    _update(document, raw)
    return tomlkit.dumps(document)


def _update(table: MutableMapping[str, Any], raw: Mapping[str, Any]) -> None:
    for key in [key for key in table if key not in raw]:
        del table[key]
    for key, value in raw.items():
        old = table.get(key)
        if key in table and _plain(old) == value and _same_types(_plain(old), value):
            continue
        if isinstance(old, MutableMapping) and isinstance(value, Mapping):
            _update(old, value)
        elif _is_same_length(old, value):
            for mine, new in zip(cast(list[Any], old), value, strict=True):
                _update(mine, new)
        else:
            table[key] = _item(value)


def _item(value: Any) -> Any:
    """Convert a value for tomlkit; a list of tables is written with one table per line."""
    import tomlkit

    if isinstance(value, Mapping):
        return {key: _item(x) for key, x in value.items()}
    if not (isinstance(value, list) and value and all(isinstance(x, Mapping) for x in value)):
        return value
    rows = tomlkit.array().multiline(True)
    for one in value:
        row = tomlkit.inline_table()
        row.update({key: _item(x) for key, x in one.items()})
        rows.append(row)
    return rows


def _is_same_length(old: Any, value: Any) -> bool:
    """True if both are lists of the same number of tables, which can be updated one by one."""
    if not isinstance(old, MutableSequence) or not isinstance(value, list) or len(old) != len(value) or not value:
        return False
    return all(isinstance(x, MutableMapping) for x in old) and all(isinstance(x, Mapping) for x in value)


def _plain(value: Any) -> Any:
    from tomlkit.container import Container, OutOfOrderTableProxy
    from tomlkit.items import Item

    return value.unwrap() if isinstance(value, Item | Container | OutOfOrderTableProxy) else value


def _same_types(a: Any, b: Any) -> bool:
    return isinstance(a, bool) == isinstance(b, bool)  # 1 == True, but not in a file
