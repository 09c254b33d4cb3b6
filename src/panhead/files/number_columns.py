"""Columns of numbers of a long table as arrays: plain CSV at once, anything else row by row (``tables.read_rows``).

A survey of a route has hundreds of thousands of rows, which as cells of their own are a hundred times larger than
their numbers. Whatever is not plain (a cell with a unit, an empty one, a comment, a column that is not wanted, a comma
that may mean two things) is left to the careful way, which gives the same numbers to the last digit but one.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from panhead.files.sheet_rows import ColumnWanted, SheetRows
from panhead.files.tables import LARGEST, columns_of_head, read_rows, require_names, separator
from panhead.files.units import to_si
from panhead.files.workbook import is_workbook

_PLAIN: Final = re.compile(rb"[-+0-9.eE,;\t\r\n]*")


def read_numbers(
    path: Path, sheet: str, wanted: Sequence[ColumnWanted], named: Mapping[str, str]
) -> dict[str, np.ndarray]:  # fmt: skip
    """Every wanted column (rows,) in SI units, NaN where a cell is empty or there is no such column."""
    quick = None if is_workbook(path) else _plain_numbers(path, wanted, named)
    if quick is not None:
        return quick
    table = read_rows(path, sheet, wanted, named)
    require_names(named, [table])
    table.raise_errors()
    return {
        c.name: np.array([np.nan if row[c.name] is None else row[c.name] for _, row in table.rows], float)
        for c in wanted
    }


def _plain_numbers(
    path: Path, wanted: Sequence[ColumnWanted], named: Mapping[str, str]
) -> dict[str, np.ndarray] | None:  # fmt: skip
    """The columns of a CSV file that has nothing but numbers under its first row; None: it has something else."""
    if not path.is_file() or any(c.kind != "number" or c.usual or c.largest for c in wanted):
        return None
    with path.open("rb") as file:
        head, body = file.readline(), file.read(LARGEST)
    try:
        names = head.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    cut = separator(names)
    body = _with_points(body, cut)
    if not names.strip() or names.startswith("#") or len(head) + len(body) >= LARGEST or not body.strip():
        return None
    found = SheetRows(str(path), [])
    columns = columns_of_head(found, (1, list(next(csv.reader([names], delimiter=cut)))), wanted, named, strict=True)
    if len(columns) != len(found.heads):
        return None
    try:
        table = np.loadtxt(io.BytesIO(body), delimiter=cut, comments=None, ndmin=2)
    except ValueError:
        return None
    if table.shape[1] != len(columns) or not np.isfinite(table).all():
        return None
    require_names(named, [found])
    values = {c.name: np.full(len(table), np.nan) for c in wanted}
    for k, column in columns.items():
        values[column.name] = table[:, k] * to_si(f"1 {found.units.get(column.name, column.unit)}", column.unit)
    return values


def _with_points(body: bytes, cut: str) -> bytes:
    """Numbers with decimal points; nothing if they are not plain."""
    if not _PLAIN.fullmatch(body) or (b"," in body and cut == "\t"):
        return b""
    if cut == ";" and b"," in body:
        return b"" if b"." in body else body.replace(b",", b".")
    return body
