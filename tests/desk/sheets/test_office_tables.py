"""Tables as offices have them: heads in their language, mappings, units, chainages, a template; files people edit."""

import tomllib
from dataclasses import replace

import numpy as np
import openpyxl
import pytest
from railway.line.builders import plain_line

from desk.sheets.test_import import numbers, rich_line
from panhead.desk.sheets.from_tables import import_line, line_from_tables
from panhead.desk.sheets.line_file import line_text, with_common_values_on_top
from panhead.desk.sheets.line_tables import geometry_tables
from panhead.desk.sheets.line_template import write_template
from panhead.desk.sheets.table_rows import write_csv
from panhead.errors import FileError, ModelError, RunWarning
from panhead.files import parse
from panhead.files.column_names import ColumnMapping, languages, read_mapping
from panhead.files.readable_toml import quantity_text
from panhead.files.units import to_si
from panhead.railway.line import Line, read_line, shipped_lines
from panhead.railway.line.layout import Layout

HEADS = {
    "de": ("Mast-Nr.;Kilometrierung;Seitenlage / mm;Fahrdrahthöhe;Systemhöhe", "Feld;Abstand vom Mast"),
    "fr": ("poteau;PK;désaxement [mm];hauteur du fil de contact;encombrement", "n° portée;distance au poteau"),
    "es": ("poste;PK;descentramiento (mm);altura del hilo de contacto;altura del sistema", "vano;posición"),
    "it": ("palo;progressiva;poligonazione in mm;altezza filo;ingombro", "campata;distanza dal palo"),
}
ROWS = "\n12-01;12+345,0;200;5,3;1,2\n12-02;12+400,5;-200;5,3;1,2\n12-03;12+456,0;200;5,3;1,2\n"


def imported(folder, masts, droppers, **more):
    (folder / "m.csv").write_text(masts, encoding="utf-8")
    (folder / "d.csv").write_text(droppers, encoding="utf-8")
    return import_line(folder / "m.csv", folder / "d.csv", base=plain_line(), **more)


@pytest.mark.parametrize("language", HEADS)
def test_heads_in_other_languages_are_known(tmp_path, language):
    """The same three masts under four languages: chainages 12+345, staggers in mm, all read without an option."""
    masts, droppers = HEADS[language]
    found = imported(tmp_path, masts + ROWS, f"{droppers}\n1;20\n2;30\n")
    line, layout = found.line, Layout(found.line)
    assert line.chainage == 12_345.0
    np.testing.assert_allclose(layout.mast_x, [0.0, 55.5, 111.0], atol=1e-9)
    posts = [layout.plan(layout.pieces[0], k).left for k in (0, 1)]
    assert [(p.y_contact, p.z_contact, p.support.encumbrance) for p in posts] == [(0.2, 5.3, 1.2), (-0.2, 5.3, 1.2)]
    assert layout.mast_name(layout.pieces[0], 2) == "12-03"
    assert any("= stagger" in note for note in found.notes)


def test_umlauts_spelled_out_and_accents_left_out(tmp_path):
    masts = "Mast;Station;Seitenlage [mm];Fahrdrahthoehe\n" + "".join(f"{k};{60 * k};200;5,3\n" for k in range(3))
    line = imported(tmp_path, masts, "Feld;Position\n1;20\n").line
    assert Layout(line).plan(Layout(line).pieces[0], 0).left.z_contact == 5.3


def test_droppers_by_the_mast_before_them(tmp_path):
    """As offices number them: the same line as by the number of the span; a mast that begins no span is refused."""
    heads = HEADS["de"][0].replace("Kilometrierung", "Bau-km") + ROWS
    by_span = imported(tmp_path, heads, "Feld;Abstand\n1;20\n2;30\n2;40\n").line
    by_mast = imported(tmp_path, heads, "Mast;Abstand\n12-01;20\n12-02;30\n12-02;40\n").line
    assert by_mast == by_span
    for wrong, words in (
        ("Mast;Abstand\n12-03;20\n", "row 2, column A .mast.: '12-03' begins no span; did you mean '12-0[12]'"),
        ("Mast;Feld;Abstand\n12-02;1;20\n", "is 1, but mast '12-02' begins span 2"),
        ("Abstand\n20\n", "no column span or mast"),
    ):
        with pytest.raises(FileError, match=words):
            imported(tmp_path, heads, wrong)


