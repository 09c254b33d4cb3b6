"""The first page of a report: what it leads with, zoom by a real mouse, title block, PDF, its length."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import panhead as ph
from panhead.desk.reports import page_of, with_title_block
from panhead.desk.reports.judgement import entries
from panhead.desk.reports.line_places import mast_labels, place_words
from panhead.desk.reports.page import Page, PageList, PageTable, Picture
from panhead.desk.reports.pdf import pdf, typst_source
from panhead.desk.reports.render import html, write
from panhead.desk.reports.run_attribution import sentence

from . import synthetic
from .browser import Browser

WIDTH = 1280
PLOT = "svg.zoom svg.plot"


@pytest.fixture(scope="module")
def own_line():
    """A run of two pantographs under a line of 1.8 km, every span and dropper written out, as an import gives it."""
    droppers = [{"position": float(x)} for x in np.linspace(4.0, 56.0, 9).round(2)]
    spans = [{"length": 60.0, "droppers": droppers} for _ in range(30)]
    names = [{"at": k, "name": f"{100 + k}"} for k in range(31)]
    changes = {
        "line_changes": {"chainage": 12345.0, "tension_lengths": [{"name": "T1", "spans": spans, "masts": names}]},
        "train": [{"pantograph": "en50318-2002"}, {"pantograph": "en50318-2002", "behind": "200 m"}],
        "journey": {"start": "230 m", "stop": "1740 m", "judged_from": "720 m", "judged_to": "1440 m"},
        "numerics": {"step": "4 ms", "element_length": "2 m", "coarse": True, "explain": "none"},
        "title_block": {"project": "Line 4", "author": "A. Engineer", "checker": "C. Hecker", "revision": "B"},
    }
    with pytest.warns(ph.errors.RunWarning):
        return ph.run("en50318-250", changes=changes, error_bars="none")


@pytest.fixture(scope="module")
def page(own_line) -> Page:
    return page_of(own_line)


def test_the_summary_leads_with_five_numbers_the_force_and_what_to_look_at(page):
    summary = page.sections[0]
    assert summary.heading == "Summary"
    assert "line EN 50318:2002 reference line" in page.subtitle
    five, force, look = summary.blocks
    assert isinstance(five, PageTable)
    assert len(five.rows) == 5
    assert len(five.headings) == 4  # name, limit, and one column for each pantograph
    assert isinstance(force, Picture)
    assert force.chart.zoom
    assert isinstance(look, PageList)
    assert any(
        re.search(r"Largest force .* at km 1\d\+\d{3}, between masts 1\d\d and 1\d\d", item) for item in look.items
    )


def test_masts_and_chainage_stand_along_the_force(own_line, page):
    panel = page.sections[0].blocks[1].chart.panels[0]
    assert panel.station == 12345.0
    assert panel.x_label == "chainage (km + m)"
    assert panel.names[:2] == [(0.0, "100"), (60.0, "101")]
    assert place_words(own_line, 90.0) == "km 12+435, between masts 101 and 102"
    assert place_words(own_line, 60.2) == "km 12+405, at mast 101"
    text = html(page)
    assert ">13+000</text>" in text
    assert ">105</text>" in text


def test_every_place_of_the_page_is_a_chainage(page):
    """Every axis along the track and the places of worst values count as the line does."""
    panels = [q for section in page.sections for b in section.blocks if isinstance(b, Picture) for q in b.chart.panels]
    along = [panel for panel in panels if re.search("chainage|track", panel.x_label)]
    assert len(along) >= 7
    assert {(panel.x_label, panel.station) for panel in along} == {("chainage (km + m)", 12345.0)}
    (worst,) = [b for s in page.sections for b in s.blocks if isinstance(b, PageTable) and "worst values" in b.title]
    cells = [cell for row in worst.rows for cell in row[1:] if cell != "–"]
    assert [cell for cell in cells if not re.fullmatch(r"(km\xa01\d\+\d{3}\.\d, )?[\d.]+\xa0s", cell)] == []


def test_a_setting_that_is_missed_is_no_good_news(own_line):
    """Contact complies, the mean force is beyond its band: the page warns, and a pantograph's row says which."""
    (one, *_) = entries(own_line)
    forced = lambda mean, ratio: replace(
        one,
        criteria=[
            replace(c, value={"mean_force": mean, "deviation_ratio": ratio}[c.key], error=None)
            for c in one.criteria
            if c.key in ("mean_force", "deviation_ratio")
        ],
    )
    assert [(e.verdict, e.mood) for e in (forced(120.0, 0.2), forced(400.0, 0.2), forced(400.0, 0.4))] == [
        ("met", "good"), ("met; setting not met", "warning"), ("not met", "bad"),
    ]  # fmt: skip


def test_masts_without_names_are_numbered():
    result = synthetic.run()
    assert [name for _, name in mast_labels(result)] == [str(k) for k in range(1, result.sizes.get("mast", 0) + 1)]


