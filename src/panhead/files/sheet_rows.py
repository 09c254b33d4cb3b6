"""Wanted columns of a table, and the rows found: values, and every problem with its cell."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from panhead.errors import FileError, RunWarning
from panhead.files.cell_text import Cell
from panhead.files.units import split_quantity

_HEAD: Final = re.compile(r"\s*([^\[(]*?)\s*(?:[\[(]([^\])]*)[\])])?\s*")
_UNIT_BEHIND: Final = re.compile(
    r"(.*\S)\s*(?:/|,|\s(?:in|en)\s)\s*([^\W\d_]{1,3}|%|‰)"
)  # stagger / mm, Seitenlage in mm
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
    stations: bool = False  #: its numbers may be chainages, 12+345
    foreign: tuple[str, ...] = ()  #: what it is called in other languages

    @property
    def names(self) -> tuple[str, ...]:
        """Every name it may have."""
        return (self.name, *self.others, *self.foreign)


def own_names(wanted: Sequence[ColumnWanted]) -> list[str]:
    """Names of columns without those in other languages, for messages."""
    return sorted({name for column in wanted for name in (column.name, *column.others)})


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
    renamed: dict[str, str] = field(default_factory=dict)  #: head as it is written → column, where they differ

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
    """Normalise a column name for comparison: lower case; spaces, hyphens and points as underscores."""
    return re.sub(r"[\s\-._]+", "_", text.strip().lower()).strip("_")


def head_parts(cell: Cell) -> tuple[str, str]:
    """Split a cell of the header row into name and unit: ``stagger [mm]``, ``stagger (mm)`` or ``stagger / mm``."""
    words = cell_words(cell)
    behind = _UNIT_BEHIND.fullmatch(words)
    match = behind if behind and _is_known_unit(behind[2]) else _HEAD.fullmatch(words)
    return (plain_name(match[1]), match[2] or "") if match else (plain_name(words), "")


def _is_known_unit(text: str) -> bool:
    try:
        return text == "‰" or bool(split_quantity(f"1 {text}"))
    except ValueError:
        return False


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
