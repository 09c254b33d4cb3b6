"""``panhead new`` by its options: every answer stands in the file as the number it says."""

import numpy as np
import pytest

from panhead.explore.studies.sample_plan import read as read_study
from panhead.railway.line import read_line, string
from panhead.railway.pantograph.pantograph_files import read_pantograph
from panhead.runs import scenarios

WIRES = ("--spans", "4", "--span", "50 m", "--droppers", "5", "--tension-lengths", "2", "--supply", "15 kV AC")
HEIGHTS = ("--height", "5.3 m", "--presag", "25 mm", "--stagger", "150 mm", "--encumbrance", "1.2 m")
PULLS = ("--contact-tension", "18 kN", "--contact-area", "120 mm**2", "--messenger-tension", "14 kN",
         "--messenger-area", "50 mm**2")  # fmt: skip
RAIL = ("--type", "rail", "--rail-mass", "6 kg/m", "--rail-stiffness", "200 kN*m**2", "--support-stiffness", "2 MN/m",
        "--bar", "10 m")  # fmt: skip


def test_a_line_hangs_as_its_options_say(panhead, tmp_path):
    answer = panhead("new", "line", "mine", "--type", "simple", *WIRES, *HEIGHTS, *PULLS, "--yes")
    assert answer.returncode == 0, answer.stderr
    line = read_line(tmp_path / "mine.toml")
    assert line.supply == "15 kV AC"
    strung = string(line)
    assert len(strung.layout.pieces) == 2
    spans = strung.spans(strung.layout.pieces[0])
    assert len(spans) == 4
    span = spans[1]
    assert span.unstretched.size == 5
    x, height = span.mesh.x, span.shape["contact"][:, 0]
    lateral = span.shape["contact"][:, 2]
    assert x[-1] - x[0] == pytest.approx(50.0)
    hung = np.array([5.0, 15.0, 25.0, 35.0, 45.0])  # droppers hold the wire on the parabola of its pre-sag
    wanted = 5.3 - 4 * 0.025 * (hung / 50.0) * (1 - hung / 50.0)
    np.testing.assert_allclose(np.interp(x[0] + hung, x, height), wanted, atol=1e-6)
    assert abs(lateral[0]) == pytest.approx(0.15, abs=1e-6)  # the other mast belongs to the overlap
    assert span.shape["messenger"][0, 0] - 5.3 == pytest.approx(1.2, abs=1e-6)
    assert line.wires.contact.tension == 18e3
    assert line.wires.messenger.tension == 14e3
    # 8.9 g/cm³ of copper and of bronze, within 2 %; a strand of 19 wires is full of metal by its area
    assert line.wires.contact.mu == pytest.approx(8900.0 * 120e-6, rel=0.02)
    assert line.wires.messenger.mu == pytest.approx(8900.0 * 50e-6, rel=0.02)


def test_a_rail_is_as_its_options_say(panhead, tmp_path):
    assert panhead("new", "line", "rail", *RAIL, "--spans", "6", "--span", "8 m").returncode == 0
    line = read_line(tmp_path / "rail.toml")
    rail = line.wires.contact
    assert (rail.mass_per_length, rail.bending_stiffness, line.support.contact_stiffness) == (6.0, 200e3, 2e6)
    assert line.tension_lengths[0].rail_joints[0].every == 10.0
    assert panhead("new", "line", "rail", *RAIL).returncode == 2  # it is there already
    assert panhead("new", "line", "rail", *RAIL, "--spans", "9", "--replace").returncode == 0
    assert read_line(tmp_path / "rail.toml").tension_lengths[0].spans[0].count == 9


def test_a_pantograph_weighs_and_pushes_as_its_options_say(panhead, tmp_path):
    numbers = ("--static-force", "65 N", "--head-mass", "8 kg", "--head-stiffness", "7 kN/m", "--frame-mass", "11 kg",
               "--aerodynamic", "0.02 N*s**2/m**2", "--width", "1950 mm")  # fmt: skip
    assert panhead("new", "pantograph", "p", "--masses", "2", *numbers, "--yes").returncode == 0
    found = read_pantograph(tmp_path / "p.toml")
    head, frame = found.stages
    assert (head.mass, head.stiffness, frame.mass) == (8.0, 7e3, 11.0)
    assert (found.static_force, found.pan_head.length) == (65.0, 1.95)
    assert head.aerodynamic + frame.aerodynamic == 0.02
    assert panhead("new", "pantograph", "p", "--replace").returncode == 0
    assert len(read_pantograph(tmp_path / "p.toml").stages) == 3


def test_a_run_has_its_train_line_and_speed(panhead, tmp_path):
    train = ("--pantograph", "dsa380", "--pantographs", "3", "--spacing", "120 m")
    words = ("--line", "twin-3kv", *train, "--speed", "36 km/h", "--yes")
    assert panhead("new", "run", "r", *words).returncode == 0
    run = scenarios.read(str(tmp_path / "r.toml")).description
    assert run.speed == 10.0
    assert run.line == "twin-3kv"
    assert [(p.pantograph, p.behind) for p in run.train] == [("dsa380", 0.0), ("dsa380", 120.0), ("dsa380", 240.0)]
    assert panhead("new", "run", "r", "--replace").returncode == 0
    assert len(scenarios.read(str(tmp_path / "r.toml")).description.train) == 1


def test_a_study_has_its_base_and_speeds(panhead, tmp_path):
    words = ("--base", "en50318-250", "--first", "180 km/h", "--last", "252 km/h", "--steps", "3")
    assert panhead("new", "study", "s", *words, "--yes").returncode == 0
    plan = read_study(str(tmp_path / "s.toml"))
    assert plan.study.base == "en50318-250"
    speeds = [scenarios.from_plain(plan.inputs(sample), source="s").description.speed for sample in plan.samples()]
    assert speeds == pytest.approx([50.0, 60.0, 70.0])
    assert panhead("new", "study", "s", "--steps", "4", "--replace").returncode == 0
    assert read_study(str(tmp_path / "s.toml")).study.vary[0].steps == 4
