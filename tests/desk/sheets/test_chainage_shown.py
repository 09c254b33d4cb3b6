"""Check, tables and drawings of a line with chainage and mast numbers show both; metres stay."""

import json
from dataclasses import replace

from railway.line.test_line_places import numbered_line

from panhead.desk.sheets.line_check import check_line
from panhead.desk.sheets.line_drawing import draw_line
from panhead.desk.sheets.line_file import line_text
from panhead.desk.sheets.schedules import line_tables
from panhead.desk.sheets.sheet import PaperText


def too_high():
    line = numbered_line(3)
    masts = list(line.tension_lengths[0].masts)
    masts[2] = replace(masts[2], contact_height=5.4)
    return replace(line, tension_lengths=(replace(line.tension_lengths[0], masts=tuple(masts)),))


def test_check_says_where():
    """A mast 0.32 m too high on 60 m: 5.3 ‰ and a change of 10.7 ‰ at mast 12-03, km 12+465, 120 m from the first."""
    found = check_line(too_high(), speed=60.0)
    (worst,) = [f for f in found.findings if f.quantity == "gradient_change" and f.x == 120.0][:1]
    assert worst.at == "km 12+465 (120.0 m), mast 12-03"
    assert json.loads(json.dumps(found.as_plain()))["findings"][0]["x"] is not None


def test_tables_have_chainage_and_mast():
    droppers, heights, lengths, supports = line_tables(numbered_line(3))
    for table in (droppers, heights, supports):
        names = [c.name for c in table.columns]
        for row in table.rows:
            cells = dict(zip(names, row, strict=True))
            assert cells["chainage"] == 12_345.0 + cells["from_first_mast"]
            assert cells["km"].startswith("km 12+")
            assert cells["mast"].startswith("12-0")
    assert [lengths.rows[0][k] for k in (3, 4)] == [12_345.0, 12_525.0]


def test_drawing_and_commands(panhead, tmp_path):
    words = [p.text for paper in draw_line(numbered_line(3)) for p in paper.parts if isinstance(p, PaperText)]
    assert {"12-03", "12+465.00"} <= set(words)
    (tmp_path / "k.toml").write_text(line_text(numbered_line()))
    said = panhead("line", "draw", "k.toml", "--from", "km 12+400", "--to", "mast 12-04", "--out", "d")
    assert said.returncode == 0, said.stderr
    drawn = (tmp_path / "d" / "k-1.svg").read_text()
    assert "12-04" in drawn
    assert "12-05" not in drawn
    assert "is not a part of the line" in panhead("line", "draw", "k.toml", "--from", "km 12+100").stderr
    (tmp_path / "h.toml").write_text(line_text(too_high()))
    shown = panhead("line", "check", "h.toml", "--speed", "200 km/h").stdout
    assert "km12+465" in "".join(c for c in shown if c.isalnum() or c in "+-")
