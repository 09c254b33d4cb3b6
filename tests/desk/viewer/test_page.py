"""The page in a real browser: it draws, and hands that move, press, drag and type change what is seen."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from app.workbench.hand import drag, key, point_at, press
from typer.testing import CliRunner

from desk.reports.browser import Browser, Tab
from desk.viewer.models import CHAINAGE, described_run, turning
from panhead.app.cli import app
from panhead.desk.viewer import scene_of
from panhead.desk.viewer.scene import LineScene
from panhead.files import results

WIDE, HIGH = 160, 90
SMALL = f"""(() => {{ const small = document.createElement('canvas'), pen = small.getContext('2d');
  [small.width, small.height] = [{WIDE}, {HIGH}];
  pen.drawImage(document.getElementById('space'), 0, 0, {WIDE}, {HIGH});
  return Array.from(pen.getImageData(0, 0, {WIDE}, {HIGH}).data); }})()"""
TIME = "Number(document.body.dataset.drawn)"
CURSOR = "Number(document.getElementById('strip').dataset.cursor)"
PAINTED = "new Promise(then => requestAnimationFrame(() => requestAnimationFrame(then)))"


def picture(tab: Tab) -> np.ndarray:
    """The canvas in few pixels, (height, width, 3)."""
    tab.evaluate(PAINTED)
    return np.array(tab.evaluate(SMALL), float).reshape(HIGH, WIDE, 4)[..., :3]


def changed(before: np.ndarray, after: np.ndarray) -> float:
    """Share of pixels that differ by more than a twentieth of white."""
    return float(np.mean(np.abs(after - before).max(axis=2) > 12))


def red(pixels: np.ndarray) -> int:
    return int(np.sum((pixels[..., 0] > 110) & (pixels[..., 0] > 2.2 * pixels[..., 1]) & (pixels[..., 2] < 110)))


def opened(browser: Browser, page: Path, **more: object) -> Tab:
    tab = browser.open(page, width=960, height=640, **more)
    tab.front()
    tab.wait("document.body.dataset.drawn")
    return tab


@pytest.fixture(scope="module")
def run_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return described_run(2).view().save(tmp_path_factory.mktemp("view") / "run.html")


@pytest.fixture
def tab(browser: Browser, run_page: Path) -> Tab:
    return opened(browser, run_page)


@pytest.fixture(scope="module")
def scene() -> LineScene:
    found = scene_of(described_run(2))
    assert isinstance(found, LineScene)
    return found


def test_the_command_writes_a_page_that_asks_for_nothing(browser: Browser, tmp_path: Path) -> None:
    stored = results.save(turning(), tmp_path / "result.nc")
    said = CliRunner().invoke(app, ["view", str(stored), "--no-browser"], catch_exceptions=False)
    assert said.exit_code == 0
    page = tmp_path / "view.html"
    tab = opened(browser, page)
    assert np.unique(picture(tab).reshape(-1, 3), axis=0).shape[0] > 200  # shades, not one colour
    before = picture(tab)
    press(tab, "#time", off=(30, 0))
    tab.wait(f"{TIME} > 0.5")
    assert changed(before, picture(tab)) > 0.005
    assert [url for url in tab.requests if not url.startswith(("data:", "blob:"))] == [page.resolve().as_uri()]
    assert not [c for c in tab.complaints if "rror" in c]  # software drawing is complained of, nothing else


def test_a_run_is_drawn_without_errors_and_small(tab: Tab, run_page: Path) -> None:
    r, g, b = np.moveaxis(picture(tab), 2, 0)
    assert np.mean((r < 90) & (g < 90) & (b < 90)) > 0.01  # windows, wheels, carbon
    assert np.sum((b > 1.4 * r) & (b > 1.2 * g) & (b > 60)) > 8  # the arms of the first pantograph
    assert np.mean((g > 1.05 * b) & (g > r)) > 0.05  # grass
    assert run_page.stat().st_size < 2e6
    assert not [c for c in tab.complaints if "rror" in c]
    assert tab.evaluate("document.getElementById('trouble').hidden")


def test_the_strip_and_the_picture_show_one_moment(tab: Tab, scene: LineScene) -> None:
    """A press on the strip goes to its moment; words and label tell the force of that moment."""
    x, _ = point_at(tab, "#strip", off=(97, 10))
    before, still = picture(tab), tab.evaluate(CURSOR)
    press(tab, "#strip", off=(97, 10))
    tab.wait(f"{CURSOR} != {still}")
    left = tab.evaluate("document.getElementById('strip').getBoundingClientRect().left")
    assert tab.evaluate(CURSOR) == pytest.approx(x - left, abs=1.0)
    assert changed(before, picture(tab)) > 0.02
    t = tab.evaluate(TIME)
    shown = tab.evaluate("document.querySelector('.label').textContent")
    force = np.interp(t, scene.fine, scene.pantographs[0].force)
    assert float(re.findall(r"\d+", shown)[0]) == pytest.approx(force, abs=0.6)  # whole newtons
    place = CHAINAGE + np.interp(t, scene.fine, scene.pantographs[0].x)
    said = tab.evaluate("document.getElementById('now').textContent")
    assert said == f"{t:.3f} s, km {place // 1000:.0f}+{place % 1000:05.1f}"


def test_the_arrow_is_as_long_as_the_force_is_large(browser: Browser, run_page: Path, scene: LineScene) -> None:
    force = scene.pantographs[0].force
    inner = slice(40, -40)
    weak, strong = (scene.fine[inner][pick(force[inner])] for pick in (np.argmin, np.argmax))
    counts = []
    for t in (weak, strong):
        address = f"{run_page.resolve().as_uri()}#t={t}&distance=4&elevation=0.05&x=1"
        counts.append(red(picture(opened(browser, address))))
    assert counts[1] > 1.5 * counts[0]  # head and thickness stay, the shaft grows


def test_keys_step_play_and_exaggerate(tab: Tab) -> None:
    start = tab.evaluate(TIME)
    press(tab, "#space")
    key(tab, "ArrowRight")
    tab.wait(f"{TIME} > {start}")
    key(tab, "Home")
    tab.wait(f"Math.abs({TIME} - {start}) < 1e-9")
    key(tab, " ")
    tab.wait(f"{TIME} > {start}")
    key(tab, " ")
    tab.wait("document.getElementById('play').getAttribute('aria-label') == 'Play'")
    before = picture(tab)
    for _ in range(6):
        key(tab, "+")
    tab.wait("document.getElementById('factor').textContent == '× 10'")
    assert changed(before, picture(tab)) > 0.001


def test_the_slider_exaggerates_to_scale_and_beyond(tab: Tab) -> None:
    press(tab, "#exaggeration", off=(-38, 0))
    tab.wait("document.getElementById('factor').textContent == 'to scale'")
    before = picture(tab)
    drag(tab, "#exaggeration", (38, 0))
    tab.wait("/× (1[5-9]|20)/.test(document.getElementById('factor').textContent)")
    assert changed(before, picture(tab)) > 0.001


def test_the_camera_turns_comes_near_follows_and_stays(tab: Tab) -> None:
    before = picture(tab)
    drag(tab, "#space", (120, 30))
    turned = picture(tab)
    assert changed(before, turned) > 0.1
    x, y = point_at(tab, "#space")
    tab.mouse("mouseWheel", x, y, button="none", deltaX=0, deltaY=-300)
    near = picture(tab)
    assert changed(turned, near) > 0.1
    label = "[...document.querySelectorAll('.label')].map(l => l.style.transform)"
    centre = tab.evaluate(label)[0]
    key(tab, "2")
    tab.wait(f"{label}[1] != {label}[0] && {label}[0] != {centre!r}")
    key(tab, "f")
    tab.evaluate(PAINTED)
    free = tab.evaluate(label)[1]
    key(tab, "ArrowRight")
    tab.wait(f"{label}[1] != {free!r}")  # the train has gone on, the camera has not


def test_a_notebook_shows_it_in_a_frame(browser: Browser, tmp_path: Path) -> None:
    shown = turning().view()._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    cell = tmp_path / "cell.html"
    cell.write_text(f"<!doctype html><title>cell</title>{shown}", "utf-8")
    tab = browser.open(cell)
    tab.wait("document.querySelector('iframe').contentDocument.body.dataset.drawn")


@pytest.mark.parametrize("width", [420, 1280, 1920])
def test_controls_stay_inside_the_window(browser: Browser, run_page: Path, width: int) -> None:
    tab = browser.open(run_page, width=width, height=720, scheme="dark")
    tab.wait("document.body.dataset.drawn")
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    outside = """[...document.querySelectorAll('nav > *, #strip, #stage')].filter(e => !e.hidden).filter(e => {
      const b = e.getBoundingClientRect(); return b.right > innerWidth + 1 || b.bottom > innerHeight + 1; })"""
    assert tab.evaluate(f"{outside}.map(e => e.id)") == []
    if width > 1000:
        rows = "new Set([...document.querySelectorAll('nav > *')].map(e => Math.round(e.offsetTop / 30)))"
        assert tab.evaluate(f"{rows}.size") == 1