def test_a_mast_of_two_tension_lengths_needs_its_tension_length(tmp_path):
    masts = "tension_length;mast;chainage\nA;1;0\nA;2;60\nA;3;120\nB;2;60\nB;3;120\nB;4;180\n"
    with pytest.raises(FileError, match="'2' begins spans of several tension lengths; give tension_length"):
        imported(tmp_path, masts, "mast;position\n2;20\n")
    line = imported(tmp_path, masts, "tension_length;mast;position\nB;2;20\nA;1;30\nA;2;30\nB;3;30\n").line
    found = [[[d.position for d in span.droppers] for span in part.spans] for part in line.tension_lengths]
    assert found == [[[30.0], [30.0]], [[20.0], [30.0]]]


def test_units_and_columns_of_an_office(tmp_path):
    """By options or by a file; a unit that contradicts the table is refused, as is one of no column."""
    masts = "Mast;Station;Lage quer;Nr\nA;1,2;200;1\nB;1,26;-200;2\n"
    words = "Lage quer=stagger, Nr="
    for mapping in (
        read_mapping(words, "chainage=km, Lage quer=mm"),
        ColumnMapping(columns={"Lage quer": "stagger", "Nr": ""}, units={"chainage": "km", "stagger": "mm"}),
    ):
        line = imported(tmp_path, masts, "Feld;Position\n1;20\n", columns=mapping).line
        assert line.chainage == 1200.0
        assert Layout(line).plan(Layout(line).pieces[0], 0).left.y_contact == 0.2
    (tmp_path / "office.toml").write_text('[columns]\n"Lage quer" = "stagger"\nNr = ""\n[units]\nstagger = "mm"\n')
    assert read_mapping(str(tmp_path / "office.toml"), "chainage=km").units == {"stagger": "mm", "chainage": "km"}
    named = read_mapping(words, "stagger=m, chainage=km")
    with pytest.raises(FileError, match="'m' contradicts 'mm', which the table gives as well"):
        imported(tmp_path, masts.replace("quer", "quer [mm]"), "Feld;Position\n1;20\n", columns=named)
    with pytest.raises(ModelError, match="there is no column 'staggger'; did you mean 'stagger'"):
        imported(tmp_path, masts, "Feld;Position\n1;20\n", columns=read_mapping(words, "staggger=mm"))
    with pytest.raises(ModelError, match="is not COLUMN=UNIT"):
        read_mapping(None, "mm")


def test_sources_say_where_it_was_imported_from(tmp_path):
    """Never the base's, whose numbers these are not; the name is the one given, or the file's."""
    base = replace(plain_line(), name="base", sources=("a drawing of 1987",))
    (tmp_path / "kestrel.csv").write_text("chainage\n0\n60\n")
    line = line_from_tables(tmp_path / "kestrel.csv", base=base)
    assert line.name == "kestrel"
    assert line.sources[0] == "imported from kestrel.csv"
    assert not any("1987" in text for text in line.sources)
    assert line_from_tables(tmp_path / "kestrel.csv", base=base, name="Kestrel line").name == "Kestrel line"


@pytest.mark.parametrize("language", ["en", *languages()])
def test_the_template_can_be_imported_as_it_is(tmp_path, language):
    path = write_template(tmp_path / "t.xlsx", read_line("stitched-25kv"), language)
    found = line_from_tables(path)
    layout = Layout(found)
    assert (layout.n_spans, found.chainage, found.wires) == (4, 12_345.0, read_line("stitched-25kv").wires)
    assert layout.plan(layout.pieces[0], 1).links


@pytest.mark.parametrize("name", shipped_lines())
def test_the_file_written_is_short_and_the_same_line(tmp_path, name):
    """Every mast of the tables stands there with all its numbers; the file says once what is common, bit for bit."""
    line = line_from_tables(*write_csv(geometry_tables(read_line(name)), tmp_path))
    text = line_text(line)
    back = parse.build(Line, tomllib.loads(text), source="text")
    np.testing.assert_array_equal(numbers(back), numbers(line))
    assert back == with_common_values_on_top(line)
    assert len(text) < 0.4 * len(parse.write_toml(line))


