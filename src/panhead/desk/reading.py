"""Tables of a drawing office become values: any column order, a row of units, decimal commas; errors by place."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from panhead.desk.rows import Cell, excel
from panhead.errors import FileError, RunWarning, alternatives
from panhead.files import door
from panhead.files.units import split_quantity, to_si

_COMMA: Final = re.compile(r"([+-]?\d*),(\d+(?:[eE][+-]?\d+)?)(\s*\D*)")
_HEAD: Final = re.compile(r"\s*([^\[(]*?)\s*(?:[\[(]([^\])]*)[\])])?\s*")


@dataclass(frozen=True, slots=True)
class ColumnWanted:
    """A column that is looked for."""

    name: str
    unit: str = ""  #: SI unit of what is made of it
    kind: Literal["number", "whole", "text"] = "number"
    others: tuple[str, ...] = ()  #: what it may be called as well
    required: bool = False


@dataclass(slots=True)
class SheetRows:
    """The rows of one table, column name → value in SI units (None: empty), and what is wrong with them."""

    source: str  #: file, and sheet if there are several
    rows: list[tuple[int, dict[str, Any]]]  #: row of the file, counted from 1, and its values
    places: dict[str, str] = field(default_factory=dict)  #: column name → its letter
    units: dict[str, str] = field(default_factory=dict)  #: column name → unit of its numbers, if the table says one
    problems: list[str] = field(default_factory=list)

    def blame(self, row: int, column: str, words: str) -> None:
        """Something is wrong in one cell; all of it is told at once."""
        letter = self.places.get(column)
        where = f"column {letter} ({column})" if letter else f"column {column}"
        self.problems.append(f"row {row}, {where}: {words}")

    def refuse(self) -> None:
        """Raise what has been collected, if anything."""
        if self.problems:
            more = [f"and {len(self.problems) - 20} more"] if len(self.problems) > 20 else []
            raise FileError(self.source, self.problems[:20] + more)


def read_rows(path: str | Path, sheet: str, wanted: Sequence[ColumnWanted]) -> SheetRows:
    """One table out of a CSV file, or out of the sheet of that name of a workbook."""
    path = Path(path)
    book = path.suffix.lower() in (".xlsx", ".xlsm")
    lines = list(_excel_lines(path, sheet) if book else _csv_lines(path))
    found = SheetRows(f"{path}, sheet {sheet}" if book else str(path), [])
    lines = [(n, cells) for n, cells in lines if any(_text(c) for c in cells) and not _text(cells[0]).startswith("#")]
    if not lines:
        raise FileError(found.source, "holds no rows; the first one names the columns")
    columns = _columns(found, lines[0], wanted)
    rest = _below_units(found, columns, lines[1:])
    width = len(lines[0][1])
    for number, cells in rest:
        if any(_text(c) for c in cells[width:]):
            words = f"{len(cells)} cells under {width} names; decimal commas need semicolons between the cells"
            found.problems.append(f"row {number}: {words}")
            continue
        padded = [*cells, *[None] * (width - len(cells))]
        row = {c.name: _value(found, number, c, padded[k]) for k, c in columns.items()}
        found.rows.append((number, {c.name: None for c in wanted} | row))
    return found


def _csv_lines(path: Path) -> Iterator[tuple[int, list[Cell]]]:
    text = door.read_text(path)
    head = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    cut = next((mark for mark in (";", "\t") if mark in head), ",")
    reader = csv.reader(text.splitlines(), delimiter=cut)
    try:
        for cells in reader:
            yield reader.line_num, list(cells) or [None]
    except csv.Error as error:
        raise FileError(path, f"row {reader.line_num}: {error}") from None


def _excel_lines(path: Path, sheet: str) -> Iterator[tuple[int, list[Cell]]]:
    book = _open_book(path)
    try:
        names = {name.strip().lower(): name for name in book.sheetnames}
        if sheet not in names and len(names) > 1:
            raise FileError(path, f"has no sheet {sheet!r}; {alternatives(sheet, book.sheetnames)}")
        chosen = book[names.get(sheet, book.sheetnames[0])]
        for number, cells in enumerate(chosen.iter_rows(values_only=True), 1):
            yield number, list(cells) or [None]
    finally:
        book.close()


def _open_book(path: Path) -> Any:
    import zipfile

    openpyxl = excel()
    if not path.is_file():
        raise FileError(path, "no such file")
    try:
        return openpyxl.load_workbook(path, data_only=True, read_only=True)
    except (zipfile.BadZipFile, KeyError, ValueError, OSError) as error:
        raise FileError(path, f"is no Excel file (.xlsx): {error}") from None


def has_sheet(path: str | Path, sheet: str) -> bool:
    """Whether a workbook has a sheet of this name."""
    if Path(path).suffix.lower() not in (".xlsx", ".xlsm"):
        return False
    book = _open_book(Path(path))
    try:
        return sheet in {name.strip().lower() for name in book.sheetnames}
    finally:
        book.close()


def _columns(found: SheetRows, head: tuple[int, list[Cell]], wanted: Sequence[ColumnWanted]) -> dict[int, ColumnWanted]:
    """Place → column that is wanted; what nobody asked for is told, what is missing refused."""
    known = {name: c for c in wanted for name in (c.name, *c.others)}
    columns: dict[int, ColumnWanted] = {}
    for k, cell in enumerate(head[1]):
        match = _HEAD.fullmatch(_text(cell))
        name = re.sub(r"[\s\-]+", "_", match[1].strip().lower()) if match else ""
        if name in known:
            if known[name].name in found.places:
                found.problems.append(f"row {head[0]}: two columns are called {known[name].name!r}")
            columns[k], found.places[known[name].name] = known[name], _letter(k)
            if match and match[2] and known[name].kind == "number":
                _take_unit(found, head[0], known[name], match[2])
        elif name:
            near = alternatives(name, known) if len(name) > 3 else ""
            if near.startswith("did you mean"):
                found.problems.append(f"row {head[0]}, column {_letter(k)}: {name!r}; {near.split('?')[0]}?")
            else:
                warnings.warn(RunWarning(f"{found.source}: column {name!r} is not used"), stacklevel=4)
    missing = [c.name for c in wanted if c.required and c.name not in found.places]
    if missing:
        found.problems.append(f"row {head[0]}: no column {', '.join(missing)}; known are {', '.join(known)}")
    found.refuse()
    return columns


def _below_units(
    found: SheetRows, columns: dict[int, ColumnWanted], lines: list[tuple[int, list[Cell]]]
) -> list[tuple[int, list[Cell]]]:
    """The rows of values: without the first one if it is a row of units, which then count."""
    if not lines:
        return lines
    number, cells = lines[0]
    given = {c: _text(cells[k]) for k, c in columns.items() if k < len(cells) and _text(cells[k])}
    quantities = {c: text.strip("[]() ") for c, text in given.items() if c.kind == "number"}
    if not quantities or any(c.kind != "number" for c in given) or any(map(_is_number, quantities.values())):
        return lines
    for column, unit in quantities.items():
        _take_unit(found, number, column, unit)
    return lines[1:]


def _take_unit(found: SheetRows, row: int, column: ColumnWanted, unit: str) -> None:
    try:
        to_si(f"1 {_spelled(unit)}", column.unit)
        found.units[column.name] = _spelled(unit)
    except ValueError as error:
        found.blame(row, column.name, str(error))


def _value(found: SheetRows, row: int, column: ColumnWanted, cell: Cell) -> Any:
    text, unit = _text(cell), found.units.get(column.name, column.unit)
    if not text:
        return None
    if column.kind == "text":
        return text
    try:
        number = _plain_number(text)
        if column.kind == "whole":
            value = float(number)
            if value != int(value):
                raise ValueError(f"{text!r} is no whole number")
            return int(value)
        own = split_quantity(number, column.unit)[1]
        return to_si(number if own else f"{number} {unit}", column.unit)
    except (ValueError, OverflowError) as error:
        found.blame(row, column.name, str(error) if text in str(error) else f"{text!r} cannot be read: {error}")
        return None


def _plain_number(text: str) -> str:
    """A number with a decimal point; with both marks nobody knows which is which."""
    text = text.replace("−", "-").replace("\u00a0", " ")
    if "," in text and "." in text:
        raise ValueError(f"{text!r} has a point and a comma: write it without separators of thousands")
    match = _COMMA.fullmatch(text)
    return f"{match[1]}.{match[2]}{match[3]}" if match else text


def _is_number(text: str) -> bool:
    try:
        split_quantity(_plain_number(text))
    except ValueError:
        return False
    return True


def _spelled(unit: str) -> str:
    """Units as drawing offices write them."""
    return {"‰": "mm/m", "1": "", "-": ""}.get(unit, unit)


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    return repr(float(cell)) if isinstance(cell, float) else str(cell).strip()


def _letter(k: int) -> str:
    """Column 0 is A, 26 is AA."""
    name = ""
    k += 1
    while k:
        k, rest = divmod(k - 1, 26)
        name = chr(65 + rest) + name
    return name
