"""The page in a real browser: no complaint, nothing fetched, the animation moves and obeys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from panhead.desk.reports.page import PageTable
from panhead.desk.reports.render import write

from .browser import Browser, Tab
from .test_render import animation, page, picture

CLICK_PLAY = "document.querySelector('.play').click()"
PIXELS = "document.querySelector('canvas').toDataURL()"
NOW = "Number(document.querySelector('figure.animation').dataset.time)"
WAIT = "new Promise(done => setTimeout(done, %d))"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    table = PageTable("Limits", ["item", "value"], [["mean", "110"], ["sigma", "30"]], ["good", "bad"])
    return write(page(table, picture(), animation()), tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def tab(browser: Browser, report: Path) -> Iterator[Tab]:
    tab = browser.open(report)
    yield tab
    assert tab.complaints == []  # after everything the tests did to it


def key(name: str) -> str:
    return (
        "document.querySelector('figure.animation').dispatchEvent("
        f"new KeyboardEvent('keydown', {{key: '{name}', bubbles: true}}))"
    )


def test_it_opens_without_a_complaint_and_without_the_network(tab: Tab, report: Path) -> None:
    assert tab.complaints == []
    fetched = [url for url in tab.requests if not url.startswith("data:")]
    assert fetched == [report.resolve().as_uri()]


def test_figures_are_drawn(tab: Tab) -> None:
    sizes = tab.evaluate(
        "[...document.querySelectorAll('figure.picture svg[role=img]')].map(i => "
        "[i.getBoundingClientRect().width, i.getAttribute('aria-label').length])"
    )
    assert len(sizes) == 1
    assert all(width > 300 and text > 0 for width, text in sizes)


def test_animation_plays_and_pauses(tab: Tab) -> None:
    before = tab.evaluate(PIXELS)
    assert len(set(before)) > 10  # something is drawn
    tab.evaluate(CLICK_PLAY)
    tab.evaluate(WAIT % 300)
    tab.evaluate(CLICK_PLAY)
    moved, stopped = tab.evaluate(PIXELS), tab.evaluate(NOW)
    assert moved != before
    assert stopped > 0
    tab.evaluate(WAIT % 100)
    assert tab.evaluate(NOW) == stopped
    assert tab.evaluate(PIXELS) == moved


def test_animation_is_scrubbed_to_a_moment(tab: Tab) -> None:
    """At 1.25 s the readout says so; the picture is that moment's, however it was reached."""
    scrub = (
        "(() => {const s = document.querySelector('.scrub'); s.value = %s;"
        "s.dispatchEvent(new Event('input')); "
        "return document.querySelector('.clock').textContent})()"
    )
    assert tab.evaluate(scrub % 1.25) == "1.250 s"
    there = tab.evaluate(PIXELS)
    assert tab.evaluate(scrub % 0.5) == "0.500 s"
    assert tab.evaluate(PIXELS) != there
    tab.evaluate(scrub % 1.25)
    assert tab.evaluate(PIXELS) == there


def test_keys_step_and_jump(tab: Tab) -> None:
    tab.evaluate(key("Home"))
    assert tab.evaluate(NOW) == 0.0
    tab.evaluate(key("ArrowRight"))
    assert tab.evaluate(NOW) == pytest.approx(0.025)  # one frame of the 81 in two seconds
    tab.evaluate(key("End"))
    assert tab.evaluate(NOW) == pytest.approx(2.0)
    tab.evaluate(key(" "))  # from the end it starts again
    assert tab.evaluate("document.querySelector('.play').getAttribute('aria-pressed')") == "true"
    tab.evaluate(key(" "))


@pytest.mark.parametrize("width", [320, 390, 1200])
def test_nothing_sticks_out_sideways(browser: Browser, report: Path, width: int) -> None:
    tab = browser.open(report, width=width, mobile=width < 600)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.complaints == []


def test_it_prints(tab: Tab) -> None:
    assert tab.printed().startswith(b"%PDF")


def test_one_drawing_serves_day_and_night(browser: Browser, report: Path) -> None:
    """Letters stand out 4.5 to 1 on either paper, and the canvas follows."""
    ink = "getComputedStyle(document.querySelector('figure.picture text')).fill"
    paper = "getComputedStyle(document.querySelector('main > section:last-child')).backgroundColor"
    seen = {}
    for mode in ("light", "dark"):
        tab = browser.open(report, scheme=mode)
        seen[mode] = tab.evaluate(f"[{ink}, {paper}, {PIXELS}]")
        assert contrast(*seen[mode][:2]) > 4.5
        assert tab.complaints == []
    assert seen["light"][1] != seen["dark"][1]
    assert seen["light"][2] != seen["dark"][2]


def contrast(one: str, other: str) -> float:
    """Of two colours as WCAG 2 has it."""

    def luminance(color: str) -> float:
        parts = [float(x) / 255 for x in re.findall(r"[\d.]+", color)[:3]]
        linear = [x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
        return sum(w * x for w, x in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)
