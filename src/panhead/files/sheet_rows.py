"""Wanted columns of a table, and the rows found: values, and every problem with its cell."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from panhead.errors import FileError, RunWarning
from panhead.files.cell_text import Cell
from panhead.files.units import split_quantity

_HEAD: Final = re.compile(r"\s*([^\[(]*?)\s*(?:[\[(]([^\])]*)[\])])?\s*")
_LISTED: Final = 20  # problems that a message tells

TableLine = tuple[int, list[Cell]]  #: row of the file, counted from 1, and its cells


@dataclass(frozen=True, slots=True)
class ColumnWanted:
    """A column to look for."""

    name: str
    unit: str = ""  #: SI unit of what is made of it
    kind: Literal["number", "whole", "text"] = "number"
    others: tuple[str, ...] = ()  #: what it may be called as well; one that is a unit, such as km, is the unit too
    required: bool = False
    usual: tuple[float, float] | None = None  #: its numbers in SI units; from 0: of either sign
    largest: float = 0.0  #: what at least one of its numbers exceeds, if they are not all zero


@dataclass(slots=True)
class SheetRows:
    """The rows of one table, column name → value in SI units (None: empty), and what is wrong with them."""

    source: str  #: file, and sheet if there are several
    rows: list[tuple[int, dict[str, Any]]]  #: row of the file, counted from 1, and its values
    places: dict[str, str] = field(default_factory=dict)  #: column name → its letter
    units: dict[str, str] = field(default_factory=dict)  #: column name → unit of its numbers, if the table says one
    problems: list[str] = field(default_factory=list)
    implied: set[str] = field(default_factory=set)  #: columns whose unit is nothing but their name, such as km
    heads: list[str] = field(default_factory=list)  #: names of the first row, as they are compared
    semicolons: bool = False  #: whether they divide the cells

    def place(self, row: int, column: str) -> str:
        """Name of a cell as the spreadsheet shows it."""
        letter = self.places.get(column)
        return f"row {row}, column {letter} ({column})" if letter else f"row {row}, column {column}"

    def has_unit(self, column: str) -> bool:
        """Return whether the table gives the unit of a column."""
        return column in self.units and column not in self.implied

    def add_error(self, row: int, column: str, words: str) -> None:
        """Record an error in one cell; ``refuse`` reports all of them at once."""
        self.problems.append(f"{self.place(row, column)}: {words}")

    def raise_errors(self) -> None:
        """Raise a FileError with all recorded errors, if there are any."""
        if self.problems:
            told = list(dict.fromkeys(self.problems))
            more = [f"and {len(told) - _LISTED} more"] if len(told) > _LISTED else []
            raise FileError(self.source, told[:_LISTED] + more)

    def warn(self, words: str) -> None:
        """Warn of a doubtful cell or column."""
        warnings.warn(RunWarning(f"{self.source}: {words}"), stacklevel=3)


def plain_name(text: str) -> str:
    """Normalise a column name for comparison: lower case, spaces and hyphens as underscores."""
    return re.sub(r"[\s\-]+", "_", text.strip().lower())


def head_parts(cell: Cell) -> tuple[str, str]:
    """Split a cell of the header row into name and unit."""
    match = _HEAD.fullmatch(cell_words(cell))
    return (plain_name(match[1]), match[2] or "") if match else (plain_name(cell_words(cell)), "")


def is_number(text: str) -> bool:
    """Return whether text is a number in any notation, with or without a unit."""
    try:
        split_quantity(text.replace("−", "-").replace(",", ".", 1))
    except ValueError:
        return bool(re.fullmatch(r"[\d.,'\s]*\d[\d.,'\s]*", text))
    return True


def cell_words(cell: Cell) -> str:
    """Text of a cell; "" if it is empty."""
    if cell is None:
        return ""
    return repr(cell) if isinstance(cell, float) else str(cell).strip()
