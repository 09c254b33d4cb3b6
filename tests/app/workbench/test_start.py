"""An empty folder: four ways to a line with a run under it, made by hand and opened; nothing is scripted."""

import os
import re
from dataclasses import replace

import numpy as np
import pytest
from desk.reports.browser import executable

from app.workbench.eye import NAMELESS, OVERLAPS, SIGMA, judged
from app.workbench.hand import after, choose_files, click, drag, dropper, key, path, press, write
from app.workbench.server import Server
from app.workbench.test_views import pictured, saved
from panhead.desk.sheets.line_tables import geometry_tables
from panhead.desk.sheets.survey_fit import survey_of
from panhead.desk.sheets.table_rows import write_csv
from panhead.files import library
from panhead.railway.line import read_line
from panhead.railway.line.layout import Layout, droppers_of
from panhead.railway.line.line_defects import DropperError
from panhead.railway.line.line_description import Mast

pytestmark = pytest.mark.skipif(
    executable() is None and "CI" not in os.environ, reason="no Chromium here; CI has one and must not skip"
)
SAID = "document.getElementById('start-said').textContent"


@pytest.fixture(scope="module")
def nothing(tmp_path_factory):
    """A workbench on an empty folder."""
    served = Server(tmp_path_factory.mktemp("nothing"))
    yield served
    served.close()


@pytest.fixture(scope="module")
def begun(browser, nothing):
    """One tab for this module: the first test sees the folder empty."""
    tab = browser.open(nothing.address, width=1280, height=720)
    tab.wait("document.body.dataset.ready && document.getElementById('create') !== null")
    yield tab
    tab.evaluate("location = 'about:blank'")
    assert [words for words in tab.complaints if "responded with a status of 4" not in words] == []


def way(tab, name):
    click(tab, "tab-start")
    click(tab, f"way-{name}")
    tab.wait(f"document.getElementById('way-{name}').ariaChecked == 'true'")


def made(tab, name):
    """Until the line of that name is on the page, drawn, run and judged."""
    tab.wait(f"document.getElementById('opened').textContent.startsWith('{name}-run · {name}') || {SAID}")
    assert tab.evaluate(SAID) == ""
    tab.wait("document.getElementById('view-line').checkVisibility() && document.querySelector('.dropper') !== null")
    judged(tab)


def test_nothing_is_open_and_the_page_says_what_to_do(begun):
    """Start is in front; no axes without data, nothing to play, and no button that does nothing."""
    assert begun.evaluate("document.getElementById('view-start').checkVisibility()")
    for view, words in (("line", "No line is open"), ("results", "No line is open"), ("animation", "Nothing has run")):
        click(begun, f"tab-{view}")
        assert begun.evaluate(f"document.getElementById('view-{view}').textContent.includes('{words}')"), view
        assert begun.evaluate(f"document.querySelectorAll('#view-{view} svg path, #view-{view} svg line').length") == 0
    names = ["start", "keep", "whole", "before", "after", "goto", "save"]
    assert begun.evaluate(f"{names}.filter(n => !document.getElementById(n).disabled)") == []
    click(begun, "tab-start")
    assert begun.evaluate(OVERLAPS) == begun.evaluate(NAMELESS) == []
    pictured(begun, "start")


def test_a_line_from_a_template(begun, nothing):
    """Typed answers are in a commented file; an answer that cannot be is refused in words, and nothing is written."""
    way(begun, "template")
    write(begun, path("start:name"), "kestrel", end="Tab")
    write(begun, path("start:spans"), "8", end="Tab")
    write(begun, path("start:span"), "55 kg", end="Enter")
    begun.wait(SAID)
    assert "span: " in begun.evaluate(SAID)
    assert list(nothing.folder.glob("*.toml")) == []
    write(begun, path("start:span"), "55 m", end="Tab")
    click(begun, "create")
    made(begun, "kestrel")
    text = (nothing.folder / "kestrel.toml").read_text()
    assert text.startswith("# An overhead contact line")
    assert Layout(read_line(nothing.folder / "kestrel.toml")).mast_x.tolist() == [55.0 * k for k in range(9)]
    assert 'line = "kestrel.toml"' in (nothing.folder / "kestrel-run.toml").read_text()
    assert float(begun.evaluate(SIGMA).split()[0]) > 1.0
    assert begun.evaluate("document.querySelector('#inspector h2').textContent") == "What to do"
    pictured(begun, "started")


def test_the_way_is_chosen_with_the_keys_and_a_shipped_line_keeps_its_comments(begun, nothing):
    way(begun, "template")
    key(begun, "ArrowLeft")
    begun.wait("document.getElementById('way-shipped').ariaChecked == 'true'")
    write(begun, path("start:name"), "kestrel", end="Enter")  # there is one
    begun.wait(SAID)
    assert "there is such a file already" in begun.evaluate(SAID)
    write(begun, path("start:name"), "buzzard", end="Enter")
    made(begun, "buzzard")
    source = library.shipped("lines")["en50318-2002"].read_text()
    named = source.replace('name = "EN 50318:2002 reference line"', 'name = "buzzard"')
    assert (nothing.folder / "buzzard.toml").read_text() == named


