"""Contact wires without messenger, rails that meet lines, wires of two tracks: closed forms of strings and geometry."""

import math
from dataclasses import replace

import numpy as np
import pytest

from panhead.errors import ModelError
from panhead.railway.line import Overlap, Span, Support, TensionLength, Wire, Wires, elasticity, read_line, string
from panhead.railway.line.cross_span import CrossSpan
from panhead.railway.line.line_description import Line
from panhead.railway.line.touched_wire import shared_force, touched_sections
from panhead.railway.line.two_track_wires import TrackCrossing, wire_passage

WIRE = Wire(tension=10e3, mass_per_length=1.07, mass_damping=0.1, stiffness_damping=0.0)
ROPE = CrossSpan(tension=3e3, left=8.0, right=8.0, mass_per_length=0.3)
SPAN = 30.0
G = 9.81
SAG = WIRE.mu * G * SPAN**2 / (8 * WIRE.tension)


def tram(spans=24, support=None, **changes):
    """A tram's contact wire under cross-spans of 16 m every 30 m, 5.5 m high."""
    length = TensionLength(name="A", spans=(Span(length=SPAN, count=spans),))
    hung = support or Support(encumbrance=0.5, cross_span=ROPE)
    values = {"name": "tram", "wires": Wires(contact=WIRE), "support": hung, "tension_lengths": (length,)}
    return Line(**(values | {"contact_height": 5.5, "gravity": G, "supply": "1.5 kV DC"} | changes))


def test_the_wire_hangs_as_a_parabola():
    """Sag μ g L²/8H between supports; the catenary is longer by (μgL/H)²/24 = 4e-5 of it.

    Smooth elements round the kink over a support off, by 0.2 of an element's share of the span: hence short ones.
    """
    strung = string(tram(8))
    span = strung.spans(strung.layout.pieces[0], element_length=0.05)[4]
    assert 5.5 - span.shape["contact"][:, 0].min() == pytest.approx(SAG, rel=1e-3)
    assert span.reaction["contact"][0, 0] == pytest.approx(WIRE.mu * G * SPAN, rel=1e-3)


def test_a_cross_span_is_a_taut_rope():
    """By energy: ½ k w₀² is T times what the triangle is longer than a straight rope; m = ∫ μ w²."""
    rope = CrossSpan(tension=2500.0, left=5.0, right=11.0, mass_per_length=0.4)
    longer = sum(math.hypot(length, 1e-3) - length for length in (5.0, 11.0))
    assert 0.5 * rope.stiffness * 1e-6 == pytest.approx(2500.0 * longer, rel=1e-4)
    shape = np.concatenate([np.linspace(0, 1, 5001), np.linspace(1, 0, 11001)[1:]])
    assert rope.moving_mass == pytest.approx(0.4 * np.trapezoid(shape**2, dx=1e-3), rel=1e-6)


def test_it_yields_as_a_string_on_springs():
    """A string of tension H on springs k every L: u₀ = F/√(k² + 4kH/L) under a support's force.

    At mid-span L/4H is added to half of what the two supports beside it give; r is how much of a support's yield its
    neighbour has. Ten spans on either side: r¹⁰ < 1e-4.
    """
    k, a = ROPE.stiffness, WIRE.tension / SPAN
    at_support = 1.0 / math.sqrt(k * k + 4.0 * k * a)
    r = (2.0 * a + k - math.sqrt(k * k + 4.0 * k * a)) / (2.0 * a)
    found = elasticity(string(tram()), points=3, around=10).value
    assert found[0] == pytest.approx(at_support, rel=2e-3)
    assert found[1] == pytest.approx(SPAN / (4.0 * WIRE.tension) + 0.5 * (1.0 + r) * at_support, rel=2e-3)