def test_a_report_of_an_own_line_is_not_endless(page, browser: Browser, tmp_path):
    """1.8 km, droppers and spans one by one, two pantographs: it was 32 000 pixels tall."""
    tab = browser.open(write(page, tmp_path), width=WIDTH)
    assert tab.evaluate("document.documentElement.scrollHeight") < 12_000
    assert tab.complaints == []
    tab.evaluate("location.hash = [...document.querySelectorAll('nav a')].find(a => a.text == 'Inputs').hash")
    tab.wait("document.querySelector(location.hash).querySelector('details').open")


def test_the_force_is_zoomed_and_moved_by_a_hand(page, browser: Browser, tmp_path):
    """Move, press, drag and release as a hand does; ticks and masts follow."""
    tab = browser.open(write(page, tmp_path), width=WIDTH)
    tab.front()
    tab.evaluate(f"document.querySelector('{PLOT}').scrollIntoView({{block: 'center', behavior: 'instant'}})")
    box = tab.evaluate(f"document.querySelector('{PLOT}').getBoundingClientRect().toJSON()")
    x, y = box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"]
    shown = lambda: [
        float(v) for v in tab.evaluate("(d => [d.from, d.to])(document.querySelector('svg.zoom').dataset)")
    ]
    ticks = "[...document.querySelectorAll('svg.zoom g.ticks text')].map(t => t.textContent).join()"
    before = tab.evaluate(ticks)
    tab.mouse("mouseMoved", x, y)
    for count in (1, 2):
        tab.mouse("mousePressed", x, y, clickCount=count)
        tab.mouse("mouseReleased", x, y, clickCount=count)
    low, high = shown()
    whole = tab.evaluate(f"(p => p.dataset.high - p.dataset.low)(document.querySelector('{PLOT}'))")
    assert whole > 1600.0
    assert high - low == pytest.approx(0.5 * whole, rel=1e-3)
    assert tab.evaluate(ticks) != before
    tab.mouse("mousePressed", x, y, clickCount=1)
    for step in range(1, 6):
        tab.mouse("mouseMoved", x - 20 * step, y)
    tab.mouse("mouseReleased", x - 100, y, clickCount=1)
    moved = shown()[0] - low
    assert moved == pytest.approx(100 / box["width"] * 0.5 * whole, rel=0.02)  # the line follows the hand
    seen = "t => t.getAttribute('display') != 'none'"
    assert tab.evaluate(f"[...document.querySelectorAll('svg.zoom g.names text')].filter({seen}).length") > 0
    tab.evaluate("document.querySelector('.zoom-bar button:last-of-type').click()")
    low, high = shown()
    assert high - low == pytest.approx(whole, rel=1e-6)
    assert tab.complaints == []


def test_the_title_block_is_that_of_the_run_or_of_options(own_line, page):
    block = dict(page.title_block)
    assert (block["Project"], block["Checker"], block["Revision"]) == ("Line 4", "C. Hecker", "B")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", block["Date"])
    again = dict(page_of(with_title_block(own_line, {"revision": "C", "author": None, "date": "1 May"})).title_block)
    assert (again["Revision"], again["Author"], again["Date"]) == ("C", "A. Engineer", "1 May")
    assert "C. Hecker" in html(page)
    assert page_of(synthetic.run()).title_block == []


def test_a_report_becomes_a_pdf_whose_first_page_is_the_executive_page(page):
    """Every table and figure is in it, and text of any kind is taken literally."""
    made = pdf(page)
    assert made.startswith(b"%PDF-")
    pages = len(re.findall(rb"/Type\s*/Page\b", made))
    assert 4 < pages < 20
    source = typst_source(page)
    assert source.index("What to look at") < source.index("#pagebreak()") < source.index("Assessment")
    assert "signature" in source
    assert any(section.heading == "Animation" for section in page.sections)
    assert "Animation" not in source
    odd = Page('a "quoted" # $title$ \\ *b*', "_sub_ [x]", page.verdict, page.sections[:1])
    assert pdf(odd).startswith(b"%PDF-")


def test_without_typst_the_remedy_is_named(page, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "typst", None)
    with pytest.raises(ph.errors.ModelError, match=r"pip install 'panhead\[pdf\]'"):
        pdf(page)


def test_the_peak_is_drawn_with_the_droppers_that_matter(tmp_path):
    """The sentence and the drawing first, tables and maps behind them."""
    result = ph.run("en50318-300", out=tmp_path, error_bars="none")
    section = next(s for s in page_of(result).sections if s.heading == "Causes of force peaks")
    words, drawing, *behind = section.blocks
    assert isinstance(words, str)
    assert drawing.name == "why_peak"
    assert "between masts 6 and 7" in drawing.title
    assert "between masts 6 and 7" in words
    parts = np.char.add("NL-1, ", result["why_part"].to_numpy().astype(str))
    named = result.assign(why_part=(result["why_part"].dims, parts))
    assert sentence(named).count("NL-1, ") == 3  # a hyphen in a name is no minus sign
    labels = [s.label for s in drawing.chart.panels[0].strokes if s.label]
    assert sum("dropper" in label for label in labels) == 3
    assert behind
    assert all(block.folded for block in behind)
    assert '<details class="more">' in html(page_of(result))
    assert json.loads(result.attrs["reference"])
