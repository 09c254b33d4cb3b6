"""Tables of a drawing office become values: any column order, a row of units, decimal commas; errors by place.

Nothing is guessed: a cell whose value cannot be trusted, a column of numbers that nobody asked for, a comma that may
divide thousands, a number that would be far beyond the usual without its unit, all are refused by row and column.
"""

from __future__ import annotations

import csv
import io
import re
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from panhead.errors import FileError, ModelError, RunWarning, alternatives
from panhead.files import door
from panhead.files.cell_text import Cell, original_text
from panhead.files.decimal_mark import decimal_mark, plain_number
from panhead.files.sheet_xml import Sheet, column_letters
from panhead.files.units import split_quantity, to_si
from panhead.files.workbook import is_workbook, read_sheet, sheet_names

_HEAD: Final = re.compile(r"\s*([^\[(]*?)\s*(?:[\[(]([^\])]*)[\])])?\s*")
_LARGEST: Final = 64_000_000  # bytes of a CSV file: a survey of some hundred kilometres
_LISTED: Final = 20  # problems that a message tells

TableLine = tuple[int, list[Cell]]  #: row of the file, counted from 1, and its cells


@dataclass(frozen=True, slots=True)
class ColumnWanted:
    """A column that is looked for."""

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
        """A cell as the spreadsheet shows it."""
        letter = self.places.get(column)
        return f"row {row}, column {letter} ({column})" if letter else f"row {row}, column {column}"

    def stated(self, column: str) -> bool:
        """Whether the table says the unit of a column."""
        return column in self.units and column not in self.implied

    def blame(self, row: int, column: str, words: str) -> None:
        """Something is wrong in one cell; all of it is told at once."""
        self.problems.append(f"{self.place(row, column)}: {words}")

    def refuse(self) -> None:
        """Raise what has been collected, if anything."""
        if self.problems:
            told = list(dict.fromkeys(self.problems))
            more = [f"and {len(told) - _LISTED} more"] if len(told) > _LISTED else []
            raise FileError(self.source, told[:_LISTED] + more)

    def warn(self, words: str) -> None:
        """Something is doubtful."""
        warnings.warn(RunWarning(f"{self.source}: {words}"), stacklevel=3)


def read_rows(
    path: str | Path,
    sheet: str,
    wanted: Sequence[ColumnWanted],
    named: Mapping[str, str] | None = None,
    *,
    strict: bool = True,
) -> SheetRows:
    """One table out of a CSV file, or out of the sheet of that name of a workbook.

    ``named``: name of a column in the file → wanted column, or "" for one that is left out (``parse_columns``).
    ``strict``: what else stands in the table may be geometry under another name, and is not dropped without a word.
    """
    path = Path(path)
    book = is_workbook(path)
    known = {name for c in wanted for name in (c.name, *c.others)}
    named = {name: column for name, column in (named or {}).items() if not column or column in known}
    found = SheetRows(f"{path}, sheet {sheet}" if book else str(path), [])
    cells = read_sheet(path, sheet) if book else Sheet()
    rows, cut = (cells.rows, "") if book else _csv_rows(path)
    lines = _without_comments(found, [row for row in rows if any(_text(c) for c in row[1])], wanted, named)
    found.semicolons = cut == ";"
    if not lines:
        raise FileError(found.source, "holds no rows; the first one names the columns")
    columns = _columns(found, lines[0], wanted, named, strict=strict)
    rest = _below_units(found, columns, lines[1:])
    _refuse_doubts(found, cells, columns, lines[0], rest)
    if strict:
        _refuse_unasked(found, columns, lines[0], rest, named)
    numbers = [(n, k, row[k]) for n, row in rest for k, c in columns.items() if c.kind != "text" and k < len(row)]
    mark = decimal_mark([(n, k, c) for n, k, c in numbers if isinstance(c, str)], semicolons=found.semicolons)
    found.problems += [f"{found.place(n, columns[k].name)}: {words}" for n, k, words in mark.problems]
    found.refuse()
    width = len(lines[0][1])
    for number, row in rest:
        if any(_text(c) for c in row[width:]):
            words = f"{len(row)} cells under {width} names; decimal commas need semicolons between the cells"
            found.problems.append(f"row {number}: {words}")
            continue
        padded = [*row, *[None] * (width - len(row))]
        values = {c.name: _value(found, number, c, padded[k], mark.sign) for k, c in columns.items()}
        found.rows.append((number, {c.name: None for c in wanted} | values))
    for column in columns.values():
        _look_at_sizes(found, column)
    return found


