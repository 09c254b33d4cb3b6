"""Pages of whole results: the judge's verdict, units on every figure, nothing lost."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from panhead.assess import judge
from panhead.assess.number_text import brief, number, percent
from panhead.desk.drawing import figures
from panhead.desk.reports import motion, page_of, run_line, series
from panhead.desk.reports.page import Animation, Page, PageSection, PageTable, Picture
from panhead.desk.reports.render import write
from panhead.errors import ModelError

from . import synthetic
from .browser import Browser

DRAWN = "figure.picture svg[role=img]"
LINE_FIGURES = {
    "force_track",
    "force_spans",
    "spectrum",
    "histogram",
    "uplift",
    "slack_map",
    "dropper_forces",
    "elasticity",
    "energy",
}


def blocks(page: Page, kind: type) -> list:
    return [b for section in page.sections for b in section.blocks if isinstance(b, kind)]


def table(page: Page, title: str) -> PageTable:
    return next(t for t in blocks(page, PageTable) if t.title == title)


@pytest.fixture(scope="module")
def line_page() -> Page:
    return page_of(synthetic.run())


@pytest.fixture(scope="module")
def laws_page() -> Page:
    return page_of(synthetic.laws())


@pytest.fixture(scope="module")
def members_page() -> Page:
    return page_of(synthetic.members())


@pytest.fixture(scope="module")
def mechanism_page() -> Page:
    return page_of(synthetic.mechanism())


def test_line_page_shows_everything_it_was_given(line_page: Page) -> None:
    assert {p.name for p in blocks(line_page, Picture)} == LINE_FIGURES
    assert len(blocks(line_page, Animation)) == 1
    assert [section.heading for section in line_page.sections[:2]] == ["Summary", "Assessment"]


def test_good_force_good_verdict(line_page: Page) -> None:
    assert line_page.verdict.mood == "good"
    assert "EN\u00a050367:2012" in line_page.verdict.sentence
    assert "mean 115.0\u00a0N" in line_page.verdict.details[0]


def test_bad_force_bad_verdict_that_names_the_reason() -> None:
    page = page_of(synthetic.run(deviation=40.0))  # 40 / 115 = 35 % > 30 %
    assert page.verdict.mood == "bad"
    said = page.verdict.sentence.replace("\u00a0", " ")
    assert said.startswith(
        "Contact quality does not comply with EN 50367:2012 and EN 50119:2009: statistical minimum −"
    )
    assert re.search(r"; σ/Fm 34\.\d+ % exceeds 30 %\.$", said)
    criteria = table(page, "Criteria")
    moods = dict(zip((row[0] for row in criteria.rows), criteria.moods, strict=True))
    assert moods["standard deviation over mean"] == "bad"
    assert moods["mean contact force"] == "good"


def test_a_mean_force_beside_its_limits_is_told_apart_from_a_good_contact() -> None:
    """115 N at 160 km/h, above 102 N: the contact is good, the pantograph is set too high: no green page."""
    page = page_of(judge(synthetic.run(deviation=5.0).assign_attrs(speed=160 / 3.6)))
    assert page.verdict.mood == "warning"
    assert page.verdict.sentence.startswith("Contact quality complies with")
    ((mood, setting),) = page.verdict.beside
    assert mood == "bad"
    assert setting.startswith(
        "Setting not met: mean contact force 115.0\u00a0N exceeds 102\u00a0N. Reduce the static force"
    )
    assert 'mean_force = "102\u00a0N"' in setting


def test_the_page_shows_the_stored_verdict_and_judges_nothing() -> None:
    """What the result says is shown, whatever its force is like."""
    dataset = synthetic.run()
    found = json.loads(dataset.attrs["criteria"])
    ratio = next(c for c in found[""]["pantograph 1"] if c["key"] == "deviation_ratio")
    ratio["error"] = 0.05  # the limit lies inside the bar
    page = page_of(dataset.assign_attrs(criteria=json.dumps(found), verdict="undecided"))
    assert page.verdict.mood == "warning"
    row = next(r for r in table(page, "Criteria").rows if r[0] == "standard deviation over mean")
    assert "± 5.0 %" in row[1]
    assert row[3] == "undecided"


def test_a_result_without_a_verdict_is_refused() -> None:
    dataset = synthetic.run()
    del dataset.attrs["criteria"]
    with pytest.raises(ModelError, match="judge"):
        page_of(dataset)


def test_several_pantographs_stand_side_by_side() -> None:
    page = page_of(synthetic.run(2))
    assert len(page.verdict.details) == 2
    assert [row[0] for row in table(page, "Comparison").rows] == ["pantograph 1", "pantograph 2"]
    assert list(table(page, "Criteria").headings[2:4]) == ["pantograph 1", "pantograph 2"]


def test_variants_stand_side_by_side(laws_page: Page) -> None:
    """40, 30 and 25 N of deviation: a quarter and three eighths less than the first."""
    rows = table(laws_page, "Comparison").rows
    assert [row[0] for row in rows] == ["none", "derivative", "bang-bang"]
    assert [row[1] for row in rows] == ["not\u00a0met", "met", "met"]
    assert [row[5] for row in rows] == ["–", "−25.0", "−37.5"]
    said = laws_page.verdict.sentence.replace("\u00a0", " ")
    assert said.startswith(
        "Contact quality does not comply with EN 50367:2012 and EN 50119:2009 in ‘none’: statistical minimum −"
    )
    assert "; complies in ‘derivative’, ‘bang-bang’." in said
    assert "‘bang-bang’ has the smallest standard deviation" in laws_page.verdict.details[0]
    assert laws_page.verdict.mood == "bad"


def test_published_numbers_stand_beside_ours(laws_page: Page) -> None:
    printed = table(laws_page, "Comparison with published values")
    assert [row[0] for row in printed.rows] == ["none", "derivative"]  # the third is not in print
    assert printed.rows[1][4] == "29.00"
    assert printed.rows[1][6] == percent(29 / 41 - 1)
    assert "a book" in printed.note


def test_laws_show_head_actuator_numbers_and_trust(laws_page: Page) -> None:
    names = {p.name for p in blocks(laws_page, Picture)}
    assert names >= {*LINE_FIGURES, "head", "actuator", "force_raw", "force_difference"}
    assert [row[2] for row in table(laws_page, "Parameters of the control laws").rows] == ["800.0", "60.00"]
    effort = next(t for t in blocks(laws_page, PageTable) if "Energy dissipated (J)" in t.headings)
    assert [row[1] for row in effort.rows] == ["80.00", "60.00"]
    trust = next(t for t in blocks(laws_page, PageTable) if "Error of the lumped estimate (N)" in t.headings)
    assert [float(row[2]) for row in trust.rows] == pytest.approx([0.5] * 3, rel=1e-3)


def test_members_show_modes_contact_point_strips_and_coupling(members_page: Page) -> None:
    names = {p.name for p in blocks(members_page, Picture)}
    wanted = {"contact_point", "strips", "interface_energy", "top_arm_modes_flexible_top_arm"}
    assert names >= {*LINE_FIGURES, *wanted}
    modes = table(members_page, "Modes of the top arm, flexible top arm, the largest first")
    assert [row[0] for row in modes.rows][:3] == ["1", "2", "3"]
    moving = {a.title: [c.name for c in a.curves] for a in blocks(members_page, Animation)}
    side = next(
        curves for title, curves in moving.items() if title.startswith("Pantograph linkage, seen from the train")
    )
    assert side == ["lower arm", "top arm", "head", "contact wire"]
    assert members_page.verdict.mood == "good"


def test_a_moving_roof_is_shown_and_a_vehicle_off_the_track_is_bad_news() -> None:
    page = page_of(synthetic.on_vehicle())
    assert {p.name for p in blocks(page, Picture)} >= {"roof", "roof_spectrum", "force_difference"}
    assert page.verdict.mood == "good"
    assert "on the track" in page.verdict.details[-1]
    derailed = page_of(synthetic.on_vehicle("derailed")).verdict
    assert derailed.mood == "bad"
    assert derailed.sentence.startswith("Vehicle (‘roof moving’): derailed; ")


def test_slack_is_put_down_to_the_pantograph_that_passes_then() -> None:
    """A dropper at 300 m is passed at 1.68 s by the first and 1.2 s later by the second."""
    dataset = synthetic.run(2)
    passed = run_line.passing_times(dataset, np.array([300.0, 1e4]))
    assert passed[0, 0] == pytest.approx((300 - 160) / synthetic.SPEED)
    assert np.isnan(passed[:, 1]).all()
    moments = passed[:, 0] + 0.05
    cause, since = run_line.nearest(np.repeat(passed[:, :1], 2, axis=1), moments)
    assert cause.tolist() == [0, 1]
    np.testing.assert_allclose(since, passed[:, 0])


def test_slack_is_found_in_kept_samples_too() -> None:
    """A dropper that carries nothing from 1 to 2 s and at the end."""
    dataset = synthetic.run().drop_vars(["slack_dropper", "slack_start", "slack_end"])
    t = np.arange(0.0, 5.0, 0.1)
    force = np.full((t.size, dataset.sizes["dropper"]), 80.0)
    force[10:20, 3] = force[45:, 7] = 0.0
    dataset = dataset.assign(sample=("sample", t), dropper_force=(("sample", "dropper"), force))
    which, begin, finish = run_line.slackenings(dataset)
    assert which.tolist() == [3, 7]
    np.testing.assert_allclose(begin, [1.0, 4.5])
    np.testing.assert_allclose(finish, [2.0, 4.9])


def test_a_bare_force_still_makes_a_page() -> None:
    dataset = synthetic.run()[["contact_force", "contact_x", "time", "pantograph"]]
    page = page_of(dataset)
    assert {p.name for p in blocks(page, Picture)} == {"force_track", "spectrum", "histogram"}


def test_a_result_nobody_can_show_is_refused() -> None:
    with pytest.raises(ModelError, match="dropper_x"):
        page_of(synthetic.run()[["dropper_x"]].drop_vars(["pantograph", "time"], errors="ignore"))


def test_mechanism_page_shows_everything_it_was_given(mechanism_page: Page) -> None:
    names = [p.name for p in blocks(mechanism_page, Picture)]
    assert names == ["outputs", "energy", "multipliers", "residuals", "coordinates", "rates"]
    animation = blocks(mechanism_page, Animation)[0]
    assert [c.name for c in animation.curves] == ["crank", "rod"]
    assert animation.traces[0].label == "interaction force (N)"  # a force is preferred
    assert mechanism_page.verdict.mood == "good"


def test_a_ledger_that_does_not_balance_is_told() -> None:
    page = motion.page(synthetic.mechanism(balance=1e-3))
    assert page.verdict.mood == "warning"
    assert "energy" in page.verdict.sentence


def test_broken_constraints_are_told() -> None:
    dataset = synthetic.mechanism()
    dataset["constraint_residual"] = dataset["constraint_residual"] + 1e-3
    assert motion.verdict(dataset).mood == "warning"
    dataset["constraint_residual"] = dataset["constraint_residual"] * np.nan
    assert motion.verdict(dataset).mood == "warning"  # NaN is no good news


def test_energies_that_are_zero_are_not_drawn(mechanism_page: Page) -> None:
    ledger = next(p for p in blocks(mechanism_page, Picture) if p.name == "energy")
    assert [stroke.label for stroke in ledger.chart.panels[0].strokes] == ["kinetic", "potential"]
    assert series.energy_imbalance(synthetic.mechanism(balance=2e-7)) == pytest.approx(2e-7, rel=1e-3)


def test_every_axis_has_its_unit(line_page: Page, laws_page: Page, members_page: Page, mechanism_page: Page) -> None:
    for page in (line_page, laws_page, members_page, mechanism_page, page_of(synthetic.on_vehicle())):
        wrong = {p.name: figures.without_unit(p.chart) for p in blocks(page, Picture)}
        assert {name: words for name, words in wrong.items() if words} == {}


def test_animated_wire_is_the_wire_of_the_result(line_page: Page) -> None:
    """Below the head the wire is lifted by 50 mm, drawn five times larger."""
    animation = blocks(line_page, Animation)[0]
    wire = next(c for c in animation.curves if c.name == "contact wire")
    middle = wire.y[:, wire.y.shape[1] // 2]
    np.testing.assert_allclose(middle, 5.08 + 5 * 0.05, atol=5e-3)  # stations are 1 m apart
    np.testing.assert_allclose(np.diff(animation.follow), np.diff(animation.times) * synthetic.SPEED)


def test_droppers_of_the_animation_never_fly(line_page: Page) -> None:
    """Between two frames a stroke stays in place or is a gap: the player draws straight lines."""
    strokes = next(c for c in blocks(line_page, Animation)[0].curves if c.name == "droppers").x
    moved = np.abs(np.diff(strokes, axis=0))
    assert np.nanmax(moved) == 0.0
    assert np.isfinite(strokes).sum(axis=1).min() >= 2 * 11  # 90 m hold at least 11 droppers


@pytest.mark.parametrize(
    "value, text",
    [
        (157.3, "157.3"),
        (0.99999, "1.000"),
        (-0.0123456, "−0.01235"),
        (0.0, "0"),
        (1.5e-9, "1.500\u00a0·\u00a010⁻⁹"),
        (float("nan"), "–"),
        (float("inf"), "∞"),
        (123456.0, "123456"),
    ],
)
def test_numbers_are_written_for_people(value: float, text: str) -> None:
    assert number(value) == text


def test_exact_numbers_carry_no_zeros() -> None:
    assert [brief(x) for x in (350.0, 0.2, 157.3, 100.0, 0.105, 1e-9)] == [
        "350",
        "0.2",
        "157.3",
        "100",
        "0.105",
        "1\u00a0·\u00a010⁻⁹",
    ]


def test_pages_live_in_a_browser(
    browser: Browser,
    line_page: Page,
    members_page: Page,
    mechanism_page: Page,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Console silent, every figure there, the animation moves when it is scrubbed, on a phone."""
    for page in (line_page, members_page, mechanism_page):
        report = write(page, tmp_path_factory.mktemp("page"))
        tab = browser.open(report, width=390, mobile=True)
        widths = tab.evaluate(f"[...document.querySelectorAll('{DRAWN}')].map(i => i.clientWidth)")
        assert len(widths) == len(blocks(page, Picture))
        assert min(widths) > 300
        shown = tab.evaluate("""[0.2, 0.7].map(share => {
            const s = document.querySelector('.scrub'); s.value = +s.min + share * (s.max - s.min);
            s.dispatchEvent(new Event('input'));
            return document.querySelector('canvas').toDataURL()})""")
        assert shown[0] != shown[1]
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390
        assert tab.complaints == []


def test_a_table_of_a_study_fits_on_the_page(browser: Browser, tmp_path, line_page: Page) -> None:
    """Eleven columns with the heads of a speed study; the last ones are not cut off."""
    heads = [
        "speed",
        "mean contact force (N)",
        "standard deviation, 0–20 Hz filter (N)",
        "standard deviation over mean (%)",
        "statistical maximum, mean + 3σ (N)",
        "actual maximum (N)",
        "actual minimum (N)",
        "time without contact (%)",
        "largest uplift at a support (mm)",
        "contact quality",
        "setting",
    ]
    numbers = ["120.7", "24.23", "20.08", "193.4", "195.4", "69.51", "0.07189", "88.29"]
    row = ["250.0 km/h", *numbers, "not\u00a0met", "met"]
    wide = PageTable("Every run", heads, [row], ["bad"])
    tab = browser.open(write(replace(line_page, sections=[PageSection("Result", [wide])]), tmp_path), width=1280)
    assert tab.evaluate("(b => b.scrollWidth - b.clientWidth)(document.querySelector('table').parentElement)") == 0
