"""Tables that look right and are not: each slip of a person is seen by its row and column, or does no harm."""

import numpy as np
import openpyxl
import pytest
from railway.line.builders import plain_line

from desk.sheets.test_import import numbers, of_texts
from panhead.desk.sheets.from_tables import line_from_tables
from panhead.desk.sheets.line_tables import geometry_tables
from panhead.desk.sheets.survey_fit import Survey, fit_survey, read_survey, survey_of
from panhead.desk.sheets.table_rows import write_csv
from panhead.errors import FileError, ModelError, RunWarning
from panhead.railway.line import read_line, string
from panhead.railway.line.layout import Layout

HEADS = ["mast", "chainage", "stagger", "contact_height"]
UNITS = [None, "m", "m", "m"]
ROWS = [["A", 0.0, 0.2, 5.3], ["B", 60.0, -0.2, 5.3], ["C", 120.0, 0.2, 5.3]]
DROPPERS = "span,position\n,m\n1,30\n2,30\n"


def book(folder, rows=ROWS, heads=HEADS, units=UNITS, change=None):
    """A workbook with masts and droppers; ``change`` is done to the sheet of masts."""
    made = openpyxl.Workbook()
    masts = made.active
    masts.title = "masts"
    for row in (heads, units, *rows):
        masts.append(row)
    droppers = made.create_sheet("droppers")
    for row in (["span", "position"], [None, "m"], [1, 30.0], [2, 30.0]):
        droppers.append(row)
    if change is not None:
        change(masts)
    made.save(folder / "line.xlsx")
    return folder / "line.xlsx"


def of_book(folder, **given):
    return line_from_tables(book(folder, **given), base=plain_line())


def masts_of(line):
    return [(m.stagger, m.contact_height) for m in line.tension_lengths[0].masts]


def test_a_workbook_by_hand(tmp_path):
    line = of_book(tmp_path)
    assert masts_of(line) == [(0.2, 5.3), (-0.2, 5.3), (0.2, 5.3)]
    assert list(Layout(line).mast_x) == [0.0, 60.0, 120.0]


def formula(sheet):
    sheet["D4"] = "=D3"


def merged(sheet):
    sheet["C5"] = None
    sheet.merge_cells("C4:C5")


def date(sheet):
    import datetime

    sheet["C4"] = datetime.date(2026, 8, 5)


def error(sheet):
    sheet["D4"] = "#REF!"
    sheet["D4"].data_type = "e"


def merged_head(sheet):
    sheet["D1"] = None
    sheet.merge_cells("C1:D1")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (formula, r"row 4, column D \(contact_height\): contains a formula without a value; .*calculate"),
        (merged, r"row 4, column C \(stagger\): cells C4:C5 are merged; unmerge them"),
        (date, r"row 4, column C \(stagger\): is a date"),
        (error, r"row 4, column D \(contact_height\): contains the error #REF!"),
        (merged_head, r"row 1: cells C1:D1 are merged"),
    ],
)
def test_cells_whose_value_cannot_be_taken(tmp_path, change, words):
    """Formulas that nobody has calculated and merged cells were empty, and the base's values stood in."""
    with pytest.raises(FileError, match=f"(?s)line.xlsx, sheet masts.*{words}"):
        of_book(tmp_path, change=change)


def test_a_date_as_a_name_is_refused(tmp_path):
    """12-07 becomes the seventh of December in a spreadsheet; the mast would be called 2026-12-07 00:00:00."""

    def change(sheet):
        import datetime

        sheet["A4"] = datetime.date(2026, 12, 7)

    with pytest.raises(FileError, match=r"row 4, column A \(mast\): is a date"):
        of_book(tmp_path, change=change)


def test_percentages_are_what_the_cell_shows(tmp_path):
    """A cell that shows 1.2 % holds 0.012, whatever unit the heading has."""

    def change(sheet):
        for row, value in ((2, "%"), (3, 0.012), (4, 0.012), (5, 0.012)):
            sheet.cell(row, 5, value).number_format = "0.0%"
        sheet["E1"] = "gradient"

    line = of_book(tmp_path, change=change)
    assert [p.gradient for p in line.alignment] == pytest.approx([0.012] * 2)  # the one between says nothing new


