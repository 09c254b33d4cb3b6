"""Lines in words: files and objects are the same, and nonsense is refused by name."""

import tomllib
from dataclasses import replace

import pytest

from panhead.errors import FileError, ModelError
from panhead.files import parse
from panhead.railway.line import (
    Dropper,
    DropperError,
    HardSpot,
    Line,
    Mast,
    Overlap,
    Span,
    SteadyArm,
    Stitch,
    Support,
    TensionLength,
    Wire,
    Wires,
    WornSection,
    read_line,
    shipped_lines,
    with_contact_tension,
    with_dropper_errors,
    with_presag,
)
from panhead.railway.line.layout import Layout
from railway.line.builders import CONTACT, MESSENGER, plain_line, with_tension_length

SHORT = """
name = "short"
contact_height = "5.08 m"
height_profile = [[0, "5.08 m"], ["120 m", "5080 mm"]]
[wires.contact]
tension = "20 kN"
mass_per_length = "1.35 kg/m"
bending_stiffness = 195
[wires.messenger]
tension = "16 kN"
mass_per_length = "1.07 kg/m"
bending_stiffness = "131.7 N*m**2"
[dropper]
stiffness = "100 kN/m"
[support]
encumbrance = "1.2 m"
stagger = "20 cm"
[[tension_lengths]]
name = "T"
spans = [{ length = "60 m", count = 3, dropper_count = 2 }, { length = 50 }]
"""


def build(text: str) -> Line:
    return parse.build(Line, tomllib.loads(text), source="line.toml")


@pytest.mark.parametrize("name", shipped_lines())
def test_shipped_lines_round_trip_and_say_where_their_numbers_come_from(name):
    line = read_line(name)
    assert build(parse.write_toml(line)) == line
    assert line.sources


def test_every_field_round_trips():
    arm = SteadyArm(length=1.0, mass=1.5, rise=0.03, damping=5.0)
    support = Support(encumbrance=1.4, stagger=0.2, steady_arm=arm, messenger_stiffness=5e5)
    line = with_tension_length(
        plain_line(),
        masts=(Mast(at=-1, name="end", lift=0.1, stagger=0.0, support=support),),
        dropper_errors=(DropperError(span=2, dropper=3, error=-0.004),),
        worn_sections=(WornSection(start=10.0, end=75.0, remaining=0.85),),
        hard_spots=(HardSpot(position=100.0, mass=1.2),),
        overlap=Overlap(spans=3),
        repeat=2,
    )
    assert build(parse.write_toml(line)) == line


def test_units_in_a_file_are_the_numbers_of_the_objects():
    line = build(SHORT)
    assert line.wires == Wires(contact=CONTACT, messenger=MESSENGER)
    assert line.support.stagger == 0.2
    assert line.height_profile == ((0.0, 5.08), (120.0, 5.08))
    assert Layout(line).mast_x.tolist() == [0.0, 60.0, 120.0, 180.0, 230.0]


def test_three_ways_to_write_the_same_droppers():
    spans = (
        Span(length=60.0, dropper_count=2),
        Span(length=60.0, dropper_positions=(20.0, 40.0)),
        Span(length=60.0, droppers=(Dropper(position=20.0), Dropper(position=40.0))),
        Span(kind="usual"),
    )
    kinds = {"usual": spans[1]}
    plans = []
    for span in spans:
        tension_lengths = (TensionLength(name="T", spans=(span,)),)
        layout = Layout(plain_line(tension_lengths=tension_lengths, span_kinds=kinds))
        plans.append(layout.plan(layout.pieces[0], 0))
    assert plans[0] == plans[1] == plans[2] == plans[3]


def test_a_count_in_a_kind_of_span_is_refused():
    """It would be ignored: three spans wanted, one strung."""
    kinds = {"usual": Span(length=60.0, count=3, dropper_count=2)}
    with pytest.raises(ModelError, match="span kind 'usual' has count = 3"):
        plain_line(tension_lengths=(TensionLength(name="T", spans=(Span(kind="usual"),)),), span_kinds=kinds)


