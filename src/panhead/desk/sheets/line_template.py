"""``panhead line template``: a workbook to fill in, with headers in the language of the office.

Its rows are those of a short example line, so that it can be imported as it is; whoever fills it in writes over them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from panhead.desk.sheets.line_tables import DROPPERS as DROPPERS_WRITTEN
from panhead.desk.sheets.line_tables import MASTS as MASTS_WRITTEN
from panhead.desk.sheets.line_tables import geometry_tables
from panhead.desk.sheets.table_rows import DeskTable, TableColumn, write_excel
from panhead.desk.sheets.wanted_columns import MEANING
from panhead.errors import ModelError
from panhead.files.cell_text import Cell
from panhead.files.column_names import first_name, languages
from panhead.railway.line.layout import Layout
from panhead.railway.line.line_description import Line, Mast, TensionLength

_SPANS: Final = 4  # of the example
_MILLIMETRES: Final = ("stagger", "messenger_stagger", "lift", "presag", "cant", "length_error")
_EMPTY: Final = ("messenger_stagger", "lift", "support", "curve_radius", "cant", "gradient", "length_error")
_FROM_PRESAG: Final = "height"  # of droppers in the example: the pre-sag decides
_REQUIRED: Final = {"masts": "chainage or span", "droppers": "span and position"}
_GUIDE: Final = (
    "Write over the example rows of the sheets masts and droppers; add as many rows as there are.",
    "Columns may stand in any order; those that are not needed may be deleted.",
    "Units stand in the second row and may be changed: m, mm, km.",
    "The sheet line holds wires, supports and droppers, one key to a row; change the values, not the keys.",
    "An overlap: the masts that two tension lengths share have a row in each of them.",
    "Then: panhead line import THIS.xlsx --name NAME --out NAME.toml",
)


def write_template(path: Path, base: Line, language: str = "en") -> Path:
    """Write the workbook; wires, supports and droppers are those of ``base``."""
    if language != "en" and language not in languages():
        raise ModelError(f"--language: {language!r} is not known; known: en, {', '.join(languages())}")
    masts, droppers, keys = geometry_tables(_example(base))
    made = [
        DeskTable("guide", (TableColumn("how to fill it in"),), [[words] for words in _GUIDE]),
        _in_language(_without_empty_columns(masts), language),
        _in_language(_without_empty_columns(droppers), language),
        keys,
        DeskTable("columns", _COLUMNS, list(_explanation_rows(language))),
    ]
    return write_excel(made, path)


_COLUMNS: Final = (TableColumn("sheet"), TableColumn("column"), TableColumn("also read"), TableColumn("meaning"))


def _example(base: Line) -> Line:
    """The first spans of a line as one tension length, with names for its masts."""
    layout = Layout(base)
    piece = layout.pieces[0]
    spans = tuple(replace(span, count=1) for span in piece.spans[:_SPANS])
    masts = {m.at: m for m in piece.described.masts if 0 <= m.at <= len(spans)}
    named = tuple(replace(masts.get(k, Mast(at=k)), name=f"{k + 1:02d}") for k in range(len(spans) + 1))
    length = TensionLength(name="T1", spans=spans, masts=named, wires=piece.described.wires)
    return replace(
        base, name="my line", sources=(), tension_lengths=(length,), alignment=(), tunnels=(), height_profile=(),
        chainage=12_345.0,
    )  # fmt: skip


def _without_empty_columns(table: DeskTable) -> DeskTable:
    """Without columns that are empty or zero in every row: they stay as heads to fill in."""
    full = lambda k, name: name != _FROM_PRESAG and (name not in _EMPTY or any(row[k] for row in table.rows))
    keep = [k for k, column in enumerate(table.columns) if full(k, column.name)]
    rows = [[cell if k in keep else None for k, cell in enumerate(row)] for row in table.rows]
    return replace(table, rows=rows)


def _in_language(table: DeskTable, language: str) -> DeskTable:
    """Heads in a language, small lengths in millimetres."""
    columns, scales = [], []
    for column in table.columns:
        small = column.name in _MILLIMETRES and column.unit == "m"
        name = column.name if language == "en" else first_name(table.name, column.name, language)
        columns.append(replace(column, name=name, unit="mm" if small else column.unit))
        scales.append(1e3 if small else 1.0)
    rows = [[_scale_cell(cell, scale) for cell, scale in zip(row, scales, strict=True)] for row in table.rows]
    return DeskTable(table.name, columns, rows)


def _scale_cell(cell: Cell, scale: float) -> Cell:
    return round(cell * scale, 9) if isinstance(cell, float) and scale != 1.0 else cell


def _explanation_rows(language: str) -> Iterator[list[Cell]]:
    for sheet, written in (("masts", MASTS_WRITTEN), ("droppers", DROPPERS_WRITTEN)):
        for column in written:
            own = column.name if language == "en" else first_name(sheet, column.name, language)
            yield [sheet, own, column.name if own != column.name else None, MEANING[sheet][column.name]]
        yield [sheet, None, None, f"required: {_REQUIRED[sheet]}"]
