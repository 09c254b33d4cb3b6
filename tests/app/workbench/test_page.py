"""The workbench as a user sees it: a real browser, real runs, real files."""

import os
import re
from pathlib import Path

import pytest
from desk.reports.browser import executable

from app.workbench.eye import CUT, NAMELESS, OVERLAPS, SIGMA, painted
from app.workbench.hand import SHIFT, after, click, drag, dropper, key, opened, path, press, write
from panhead.errors import FileError
from panhead.files import library, parse
from panhead.railway.line.line_description import Line

pytestmark = pytest.mark.skipif(
    executable() is None and "CI" not in os.environ, reason="no Chromium here; CI has one and must not skip"
)


def test_drag_a_dropper_and_the_command_line_agrees(bench, server, panhead, monkeypatch):
    """20 mm lower in the judged part: σ moves, and `panhead run` prints the same digits for the saved files."""
    monkeypatch.setenv("COLUMNS", "300")  # no name on two lines
    before, now = after(bench, lambda: drag(bench, dropper(5, 5), (0, 20)))
    assert before == "36.64 N"
    assert now != before
    click(bench, "save")
    bench.wait("!document.getElementById('opened').textContent.includes('•')")
    assert "position = 30, length_error = 0.02" in (server.folder / f"{bench.name}-line.toml").read_text()
    click(bench, "tab-results")
    row = "r => [r.children[0].textContent, r.children[1].textContent.trim()]"
    shown = dict(bench.evaluate(f"[...document.querySelectorAll('#judgement tr[data-key]')].map({row})"))
    said = panhead("run", str(server.folder / f"{bench.name}.toml"), "--no-error-bars", "--out", "out").stdout
    found = re.finditer(r"│ ([^│]+?) +│ +([-\d.e+]+) +│ (\S*) ", said)
    rows = {m[1].strip(): f"{m[2]} {m[3]}".strip() for m in found}
    both = shown.keys() & rows.keys()  # the page's table has bands of frequency besides
    assert len(both) >= 15
    assert {name: shown[name] for name in both} == {name: rows[name] for name in both}
    assert now == rows["standard deviation, 0–20 Hz filter"]


def test_a_wrong_value_is_marked_at_its_place(bench):
    """The words of the command line below the field; the line stays as it was."""
    field = "document.querySelector('[data-path=\"line:wires.contact.tension\"]')"
    write(bench, path("line:wires.contact.tension"), "20 bar")
    bench.wait(f"{field}.getAttribute('aria-invalid') == 'true'")
    words = bench.evaluate(f"document.getElementById({field}.getAttribute('aria-describedby')).textContent")
    raw = parse.read_toml(library.shipped("lines")["en50318-2002"])
    raw["wires"]["contact"]["tension"] = "20 bar"
    with pytest.raises(FileError) as told:
        parse.build(Line, raw, source="line")
    assert told.value.problems == [f"wires.contact.tension: {words}"]
    assert bench.evaluate("document.getElementById('save').disabled")
    drag(bench, dropper(5, 9), (60, 0))  # beyond the mast
    bench.wait("document.getElementById('findings').textContent.includes('lies outside it')")
    assert bench.evaluate(f"document.querySelector('{dropper(5, 9)}').classList.contains('wrong')")


def test_a_dropper_that_would_have_to_push_is_marked(bench):
    """The line can be described, but not strung: the drawing says which dropper, in the same words."""
    press(bench, dropper(5, 5))
    write(bench, path("dropper:0.4.5.sag"), "60")
    bench.wait("document.getElementById('findings').textContent.includes('would have to push')")
    assert bench.evaluate(f"document.querySelector('{dropper(5, 5)}').classList.contains('wrong')")
    click(bench, "undo")
    bench.wait("!document.getElementById('findings').textContent")


