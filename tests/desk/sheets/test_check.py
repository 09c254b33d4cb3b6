"""``panhead line check`` against numbers by hand; every limit is broken once."""

import json
import math
from dataclasses import replace

import pytest
from railway.line.builders import (
    CONTACT,
    MESSENGER,
    POSITIONS,
    STAGGERED,
    ZIGZAG,
    bare_line,
    plain_line,
    with_tension_length,
)

from panhead.assess.criteria import Criterion
from panhead.assess.limits import editions
from panhead.desk.sheets.line_check import check_line
from panhead.errors import ModelError
from panhead.railway.line import (
    Dropper,
    DropperError,
    DropperKind,
    Line,
    Overlap,
    Span,
    Support,
    TensionLength,
    Wire,
    Wires,
    elasticity,
    string,
)
from panhead.railway.line.alignment import TrackPoint
from panhead.railway.line.line_files import read_line

FAST, SLOW = 300 / 3.6, 100 / 3.6


def found(line: Line, **options):
    """Quantity → its findings that are no notes."""
    check = check_line(line, **options)
    result: dict[str, list] = {}
    for finding in check.findings:
        if finding.level != "note":
            result.setdefault(finding.quantity, []).append(finding)
    return result


def test_a_line_in_order_has_nothing_but_notes():
    check = check_line(plain_line(support=STAGGERED, uplift_space=0.2), speed=250 / 3.6, wind=20.0)
    assert (list(check.findings), check.wrong) == ([], False)
    assert check.measured["stagger"] == (0.2, 0.2)
    assert check.measured["dropper_spacing"] == (5.5, 6.5)


def test_what_is_not_checked_is_told():
    check = check_line(plain_line())
    assert {(f.level, f.remedy.split(",")[0]) for f in check.findings} == {
        ("note", "give --speed"), ("note", "give --wind"), ("note", "set uplift_space"),
    }  # fmt: skip


def test_gradients_and_their_change_by_hand():
    """60 mm over the third span of 60 m is 1 ‰; before and after it the wire is level."""
    line = plain_line(height_profile=((120.0, 5.08), (180.0, 5.14)))
    assert "wire_gradient" not in found(line, speed=200 / 3.6)  # 2 ‰ allowed, change 1 ‰ too
    fast = found(line, speed=FAST)
    (gradient,) = fast["wire_gradient"]
    assert (gradient.place, gradient.x, gradient.level) == ("T, span 3", 150.0, "wrong")
    assert gradient.value == pytest.approx(1e-3, rel=1e-9)
    assert [f.place for f in fast["gradient_change"]] == ["mast T.mast3", "mast T.mast4"]
    at_250 = found(line, speed=250 / 3.6)  # 1 ‰ but only 0.5 ‰ of change
    assert "wire_gradient" not in at_250
    assert len(at_250["gradient_change"]) == 2
    ridge = plain_line(height_profile=((60.0, 5.08), (120.0, 5.14), (180.0, 5.08)))  # up by 1 ‰, down by 1 ‰
    assert check_line(ridge).measured["gradient_change"] == pytest.approx((0.0, 2e-3), rel=1e-9)


def test_blow_off_is_the_parabola_by_hand():
    """Of a wire without droppers: w ℓ²/8H with w = ½ ρ c d v², from either side of a straight wire."""
    line, wind = bare_line(), 30.0
    wire = line.wires.contact
    sag = 0.5 * 1.225 * wire.drag * wire.width * wind**2 * 60.0**2 / (8 * 20e3)
    assert check_line(line, wind=wind).measured["lateral"][1] == pytest.approx(sag, rel=1e-3)
    (worst, *_) = found(line, wind=wind, working_width=2 * sag - 0.01)["lateral"]
    assert (worst.status, worst.level, worst.x) == ("described", "wrong", 30.0)
    assert "lateral" not in found(line, wind=wind, working_width=2 * sag + 0.01)


