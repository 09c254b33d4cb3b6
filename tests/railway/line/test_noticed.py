"""What deleted statements showed to be unasked: stitch wires in the heat, paths of wires, two lengths end to end."""

from dataclasses import replace

import pytest

from panhead.railway.line import Conditions, read_line
from panhead.railway.line.assumptions import wires_of
from panhead.railway.line.conditions import line_in
from panhead.railway.line.line_plausibility import implausible
from panhead.railway.line.tensioning import Tensioning

from .builders import plain_line


def test_a_stitch_wire_slackens_with_its_messenger():
    """Between fixed ends heat takes tension; the stitch wire hangs in the messenger and loses the same share."""
    line = read_line("stitched-25kv")
    grown = {role: replace(getattr(line.wires, role), expansion=17e-6) for role in ("contact", "messenger")}
    line = replace(line, tensioning=Tensioning(kind="fixed"), wires=replace(line.wires, **grown))
    hot = line_in(line, Conditions(temperature=line.erected_at + 25.0))
    wires = hot.tension_lengths[0].wires or hot.wires
    share = wires.messenger.tension / line.wires.messenger.tension
    assert share < 0.9
    assert wires.stitch.wire.tension == pytest.approx(share * line.wires.stitch.wire.tension, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "roles"),
    [
        ("en50318-2002", ["contact", "messenger"]),
        ("compound-25kv", ["contact", "messenger", "auxiliary"]),
        ("stitched-25kv", ["contact", "messenger", "stitch.wire"]),
        ("conductor-rail", ["contact"]),
    ],
)
def test_every_wire_has_its_path(name, roles):
    assert [path for path, _ in wires_of(read_line(name))] == [f"wires.{role}" for role in roles]


def test_a_rail_a_metre_thick_is_doubted():
    line = read_line("conductor-rail")
    thick = replace(line, wires=replace(line.wires, contact=replace(line.wires.contact, diameter=1.0)))
    told = lambda of: " ".join(str(each) for each in implausible(of))
    assert "diameter of the rail" in told(thick)
    assert "diameter of the rail" not in told(line)


@pytest.mark.parametrize(("name", "remedy"), [("wires", "overlap"), ("rail", "expansion joint")])
def test_two_lengths_end_to_end_are_told_what_to_do(name, remedy):
    from panhead.desk.sheets.line_check import check_line

    line = plain_line(spans=2) if name == "wires" else read_line("conductor-rail")
    length = line.tension_lengths[0]
    twice = replace(line, tension_lengths=(replace(length, name="A"), replace(length, name="B")))
    assert any(remedy in finding.remedy for finding in check_line(twice).findings)
