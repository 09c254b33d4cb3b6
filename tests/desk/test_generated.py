"""Lines nobody drew: each passes check → draw → tables → tables in → run, or is refused with a place and a remedy."""

import re
import warnings

import numpy as np
import pytest
import tomli_w
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from panhead import scenarios
from panhead.desk.checking import check_line
from panhead.desk.drawing import draw_line
from panhead.desk.from_tables import line_from_tables
from panhead.desk.line_tables import geometry_tables
from panhead.desk.paper import paper_svg, papers_pdf
from panhead.desk.rows import write_csv
from panhead.desk.schedules import line_tables
from panhead.errors import PanheadError, RunWarning
from panhead.line import read_line, string

#: what a message must name: a part of the line, of the run, or a key of the file
PLACE = re.compile(r"span|mast|dropper|wire|support|stitch|tension|journey|alignment|Line|Overlap|contact|presag", re.I)
#: and what to do, or what is allowed
REMEDY = re.compile(
    r"give|lower|shorten|leave|must|check|cannot hold|between|use |longer|does not fit|too short|too long|lengthen"
    r"|move|at most|at least|reduce|look at",
    re.I,
)


@st.composite
def numbers(draw, low, high, wild):
    """Sensible numbers, now and then a wild one."""
    if draw(st.integers(0, 120)) == 17:
        return draw(st.sampled_from(wild))
    return low + (high - low) * draw(st.integers(0, 997)) / 997


@st.composite
def spans(draw):
    length = draw(numbers(30.0, 65.0, [0.0, -60.0, 3.0, 400.0]))
    span = {"length": length, "count": draw(st.integers(1, 3))}
    way = draw(st.sampled_from(["count"] * 4 + ["positions"] * 4 + ["none"]))
    if way == "count":
        span["dropper_count"] = draw(st.integers(3, 11))
    elif way == "positions":
        n = draw(st.integers(4, 9))
        aside = draw(
            st.lists(st.integers(-25, 25), min_size=n, max_size=n)
        )  # hundredths of a distance off the even place
        span["dropper_positions"] = [round(abs(length) * (k + 0.5 + 0.01 * a) / n, 3) for k, a in enumerate(aside)]
    return span


@st.composite
def presags(draw, spans, wires, share):
    """As a drawing office chooses it: the wire's own curvature μg/H carries the parabola 8f/l² of the shortest span."""
    most = min(own_sag(span, wires) for span in spans)
    return min(0.03, most) * share * draw(st.integers(0, 10)) / 10


def own_sag(span, wires):
    """How far the contact wire would hang through by itself, μgl²/8H, half of it where droppers must stay taut [m]."""
    contact = wires["contact"]
    return 0.3 * contact["mass_per_length"] * 9.81 * span["length"] ** 2 / (8.0 * max(contact["tension"], 1.0))


@st.composite
def lines(draw):
    """The content of a line's file."""
    wires = {
        "contact": {"tension": draw(numbers(8e3, 3e4, [0.0, 400.0])), "mass_per_length": draw(st.floats(0.7, 1.6))},
        "messenger": {"tension": draw(numbers(14e3, 3e4, [50.0])), "mass_per_length": draw(st.floats(0.5, 1.1))},
    }
    for wire in wires.values():
        wire |= {"bending_stiffness": draw(st.floats(0.0, 250.0)), "mass_damping": 0.02, "stiffness_damping": 1e-4}
    if draw(st.integers(0, 3)) == 0:
        wires["stitch"] = {
            "reach": draw(st.floats(4.0, 8.0)),
            "wire": {"tension": draw(st.floats(1e3, 4e3)), "mass_per_length": 0.31},
        }
    if draw(st.integers(0, 3)) == 0:
        wires["contact_count"] = 2
    length = {
        "spans": draw(st.lists(spans(), min_size=2, max_size=4)),
        "name": draw(st.sampled_from(["T", "A.1", "Ж 7"])),
    }
    if draw(st.integers(0, 2)) == 0:
        at = draw(st.integers(-2, 3))
        length["masts"] = [{"at": at, "stagger": draw(st.floats(-0.4, 0.4)), "encumbrance": draw(st.floats(1.1, 1.9))}]
    line = {
        "name": "generated",
        "wires": wires,
        "dropper": {"stiffness": draw(numbers(2e4, 3e5, [0.0])), "mass_per_length": draw(st.floats(0.0, 0.3))},
        "support": {"encumbrance": draw(numbers(1.1, 1.9, [0.05, -1.0])), "stagger": draw(numbers(-0.35, 0.35, [3.0]))},
        "contact_height": draw(numbers(4.9, 6.2, [0.0])),
        "uplift_space": draw(st.floats(0.05, 0.3)),
        "tension_lengths": [length],
    }
    if draw(st.integers(0, 2)) == 0:
        line["support"]["steady_arm"] = {"length": 1.0, "mass": 1.5, "rise": draw(st.floats(0.0, 0.2))}
    if draw(st.integers(0, 2)) == 0:
        shared = draw(st.sampled_from([1, 1, 1, 3, 3, 3, 3, 2]))
        end = {k: v for k, v in draw(spans()).items() if k != "count"} | {"count": shared}
        lift = min(0.15, round(2.0 * own_sag(end, wires), 4))  # the rise 8 lift/l² of the shared span hangs by itself
        over = {"spans": shared, "lift": lift, "end_lift": max(0.3, lift)} if lift > 0 else {"spans": shared}
        length |= {"repeat": 2, "overlap": over, "spans": [end, *length["spans"], end]}
    ways = length["spans"]
    line["presag"] = (
        draw(st.sampled_from([0.5, -0.2])) if draw(st.integers(0, 60)) == 17 else draw(presags(ways, wires, 0.6))
    )
    if draw(st.integers(0, 2)) == 0:
        line["alignment"] = [
            {"at": 0.0},
            {"at": 90.0, "radius": draw(numbers(900.0, 5e3, [10.0])), "cant": draw(st.floats(0.0, 0.15))},
        ]
    if draw(st.integers(0, 2)) == 0:
        line["height_profile"] = [[0.0, 5.1], [200.0, draw(st.floats(5.0, 5.4))]]
    return line