def test_a_curve_bows_the_wire_inwards():
    """ℓ²/8R inside the chord: 0.45 m of a span of 60 m in a curve of 1000 m, more than the 0.4 m allowed.

    At each mast the wire turns by ℓ/R over an element of 1 m at most, which may take ℓ/R · 0.25 m/2 off: 1.7 %.
    """
    line = plain_line(alignment=(TrackPoint(at=0.0, radius=1000.0), TrackPoint(at=300.0, radius=1000.0)))
    worst = found(line)["lateral"][2]
    assert worst.value == pytest.approx(60.0**2 / 8 / 1000.0, rel=1.7e-2)
    assert worst.level == "wrong"


def test_wave_speed_and_room_for_uplift():
    slack = plain_line(wires=Wires(contact=replace(CONTACT, tension=8e3), messenger=MESSENGER), uplift_space=0.02)
    broken = found(slack, speed=FAST)
    assert broken["wave_speed_ratio"][0].value == pytest.approx(FAST / math.sqrt(8e3 / 1.35), rel=1e-12)
    uplift = broken["uplift_space_factor"]
    assert uplift[0].level == "wrong"
    force = 70.0 + 0.00097 * 300.0**2
    lift = elasticity(string(slack), span=2, points=2, force=force, element_length=0.5, around=2).value[0] * force
    assert uplift[1].value == pytest.approx(0.02 / lift, rel=1e-6)
    assert [f.place for f in uplift] == [f"mast T.mast{k}" for k in (2, 3, 4, 5)]


@pytest.mark.parametrize(
    ("quantity", "place", "level", "change"),
    [
        ("contact_height", "mast T.mast1", "wrong", {"contact_height": 4.9}),
        ("stagger", "mast T.mast1", "doubtful", {"support": Support(encumbrance=1.2, stagger=0.45)}),
        ("encumbrance", "mast T.mast1", "doubtful", {"support": Support(encumbrance=2.3)}),
        ("dropper_length", "T, span 1, dropper 5 at 30 m", "doubtful", {"support": Support(encumbrance=0.85)}),
    ],
)
def test_a_broken_limit_is_found_where_it_is(quantity, place, level, change):
    findings = found(plain_line(**change), speed=SLOW)[quantity]
    assert (findings[0].level, findings[0].remedy != "") == (level, True)
    assert place in [f.place for f in findings]


def test_droppers_too_far_apart_and_idle():
    gap = Span(length=60.0, dropper_positions=POSITIONS[:3] + POSITIONS[6:])
    spans = (
        Span(length=60.0, count=2, dropper_positions=POSITIONS),
        gap,
        Span(length=60.0, dropper_positions=(5, 5.4, 30, 55)),
    )
    slack = (DropperError(span=2, dropper=5, error=0.05),)
    broken = found(with_tension_length(plain_line(), spans=spans, dropper_errors=slack))
    assert "T, span 3, droppers at 17 and 43 m" in [f.place for f in broken["dropper_spacing"]]
    assert "T, span 4, droppers at 5 and 5.4 m" in [f.place for f in broken["dropper_spacing"]]
    (idle,) = [f for f in broken["dropper_load"] if f.value == 0.0]
    assert idle.place == "T, span 2, dropper 5 at 30 m"


def test_a_line_that_cannot_be_strung_is_a_finding_with_place_and_remedy():
    droppers = tuple(Dropper(position=x, sag=0.08 if x == 30.0 else 0.0) for x in POSITIONS)
    line = with_tension_length(plain_line(), spans=(Span(length=60.0, count=3, droppers=droppers),))
    (finding,) = found(line)["stringing"]
    assert finding.level == "wrong"
    assert finding.place.startswith("T, span ")
    assert "lower its neighbours" in finding.remedy
    sagging = plain_line(wires=Wires(contact=CONTACT, messenger=Wire(tension=5e3, mass_per_length=1.07)))
    assert "more tension" in found(sagging)["stringing"][0].remedy


def test_lifted_wires_are_out_of_reach(tmp_path):
    """At the anchors of an overlap the wire is 0.6 m higher and 0.2 m to the side: no head feels it."""
    from panhead.railway.line import read_line

    line = replace(read_line("overlaps-25kv"), uplift_space=None)
    check = check_line(line, speed=FAST)
    assert check.measured["wire_gradient"] == (0.0, 0.0)
    assert not check.wrong