@pytest.fixture(scope="module")
def short(tmp_path_factory, nothing):
    """Six spans with names of masts and a chainage, and its tables."""
    line = read_line("en50318-2002")
    tl = line.tension_lengths[0]
    masts = tuple(Mast(at=k, name=f"14-{2 * k + 1:02d}") for k in range(7))
    own = replace(tl, spans=(replace(tl.spans[0], count=6),), masts=masts)
    line = replace(line, tension_lengths=(own,), chainage=14213.0)
    folder = tmp_path_factory.mktemp("office")
    write_csv(geometry_tables(line), folder, comma=False)
    return line, folder


def test_a_line_from_tables(begun, nothing, short):
    """Masts and droppers of an office become a line with its mast numbers and chainage; a wrong cell is named."""
    line, folder = short
    masts, droppers = folder / "masts.csv", folder / "droppers.csv"
    wrong = folder / "wrong.csv"
    wrong.write_bytes(re.sub(rb",30(\.0+)?,", b",999,", droppers.read_bytes(), count=1))
    assert wrong.read_bytes() != droppers.read_bytes()
    way(begun, "tables")
    write(begun, path("start:name"), "office", end="")
    click(begun, "create")
    begun.wait(f"{SAID} == 'Choose the table of masts.'")
    choose_files(begun, path("start:masts"), masts)
    choose_files(begun, path("start:droppers"), wrong)
    click(begun, "create")
    begun.wait(f"{SAID}.includes('row')")
    assert re.match(r"wrong\.csv\n\s+row \d+, column \w+ \(position\): 999 m lies outside", begun.evaluate(SAID))
    pictured(begun, "start-wrong-table")
    choose_files(begun, path("start:droppers"), droppers)
    click(begun, "create")
    made(begun, "office")
    found = read_line(nothing.folder / "office.toml")
    assert found.chainage == 14213.0
    assert [m.name for m in found.tension_lengths[0].masts] == [f"14-{2 * k + 1:02d}" for k in range(7)]
    same = [[d.position for span in Layout(one).pieces[0].spans for d in droppers_of(span)] for one in (found, line)]
    assert same[0] == pytest.approx(same[1], abs=1e-9)
    labels = "[...document.querySelectorAll('#elevation .mast-name')].map(t => t.textContent)"
    assert begun.evaluate(labels) == [f"14-{2 * k + 1:02d}" for k in range(7)]
    pictured(begun, "from-tables")


def test_a_line_from_a_survey(begun, nothing, short, tmp_path):
    """A dropper hung 12 mm too long is the first that the notes name; the heights of the survey alone say so."""
    line, _ = short
    tl = line.tension_lengths[0]
    built = replace(tl, dropper_errors=(DropperError(span=3, dropper=5, error=0.012),))
    survey = survey_of(replace(line, tension_lengths=(built,)), noise=1e-3, seed=3)
    rows = np.column_stack([survey.x + line.chainage, survey.height])
    np.savetxt(tmp_path / "pass-1.csv", rows, delimiter=",", header="chainage,height", comments="", fmt="%.4f")
    way(begun, "survey")
    write(begun, path("start:name"), "built", end="")
    choose_files(begun, path("start:surveys"), tmp_path / "pass-1.csv")
    press(begun, path("start:surveys"))
    key(begun, "Tab")
    for letter in "office":  # as one types into a list
        key(begun, letter)
    begun.wait("document.querySelector('[data-path=\"start:line\"]').value == 'office.toml'")
    click(begun, "create")
    made(begun, "built")
    notes = begun.evaluate("[...document.querySelectorAll('#inspector .notes')][0].textContent")
    worst = re.search(r"span ?3.*?dropper 5.*?: \+(\d+\.\d) mm against the design", notes)
    assert worst, notes
    assert abs(float(worst[1]) - 12.0) < 4.0  # one pass of 1 mm: 0.7 mm deviation of a length, five of them with room
    pictured(begun, "from-survey")


def test_the_first_hour(begun, browser, nothing, tmp_path):
    """As the tutorial tells it: an own line, a dropper dragged, the verdict read, two tensions compared, a report."""
    browser.download_into(tmp_path)
    way(begun, "template")
    write(begun, path("start:name"), "first", end="Tab")
    write(begun, path("start:spans"), "10", end="Tab")
    click(begun, "create")
    made(begun, "first")
    before, now = after(begun, lambda: drag(begun, dropper(6, 5), (0, 15)))
    assert before != now
    begun.wait("document.querySelector('#verdict .word').textContent.length > 5")
    click(begun, "save")
    begun.wait("document.getElementById('save').disabled")
    assert "length_error" in (nothing.folder / "first.toml").read_text()
    click(begun, "tab-results")
    click(begun, "pin")
    _, other = after(begun, lambda: write(begun, path("line:wires.contact.tension"), "24 kN"))
    cells = "[...document.querySelector('#judgement tr[data-key=deviation]').children].map(c => c.textContent)"
    assert [words for words in begun.evaluate(cells) if words.endswith(" N")] == [other, now]
    assert float(other.split()[0]) != float(now.split()[0])
    pictured(begun, "compared")
    press(begun, "[data-form=report]")
    assert "EN 50367" in saved(begun, tmp_path, "report.html").decode()
