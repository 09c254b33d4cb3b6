"""A page stands alone, escapes what it is given and says what is wrong with a block."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import xarray as xr

from panhead.assess import judge
from panhead.assess.number_text import with_bar
from panhead.desk.drawing import figures, scale, svg
from panhead.desk.reports.judgement import criteria_table, entries, headline
from panhead.desk.reports.page import (
    Animation,
    Page,
    PageSection,
    PageTable,
    PageVerdict,
    Picture,
    Polyline,
    RunningCurve,
)
from panhead.desk.reports.render import animation_json, html, write
from panhead.errors import ModelError

TIMES = np.linspace(0.0, 2.0, 81)


def picture(name: str = "sine") -> Picture:
    chart, (panel,) = figures.chart(200)
    panel.curve(TIMES, np.sin(TIMES), "swing")
    panel.name("time (s)", "angle (rad)")
    return Picture(name, "Angle", chart, "A swing.")


def animation() -> Animation:
    angle = np.sin(3 * TIMES)
    rod = Polyline("rod", np.stack([0 * angle, np.sin(angle)], 1), np.stack([0 * angle, -np.cos(angle)], 1), dots=True)
    beam = Polyline("beam", np.array([-0.5, 0.5]), np.zeros(2))
    return Animation(
        "Swing", TIMES, [rod, beam], traces=[RunningCurve("angle (rad)", TIMES, angle)], caption="It swings."
    )


def page(*blocks: object, title: str = "A page") -> Page:
    return Page(
        title, "below the title", PageVerdict("good", "All is well.", ["a detail"]), [PageSection("Part", list(blocks))]
    )  # type: ignore[arg-type]


def test_nothing_points_outside_the_file() -> None:
    text = html(page(picture(), animation(), "words"))
    assert not re.search(r"""(src|href)=["'](?!data:|#)""", text)
    assert not re.search(r"@import|url\((?!data:)", text)


def test_text_is_escaped_everywhere() -> None:
    evil = "<script>alert(1)</script>"
    table = PageTable(evil, [evil], [[evil]], note=evil)
    moving = Animation(evil, TIMES, [Polyline(evil, np.zeros(2), np.zeros(2))], x_label=evil, caption=evil)
    chart = picture().chart
    chart.panels[0].curve(TIMES, TIMES, evil)
    chart.panels[0].name(evil, evil)
    text = html(page(evil, table, moving, Picture("p", evil, chart, evil), title=evil))
    assert "<script>alert" not in text


def test_verdict_is_told_in_words_and_comes_first() -> None:
    text = html(page(PageTable("t", ["a", "b"], [["x", "1"]], ["bad"])))
    body = text[text.index("<main>") :]
    assert body.index("All is well.") < body.index("<table>")
    assert ">OK</span>" in body  # not by colour alone
    assert ">Fail</span>" in body  # the row, for those who hear the page


def test_every_picture_has_a_text_instead() -> None:
    text = html(page(picture()))
    assert re.search(r'<svg [^>]*role="img" aria-label="Angle: A swing."', text)


def test_write_leaves_the_page_and_the_figures(tmp_path: Path) -> None:
    path = write(page(picture("one"), picture("two")), tmp_path / "new" / "folder")
    assert path == tmp_path / "new" / "folder" / "report.html"
    written = sorted(str(p.relative_to(path.parent)) for p in path.parent.rglob("*") if p.is_file())
    assert written == ["figures/one.svg", "figures/two.svg", "report.html"]
    drawn = ElementTree.parse(path.parent / "figures" / "one.svg").getroot()  # whole and well formed
    assert drawn.tag.endswith("svg")
    assert "var(" not in (path.parent / "figures" / "one.svg").read_text("utf-8")  # read by any program