def test_the_command_and_its_exit_codes(panhead, tmp_path):
    good = panhead(
        "line", "check", "stitched-25kv", "--speed", "250 km/h", "--wind", "26 m/s", "--pantograph", "dsa380"
    )
    assert (good.returncode, "0 wrong" in good.stdout) == (0, True), good.stderr
    bad = panhead("line", "check", "en50318-2002", "--speed", "380 km/h", "--json")
    assert bad.returncode == 3
    said = json.loads(bad.stdout)
    assert [f["quantity"] for f in said["findings"] if f["level"] == "wrong"] == ["wave_speed_ratio"]
    assert panhead("line", "check", "en50318-2002", "--speed", "fast").returncode == 2
    assert panhead("line", "check", "no-such-line").returncode == 2


def test_limits_of_ones_own(tmp_path):
    own = tmp_path / "mine.toml"
    own.write_text(
        'name = "ours"\nabout = "a"\n[[limit]]\nquantity = "stagger"\nbound = "upper"\nvalue = "150 mm"\n'
        'clause = "house rule"\nstatus = "recalled"\n'
    )
    (first, *_) = found(plain_line(support=STAGGERED), edition=str(own))["stagger"]
    assert (first.level, first.limit) == ("wrong", 0.15)


def test_a_limit_that_grows_with_the_speed_counts_at_that_speed(tmp_path):
    """0.15 m + 1e-6 m/(km/h)² · (300 km/h)² = 0.24 m; on the limit is within it, for a run's criteria too."""
    own = tmp_path / "own.toml"
    own.write_text(
        'name = "own"\nabout = "ours"\n[[limit]]\nquantity = "stagger"\nbound = "upper"\nvalue = "0.15 m"\n'
        'quadratic = 1e-6\nclause = "usual value"\nstatus = "usual"\n'
    )
    line = plain_line(support=STAGGERED)  # 0.2 m
    assert "stagger" not in found(line, speed=FAST, edition=str(own))
    (first, *_) = found(line, speed=SLOW, edition=str(own))["stagger"]
    assert first.limit == pytest.approx(0.16)
    assert "stagger" not in found(line, edition=str(own))  # without a speed it is no number
    exact = Criterion(key="stagger", name="", value=0.1 + 0.2, unit="m", limit=0.3)
    assert exact.verdict == "met"  # 0.30000000000000004


def overlapping(overlap: Overlap | None, **changes) -> Line:
    """Two tension lengths of seven spans."""
    one = TensionLength(name="A", spans=(Span(length=60.0, count=7, dropper_positions=POSITIONS),), overlap=overlap)
    return plain_line(tension_lengths=(one, replace(one, name="B", overlap=None)), support=STAGGERED, **changes)


def test_a_forgotten_overlap_is_wrong():
    """Seven spans of 60 m end at 420 m."""
    (broken,) = found(overlapping(None))["overlap"]
    assert (broken.level, broken.x, broken.place) == ("wrong", 420.0, "A and B")
    assert "overlap" not in found(overlapping(Overlap()))


def test_wires_of_an_overlap_keep_apart():
    """0.4 m as drawn; at 0 mm they would rub; in the middle span both run level beside each other."""
    drawn = check_line(overlapping(Overlap(separation=0.4)))
    assert drawn.measured["overlap_separation"] == pytest.approx((0.4, 0.4), abs=1e-6)
    (touching,) = found(overlapping(Overlap(separation=0.0)))["overlap_separation"]
    assert (touching.level, touching.value) == ("doubtful", pytest.approx(0.0, abs=1e-6))


@pytest.mark.parametrize(("supply", "least"), [("25 kV AC", 0.27), ("15 kV AC", 0.15), ("1.5 kV DC", 0.1)])
def test_an_insulated_overlap_keeps_its_clearance(supply, least):
    """Level beside each other: the clearance is the separation; that it is insulated must be said."""
    close = overlapping(Overlap(separation=0.09, insulated=True), supply=supply)
    broken = found(close)["overlap_clearance"]
    assert {f.level for f in broken} == {"wrong"}
    assert min(f.value for f in broken) == pytest.approx(0.09, abs=1e-3)
    assert broken[0].limit == least
    assert "overlap_clearance" not in found(overlapping(Overlap(separation=0.45, insulated=True), supply=supply))
    assert "overlap_clearance" not in found(overlapping(Overlap(separation=0.09, insulated=False), supply=supply))
    notes = {f.quantity for f in check_line(overlapping(Overlap(), supply=supply)).findings if f.level == "note"}
    assert "overlap_clearance" in notes


