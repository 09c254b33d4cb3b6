"""Formatting of numbers and units: significant figures, error bars, limits, variable names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import xarray as xr

MIN_DIGITS = 4  #: significant figures of a value
_MOST = 17  # beyond them two doubles do not differ
_OF_BAR = 2  # significant figures of an error bar
_RAISED: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float, digits: int = 4) -> str:
    """Format a number with ``digits`` significant figures, a real minus sign and no needless exponent."""
    if not math.isfinite(value):
        return "–" if math.isnan(value) else "∞"
    if value == 0:
        return "0"
    power = int(f"{value:.{digits - 1}e}".partition("e")[2])  # after rounding: 0.99999 is 1.000
    if -5 < power < 7:
        text = f"{value:.{max(0, digits - 1 - power)}f}"
    else:
        mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
        text = f"{mantissa}\u00a0·\u00a010{str(int(exponent)).translate(_RAISED)}"
    return text.replace("-", "−")


def value_and_bar(value: float, error: float | None, digits: int = 4) -> tuple[str, str]:
    """Format a value and its error bar with the same decimals: two figures of the bar, none finer than the value's
    ``digits``.

    The bar is rounded up, so that nothing looks more certain than it is: 116.3 ± 0.1, not 116.3 ± 0.0033.
    """
    if not error or not math.isfinite(error) or not math.isfinite(value):
        return number(value, digits), "" if not error else number(error, 2)
    decimals = bar_decimals(value, error, digits)
    if not -1 <= decimals <= 4 + digits:
        return number(value, digits), number(error, 2)
    places = max(0, decimals)
    return f"{value:.{places}f}".replace("-", "−"), f"{rounded_up(error, places):.{places}f}"


def with_bar(value: float, error: float | None, digits: int = 4) -> str:
    """Format a value ± its error bar; the value alone if the error is unknown."""
    text, bar = value_and_bar(value, error, digits)
    return f"{text} ± {bar}" if bar else text


def brief(value: float, digits: int = 4) -> str:
    """Format a number without trailing zeros, for exact numbers such as limits."""
    digits_, gap, power = number(value, digits).partition("\u00a0")
    return (digits_.rstrip("0").rstrip(".") if "." in digits_ else digits_) + gap + power


def percent(share: float | None, digits: int = 1) -> str:
    """Format a relative change with its sign; "–" for None."""
    if share is None:
        return "–"
    text = f"{100 * share:+.{digits}f}"
    return text.replace("-", "−") if float(text) else text[1:]  # nothing has no sign


def unit_text(unit: str) -> str:
    """Format a unit: ``m/s**2`` becomes m/s², an empty unit becomes 1.

    >>> unit_text("N*m/rad**2")
    'N·m/rad²'
    """
    text = unit.replace("degC", "°C").replace("**2", "²").replace("**3", "³").replace("**4", "⁴").replace("*", "·")
    return text or "1"


def long_name(dataset: xr.Dataset, name: str) -> str:
    """Descriptive name of a variable."""
    return str(dataset[name].attrs.get("long_name", name.replace("_", " ")))


def unit_of(dataset: xr.Dataset, name: str) -> str:
    """Formatted unit of a variable."""
    return unit_text(str(dataset[name].attrs.get("units", "")))


def decimals(value: float, digits: int) -> int:
    """Number of decimals that gives a value so many significant figures."""
    return digits - 1 - int(f"{value:.{digits - 1}e}".partition("e")[2])


def bar_decimals(value: float, error: float, digits: int) -> int:
    """Decimals of a value and its bar: two figures of the bar, one more for each that ``digits`` exceeds four."""
    of_bar = decimals(error, _OF_BAR + max(0, digits - MIN_DIGITS))
    return min(of_bar, decimals(value, digits)) if value else of_bar


def rounded_up(error: float, places: int) -> float:
    """Round a bar up to so many decimals, so that nothing looks more certain than it is."""
    return math.ceil(error * 10**places - 1e-9) / 10**places


def distinguishing_digits(value: float, limit: float, error: float | None) -> int:
    """Significant figures, at least four, with which the printed numbers show the same verdict as the values.

    Value and limit differ; and the printed bar, rounded up, reaches across the limit only if the bar itself does.
    """
    if value == limit or not math.isfinite(value) or not math.isfinite(limit):
        return MIN_DIGITS
    for digits in range(MIN_DIGITS, _MOST):
        if _shows_same_verdict(value, limit, error, digits):
            return digits
    return _MOST


def _shows_same_verdict(value: float, limit: float, error: float | None, digits: int) -> bool:
    apart = f"{value:.{digits}g}" != f"{limit:.{digits}g}"
    if not error or not math.isfinite(error):
        return apart
    places = bar_decimals(value, error, digits)
    room, bar = abs(round(value, places) - limit), rounded_up(error, max(0, places))
    reaches = room <= bar * (1 + 1e-6)
    if abs(value - limit) < error:
        return reaches
    return apart and (round(value, places) > limit) is (value > limit) and not reaches
