"""What the page says before there is anything to show, and how it follows the system."""

import os
import time

import pytest
from desk.reports.browser import executable

from app.workbench.eye import FAINT
from app.workbench.hand import RUN, after, click, dropper, key, path, press
from app.workbench.test_views import pictured

pytestmark = pytest.mark.skipif(
    executable() is None and "CI" not in os.environ, reason="no Chromium here; CI has one and must not skip"
)
#: answers to requests of a name are held back until `window.go` is called
HELD = """((name) => { const real = window.fetch; window.fetch = async (address, more) => {
  const answer = await real(address, more);
  if (!String(address).includes(`/api/${name}`)) return answer;
  window.fetch = real;
  await new Promise(go => { window.go = go; });
  return answer; } })"""
VERDICT = "document.getElementById('verdict').textContent"
AXES = "document.querySelectorAll('#view-line svg line, #view-line svg path').length"
#: contrast of a colour of the page with its paper (WCAG 2.2, 1.4.11: at least 3 for what must be seen)
CONTRAST = """((name) => { const style = getComputedStyle(document.documentElement);
  const light = (hex) => [1, 3, 5].map(k => parseInt(hex.slice(k, k + 2), 16) / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
  const [a, b] = [name, '--paper'].map(n => light(style.getPropertyValue(n).trim())).sort();
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); })"""


@pytest.fixture
def slow(bench, server):
    """A run of some seconds under the line of this test."""
    text = RUN.format(line=f"{bench.name}-line.toml") + '[numerics]\nstep = "4e-6 s"\n'
    (server.folder / f"{bench.name}-slow.toml").write_text(text)
    press(bench, '[aria-label="Read the folder again"]')
    return f'[data-file="{bench.name}-slow.toml"]'


def test_reading_stringing_and_the_first_run_are_told(bench, slow):
    """No empty axes: while the line is strung, and while the first run is computed with its progress."""
    bench.evaluate(f"{HELD}('draw')")
    press(bench, slow)
    bench.wait("document.getElementById('elevation').textContent == 'Stringing the line …'")
    assert bench.evaluate(AXES) == 0
    assert bench.evaluate("document.getElementById('force').textContent").startswith(
        "Contact force: the line comes first"
    )
    bench.wait("Boolean(window.go)")
    bench.evaluate("window.go()")
    share = "Number({}.match(/the run is being computed: (\\d+) %/)?.[1])"
    bench.wait(f"{share.format(VERDICT)} >= 0")
    assert bench.evaluate(VERDICT).startswith("No verdict yet: ")
    pictured(bench, "first-run")
    click(bench, "tab-results")
    words = "document.querySelector('#view-results .sentence').textContent"
    bench.wait(f"{words}.startsWith('The run is being computed: ')")
    assert bench.evaluate("document.querySelector('#view-results .chart svg').checkVisibility()") is False
    bench.wait(f"{share.format(VERDICT)} > 0")  # it goes on
    click(bench, "stop")
    bench.wait("document.querySelector('#verdict .word')?.textContent == 'stopped'")


def test_the_theme_is_that_of_the_system_until_one_is_chosen(bench):
    """The system goes dark while the page is open, and the page with it; a choice here stays."""
    theme = "document.documentElement.dataset.theme"
    system = lambda scheme: bench.call(
        "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}]
    )
    assert bench.evaluate(theme) == "light"
    system("dark")
    bench.wait(f"{theme} == 'dark'")
    assert bench.evaluate(f"{CONTRAST}('--pale')") >= 3.0
    assert bench.evaluate(FAINT) == []
    click(bench, "theme")  # the other one
    assert bench.evaluate(theme) == "light"
    assert bench.evaluate(f"{CONTRAST}('--pale')") >= 3.0
    system("light")
    system("dark")
    assert bench.evaluate(theme) == "light"
    click(bench, "theme")
    click(bench, "theme")  # as the system again
    assert bench.evaluate(theme) == "dark"
    system("light")
    bench.wait(f"{theme} == 'light'")


def test_units_and_the_failing_criterion_are_named(bench):
    """Beside a field stands the unit that stands in it; the header names the criterion that fails, with its limit."""
    label = "document.querySelector('{}').closest('.field').querySelector('.unit').textContent"
    for name, unit in (("line:wires.contact.tension", "(kN)"), ("run:speed", "(km/h)"), ("line:presag", "(mm)")):
        assert bench.evaluate(label.format(path(name))).strip() == unit
    assert bench.evaluate("document.querySelector('#verdict .word small').textContent").startswith(
        "standard deviation over mean 31."
    )
    press(bench, dropper(5, 5))
    after(bench, lambda: key(bench, "ArrowDown"))
    pale = "document.querySelector('#force path[stroke=\"var(--pale)\"]')?.getAttribute('d').length"
    assert bench.evaluate(pale) > 100  # the run before is there to be seen


def test_arrows_say_that_they_are_computed_and_why_there_are_none(bench, server):
    said = "document.getElementById('arrows-words').textContent"
    bench.evaluate(f"{HELD}('gradient')")
    click(bench, "arrows")
    bench.wait(f"{said} == 'computing …'")
    bench.wait(f"{said}.includes('The gradient costs as much as several runs')")  # after three seconds
    bench.wait("Boolean(window.go)")
    mine = bench.evaluate("sessionStorage['panhead-page']")
    ended = lambda: [t["state"] for t in server.get(f"api/tasks?page={mine}")["tasks"] if t["name"] == "gradient"]
    while ended() != ["done"]:
        time.sleep(0.1)
    bench.evaluate("window.go()")
    bench.wait("document.querySelectorAll('.dropper path').length > 5")  # though it had ended before it was known
    assert bench.evaluate(said) == ""
    two = (
        RUN.format(line=f"{bench.name}-line.toml") + '[[variants]]\nname = "slower"\nchanges = { speed = "280 km/h" }\n'
    )
    (server.folder / f"{bench.name}-two.toml").write_text(two)
    press(bench, '[aria-label="Read the folder again"]')
    press(bench, f'[data-file="{bench.name}-two.toml"]')
    bench.wait(f"{said} == 'no arrows for this run'")
    assert "without variants" in bench.evaluate("document.getElementById('findings').textContent")
