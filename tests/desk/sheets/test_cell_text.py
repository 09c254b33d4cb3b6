"""Names that a spreadsheet would evaluate, or that no file can hold: in every CSV and Excel file that is written."""

import csv
import io
import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import openpyxl
import pytest
import xarray as xr
from railway.line.builders import plain_line, with_tension_length

import panhead
from panhead.desk.sheets.from_tables import line_from_tables
from panhead.desk.sheets.line_tables import geometry_tables
from panhead.desk.sheets.schedules import line_tables
from panhead.desk.sheets.table_rows import DeskTable, TableColumn, csv_text, write_csv, write_excel
from panhead.errors import ModelError, RunWarning
from panhead.railway.line import Mast

NAMES = ["=1+1", '=HYPERLINK("http://x")', "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "'=1", "＝1+1", "# 2"]
CONTROL = ["a\x00b", "\x1b[31m", "x\x0by", "\r=1"]


def evaluated(cell):
    """As a spreadsheet decides it: by the first letter, unless it is a number."""
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return cell[:1] in tuple("=+-@\t\r＝＋－＠")
    return False


def assert_plain(text, delimiter=","):
    cells = [cell for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) for cell in row]
    assert cells
    assert [cell for cell in cells if evaluated(cell) or "\x00" in cell or "\x1b" in cell] == []


def named(name):
    line = plain_line(spans=2)
    return with_tension_length(replace(line, name=name), name=name, masts=(Mast(at=1, name=name),))


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_is_a_formula_comes_back_and_is_never_evaluated(name, tmp_path):
    line = named(name)
    for tables in (geometry_tables(line), line_tables(line)):
        for table in tables:
            for comma in (False, True):
                assert_plain(csv_text(table, comma=comma), ";" if comma else ",")
        book = openpyxl.load_workbook(write_excel(tables, tmp_path / "book.xlsx"))
        for sheet in book:
            cells = [cell for row in sheet.iter_rows() for cell in row if isinstance(cell.value, str)]
            assert [c.value for c in cells if c.data_type == "f" or evaluated(c.value)] == []
    back = [line_from_tables(write_excel(geometry_tables(line), tmp_path / "line.xlsx"))]
    back += [line_from_tables(*write_csv(geometry_tables(line), tmp_path, comma=comma)) for comma in (False, True)]
    for one in back:
        (tl,) = one.tension_lengths
        assert tl.name == name
        assert tl.masts[1].name == name
        assert one.name == name


@pytest.mark.parametrize("name", CONTROL)
def test_control_characters_are_written_as_such_to_no_file(name, tmp_path):
    with pytest.warns(RunWarning, match="control characters"):
        write_excel(geometry_tables(named(name)), tmp_path / "book.xlsx")
    with pytest.warns(RunWarning, match="control characters"):
        paths = write_csv(geometry_tables(named(name)), tmp_path)
    for path in paths:
        assert_plain(path.read_text("utf-8-sig"))
    write_excel([DeskTable(name, [TableColumn("a")], [[1.0]])], tmp_path / "sheet.xlsx")
    assert openpyxl.load_workbook(tmp_path / "sheet.xlsx").active["A3"].value == 1.0


def test_text_that_excel_would_cut_off_is_refused(tmp_path):
    with pytest.raises(ModelError, match="'keys': a cell of 40000 characters"):
        write_excel([DeskTable("keys", [TableColumn("value")], [["x" * 40_000]])], tmp_path / "book.xlsx")


def test_numbers_and_quantities_stay_as_they_are():
    table = DeskTable("t", [TableColumn("a"), TableColumn("b")], [[-1.5e-7, "-20 mm"], [-float("inf"), "-"]])
    assert csv_text(table) == "a,b\n,\n-1.5e-07,-20 mm\n-inf,-\n"
    assert csv_text(table, comma=True) == "a;b\n;\n-1,5e-07;-20 mm\n-inf;-\n"


def result(name):
    """What the writers of results look at."""
    n = np.zeros(3)
    return xr.Dataset(
        {"contact_x": (("pantograph", "time"), [n]), "contact_force": (("pantograph", "time"), [n])},
        {"time": np.arange(3.0), "pantograph": [name]},
    )


@pytest.mark.parametrize("name", [*NAMES, *CONTROL])
def test_results_of_the_workbench_and_of_studies(name):
    from panhead.app.workbench import result_json
    from panhead.desk.evidence.result_export import tables
    from panhead.explore.studies import sample_index

    study = xr.Dataset(
        {
            "input": (("sample", "varied"), np.array([[name]], dtype=object)),
            "verdict": ("sample", ["met"]),
            "quality": ("sample", ["met"]),
            "setting": ("sample", ["met"]),
            "message": ("sample", [name]),
        },
        {"sample": [1], "varied": [name], "criterion": [], "pantograph": [name]},
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        assert_plain(result_json.as_csv(result(name)))
        assert_plain(sample_index.as_csv(study))
        for table in tables(result(name)):
            assert_plain(csv_text(table))


def test_there_is_one_writer_of_csv_and_one_of_excel():
    """So that no other can forget it: the commands show, maintain, export, study and line write by these."""
    sources = Path(panhead.__file__).parent.rglob("*.py")
    found = {path.name for path in sources if re.search(r"csv\.(Dict)?[wW]riter|Workbook\(", path.read_text("utf-8"))}
    assert found == {"cell_text.py", "table_rows.py"}