def test_a_page_that_cannot_be_rendered_leaves_nothing_behind(tmp_path: Path) -> None:
    broken = PageTable("limits", ["a", "b"], [["only one"]])
    with pytest.raises(ModelError, match="limits"):
        write(page(picture(), broken), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_equal_pages_give_equal_files() -> None:
    assert html(page(picture(), animation())) == html(page(picture(), animation()))


@pytest.mark.parametrize(
    "blocks, word",
    [
        ([picture("same"), picture("same")], "same"),
        ([Picture("a/b", "t", picture().chart)], "a/b"),
        ([PageTable("t", ["a"], [["1"], ["2"]], ["good"])], "1 moods for 2 rows"),
        ([Animation("t", TIMES, [Polyline("rod", np.zeros((3, 2)), np.zeros(2))])], "rod"),
        ([Animation("t", TIMES, [Polyline("c", np.zeros(2), np.zeros(2))], follow=np.zeros(3))], "follow"),
    ],
)
def test_a_wrong_block_is_named(blocks: list[object], word: str) -> None:
    with pytest.raises(ModelError, match=word):
        html(page(*blocks))


def unpacked(packed: dict[str, object]) -> np.ndarray:
    raw = base64.b64decode(str(packed["data"]))
    if packed["kind"] == "f4":
        return np.frombuffer(raw, "<f4").astype(float)
    steps = np.frombuffer(raw, "<u2").astype(float)
    return np.where(steps == 65535, np.nan, packed["low"] + packed["step"] * steps)  # type: ignore[operator]


def test_packed_motion_is_the_motion() -> None:
    """Positions survive to 1/8000 of the window, well below a pixel; gaps stay gaps."""
    rng = np.random.default_rng(1)
    x, y = rng.uniform(0, 50, (81, 7)), rng.uniform(5, 6, (81, 7))
    y[3, 2] = np.nan
    content = json.loads(animation_json(Animation("t", TIMES, [Polyline("c", x, y)])))["curves"][0]
    assert content["x"]["kind"] == content["y"]["kind"] == "u2"
    np.testing.assert_allclose(unpacked(content["x"]), x.ravel(), atol=50 / 8000)
    np.testing.assert_allclose(unpacked(content["y"]), y.ravel(), atol=1 / 8000)


def test_a_long_track_keeps_its_resolution() -> None:
    """100 km in uint16 would be steps of 1.5 m; the window is 100 m wide, so float32 is taken."""
    x = np.linspace(0, 1e5, 81 * 3).reshape(81, 3)
    moving = Animation("t", TIMES, [Polyline("c", x, np.zeros((81, 3)))], follow=x[:, 1], width=100.0)
    content = json.loads(animation_json(moving))
    assert content["curves"][0]["x"]["kind"] == "f4"
    np.testing.assert_allclose(unpacked(content["curves"][0]["x"]), x.ravel(), atol=0.01)


def test_thinning_keeps_the_extremes() -> None:
    x = np.arange(100_000.0)
    y = np.sin(x / 3000)
    y[12_345], y[77_777] = 5.0, -7.0
    few_x, few = figures.thin_curve(x, y, 2000)
    assert few.size <= 2002
    assert few.max() == 5.0
    assert few.min() == -7.0
    assert few_x[np.argmax(few)] == 12_345
    assert (few_x[0], few_x[-1]) == (0.0, 99_999.0)
    assert (np.diff(few_x) > 0).all()


def test_a_gap_in_a_long_curve_stays_one():
    """Where the contact passes to another wire there is no line between the two."""
    y = np.where(np.arange(50_000) < 25_003, 200.0, -200.0)
    y[25_003] = np.nan
    few = figures.thin_curve(np.arange(50_000.0), y, 2000)[1]
    assert np.nanmax(np.abs(np.diff(few))) == 0.0


def test_an_axis_without_a_unit_is_found() -> None:
    chart = picture().chart
    assert figures.without_unit(chart) == []
    chart.panels[0].y_label = "angle"
    assert figures.without_unit(chart) == ["angle"]


def drawn_points(chart: figures.Chart) -> np.ndarray:
    """(n, 2) pixels of the longest path of a chart."""
    paths = re.findall(r'<path d="M([^"]*)"', svg.fragment(chart, ""))
    longest = max((p for p in paths if "v" not in p and "h" not in p), key=len)
    return np.array([[float(x) for x in pair.split(",")] for pair in longest.split()])


def test_a_curve_is_drawn_where_its_numbers_are() -> None:
    """Pixels are a straight map of the numbers, upwards, to a tenth of a pixel."""
    points = drawn_points(picture().chart)
    np.testing.assert_allclose(np.diff(points[:, 0]), np.diff(points[:, 0]).mean(), atol=0.11)
    y = np.sin(TIMES)
    slope, offset = np.polyfit(y, points[:, 1], 1)
    assert slope < 0  # up is up
    np.testing.assert_allclose(points[:, 1], offset + slope * y, atol=0.11)


def test_a_logarithmic_axis_makes_a_power_law_straight() -> None:
    chart, (panel,) = figures.chart(200)
    panel.x_log = panel.y_log = True
    x = np.logspace(0, 3, 50)
    panel.curve(x, 7 * x**-2)
    points = drawn_points(chart)
    fit = np.polyval(np.polyfit(*points.T, 1), points[:, 0])
    np.testing.assert_allclose(points[:, 1], fit, atol=0.11)


def test_a_gap_lifts_the_pen() -> None:
    chart, (panel,) = figures.chart(200)
    panel.curve(np.arange(4.0), np.array([0.0, 1.0, np.nan, 2.0]))
    assert re.search(r'd="M[\d.]+,[\d.]+ [\d.]+,[\d.]+M', svg.fragment(chart, ""))


@pytest.mark.parametrize("low, high", [(0.0, 1.0), (-3e-11, 4e-11), (117.2, 117.3), (2e6, 9e6), (0, 0)])
def test_marks_are_round_and_inside(low: float, high: float) -> None:
    found = scale.axis(np.array([low, high]), (None, None), False, 600.0, 0.05, 84.0)
    assert 2 <= len(found.labels) <= 12
    assert len(set(found.labels)) == len(found.labels)  # enough digits to tell them apart
    assert len(found.shares) > 0
    assert all(0 <= share <= 1 for share in found.shares)
    assert found.low <= low <= high <= found.high


def test_a_low_panel_has_two_marks() -> None:
    """One number beside an axis is no scale."""
    found = scale.axis(np.array([-285.0, 199.0]), (None, None), False, 90.0, 0.05, 84.0)
    assert found.labels == ("−200", "0", "200")


@pytest.mark.parametrize(
    "value, error, said",
    [
        (116.3042, 0.0033, "116.3 ± 0.1"),  # no finer than the value is shown, and rounded up
        (36.638, 1.13, "36.6 ± 1.2"),
        (31.514, 0.99, "31.51 ± 0.99"),
        (-0.5, 3.4, "−0.5 ± 3.4"),
        (0.0, 0.02, "0.000 ± 0.020"),
        (5081.3, 140.0, "5081 ± 140"),
        (36.638, None, "36.64"),
        (1e-9, 2e-10, "1.000\u00a0·\u00a010⁻⁹ ± 2.0\u00a0·\u00a010⁻¹⁰"),
    ],
)
def test_a_value_and_its_bar_have_the_same_decimals(value: float, error: float | None, said: str) -> None:
    assert with_bar(value, error) == said


def test_a_criterion_that_cannot_be_judged_is_shown_with_its_reason_and_the_verdict_is_not_met():
    """Judged 10 m of a span of 60 m, between supports: nothing is decided, and every criterion is still there."""
    times = 1e-3 * np.arange(4000)
    force = 110.0 + 10.0 * np.sin(2 * np.pi * times)
    dataset = judge(
        xr.Dataset(
            {
                "contact_force": (("pantograph", "time"), force[None]),
                "contact_x": (("pantograph", "time"), 50.0 * times[None]),
                "mast_x": ("mast", 60.0 * np.arange(5)),
                "support_uplift": (("pantograph", "support"), np.zeros((1, 2))),
                "support_judged": (("pantograph", "support"), np.zeros((1, 2), int)),
            },
            {"time": times, "pantograph": ["one"]},
            {"speed": 60.0, "judged_from": 1.3, "judged_to": 1.5},
        )
    )
    assert dataset.attrs["verdict"] == "undecided"
    found = entries(dataset)
    sentence = headline(dataset, found).sentence.replace("\u00a0", " ")
    assert sentence.startswith("Contact quality undecided: ")
    assert "less than one whole span is assessed, so 5 criteria are not assessed" in sentence
    assert "no support is assessed, so largest uplift at a support is not assessed" in sentence
    assert "Assess a longer section (journey.judged_from, judged_to)." in sentence
    rows = {row[0]: row for row in criteria_table(found[0]).rows}
    assert rows["largest uplift at a support"][1:4] == ["–", "≤\u00a0120\u00a0mm", "undecided"]
    assert "not assessed: less than one whole span is assessed" in rows["actual maximum"][-1]