def test_rows_that_are_hidden_are_told(tmp_path):
    def change(sheet):
        sheet.row_dimensions[4].hidden = True

    with pytest.warns(RunWarning, match="1 hidden rows are read too; the first is row 4"):
        of_book(tmp_path, change=change)


@pytest.mark.parametrize(
    ("masts", "words"),
    [
        (
            'chainage,stagger\nm,m\n"1,200",0.2\n"1,260",-0.2\n"1,320",0.2\n',
            r"row 3, column A .*'1,200', but row 3 has",
        ),
        (
            'chainage,stagger\nm,mm\n"1,200",200\n"1,260",-200\n"1,320",200\n',
            r"'1,200' is ambiguous: write 1.200 or 1200",
        ),
        ("chainage;stagger\nm;m\n1.200;0,2\n1.260;-0,2\n1.320;0,2\n", r"row 3, column .*the decimal mark"),
        ("chainage\tstagger\nm\tmm\n1,200\t200\n1,260\t-200\n", r"'1,200' is ambiguous: write 1.200 or 1200"),
        ("chainage\n0,0\n60,0\n120,0\n", r"row 2: 2 cells under 1 names; decimal commas need semicolons"),
    ],
)
def test_a_comma_that_may_divide_thousands(tmp_path, masts, words):
    with pytest.raises(FileError, match=f"(?s){words}"):
        of_texts(tmp_path, masts, DROPPERS)


def test_decimal_commas_in_quotes_are_read_where_nothing_else_can_be_meant(tmp_path):
    masts = 'chainage,stagger\nm,m\n"0","0,2"\n"60,5","-0,25"\n"121","0,2"\n'
    line = of_texts(tmp_path, masts, DROPPERS)
    assert [m.stagger for m in line.tension_lengths[0].masts] == [0.2, -0.25, 0.2]
    assert list(Layout(line).mast_x) == [0.0, 60.5, 121.0]


def test_a_column_called_km_is_in_kilometres(tmp_path):
    line = of_texts(tmp_path, "km;stagger [m]\n1,20;0,2\n1,26;-0,2\n1,32;0,2\n", DROPPERS.replace(",", ";"))
    assert Layout(line).mast_x == pytest.approx([0.0, 60.0, 120.0])
    assert line.chainage == 1200.0
    line = of_texts(tmp_path, "km [m]\n1200\n1260\n1320\n", DROPPERS)
    assert Layout(line).mast_x == pytest.approx([0.0, 60.0, 120.0])
    with pytest.raises(FileError, match=r"row 3, column A \(chainage\): a span of 60000 m.*read in km; give the unit"):
        of_texts(tmp_path, "km\n1200\n1260\n1320\n", DROPPERS)
    with pytest.raises(FileError, match=r"row 3, column A \(chainage\): a span of 0.06 m.*give the unit"):
        of_texts(tmp_path, "chainage\n1.20\n1.26\n1.32\n", DROPPERS)
    told = pytest.warns(RunWarning, match=r"row 4, column A \(chainage\): a span of 0.06 m.*check its unit")
    with told, pytest.raises(FileError, match="outside its span"):
        of_texts(tmp_path, "chainage\nm\n1.20\n1.26\n1.32\n", DROPPERS)


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("stagger", "200", r"200 without a unit would be 200 m, and 0 … 1 is usual; give the unit.*stagger \[mm\]"),
        ("contact_height", "5300", "5300 without a unit"),
        ("encumbrance", "1400", "1400 without a unit"),
        ("cant", "100", "100 without a unit"),
        ("gradient", "5", "5 without a unit"),
        ("presag", "30", "30 without a unit"),
    ],
)
def test_a_number_without_its_unit(tmp_path, column, value, words):
    table = f"chainage,{column}\n0,{value}\n60,{value}\n120,{value}\n"
    with pytest.raises(FileError, match=rf"row 2, column B \({column}\): {words}"):
        of_texts(tmp_path, table, DROPPERS)


