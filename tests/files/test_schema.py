"""Keys of files, told from the descriptions alone."""

import dataclasses
import re
import tomllib

import pytest

from panhead.errors import FileError
from panhead.files import library, schema


def keys(kind: str) -> dict[str, dict[str, schema.Key]]:
    return {table.name: {key.name: key for key in table.keys} for table in schema.tables(kind)}


@pytest.mark.parametrize("kind", schema.kinds())
def test_every_field_of_every_table_is_told(kind):
    told = keys(kind)
    head = schema.description(kind)
    fields = {field.name for field in dataclasses.fields(head) if field.init}
    assert set(told[head.__name__]) - {"kind", "name"} == fields - {"kind", "name"}
    for table in told.values():
        for key in table.values():
            # a type that has no words would show its module or brackets of Python
            assert not re.search(r"panhead|typing|<|\bNone\b|collections", key.type), key
            assert key.default, key
            assert "object at" not in key.default, key
    for name in re.findall(r"table ([A-Z]\w+)", " ".join(k.type for t in told.values() for k in t.values())):
        assert name in told, f"{kind} mentions {name}, which has no table"


def test_units_defaults_and_words():
    run = keys("run")
    assert run["Run"]["speed"] == schema.Key("speed", "number", "m/s", "none", "constant speed")
    assert run["Run"]["solver"].type == '"linear" or "cables" or "coupled"'
    assert run["Run"]["line"].type == "text or table of kind line"
    assert "Line" not in run
    assert run["Journey"]["ramp"].default == "2"
    line = keys("line")
    assert line["Support"]["encumbrance"].default == "required"
    assert line["Wire"]["bending_stiffness"].unit == "N·m²"
    assert line["Span"]["kind"].unit == ""
    assert "span_kinds[kind]" in line["Span"]["kind"].about
    # a unit that only the comment tells
    assert keys("linkage")["TableSpring"]["stiffness"].unit == "N/m"


def test_json_schema_takes_numbers_and_quantities():
    made = schema.json_schema("run")
    assert {"kind", "line", "train"} <= set(made["required"])
    speed = made["properties"]["speed"]
    assert speed["description"] == "constant speed"
    assert {"type": "string"} in speed["anyOf"][0]["anyOf"]
    assert speed["anyOf"][0]["unit"] == "m/s"
    assert "additionalProperties" in made["$defs"]["Journey"]


@pytest.mark.parametrize("kind, folder", [("line", "lines"), ("pantograph", "pantographs"), ("limits", "limits")])
def test_shipped_files_use_only_these_keys(kind, folder):
    known = {name for table in schema.tables(kind) for name in (k.name for k in table.keys)}
    for path in library.shipped(folder).values():
        assert set(tomllib.loads(path.read_text(encoding="utf-8"))) <= known


def test_unknown_kind_says_which_there_are():
    with pytest.raises(FileError, match=r"Known: run, line"):
        schema.tables("wagon")
