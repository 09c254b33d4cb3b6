"""DXF and GeoJSON: what a CAD program or a map reads is the strung line and its tables."""

import io
import json
from dataclasses import replace

import numpy as np
import pytest
from railway.line.test_line_places import numbered_line

from panhead.desk.sheets.line_drawing import draw_line
from panhead.desk.sheets.line_dxf import line_dxf
from panhead.desk.sheets.line_file import line_text
from panhead.desk.sheets.line_geojson import line_geojson
from panhead.desk.sheets.schedules import line_tables
from panhead.errors import ModelError

ezdxf = pytest.importorskip("ezdxf")
LINE = numbered_line(3)


@pytest.fixture(scope="module")
def document():
    from ezdxf import recover

    found, auditor = recover.read(io.BytesIO(line_dxf(LINE, draw_line(LINE))))
    assert not auditor.errors
    return found


def test_blocks_carry_the_rows_of_the_tables(document):
    """Every mast and dropper stands at its chainage with its row as attributes, to the digits of the table."""
    droppers, _, _, supports = line_tables(LINE)
    for name, table in (("MAST", supports), ("DROPPER", droppers)):
        found = document.modelspace().query(f'INSERT[name=="{name}"]')
        assert len(found) == len(table.rows)
        for one, row in zip(found, table.shown(), strict=True):
            cells = dict(zip((c.name for c in table.columns), row, strict=True))
            said = {a.dxf.tag: a.dxf.text for a in one.attribs}
            assert one.dxf.insert.x == pytest.approx(cells["chainage"], abs=1e-9)
            assert said["KM"] == cells["km"]
            assert said["MAST"] == cells["mast"]
    assert [a.dxf.text for a in found[0].attribs if a.dxf.tag == "LENGTH"] == [f"{droppers.shown()[0][6]}"]


def test_wires_lie_where_they_were_strung(document):
    """In metres from km 12+345 over 180 m; between droppers the contact wire hangs some millimetres below 5.08 m."""
    layers = {}
    for one in document.modelspace().query("POLYLINE"):
        layers.setdefault(one.dxf.layer, []).append(np.array([v.dxf.location for v in one.vertices]))
    contact, messenger = layers["WIRE_CONTACT"][0], layers["WIRE_MESSENGER"][0]
    assert (contact[0, 0], contact[-1, 0]) == pytest.approx((12_345.0, 12_525.0))
    assert 5.05 < contact[:, 2].min() <= contact[:, 2].max() < 5.09
    assert messenger[:, 2].max() == pytest.approx(5.08 + 1.2, abs=1e-6)
    assert (messenger[:, 2] > contact[:, 2].max()).all()


def test_sheets_are_layouts(document):
    sheet = document.layouts.get("Sheet 1")
    words = {one.dxf.text for one in sheet.query("TEXT")}
    assert {"12-03", "12+465.00"} <= words
    assert len(sheet.query("LWPOLYLINE")) > 20


def on_a_map(line):
    """Masts 60 m apart to the north-east near Bern; the second has no coordinates."""
    tl = line.tension_lengths[0]
    masts = tuple(
        m if m.at == 1 else replace(m, longitude=7.44 + 5e-4 * m.at, latitude=46.95 + 4e-4 * m.at) for m in tl.masts
    )
    return replace(line, tension_lengths=(replace(tl, masts=masts),))


def test_masts_on_a_map(panhead, tmp_path):
    found = json.loads(line_geojson(on_a_map(LINE)))
    points = [f for f in found["features"] if f["geometry"]["type"] == "Point"]
    (track,) = [f for f in found["features"] if f["geometry"]["type"] == "LineString"]
    assert [p["properties"]["name"] for p in points] == ["12-01", "12-03", "12-04"]
    assert points[1]["geometry"]["coordinates"] == pytest.approx([7.441, 46.9508])  # longitude first
    assert points[1]["properties"]["km"] == "km 12+465.00"
    assert track["geometry"]["coordinates"] == [p["geometry"]["coordinates"] for p in points]
    with pytest.raises(ModelError, match="no mast has coordinates"):
        line_geojson(LINE)
    with pytest.raises(ModelError, match="both longitude and latitude"):
        replace(LINE.tension_lengths[0].masts[0], longitude=7.0)
    (tmp_path / "k.toml").write_text(line_text(on_a_map(LINE)))
    assert panhead("line", "export", "k.toml", "--geojson", "--out", "map").returncode == 0
    assert json.loads((tmp_path / "map.geojson").read_text())["features"] == found["features"]
    assert panhead("line", "draw", "k.toml", "--dxf", "--out", "d").returncode == 0
    assert (tmp_path / "d" / "k.dxf").stat().st_size > 10_000
