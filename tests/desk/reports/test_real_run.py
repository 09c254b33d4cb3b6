"""The main job's own page: a real run under a real line, stored, read again, opened in a browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from panhead.desk.drawing import figures
from panhead.desk.reports import page_of
from panhead.desk.reports.page import Animation, Page, PageTable, Picture
from panhead.desk.reports.render import write
from panhead.files import results
from panhead.runs import scenarios

from .browser import Browser
from .test_pages import DRAWN, LINE_FIGURES, blocks


@pytest.fixture(scope="module")
def real_page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    made = scenarios.read("en50318-300").simulate()
    return page_of(results.load(results.save(made, tmp_path_factory.mktemp("run") / "result.nc")))


def test_a_run_holds_everything_the_page_can_show(real_page: Page) -> None:
    assert {p.name for p in blocks(real_page, Picture)} == {*LINE_FIGURES, "head", "line_at_rest"}
    assert len(blocks(real_page, Animation)) == 1
    ledger = next(t for t in blocks(real_page, PageTable) if "Energy terms" in t.title)
    assert any("lifting forces" in row[0] for row in ledger.rows)
    assert all(figures.without_unit(p.chart) == [] for p in blocks(real_page, Picture))


def test_it_lives_in_a_browser(browser: Browser, real_page: Page, tmp_path: Path) -> None:
    tab = browser.open(write(real_page, tmp_path))
    widths = tab.evaluate(f"[...document.querySelectorAll('{DRAWN}')].map(i => i.clientWidth)")
    assert len(widths) == len(LINE_FIGURES) + 2
    assert min(widths) > 300
    before, after = tab.evaluate("""(async () => {
        const shot = () => document.querySelector('canvas').toDataURL(), first = shot();
        document.querySelector('.play').click();
        await new Promise(done => setTimeout(done, 300));
        document.querySelector('.play').click();
        return [first, shot()] })()""")
    assert before != after
    assert tab.complaints == []
