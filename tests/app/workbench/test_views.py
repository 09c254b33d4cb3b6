"""What every view gives away and lets be done: files, zoom, cursors, studies, arrows, long lines, keys."""

import os
import re
import time
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from desk.reports.browser import PATIENCE, executable

from app.workbench.eye import CUT, FAINT, OVERLAPS, SIGMA, judged
from app.workbench.hand import SHIFT, after, click, drag, dropper, key, point_at, press
from panhead.files import library, results

pytestmark = pytest.mark.skipif(
    executable() is None and "CI" not in os.environ, reason="no Chromium here; CI has one and must not skip"
)
STUDY = """kind = "study"
base = "{base}"
form = "speed"
[[vary]]
input = "speed"
values = ["200 km/h", "230 km/h"]
"""


def pictured(tab, name):
    """A picture of the page as it is, if somebody wants to look at it."""
    if folder := os.environ.get("PANHEAD_PICTURES"):
        tab.screenshot(Path(folder) / f"{name}.png", whole=False)


def saved(tab, folder, name, patience=PATIENCE):
    """Bytes of a file once it is there whole."""
    end, said = time.monotonic() + patience, "document.getElementById('findings').textContent"
    while not (folder / name).exists():
        assert time.monotonic() < end, ([p.name for p in folder.iterdir()], tab.evaluate(said), tab.requests[-8:])
        time.sleep(0.05)
    return (folder / name).read_bytes()