def test_a_wire_by_material_is_a_wire_by_mass():
    """Copper of 100 mm²: 8890 kg/m³ · 1e-4 m²; EI of a solid round section is E A²/4π."""
    wire = Wire(tension=1e4, material="copper", area=100e-6)
    assert wire.mu == pytest.approx(0.889)
    assert pytest.approx(12e6) == wire.EA
    assert pytest.approx(120e9 * 1e-8 / (4 * 3.141592653589793)) == wire.EI
    assert pytest.approx(wire.EI) == Wire(tension=1e4, material="copper", area=100e-6, strands=19).EI * 19


def test_equal_spans_have_equal_plans_and_different_ones_do_not():
    line = plain_line(spans=6, support=Support(encumbrance=1.2, stagger=0.2))
    layout = Layout(with_tension_length(line, hard_spots=(HardSpot(position=150.0, mass=1.0),)))
    plans = [layout.plan(layout.pieces[0], k) for k in range(6)]
    assert plans[1] == plans[3]  # stagger alternates
    assert plans[1] != plans[4]
    assert plans[2] != plans[4]  # the hard spot


def test_copies_change_what_they_say_and_nothing_else():
    line = plain_line()
    assert with_presag(line, 0.03) == replace(line, presag=0.03)
    assert with_contact_tension(line, 25e3).wires.contact.tension == 25e3
    noisy = with_dropper_errors(with_tension_length(line, repeat=2), deviation=0.005, seed=1)
    errors = [e.error for tl in noisy.tension_lengths for e in tl.dropper_errors]
    assert len(errors) == len(set(errors)) == 2 * 5 * 9
    assert noisy == with_dropper_errors(with_tension_length(line, repeat=2), deviation=0.005, seed=1)
    assert 0.003 < (sum(e**2 for e in errors) / len(errors)) ** 0.5 < 0.007


