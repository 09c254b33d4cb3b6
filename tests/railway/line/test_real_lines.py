"""Curves, insulators and weather: what the rows of ``real-lines`` do not see."""

from dataclasses import replace

import numpy as np
import pytest

from panhead import validation
from panhead.errors import ModelError
from panhead.files import parse
from panhead.railway.line import (
    Conditions,
    InsulatorKind,
    Line,
    NeutralSection,
    SectionInsulator,
    Tensioning,
    TrackPoint,
    Wind,
    line_in,
    linear_line,
    read_line,
    string,
    wire_states,
)
from panhead.railway.line.wire_elements import wire_at
from panhead.runs.description import Journey, OnTrain, Run
from panhead.runs.simulate import simulate_one
from panhead.runs.sway import Sway

PLAIN = read_line("en50318-2002")
KIND = InsulatorKind(length=1.6, mass=4.0, bending_stiffness=2e3, depth=0.004, ramp=0.3)


def with_length(line, **changes):
    return replace(line, tension_lengths=(replace(line.tension_lengths[0], **changes),))


@pytest.mark.slow
def test_the_rows_hold():
    assert [check.quantity for check in validation.run("real-lines") if check.ok is False] == []


def test_level_track_is_no_track():
    """Equal to the last bit, and so is weather of the day the line was erected."""
    level = replace(PLAIN, alignment=(TrackPoint(at=0.0), TrackPoint(at=900.0, gradient=0.0)))
    a, b = (string(line).spans(string(line).layout.pieces[0])[4] for line in (PLAIN, level))
    assert np.array_equal(a.shape["contact"], b.shape["contact"])
    assert line_in(PLAIN, Conditions(temperature=10.0)) is PLAIN


def test_a_right_curve_mirrors_a_left_one():
    left, right = (string(replace(PLAIN, alignment=(TrackPoint(at=0.0, radius=r, cant=0.1),))) for r in (700.0, -700.0))
    a, b = (s.spans(s.layout.pieces[0])[5] for s in (left, right))
    for role in ("contact", "messenger"):
        np.testing.assert_allclose(a.shape[role][:, 2], -b.shape[role][:, 2], atol=1e-9)
        np.testing.assert_allclose(a.shape[role][:, 0], b.shape[role][:, 0], atol=1e-9)


def test_an_insulator_has_its_mass_and_its_runners():
    line = with_length(PLAIN, section_insulators=(SectionInsulator(position=277.0, kind=KIND),))
    bare, heavy = (linear_line(string(one), spans=(4, 5), element_length=0.1) for one in (PLAIN, line))
    dof = heavy.paths[0].dof_w
    assert heavy.M_diag[:, dof, dof].sum() > bare.M_diag[:, dof, dof].sum() + 1.0
    strung = string(line)
    drawn = strung.spans(strung.layout.pieces[0], element_length=0.1)[4]
    depth = drawn.shape["contact"][:, 0] - heavy.paths[0].z0
    inside = np.abs(heavy.x - 277.0) < 0.5
    np.testing.assert_allclose(depth[inside], 0.004, atol=1e-12)
    assert depth[np.abs(heavy.x - 277.0) > 0.81].max() == 0.0
    x = np.linspace(276.2, 276.5, 7)  # on the ramp: 3ξ² − 2ξ³ between stations too
    run_on = wire_at(x, heavy.x, heavy.paths[0].z0, heavy.paths[0].z0_x)
    hangs = wire_at(x, heavy.x, *drawn.shape["contact"][:, :2].T)
    xi = (x - 276.2) / 0.3
    np.testing.assert_allclose(hangs - run_on, 0.004 * xi**2 * (3 - 2 * xi), atol=1e-12)


def test_balanced_wires_keep_their_tension_until_the_weights_stop():
    wires = replace(PLAIN.wires, contact=replace(PLAIN.wires.contact, material="copper", area=150e-6))
    line = replace(PLAIN, wires=wires, tensioning=Tensioning(friction=0.03))
    row = {s.role: s for s in wire_states(line, Conditions(temperature=-20.0))}["contact"]
    assert row.tension == pytest.approx(1.03 * 20e3)
    far = 0.5 * 600.0
    assert row.travel == pytest.approx(-17e-6 * 30.0 * far)
    stopped = replace(line, tensioning=Tensioning(travel=0.5 * 17e-6 * 30.0 * far))
    row = next(s for s in wire_states(with_messenger(stopped), Conditions(temperature=-20.0)) if s.role == "contact")
    assert row.stopped
    assert row.tension == pytest.approx(20e3 + 120e9 * 150e-6 * 17e-6 * 15.0, rel=1e-9)


