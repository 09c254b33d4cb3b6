"""Chainage as railways write it: km 12+345.6 stands for 12 345.6 m. The one place that reads and writes it.

Accepted: ``km 12+345``, ``12+345.60``, ``km 12.345``, ``12.345 km`` and ``12345 m``; before km 0 ``-0+050`` is −50 m.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Final

from panhead.files.units import Unit, to_si

_STATION: Final = re.compile(
    r"(?:km|pk)?\s*([+\-−]?)(\d{1,5})\s*\+\s*(\d{1,4}(?:[.,]\d+)?)(?:\s*m)?", re.IGNORECASE | re.ASCII
)
_KILOMETRES: Final = re.compile(r"(?:km|pk)\s*([+\-−]?\d+(?:[.,]\d+)?)", re.IGNORECASE | re.ASCII)


def is_chainage(text: str) -> bool:
    """Return whether text is written as a chainage, ``12+345`` or ``km 12.3``, and not as a length."""
    return bool(_STATION.fullmatch(text.strip()) or _KILOMETRES.fullmatch(text.strip()))


def parse_chainage(text: str) -> float:
    """Chainage in metres; ValueError if it cannot be read.

    >>> parse_chainage("km 12+345.6"), parse_chainage("-0+050"), parse_chainage("km 12,5")
    (12345.6, -50.0, 12500.0)
    """
    text = text.strip()
    station, kilometres = _STATION.fullmatch(text), _KILOMETRES.fullmatch(text)
    if station:
        sign, whole, metres = station.groups()
        if float(metres.replace(",", ".")) >= 1000.0:
            raise ValueError(f"{text!r} is not a chainage: behind the sign stand less than 1000 m")
        value = to_si(metres.replace(",", "."), "") + 1000.0 * int(whole)
        return -value if sign in ("-", "−") and sign else value
    if kilometres:
        return to_si(f"{kilometres[1].replace(',', '.').replace('−', '-')} km", "m")
    return to_si(text, "m")


def format_chainage(metres: float, digits: int = 0) -> str:
    """A chainage in km and metres, rounded.

    >>> format_chainage(12345.6), format_chainage(-50.0, 2), format_chainage(999.996, 2)
    ('km 12+346', 'km -0+050.00', 'km 1+000.00')
    """
    size = round(abs(metres), digits)
    kilometres, rest = divmod(size, 1000.0)
    if round(rest, digits) >= 1000.0:
        kilometres, rest = kilometres + 1, 0.0
    width = 3 if digits == 0 else 4 + digits
    sign = "-" if metres < 0 and size > 0 else ""
    return f"km {sign}{int(kilometres)}+{rest:0{width}.{digits}f}"


class ChainageUnit(Unit):
    """Metres that a file may give as a chainage."""

    __slots__ = ()

    def parse(self, value: Any) -> Any:
        """Convert ``"km 12+345"`` to 12345.0; everything else as a length."""
        if isinstance(value, str) and is_chainage(value):
            return parse_chainage(value)
        return Unit.parse(self, value)


Chainage = Annotated[float, ChainageUnit("m")]