def parse_columns(text: str | None) -> dict[str, str]:
    """``"Seitenlage=stagger, Nr="``: name in the file → column; nothing behind the sign: not used."""
    found: dict[str, str] = {}
    for part in filter(str.strip, (text or "").split(",")):
        name, sign, column = part.partition("=")
        if not sign or not name.strip() or plain_name(name) in found:
            raise ModelError(f'--columns: {part.strip()!r} is not NAME=COLUMN, as in "Seitenlage=stagger, Nr="')
        found[plain_name(name)] = plain_name(column)
    return found


def compared_names(columns: Mapping[str, str] | None, wanted: Sequence[ColumnWanted]) -> dict[str, str]:
    """Names of columns as they are compared; ModelError if one stands for none there is."""
    known = {name for c in wanted for name in (c.name, *c.others)}
    named = {plain_name(name): plain_name(column) for name, column in (columns or {}).items()}
    for name, column in named.items():
        if column and column not in known:
            raise ModelError(f"columns: {name!r} cannot be {column!r}; {alternatives(column, sorted(known))}")
    return named


def require_names(named: Mapping[str, str], tables: Sequence[SheetRows]) -> None:
    """ModelError unless a table has each of these columns."""
    there = [head for table in tables for head in table.heads if head]
    for name in named:
        if name not in there:
            raise ModelError(f"columns: no table has a column {name!r}; {alternatives(name, there)}")


def has_sheet(path: str | Path, sheet: str) -> bool:
    """Whether a workbook has a sheet of this name."""
    return is_workbook(path) and sheet in {name.strip().lower() for name in sheet_names(Path(path))}


def _csv_rows(path: Path) -> tuple[list[TableLine], str]:
    """Rows of a CSV file, and what divides its cells."""
    text = door.read_text(path, _LARGEST)
    if "\0" in text:
        raise FileError(path, "holds null characters; save it as UTF-8")
    head = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    cut = next((mark for mark in (";", "\t") if mark in head), ",")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=cut)
    rows: list[TableLine] = []
    last = 0
    try:
        for cells in reader:
            rows.append((last + 1, list(cells) or [None]))
            last = reader.line_num
    except csv.Error as error:
        raise FileError(path, f"row {reader.line_num}: {error}") from None
    return rows, cut


def _without_comments(
    found: SheetRows, lines: list[TableLine], wanted: Sequence[ColumnWanted], named: Mapping[str, str]
) -> list[TableLine]:
    """Rows that begin with # are comments; but # 2 may be a name where the first column holds names."""
    mark = lambda line: _text(line[1][0]).startswith("#")
    head = next((line for line in lines if not mark(line)), None)
    if head is None:
        return []
    first = _wanted_of(_text(head[1][0]), wanted, named)
    below = [line for line in lines if line[0] > head[0]]
    full = lambda line: any(_text(c) for c in line[1][1:])
    if first is None or first.kind != "text" or not any(mark(line) and full(line) for line in below):
        return [head, *(line for line in below if not mark(line))]
    below = [line for line in below if full(line) or not mark(line)]
    values = below if below and _text(below[0][1][0]) else below[1:]  # the first may hold units
    if not all(map(mark, values)):
        for line in filter(mark, values):
            words = f"begins with # and holds values: is it a comment or the name {_text(line[1][0])!r}? Empty its "
            words += "other cells, or write an apostrophe in front of the name"
            found.problems.append(f"row {line[0]}, column A ({first.name}): {words}")
        found.refuse()
    return [head, *below]


def plain_name(text: str) -> str:
    """A name of a column as it is compared: without capitals, spaces and hyphens as underscores."""
    return re.sub(r"[\s\-]+", "_", text.strip().lower())


