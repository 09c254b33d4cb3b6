"""Parsers for the XML of Excel sheets: cell values, and problems of cells whose value cannot be trusted."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from panhead.files.cell_text import Cell

Attributes = Mapping[str, str]
Place = tuple[int, int]  #: row and column, both counted from 1
CellKind = Literal["plain", "date", "percent"]

_ROWS, _COLUMNS = 1_048_576, 16_384  # of Excel
_LETTERS: Final = 32_767  # of one cell, by Excel
_PLACES: Final = 3_000_000  # cells of a sheet, empty ones between filled ones counted
_STRINGS: Final = 1_000_000
_MERGED: Final = 10_000
_REFERENCE: Final = re.compile(r"\$?([A-Z]{1,3})\$?([0-9]{1,7})")
_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?", re.ASCII)
_DATES: Final = frozenset((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))  # formats by number
_PERCENT: Final = frozenset((9, 10))
_QUOTED: Final = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.')  # of a format: words, one letter, colours, a gap
UNCALCULATED: Final = (
    "contains a formula without a value; recalculate and save the file in a spreadsheet program, or enter the value"
)


@dataclass(slots=True)
class Sheet:
    """Filled rows of a sheet in order, and doubts about cells."""

    rows: list[tuple[int, list[Cell]]] = field(default_factory=list)  #: number of the row, from 1, and its cells
    doubts: dict[Place, str] = field(default_factory=dict)  #: cell → why its value cannot be taken
    merged: list[tuple[Place, Place]] = field(default_factory=list)  #: first and last cell of each range
    hidden: list[int] = field(default_factory=list)  #: rows that a filter or a person has hidden


def place_of(reference: str) -> Place:
    """Row and column of a cell such as ``AB12``."""
    match = _REFERENCE.fullmatch(reference)
    if match is None:
        raise ValueError(f"{reference[:20]!r} is not a cell")
    column = 0
    for letter in match[1]:
        column = 26 * column + ord(letter) - 64
    row = int(match[2])
    if not (1 <= row <= _ROWS and column <= _COLUMNS):
        raise ValueError(f"{reference!r} is beyond the last cell of Excel")
    return row, column


def column_letters(column: int) -> str:
    """Letters of a column: 1 is A, 27 is AA."""
    name = ""
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(65 + rest) + name
    return name


class TextParser:
    """Collects the text of elements, at most as much as a cell may contain."""

    def __init__(self) -> None:
        self.collected: list[str] | None = None
        self._letters = 0

    def collect(self) -> None:
        self.collected, self._letters = [], 0

    def text(self, words: str) -> None:
        if self.collected is None:
            return
        self._letters += len(words)
        if self._letters > _LETTERS:
            raise ValueError(f"a cell has more than the {_LETTERS} characters that Excel allows")
        self.collected.append(words)

    def taken(self) -> str:
        words, self.collected = "".join(self.collected or ()), None
        return words


class StringsParser(TextParser):
    """Parser of shared strings: text of every <si>, without phonetic hints."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._parts: list[str] = []
        self._hint = False

    def begin(self, name: str, _: Attributes) -> None:
        if name == "si":
            self._parts = []
        elif name == "rPh":
            self._hint = True
        elif name == "t" and not self._hint:
            self.collect()

    def end(self, name: str) -> None:
        if name == "rPh":
            self._hint = False
        elif name == "t" and self.collected is not None:
            self._parts.append(self.taken())
        elif name == "si":
            if len(self.found) >= _STRINGS:
                raise ValueError(f"it has more than {_STRINGS} shared strings")
            self.found.append("".join(self._parts)[: _LETTERS + 1])


class StylesParser:
    """Parser of cell styles: which ones show a date or a percentage."""

    def __init__(self) -> None:
        self._codes: dict[int, str] = {}
        self._formats: list[int] = []
        self._inside = False

    def begin(self, name: str, given: Attributes) -> None:
        if name == "numFmt":
            self._codes[int(given.get("numFmtId", -1))] = given.get("formatCode", "")[:1000]
        elif name == "cellXfs":
            self._inside = True
        elif name == "xf" and self._inside:
            self._formats.append(int(given.get("numFmtId", 0)))

    def end(self, name: str) -> None:
        if name == "cellXfs":
            self._inside = False

    def text(self, _: str) -> None:
        """Ignore text; styles have none."""

    def kinds(self) -> list[CellKind]:
        """Kind of each style (date, percentage or neither), in order."""
        return [self._kind(number) for number in self._formats]

    def _kind(self, number: int) -> CellKind:
        code = _QUOTED.sub("", self._codes.get(number, ""))
        if number in _PERCENT or "%" in code:
            return "percent"
        general = code.lower().replace("general", "")
        return "date" if number in _DATES or re.search("[ymdhs]", general) else "plain"


