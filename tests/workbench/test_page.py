"""The workbench as a user sees it: a real browser, real runs, real files."""

import os
import re
import shutil
import time
from pathlib import Path

import pytest
from report.browser import Browser, executable

from panhead.files import library

pytestmark = pytest.mark.skipif(
    executable() is None and "CI" not in os.environ, reason="no Chromium here; CI has one and must not skip"
)
RUN = """kind = "run"
line = "{line}"
speed = "300 km/h"

[[train]]
pantograph = "en50318-2002"

[journey]
judged_from = "240 m"
judged_to = "360 m"
stop = "480 m"
"""
VERDICT = "document.getElementById('verdict')"
SIGMA = f"{VERDICT}.querySelector('[data-key=deviation] b')?.textContent"
#: texts of a drawing that lie over one another, by more than the room between lines
OVERLAPS = """(() => { const found = [];
  for (const drawing of document.querySelectorAll('main svg')) {
    const texts = [...drawing.querySelectorAll('text')]
      .filter(t => t.textContent && t.getBoundingClientRect().width > 0);
    const boxes = texts.map(t => t.getBoundingClientRect());
    for (let i = 0; i < boxes.length; i++) for (let j = 0; j < i; j++) {
      const w = Math.min(boxes[i].right, boxes[j].right) - Math.max(boxes[i].left, boxes[j].left);
      const h = Math.min(boxes[i].bottom, boxes[j].bottom) - Math.max(boxes[i].top, boxes[j].top);
      if (w > 2 && h > 4) found.push(`${texts[j].textContent} | ${texts[i].textContent}`);
    } }
  return found; })()"""
#: controls without a name that a screen reader could say
NAMELESS = """[...document.querySelectorAll('button, input, select, [role=button], svg[tabindex], progress')]
  .filter(c => !(c.getAttribute('aria-label') || c.textContent.trim()
    || (c.labels && [...c.labels].some(l => l.textContent.trim()))))
  .map(c => c.outerHTML.slice(0, 120))"""


@pytest.fixture(scope="module")
def browser():
    found = Browser(executable())
    yield found
    found.close()


@pytest.fixture
def bench(browser, server, request):
    """A tab with a run and a line of this test's own, run once."""
    name = re.sub(r"\W", "", request.node.name)
    shutil.copy(library.shipped("lines")["en50318-2002"], server.folder / f"{name}-line.toml")
    (server.folder / f"{name}.toml").write_text(RUN.format(line=f"{name}-line.toml"))
    tab = opened(browser, server, f"{name}.toml")
    tab.name = name
    yield tab
    tab.evaluate("location = 'about:blank'")  # a browser holds six connections to a server, and each tab listens
    assert [words for words in tab.complaints if "responded with a status of 4" not in words] == []
    assert {url for url in tab.requests if not url.startswith((server.address, "data:", "blob:"))} == set()


def opened(browser, server, path, **more):
    tab = browser.open(server.address, width=1280, height=720, **more)
    tab.wait("document.body.dataset.ready")
    tab.evaluate("document.body.dataset.result = ''")
    tab.evaluate(f"document.querySelector('[data-file=\"{path}\"]').click()")
    tab.wait("document.body.dataset.result && document.querySelectorAll('.dropper').length == 90")
    for path in ("line:wires.contact.tension", "run:speed"):
        tab.wait(f"document.querySelector('[data-path=\"{path}\"]') !== null")
    return tab


def after(tab, act):
    """Do something that makes the run repeat; σ before and after it."""
    before, task = tab.evaluate(SIGMA), tab.evaluate("document.body.dataset.result")
    act()
    tab.wait(f"document.body.dataset.result != {task!r}")
    return before, tab.evaluate(SIGMA)


def middle_of(tab, selector):
    x, y = tab.evaluate(
        f"(() => {{ const b = document.querySelector('{selector}').getBoundingClientRect();"
        "return [b.x + b.width / 2, b.y + b.height / 2] })()"
    )
    return x, y


def dropper(tab, span, number):
    return f'.dropper[aria-label^="Dropper {number} of span {span},"]'


def test_every_view_can_be_read(bench, tmp_path):
    """Pictures of every view, light and dark, at 1280 × 720: no words over words, a name for every control."""
    folder = Path(os.environ.get("PANHEAD_PICTURES", tmp_path))
    bench.evaluate(f"document.querySelector('{dropper(bench, 5, 5)}').focus()")
    after(bench, lambda: bench.key("ArrowDown", code=40, modifiers=8))
    bench.evaluate("document.getElementById('arrows').click()")
    bench.wait("document.querySelectorAll('.dropper path').length > 5")
    for theme in ("light", "dark"):
        for view in ("line", "results", "animation", "study"):
            bench.evaluate(f"document.getElementById('tab-{view}').click()")
            if view == "animation":
                bench.wait("document.querySelectorAll('#picture path').length > 2")
            time.sleep(0.1)
            bench.screenshot(folder / f"{view}-{theme}.png", whole=False)
            assert bench.evaluate(OVERLAPS) == [], view
            assert bench.evaluate(NAMELESS) == [], view
            assert bench.evaluate("document.documentElement.scrollWidth") <= 1280
        bench.evaluate("document.getElementById('theme').click()")
    assert len(list(folder.glob("*-dark.png"))) == 4
