"""Unit conversion: "300 km/h" in a file becomes 83.33 m/s inside.

A field declares its unit in its type, ``speed: MetresPerSecond``. Inside the package it is a
plain float in SI units. Where a file or the command line hands in text, the text is converted and
its dimension checked; a bare number is taken to be in SI units already. The units are those of the
field, in a table; nothing is evaluated.
"""

from __future__ import annotations

import difflib
import functools
import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Final


@dataclass(frozen=True, slots=True)
class Unit:
    """The SI unit a float carries; readable by pydantic, invisible to the rest of the package."""

    symbol: str

    def parse(self, value: Any) -> Any:
        """Convert ``"20 kN"`` to 20000.0; leave numbers alone; refuse a wrong dimension and absurdly large values."""
        if isinstance(value, bool):
            raise ValueError(f"expected a quantity in {self.symbol or '1'}, got {value!r}")
        number = to_si(value, self.symbol) if isinstance(value, str) else value
        if isinstance(number, int | float) and _BEYOND < abs(number) < math.inf:
            raise ValueError(f"{value!r:.40} is too large; quantities are at most {_BEYOND:g} {self.symbol}")
        return number

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.no_info_before_validator_function(self.parse, handler(source))


#: symbol → factor to SI and exponents of kg, m, s, A, cycles, °C; an angle is a number
_BASE: Final[dict[str, tuple[Fraction, tuple[int, ...]]]] = {
    "%": (Fraction(1, 100), (0, 0, 0, 0, 0, 0)),
    "A": (Fraction(1), (0, 0, 0, 1, 0, 0)),
    "Hz": (Fraction(1), (0, 0, -1, 0, 1, 0)),  # cycles: 20 Hz are not 20 rad/s
    "J": (Fraction(1), (1, 2, -2, 0, 0, 0)),
    "N": (Fraction(1), (1, 1, -2, 0, 0, 0)),
    "Pa": (Fraction(1), (1, -1, -2, 0, 0, 0)),
    "V": (Fraction(1), (1, 2, -3, -1, 0, 0)),
    "W": (Fraction(1), (1, 2, -3, 0, 0, 0)),
    "deg": (Fraction(math.pi) / 180, (0, 0, 0, 0, 0, 0)),
    "degC": (Fraction(1), (0, 0, 0, 0, 0, 1)),  # above freezing, or a difference
    "g": (Fraction(1, 1000), (1, 0, 0, 0, 0, 0)),
    "h": (Fraction(3600), (0, 0, 1, 0, 0, 0)),
    "m": (Fraction(1), (0, 1, 0, 0, 0, 0)),
    "min": (Fraction(60), (0, 0, 1, 0, 0, 0)),
    "rad": (Fraction(1), (0, 0, 0, 0, 0, 0)),
    "rpm": (Fraction(math.pi) / 30, (0, 0, -1, 0, 0, 0)),
    "s": (Fraction(1), (0, 0, 1, 0, 0, 0)),
    "t": (Fraction(1000), (1, 0, 0, 0, 0, 0)),
}
_PREFIXED: Final = {
    "kA": 3, "kHz": 3, "kJ": 3, "MJ": 6, "mN": -3, "kN": 3, "MN": 6, "kPa": 3, "MPa": 6, "GPa": 9,
    "kV": 3, "kW": 3, "MW": 6, "kg": 3, "km": 3, "cm": -2, "mm": -3, "µm": -6, "mrad": -3, "ms": -3, "µs": -6, "us": -6,
}  # fmt: skip
_SYMBOLS: Final = _BASE | {
    name: (Fraction(10) ** power * _BASE[name[1:]][0], _BASE[name[1:]][1]) for name, power in _PREFIXED.items()
}
_LONGEST: Final = 80  # characters of a quantity
_BEYOND: Final = 1e30  # in SI units: squares and products of such numbers are numbers still
_QUANTITY: Final = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)\s*(.*?)\s*")
_FACTOR: Final = re.compile(r"([^\W\d_]+|%|1)(?:(?:\*\*|\^|(?<=[^\W\d_])(?=[234]))(-?\d))?")  # m**2, m^2 and m2
_SUPERSCRIPT: Final = re.compile("[⁻⁰¹²³⁴-⁹]+")
_DIGITS: Final = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def to_si(text: str, symbol: str) -> float:
    """Convert text such as ``"1.35 kg/m"`` to the unit ``symbol``: exactly, rounded once.

    >>> to_si("300 km/h", "m/s") == 250 / 3
    True
    """
    if len(text) > _LONGEST:
        raise ValueError(f"a quantity of {len(text)} characters is too long to be read")
    number, unit = _split(text, symbol)
    try:
        factor, exponents = _unit(unit)
    except ValueError as error:
        raise ValueError(f"{text!r} cannot be read: {error}") from None
    wanted, expected = _unit(symbol)
    if exponents != expected:
        why = f"{unit!r} measures something else" if unit else "its unit is missing"
        raise ValueError(f"{text!r} is not a quantity in {symbol or '1'}: {why}")
    try:
        value = float(number) if factor == wanted else float(Fraction(number) * factor / wanted)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise ValueError(f"{text!r} is not finite: too large for a number in {symbol or '1'}")
    return value


