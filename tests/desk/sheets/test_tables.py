"""``panhead line tables``: sums and pulls by hand, CSV and Excel with the same numbers."""

import csv
from dataclasses import replace

import openpyxl
import pytest
from railway.line.builders import CONTACT, MESSENGER, STAGGERED, ZIGZAG, G, bare_line, plain_line

from panhead.desk.sheets.schedules import line_tables
from panhead.desk.sheets.table_rows import DeskTable, csv_text
from panhead.railway.line import DropperKind, read_line, static_shape, string


def table(line, name):
    """One of the tables as a list of dictionaries."""
    (found,) = [t for t in line_tables(line) if t.name == name]
    return [dict(zip((c.name for c in found.columns), row, strict=True)) for row in found.rows]


def test_supports_carry_the_weight_of_everything():
    """Σ of vertical loads = wires by their length, droppers and clamps by their mass, times g."""
    kind = DropperKind(stiffness=1e5, mass_per_length=0.2, top_clamp_mass=0.3, bottom_clamp_mass=0.4)
    line = plain_line(dropper=kind, presag=0.02, spans=4)
    carried = sum(row["vertical"] for row in table(line, "supports"))
    (length,), droppers = table(line, "tension_lengths"), table(line, "droppers")
    wires = CONTACT.mu * length["contact_wire"] + MESSENGER.mu * length["messenger"]
    hung = sum(0.7 + 0.2 * (row["top_height"] - row["bottom_height"]) for row in droppers)
    assert carried == pytest.approx(G * (wires + hung), rel=1e-6)  # arcs by the trapezoidal rule on 0.25 m


def test_the_pull_on_a_steady_arm_by_hand():
    """±0.2 m over spans of 60 m: H (0.4/60 + 0.4/60), towards the other side; half of it at an anchor.

    A wire without bending stiffness has a kink at a mast; an element of 0.25 m rounds it, 0.07 % of the pull.
    """
    rows = table(replace(bare_line(spans=4), support=STAGGERED), "supports")
    pull = 20e3 * 0.8 / 60.0
    expected = [-pull / 2, pull, -pull, pull, -pull / 2]
    assert [row["contact_across"] for row in rows] == pytest.approx(expected, rel=1e-3)
    # the messenger hangs straight
    assert [row["messenger_across"] for row in rows] == pytest.approx([0.0] * 5, abs=1e-9)


def test_a_messenger_alone_hangs_half_on_each_neighbour():
    """μ g ℓ at a mast between equal spans, but for the sag's second order and the kink."""
    rows = table(bare_line(spans=3), "supports")
    assert rows[1]["vertical"] == pytest.approx(1.35 * G * 60.0, rel=1e-3)


def test_the_schedule_is_the_strung_line():
    line = plain_line(support=ZIGZAG, presag=0.02)
    shape = static_shape(string(line), element_length=0.25).droppers
    rows = table(line, "droppers")
    assert [row["length"] for row in rows] == list(shape.length)
    assert [row["load"] for row in rows] == list(shape.tension)
    assert [row["bottom_height"] for row in rows] == list(shape.z_bottom)
    heights = table(line, "heights")
    (middle,) = [row for row in heights if row["span"] == 3 and row["place"] == "dropper 5"]
    assert middle["contact_height"] == pytest.approx(5.08 - 0.02, abs=1e-9)
    assert [row["place"] for row in heights][-1] == "mast"


def test_every_shipped_line_has_tables():
    for name in ("compound-25kv", "stitched-25kv"):
        made = line_tables(read_line(name))
        assert all(len(row) == len(t.columns) for t in made for row in t.rows)


def test_csv_and_excel_hold_the_same(panhead, tmp_path):
    assert panhead("line", "tables", "en50318-2002").returncode == 0
    assert panhead("line", "tables", "en50318-2002", "--excel", "--out", "book").returncode == 0
    assert panhead("line", "tables", "en50318-2002", "--decimal-comma", "--out", "half-of-europe").returncode == 0
    book = openpyxl.load_workbook(tmp_path / "book.xlsx")
    assert book.sheetnames == ["droppers", "heights", "tension_lengths", "supports"]
    for name in book.sheetnames:
        with (tmp_path / "en50318-2002-tables" / f"{name}.csv").open(encoding="utf-8-sig", newline="") as file:
            plain = list(csv.reader(file))
        with (tmp_path / "half-of-europe" / f"{name}.csv").open(encoding="utf-8-sig", newline="") as file:
            assert [[c.replace(",", ".") for c in row] for row in csv.reader(file, delimiter=";")] == plain
        cells = [["" if c is None else str(c) for c in row] for row in book[name].iter_rows(values_only=True)]
        assert [[_same(c) for c in row] for row in cells] == [[_same(c) for c in row] for row in plain]


def _same(text):
    try:
        return float(text)
    except ValueError:
        return text


def test_nothing_becomes_minus_zero_or_a_formula():
    from panhead.desk.sheets.table_rows import TableColumn

    made = DeskTable("t", [TableColumn("a", "m", 2), TableColumn("b")], [[-1e-9, "x,y"]])
    assert csv_text(made) == 'a,b\nm,\n0.0,"x,y"\n'