def test_everything_can_be_taken_home(bench, browser, tmp_path):
    """CSV and netCDF hold the run that is shown, to the last bit; the report and the charts are files of their own."""
    browser.download_into(tmp_path)
    click(bench, "tab-results")
    shown = bench.evaluate(SIGMA)
    for form in ("csv", "nc", "report"):
        press(bench, f"[data-form={form}]")
    for form in ("svg", "png"):
        press(bench, f'#view-results [aria-label="Contact force as {form.upper()}"]')
    saved(bench, tmp_path, "result.nc")
    result = results.load(tmp_path / "result.nc")
    criteria = {row[0]: row for row in _criteria(result)}
    assert f"{criteria['deviation'][1]:.4g} N" == shown
    head, *rows = saved(bench, tmp_path, "result.csv").decode().splitlines()
    assert head == "variant,pantograph,time (s),contact_x (m),contact_force (N),contact_uplift (m)"
    force = np.array([float(row.split(",")[4]) for row in rows])
    assert np.array_equal(force, result["contact_force"].to_numpy()[0])
    page = saved(bench, tmp_path, "report.html").decode()
    assert "<script src" not in page
    assert page.count("<svg") > 3
    drawing = ElementTree.fromstring(saved(bench, tmp_path, "contact-force.svg"))
    words = [t.text for t in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert {"contact force up to 20 Hz (N)", "distance along the track (m)"} <= set(words)
    assert b"var(--" not in (tmp_path / "contact-force.svg").read_bytes()
    png = saved(bench, tmp_path, "contact-force.png")
    wide, high = (int.from_bytes(png[k : k + 4], "big") for k in (16, 20))
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert (wide, high) == tuple(bench.evaluate(
        "(b => [2 * b.clientWidth, 2 * b.clientHeight])(document.querySelector('#view-results .tall'))"))  # fmt: skip


def _criteria(result):
    from panhead.assess import judgement

    return [(c.key, c.shown()[0]) for c in next(iter(judgement(result)[""].values()))]


def test_zoom_and_cursor_are_one_for_all_charts(bench):
    """A wheel over the elevation zooms force and loads too; what the cursor reads is the force at that place."""
    labels = "[...document.querySelectorAll('#force text')].map(t => t.textContent)"
    before = bench.evaluate(labels)
    x, y = point_at(bench, "#elevation svg")
    bench.mouse("mouseWheel", x, y, button="none", deltaX=0, deltaY=-300)
    bench.wait(f"{labels}.join() != {','.join(before)!r}")
    seen = bench.evaluate("document.querySelectorAll('.dropper').length")
    assert seen < 90
    point_at(bench, "#force svg")
    hair = "document.querySelector(`#${n} svg > g:last-child line`)?.getAttribute('x1')"
    cursors = f"['elevation', 'statics', 'force'].map(n => {hair})"
    bench.wait(f"{cursors}.every(Boolean)")
    assert len(set(bench.evaluate(cursors))) == 1
    read = "document.querySelector('#force svg > g:last-child text').textContent"
    assert 50.0 < float(bench.evaluate(read).partition(": ")[2].split()[0]) < 250.0
    click(bench, "tab-results")
    point_at(bench, "#view-results .chart:not(.tall) svg")  # over the uplift, the force is read as well
    reads = "[...document.querySelectorAll('#view-results .chart svg > g:last-child text')].map(t => t.textContent)"
    bench.wait(f"{reads}.length > 2")
    assert len({words.partition(":")[0] for words in bench.evaluate(reads)}) == 1
    pictured(bench, "zoomed")
    press(bench, "#view-results .tall svg")
    key(bench, "0")  # shows all again
    click(bench, "tab-line")
    bench.wait("document.querySelectorAll('.dropper').length == 90")


def test_a_study_is_started_and_watched(bench, browser, server, tmp_path):
    """Progress, the sentence, the curves and the report; a second start repeats nothing."""
    browser.download_into(tmp_path)
    name = f"{bench.name}-study"
    (server.folder / f"{name}.toml").write_text(STUDY.format(base=f"{bench.name}.toml"))
    press(bench, '[aria-label="Read the folder again"]')
    press(bench, f'[data-file="{name}.toml"]')
    bench.wait(f"document.getElementById('study-choice').value == '{name}.toml'")
    click(bench, "study-start")
    bench.wait("document.querySelectorAll('#view-study .chart').length > 3")
    sentence = bench.evaluate("document.getElementById('study-sentence').textContent")
    assert sentence == "Contact quality is met in all 2 runs."
    assert bench.evaluate("document.querySelector('#view-study progress').value") == 1
    assert bench.evaluate(OVERLAPS) == []
    pictured(bench, "study-done")
    files = {p: p.stat().st_mtime_ns for p in (server.folder / "out" / name / "samples").iterdir()}
    assert len(files) == 2
    press(bench, "#study-report")
    assert b"speed" in saved(bench, tmp_path, "report.html")
    click(bench, "study-start")
    bench.wait("document.getElementById('study-sentence') === null")
    bench.wait("document.getElementById('study-sentence') !== null")
    assert files == {p: p.stat().st_mtime_ns for p in files}


def test_where_an_arrow_points_sigma_falls(bench):
    """The dropper with the longest arrow is changed by 10 mm the way it points, and back: σ falls, then rises."""
    click(bench, "arrows")
    bench.wait("document.querySelectorAll('.dropper path').length > 5")
    rise = r"(d => Number(d.match(/ ([-\d.]+)V/)[1]) - Number(d.match(/V([-\d.]+)/)[1]))"
    arrows = "[...document.querySelectorAll('.dropper path')]"
    longest = (
        f"{arrows}.sort((a, b) => Math.abs({rise}(b.getAttribute('d'))) - Math.abs({rise}(a.getAttribute('d'))))[0]"
    )
    up = bench.evaluate(f"{rise}({longest}.getAttribute('d'))") > 0
    name = bench.evaluate(f"{longest}.closest('.dropper').ariaLabel")
    click(bench, "arrows")
    press(bench, dropper(*(int(word) for word in re.findall(r"\d+", name)[1::-1])))
    one, other = ("ArrowUp", "ArrowDown") if up else ("ArrowDown", "ArrowUp")
    nudge = lambda name: lambda: key(bench, name, SHIFT)
    before, along = after(bench, nudge(one))
    _, back = after(bench, nudge(other))
    _, against = after(bench, nudge(other))
    number = lambda words: float(words.split()[0])
    assert back == before
    assert number(along) < number(before) < number(against)


def test_a_line_of_120_spans(bench, server):
    """It is drawn where one looks; its strip, the keys and the zoom go along it; a part of it is run and judged."""
    text = library.shipped("lines")["en50318-2002"].read_text().replace("count = 10", "count = 120")
    (server.folder / "long-line.toml").write_text(text)
    press(bench, '[aria-label="Read the folder again"]')
    press(bench, '[data-file="long-line.toml"]')
    strip = "document.querySelector('#overview svg')"
    bench.wait(f"{strip}.getAttribute('aria-valuetext') == 'spans 1 to 20 of 120'")
    bench.wait("document.querySelectorAll('.dropper').length == 180")
    pictured(bench, "long-line")
    press(bench, "#overview svg", off=(-300, 0))  # within the part that is seen
    key(bench, "End")
    bench.wait(f"{strip}.getAttribute('aria-valuetext') == 'spans 101 to 120 of 120'")
    bench.wait("document.querySelectorAll('.dropper').length == 180")
    press(bench, dropper(120, 9))
    bench.wait("document.querySelector('[data-path=\"span:0.119.length\"]') !== null")
    key(bench, "ArrowDown", SHIFT)
    bench.wait("!document.getElementById('undo').disabled")
    bench.wait(f"document.querySelector('{dropper(120, 9)}') !== null")
    press(bench, "#overview svg", off=(300, 0))
    for _ in range(2):
        key(bench, "PageUp")
    bench.wait(f"{strip}.getAttribute('aria-valuetext') == 'spans 61 to 80 of 120'")
    drag(bench, point_at(bench, "#overview svg", off=(79, 0)), (-113, 0))  # a sixth of the strip is 20 spans
    bench.wait(f"{strip}.getAttribute('aria-valuetext') == 'spans 41 to 60 of 120'")
    bench.wait(f"document.querySelector('{dropper(50, 5)}') !== null")
    x, y = point_at(bench, "#elevation svg")
    for _ in range(5):
        seen = bench.evaluate(f"{strip}.getAttribute('aria-valuetext')")
        bench.mouse("mouseWheel", x, y, button="none", deltaX=0, deltaY=-300)
        bench.wait(f"{strip}.getAttribute('aria-valuetext') != {seen!r}")
    assert bench.evaluate(OVERLAPS) == []
    click(bench, "part")
    judged(bench)
    field = 'document.querySelector(`[data-path="run:journey.${n}"]`).value'
    low, high = bench.evaluate(f"['judged_from', 'judged_to'].map(n => parseFloat({field}))")
    assert 40 * 60 < low < high < 60 * 60
    assert float(bench.evaluate(SIGMA).split()[0]) > 1.0
    pictured(bench, "long-part")
    click(bench, "whole")
    bench.wait(f"{strip}.getAttribute('aria-valuetext') == 'spans 1 to 120 of 120'")
    assert bench.evaluate(OVERLAPS) == []
    pictured(bench, "long-whole")


REACHABLE = """[...document.querySelectorAll('button, input, select, summary, [role=button], svg[tabindex]')]
  .filter(c => !c.disabled && !['tab', 'radio'].includes(c.role) && c.checkVisibility()
    && !(c.closest('details:not([open])') && c.tagName != 'SUMMARY'))"""
NAME = "(c => c?.dataset.path || c?.dataset.key || c?.dataset.file || c?.ariaLabel || c?.textContent.trim() || c?.id)"


def controls_passed_with_tab(bench):
    """Names of the controls of the view and of those Tab passes; again if the view gained controls meanwhile."""
    for _ in range(3):
        there, seen = bench.evaluate(f"{REACHABLE}.map({NAME})"), set()
        press(bench, "h1")  # from there on
        for _ in range(len(there) + 40):  # a dropper in focus shows its own fields
            key(bench, "Tab")
            seen.add(bench.evaluate(f"{NAME}(document.activeElement)"))
        now = set(bench.evaluate(f"{REACHABLE}.map({NAME})"))
        if now <= set(there):
            break
    return now, seen


def test_every_control_is_reached_with_tab_and_can_be_read(bench):
    """All but tabs and ways to start, which the arrows reach. Words stand out by WCAG, in both themes."""
    for theme in ("light", "dark"):
        for view in ("start", "line", "results", "animation", "study"):
            click(bench, f"tab-{view}")
            if view == "animation":  # its controls appear with the frames
                bench.wait("document.getElementById('no-pictures').hidden")
            if theme == "light":
                there, seen = controls_passed_with_tab(bench)
                assert there - seen == set(), view
            assert bench.evaluate(FAINT) == [], (theme, view)
            assert bench.evaluate(CUT) == [], (theme, view)
        click(bench, "theme")