def test_two_trolley_wires_overlap():
    """Both rise by `lift` over the middle span, one up, one down: they cross at mid-span at h + lift/2 − sag."""
    lengths = tuple(
        TensionLength(name=name, spans=(Span(length=SPAN, count=8),), overlap=Overlap(spans=3, lift=0.06, end_lift=0.3))
        for name in "AB"
    )
    strung = string(tram(tension_lengths=lengths))
    first, second = touched_sections(strung)
    middle = 6.5 * SPAN  # spans 5, 6 and 7 are shared
    assert (first.tension_length, second.tension_length) == ("A", "B")
    assert first.end == second.begin == pytest.approx(middle, abs=0.05)
    for piece in strung.layout.pieces:
        shape = strung.span(piece, 6, element_length=0.25)
        z = np.interp(0.5 * SPAN, shape.mesh.x, shape.shape["contact"][:, 0])
        assert z == pytest.approx(5.5 + 0.03 - SAG, abs=1e-3)


def transition(lift=0.06):
    """A rail whose end rises beside the first spans of a line: short spans where both have the same masts."""
    rail = read_line("conductor-rail")
    line = read_line("en50318-2002")
    lengths = (
        TensionLength(
            name="rail", spans=(Span(length=10.0, count=20),), overlap=Overlap(spans=3, lift=lift, end_lift=0.15)
        ),
        TensionLength(
            name="wires", wires=line.wires,
            spans=(Span(length=10.0, count=3), Span(length=50.0, count=5, dropper_count=8)),
        ),
    )  # fmt: skip
    held = Support(encumbrance=0.6, contact_stiffness=1e6)
    carried = tuple({"at": k, "support": "line"} for k in range(9))
    lengths = (lengths[0], replace(lengths[1], masts=tuple(map(mast, carried))))
    return replace(
        rail, name="transition", support=held, support_kinds={"line": Support(encumbrance=0.6)}, dropper=line.dropper,
        tension_lengths=lengths, contact_height=5.0,
    )  # fmt: skip


def mast(given):
    from panhead.railway.line import Mast

    return Mast(**given)


def test_from_the_rail_to_the_line():
    """The head leaves the rail in the three shared spans, 170 to 200 m from the rail's begin.

    The wires begin without droppers there, so that the contact wire comes down from its anchor in one curve.
    """
    strung = string(transition())
    sections = touched_sections(strung)
    assert [s.tension_length for s in sections] == ["rail", "wires"]
    assert 170.0 < sections[0].end < 200.0
    with pytest.raises(ModelError, match="must carry the wire or rail"):
        replace(transition(), support=Support(encumbrance=0.6))