class SheetParser(TextParser):
    """Parser of a sheet: rows of <c> with <f>, <v> and <is>, then the merged ranges."""

    def __init__(self, strings: Sequence[str], kinds: Sequence[CellKind]) -> None:
        super().__init__()
        self.sheet = Sheet()
        self._strings, self._kinds = strings, kinds
        self._row, self._column, self._places = 0, 0, 0
        self._cells: list[Cell] = []
        self._initial_shape: Attributes = {}
        self._formula, self._hint = False, False
        self._value: str | None = None

    def begin(self, name: str, given: Attributes) -> None:
        if name == "row":
            self._begin_row(given)
        elif name == "c":
            self._initial_shape, self._formula, self._value = given, False, None
            self._column = place_of(given["r"])[1] if "r" in given else self._column + 1
        elif name == "f":
            self._formula = True
        elif name == "rPh":
            self._hint = True
        elif name in ("v", "t") and not self._hint:
            self.collect()
        elif name == "mergeCell":
            if len(self.sheet.merged) >= _MERGED:
                raise ValueError(f"a sheet has more than {_MERGED} merged ranges, the limit")
            first, _, last = given.get("ref", "").partition(":")
            self.sheet.merged.append((place_of(first), place_of(last or first)))

    def end(self, name: str) -> None:
        if name == "rPh":
            self._hint = False
        elif name in ("v", "t") and self.collected is not None:
            self._value = (self._value or "") + self.taken()
        elif name == "c":
            self._end_cell()
        elif name == "row" and self._cells:
            self.sheet.rows.append((self._row, self._cells))

    def finished(self) -> Sheet:
        return self.sheet

    def _begin_row(self, given: Attributes) -> None:
        number = int(given.get("r", self._row + 1))
        if not self._row < number <= _ROWS:
            raise ValueError(
                f"row {number} follows row {self._row}: rows are not in order, or beyond the last one of Excel"
            )
        self._row, self._column, self._cells = number, 0, []
        if given.get("hidden") in ("1", "true"):
            self.sheet.hidden.append(number)

    def _end_cell(self) -> None:
        value = self._cell()
        if value is None:
            return
        gap = self._column - len(self._cells) - 1
        if gap < 0 or self._row < 1:
            raise ValueError(f"row {self._row}: its cells are not in order of their columns; save the workbook again")
        self._places += gap + 1
        if self._places > _PLACES:
            raise ValueError(f"a sheet has more than {_PLACES} cells, the limit")
        self._cells += [None] * gap
        self._cells.append(value)

    def _cell(self) -> Cell:
        """Value of a cell; a doubt about it is recorded, and then the cell does not count as empty."""
        kind, value = self._initial_shape.get("t", "n"), self._value
        if self._formula and (value is None or (value == "" and kind != "str")):
            return self._warn_of_cell(UNCALCULATED, "formula")
        if value is None or value == "":
            return None
        if kind == "s":
            return (
                self._strings[int(value)] or None
                if 0 <= int(value) < len(self._strings)
                else self._missing_string(value)
            )
        if kind in ("str", "inlineStr"):
            return value
        if kind == "b":
            return "true" if value == "1" else "false"
        if kind == "e":
            return self._warn_of_cell(f"contains the error {value[:20]}", value[:20])
        if kind == "d":
            return self._warn_of_cell(f"is a date, {value[:20]}", value[:20])
        return self._number(value)

    def _missing_string(self, value: str) -> Cell:
        raise ValueError(f"row {self._row}: shared string {value} does not exist")

    def _number(self, text: str) -> Cell:
        if not _NUMBER.fullmatch(text.strip()) or not math.isfinite(number := float(text)):
            return self._warn_of_cell(f"{text[:20]!r} is not a number", text[:20])
        style = int(self._initial_shape.get("s", 0))
        kind = self._kinds[style] if 0 <= style < len(self._kinds) else "plain"
        if kind == "date":
            words = (
                "is a date: the spreadsheet program may have converted 5.08 or 12-07; enter it as a number or as text"
            )
            return self._warn_of_cell(words, text[:20])
        if kind == "percent":
            return f"{100.0 * number:.15g} %"
        return int(number) if number == int(number) and abs(number) < 2**53 and "." not in text else number

    def _warn_of_cell(self, words: str, shown: str) -> str:
        self.sheet.doubts[self._row, self._column] = words
        return shown
