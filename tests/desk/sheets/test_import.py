"""Tables in and out: the shipped lines come back, every cell that is wrong is named."""

from dataclasses import replace

import numpy as np
import openpyxl
import pytest
from railway.line.builders import ZIGZAG, plain_line, with_tension_length

from panhead.desk.sheets.from_tables import line_from_tables
from panhead.desk.sheets.line_tables import geometry_tables
from panhead.desk.sheets.table_rows import write_csv, write_excel
from panhead.errors import FileError, ModelError, RunWarning
from panhead.railway.line import (
    Dropper,
    DropperError,
    DropperKind,
    HardSpot,
    Mast,
    Span,
    Support,
    read_line,
    shipped_lines,
    string,
)
from panhead.railway.line.alignment import TrackPoint
from panhead.railway.line.layout import Layout

MASTS = """chainage [m];stagger;contact height;encumbrance
;mm;m;m
1200,0;200;5,08;1,2
1250,0;-200;5,08;1,2
1300,5;200;5,09;1,25
"""
DROPPERS = """span;position;length
;m;m
1;10;
1;25,5;
2;30,25;
"""


def numbers(line):
    """Every number a line is strung from, in order."""
    layout = Layout(line)
    found = list(layout.mast_x)
    for piece in layout.pieces:
        for number in range(piece.first, piece.stop):
            plan = layout.plan(piece, number)
            for post in (plan.left, plan.right):
                found += [post.z_contact, post.lift, post.y_contact, post.y_messenger, post.support.encumbrance]
                arm = post.support.steady_arm
                found += [post.support.contact_mass, arm.length if arm else 0.0, float(post.anchor)]
            wires = plan.wires
            found += [w.tension for w in (wires.contact, wires.messenger) if w] + [wires.contact.mu, wires.contact.EI]
            for link in plan.links:
                found += [link.x, link.height, link.length or 0.0, link.error, link.kind.stiffness]
            found += [v for part in (*plan.worn, *plan.spots, *plan.track) for v in part]
    return np.array(found)


def there_and_back(line, folder, *, excel=False, comma=False):
    made = geometry_tables(line)
    if excel:
        return line_from_tables(write_excel(made, folder / "line.xlsx"))
    masts, droppers, keys = write_csv(made, folder, comma=comma)
    return line_from_tables(masts, droppers, keys)


@pytest.mark.parametrize("name", shipped_lines())
def test_shipped_lines_come_back(name, tmp_path):
    """Equal to 1e-12, by CSV and by Excel, and the tables of what came back are the same tables."""
    line = read_line(name)
    wanted = numbers(line)
    for way in ({"comma": True}, {"excel": True}):
        back = there_and_back(line, tmp_path, **way)
        np.testing.assert_allclose(numbers(back), wanted, rtol=1e-12, atol=1e-12)
        assert (back.name, back.supply, back.uplift_space, back.wires.stitch) == (
            line.name, line.supply, line.uplift_space, line.wires.stitch,
        )  # fmt: skip
        for old, new in zip(geometry_tables(line), geometry_tables(back), strict=True):
            assert [r[:2] for r in old.rows] == [r[:2] for r in new.rows] or old.name == "line"


def rich_line():
    """Everything that differs from place to place."""
    special = DropperKind(stiffness=5e4, bottom_clamp_mass=0.3)
    droppers = (
        Dropper(position=10.0, kind="soft"),
        Dropper(position=30.0, height=5.05),
        Dropper(position=50.0, kind=special),
    )
    tl = {
        "spans": (Span(length=60.0, count=2, droppers=droppers), Span(length=48.25, presag=0.01, dropper_count=6)),
        "masts": (
            Mast(at=1, name="12-07", stagger=0.1, encumbrance=1.3, support="heavy"),
            Mast(at=2, contact_height=5.1, support=Support(encumbrance=1.5, contact_mass=2.0)),
        ),
        "dropper_errors": (DropperError(span=3, dropper=2, error=0.004),),
        "hard_spots": (HardSpot(position=33.0, mass=1.5),),
    }  # fmt: skip
    kinds = {"support_kinds": {"heavy": replace(ZIGZAG, contact_mass=4.0)}, "dropper_kinds": {"soft": special}}
    return with_tension_length(plain_line(support=ZIGZAG, presag=0.02, chainage=12_345.678, **kinds), **tl)


def test_what_differs_from_mast_to_mast_comes_back(tmp_path):
    line = rich_line()
    back = there_and_back(line, tmp_path)
    np.testing.assert_allclose(numbers(back), numbers(line), rtol=1e-12, atol=1e-12)
    assert Layout(back).mast_name(Layout(back).pieces[0], 1) == "12-07"
    assert back.chainage == 12_345.678
    assert np.isfinite(string(back).spans(Layout(back).pieces[0])[0].unstretched).all()