@pytest.mark.parametrize(
    ("column", "unit", "value"),
    [("contact_height", "mm", "5.3"), ("stagger", "m", "2"), ("stagger", "mm", "0.2"), ("encumbrance", "mm", "1.4")],
)
def test_a_number_under_a_wrong_unit_is_told(tmp_path, column, unit, value):
    table = f"chainage,{column}\nm,{unit}\n0,{value}\n60,{value}\n120,{value}\n"
    with pytest.warns(RunWarning, match=rf"column B \({column}\).*check its unit"):
        of_texts(tmp_path, table, DROPPERS)


def test_two_units_of_one_column_must_agree(tmp_path):
    with pytest.raises(
        FileError, match=r"row 2, column A \(chainage\): the unit 'm' contradicts 'km', which the table gives as well"
    ):
        of_texts(tmp_path, "chainage [km]\nm\n0\n60\n", DROPPERS)


FOREIGN = "Mast;Km;Querlage;Drahtmaß;Nr\n;m;mm;m;\nA;0;200;5,5;1\nB;60;-200;5,5;2\nC;120;200;5,5;3\n"


def test_columns_under_other_names_are_refused_or_named(tmp_path):
    """They were dropped with a warning, and the line had the base's staggers and heights."""
    with pytest.raises(FileError, match=r"(?s)row 3, column C: 'Querlage' is unknown.*--columns.*Drahtmaß"):
        of_texts(tmp_path, FOREIGN, DROPPERS)
    named = {"Querlage": "stagger", "Drahtmaß": "contact_height", "Nr": ""}
    paths = tmp_path / "m.csv", tmp_path / "d.csv"
    line = line_from_tables(*paths, base=plain_line(), columns=named)
    assert masts_of(line) == [(0.2, 5.5), (-0.2, 5.5), (0.2, 5.5)]
    with pytest.raises(ModelError, match="'querlage' cannot be 'staggger'; did you mean 'stagger'"):
        line_from_tables(*paths, base=plain_line(), columns=named | {"Querlage": "staggger"})
    with pytest.raises(ModelError, match="no table has a column 'querlag'; did you mean 'querlage'"):
        line_from_tables(*paths, base=plain_line(), columns=named | {"Querlag": "stagger"})


def test_the_command_takes_the_names(panhead, tmp_path):
    (tmp_path / "m.csv").write_text(FOREIGN)
    (tmp_path / "d.csv").write_text(DROPPERS)
    words = ["line", "import", "m.csv", "d.csv", "--base", "en50318-2002", "--out", "mine.toml"]
    assert "'Querlage' is unknown" in panhead(*words).stderr
    said = panhead(*words, "--columns", "Querlage=stagger, Drahtmaß=contact_height, Nr=")
    assert said.returncode == 0, said.stderr
    found = read_line(tmp_path / "mine.toml")  # what all masts have in common stands at the top
    assert (found.support.stagger, found.contact_height) == (0.2, 5.5)
    assert "is not NAME=COLUMN" in panhead(*words, "--columns", "Querlage").stderr


def test_a_column_without_a_name_is_not_dropped(tmp_path):
    with pytest.raises(FileError, match="row 2, column B: a column without a name is unknown and contains numbers"):
        of_texts(tmp_path, "chainage;\n0;0,2\n60;-0,2\n", DROPPERS.replace(",", ";"))


def test_a_mast_whose_name_begins_like_a_comment(tmp_path):
    every = "mast,chainage\n# first remark\n# 1,0\n# 2,60\n# 3,120\n"
    line = of_texts(tmp_path, every, DROPPERS)
    assert [m.name for m in line.tension_lengths[0].masts] == ["# 1", "# 2", "# 3"]
    with pytest.raises(
        FileError, match=r"row 3, column A \(mast\): begins with # and contains values: is it a comment"
    ):
        of_texts(tmp_path, "mast,chainage\n1,0\n# 2,60\n3,120\n", DROPPERS)
    line = of_texts(tmp_path, "mast,chainage\n1,0\n'# 2,60\n3,120\n", DROPPERS)
    assert line.tension_lengths[0].masts[1].name == "# 2"
    line = of_texts(tmp_path, "chainage,mast\n0,1\n# 30,out of use\n60,2\n", DROPPERS.replace("2,30\n", ""))
    assert list(Layout(line).mast_x) == [0.0, 60.0]


