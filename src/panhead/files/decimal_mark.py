"""Decimal mark of a table: comma or point, decided once for all its cells.

1,234 may mean 1.234 or 1234. A single cell is ambiguous; the other cells of the table decide, or the table is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_THOUSANDS: Final = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+\D*", re.ASCII)
_COMMA: Final = re.compile(r"([+-]?\d*),(\d+(?:[eE][+-]?\d+)?)(\s*\D*)", re.ASCII)
_MARKED: Final = re.compile(r"\d[.,]|[.,]\d", re.ASCII)


@dataclass(frozen=True, slots=True)
class DecimalMark:
    """The decimal mark, and by row and column why it is ambiguous."""

    sign: str  #: "," or "."
    problems: tuple[tuple[int, int, str], ...] = ()


def decimal_mark(cells: Sequence[tuple[int, int, str]], *, semicolons: bool) -> DecimalMark:
    """Find the decimal mark of a table; ``semicolons`` between its cells mean that commas are decimal marks."""
    marked = [(row, column, _plain_signs(text)) for row, column, text in cells if _MARKED.search(text)]
    commas = [cell for cell in marked if "," in cell[2] and "." not in cell[2]]
    points = [cell for cell in marked if "." in cell[2] and "," not in cell[2]]
    if commas and points:
        odd, usual = (commas, points) if len(commas) <= len(points) else (points, commas)
        row, column, text = odd[0]
        words = f"{text!r}, but row {usual[0][0]} has {usual[0][2]!r}: is the point or the comma the decimal mark? "
        return DecimalMark(
            ".", ((row, column, words + "Use one decimal mark throughout, without thousands separators"),)
        )
    if commas and not semicolons and all(_THOUSANDS.fullmatch(text) for _, _, text in commas):
        row, column, text = commas[0]
        words = f"{text!r} is ambiguous: write {text.replace(',', '.')} or {text.replace(',', '')}"
        return DecimalMark(".", ((row, column, words),))
    return DecimalMark("," if commas else ".")


def plain_number(text: str, mark: str) -> str:
    """Rewrite a number, with or without a unit, with a decimal point."""
    text = _plain_signs(text)
    if "," in text and "." in text:
        raise ValueError(f"{text!r} has a point and a comma: write it without thousands separators")
    match = _COMMA.fullmatch(text) if mark == "," else None
    return f"{match[1]}.{match[2]}{match[3]}" if match else text


def _plain_signs(text: str) -> str:
    return text.strip().replace("−", "-").replace("\u00a0", " ")