def through_the_desk(raw, folder):
    """Everything the desk does with a line, from its file on; how far it came."""
    path = folder / "line.toml"
    path.write_text(tomli_w.dumps(raw), encoding="utf-8")
    line = read_line(path)
    found = check_line(line, speed=60.0, wind=20.0)
    assert all(f.place and f.words and f.remedy for f in found.findings)
    for piece in (strung := string(line)).layout.pieces:
        strung.spans(piece)  # what cannot be strung is refused here, and was a finding above
    assert not any(f.quantity == "stringing" for f in found.findings)
    papers = draw_line(line)
    assert papers_pdf(papers).startswith(b"%PDF")
    assert all(paper_svg(p).endswith("</svg>") for p in papers)
    assert [t.name for t in line_tables(line)] == ["droppers", "heights", "tension_lengths", "supports"]
    back = line_from_tables(*write_csv(geometry_tables(line), folder / "tables"))
    assert np.abs(string(back).layout.mast_x - strung.layout.mast_x).max() < 1e-9
    run(path, strung.layout.mast_x)


def run(path, mast_x):
    """A short way under the line, coarsely computed."""
    start, stop = float(0.5 * mast_x[1]), float(mast_x[-1] - 0.25 * (mast_x[-1] - mast_x[-2]))
    journey = {
        "start": start,
        "stop": min(stop, start + 150.0),
        "ramp": 0.1,
        "run_in": 5.0,
        "judged_to": min(stop, start + 150.0),
    }
    raw = {
        "kind": "run",
        "line": str(path),
        "speed": 50.0,
        "train": [{"pantograph": "en50318-2002"}],
        "journey": journey,
    }
    numerics = {"step": 4e-3, "element_length": 2.0, "coarse": True}
    result = scenarios.from_plain(raw | {"numerics": numerics}, source=path).simulate()
    assert np.isfinite(result["contact_force"].values).all()


def attempt(raw, folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        said = ""
        try:
            through_the_desk(raw, folder)
        except PanheadError as error:
            said = str(error)
    assert not said or PLACE.search(said), f"no place in: {said}"
    assert "broadcast" not in said, said  # NumPy's words are not ours
    assert not said or REMEDY.search(said), f"no remedy in: {said}"
    return said


def test_a_span_without_droppers_hangs_through_and_is_run(tmp_path):
    """Its contact wire lies more than the encumbrance below the masts at rest; that is no divergence."""
    wire = {"tension": 10e3, "mass_per_length": 1.35, "bending_stiffness": 195.0}
    spans_ = [{"length": 50.0, "count": 2, "dropper_count": 7}, {"length": 90.0}, {"length": 50.0, "dropper_count": 7}]
    raw = {
        "name": "gap",
        "wires": {"contact": wire, "messenger": wire | {"tension": 20e3}},
        "dropper": {"stiffness": 1e5},
        "support": {"encumbrance": 1.3},
        "tension_lengths": [{"name": "T", "spans": spans_}],
    }
    assert attempt(raw, tmp_path) == ""


QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]
ONCE = {"deadline": None, "derandomize": True, "database": None, "phases": [Phase.generate]}
ONCE |= {"suppress_health_check": QUIET}


@settings(
    max_examples=6, deadline=None, derandomize=True, database=None, phases=[Phase.generate], suppress_health_check=QUIET
)
@given(raw=lines())
def test_a_few_generated_lines(raw, tmp_path):
    attempt(raw, tmp_path)


@pytest.mark.slow
def test_two_hundred_generated_lines(tmp_path):
    """Every one of them goes all the way, or is refused with a place and a remedy; ``attempt`` sees to that."""
    answers = []

    @settings(
        max_examples=200,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=QUIET,
    )
    @given(raw=lines())
    def each(raw):
        answers.append(attempt(raw, tmp_path))

    each()
    print(f"{answers.count('')} of {len(answers)} went all the way")
    assert len(answers) == 200
    assert 0 < answers.count("") < 200  # both ways were gone
