"""The page in a real browser: no complaint, nothing fetched, the animation moves and obeys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from panhead.report.page import Table
from panhead.report.render import write

from .browser import Browser, Tab
from .test_render import animation, page, picture

CLICK_PLAY = "document.querySelector('.play').click()"
PIXELS = "document.querySelector('canvas').toDataURL()"
NOW = "Number(document.querySelector('figure.animation').dataset.time)"
WAIT = "new Promise(done => setTimeout(done, %d))"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    table = Table("Limits", ["item", "value"], [["mean", "110"], ["sigma", "30"]], ["good", "bad"])
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
        "[...document.images].map(i => [i.complete, i.naturalWidth, i.alt.length])"
    )
    assert len(sizes) == 1
    assert all(complete and width > 100 and text > 0 for complete, width, text in sizes)


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
