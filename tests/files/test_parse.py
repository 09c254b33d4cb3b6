"""Files and settings: everything wrong is told at once, with path, field, value and what is allowed."""

from dataclasses import dataclass, field
from typing import ClassVar

import pytest

from panhead.errors import FileError, ModelError, require_not_negative, require_positive
from panhead.files import parse
from panhead.files.units import Metres, MetresPerSecond, Newtons, to_si


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    __pydantic_config__: ClassVar = {"extra": "forbid"}
    name: str
    length: Metres
    tension: Newtons = 20e3
    speed: MetresPerSecond | None = None
    sags: tuple[Metres, ...] = ()

    def __post_init__(self):
        require_positive(self, "length", "tension")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    __pydantic_config__: ClassVar = {"extra": "forbid"}
    wires: tuple[Wire, ...] = field(default_factory=tuple)


def test_units_become_si():
    wire = parse.build(
        Wire, {"name": "a", "length": "55 mm", "tension": "20 kN", "speed": "300 km/h", "sags": ["2 cm", 1]}, source="x"
    )
    assert wire.length == pytest.approx(0.055)
    assert wire.tension == pytest.approx(20e3)
    assert wire.speed == pytest.approx(300 / 3.6)
    assert wire.sags == pytest.approx((0.02, 1.0))


def test_round_trip_through_toml(tmp_path):
    line = Line(wires=(Wire(name="contact", length=60.0, sags=(0.1, 0.2)), Wire(name="messenger", length=1 / 3)))
    path = tmp_path / "line.toml"
    path.write_text(parse.write_toml(line), encoding="utf-8")
    assert parse.build(Line, parse.read_toml(path), source=path) == line


def test_all_problems_are_listed():
    raw = {"wires": [{"name": "a", "lenght": 3}, {"name": "b", "length": "3 kg"}, {"name": "c", "length": -1.0}]}
    with pytest.raises(FileError) as caught:
        parse.build(Line, raw, source="line.toml")
    text = str(caught.value)
    assert text.startswith("line.toml\n")
    assert "wires.0.lenght: unknown key" in text
    assert "wires.0.length: required" in text
    assert "wires.1.length: '3 kg' is not a quantity in m" in text
    assert "Wire 'c': length must be finite and > 0, got -1.0" in text


@pytest.mark.parametrize("text", ["fast", "3 furlongs per", "nan m", "inf m", "1e999 m", "1e308 km", "-1e306 km"])
def test_nonsense_quantities(text):
    with pytest.raises(ValueError, match=r"cannot be read|not finite"):
        to_si(text, "m")


def test_a_quantity_too_large_is_told_by_its_path():
    raw = {"wires": [{"name": "a", "length": "1e308 km"}]}
    with pytest.raises(FileError, match=r"wires.0.length: '1e308 km' is not finite"):
        parse.build(Line, raw, source="line.toml")


@pytest.mark.parametrize("value", ["1e308 m", 1e308, -1e300, "1e29 km", 10**40])
def test_a_quantity_beyond_everything_is_told_by_its_path(value):
    """Finite, but its square is not: it was an OverflowError wherever it was squared first."""
    with pytest.raises(FileError, match=r"wires.0.length: .*is too large"):
        parse.build(Line, {"wires": [{"name": "a", "length": value}]}, source="line.toml")


def test_quantities_are_exact():
    """Numbers and factors are fractions, rounded once at the end."""
    assert to_si("300 km/h", "m/s") == 250 / 3
    assert to_si("240 mm²", "m**2") == 240e-6
    assert to_si("240 mm2", "m**2") == to_si("240 mm^2", "m**2") == 240e-6
    assert to_si("3 m/s2", "m/s**2") == 3.0
    assert to_si(" -1.5e1 kN·s/m ", "N*s/m") == -15e3
    assert to_si("2 1/s", "1/s") == 2.0
    assert to_si("90°", "rad") == pytest.approx(1.5707963267948966, rel=1e-15)
    assert to_si("0.3 %", "") == 0.003


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("31,5 m", "use a decimal point"),
        ("5,08 m", "use a decimal point"),
        ("1,000.5 m", "use a decimal point"),
        ("20 000 m", "without spaces"),
        ("20'000 m", "without spaces"),
        ("20 MM", "did you mean mm"),
        ("250 kmh", r"did you mean km/h or km\*h"),
        ("no number", 'as a number with a unit, e.g. "3 m"'),
        ("20 N", "measures something else"),
        ("20", "its unit is missing"),
        ("9**9 m", "cannot be read"),
        ("99999999999**9999999999 s", "cannot be read"),
        ("1e99999 m", "cannot be read"),
        ("3 m**99999", "cannot be read"),
        ("3 " + "k" * 100_000, "of 100002 characters"),
    ],
)
def test_what_is_no_quantity_gets_an_answer(text, answer):
    with pytest.raises(ValueError, match=answer):
        to_si(text, "m")


def test_a_wrong_field_is_told_as_it_was_written():
    """Not the whole table around it, and in words of a file."""
    with pytest.raises(FileError, match=r"length must be finite and > 0, got -3.0 \(given '-3 m'\)"):
        parse.build(Wire, {"name": "a", "length": "-3 m"}, source="a file")
    with pytest.raises(FileError, match=r"sags: Input should be a list \(given 3\)"):
        parse.build(Wire, {"name": "a", "length": "3 m", "sags": 3}, source="a file")


def test_an_example_without_a_unit_has_none():
    with pytest.raises(ValueError, match=r'as a number, e\.g\. "3"$'):
        to_si("x", "")


def test_cycles_are_not_radians():
    with pytest.raises(ValueError, match="measures something else"):
        to_si("20 Hz", "rad/s")


def test_unreadable_files(tmp_path):
    with pytest.raises(FileError, match="no such file"):
        parse.read_toml(tmp_path / "missing.toml")
    (tmp_path / "bad.toml").write_text("a = = 3")
    with pytest.raises(FileError, match="is not valid TOML"):
        parse.read_toml(tmp_path / "bad.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match="cannot be read"):
        parse.read_toml(tmp_path / "binary.toml")


def test_settings_reach_everywhere():
    raw = {"run": {"step": 1}, "list": [{"a": 1}, {"a": 2}]}
    changed = parse.with_overrides(raw, ["run.step=2 ms", "list.1.a=7", "new.b=true"])
    assert changed == {"run": {"step": "2 ms"}, "list": [{"a": 1}, {"a": 7}], "new": {"b": True}}
    assert raw == {"run": {"step": 1}, "list": [{"a": 1}, {"a": 2}]}


@pytest.mark.parametrize(
    "setting, problem",
    [("run.step", "key=value"), ("list.9.a=1", "items 0 to 1"), ("run.step.deeper=1", "has no parts")],
)
def test_wrong_settings(setting, problem):
    with pytest.raises(FileError, match=problem):
        parse.with_overrides({"run": {"step": 1}, "list": [1, 2]}, [setting])


def test_required_numbers():
    @dataclass
    class Part:
        name: str
        value: float

    for value in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ModelError, match="Part 'p': value must be finite and"):
            require_not_negative(Part("p", value), "value")
    require_not_negative(Part("p", 0.0), "value")