def _head_parts(cell: Cell) -> tuple[str, str]:
    """Name and unit out of a cell of the first row."""
    match = _HEAD.fullmatch(_text(cell))
    return (plain_name(match[1]), match[2] or "") if match else (plain_name(_text(cell)), "")


def _wanted_of(head: str, wanted: Sequence[ColumnWanted], named: Mapping[str, str]) -> ColumnWanted | None:
    known = {name: c for c in wanted for name in (c.name, *c.others)}
    name = _head_parts(head)[0]
    return known.get(named.get(name, name))


def _columns(
    found: SheetRows, head: TableLine, wanted: Sequence[ColumnWanted], named: Mapping[str, str], *, strict: bool
) -> dict[int, ColumnWanted]:
    """Place → column that is wanted; a name that is nearly one, or missing, is refused."""
    known = {name: c for c in wanted for name in (c.name, *c.others)}
    columns: dict[int, ColumnWanted] = {}
    for k, cell in enumerate(head[1]):
        name, unit = _head_parts(cell)
        found.heads.append(name)
        column = _wanted_of(name, wanted, named)
        if column is not None:
            if column.name in found.places:
                found.problems.append(f"row {head[0]}: two columns are called {column.name!r}")
            columns[k], found.places[column.name] = column, column_letters(k + 1)
            if column.kind == "number" and unit:
                _take_unit(found, head[0], column, unit)
            elif column.kind == "number" and name in column.others and _is_unit(name, column.unit):
                found.units[column.name] = name
                found.implied.add(column.name)
        elif strict and name and name not in named:
            near = alternatives(name, known) if len(name) > 3 else ""
            if near.startswith("did you mean"):
                found.problems.append(f"row {head[0]}, column {column_letters(k + 1)}: {name!r}; {near.split('?')[0]}?")
    missing = [c.name for c in wanted if c.required and c.name not in found.places]
    if missing:
        found.problems.append(f"row {head[0]}: no column {', '.join(missing)}; known are {', '.join(known)}")
    found.refuse()
    return columns


def _refuse_unasked(
    found: SheetRows,
    columns: Mapping[int, ColumnWanted],
    head: TableLine,
    rest: Sequence[TableLine],
    named: Mapping[str, str],
) -> None:
    """Numbers in a column that nobody knows may be geometry: they are not dropped. Words are, with a warning."""
    for k, name in enumerate(found.heads):
        if k in columns or name in named:
            continue
        numbers = [n for n, row in rest if k < len(row) and _text(row[k]) and _is_number(_text(row[k]))]
        told = repr(_text(head[1][k])) if name else "a column without a name"
        if numbers:
            words = f"{told} is not known and holds numbers; say what it is or that it is not used, --columns"
            remedy = f'"{_text(head[1][k])}=stagger" or "{_text(head[1][k])}="' if name else "needs a name"
            found.problems.append(f"row {numbers[0]}, column {column_letters(k + 1)}: {words} {remedy}")
        elif name or any(k < len(row) and _text(row[k]) for _, row in rest):
            found.warn(f"column {name!r} is not used" if name else f"column {column_letters(k + 1)} has no name")


def _refuse_doubts(
    found: SheetRows, cells: Sheet, columns: Mapping[int, ColumnWanted], head: TableLine, rest: Sequence[TableLine]
) -> None:
    """Formulas without values, errors, dates and merged cells in what is used; hidden rows are read, and told."""
    numbers = [number for number, _ in rest]
    read = {head[0], *numbers}
    for (row, column), words in cells.doubts.items():
        if column - 1 in columns and row in read:
            found.blame(row, columns[column - 1].name, words)
    for (top, left), (bottom, right) in cells.merged:
        name = f"{column_letters(left)}{top}:{column_letters(right)}{bottom}"
        if top <= head[0] <= bottom and right > left:
            found.problems.append(f"row {head[0]}: cells {name} are merged; every column needs a name of its own")
        used = [k for k in columns if left <= k + 1 <= right]
        inside = numbers[bisect_left(numbers, top) : bisect_right(numbers, bottom)]
        if used and inside and (top < bottom or left < right):
            found.blame(
                inside[0], columns[used[0]].name, f"cells {name} are merged; divide them and fill each one of them"
            )
    hidden = sorted(set(cells.hidden) & set(numbers))
    if hidden:
        found.warn(f"{len(hidden)} rows that are hidden are read too, the first is row {hidden[0]}")


