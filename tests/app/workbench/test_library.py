"""The library, the run's panel and the dialogs, as a hand uses them."""

import os
import tomllib

import pytest
from desk.reports.browser import executable

from app.workbench.eye import SIGMA, judged
from app.workbench.hand import CTRL, SHIFT, after, click, dropper, key, path, press, write

pytestmark = pytest.mark.skipif(
    executable() is None and "CI" not in os.environ, reason="no Chromium here; CI has one and must not skip"
)
OPENED = "document.getElementById('opened').textContent"
ASK = "#ask input[type=text]"


def answered(tab, words, end="Enter"):
    """Type over the name that a dialog suggests."""
    tab.wait("document.getElementById('ask').open")
    write(tab, ASK, words, end=end)


def test_a_file_is_copied_and_renamed(bench, server):
    """The copy keeps comments and is opened; a name that is taken is refused, and Escape changes nothing."""
    line = f"{bench.name}-line"
    press(bench, f'[aria-label="Copy {line}"]')
    answered(bench, line)
    bench.wait("document.getElementById('ask-wrong').textContent.includes('there is such a file already')")
    write(bench, ASK, f"{bench.name}-copy")
    bench.wait(f"{OPENED}.includes(' · {bench.name}-copy')")
    judged(bench)
    first = (server.folder / f"{line}.toml").read_text().partition("\n")[0]
    assert first.startswith("#")
    assert (server.folder / f"{bench.name}-copy.toml").read_text().startswith(first)
    press(bench, f'[aria-label="Rename {bench.name}-copy"]')
    answered(bench, f"{bench.name}-other")
    bench.wait(f"{OPENED}.includes(' · {bench.name}-other')")
    assert not (server.folder / f"{bench.name}-copy.toml").exists()
    press(bench, f'[aria-label="Rename {bench.name}-other"]')
    answered(bench, "never", end="Escape")
    bench.wait("!document.getElementById('ask').open")
    assert (server.folder / f"{bench.name}-other.toml").exists()


def test_changes_are_not_lost_without_a_word(bench):
    """Another file is opened over unsaved changes: Cancel stays, OK goes."""
    press(bench, dropper(5, 5))
    after(bench, lambda: key(bench, "ArrowDown", SHIFT))
    assert "•" in bench.evaluate(OPENED)
    press(bench, f'[data-file="{bench.name}-line.toml"]')
    bench.wait("document.getElementById('ask').open")
    press(bench, "#ask button[value='']")
    bench.wait("!document.getElementById('ask').open")
    assert "•" in bench.evaluate(OPENED)
    press(bench, f'[data-file="{bench.name}-line.toml"]')
    bench.wait("document.getElementById('ask').open")
    click(bench, "ask-yes")
    bench.wait(f"!{OPENED}.includes('•')")
    judged(bench)
    assert bench.evaluate(SIGMA) == "36.64 N"


def test_pantographs_come_and_go(bench):
    """A second one is added and taken away; another kind is chosen with the keys."""
    press(bench, "#run .buttons button")
    bench.wait(f"document.querySelector('{path('run:train.1.behind')}')?.value == '100 m'")
    press(bench, "#run > button")
    bench.wait(f"document.querySelector('{path('run:train.1.behind')}') === null")
    press(bench, path("run:train.0.pantograph"))
    key(bench, "Escape")
    key(bench, "d")
    bench.wait("JSON.parse(sessionStorage['panhead-workbench']).run.train[0].pantograph == 'dsa250'")
    for _ in range(3):
        key(bench, "z", CTRL)
    bench.wait("document.getElementById('undo').disabled")
    judged(bench)


def test_a_run_is_kept_laid_over_and_taken_away(bench, server):
    """Run and keep… writes what panhead run writes; the kept result is laid over the next run and removed again."""
    click(bench, "keep")
    answered(bench, bench.name)
    bench.wait("document.body.dataset.result == document.body.dataset.task")
    judged(bench)
    assert (server.folder / "out" / bench.name / "report.html").is_file()
    click(bench, "tab-results")
    bench.wait(f"[...document.querySelectorAll('#kept option')].some(o => o.textContent == '{bench.name}')")
    press(bench, "#kept")
    key(bench, "Escape")
    for letter in bench.name[:12]:
        key(bench, letter)
    chip = f'[aria-label="Remove {bench.name}"]'
    bench.wait(f"document.querySelector('{chip}') !== null")
    press(bench, chip)
    bench.wait(f"document.querySelector('{chip}') === null")


def test_a_study_of_the_run_is_made_and_stopped(bench, server):
    click(bench, "tab-study")
    press(bench, "#view-study .tools button:last-of-type")
    answered(bench, f"{bench.name}-speeds")
    bench.wait(f"document.getElementById('study-choice').value == '{bench.name}-speeds.toml'")
    assert f'base = "{bench.name}.toml"' in (server.folder / f"{bench.name}-speeds.toml").read_text()
    click(bench, "study-start")
    stop = "#view-study .tools button:nth-of-type(2)"
    bench.wait(f"!document.querySelector('{stop}').disabled")
    press(bench, stop)
    bench.wait("document.querySelector('#view-study [role=status]').textContent == 'stopped'")
    assert bench.evaluate(f"document.querySelector('{stop}').disabled")


def test_a_tolerance_study_keeps_speed_and_pantograph_of_the_run(bench, server):
    """Of the shipped study it takes what erectors leave, and nothing of the run that it belongs to."""
    click(bench, "tab-study")
    press(bench, "#view-study .tools button:last-of-type")
    bench.wait("document.getElementById('ask').open")
    press(bench, "#ask-fields select")
    key(bench, "Escape")
    key(bench, "ArrowDown")
    write(bench, "#ask-fields > :last-child input", "5", end="")
    write(bench, ASK, f"{bench.name}-lines")
    bench.wait(f"document.getElementById('study-choice').value == '{bench.name}-lines.toml'")
    found = tomllib.loads((server.folder / f"{bench.name}-lines.toml").read_text())
    assert {"form": "tolerance", "samples": 5}.items() <= found.items()
    assert len(found["scatter"]) == 3
    assert not {"changes", "vary", "about"} & set(found)
