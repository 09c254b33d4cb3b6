"""Import tables (CSV, Excel): any column order, a row of units, decimal commas; errors name row and column.

Nothing is guessed: a cell whose value cannot be trusted, an unknown column of numbers, a comma that may separate
thousands, a number far outside the usual range without a unit, all are refused by row and column.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from panhead.errors import FileError, ModelError, alternatives
from panhead.files import parse
from panhead.files.cell_text import Cell, original_text
from panhead.files.chainage import is_chainage, parse_chainage
from panhead.files.column_names import sheet_spellings, spellings
from panhead.files.decimal_mark import decimal_mark, plain_number
from panhead.files.sheet_rows import (
    ColumnWanted,
    SheetRows,
    TableLine,
    cell_words,
    head_parts,
    is_number,
    own_names,
    plain_name,
)
from panhead.files.sheet_xml import Sheet, column_letters
from panhead.files.table_warnings import (
    find_wanted_column,
    in_usual_range,
    refuse_unknown_columns,
    refuse_untrusted_cells,
    warn_of_magnitudes,
    without_comments,
)
from panhead.files.units import split_quantity, to_si
from panhead.files.workbook import is_workbook, read_sheet, sheet_names

_OTHERS: Final = (".xls", ".xlsb", ".ods", ".numbers")
LARGEST: Final = 64_000_000  # bytes of a CSV file: a survey of some hundred kilometres


def read_rows(
    path: str | Path,
    sheet: str,
    wanted: Sequence[ColumnWanted],
    named: Mapping[str, str] | None = None,
    units: Mapping[str, str] | None = None,
    *,
    strict: bool = True,
) -> SheetRows:
    """Read one table from a CSV file, or from the named sheet of a workbook.

    ``named``: name of a column in the file → wanted column, or "" for one that is left out (``read_mapping``).
    ``units``: wanted column → unit of its numbers, where the file has none (``units_by_column``).
    ``strict``: other columns may be geometry under another name and are not dropped silently.
    """
    path = Path(path)
    book = is_workbook(path)
    known = {name for c in wanted for name in c.names}
    named = {name: column for name, column in (named or {}).items() if not column or column in known}
    sheet = _own_sheet_name(path, sheet) or sheet if book else sheet
    found = SheetRows(f"{path}, sheet {sheet}" if book else str(path), [])
    cells = read_sheet(path, sheet) if book else Sheet()
    rows, cut = (cells.rows, "") if book else _csv_rows(path, found)
    lines = without_comments(found, [row for row in rows if any(cell_words(c) for c in row[1])], wanted, named)
    found.semicolons = cut == ";"
    if not lines:
        raise FileError(found.source, "has no rows; the first row must name the columns")
    columns = columns_of_head(found, lines[0], wanted, named, strict=strict)
    rest = _below_units(found, columns, lines[1:])
    for column in (c for c in columns.values() if c.kind == "number" and c.name in (units or {})):
        _take_unit(found, lines[0][0], column, (units or {})[column.name])
    refuse_untrusted_cells(found, cells, columns, lines[0], rest)
    if strict:
        refuse_unknown_columns(found, columns, lines[0], rest, named, wanted)
    numbers = [(n, k, row[k]) for n, row in rest for k, c in columns.items() if c.kind != "text" and k < len(row)]
    mark = decimal_mark([(n, k, c) for n, k, c in numbers if isinstance(c, str)], semicolons=found.semicolons)
    found.problems += [f"{found.place(n, columns[k].name)}: {words}" for n, k, words in mark.problems]
    found.raise_errors()
    width = len(lines[0][1])
    for number, row in rest:
        if any(cell_words(c) for c in row[width:]):
            hint = "" if book else "; decimal commas need semicolons between the cells"
            words = f"{len(row)} cells under {width} names{hint}"
            found.problems.append(f"row {number}: {words}")
            continue
        padded = [*row, *[None] * (width - len(row))]
        values = {c.name: _value(found, number, c, padded[k], mark.sign) for k, c in columns.items()}
        found.rows.append((number, {c.name: None for c in wanted} | values))
    for column in columns.values():
        warn_of_magnitudes(found, column)
    return found


def compared_names(columns: Mapping[str, str] | None, wanted: Sequence[ColumnWanted]) -> dict[str, str]:
    """Normalise a mapping of column names; ModelError if a target column does not exist."""
    known = {name for c in wanted for name in c.names}
    named = {plain_name(name): plain_name(column) for name, column in (columns or {}).items()}
    for name, column in named.items():
        if column and column not in known:
            raise ModelError(f"columns: {name!r} cannot be {column!r}; {alternatives(column, own_names(wanted))}")
    return named


def require_names(named: Mapping[str, str], tables: Sequence[SheetRows]) -> None:
    """Raise ModelError unless a table has each of these columns."""
    there = [head for table in tables for head in table.heads if head]
    for name in named:
        if name not in there:
            raise ModelError(f"columns: no table has a column {name!r}; {alternatives(name, there)}")


def has_sheet(path: str | Path, sheet: str) -> bool:
    """Return whether a workbook has a sheet of this name, or of one that means it in another language."""
    return is_workbook(path) and _own_sheet_name(Path(path), sheet) is not None


def _own_sheet_name(path: Path, sheet: str) -> str | None:
    """Name of a sheet in a workbook: ``droppers`` may be Hänger there."""
    known = sheet_spellings(sheet)
    return next((name for name in sheet_names(path) if not known.isdisjoint(spellings(name))), None)


def _csv_rows(path: Path, found: SheetRows) -> tuple[list[TableLine], str]:
    """Rows of a CSV file, and the separator of its cells."""
    if path.suffix.lower() in _OTHERS:
        raise FileError(path, f"{path.suffix} files are not supported; save it as .xlsx or CSV")
    text, told = parse.read_office_text(path, LARGEST)
    if told:
        found.warn(f"{told}; check letters such as ä, é, ñ in its names")
    if "\0" in text:
        raise FileError(path, "contains null characters; save it as UTF-8")
    cut = separator(next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), ""))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=cut)
    try:
        return [(number, list(cells) or [None]) for number, cells in enumerate(reader, 1)], cut
    except csv.Error as error:
        raise FileError(path, f"line {reader.line_num}: {error}") from None


def separator(head: str) -> str:
    """Separator of the cells of a CSV file, by its first row."""
    return next((mark for mark in (";", "\t") if mark in head), ",")


def columns_of_head(
    found: SheetRows, head: TableLine, wanted: Sequence[ColumnWanted], named: Mapping[str, str], *, strict: bool
) -> dict[int, ColumnWanted]:
    """Place → wanted column; refuse a name that is almost a known one, and missing columns."""
    known = {name: c for c in wanted for name in (c.name, *c.others)}
    columns: dict[int, ColumnWanted] = {}
    for k, cell in enumerate(head[1]):
        name, unit = head_parts(cell)
        found.heads.append(name)
        column = find_wanted_column(name, wanted, named)
        if column is not None:
            if column.name in found.places:
                found.problems.append(f"row {head[0]}: two columns have the name {column.name!r}")
            if name != column.name:
                found.renamed[cell_words(cell)] = column.name
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
    if missing or not columns:
        words = f"no column {', '.join(missing)}" if missing else "no known column; the first row must name the columns"
        there = ", ".join(name for name in found.heads if name) or "none"
        found.problems.append(
            f"row {head[0]}: {words}; known: {', '.join(c.name for c in wanted)}; the file has: {there}"
        )
    found.raise_errors()
    return columns


def _below_units(found: SheetRows, columns: Mapping[int, ColumnWanted], lines: list[TableLine]) -> list[TableLine]:
    """Rows of values; if the first one is a row of units, apply and drop it."""
    if not lines:
        return lines
    number, cells = lines[0]
    given = {c: cell_words(cells[k]) for k, c in columns.items() if k < len(cells) and cell_words(cells[k])}
    quantities = {c: text.strip("[]() ") for c, text in given.items() if c.kind == "number"}
    if not quantities or any(c.kind != "number" for c in given) or any(map(is_number, quantities.values())):
        return lines
    for column, unit in quantities.items():
        _take_unit(found, number, column, unit)
    return lines[1:]


def _take_unit(found: SheetRows, row: int, column: ColumnWanted, unit: str) -> None:
    try:
        size = to_si(f"1 {_normalise_unit(unit)}", column.unit)
        before = found.units.get(column.name) if found.has_unit(column.name) else None
        if before is not None and size != to_si(f"1 {before}", column.unit):
            raise ValueError(f"the unit {unit!r} contradicts {before!r}, which the table gives as well")
        found.units[column.name] = _normalise_unit(unit)
        found.implied.discard(column.name)
    except ValueError as error:
        found.add_error(row, column.name, str(error))


def _is_unit(name: str, unit: str) -> bool:
    try:
        to_si(f"1 {name}", unit)
    except ValueError:
        return False
    return True


def _value(found: SheetRows, row: int, column: ColumnWanted, cell: Cell, mark: str) -> Any:
    text, unit = cell_words(cell), found.units.get(column.name, column.unit)
    if not text:
        return None
    if column.kind == "text":
        return original_text(text)
    try:
        if column.stations and is_chainage(text):
            return parse_chainage(text)
        number = plain_number(text, mark)
        if column.kind == "whole":
            value = to_si(number, "")
            if value != int(value):
                raise ValueError(f"{text!r} is not an integer")
            return int(value)
        own = split_quantity(number, column.unit)[1]
        value = to_si(number if own else f"{number} {unit}", column.unit)
    except ValueError as error:
        found.add_error(row, column.name, str(error) if text in str(error) else f"{text!r} cannot be read: {error}")
        return None
    if column.usual and not own and not found.has_unit(column.name) and not in_usual_range(value, column):
        low, high = column.usual
        words = f"{text} without a unit would be {text} {column.unit or '(1)'}, and {low:g} … {high:g} is usual; "
        found.add_error(
            row, column.name, f"{words}give the unit in the first row, e.g. {column.name} [{_example(column)}]"
        )
    return value


def _example(column: ColumnWanted) -> str:
    return {"m": "mm", "": "‰"}.get(column.unit, column.unit)


def _normalise_unit(unit: str) -> str:
    """Normalise a unit as drawing offices write it."""
    return {"‰": "mm/m", "1": "", "-": ""}.get(unit, unit)
