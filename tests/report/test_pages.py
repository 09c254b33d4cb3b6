"""Pages of whole results: the judgement's verdict, units on every figure, nothing lost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from panhead.assess import judge, judgement
from panhead.assess.judge import store
from panhead.files import results
from panhead.report import energy, figures, line, line_state, mechanism
from panhead.report.page import Animation, Page, Picture, Table
from panhead.report.render import write
from panhead.report.words import brief, number

from . import synthetic
from .browser import Browser

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


@pytest.fixture(scope="module")
def line_page() -> Page:
    return line.page(synthetic.line())


@pytest.fixture(scope="module")
def mechanism_page() -> Page:
    return mechanism.page(synthetic.mechanism())


def test_line_page_shows_everything_it_was_given(line_page: Page) -> None:
    assert {p.name for p in blocks(line_page, Picture)} == LINE_FIGURES
    assert len(blocks(line_page, Animation)) == 1
    assert line_page.sections[0].heading == "Judgement"


def test_good_force_good_verdict(line_page: Page) -> None:
    assert line_page.verdict.mood == "good"
    assert "EN\u00a050367:2012" in line_page.verdict.sentence
    assert "mean 115 N" in line_page.verdict.details[0]


def test_bad_force_bad_verdict_that_names_the_reason() -> None:
    page = line.page(synthetic.line(deviation=40.0))  # 40 / 115 = 35 % > 30 %
    assert page.verdict.mood == "bad"
    assert "standard deviation over mean" in page.verdict.sentence
    moods = dict(
        zip((r[0] for r in blocks(page, Table)[0].rows), blocks(page, Table)[0].moods, strict=True)
    )
    assert moods["standard deviation over mean"] == "bad"
    assert moods["mean contact force"] == "good"


def test_an_error_bar_across_a_limit_asks_for_attention() -> None:
    dataset = synthetic.line()
    wide = [
        replace(c, error=0.05) if c.key == "deviation_ratio" else c
        for c in judgement(judge(dataset))[""]["pantograph 1"]
    ]
    page = line.page(store(dataset, {"": {"pantograph 1": wide}}))
    assert page.verdict.mood == "warning"
    row = next(r for r in blocks(page, Table)[0].rows if r[0] == "standard deviation over mean")
    assert "± 5.0 %" in row[1]
    assert row[3] == "undecided"


def test_judgement_survives_storage(tmp_path: object) -> None:
    dataset = synthetic.line()
    kept = results.save(judge(dataset), tmp_path / "result.nc")  # type: ignore[operator]
    assert judgement(results.load(kept)) == judgement(judge(dataset))


def test_only_judged_supports_count() -> None:
    dataset = synthetic.line()
    dataset["support_uplift"][0] = 0.5  # outside the judged part
    uplift = next(c for c in judgement(judge(dataset))[""]["pantograph 1"] if c.key == "uplift")
    assert uplift.value < 0.06


def test_several_pantographs_are_all_judged() -> None:
    page = line.page(synthetic.line(2))
    assert len(page.verdict.details) == 2
    assert len(blocks(page, Table)) == 5  # two tables each, and the provenance


def test_slack_is_put_down_to_the_pantograph_that_passes_then() -> None:
    """A dropper at 300 m is passed at 1.68 s by the first and 1.2 s later by the second."""
    dataset = synthetic.line(2)
    passed = line_state._passing(dataset, np.array([300.0, 1e4]))
    assert passed[0, 0] == pytest.approx((300 - 160) / synthetic.SPEED)
    assert np.isnan(passed[:, 1]).all()
    moments = passed[:, 0] + 0.05
    cause, since = line_state._nearest(np.repeat(passed[:, :1], 2, axis=1), moments)
    assert cause.tolist() == [0, 1]
    np.testing.assert_allclose(since, passed[:, 0])


def test_a_bare_force_still_makes_a_page() -> None:
    dataset = synthetic.line()[["contact_force", "contact_x", "time", "pantograph"]]
    page = line.page(dataset)
    assert {p.name for p in blocks(page, Picture)} == {"force_track", "spectrum", "histogram"}


def test_mechanism_page_shows_everything_it_was_given(mechanism_page: Page) -> None:
    names = [p.name for p in blocks(mechanism_page, Picture)]
    assert names == ["outputs", "coordinates", "rates", "multipliers", "residuals", "energy"]
    animation = blocks(mechanism_page, Animation)[0]
    assert [c.name for c in animation.curves] == ["crank", "rod"]
    assert animation.trace[0] == "interaction force (N)"  # a force is preferred
    assert mechanism_page.verdict.mood == "good"


def test_a_ledger_that_does_not_balance_is_told() -> None:
    page = mechanism.page(synthetic.mechanism(balance=1e-3))
    assert page.verdict.mood == "warning"
    assert "energy" in page.verdict.sentence


def test_broken_constraints_are_told() -> None:
    dataset = synthetic.mechanism()
    dataset["constraint_residual"] = dataset["constraint_residual"] + 1e-3
    assert mechanism.verdict(dataset).mood == "warning"
    dataset["constraint_residual"] = dataset["constraint_residual"] * np.nan
    assert mechanism.verdict(dataset).mood == "warning"  # NaN is no good news


def test_energies_that_are_zero_are_not_drawn(mechanism_page: Page) -> None:
    ledger = next(p for p in blocks(mechanism_page, Picture) if p.name == "energy")
    assert [one.get_label() for one in ledger.figure.axes[0].lines] == ["kinetic", "potential"]
    assert energy.unexplained(synthetic.mechanism(balance=2e-7)) == pytest.approx(2e-7, rel=1e-3)


def test_every_axis_has_its_unit(line_page: Page, mechanism_page: Page) -> None:
    pictures = [*blocks(line_page, Picture), *blocks(mechanism_page, Picture)]
    assert {p.name: figures.without_unit(p.figure) for p in pictures} == {
        p.name: [] for p in pictures
    }


def test_animated_wire_is_the_wire_of_the_result(line_page: Page) -> None:
    """Below the head the wire is lifted by 50 mm, drawn five times larger."""
    animation = blocks(line_page, Animation)[0]
    wire = next(c for c in animation.curves if c.name == "contact wire")
    middle = wire.y[:, wire.y.shape[1] // 2]
    np.testing.assert_allclose(middle, 5.08 + 5 * 0.05, atol=5e-3)  # stations are 1 m apart
    np.testing.assert_allclose(
        np.diff(animation.follow), np.diff(animation.times) * synthetic.SPEED
    )


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
    mechanism_page: Page,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Console silent, every figure there, the animation moves when it is scrubbed, on a phone."""
    for page in (line_page, mechanism_page):
        report = write(page, tmp_path_factory.mktemp("page"))
        tab = browser.open(report, width=390, mobile=True)
        widths = tab.evaluate("[...document.images].map(i => i.naturalWidth)")
        assert len(widths) == len(blocks(page, Picture))
        assert min(widths) > 300
        shown = tab.evaluate("""[0.2, 0.7].map(share => {
            const s = document.querySelector('.scrub'); s.value = +s.min + share * (s.max - s.min);
            s.dispatchEvent(new Event('input'));
            return document.querySelector('canvas').toDataURL()})""")
        assert shown[0] != shown[1]
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390
        assert tab.complaints == []