def test_gaps_are_told(tmp_path):
    """The base's values stood in for what was missing, without a word."""
    with pytest.warns(RunWarning, match=r"row 3, column B \(contact_height\): is empty; the default contact_height"):
        of_texts(tmp_path, "chainage,contact_height\n0,5.3\n60,\n120,5.3\n", DROPPERS)
    with pytest.raises(FileError, match=r"row 2, column A \(chainage\): is empty, but other masts have one"):
        of_texts(tmp_path, "chainage,mast\n,A\n60,B\n120,C\n", DROPPERS)
    (tmp_path / "m.csv").write_text("chainage\n0\n60\n120\n")
    with pytest.warns(RunWarning, match="span 1 .and 1 more. has no droppers"):
        line_from_tables(tmp_path / "m.csv", base=read_line("en50318-2002"))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("wires.contact.tension,5,", "row 3, column A .key.*twice, or is used both as a table"),
        ("wires.contact,5,", "appears twice, or is used both as a table and as a value"),
        ("tension_lengths.9.hard_spots.1.mass,2,kg", "tension_lengths.9: the table of masts has 1 tension lengths"),
        ("tension_lengths,5,", "tension_lengths: use keys such as tension_lengths.1"),
        ("support.encumbrance,inf,", "encumbrance"),
        ("support.encumbrance,1e999,", "encumbrance|finite"),
        ("a.²,5,", "a"),
        ("x." * 5000 + "y,5,", "has more than 16 parts"),
        ('presag,"0,03",', "the decimal mark"),
        ("height_profile,[[0; NaN]; [60; 5.3]],", "row 3, column B .value.: NaN is not finite"),
        ("presag," + "[" * 20_000 + ",", "presag"),
        ("presag," + "9" * 400 + ",", "row 3, column B .value.: a quantity of 400 characters"),
    ],
)
def test_keys_that_are_wrong(tmp_path, row, words):
    """Twice the same key was the last one; a value above a table was lost; others were tracebacks."""
    masts, droppers, keys = write_csv(geometry_tables(plain_line(spans=2)), tmp_path)
    lines = keys.read_text("utf-8-sig").splitlines()
    first = [n for n in lines if n.startswith("wires.contact.tension")]
    own = row.split(",")[0]
    kept = [n for n in lines[2:] if n not in first and not (n.startswith(f"{own},") and own != "wires.contact.tension")]
    row = f'{own},"{row.split(",")[1].replace(";", ",")}",' if ";" in row else row
    keys.write_text("\n".join([lines[0], *first, row, *kept]), encoding="utf-8")
    with pytest.raises((FileError, ModelError), match=words):
        line_from_tables(masts, droppers, keys)


def test_masts_of_a_tension_length_stand_together(tmp_path):
    """Rows of a tension length that goes on after another one were put behind its others."""
    with pytest.raises(FileError, match=r"row 5, column A \(tension_length\): 'A' continues after another"):
        of_texts(tmp_path, "tension_length,span\nA,60\nB,60\nB,60\nA,60\n", DROPPERS)
    with pytest.raises(FileError, match=r"row 3, column A \(tension_length\): is empty, but other masts have one"):
        of_texts(tmp_path, "tension_length,chainage\nA,0\n,60\n,120\n", DROPPERS)


def test_files_of_other_spreadsheets(tmp_path):
    (tmp_path / "m.ods").write_bytes(b"PK\x03\x04")
    with pytest.raises(FileError, match=r"save it as \.xlsx or CSV"):
        line_from_tables(tmp_path / "m.ods", base=plain_line())
    (tmp_path / "m.csv").write_text("My masts\nmast,chainage\nA,0\nB,60\n")
    with pytest.raises(FileError, match="row 1: no known column; the first row must name the columns"):
        line_from_tables(tmp_path / "m.csv", base=plain_line())


def test_a_name_over_two_lines_comes_back(tmp_path):
    from dataclasses import replace

    line = replace(plain_line(spans=2), name="upper\nlower\u2028end")
    assert line_from_tables(*write_csv(geometry_tables(line), tmp_path)).name == line.name


