"""Any text, any number, any order: what is read is what was meant, or it is refused."""

import math
import string
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from railway.line.builders import plain_line

from panhead.errors import FileError
from panhead.files import parse
from panhead.files.units import to_si
from panhead.railway.line.line_description import Line
from panhead.runs.description import Run
from panhead.runs.streams import Streams

calm = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}  # a busy machine is no failure
some = settings(max_examples=60, derandomize=True, database=None, **calm)
UNITS = {
    "m": {"mm": Fraction(1, 1000), "cm": Fraction(1, 100), "km": Fraction(1000), "m": Fraction(1)},
    "N": {"N": Fraction(1), "kN": Fraction(1000), "MN": Fraction(10**6)},
    "m/s": {"m/s": Fraction(1), "km/h": Fraction(5, 18), "mm/ms": Fraction(1)},
    "kg/m": {"kg/m": Fraction(1), "t/km": Fraction(1), "g/mm": Fraction(1)},
}
numbers = st.floats(-1e9, 1e9, allow_nan=False).map(lambda x: 0.0 if abs(x) < 1e-9 else x)
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@some
@given(numbers, st.sampled_from([(si, unit) for si, known in UNITS.items() for unit in known]))
def test_a_quantity_is_its_number_times_its_unit(number, pair):
    """Exactly, rounded once."""
    si, unit = pair
    assert to_si(f"{number!r} {unit}", si) == float(Fraction(repr(number)) * UNITS[si][unit])


@some
@given(st.text(alphabet=string.printable + "µ²·°,'", max_size=30))
def test_any_text_is_a_quantity_or_refused(text):
    try:
        assert math.isfinite(to_si(text, "m"))
    except ValueError as error:
        assert "\n" not in str(error).replace(text, "")


@some
@given(st.integers(1, 9999), st.integers(0, 99), st.sampled_from(["m", "kN", "km/h"]))
def test_no_comma_is_ever_read(whole, part, unit):
    si = {"m": "m", "kN": "N", "km/h": "m/s"}[unit]
    for text in (f"{whole},{part:02d} {unit}", f"{whole} {part:03d} {unit}", f"{whole}'{part:03d} {unit}"):
        with pytest.raises(ValueError, match=r"decimal point|without spaces"):
            to_si(text, si)


@some
@given(
    st.floats(5e3, 4e4),
    st.floats(40.0, 70.0),
    st.floats(1.0, 1.8),
    st.integers(1, 12),
    st.randoms(use_true_random=False),
)
def test_a_line_there_and_back_with_its_keys_in_any_order(tension, length, encumbrance, droppers, order):
    line = plain_line(spans=2)
    contact = replace(line.wires.contact, tension=tension)
    span = replace(line.tension_lengths[0].spans[0], length=length, dropper_positions=(), dropper_count=droppers)
    line = replace(
        line,
        wires=replace(line.wires, contact=contact),
        support=replace(line.support, encumbrance=encumbrance),
        tension_lengths=(replace(line.tension_lengths[0], spans=(span,)),),
    )
    import tomllib

    raw = tomllib.loads(parse.write_toml(line))
    assert parse.build(Line, shuffled(raw, order), source="x") == line


def shuffled(raw, order):
    """The same plain data, keys of every table in another order."""
    if isinstance(raw, list):
        return [shuffled(x, order) for x in raw]
    if not isinstance(raw, dict):
        return raw
    keys = list(raw)
    order.shuffle(keys)
    return {k: shuffled(raw[k], order) for k in keys}


@some
@given(st.dictionaries(st.sampled_from(["line", "train", "speed", "journey", "numerics", "variants", "x"]), plain))
def test_any_plain_data_is_a_run_or_refused(raw):
    try:
        parse.build(Run, raw, source="x.toml")
    except FileError as error:
        assert str(error).startswith("x.toml\n")


@some
@given(st.text(max_size=20), plain)
def test_any_setting_is_taken_or_refused(setting, value):
    try:
        parse.with_overrides({"a": {"b": [1, {"c": 2}]}, "x": value}, [setting, f"a.{setting}=3", f"a.b.1.{setting}"])
    except FileError as error:
        assert "--set" in str(error)


@settings(max_examples=15, derandomize=True, database=None, **calm)
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 5), st.floats(allow_nan=False)), max_size=8), st.booleans()
)
def test_streams_give_back_what_they_were_given(tmp_path_factory, parts, on_disk):
    streams = Streams(tmp_path_factory.mktemp("rows") if on_disk else None)
    streams.begin()
    given: dict[str, list[np.ndarray]] = {"a": [], "b": []}
    for name, count, value in parts:
        rows = value + np.arange(3.0 * count).reshape(count, 3)
        given[name].append(rows)
        streams.append(name, rows)
    for name, tables in given.items():
        if tables:
            np.testing.assert_array_equal(np.asarray(streams.table(name)), np.concatenate(tables))
