"""Options of ``panhead line`` that other tests do not type: limits, folders, keys, noise of a survey."""

import csv
import json
from dataclasses import replace

import numpy as np
import pytest
from railway.line.builders import plain_line

from panhead.desk.sheets.survey_fit import survey_of
from panhead.desk.sheets.table_rows import DeskTable, TableColumn, csv_text
from panhead.files.parse import write_toml
from panhead.railway.line import read_line, string, with_dropper_errors

LIMITS = """
name = "of our network"
about = "test"
[[limit]]
quantity = "contact_height"
bound = "{bound}"
value = "{value}"
clause = "letter of the owner"
status = "quoted"
"""


@pytest.mark.parametrize(("value", "code"), [("5.0 m", 0), ("5.2 m", 3)])
def test_the_limits_are_those_of_the_file(panhead, tmp_path, value, code):
    """The wire of the reference line hangs at 5.08 m and less."""
    (tmp_path / "ours.toml").write_text(LIMITS.format(bound="lower", value=value))
    answer = panhead("line", "check", "en50318-2002", "--limits", "ours.toml", "--json")
    assert answer.returncode == code, answer.stderr
    wrong = [f for f in json.loads(answer.stdout)["findings"] if f["level"] == "wrong"]
    assert [f["quantity"] for f in wrong] == ["contact_height"] * len(wrong)
    assert all(f["clause"] == "letter of the owner" for f in wrong)
    assert bool(wrong) is bool(code)


def test_sheets_go_into_the_folder(panhead, tmp_path):
    answer = panhead("line", "draw", "en50318-2002", "--out", "sheets", "--spans", "2-3")
    assert answer.returncode == 0, answer.stderr
    assert (tmp_path / "sheets" / "en50318-2002.pdf").read_bytes().startswith(b"%PDF")
    (sheet,) = (tmp_path / "sheets").glob("*.svg")
    assert "5.08" in sheet.read_text()


def test_tables_with_decimal_commas_and_keys_give_the_line_again(panhead, tmp_path):
    """Out with decimal commas between semicolons, in by three tables: the same line hangs at the same heights."""
    before = read_line("en50318-2002")
    assert panhead("line", "export", "en50318-2002", "--out", "t", "--decimal-comma").returncode == 0
    assert "60,0" in (tmp_path / "t" / "masts.csv").read_text(encoding="utf-8-sig")
    words = ("t/masts.csv", "t/droppers.csv", "--keys", "t/line.csv", "--out", "again.toml")
    answer = panhead("line", "import", *words)
    assert answer.returncode == 0, answer.stderr
    one, other = (string(line) for line in (before, read_line(tmp_path / "again.toml")))
    for mine, theirs in zip(*(strung.spans(strung.layout.pieces[0]) for strung in (one, other)), strict=True):
        np.testing.assert_allclose(mine.shape["contact"], theirs.shape["contact"], atol=1e-9)
        np.testing.assert_allclose(mine.unstretched, theirs.unstretched, atol=1e-9)
    without = panhead("line", "import", "t/masts.csv", "t/droppers.csv", "--out", "none.toml")
    assert without.returncode == 2
    assert "--keys" in without.stderr or "wires" in without.stderr


DRAWN = plain_line(presag=0.02, spans=3)


@pytest.fixture
def fitted(panhead, tmp_path):
    """Dropper lengths found and their told deviation [m], of a survey with columns of other names, by the command."""
    true = with_dropper_errors(DRAWN, deviation=0.004, seed=1)
    survey = survey_of(true, noise=1e-3, seed=1, step=0.5)
    columns = [TableColumn("Fahrdrahthoehe", "m"), TableColumn("Ort", "m"), TableColumn("Nr")]
    rows = [[z, x, k] for k, (x, z) in enumerate(zip(survey.x.tolist(), survey.height.tolist(), strict=True))]
    (tmp_path / "s.csv").write_text(csv_text(DeskTable("s", columns, rows)))
    (tmp_path / "drawn.toml").write_text(write_toml(replace(DRAWN, name="drawn")))

    def call(*words):
        named = ("--columns", "Fahrdrahthoehe=height, Ort=chainage, Nr=", "--units", "chainage=m")
        answer = panhead("line", "fit", "s.csv", "--line", "drawn.toml", *named, "--out", "f.toml", "--replace", *words)
        assert answer.returncode == 0, answer.stderr
        table = csv.DictReader((tmp_path / "f.csv").read_text(encoding="utf-8-sig").splitlines())
        rows = [row for row in table if row["dropper"]]
        return [np.array([float(row[name]) for row in rows]) for name in ("drawn", "length", "deviation")]

    return call


def test_the_told_deviation_follows_the_noise(fitted):
    """A survey that decides alone (a wide tolerance): the bars are proportional to its noise, the lengths the same."""
    drawn, one, bars = fitted("--noise", "1 mm", "--tolerance", "1 m")
    _, two, wide = fitted("--noise", "2 mm", "--tolerance", "1 m")
    np.testing.assert_allclose(wide, 2.0 * bars, atol=1.6e-4)  # both printed to 0.1 mm
    np.testing.assert_allclose(one, two, atol=2e-4)
    assert np.abs(one - drawn).max() > 3e-3


def test_a_drawing_that_is_trusted_decides(fitted):
    """With a tolerance far below the noise the lengths are those of the drawing, and the bars are the tolerance."""
    drawn, found, bars = fitted("--noise", "50 mm", "--tolerance", "0.01 mm")
    np.testing.assert_allclose(found, drawn, atol=2e-4)  # printed to 0.1 mm
    np.testing.assert_allclose(bars, 1e-5, atol=6e-5)