def test_stop_keeps_what_there_is(bench):
    """The run that is stopped is the one asked for here, not one that the page had before."""
    press(bench, "#run summary")
    before = bench.evaluate("document.body.dataset.task")
    write(bench, path("run:numerics.step"), "4e-6 s")
    bench.wait(f"document.body.dataset.task != '{before}'")
    bench.wait("(p => !p.hidden && p.value > 0.02)(document.getElementById('progress'))")
    click(bench, "stop")
    bench.wait("document.querySelector('#verdict .word').textContent == 'stopped'")
    assert bench.evaluate("document.getElementById('findings').textContent").startswith("Stopped: interrupted at t =")
    assert bench.evaluate("document.querySelector('#force path').getAttribute('d').length") > 100


def test_compare_two_then_reload_and_lose_nothing(bench):
    click(bench, "tab-results")
    click(bench, "pin")
    before, now = after(bench, lambda: write(bench, path("run:speed"), "280 km/h"))
    cells = "[...document.querySelector('#judgement tr[data-key=deviation]').children].map(c => c.textContent)"
    assert [word for word in bench.evaluate(cells) if word.endswith(" N")] == [now, before]
    state = (
        "[document.getElementById('opened').textContent, document.querySelector('[data-path=\"run:speed\"]').value,"
        f"{SIGMA}, document.getElementById('undo').disabled, {cells}].join()"
    )
    kept = bench.evaluate(state)
    bench.reload()
    bench.wait("document.body.dataset.ready && document.querySelector('#judgement tr[data-key=deviation]') !== null")
    assert bench.evaluate(state) == kept
    assert "•" in kept
    after(bench, lambda: click(bench, "undo"))
    assert bench.evaluate(SIGMA) == before


def test_two_tabs_do_not_disturb_each_other(bench, browser, server):
    """They share one stream of events, since a browser holds six connections to a server; the next takes it over."""
    other = opened(browser, server, f"{bench.name}.toml")
    assert ["/api/events" in url for tab in (bench, other) for url in tab.requests].count(True) == 1
    bench.front()
    press(bench, dropper(6, 3))
    _, now = after(bench, lambda: key(bench, "ArrowDown", SHIFT))  # the keys do what the mouse does
    assert other.evaluate(SIGMA) == "36.64 N" != now
    click(bench, "save")
    bench.wait("document.getElementById('save').disabled")
    other.front()
    press(other, dropper(6, 4))
    after(other, lambda: key(other, "ArrowDown", SHIFT))
    click(other, "save")
    other.wait("document.getElementById('findings').textContent.includes('changed on the disk')")
    bench.evaluate("location = 'about:blank'")
    after(other, lambda: click(other, "undo"))
    assert other.evaluate(SIGMA) == "36.64 N"
    other.evaluate("location = 'about:blank'")
    text = (server.folder / f"{bench.name}-line.toml").read_text()
    assert "position = 17, length_error" in text
    assert "position = 23.5, length_error" not in text


@pytest.mark.parametrize("bench", ["my-run"], indirect=True)
def test_every_view_can_be_read(bench, tmp_path):
    """Pictures of every view, light and dark, at 1280 × 720: no words over words, a name for every control."""
    folder = Path(os.environ.get("PANHEAD_PICTURES", tmp_path))
    press(bench, dropper(5, 5))
    after(bench, lambda: key(bench, "ArrowDown", SHIFT))
    click(bench, "arrows")
    bench.wait("document.querySelectorAll('.dropper path').length > 5")
    for theme in ("light", "dark"):
        for view in ("start", "line", "results", "animation", "study"):
            click(bench, f"tab-{view}")
            if view == "animation":
                bench.wait("document.querySelectorAll('#picture path').length > 2")
            painted(bench)
            bench.screenshot(folder / f"{view}-{theme}.png", whole=False)
            assert bench.evaluate(OVERLAPS) == [], view
            assert bench.evaluate(NAMELESS) == [], view
            assert bench.evaluate(CUT) == [], view
            assert bench.evaluate("document.documentElement.scrollWidth") <= 1280
        click(bench, "theme")
    assert len(list(folder.glob("*-dark.png"))) == 5
