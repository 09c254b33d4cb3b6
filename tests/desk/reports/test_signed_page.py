"""What an engineer signs: every input, every warning, who failed what and where, on what the verdict hangs."""

from __future__ import annotations

import json

import numpy as np
import pytest
import xarray as xr

from panhead.assess import judge
from panhead.assess.verdict_sentence import standard_name
from panhead.desk.reports import motion, page_of, run_animation, series
from panhead.desk.reports.page import Animation, Page, PageTable
from panhead.railway.line import linear_line, read_line, string
from panhead.runs.linear.frames import wires_of, wires_shown
from panhead.runs.simulate import _plain_span

from . import synthetic


def blocks(page: Page, kind: type) -> list:
    return [b for section in page.sections for b in section.blocks if isinstance(b, kind)]


def table(page: Page, title: str) -> PageTable:
    return next(t for t in blocks(page, PageTable) if t.title == title)


def test_a_missed_criterion_is_told_once_with_the_pantographs_that_missed_it():
    said = page_of(synthetic.run(2, deviation=40.0)).verdict.sentence
    assert said.count("σ/Fm") == 1
    assert "(pantograph 1) and" in said
    assert "(pantograph 2)" in said


def test_what_both_pantographs_share_is_told_once():
    """The uplift of a support is that of the line, whoever made it."""
    result = synthetic.run(2)
    found = json.loads(result.attrs["criteria"])
    for criteria in found[""].values():
        next(c for c in criteria if c["key"] == "uplift")["value"] = 0.15
    said = page_of(result.assign_attrs(criteria=json.dumps(found), verdict="not met")).verdict.sentence
    assert said.count("150") == 1
    assert "(pantograph 1 and pantograph 2)" in said