def test_a_force_is_shared_as_by_two_springs():
    """By hand: 1 mm/N and 2 mm/N, 100 N: the second wire is touched from 100 mm on; at 40 mm it takes 20 N."""
    gaps = np.array([np.inf, 0.1, 0.04, 0.0, -0.2, -0.5])
    height, one, two = shared_force(100.0, gaps, np.full(6, 1e-3), np.full(6, 2e-3))
    np.testing.assert_allclose(one, [100.0, 100.0, 80.0, 200 / 3, 0.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(one + two, 100.0, atol=1e-9)
    np.testing.assert_allclose(height[2], 0.08)


@pytest.fixture(scope="module")
def crossed():
    """Two tram tracks that cross at 30° at mid-span; the second wire 50 mm higher."""
    first, second = string(tram()), string(tram(contact_height=5.55))
    at = 12.5 * SPAN
    return lambda force, **more: wire_passage(
        first, second, TrackCrossing(**({"at": at, "other_at": at, "angle": math.radians(30.0)} | more)), force
    )


def test_wires_that_cross(crossed):
    """In reach while |s sin α| ≤ 0.725 m, so x within ±0.725/tan 30° = 1.26 m; both sag alike: the gap is 50 mm."""
    found = crossed(60.0)
    at = 12.5 * SPAN
    assert found.crossing == pytest.approx(at, abs=0.01)
    assert (found.x[0] - at, found.x[-1] - at) == pytest.approx((-1.26, 1.26), abs=0.1)
    assert found.gap == pytest.approx(0.05, abs=1e-3)


def test_the_second_wire_is_lifted_by_what_is_left(crossed):
    """e F of one wire over the gap: untouched below F = gap/e; above, by symmetry e₁ = e₂, lift₂ = (e F − gap)/2."""
    e = float(elasticity(string(tram()), span=12, points=13).value[6])
    assert crossed(0.9 * 0.05 / e).touched is None
    found = crossed(2.0 * 0.05 / e)
    middle = int(np.argmin(np.abs(found.x - 12.5 * SPAN)))
    assert found.touched is not None
    assert found.lift_second[middle] == pytest.approx(0.5 * 0.05, rel=0.02)
    np.testing.assert_allclose(found.force_first + found.force_second, 2.0 * 0.05 / e)


def test_a_turnout_comes_from_the_side(crossed):
    """At 2° and 2 m to the left: the wire is in reach from d + s sin α = ±0.725 m, 36.5 to 78 m before."""
    found = crossed(60.0, angle=math.radians(2.0), offset=2.0)
    near, far = ((2.0 - y) / math.sin(math.radians(2.0)) for y in (0.725, -0.725))
    assert 12.5 * SPAN - found.x[-1] == pytest.approx(near, abs=0.2)
    assert 12.5 * SPAN - found.x[0] == pytest.approx(far, abs=0.2)
    with pytest.raises(ModelError, match="does not come within"):
        crossed(60.0, angle=0.0, offset=2.0)


@pytest.mark.parametrize(("gap", "first"), [(-0.01, 0.0), (0.0, 50.0), (0.01, 100.0)])
def test_two_wires_that_do_not_yield(gap, first):
    """At fixed ends of both wires the lower one carries all, equally high ones half each."""
    _, one, two = shared_force(100.0, np.array([gap]), np.zeros(1), np.zeros(1))
    assert (one[0], two[0]) == pytest.approx((first, 100.0 - first))


def test_an_angle_without_its_unit_is_refused(crossed):
    """6 rad is 344°."""
    with pytest.raises(ModelError, match=r"343\.775° .* beyond 90°; give the acute"):
        crossed(60.0, angle=6.0)


def test_a_tram_runs_under_it():
    """At 50 km/h, far below the waves' 348 km/h: the mean force is the static one, to 5 % over seven spans."""
    from panhead.runs.description import Journey, OnTrain, Run
    from panhead.runs.simulate import simulate

    journey = Journey(start=50.0, stop=400.0, judged_from=150.0, judged_to=360.0, ramp=2.0)
    line = tram(15, wires=Wires(contact=replace(WIRE, bending_stiffness=100.0)))
    found = simulate(Run(line=line, train=(OnTrain(pantograph="en50318-2002"),), speed=50 / 3.6, journey=journey))
    x, force = (found[name].to_numpy()[0] for name in ("contact_x", "contact_force"))
    inside = (x > 150.0) & (x < 360.0)
    assert force[inside].mean() == pytest.approx(120.0, rel=0.05)
    assert force[inside].min() > 0.0


def test_the_commands(panhead, tmp_path):
    """A new trolley line is in order, and its wire crosses that of another track 60 mm higher."""
    assert (
        panhead(
            "new", "line", "tram", "--type", "trolley", "--yes", "--rope", "16 m", "--rope-tension", "3 kN"
        ).returncode
        == 0
    )
    assert panhead("new", "line", "depot", "--type", "trolley", "--yes", "--height", "5.56 m").returncode == 0
    assert panhead("line", "draw", "tram.toml", "--out", "d").returncode == 0
    assert "no messenger" in (tmp_path / "d" / "tram-1.svg").read_text()
    words = ("--at", "255 m", "--other-at", "255 m", "--angle", "30 deg", "--offset", "0 m", "--force", "100 N")
    said = panhead("line", "crossing", "tram.toml", "depot.toml", *words, "--pantograph", "dsa380", "--out", "c.csv")
    assert said.returncode == 0, said.stderr
    told = " ".join(said.stdout.split())
    assert "The wires cross at 255.0 m; at rest the second is 60 mm above the first" in told
    assert "The second wire is touched from" in told
    assert (tmp_path / "c.csv").read_text(encoding="utf-8-sig").startswith("chainage,km,second_wire_across")
