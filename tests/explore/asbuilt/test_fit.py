"""Fit of a tension length: planted deviations come back within their standard deviations; what is unknown is named."""

from dataclasses import replace

import numpy as np
import pytest

from panhead.explore.asbuilt.fit_tension_length import fit
from panhead.explore.asbuilt.height_model import HeightSamples
from panhead.explore.asbuilt.identifiability import indistinct
from panhead.explore.asbuilt.parts import BuiltPart, around, parts_of
from panhead.explore.asbuilt.route_description import AlarmLevels, PartSpread
from panhead.explore.asbuilt.route_records import load_fit, save_fit
from panhead.railway.line.layout import Layout
from panhead.railway.line.line_variants import expand_spans
from panhead.validation.asbuilt.planted_route import PlantedLength, drawn_line, readings

SPANS = 5


@pytest.fixture(scope="module")
def planted():
    """One tension length with a short dropper, a high support and a slack messenger, hung by finite differences."""
    line = expand_spans(drawn_line(1, SPANS))
    layout = Layout(line)
    parts = parts_of(layout, layout.pieces[0], {(s, n): 1.0 for s in range(SPANS) for n in range(1, 6)})
    off = {("dropper length", 1, 3): -0.03, ("support height", 3, 0): 0.05, ("stagger", 2, 0): 0.1}
    deviations = np.array([off.get((p.kind, *p.place), 0.0) for p in parts])
    deviations[[p.kind == "messenger tension" for p in parts]] = -1600.0
    truth = PlantedLength(tuple(parts), deviations, ())
    tables = [readings(line, [truth], noise=2e-3, seed=seed) for seed in (1, 2)]
    table, passes = np.concatenate(tables), np.repeat([0, 1], len(tables[0]))
    lower = 0.008 * np.sin(np.pi * (table[:, 0] - 12000.0) / 50.0) ** 2 * passes  # the second pass is a warmer day
    samples = HeightSamples(table[:, 0] - 12000.0, table[:, 1] - lower, table[:, 2], passes)
    return line, truth, fit(line, 0, samples, PartSpread(), AlarmLevels())


def test_what_is_wrong_is_named_and_nothing_else(planted):
    *_, found = planted
    named = {(p.kind, p.place) for p in found.parts if p.alarm}
    assert named == {
        ("dropper length", (1, 3)), ("support height", (3, 0)), ("stagger", (2, 0)), ("messenger tension", (0, 0))
    }  # fmt: skip


def test_errors_are_within_their_standard_deviations(planted):
    _, truth, found = planted
    ratio = [(p.deviation - v) / p.spread for p, v in zip(found.parts, truth.deviations, strict=True)]
    # the strings of the truth have no bending; five standard deviations of 60 parts leave room for that
    assert np.abs(ratio).max() < 5.0
    assert np.sqrt(np.mean(np.square(ratio))) < 1.5


def test_a_pass_on_another_day_is_named(planted):
    _, _, found = planted
    assert any("another temperature" in note for note in found.notes)


def test_a_fit_comes_back_from_its_files(planted, tmp_path):
    *_, found = planted
    save_fit(tmp_path, 3, found)
    again = load_fit(tmp_path, 3)
    assert again.parts == found.parts
    np.testing.assert_array_equal(again.covariance, found.covariance)
    assert again.notes == found.notes


def test_a_tension_length_without_readings_is_taken_as_drawn(planted):
    line, *_ = planted
    nothing = HeightSamples(np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3, int))
    found = fit(line, 0, nothing, PartSpread(), AlarmLevels())
    assert not any(p.alarm or p.deviation for p in found.parts)
    assert found.used == 0
    assert any("taken as drawn" in note for note in found.notes)


def test_readings_that_no_line_has_do_not_stop_the_route_and_are_named(planted):
    line, *_ = planted
    x = np.arange(0.0, 300.0, 1.0)
    wild = HeightSamples(x, 5.5 + 0.4 * (np.arange(300) % 2), np.full(300, np.nan), np.zeros(300, int))
    found = fit(line, 0, wild, PartSpread(), AlarmLevels())
    assert any("another reference of height" in note for note in found.notes)
    assert not any(p.alarm for p in found.parts)


def test_parts_that_only_have_a_known_sum_are_named():
    parts = [
        BuiltPart("support height", "m", (1, 0), 0.0, 5.0, prior=0.02, spread=0.01),
        BuiltPart("dropper length", "d", (1, 1), 0.0, 1.0, prior=0.02, spread=0.01),
    ]
    told = indistinct(parts, 1e-4 * np.array([[1.0, 0.97], [0.97, 1.0]]))
    assert "only their weighted difference is known" in told[0]


def test_a_tension_length_between_its_neighbours_hangs_as_in_the_whole_line():
    line = expand_spans(drawn_line(4, 7))
    short, own = around(line, 2, element_length=2.0)
    assert own == 1
    whole, cut = Layout(line), Layout(short)
    assert short.chainage == pytest.approx(line.chainage + whole.mast_x[whole.pieces[1].first])
    for k in range(7):
        a = whole.plan(whole.pieces[2], whole.pieces[2].first + k).left
        b = cut.plan(cut.pieces[1], cut.pieces[1].first + k).left
        assert replace(a, support=b.support) == b