def with_messenger(line):
    messenger = replace(line.wires.messenger, material="bronze", area=120e-6)
    return replace(line, wires=replace(line.wires, messenger=messenger))


def test_a_tied_mast_lengthens_the_travel():
    tied = with_length(PLAIN, midpoint=2)
    travel = [wire_states(line, Conditions(temperature=40.0))[0].travel for line in (PLAIN, tied)]
    assert travel[1] / travel[0] == pytest.approx(8 / 5)


def test_what_cannot_be_is_refused_with_a_remedy():
    with pytest.raises(ModelError, match="axial_stiffness"):
        line_in(replace(PLAIN, tensioning=Tensioning(kind="fixed")), Conditions(temperature=0.0))
    hot = replace(with_messenger(PLAIN), tensioning=Tensioning(kind="fixed"))
    wires = replace(hot.wires, contact=replace(hot.wires.contact, material="copper", area=150e-6))
    with pytest.raises(ModelError, match=r"slack.*balanced"):
        line_in(replace(hot, wires=wires), Conditions(temperature=90.0))
    with pytest.raises(ModelError, match="no room for two insulators of"):
        NeutralSection(start=10.0, end=12.0, kind=KIND)
    with pytest.raises(ModelError, match="midpoint must be 1 … 9"):
        with_length(PLAIN, midpoint=10)
    with pytest.raises(ModelError, match="must increase"):
        replace(PLAIN, alignment=(TrackPoint(at=5.0), TrackPoint(at=5.0)))
    train = (OnTrain(pantograph="en50318-2002"),)
    curved = replace(PLAIN, alignment=(TrackPoint(at=0.0, radius=500.0),))
    with pytest.raises(ModelError, match="solver 'cables' does not support a curved"):
        simulate_one(Run(line=curved, train=train, speed=50.0, solver="cables"))
    gusty = Conditions(wind=Wind(speed=20.0, intensity=0.2))
    with pytest.raises(ModelError, match="lateral = true"):
        simulate_one(Run(line=PLAIN, train=train, speed=50.0, conditions=gusty))


def test_a_run_through_all_of_it_from_words():
    """−20 °C, ice, wind, a canted curve, a neutral section, a swaying head: through the door and judged."""
    plain = parse.to_plain(PLAIN)
    plain["alignment"] = [
        {"at": "150 m"},
        {"at": "210 m", "radius": "900 m", "cant": "90 mm"},
        {"at": "450 m", "radius": "900 m", "cant": "90 mm", "gradient": "0.4 %"},
    ]
    plain["tension_lengths"][0]["neutral_sections"] = [{"start": "280 m", "end": "300 m", "kind": parse.to_plain(KIND)}]
    plain["support"]["stagger"] = 0.0
    line = parse.build(Line, plain, source="words")
    weather = parse.build(
        Conditions, {"temperature": "-20 °C", "ice": "5 mm", "wind": {"speed": "-15 m/s"}}, source="words"
    )
    wide = {"pan_head": {"length": 2.2, "working_width": 1.6}}
    train = (OnTrain(pantograph="en50318-2002", changes=wide, sway=Sway()),)
    journey = Journey(stop=400.0, ramp=1.0, run_in=30.0)
    result = simulate_one(Run(line=line, train=train, speed=50.0, conditions=weather, journey=journey))
    inside = (result["contact_x"][0] > 215) & (result["contact_x"][0] < 395)
    hand = -0.2 * (50.0**2 / 900.0 / 9.81 - 0.09 / 1.5) * (5.08 - 0.5)
    np.testing.assert_allclose(result["head_y"][0][inside], hand, rtol=0.02)
    assert result["contact_y"][0][inside].max() > 0.3  # inside the chord, less the blow-off
