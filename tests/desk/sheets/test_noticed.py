"""What deleted statements showed to be unasked of the readers of tables: shared strings, styles, decimal commas."""

import openpyxl
import pytest

from panhead.errors import FileError
from panhead.files.sheet_xml import StringsParser, StylesParser
from panhead.files.tables import ColumnWanted, read_rows

WANTED = (ColumnWanted("chainage", "m", required=True),)


def test_words_of_a_workbook_are_shared_and_read_without_phonetic_hints():
    parser = StringsParser()
    for part in (
        "si",
        "t",
        "Fahr",
        "/t",
        "t",
        "draht",
        "/t",
        "rPh",
        "t",
        "ファ",
        "/t",
        "/rPh",
        "/si",
        "si",
        "t",
        "b",
        "/t",
        "/si",
    ):
        if part in ("si", "t", "rPh"):
            parser.begin(part, {})
        elif part.startswith("/"):
            parser.end(part[1:])
        else:
            parser.text(part)
    assert parser.found == ["Fahrdraht", "b"]


def test_only_the_styles_of_cells_count():
    """Formats of named styles stand in other lists, before and after that of the cells."""
    parser = StylesParser()
    parser.begin("xf", {"numFmtId": "9"})
    parser.begin("cellXfs", {})
    parser.begin("xf", {"numFmtId": "0"})
    parser.begin("xf", {"numFmtId": "14"})
    parser.end("cellXfs")
    parser.begin("xf", {"numFmtId": "9"})
    assert parser.kinds() == ["plain", "date"]


def test_a_workbook_of_another_program_is_read_by_its_names(tmp_path):
    """openpyxl shares its strings, as Excel does."""
    book = openpyxl.Workbook()
    book.active.title = "masts"
    for row in (["chainage"], ["m"], [1200.5], ["1250 m"]):
        book.active.append(row)
    book.save(tmp_path / "b.xlsx")
    found = read_rows(tmp_path / "b.xlsx", "masts", WANTED)
    assert [row["chainage"] for _, row in found.rows] == [1200.5, 1250.0]


def test_a_comma_between_semicolons_is_a_decimal_one(tmp_path):
    """1,250 alone may be a thousand two hundred and fifty; a table cut by semicolons keeps its commas for decimals."""
    (tmp_path / "s.csv").write_text("chainage;note\nm;\n1,250;a\n2,500;b\n")
    found = read_rows(tmp_path / "s.csv", "masts", (*WANTED, ColumnWanted("note", "text")))
    assert [row["chainage"] for _, row in found.rows] == [1.25, 2.5]
    (tmp_path / "t.csv").write_text('chainage,note\nm,\n"1,250",a\n"2,500",b\n')
    with pytest.raises(FileError, match="is ambiguous"):
        read_rows(tmp_path / "t.csv", "masts", (*WANTED, ColumnWanted("note", "text")))
