"""Tables and workbooks from strangers: a share of what ``scripts/attack`` tries, and single files."""

import io
import random
import tracemalloc
import zipfile

import pytest

from panhead.errors import FileError, PanheadError
from panhead.files import tables, workbook
from panhead.files.sheet_rows import ColumnWanted

from . import books, slips


def test_a_slip_gives_the_same_line_or_is_told_by_its_place(tmp_path):
    """Each kind of slip twelve times; a harmless one must change nothing."""
    found = [slips.failure(seed, tmp_path) for seed in range(12 * len(slips.SLIPS))]
    assert [words for words in found if words] == []


def test_workbooks_that_are_broken(tmp_path):
    """A quarter of them ended in exceptions of openpyxl, lxml, zipfile and zlib."""
    books.read_book(books.sound(), tmp_path)
    refused = 0
    for seed in range(150):
        try:
            books.read_book(books.wrong_book(random.Random(seed)), tmp_path)
        except PanheadError:
            refused += 1
    assert 50 < refused < 110  # both ways were gone


WANTED = [ColumnWanted("chainage", "m"), ColumnWanted("height", "m")]


def sheet(rows, dimension="A1:B3"):
    """A workbook whose only sheet has these rows of XML."""
    parts = books.parts_of(books.sound())
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    text = f'<worksheet xmlns="{space}"><dimension ref="{dimension}"/><sheetData>{rows}</sheetData></worksheet>'
    names = [f"xl/worksheets/sheet{k}.xml" for k in (1, 2, 3)]
    return books.packed(parts | dict.fromkeys(names, text.encode()))


def text(place, words):
    return f'<c r="{place}" t="inlineStr"><is><t>{words}</t></is></c>'


HEAD = f'<row r="1">{text("A1", "chainage")}{text("B1", "height")}</row>'


def read(content, folder):
    (folder / "big.xlsx").write_bytes(content)
    return tables.read_rows(folder / "big.xlsx", "masts", WANTED)


def test_a_sheet_whose_last_cell_is_the_last_there_is(tmp_path):
    """9 kB that were 3.8 GB: every empty cell up to it was kept."""
    content = sheet(HEAD + f'<row r="1048576">{text("XFD1048576", "x")}</row>', "A1:XFD1048576")
    assert len(content) < 20_000
    tracemalloc.start()
    with pytest.raises(FileError, match="row 1048576: 16384 cells under 2 names"):
        read(content, tmp_path).raise_errors()
    assert tracemalloc.get_traced_memory()[1] < 30e6
    tracemalloc.stop()


def test_many_rows_with_a_last_cell(tmp_path):
    rows = "".join(f'<row r="{k}">{text(f"XFD{k}", "x")}</row>' for k in range(2, 400))
    with pytest.raises(FileError, match="more than 3000000 cells"):
        read(sheet(HEAD + rows), tmp_path)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (f'<row r="2">{text("A2", "x" * 40_000)}</row>', "more than the 32767 characters"),
        (f'<row r="2">{text("A2", "x" * 3_000_000)}</row>', "more than 400 times its packed size"),
        ('<row r="2">' + "<a>" * 60 + "</a>" * 60 + "</row>", "nested more than 40 levels deep"),
        ('<row r="5"/><row r="3"/>', "row 3 follows row 5"),
        ('<row r="2"><c r="B2"><v>1</v></c><c r="A2"><v>1</v></c></row>', "not in order"),
        ('<row r="2"><c r="A2" t="s"><v>99</v></c></row>', "shared string 99"),
        ('<row r="2"><c r="A2" t="s"><v>x</v></c></row>', "is not a readable Excel file"),
        ('<row r="1048577"/>', "beyond the last one of Excel"),
        ('<row r="2"><c r="ZZZ2"><v>1</v></c></row>', "beyond the last cell of Excel"),
    ],
)
def test_sheets_that_no_spreadsheet_writes(tmp_path, rows, words):
    with pytest.raises(FileError, match=f"big.xlsx.*\n.*{words}"):
        read(sheet(HEAD + rows), tmp_path)


def test_entities_that_grow_are_refused(tmp_path):
    parts = books.parts_of(sheet(HEAD))
    bomb = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    parts["xl/worksheets/sheet1.xml"] = bomb + parts["xl/worksheets/sheet1.xml"].replace(b"chainage", b"&b;")
    with pytest.raises(FileError, match="declares a document type"):
        read(books.packed(parts), tmp_path)


def test_an_archive_that_lies_about_its_size(tmp_path):
    """Whatever the list of the archive says, no more than the bound is unpacked."""
    content = sheet(HEAD + "<row/>" * 300_000)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = archive.getinfo("xl/worksheets/sheet1.xml").file_size
    lying = content.replace(size.to_bytes(4, "little"), (100).to_bytes(4, "little"))
    assert lying != content
    with pytest.raises(FileError, match="is not a readable Excel file"):
        read(lying, tmp_path)


def test_files_that_are_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr(workbook, "_FILE", 1000)
    with pytest.raises(FileError, match="larger than"):
        read(sheet(HEAD), tmp_path)
    monkeypatch.setattr(tables, "LARGEST", 1000)
    (tmp_path / "big.csv").write_text("chainage,height\n" + "1,2\n" * 1000)
    with pytest.raises(FileError, match="larger than"):
        tables.read_rows(tmp_path / "big.csv", "masts", WANTED)


def test_what_other_programs_write_is_read(tmp_path):
    """Cells without references, rich text, shared formulas with values, phonetic hints, another prefix."""
    rows = (
        f"<row>{text('A1', 'chainage')}"
        "<c t='inlineStr'><is><r><t>hei</t></r><r><t>ght</t></r><rPh><t>x</t></rPh></is></c>"
        "</row><row><c><v>1.5</v></c><c><f t='shared' si='0'/><v>5.0800000000000001</v></c></row>"
        "<row><c t='str'><f>A1</f><v>2,5</v></c><c><v>5.3E0</v></c></row>"
    )
    found = read(sheet(rows), tmp_path)
    assert [cells for _, cells in found.rows] == [{"chainage": 1.5, "height": 5.08}, {"chainage": 2.5, "height": 5.3}]
    parts = books.parts_of(sheet(rows))
    content = (
        parts["xl/worksheets/sheet1.xml"].replace(b"<", b"<x:").replace(b"<x:/", b"</x:").replace(b"xmlns", b"xmlns:x")
    )
    parts["xl/worksheets/sheet1.xml"] = content
    assert len(read(books.packed(parts), tmp_path).rows) == 2
