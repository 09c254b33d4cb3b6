"""Tables as plain data: named columns with units, rows of numbers, words and gaps; as CSV text and as Excel files."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from panhead.errors import ModelError
from panhead.files.atomic_files import atomic_file, write_atomic
from panhead.files.cell_text import Cell, csv_lines, safe_cell

_SHEET_ROWS, _SHEET_COLUMNS = 1_048_576, 16_384  # of Excel
_MEASURED = 200  # rows whose width a column has
_NOT_IN_NAMES = r"[/\x00-\x1f\x7f-\x9f\ud800-\udfff]"  # of files
_CELL_LETTERS = 32_767  # of Excel


@dataclass(frozen=True, slots=True)
class TableColumn:
    """One column."""

    name: str
    unit: str = ""  #: SI or not, as the numbers below it are; empty: words, counts
    digits: int | None = None  #: after the point in a table for people; None: every digit there is
    about: str = ""


@dataclass(frozen=True, slots=True)
class DeskTable:
    """A table of a drawing office."""

    name: str
    columns: Sequence[TableColumn]
    rows: Sequence[Sequence[Cell]]

    def shown(self) -> list[list[Cell]]:
        """The rows, rounded as the columns ask."""
        return [[_round_cell(cell, c) for cell, c in zip(row, self.columns, strict=True)] for row in self.rows]


def _round_cell(cell: Cell, column: TableColumn) -> Cell:
    if column.digits is None or not isinstance(cell, float):
        return cell
    return round(cell, column.digits) + 0.0  # no minus zero


def csv_text(table: DeskTable, *, comma: bool = False) -> str:
    """Names, units, then the rows; ``comma``: decimal commas between semicolons, as half of Europe's Excel wants it."""
    heads = [[c.name for c in table.columns], [c.unit for c in table.columns]]
    rows = ([_with_commas(cell) for cell in row] if comma else row for row in table.shown())
    return csv_lines(itertools.chain(heads, rows), ";" if comma else ",")


def _with_commas(cell: Cell) -> Cell:
    return repr(cell).replace(".", ",") if isinstance(cell, float) else cell


def write_csv(tables: Sequence[DeskTable], folder: Path, *, comma: bool = False) -> list[Path]:
    """One file for each table, with a byte-order mark so that spreadsheets see UTF-8."""
    files = {folder / f"{re.sub(_NOT_IN_NAMES, '-', table.name)}.csv": csv_text(table, comma=comma) for table in tables}
    return [write_atomic(path, text.encode("utf-8-sig")) for path, text in files.items()]


def write_excel(tables: Sequence[DeskTable], path: Path) -> Path:
    """One workbook with a sheet for each table; names and units in bold, frozen above the rows."""
    openpyxl = excel()
    book = openpyxl.Workbook(write_only=True)
    bold = openpyxl.styles.Font(bold=True)
    used: set[str] = set()
    contents = [[[_excel_cell(cell, t.name) for cell in row] for row in t.shown()] for t in tables]
    for table, rows in zip(tables, contents, strict=True):
        if len(rows) + 2 > _SHEET_ROWS or len(table.columns) > _SHEET_COLUMNS:
            raise ModelError(
                f"table {table.name!r} has {len(rows)} rows and {len(table.columns)} columns, more than Excel holds; "
                "use CSV"
            )
        sheet = book.create_sheet(_sheet_name(table.name, used))
        sheet.freeze_panes = "A3"
        for k, column in enumerate(table.columns, 1):
            widest = max((len(str(row[k - 1])) for row in rows[:_MEASURED]), default=0)
            letter = openpyxl.utils.get_column_letter(k)
            sheet.column_dimensions[letter].width = min(60, max(len(column.name), widest) + 2)
        for head in ([c.name for c in table.columns], [c.unit or None for c in table.columns]):
            cells = [openpyxl.cell.WriteOnlyCell(sheet, safe_cell(text)) for text in head]
            for cell in cells:
                cell.font = bold
            sheet.append(cells)
        for row in rows:
            sheet.append(row)
    with atomic_file(path) as file:
        book.save(file)
    return path


def _excel_cell(cell: Cell, table: str) -> Any:
    """A cell for Excel, which has no infinity or NaN and silently truncates long text."""
    if isinstance(cell, float) and not math.isfinite(cell):
        return str(cell)
    if isinstance(cell, str) and len(cell) >= _CELL_LETTERS:
        raise ModelError(
            f"table {table!r}: a cell of {len(cell)} characters, {cell[:20]!r}…, is more than Excel holds; use CSV"
        )
    return safe_cell(cell)


def _sheet_name(name: str, used: set[str]) -> str:
    short = re.sub(r"[\[\]:*?/\\\x00-\x1f\x7f-\x9f\ud800-\udfff]", "-", name)[:28].strip("'") or "table"
    found = next(n for k in range(1, 1000) if (n := short if k == 1 else f"{short} {k}") not in used)
    used.add(found)
    return found


def excel() -> Any:
    """Import openpyxl; an error with the install command if it is missing."""
    try:
        import openpyxl
        import openpyxl.cell
        import openpyxl.styles
        import openpyxl.utils
    except ImportError:
        raise ModelError("Excel files need openpyxl: pip install 'panhead[desk]', or use CSV files") from None
    return openpyxl