def test_curves_come_back(tmp_path):
    """At masts they are columns of the masts, elsewhere keys; both are the same track."""
    line = plain_line(spans=3)
    points = [TrackPoint(at=60.0 * k, radius=r, cant=c, gradient=g) for k, r, c, g in
              ((0, None, 0.0, 0.01), (1, -800.0, 0.1, 0.01), (2, -800.0, 0.1, 0.0), (3, None, 0.0, 0.0))]  # fmt: skip
    for alignment in (tuple(points), tuple(points[:3])):
        curved = replace(line, alignment=alignment)
        for way in ({"comma": True}, {"excel": True}):
            back = there_and_back(curved, tmp_path, **way)
            np.testing.assert_allclose(numbers(back), numbers(curved), rtol=1e-12, atol=1e-12)
            assert len(back.alignment) == len(alignment)
    assert len(numbers(curved)) > len(numbers(line))


def test_curves_by_hand_and_what_contradicts(tmp_path):
    masts = "chainage;curve radius;cant;gradient\nm;m;mm;‰\n0;;;5\n60;500;120;5\n120;500;120;0\n"
    (_, curve, _) = of_texts(tmp_path, masts, "span;position\n").alignment
    assert (curve.at, curve.radius, curve.cant, curve.gradient) == (60.0, 500.0, 0.12, 0.005)
    with pytest.raises(FileError, match=r"row 4, column B \(curve_radius\).*at least 20 m"):
        of_texts(tmp_path, masts.replace("60;500", "60;5"), "span;position\n")


def test_names_of_kinds_that_do_not_exist_are_refused():
    masts = (Mast(at=1, support="heavi"),)
    with pytest.raises(ModelError, match="mast 1: support 'heavi' is not defined; did you mean 'heavy'"):
        with_tension_length(rich_line(), masts=masts)
    with pytest.raises(ModelError, match="dropper 1: kind 'soft' is not defined"):
        replace(rich_line(), dropper_kinds={})


def of_texts(folder, masts=MASTS, droppers=DROPPERS):
    (folder / "m.csv").write_text(masts)
    (folder / "d.csv").write_text(droppers)
    return line_from_tables(folder / "m.csv", folder / "d.csv", base=plain_line())


def test_a_table_by_hand(tmp_path):
    """Decimal commas, millimetres, names with spaces and brackets, no spans: chainages give them."""
    line = of_texts(tmp_path)
    (tl,) = line.tension_lengths
    assert [s.length for s in tl.spans] == [50.0, 50.5]
    assert [m.stagger for m in tl.masts] == [0.2, -0.2, 0.2]
    assert [[d.position for d in s.droppers] for s in tl.spans] == [[10.0, 25.5], [30.25]]
    assert line.chainage == 1200.0


def test_any_order_of_columns_and_a_remark(tmp_path):
    lines = [row.split(";") for row in MASTS.splitlines()]
    turned = (
        "\n".join(";".join([*row[::-1], "note"]) for row in lines).replace("note", "remark", 1).replace(";note", ";")
    )
    with pytest.warns(RunWarning, match="column 'remark' is not used"):
        assert numbers(of_texts(tmp_path, masts=turned)).tolist() == numbers(of_texts(tmp_path)).tolist()


@pytest.mark.parametrize(
    ("table", "old", "new", "words"),
    [
        ("m", "-200", "-2OO", r"m.csv\n.*row 4, column B \(stagger\): '-2OO"),
        ("m", "1250,0", "1150,0", r"row 4, column A \(chainage\): km 1\+150.00 \(row 4\) lies before km 1\+200.00"),
        ("m", ";mm;m;m", ";mm;kg;m", r"row 2, column C \(contact_height\).*measures something else"),
        ("m", "5,09", "1.005,09", r"row 5, column C .*a point and a comma"),
        ("m", "1,25", "-1,25", r"row 5, column D \(encumbrance\).*must be finite and > 0"),
        ("m", "stagger", "staggger", r"row 1, column B: 'staggger'; did you mean 'stagger'"),
        ("d", "30,25", "60,25", r"d.csv\n.*row 5, column B \(position\): 60.25 m lies outside its span of 50.5 m"),
        ("d", "2;30", "3;30", r"row 5, column A \(span\): 3: tension length '' has spans 1 to 2"),
        ("d", "1;25,5;", "1;25,5;-1", r"row 4, column C \(length\).*length must be finite and > 0"),
        ("d", "span;", "bay;", "'bay' is unknown and contains numbers.*bay=COLUMN.*columns: .*mast, span"),
        ("d", "1;10;\n", "1;;\n", r"row 3, column B \(position\): is empty"),
        ("m", ";", ",", r"decimal commas need semicolons"),
    ],
)
def test_what_is_wrong_is_told_by_file_row_and_column(tmp_path, table, old, new, words):
    texts = {"m": MASTS, "d": DROPPERS}
    texts[table] = texts[table].replace(old, new) if old == ";" else texts[table].replace(old, new, 1)
    with pytest.raises(FileError, match=f"(?s){words}"):
        of_texts(tmp_path, texts["m"], texts["d"])


