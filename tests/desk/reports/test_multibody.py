"""The page of bodies and joints: real short runs, what it draws of large models, life in a browser."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from panhead.desk.drawing import figures
from panhead.desk.reports import motion
from panhead.desk.reports.motion import choose_coordinates, page
from panhead.desk.reports.page import Animation, Page, PageTable, Picture
from panhead.desk.reports.render import write
from panhead.files import results
from panhead.runs import scenarios

from .browser import Browser
from .test_pages import DRAWN, blocks

FIGURES = {"outputs", "reactions", "energy", "residuals", "coordinates", "rates"}


def page_of(name: str, folder: Path, *settings: str) -> Page:
    made = scenarios.read(name, settings).simulate()
    return page(results.load(results.save(made, folder / "result.nc")))


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Page:
    settings = ("run.duration=0.2 s", "run.step=1 ms", "run.keep=2 ms")
    return page_of("chain", tmp_path_factory.mktemp("chain"), *settings)


def test_page_shows_motion_reactions_energy_and_drift(chain: Page) -> None:
    headings = [section.heading for section in chain.sections]
    assert headings[:5] == ["Motion", "Outputs", "Reactions", "Energy", "Constraints"]
    assert {p.name for p in blocks(chain, Picture)} >= FIGURES
    assert all(figures.without_unit(p.chart) == [] for p in blocks(chain, Picture))
    assert chain.verdict.mood == "good"
    assert "constraints are satisfied" in chain.verdict.sentence


def test_joints_are_listed_by_what_they_carry(chain: Page) -> None:
    table = next(t for t in blocks(chain, PageTable) if t.headings[0] == "Joint")
    forces = [float(row[2].replace("\u2212", "-")) for row in table.rows]
    assert forces == sorted(forces, reverse=True)
    assert "8 more joints" in table.note  # twelve of twenty are listed


def test_a_space_is_seen_from_one_side(chain: Page) -> None:
    (moving,) = blocks(chain, Animation)
    assert {c.name for c in moving.curves} >= {"link", "axis x", "axis z", "ground"}
    assert moving.equal_aspect
    assert moving.traces[0].label.endswith("(N)")


def test_projection_keeps_the_vertical_upright_and_shortens_nothing_across() -> None:
    """Two axes of the view are unit vectors at right angles, z has no part across."""
    across, up = (np.array([motion.project_view(*e)[k] for e in np.eye(3)]) for k in (0, 1))
    assert across @ across == pytest.approx(1.0)
    assert up @ up == pytest.approx(1.0)
    assert across @ up == pytest.approx(0.0, abs=1e-15)
    assert across[2] == 0.0
    assert up[2] > 0.9


def test_a_flat_wire_is_stretched_in_height(tmp_path: Path) -> None:
    made = page_of("sliding-mass-on-cable", tmp_path, "run.duration=50 ms", "run.keep=5 ms")
    (moving,) = blocks(made, Animation)
    assert not moving.equal_aspect
    assert "exaggerated" in moving.caption
    assert {c.name for c in moving.curves} == {"cable", "mass"}


def test_of_large_models_some_bodies_and_nodes_are_drawn() -> None:
    rigid = [f"body{k}.{c}" for k in range(30) for c in ("x", "y", "angle")]
    assert [rigid[k] for k in choose_coordinates(rigid)][::3] == ["body0.x", "body15.x", "body29.x"]
    wire = [f"wire.{k}{c}" for k in range(41) for c in ("x", "y", "'x", "'y")]
    assert [wire[k] for k in choose_coordinates(wire)] == [f"wire.{k}{c}" for k in (10, 20, 30) for c in "xy"]
    small = ["a.x", "a.y", "b.x"]
    assert choose_coordinates(small) == [0, 1, 2]


def test_it_lives_in_a_browser(browser: Browser, chain: Page, tmp_path: Path) -> None:
    tab = browser.open(write(chain, tmp_path))
    widths = tab.evaluate(f"[...document.querySelectorAll('{DRAWN}')].map(i => i.clientWidth)")
    assert min(widths) > 300
    assert tab.evaluate("document.querySelectorAll('canvas').length") == 1
    before, after = tab.evaluate("""(async () => {
        const shot = () => document.querySelector('canvas').toDataURL(), first = shot();
        document.querySelector('.play').click();
        await new Promise(done => setTimeout(done, 300));
        document.querySelector('.play').click();
        return [first, shot()] })()""")
    assert before != after
    assert tab.complaints == []