def split_quantity(value: float | str, symbol: str = "") -> tuple[float, str]:
    """Split text into number and unit as written: ``"250 km/h"`` gives 250.0 and ``"km/h"``, a bare number no unit.

    ``symbol``: the unit that an error message gives as an example.
    """
    if not isinstance(value, str):
        return float(value), ""
    number, unit = _split(value, symbol)
    _unit(unit)  # refuses what is none
    return float(number), unit


def in_unit(value: float | str, symbol: str) -> float:
    """A number that may carry a unit, in SI units of ``symbol``."""
    return to_si(value, symbol) if isinstance(value, str) else float(value)


def _split(text: str, symbol: str) -> tuple[str, str]:
    """Split text into number and unit; common mistakes get their own message."""
    if re.search(r"\d,\d", text):
        raise ValueError(f"{text!r} contains a comma: use a decimal point and no thousands separators")
    match = _QUANTITY.fullmatch(text)
    if match is None:
        example = f' with a unit, e.g. "3 {symbol}"' if symbol else ', e.g. "3"'
        raise ValueError(f"{text!r} cannot be read as a number{example}")
    number, unit = match.groups()
    if re.match(r"[\d.']", unit) and not re.match(r"1\s*/", unit):
        raise ValueError(f"{text!r} cannot be read: write the number without spaces")
    return number, unit


@functools.lru_cache(512)
def _unit(unit: str) -> tuple[Fraction, tuple[int, ...]]:
    """Factor to SI and exponents of a unit such as ``kN*m**2``, ``kN·m²`` or ``N*s/m``."""
    factor = Fraction(1)
    exponents: tuple[int, ...] = (0,) * 6
    if not unit:
        return factor, exponents
    plain = _SUPERSCRIPT.sub(lambda m: "**" + m[0].translate(_DIGITS), unit.replace("°", "deg"))
    for piece in re.split(r"(?=/)|(?<!\*)[*·⋅](?!\*)", plain.replace("μ", "µ")):
        match = _FACTOR.fullmatch(piece.removeprefix("/").strip())
        if match is None:
            raise ValueError(f"{unit!r} is not a valid unit; write e.g. N*s/m or kN*m**2")
        name, power = match[1], int(match[2] or 1) * (-1 if piece.startswith("/") else 1)
        if name != "1":
            one, dimension = _symbol(name)
            factor *= one**power
            exponents = tuple(e + power * d for e, d in zip(exponents, dimension, strict=True))
    return factor, exponents


def _symbol(name: str) -> tuple[Fraction, tuple[int, ...]]:
    if name not in _SYMBOLS:
        near = [s for s in _SYMBOLS if s.lower() == name.lower()]
        near = near or _split_joined_symbols(name) or difflib.get_close_matches(name, _SYMBOLS, 3, 0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(_SYMBOLS)}"
        raise ValueError(f"{name!r} is not a known unit; {hint}")
    return _SYMBOLS[name]


def _split_joined_symbols(name: str) -> list[str]:
    """Guess what kmh or Nm means: two symbols without an operator between them."""
    pairs = [(name[:k], name[k:]) for k in range(1, len(name))]
    return [f"{a}{sign}{b}" for a, b in pairs if a in _SYMBOLS and b in _SYMBOLS for sign in "/*"]


Amperes = Annotated[float, Unit("A")]
Celsius = Annotated[float, Unit("degC")]
Degrees = Annotated[float, Unit("deg")]
Dimensionless = Annotated[float, Unit("")]
Hertz = Annotated[float, Unit("Hz")]
Kilograms = Annotated[float, Unit("kg")]
KilogramsPerCubicMetre = Annotated[float, Unit("kg/m**3")]
KilogramsPerMetre = Annotated[float, Unit("kg/m")]
KilogramSquareMetres = Annotated[float, Unit("kg*m**2")]
Metres = Annotated[float, Unit("m")]
MetresPerSecond = Annotated[float, Unit("m/s")]
MetresPerSecondSquared = Annotated[float, Unit("m/s**2")]
NewtonSecondsPerMetre = Annotated[float, Unit("N*s/m")]
NewtonSquareMetres = Annotated[float, Unit("N*m**2")]
Newtons = Annotated[float, Unit("N")]
NewtonsPerMetre = Annotated[float, Unit("N/m")]
Pascals = Annotated[float, Unit("Pa")]
PerSecond = Annotated[float, Unit("1/s")]
Radians = Annotated[float, Unit("rad")]
RadiansPerSecond = Annotated[float, Unit("rad/s")]
Seconds = Annotated[float, Unit("s")]
SquareMetres = Annotated[float, Unit("m**2")]