@pytest.mark.parametrize(("encoding", "told"), [("cp1252", "row 2 is not UTF-8.*Windows-1252"), ("utf-16", "read so")])
def test_encodings_of_office_programs_are_read_and_said(tmp_path, encoding, told):
    """Excel saves CSV as cp1252 and "Unicode text" as UTF-16 with a mark; names come out as they were typed."""
    (tmp_path / "m.csv").write_bytes("mast,chainage\nä,0\nö,60\n".encode(encoding))
    with pytest.warns(RunWarning, match=told):
        line = line_from_tables(tmp_path / "m.csv", base=plain_line())
    assert [m.name for m in line.tension_lengths[0].masts] == ["ä", "ö"]


def test_text_that_has_no_known_encoding(tmp_path):
    (tmp_path / "m.csv").write_bytes("mast,chainage\nä,0\nö,60\n".encode("utf-16-le"))
    with pytest.raises(FileError, match="save it as UTF-8"):
        line_from_tables(tmp_path / "m.csv", base=plain_line())
    (tmp_path / "m.csv").write_bytes(b"mast,chainage\n\x81\xff,0\n")
    with pytest.raises(FileError, match="neither UTF-8 nor Windows-1252"):
        line_from_tables(tmp_path / "m.csv", base=plain_line())


def survey_text(unit, scale, head="chainage"):
    rows = [f"{scale * 0.5 * k:.6f},{5.0 + 0.001 * (k % 3):.4f}" for k in range(361)]
    return f"{head},height\n{unit},m\n" + "\n".join(rows) + "\n" if unit else f"{head},height\n" + "\n".join(rows)


def test_surveys(tmp_path):
    line = plain_line(spans=3)
    path = tmp_path / "s.csv"
    for text in (survey_text("km", 1e-3), survey_text("", 1e-3, "km"), survey_text("m", 1.0)):
        path.write_text(text)
        assert read_survey(path, line).x[-1] == pytest.approx(180.0)
    path.write_text(survey_text("", 1e-3))
    with pytest.raises(ModelError, match="less than one span; check the unit of the chainage"):
        fit_survey(line, read_survey(path, line))
    path.write_text(survey_text("m", 1.0).replace("height", "Drahtmaß", 1))
    with pytest.raises(FileError, match="no column height"):
        read_survey(path, line)
    assert read_survey(path, line, {"Drahtmaß": "height"}).height[1] == 5.001
    with pytest.raises(ModelError, match="'drahtmaß' cannot be 'heigth'; did you mean 'height'"):
        read_survey(path, line, {"Drahtmaß": "heigth"})
    with pytest.raises(ModelError, match="no table has a column 'breite'"):
        read_survey(path, line, {"Drahtmaß": "height", "Breite": "stagger"})
    path.write_text("chainage,height,stagger\nm,m,m\n0,5.08,0.2\n1,5.08,\n")
    with pytest.warns(RunWarning, match="1 of 2 rows have no stagger"):
        read_survey(path, line)


@pytest.mark.parametrize(("name", "value"), [("tolerance", 1e-300), ("noise", 1e-300), ("noise", 1e300)])
def test_spreads_of_a_survey_that_no_instrument_has(name, value):
    line = plain_line(spans=3)
    with pytest.raises(ModelError, match=f"survey: {name} must lie between"):
        fit_survey(line, Survey(np.linspace(0.0, 180.0, 99), np.full(99, 5.0)), **{name: value})


def test_a_survey_of_a_part_is_told():
    line = read_line("en50318-2002")
    seen = survey_of(line)
    part = seen.x < 130.0
    with pytest.warns(RunWarning, match="survey: it covers 129.75 of the line's"):
        found = fit_survey(line, Survey(seen.x[part], seen.height[part]))
    assert found.rms < 1e-4


def test_the_tables_of_every_slip_above_were_right_before(tmp_path):
    line = of_texts(tmp_path, "chainage,stagger\nm,m\n0,0.2\n60,-0.2\n120,0.2\n", DROPPERS)
    assert numbers(line).size
    assert np.isfinite(string(line).spans(Layout(line).pieces[0])[0].unstretched).all()