def office_workbook(path):
    """An office's workbook in German: two tension lengths, staggers that are not the base's, a curve."""
    book = openpyxl.Workbook()
    masts, droppers = book.active, book.create_sheet("Hänger")
    masts.title = "Masten"
    masts.append(["Nachspannlänge", "Mast-Nr", "Station", "Seitenlage [mm]", "Halbmesser"])
    droppers.append(["Nachspannlänge", "Feld", "Position"])
    for name, first, last in (("NL 1", 0, 8), ("NL 2", 5, 14)):
        for k in range(first, last + 1):
            stagger = None if 6 <= k <= 7 else 250 * (-1) ** (k - first)  # in the overlap as its rule has it
            masts.append([name, f"12-{k + 1:02d}", 12_345 + 60 * k, stagger, -2500 if 3 <= k <= 6 else None])
        for span in range(1, last - first + 1):
            for position in (10, 30, 50):
                droppers.append([name, span, position])
    book.save(path)
    return path


def test_a_workbook_of_an_office_becomes_a_short_file(tmp_path):
    """Sheets by their German names; staggers unlike the base's stand once, equal spans are counted, curves bend."""
    with pytest.warns(RunWarning, match=r"column D \(stagger\): is empty \(and 3 more\)"):
        line = line_from_tables(office_workbook(tmp_path / "ost.xlsx"), base=read_line("en50318-2002"))
    short = with_common_values_on_top(line)
    assert short.support.stagger == 0.25
    assert [[(s.kind, s.count) for s in tl.spans] for tl in short.tension_lengths] == [[("60 m", 8)], [("60 m", 9)]]
    assert all(m.contact_height is None and m.encumbrance is None for m in short.tension_lengths[0].masts)
    assert [p.at / 60.0 for p in line.alignment] == [0, 2, 3, 6, 7, 14]
    back = parse.build(Line, tomllib.loads(line_text(line)), source="text")
    np.testing.assert_array_equal(numbers(back), numbers(line))


def test_units_as_people_write_them():
    line = with_common_values_on_top(rich_line())
    text = line_text(line)
    assert 'name = "12-07"' in text
    assert 'stagger = "100 mm"' in text
    assert 'tension = "20 kN"' in text
    np.testing.assert_array_equal(numbers(parse.build(Line, tomllib.loads(text), source="text")), numbers(rich_line()))


@pytest.mark.parametrize("value", [0.0, 1.0, 0.1 + 0.2, 1 / 3, -0.25, 1.2e-4, 12345.678, 1e-300, 6.02e23])
@pytest.mark.parametrize("unit", ["m", "N", "m**2", "N*m**2", "kg/m", "1/s", "degC"])
def test_a_quantity_reads_back_to_the_same_bits(value, unit):
    assert to_si(quantity_text(value, unit), unit) == value


def test_the_commands(panhead, tmp_path):
    """Template, then import with a name; --units and --language are those of the functions above."""
    assert panhead("line", "template", "t.xlsx", "--language", "fr", "--base", "en50318-2002").returncode == 0
    assert "already exists" in panhead("line", "template", "t.xlsx").stderr
    assert panhead("line", "template", "t.xlsx", "--replace").returncode == 0
    assert "'xx' is not known" in panhead("line", "template", "u.xlsx", "--language", "xx").stderr
    said = panhead("line", "import", "t.xlsx", "--name", "Kestrel", "--out", "k.toml", "--units", "stagger=mm")
    assert said.returncode == 0, said.stderr
    assert read_line(tmp_path / "k.toml").name == "Kestrel"


def test_quotation_marks_that_no_shell_took_away():
    """As a message prints them and a hand types them into a page; a pair inside has none."""
    for words in ('"Lage quer=stagger, Nr="', '"Lage quer=stagger", "Nr="', "„Lage quer=stagger“, 'Nr='"):
        assert read_mapping(words) == read_mapping("Lage quer=stagger, Nr=")
