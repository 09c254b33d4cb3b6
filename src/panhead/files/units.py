"""Units at the door: "300 km/h" in a file becomes 83.33 m/s inside.

A field says which unit it has by its type, ``speed: MetresPerSecond``. Inside the package it is a
plain float in SI units. Where a file or the command line hands in text, the text is converted and
its dimension checked; a bare number is taken to be in SI units already.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Annotated, Any


@dataclass(frozen=True, slots=True)
class Unit:
    """The SI unit a float carries; readable by pydantic, invisible to the rest of the package."""

    symbol: str

    def parse(self, value: Any) -> Any:
        """Turn ``"20 kN"`` into 20000.0; leave numbers alone; refuse a wrong dimension."""
        if isinstance(value, bool):
            raise ValueError(f"expected a quantity in {self.symbol or '1'}, got {value!r}")
        if not isinstance(value, str):
            return value
        return to_si(value, self.symbol)

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.no_info_before_validator_function(self.parse, handler(source))


@functools.cache
def _registry() -> Any:
    import pint

    registry: Any = pint.UnitRegistry(autoconvert_offset_to_baseunit=False)
    registry.define("percent = 0.01 = %") if "percent" not in registry else None
    return registry


def to_si(text: str, symbol: str) -> float:
    """Convert text such as ``"1.35 kg/m"`` to the unit ``symbol``.

    >>> round(to_si("300 km/h", "m/s"), 4)
    83.3333
    """
    import pint

    try:
        quantity = _registry().Quantity(text)
        value = float(quantity.to(symbol or "dimensionless").magnitude)
    except pint.DimensionalityError as error:
        raise ValueError(f"{text!r} is not a quantity in {symbol or '1'}: {error}") from None
    except Exception:  # noqa: BLE001  pint lets parser errors of many kinds through
        raise ValueError(
            f'{text!r} cannot be read as a number with a unit, e.g. "3 {symbol}"'
        ) from None
    if not math.isfinite(value):
        raise ValueError(f"{text!r} is not finite")
    return value


Dimensionless = Annotated[float, Unit("")]
Hertz = Annotated[float, Unit("Hz")]
Kilograms = Annotated[float, Unit("kg")]
KilogramsPerCubicMetre = Annotated[float, Unit("kg/m**3")]
KilogramsPerMetre = Annotated[float, Unit("kg/m")]
KilogramSquareMetres = Annotated[float, Unit("kg*m**2")]
Metres = Annotated[float, Unit("m")]
MetresPerSecond = Annotated[float, Unit("m/s")]
MetresPerSecondSquared = Annotated[float, Unit("m/s**2")]
NewtonMetres = Annotated[float, Unit("N*m")]
NewtonSecondsPerMetre = Annotated[float, Unit("N*s/m")]
NewtonSquareMetres = Annotated[float, Unit("N*m**2")]
Newtons = Annotated[float, Unit("N")]
NewtonsPerMetre = Annotated[float, Unit("N/m")]
Pascals = Annotated[float, Unit("Pa")]
Radians = Annotated[float, Unit("rad")]
RadiansPerSecond = Annotated[float, Unit("rad/s")]
Seconds = Annotated[float, Unit("s")]
SquareMetres = Annotated[float, Unit("m**2")]