def _below_units(found: SheetRows, columns: Mapping[int, ColumnWanted], lines: list[TableLine]) -> list[TableLine]:
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
        size = to_si(f"1 {_spelled(unit)}", column.unit)
        before = found.units.get(column.name) if found.stated(column.name) else None
        if before is not None and size != to_si(f"1 {before}", column.unit):
            raise ValueError(f"the unit {unit!r} is not {before!r}, that of the row above")
        found.units[column.name] = _spelled(unit)
        found.implied.discard(column.name)
    except ValueError as error:
        found.blame(row, column.name, str(error))


def _is_unit(name: str, unit: str) -> bool:
    try:
        to_si(f"1 {name}", unit)
    except ValueError:
        return False
    return True


def _value(found: SheetRows, row: int, column: ColumnWanted, cell: Cell, mark: str) -> Any:
    text, unit = _text(cell), found.units.get(column.name, column.unit)
    if not text:
        return None
    if column.kind == "text":
        return original_text(text)
    try:
        number = plain_number(text, mark)
        if column.kind == "whole":
            value = to_si(number, "")
            if value != int(value):
                raise ValueError(f"{text!r} is no whole number")
            return int(value)
        own = split_quantity(number, column.unit)[1]
        value = to_si(number if own else f"{number} {unit}", column.unit)
    except ValueError as error:
        found.blame(row, column.name, str(error) if text in str(error) else f"{text!r} cannot be read: {error}")
        return None
    if column.usual and not own and not found.stated(column.name) and not _is_usual(value, column):
        low, high = column.usual
        words = f"{text} without a unit would be {text} {column.unit or '(1)'}, and {low:g} … {high:g} is usual; "
        found.blame(row, column.name, f"{words}say the unit in the first row, e.g. {column.name} [{_example(column)}]")
    return value


def _is_usual(value: float, column: ColumnWanted) -> bool:
    low, high = column.usual or (0.0, float("inf"))
    return low <= (value if low > 0.0 else abs(value)) <= high


def _example(column: ColumnWanted) -> str:
    return {"m": "mm", "": "‰"}.get(column.unit, column.unit)


def _look_at_sizes(found: SheetRows, column: ColumnWanted) -> None:
    """Numbers far beyond the usual that come with a unit are taken, and told; the unit may be the wrong one."""
    values = [(row, cells[column.name]) for row, cells in found.rows if isinstance(cells[column.name], float)]
    odd = [(row, value) for row, value in values if not _is_usual(value, column)]
    unit = column.unit or "(1)"
    if odd and not found.problems:
        low, high = column.usual or (0.0, 0.0)
        more = f" (and {len(odd) - 1} more)" if len(odd) > 1 else ""
        where = found.place(odd[0][0], column.name)
        found.warn(f"{where}: {odd[0][1]:g} {unit}{more}, where {low:g} … {high:g} is usual; check its unit")
    size = max((abs(value) for _, value in values), default=0.0)
    if 0.0 < size < column.largest:
        where = f"column {found.places[column.name]} ({column.name})"
        found.warn(f"{where}: none of its numbers is larger than {size:g} {unit}; check its unit")


def _is_number(text: str) -> bool:
    try:
        split_quantity(text.replace("−", "-").replace(",", ".", 1))
    except ValueError:
        return bool(re.fullmatch(r"[\d.,'\s]*\d[\d.,'\s]*", text))
    return True


def _spelled(unit: str) -> str:
    """Units as drawing offices write them."""
    return {"‰": "mm/m", "1": "", "-": ""}.get(unit, unit)


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    return repr(cell) if isinstance(cell, float) else str(cell).strip()