def test_units_in_brackets_count(tmp_path):
    masts = "chainage (km);stagger [mm]\n1,2;200\n1,25;-150\n"
    line = of_texts(tmp_path, masts, "span;position [cm]\n1;2000\n")
    assert [m.stagger for m in line.tension_lengths[0].masts] == [0.2, -0.15]
    assert line.tension_lengths[0].spans[0].length == pytest.approx(50.0, abs=1e-9)
    assert line.tension_lengths[0].spans[0].droppers[0].position == 20.0


def test_spans_and_chainages_must_agree(tmp_path):
    text = "chainage,span,tension_length\n0,60,A\n60.5,60,A\n120,,A\n"
    with pytest.raises(FileError, match=r"row 3, column A \(chainage\): is 60.5 m, but the spans before it"):
        of_texts(tmp_path, text, "span,position\n")


def test_overlaps_are_seen_by_their_chainages(tmp_path):
    masts = "tension_length,chainage\n" + "".join(f"A,{60 * k}\n" for k in range(6)) + "".join(
        f"B,{60 * k}\n" for k in range(2, 8)
    )  # fmt: skip
    line = of_texts(tmp_path, masts, "span,position,tension_length\n1,30,A\n")
    assert line.tension_lengths[0].overlap.spans == 3
    with pytest.raises(FileError, match=r"row 8, column B \(chainage\): 131 m is not a mast"):
        of_texts(tmp_path, masts.replace("B,120", "B,131"), "span,position\n")
    with pytest.raises(FileError, match="spans must be odd, got 2"):
        of_texts(tmp_path, masts.replace("B,120\n", ""), "span,position\n")


def test_a_workbook_without_what_is_needed(tmp_path):
    (tmp_path / "no.xlsx").write_text("no zip")
    with pytest.raises(FileError, match="is not a readable Excel file"):
        line_from_tables(tmp_path / "no.xlsx", base=plain_line())
    book = openpyxl.Workbook()
    book.create_sheet("other")
    book.save(tmp_path / "other.xlsx")
    with pytest.raises(FileError, match="has no sheet 'masts'"):
        line_from_tables(tmp_path / "other.xlsx", base=plain_line())


def test_the_commands(panhead, tmp_path):
    assert panhead("line", "export", "twin-3kv", "--excel", "--out", "twin").returncode == 0
    made = panhead("line", "import", "twin.xlsx", "--out", "twin.toml")
    assert made.returncode == 0, made.stderr
    np.testing.assert_allclose(numbers(read_line(tmp_path / "twin.toml")), numbers(read_line("twin-3kv")), rtol=1e-12)
    assert panhead("line", "import", "twin.xlsx", "--out", "twin.toml").returncode == 2  # it is there
    (tmp_path / "m.csv").write_text(MASTS)
    assert panhead("line", "import", "m.csv").returncode == 2  # no wires
    assert panhead("line", "import", "m.csv", "--base", "en50318-2002", "--out", "bare.toml").returncode == 0


def test_droppers_belong_to_the_only_tension_length_whatever_its_name(tmp_path):
    """As the page of the table says; of two, a name is asked for with those there are."""
    (tmp_path / "d.csv").write_text("position;span\n20,5;1\n40;1\n")
    one = "tension length;chainage\nT1;0\nT1;60\nT1;120\n"
    (tmp_path / "m.csv").write_text(one)
    line = line_from_tables(tmp_path / "m.csv", tmp_path / "d.csv", base=read_line("en50318-2002"))
    assert [d.position for d in line.tension_lengths[0].spans[0].droppers] == [20.5, 40.0]
    (tmp_path / "m.csv").write_text(one + "T2;120\nT2;180\n")
    with pytest.raises(FileError, match="give tension_length, one of T1, T2"):
        line_from_tables(tmp_path / "m.csv", tmp_path / "d.csv", base=read_line("en50318-2002"))
