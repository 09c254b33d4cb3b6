"""Which mark divides whole numbers from decimals in a table: a comma or a point, decided once for all its cells.

1,234 is 1.234 here and 1234 there. A cell alone cannot tell; the table can, or nobody.
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
    """The mark, and by row and column why it cannot be told."""

    sign: str  #: "," or "."
    problems: tuple[tuple[int, int, str], ...] = ()


def decimal_mark(cells: Sequence[tuple[int, int, str]], *, semicolons: bool) -> DecimalMark:
    """The mark of all numbers of a table; ``semicolons`` between its cells say that commas are decimal ones."""
    marked = [(row, column, _plain_signs(text)) for row, column, text in cells if _MARKED.search(text)]
    commas = [cell for cell in marked if "," in cell[2] and "." not in cell[2]]
    points = [cell for cell in marked if "." in cell[2] and "," not in cell[2]]
    if commas and points:
        odd, usual = (commas, points) if len(commas) <= len(points) else (points, commas)
        row, column, text = odd[0]
        words = f"{text!r}, but row {usual[0][0]} has {usual[0][2]!r}: is the point or the comma the decimal mark? "
        return DecimalMark(".", ((row, column, words + "Write all numbers alike, without separators of thousands"),))
    if commas and not semicolons and all(_THOUSANDS.fullmatch(text) for _, _, text in commas):
        row, column, text = commas[0]
        words = f"{text!r} is {text.replace(',', '.')} or {text.replace(',', '')}, nobody can know: write it so"
        return DecimalMark(".", ((row, column, words),))
    return DecimalMark("," if commas else ".")


def plain_number(text: str, mark: str) -> str:
    """A number, with or without a unit behind it, with a decimal point."""
    text = _plain_signs(text)
    if "," in text and "." in text:
        raise ValueError(f"{text!r} has a point and a comma: write it without separators of thousands")
    match = _COMMA.fullmatch(text) if mark == "," else None
    return f"{match[1]}.{match[2]}{match[3]}" if match else text


def _plain_signs(text: str) -> str:
    return text.strip().replace("−", "-").replace("\u00a0", " ")
