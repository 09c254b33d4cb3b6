"""Significant figures of a value and its error bar, so that both stay on the correct side of a limit when printed."""

from __future__ import annotations

import math

MIN_DIGITS = 4  #: significant figures of a value
_MOST = 17  # beyond them two doubles do not differ
_OF_BAR = 2  # significant figures of an error bar


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
