"""A conductor rail: what carries it, its joints, and a pantograph under it; closed forms are in case conductor-rail."""

from dataclasses import replace

import numpy as np
import pytest

from panhead import report
from panhead.desk.sheets.line_check import check_line
from panhead.desk.sheets.line_drawing import draw_line
from panhead.desk.sheets.schedules import line_tables
from panhead.errors import ModelError
from panhead.railway.line import (
    Conditions,
    RailJoint,
    Span,
    TensionLength,
    elasticity,
    line_in,
    linear_line,
    read_line,
    string,
)
from panhead.railway.line.line_speed import check_speed, speed_ahead
from panhead.runs import scenarios


def rail(**changes):
    """Twelve spans without joints and stagger."""
    length = TensionLength(name="R", spans=(Span(length=10.0, count=12),))
    return replace(read_line("conductor-rail"), tension_lengths=(replace(length, **changes),))


def test_it_hangs_like_a_continuous_beam():
    """In the middle of twelve spans: sag μ g l⁴/384 EI, load μ g l; the ends are felt by (2 − √3)⁶ = 4e-4."""
    line = rail()
    strung = string(line)
    span = strung.spans(strung.layout.pieces[0])[5]
    wire = line.wires.contact
    sag = line.contact_height - span.shape["contact"][:, 0].min()
    assert sag == pytest.approx(wire.mu * line.gravity * 10.0**4 / (384 * wire.EI), rel=2e-3)
    assert span.reaction["contact"][0, 0] == pytest.approx(wire.mu * line.gravity * 10.0, rel=2e-3)


def test_at_a_stiff_support_it_yields_by_the_spring():
    """Three of a hundred of the force go to the neighbours: e is a little less than 1/K."""
    e = elasticity(string(rail()), points=2, around=5).value[0]
    assert 0.95e-6 < e < 1.0e-6


def test_a_hinge_carries_no_moment():
    """A joint that bends easily leaves a simply supported end: with one at mid-span each half hangs as a cantilever."""
    stiff, hinged = (
        string(rail(rail_joints=(RailJoint(position=55.0, length=0.2, bending_stiffness=EI),))) for EI in (2.34e5, 1.0)
    )
    shapes = [s.spans(s.layout.pieces[0], element_length=0.1)[5].shape["contact"][:, 0] for s in (stiff, hinged)]
    assert shapes[1].min() < shapes[0].min() - 0.01
    kink = np.diff(shapes[1]) / 0.1
    assert abs(kink[52] - kink[46]) > 10 * np.abs(np.diff(kink[:45])).max()  # the slope leaps where the hinge is


def test_joints_add_their_mass_and_are_the_same_joints_again_and_again():
    line = rail(rail_joints=(RailJoint(position=6.0, every=12.0, length=0.4, mass=2.0, bending_stiffness=1e5),))
    heavy, plain = (linear_line(string(one)) for one in (line, rail()))
    added = [m.M_diag[:, 0, 0].sum() + 2 * m.M_off[:, 0, 0].sum() for m in (heavy, plain)]
    assert added[0] - added[1] == pytest.approx(10 * 2.0, rel=0.02)  # held ends and slopes take a little


def joint(position, **more):
    return RailJoint(position=position, length=0.4, bending_stiffness=1e5, **more)


def jointed_wires():
    line = read_line("en50318-2002")
    return replace(line, tension_lengths=(replace(line.tension_lengths[0], rail_joints=(joint(6.0),)),))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda: replace(rail(), support=replace(rail().support, contact_stiffness=0.0)),
            "must carry the wire or rail; give",
        ),
        (lambda: rail(spans=(Span(length=10.0, dropper_count=1),)), "remove them, or give messenger"),
        (lambda: replace(rail().wires, contact_count=2), "contact_count = 2 needs a messenger"),
        (lambda: replace(rail().wires.contact, bending_stiffness=0.0), "bending_stiffness > 0"),
        (lambda: joint(6.0, every=0.3), "increase every"),
        (lambda: rail(rail_joints=(joint(120.0),)), "does not lie within"),
        (lambda: rail(rail_joints=(joint(6.0), joint(6.2))), "overlap; move or remove"),
        (jointed_wires, "to a conductor rail"),
    ],
)
def test_what_is_no_rail_is_refused_with_a_remedy(change, words):
    with pytest.raises(ModelError, match=words):
        change()


def test_no_wave_speed_but_a_bending_wave_ahead():
    """ω = k (c − v) and c = k √(EI/μ) of the wave ahead."""
    line, v, f = rail(), 40.0, 20.0
    wire = line.wires.contact
    assert check_speed(line, v) is None
    c = speed_ahead(line, v, f)
    k = c / np.sqrt(wire.EI / wire.mu)
    assert k * (c - v) == pytest.approx(2 * np.pi * f, rel=1e-12)


def test_the_desk_and_the_weather_know_it():
    line = read_line("conductor-rail")
    assert not check_line(line, speed=33.3, wind=15.0).wrong
    assert len(draw_line(line)) >= 1
    droppers, _, lengths, supports = line_tables(line)
    assert droppers.rows == []
    assert (lengths.rows[0][9], supports.rows[5][5]) == (None, None)  # no messenger
    cold = line_in(line, Conditions(temperature=-20.0, ice=0.01))
    assert cold.wires.contact.tension == 0.0
    assert cold.wires.contact.mu > line.wires.contact.mu


def test_a_run_under_it_is_judged_and_reported(tmp_path):
    journey = {"ramp": 0.5, "run_in": 0.0, "judged_from": 130.0, "judged_to": 170.0, "stop": 180.0}
    result = scenarios.read("conductor-rail-120", changes={"journey": journey}).simulate()
    assert "wave_speed" not in result.attrs
    assert "static_messenger_z" not in result
    force = result["contact_force"].sel(time=slice(float(result["judged_from"][0]), None)).to_numpy()
    assert 60.0 < force.mean() < 110.0  # static force and lift of the air, 84 N
    page = report(result, tmp_path)
    assert "conductor rail" in page.read_text(encoding="utf-8")
