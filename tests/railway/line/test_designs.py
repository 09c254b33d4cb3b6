"""Designs of real lines: sources, dropper rules, lines of any spans, wires of the catalogue."""

import math
from dataclasses import replace

import pytest

from panhead.errors import FileError, ModelError
from panhead.files import parse
from panhead.railway.line import read_line, string
from panhead.railway.line.design_line import design_line, parse_spans
from panhead.railway.line.dropper_rules import DropperRow, DropperRule, SpanRule
from panhead.railway.line.line_design import LineDesign, design_from, read_design, shipped_designs
from panhead.railway.line.wire_catalogue import wire_catalogue

DESIGNS = list(shipped_designs())


def unsourced(design):
    """Paths of numbers without a source."""
    return [path for path, _ in design._numbers() if design.source_of(path) is None]


@pytest.mark.parametrize("name", DESIGNS)
def test_every_number_of_a_design_has_a_source(name):
    design = read_design(name)
    assert unsourced(design) == []
    assert all(source.strip() for source in design.sources.values())


def test_a_number_without_source_is_found():
    design = read_design("C-350")
    lost = replace(design, sources={k: v for k, v in design.sources.items() if k != "stagger"})
    assert unsourced(lost) == ["stagger"]


@pytest.mark.parametrize("name", DESIGNS)
def test_a_design_strings_at_its_shortest_and_longest_span(name):
    """Every dropper pulls and is longer than 20 cm: a design whose messenger sags onto the contact wire is no line."""
    design = read_design(name)
    for span in (design.longest_span, design.shortest_span):
        strung = string(design_line(design, [span] * 4))
        middle = strung.spans(strung.layout.pieces[0])[2]
        assert middle.tension.min() > 0.0
        assert min(middle.unstretched) > 0.2


@pytest.mark.parametrize("name", ["CA-160/3kV A", "CA-220/3kV"])
def test_the_rule_gives_the_numbers_of_the_printed_table(name):
    """Count of pairs exactly; places to 0.1 m, by which the first dropper of the table itself varies."""
    rule = read_design(name).droppers
    alone = replace(rule, table=())
    for row in rule.table:
        if row.span == 20.0:
            continue  # the shortest span has its first dropper nearer to the mast than the rule
        printed, found = (r.droppers(row.span, twin=True) for r in (rule, alone))
        assert len(found) == len(printed) == 2 * row.count
        assert max(abs(a.position - b.position) for a, b in zip(found, printed, strict=True)) < 0.101


def test_pairs_carry_one_wire_each_and_single_wires_hang_in_the_middle_of_a_pair():
    rule = DropperRule(rules=(SpanRule(first=5.25, gap=6.7),), pair=0.5)
    twin, single = rule.droppers(60.0, twin=True), rule.droppers(60.0, twin=False)
    assert [d.wire for d in twin[:4]] == ["right", "left", "right", "left"]
    assert twin[1].position - twin[0].position == pytest.approx(0.5)
    assert single[0].position == pytest.approx(5.5)
    assert 60.0 - single[-1].position == pytest.approx(5.5)


def test_alternating_droppers_close_for_every_span_of_the_drawing_office():
    """27 to 54 m in steps of 4.5 m: every 2.25 m, the last as far from its mast as the first."""
    rule = read_design("3 kV drawing office").droppers
    for k in range(7):
        span = 27.0 + 4.5 * k
        found = rule.droppers(span, twin=True)
        assert len(found) == round(span / 2.25)
        assert found[1].position - found[0].position == pytest.approx(2.25, abs=1e-4)
        assert span - found[-1].position == pytest.approx(1.125, abs=1e-4)


def test_a_row_that_does_not_add_up_is_refused():
    with pytest.raises(ModelError, match="make 61 m, not the span of 60 m"):
        DropperRule(
            rules=(SpanRule(first=5.0, gap=7.0),), pair=0.5, table=(DropperRow(span=60, count=8, first=5.75, gap=6.5),)
        )


def test_re200_changes_stitch_and_first_dropper_with_the_span():
    design = read_design("Re 200")
    reach = {span: design_line(design, [span] * 3).wires.stitch.reach for span in (40.0, 60.0, 75.0)}
    assert reach == {40.0: 7.0, 60.0: 9.0, 75.0: 12.0}
    first = {span: design.droppers.droppers(span, twin=False)[0].position for span in reach}
    assert first == {40.0: 2.5, 60.0: 6.0, 75.0: 7.0}


def test_presag_follows_the_span_and_the_tension_of_each_wire_is_kept():
    design = read_design("CA-200/25kV")
    line = design_line(design, parse_spans("60 m x 3, 40 m, 60 m x 3"))
    assert line.span_kinds["60 m"].presag == pytest.approx(0.024)  # 0.4 ‰
    assert line.span_kinds["40 m"].presag == pytest.approx(0.016)
    assert (line.wires.contact.tension, line.wires.messenger.tension) == (15450.0, 15430.0)
    assert [s.count for s in line.tension_lengths[0].spans] == [3, 1, 3]


def test_a_span_outside_the_range_of_a_design_is_refused():
    with pytest.raises(ModelError, match=r"C-350: a span of 70 m is outside its range, 36 to 64 m"):
        design_line(read_design("C-350"), [70.0])
    with pytest.raises(ModelError, match="spans: "):
        parse_spans("sixty metres x 3")
    for none in ("64 m x 0", " , ", ""):  # a line of no spans was written
        with pytest.raises(ModelError, match=r"(asks for|names) no span"):
            parse_spans(none)


def test_a_line_is_read_by_the_name_of_its_design_with_changes():
    line = read_line("C-350", {"contact_height": 5.2})
    assert line.contact_height == 5.2
    assert parse.build(type(line), parse.to_plain(line), source="again") == line
    with pytest.raises(FileError, match="did you mean 'C-350'"):
        read_design("C350")


def test_a_family_file_of_the_users_own_replaces_numbers(tmp_path):
    raw = parse.read_toml(shipped_designs()["S25"])
    raw["designs"] = {"mine": raw["designs"]["S25"] | {"wires": {"W": {
        "area": 1e-4, "mass_per_length": 0.9, "modulus": 1.2e11, "source": "maker's sheet"}}}}  # fmt: skip
    raw["designs"]["mine"]["contact"] = {"wire": "W", "tension": 12e3}
    made = design_from(raw, "mine", source="test")
    assert isinstance(made, LineDesign)
    wire = design_line(made).wires.contact
    assert (wire.mu, wire.tension) == (0.9, 12e3)
    stiffness = 1.2e11 * 1e-8 / (4 * math.pi)  # of a solid round wire
    assert pytest.approx(stiffness) == wire.EI
    with pytest.raises(FileError, match="is not in the catalogue of wires"):
        design_from(raw | {"designs": {"x": {**raw["designs"]["mine"], "wires": {}}}}, "x", source="test")


def test_wires_of_the_catalogue_are_metal_and_not_overstrung():
    """Copper and its alloys: 8.6 to 9.3 kg/dm³, of which a lay of 3 % and nominal areas explain the width."""
    for name, wire in wire_catalogue().items():
        density = wire.mass_per_length / wire.area
        assert 8600 < density < 9300 or name == "Al/St 95/55", name
        assert wire.source
    for name in DESIGNS:
        design = read_design(name)
        wire = wire_catalogue()[design.contact.wire]
        if wire.strength is not None:  # 0.65 of the breaking load, EN 50119 as usually applied
            assert design.contact.tension < 0.65 * wire.strength, name
