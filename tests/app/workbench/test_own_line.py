"""A line of one's own looks like itself: mast numbers, chainage, tension lengths, curves and cant, at every zoom."""

import os
import re
import tomllib
from pathlib import Path

import pytest
from desk.reports.browser import executable

from app.workbench.eye import CUT, OVERLAPS, judged, painted
from app.workbench.hand import click, key, path, point_at, press, write
from app.workbench.test_views import pictured
from panhead.desk.starter.file_templates import new_text

pytestmark = pytest.mark.skipif(
    executable() is None and "CI" not in os.environ, reason="no Chromium here; CI has one and must not skip"
)
SPANS = 21  # three tension lengths of nine spans, three of them shared by two each time
TRACK = """
chainage = "14.213 km"
[[alignment]]
at = "200 m"
[[alignment]]
at = "260 m"
radius = "1900 m"
cant = "90 mm"
[[alignment]]
at = "620 m"
radius = "1900 m"
cant = "90 mm"
[[alignment]]
at = "700 m"
"""
TEXTS = "[...document.querySelectorAll('#{} {}')].map(t => t.textContent)"


def own_line(folder: Path, name: str) -> None:
    """Masts 14-01, 14-03 …, a curve with cant, and a run of some spans of it."""
    import tomli_w

    raw = tomllib.loads(new_text("line", name, {"tension_lengths": "3", "spans": "9", "span": "60 m", "droppers": "6"}))
    raw |= tomllib.loads(TRACK)
    (one,) = raw["tension_lengths"]
    lengths = []
    for k in range(3):
        masts = [{"at": j, "name": f"14-{2 * (6 * k + j) + 1:02d}"} for j in range(10)]
        rest = {key: value for key, value in one.items() if key != "repeat" and (k < 2 or key != "overlap")}
        lengths.append(rest | {"name": f"TL {12 + k}", "masts": masts})
    (folder / f"{name}-line.toml").write_text(tomli_w.dumps(raw | {"tension_lengths": lengths}))
    run = {"line": f"{name}-line.toml", "speed": "200 km/h", "pantograph": "en50318-2002"}
    journey = '\n[journey]\nstart = "180 m"\njudged_from = "420 m"\njudged_to = "540 m"\nstop = "600 m"\n'
    text = re.sub(r"\n\[journey\].*?\n\n", journey, new_text("run", name, run), flags=re.DOTALL)
    (folder / f"{name}.toml").write_text(text)


@pytest.fixture(scope="module")
def own(browser, server):
    own_line(server.folder, "own")
    tab = browser.open(server.address, width=1280, height=720)
    tab.wait("document.body.dataset.ready")
    press(tab, '[data-file="own.toml"]')
    tab.wait("document.getElementById('opened').textContent.startsWith('own ')")
    tab.wait("document.querySelectorAll('#elevation .mast-name').length > 3")
    judged(tab)
    yield tab
    tab.evaluate("location = 'about:blank'")
    assert tab.complaints == []


def counted(labels):
    """Spans that labels such as "60 m" and "5 × 60 m" stand for."""
    assert all(re.fullmatch(r"(\d+ × )?[\d.]+( … [\d.]+)? m", words) for words in labels), labels
    return sum(int(words.split(" × ")[0]) if "×" in words else 1 for words in labels)