def test_the_pull_of_a_steady_arm_by_hand():
    """A wire that turns from −2 s/ℓ to +2 s/ℓ pulls with 4 H s/ℓ, 267 N at 0.2 m; 2 %: it bends round the clamp.

    The messenger is over it, so that droppers hang upright and pull nowhere.
    """
    above = replace(ZIGZAG, messenger_stagger=0.2)
    pull = 4 * 20e3 * 0.2 / 60.0
    assert check_line(plain_line(support=above)).measured["steady_arm_pull"] == pytest.approx((pull, pull), rel=0.02)
    slack, taut = (found(plain_line(support=replace(ZIGZAG, stagger=s)))["steady_arm_pull"] for s in (0.01, 2.0))
    assert {(f.level, f.limit) for f in slack} == {("doubtful", 80.0)}
    assert {(f.level, f.limit) for f in taut} == {("doubtful", 2500.0)}


def test_what_a_line_leaves_out_is_doubtful():
    bare = Wires(contact=Wire(tension=20e3, mass_per_length=1.35), messenger=MESSENGER)
    told = found(plain_line(wires=bare, dropper=DropperKind(stiffness=1e5)))["assumption"]
    places = {f.place for f in told}
    assert places == {"wires.contact", "dropper"}
    words = " ".join(f.words for f in told)
    for key in ("mass_damping and stiffness_damping", "bending_stiffness", "bottom_clamp_mass"):
        assert key in words
    assert words.count("0 is assumed") == 3


@pytest.mark.parametrize("edition", editions())
def test_no_table_passes_a_speed_above_the_waves(edition):
    """√(20 kN/1.35 kg/m) = 438 km/h: at 450 km/h wrong, whatever limits are chosen; 0.7 of it counts where none is."""
    (fast,) = found(plain_line(), speed=450 / 3.6, edition=edition)["wave_speed_ratio"]
    assert (fast.level, fast.limit) == ("wrong", 0.7)
    assert fast.value == pytest.approx(450 / 3.6 / math.sqrt(20e3 / 1.35))
    assert "wave_speed_ratio" not in found(plain_line(), speed=300 / 3.6, edition=edition)


def test_no_table_allows_more_than_the_waves(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text(
        'name = "own"\nabout = "x"\n'
        '[[limit]]\nquantity = "wave_speed_ratio"\nbound = "upper"\nvalue = 7.0\nclause = "a slip"\nstatus = "quoted"\n'
    )
    (fast,) = found(plain_line(), speed=450 / 3.6, edition=str(own))["wave_speed_ratio"]
    assert (fast.level, fast.limit) == ("wrong", 1.0)


def test_what_the_table_has_no_limit_of_is_told():
    check = check_line(plain_line(), speed=FAST, edition="en50119-2020")
    (note,) = [f for f in check.findings if f.quantity == "limits"]
    assert "stagger" in note.words
    assert "line-geometry" in note.remedy
    assert not [f for f in check_line(plain_line()).findings if f.quantity == "limits"]


def test_a_conductor_rail_has_no_wave_speed_and_that_is_told():
    check = check_line(read_line("conductor-rail"), speed=120 / 3.6)
    assert [f.level for f in check.findings if f.quantity == "wave_speed_ratio"] == ["note"]


def test_a_speed_that_no_train_has_is_refused():
    with pytest.raises(ModelError, match=r"at most 1000 m/s, got 1e\+29 m/s"):
        check_line(plain_line(), speed=1e29)


def test_a_supply_that_nobody_named_is_doubtful():
    """Limits of the force depend on it: 25 kV AC is taken, and that is told with all there are."""
    (told,) = found(replace(plain_line(), supply=Line.__dataclass_fields__["supply"].default))["assumption"]
    assert "supply left out: 25 kV AC is assumed" in told.words
    assert "3 kV DC" in told.remedy
    assert "assumption" not in found(plain_line())