WRONG = {
    "dropper outside": (lambda: Span(length=60.0, dropper_positions=(5.0, 61.0)), "dropper 2 at 61 m lies outside"),
    "dropper at the mast": (lambda: Span(length=60.0, dropper_positions=(0.0,)), "outside"),
    "dropper twice": (
        lambda: Span(length=60.0, dropper_positions=(5.0, 9.0, 5.0)),
        "dropper 3 is in the same place as dropper 1",
    ),
    "NaN position": (lambda: Span(length=60.0, dropper_positions=(float("nan"),)), "outside"),
    "only a conductor rail": (lambda: Wire(tension=0.0, mass_per_length=1.0), "only a conductor rail"),
    "negative tension": (lambda: Wire(tension=-5.0, mass_per_length=1.0), "tension"),
    "NaN tension": (lambda: Wire(tension=float("nan"), mass_per_length=1.0), "tension"),
    "NaN mass": (lambda: Wire(tension=1.0, mass_per_length=float("nan")), "mass_per_length"),
    "massless wire": (lambda: Wire(tension=1.0), "mass_per_length, or material and area"),
    "unknown material": (lambda: Wire(tension=1.0, material="gold", area=1e-4), "'gold'"),
    "messenger below": (lambda: Support(encumbrance=-0.1), "cross"),
    "stitch too tight": (
        lambda: Wires(contact=CONTACT, messenger=MESSENGER, stitch=Stitch(wire=MESSENGER, reach=7.0)),
        "stitch",
    ),
    "stitch too long": (
        lambda: plain_line(
            spans=3,
            wires=Wires(
                contact=CONTACT, messenger=MESSENGER, stitch=Stitch(wire=replace(MESSENGER, tension=3e3), reach=31.0)
            ),
        ),
        "two reaches of 31 m",
    ),
    "NaN sag": (lambda: Dropper(position=3.0, sag=float("nan")), "sag must be finite"),
    "NaN stagger": (lambda: Support(encumbrance=1.2, stagger=float("nan")), "stagger"),
    "NaN mast": (lambda: Mast(at=0, lift=float("nan")), "lift"),
    "NaN pre-sag": (lambda: plain_line(presag=float("nan")), "presag"),
    "NaN profile": (lambda: plain_line(height_profile=((0.0, float("nan")),)), "height_profile"),
    "no spans": (lambda: TensionLength(name="T7", spans=()), "'T7'"),
    "same name twice": (
        lambda: plain_line(tension_lengths=plain_line().tension_lengths * 2),
        "two tension lengths have the name 'T'",
    ),
    "length and sag": (lambda: Dropper(position=3.0, length=1.0, sag=0.1), "give only one of length, sag"),
    "overlap longer than its tension length": (
        lambda: with_tension_length(plain_line(spans=2), repeat=2, overlap=Overlap(spans=3)),
        "its 2 spans are too few for overlaps of 3 spans",
    ),
    "span without length": (lambda: Span(dropper_count=3), "length"),
    "span with two lists": (lambda: Span(length=60.0, dropper_count=3, dropper_positions=(5.0,)), "one of"),
    "unknown kind": (lambda: with_tension_length(plain_line(), spans=(Span(kind="odd"),)), "'odd'"),
    "no such mast": (lambda: with_tension_length(plain_line(), masts=(Mast(at=9),)), "mast 9"),
    "mast twice": (lambda: with_tension_length(plain_line(), masts=(Mast(at=5), Mast(at=-1))), "twice"),
    "no such dropper": (
        lambda: with_tension_length(plain_line(), dropper_errors=(DropperError(span=2, dropper=12, error=0.01),)),
        "dropper 12 of span 2",
    ),
    "wear beyond": (
        lambda: with_tension_length(plain_line(), worn_sections=(WornSection(start=10.0, end=999.0, remaining=0.8),)),
        "999 m",
    ),
    "overlap too long": (
        lambda: with_tension_length(plain_line(), repeat=3, overlap=Overlap(spans=3)),
        "overlaps of 6 spans",
    ),
    "overlapping masts differ": (
        lambda: plain_line(
            tension_lengths=(
                TensionLength(spans=(Span(length=60.0, count=4),), overlap=Overlap(spans=3)),
                TensionLength(spans=(Span(length=50.0, count=4),)),
            )
        ),
        "same masts",
    ),
    "profile runs back": (lambda: plain_line(height_profile=((0.0, 5.0), (100.0, 5.2), (90.0, 5.1))), "must increase"),
    "left of one wire": (
        lambda: with_tension_length(
            plain_line(), spans=(Span(length=60.0, droppers=(Dropper(position=5.0, wire="left"),)),)
        ),
        "left",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_nonsense_is_refused_by_name(what):
    make, message = WRONG[what]
    with pytest.raises(ModelError, match=message):
        make()


BAD_TEXT = {
    "unknown key": ("stagger = ", "staggr = ", "support.staggr: unknown key"),
    "wrong dimension": ('"20 kN"', '"20 kg"', "wires.contact.tension"),
    "missing": ('encumbrance = "1.2 m"', "", "support.encumbrance: required"),
    "slack in a file": ('"20 kN"', "0", "wires.contact.*conductor rail"),
    "dropper outside in a file": (
        "dropper_count = 2",
        "dropper_positions = [5, 70]",
        "tension_lengths.0.spans.0.*dropper 2 at 70 m",
    ),
}


@pytest.mark.parametrize("what", BAD_TEXT)
def test_a_wrong_file_names_the_field(what):
    old, new, message = BAD_TEXT[what]
    assert old in SHORT
    with pytest.raises(FileError, match=message):
        build(SHORT.replace(old, new))


def test_an_unknown_name_lists_what_is_shipped():
    with pytest.raises(FileError, match="en50318-2002"):
        read_line("en50319")