def test_every_edition_that_is_included_is_named(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text('name = "own"\nabout = "a"\nincludes = ["en50367-2012"]\n')
    assert standard_name(str(path)) == "own, EN 50367:2012 and EN 50119:2009"


def test_the_elasticity_is_that_of_a_span_that_one_tension_length_passes():
    """In an overlap it was that of the wire that rises to its anchor: it fell to nothing at the end of the span."""
    layout = string(read_line("overlaps-25kv")).layout
    overlap = next(s for s in range(layout.n_spans) if len(layout.tension_lengths_at(s)) == 2) + 1
    first, last = layout.mast_x[overlap - 3], layout.mast_x[overlap + 4]
    assert layout.span_at(0.5 * (first + last)) == overlap
    assert len(layout.tension_lengths_at(_plain_span(layout, first, last))) == 1
    assert _plain_span(layout, layout.mast_x[overlap], layout.mast_x[overlap + 1]) == overlap


def test_a_verdict_that_hangs_on_a_recalled_limit_says_so_first():
    """A mean of 115 N at 160 km/h: above 0.00047 v² + 90 N = 102 N, which was recalled; nothing else is missed."""
    recalled = judge(synthetic.run(deviation=5.0).assign_attrs(speed=160 / 3.6))
    verdict = page_of(recalled).verdict
    ((mood, setting),) = verdict.beside
    assert mood == "bad"
    assert setting.endswith("Its upper limit is recalled, not yet checked against the text of the standard.")
    quoted = page_of(synthetic.run(deviation=40.0)).verdict  # σ over mean is quoted: no doubt
    assert "recalled" not in quoted.sentence
    good = page_of(synthetic.run(deviation=25.0)).verdict
    assert "limits that are recalled" in good.sentence


def test_warnings_and_what_was_found_stand_under_the_verdict():
    told = {"warnings": json.dumps(["judged in the run-in"]), "found": json.dumps(["180 N give 150 N"])}
    details = page_of(synthetic.run().assign_attrs(told)).verdict.details
    assert details[:2] == ["Warning: judged in the run-in.", "180 N give 150 N"]


def test_value_and_limit_are_not_the_same_in_print():
    result = synthetic.run()
    found = json.loads(result.attrs["criteria"])
    ratio = next(c for c in found[""]["pantograph 1"] if c["key"] == "deviation_ratio")
    ratio["value"] = 0.300004
    page = page_of(result.assign_attrs(criteria=json.dumps(found), verdict="not met"))
    assert "σ/Fm 30.0004\u00a0% exceeds 30\u00a0%" in page.verdict.sentence


def test_worst_values_have_a_place_and_a_time():
    page = page_of(synthetic.run())
    rows = {row[0]: row for row in table(page, "Criteria").rows}
    assert rows["actual maximum"][4].endswith("\u00a0s")
    assert "\u00a0m, " in rows["actual maximum"][4]
    assert rows["actual maximum"][5].endswith("(quoted)")
    assert table(page_of(synthetic.run(2)), "Location and time of the worst values").rows


def test_every_pantograph_has_its_force_beside_the_animation():
    (animation,) = [a for a in blocks(page_of(synthetic.run(2)), Animation) if a.title == "Line and pantograph"]
    assert [trace.label for trace in animation.traces] == [
        "contact force, filtered to 20 Hz (N), pantograph 1",
        "contact force, filtered to 20 Hz (N), pantograph 2",
    ]
    assert len({trace.color for trace in animation.traces}) == 2


def test_every_input_is_listed_with_its_unit():
    inventory = {
        "Run": [["speed", 80.0, "m/s"], ["numerics.step", 1e-3, "s"]],
        "Line": [
            ["wires.contact.tension", 2e4, "N"],
            ["tension_lengths.1.spans.1.dropper_positions", [5.0, 10.5], "m"],
        ],
        "Pantograph P": [["stages.1.mass", 7.2, "kg"], ["stages.2.mass", 15.0, "kg"], ["lateral", True, ""]],
    }
    page = page_of(synthetic.run().assign_attrs(inventory=json.dumps(inventory)))
    assert ["speed", "288", "km/h"] in table(page, "Run").rows
    assert table(page, "Line: wires").rows == [["contact", "20000"]]
    assert table(page, "Line: wires").headings[1] == "tension (N)"
    assert table(page, "Line: tension\u00a0lengths, 1, spans").rows == [["1", "5, 10.5"]]
    assert table(page, "Pantograph P: stages").rows == [["1", "7.2"], ["2", "15"]]
    assert ["lateral", "yes", ""] in table(page, "Pantograph P").rows


def test_a_failed_run_has_a_page_that_says_why_and_judges_nothing():
    failed = synthetic.run().assign_attrs(failure="t = 2 s: the wire leaves the head")
    del failed.attrs["criteria"], failed.attrs["verdict"]
    page = page_of(failed)
    assert page.verdict.mood == "bad"
    assert "not assessed: t = 2 s: the wire leaves the head" in page.verdict.sentence
    assert not [t for t in blocks(page, PageTable) if t.title == "Criteria"]


@pytest.mark.parametrize(("share", "mood"), [(1e-9, "good"), (9e-4, "neutral"), (2e-3, "warning")])
def test_an_energy_error_is_no_praise(share, mood):
    """0.1 % of the energy used to be "the numbers can be trusted"."""
    dataset = synthetic.mechanism()
    dataset["balance"][:] = 1.0
    dataset["balance"][:] = share / series.energy_imbalance(dataset)
    found = motion.verdict(dataset, 1e-3, 1.0)
    assert found.mood == mood
    assert "trusted" not in found.sentence


def test_overlaps_are_two_wires_in_a_picture_and_stitches_are_there():
    line = read_line("overlaps-25kv")
    linear = linear_line(string(line), element_length=6.0, spans=(16, 21))
    found = dict(zip(wires_shown(line), (z for z, _ in wires_of(linear)), strict=True))
    both = np.isfinite(found["other_contact"])
    inside = (linear.x > 17 * 60.0 + 1) & (linear.x < 20 * 60.0 - 1)
    assert both[inside].all()
    assert not both[(linear.x > 961) & (linear.x < 1019)].any()
    assert (found["other_contact"][inside] >= found["contact"][inside]).all()
    assert wires_shown(read_line("stitched-25kv")) == ("contact", "messenger", "stitch")


def test_a_stitch_wire_is_drawn_to_both_its_ends_in_every_frame():
    """From 5 to 15 m at rest, recorded every metre, seen by a window that moves with the train."""
    x, frames = np.linspace(0.0, 20.0, 81), np.arange(0.0, 21.0)
    rest = np.where((x >= 5.0) & (x <= 15.0), 6.0, np.nan)
    recorded = np.where((frames > 5.0) & (frames < 15.0), 6.1, np.nan)
    dataset = xr.Dataset(
        {
            "static_x": ("station", x),
            "static_stitch_z": ("station", rest),
            "frame_x": (("frame", "point"), np.tile(frames, (2, 1))),
            "frame_stitch_z": (("frame", "point"), np.tile(recorded, (2, 1))),
        }
    )
    grid = np.linspace(0.3, 19.0, 9) + np.array([[0.0], [0.9]])
    (wire,) = run_animation._others(dataset, grid, 5.0)
    for places, heights in zip(wire.x, wire.y, strict=True):
        there = np.isfinite(heights)
        assert (places[there][0], places[there][-1]) == (5.0, 15.0)
        assert heights[there] == pytest.approx(6.5)  # 0.1 m of motion, magnified 5 times
    assert wire.gaps