def test_masts_chainage_tension_lengths_and_curves_are_drawn(own):
    names = own.evaluate(TEXTS.format("elevation", ".mast-name"))
    assert names[0] == "14-01"
    assert set(names) <= {f"14-{2 * k + 1:02d}" for k in range(SPANS + 1)}
    assert own.evaluate(TEXTS.format("elevation", "text.length")) == ["TL 12", "TL 13", "TL 14"]
    assert {"14+400", "15+000"} <= set(own.evaluate(TEXTS.format("force", "text")))
    assert "chainage (km+m)" in own.evaluate(TEXTS.format("force", "text"))
    colours = "[...document.querySelectorAll('#elevation .wire.contact')].map(w => getComputedStyle(w).stroke)"
    first, second, third = own.evaluate(colours)
    assert first == third != second
    assert any(words.startswith("R 1900 m left, cant 90 mm") for words in own.evaluate(TEXTS.format("plan", "text")))
    right = "document.querySelector('#verdict{}').getBoundingClientRect().right"
    assert own.evaluate(right.format(" [data-key=uplift]")) <= own.evaluate(right.format(""))  # nothing cut at 1280
    pictured(own, "own-line")


def test_every_span_is_labelled_at_any_zoom(own):
    """The labels in view stand for all spans in view: one by one, or several at a time where there is no room."""
    spans = TEXTS.format("elevation", "text.quiet") + ".filter(t => t.endsWith(' m'))"
    for width in (1000, 1280):  # at 1000 px a span is narrower than its label
        own.resize(width, 720)
        click(own, "whole")
        painted(own)
        assert counted(own.evaluate(spans)) == SPANS
    x, y = point_at(own, "#elevation svg")
    seen = "new Set([...document.querySelectorAll('#elevation .mast > .seen')].map(m => m.getAttribute('x1'))).size"
    for _ in range(6):
        before = own.evaluate(seen)
        own.mouse("mouseWheel", x, y, button="none", deltaX=0, deltaY=-300)
        own.wait(f"{seen} < {before}")
        assert counted(own.evaluate(spans)) >= own.evaluate(seen) - 1
        assert own.evaluate(OVERLAPS) == []
    click(own, "whole")


def test_no_label_lies_over_another_at_any_size(own):
    """Bounding boxes of all words in all drawings, at three sizes of a screen, by chainage and in metres."""
    for places in ("metres", "chainage"):
        click(own, "tab-line")
        press(own, "#places")
        key(own, "Escape")
        key(own, {"metres": "m", "chainage": "c"}[places])
        own.wait(f"document.getElementById('places').value == '{places}'")
        for width, height in ((1280, 720), (1920, 1080), (2560, 1440)):
            own.resize(width, height)
            for view in ("line", "results", "animation"):
                click(own, f"tab-{view}")
                if view == "animation":
                    own.wait("document.querySelectorAll('#picture path').length > 2")
                painted(own)
                assert own.evaluate(OVERLAPS) == [], (places, width, view)
                assert own.evaluate(CUT) == [], (places, width, view)
                assert own.evaluate("document.documentElement.scrollWidth") <= width
                if places == "chainage":
                    pictured(own, f"own-{view}-{width}")
    own.resize(1280, 720)
    click(own, "tab-line")


def test_a_place_is_gone_to_by_mast_chainage_or_metres(own):
    """Of the three ways to say a place each leads there, and the run takes them too."""
    cursor = "document.querySelector('#elevation svg > g:last-child text')?.textContent"
    for words, place in (("14-27", "14+993.0"), ("km 14+813", "14+813.0"), ("720 m", "14+933.0")):
        write(own, "#goto", words)
        own.wait(f"{cursor}?.startsWith('km {place}, mast ')")
        assert own.evaluate("document.querySelectorAll('.dropper').length") < 100  # of six spans or so
    write(own, "#goto", "14-99")
    own.wait("document.getElementById('findings').textContent.includes('There is no mast')")
    point_at(own, "#force svg")
    assert re.fullmatch(r"km 14\+\d{3}\.\d, mast 14-\d\d to 14-\d\d", own.evaluate(cursor))
    click(own, "whole")
    press(own, "#run summary")
    for words, metres in (("14+633", "420 m"), ("14-15", "420 m")):
        write(own, path("run:journey.judged_from"), words)
        own.wait(f"document.querySelector('{path('run:journey.judged_from')}').value == '{metres}'")
    press(own, "#run summary")
    judged(own)
