"""What a run says of its parts: what a file leaves out, numbers nobody has, and an overlap that was forgotten."""

import json
from dataclasses import replace

import pytest

from panhead.errors import ModelError, RunWarning
from panhead.files import parse
from panhead.railway.line import Line, read_line
from panhead.railway.pantograph.lumped_pantograph import Stage, read_pantograph
from panhead.runs.cables.cables_options import HeadLaw
from panhead.runs.cables.field_damper import FieldDamper
from panhead.runs.description import ContactLaw, Journey, OnTrain, Run
from panhead.runs.hertz import HertzContact
from panhead.runs.input_warnings import law_warnings
from panhead.runs.resolve import resolve
from panhead.runs.static_force_search import static_forces, with_mean_forces

PANTOGRAPH = "en50318-2002"
LONG = Journey(judged_from=340.0, judged_to=440.0, stop=480.0)
FILE = """
name = "short file"
[wires.contact]
tension = "20 kN"
mass_per_length = "1.35 kg/m"
[wires.messenger]
tension = "16 kN"
mass_per_length = "1.07 kg/m"
bending_stiffness = "131.7 N*m**2"
mass_damping = "0.0125 1/s"
[dropper]
stiffness = "100 kN/m"
mass_per_length = "0.1 kg/m"
[support]
encumbrance = "1.2 m"
[[tension_lengths]]
spans = [{ length = "60 m", count = 10, dropper_count = 9 }]
"""


def run(line, **changes) -> Run:
    given = {
        "line": line, "train": (OnTrain(pantograph=PANTOGRAPH),), "speed": 250 / 3.6,
        "journey": Journey(judged_from=320.0, judged_to=440.0, stop=480.0),
    }  # fmt: skip
    return Run(**(given | changes))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"contact": ContactLaw(kind="lankarani-nikravesh", hertz=HertzContact(wire_radius=6.0))}, "wire_radius 6 m"),
        ({"contact": ContactLaw(kind="lankarani-nikravesh", hertz=HertzContact(strip_young=12e3))}, "strip_young"),
        ({"contact": ContactLaw(stiffness=50.0)}, "stiffness 50 N/m"),
        ({"control": HeadLaw(kind="derivative", device=FieldDamper(yield_force=300e3))}, "yield_force 300 kN"),
        ({"control": HeadLaw(kind="derivative", device=FieldDamper(time=5.0))}, "time 5 s"),
    ],
)
def test_a_slipped_unit_of_a_law_is_named(changes, words):
    """Millimetres as metres, kN/mm² as kPa, kN/m as N/m, N as kN, ms as s; the defaults are plausible."""
    (told,) = law_warnings(run("en50318-2002", **changes))
    assert words in told
    assert "check its unit" in told
    hertz = ContactLaw(kind="lankarani-nikravesh", hertz=HertzContact())
    usual = run("en50318-2002", contact=hertz, control=HeadLaw(kind="derivative", device=FieldDamper()))
    assert not list(law_warnings(usual))


def test_a_mean_force_that_no_static_force_gives_is_named():
    """The aerodynamic force alone gives 50 N: a mean of 20 N would need −30 N."""
    asked = run("en50318-2002", train=(OnTrain(pantograph=PANTOGRAPH, mean_force=20.0),))
    with pytest.raises(ModelError, match=r"mean_force: a mean of 20 N would need a static force of -30 N"):
        with_mean_forces(asked, lambda tried: static_forces(tried) + 50.0)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "line.toml"
    path.write_text(FILE)
    return str(path)


def test_what_a_file_leaves_out_is_named_with_the_value_taken(file):
    """Of the messenger one kind of damping is given: that it has no other is no omission."""
    with pytest.warns(RunWarning, match="left out: 0 is assumed"):
        resolved = resolve(run(file))
    told = [words for words in resolved.warnings if "assumed" in words]
    assert [words.partition(" left out")[0] for words in told] == [
        "line 'short file', wires.contact: mass_damping and stiffness_damping",
        "line 'short file', dropper: top_clamp_mass and bottom_clamp_mass",
        "line 'short file', wires.contact: bending_stiffness",
        "line 'short file', supply: supply",
    ]
    assert json.loads(resolved.attributes()["warnings"]) == list(resolved.warnings)  # what the page shows


def test_what_is_written_as_zero_is_meant(file):
    zeros = {
        "wires": {"contact": {"mass_damping": 0.0, "stiffness_damping": 0.0, "bending_stiffness": 0.0}},
        "dropper": {"top_clamp_mass": "0 kg", "bottom_clamp_mass": 0.0},
        "supply": "25 kV AC",
    }
    assert not any("assumed" in words for words in resolve(run(file, line_changes=zeros)).warnings)


def test_an_omission_stays_one_through_files_changes_and_weather(file):
    """A line from Python, written out, read again, with changes, in wind: nobody has written the damping yet."""
    from panhead.railway.line.conditions import Conditions, Wind

    line = read_line(file)
    again = parse.build(Line, parse.to_plain(line), source="again")
    assert again == line
    for described, changes in (
        (line, {}),
        (again, {}),
        (line, {"line_changes": {"contact_height": 5.3}}),
        (replace(line, wires=replace(line.wires, contact=replace(line.wires.contact, tension=21e3))), {}),
        (line, {"conditions": Conditions(wind=Wind(speed=10.0)), "lateral": True}),
    ):
        assert sum("assumed" in words for words in resolve(run(described, **changes)).warnings) == 4


def test_a_forgotten_overlap_is_said_where_it_is_passed():
    """The wires of two tension lengths of five spans of 60 m end in one point, at 300 m."""
    whole = read_line("en50318-2002")
    half = replace(whole.tension_lengths[0], spans=(replace(whole.tension_lengths[0].spans[0], count=5),))
    broken = replace(whole, tension_lengths=(half, replace(half, name="T2")))
    with pytest.warns(RunWarning, match=r"'T1' ends and 'T2' begins at 300 m without an overlap.*overlap"):
        resolve(run(broken))
    short = Journey(start=30.0, ramp=0.2, run_in=20.0, judged_from=120.0, judged_to=180.0, stop=240.0)
    assert resolve(run(broken, journey=short)).warnings == ()  # it is not passed


def test_a_pantograph_without_any_damping_and_one_of_tons_are_told():
    """Of several equal pantographs once."""
    chain = read_pantograph(PANTOGRAPH)
    silent = replace(chain, stages=tuple(Stage(mass=s.mass, stiffness=s.stiffness) for s in chain.stages))
    heavy = replace(chain, stages=(replace(chain.stages[0], mass=7200.0), *chain.stages[1:]))
    for pantograph, words in (
        (silent, "no stage has damping"),
        (heavy, "mass 7200 kg is above the plausible maximum of 100 kg"),
    ):
        train = (OnTrain(pantograph=pantograph), OnTrain(pantograph=pantograph, behind=20.0))
        found = resolve(run("en50318-2002", train=train, journey=LONG)).warnings
        assert sum(words in said for said in found) == 1
