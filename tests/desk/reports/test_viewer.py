"""A result in space: what is drawn is what was recorded, in a browser it moves, what cannot be drawn is refused."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from typer.testing import CliRunner

from panhead.app.cli import app
from panhead.desk.viewer import scene_of
from panhead.desk.viewer.plotly_view import draw, merge_strands
from panhead.desk.viewer.scene import FRAMES, Strand
from panhead.errors import ModelError
from panhead.files.result import Result
from panhead.validation.impact.model import block

from .browser import Browser
from .synthetic import run

# a busy machine draws late: look until it is there, not after a while
UNTIL = """new Promise(done => {
  const look = left => (%s) || !left ? done(!!(%s)) : setTimeout(look, 100, left - 1);
  look(300);
})"""
DRAWN = "document.querySelector('#view canvas') && document.querySelector('#view .slider-rail-touch-rect')"
SAYS = "document.querySelector('#view .slider-group').textContent.includes('time %s s')"
HEIGHT = "Math.max(...document.getElementById('view')._fullData[0].z)"
GRIP = """{
  const rail = document.querySelector('#view .slider-rail-touch-rect'), box = rail.getBoundingClientRect();
  const at = {bubbles: true, clientX: box.left + 0.75 * box.width, clientY: box.top + 0.5 * box.height};
  rail.dispatchEvent(new MouseEvent('mousedown', at));
  document.getElementById('view').dispatchEvent(new MouseEvent('mouseup', at));
}"""


def until(condition: str) -> str:
    """A promise of whether the condition has become true."""
    return UNTIL % (condition, condition)


def turning(pictures: int = 5, parts: int = 2) -> Result:
    """Bars about the x axis, each as long as its number."""
    times = np.linspace(0.0, 1.0, pictures)
    radii = np.repeat(np.arange(1.0, parts + 1), 2) * np.tile([0.0, 1.0], parts)
    y, z = np.outer(np.cos(times), radii), np.outer(np.sin(times), radii)
    x = np.broadcast_to(np.repeat(np.arange(float(parts)), 2), y.shape)
    points = {f"outline_{a}": (("time", "outline"), v, {"units": "m"}) for a, v in zip("xyz", (x, y, z), strict=True)}
    names = np.repeat([f"bar {k}" for k in range(parts)], 2)
    coordinates = {"time": ("time", times, {"units": "s"}), "outline_part": ("outline", names)}
    return Result.of(xr.Dataset(points, coordinates, {"title": "turning bars", "inputs": "{}"}))


def test_drawn_points_are_the_recorded_positions() -> None:
    result = turning()
    figure = result.view().figure
    recorded = np.stack([result[f"outline_{a}"].to_numpy()[3] for a in "xyz"])
    for bar, trace in enumerate(figure.frames[3].data):
        drawn = np.stack([trace[a] for a in "xyz"])
        assert drawn == pytest.approx(recorded[:, 2 * bar : 2 * bar + 2], abs=1e-6)
    assert [trace.name for trace in figure.data] == ["bar 0", "bar 1"]


def test_scales_are_equal_and_axes_have_units() -> None:
    space = turning().view().figure.layout.scene
    scales = [np.ptp(space[f"{a}axis"].range) / space.aspectratio[a] for a in "xyz"]
    assert scales == pytest.approx([scales[0]] * 3)
    assert all(space[f"{a}axis"].title.text.endswith("(m)") for a in "xyz")


def test_pictures_and_traces_are_few() -> None:
    figure = turning(5 * FRAMES, 60).view().figure
    assert len(figure.frames) <= FRAMES
    assert len(figure.data) <= 2


def test_alike_strands_are_one_with_a_gap() -> None:
    one, other = (Strand(name, np.full((3, 2, 3), value), "ink") for name, value in (("a", 1.0), ("b", 2.0)))
    (both,) = merge_strands([one, other])
    assert both.name == "a, b"
    assert both.points[:, :, 0] == pytest.approx(np.tile([1, 1, np.nan, 2, 2], (3, 1)), nan_ok=True)


def test_a_run_shows_wires_heads_and_forces_where_they_were() -> None:
    result = run(pantographs=2)
    scene = scene_of(result)
    k = len(scene.times) // 2
    frame = int(np.flatnonzero(result["frame_time"].to_numpy() == scene.times[k])[0])
    wire = next(s for s in scene.strands if s.name == "contact wire").points[k]
    x = wire[:, 0] + float(result["frame_pantograph_x"][frame, 0])
    heights = result["frame_contact_z"].to_numpy()
    known = np.interp(x, np.broadcast_to(result["frame_x"].to_numpy(), heights.shape)[frame], heights[frame])
    inside = np.isfinite(wire[:, 2])
    assert inside.sum() > 20
    assert wire[inside, 2] == pytest.approx(known[inside], abs=2e-3)  # straight between points of two grids
    (pressed,) = scene.arrows
    force = [np.interp(scene.times[k], result["time"], row) for row in result["contact_force"].to_numpy()]
    assert pressed.force[k] == pytest.approx(np.outer(force, [0, 0, 1]))
    assert pressed.foot[k, :, 2] == pytest.approx(result["frame_head_z"].to_numpy()[frame])
    assert {"pantograph 1", "pantograph 2", "droppers", "supports", "messenger wire"} <= {s.name for s in scene.strands}
    assert any("N per metre" in str(t.name) for t in draw(scene).figure.data)


def test_members_of_a_linkage_take_the_place_of_the_sketched_arms() -> None:
    result = run()
    arm = np.tile([[0.3, 4.0], [1.2, 4.5], [0.0, 5.0]], (result.sizes["frame"], 1, 1))
    jointed = scene_of(result.assign(linkage_lower_arm=(("frame", "joint", "axis"), arm)))
    drawn = next(s for s in jointed.strands if s.name == "lower arm")
    assert drawn.points[0] == pytest.approx(np.insert(arm[0], 1, 0.0, axis=1))
    assert len(jointed.strands) == len(scene_of(result).strands)  # one more, and one less


def test_contacts_of_a_motion_press_where_they_touch() -> None:
    """A block that slides on a level floor, a scene as flat as rounding: arrows that can be seen, from its feet."""
    result = block(speed=2.0, friction=0.3).simulate(duration=0.1, dt=0.01)
    scene = scene_of(result)
    (pressed,) = scene.arrows
    assert pressed.force[5].sum(axis=0) == pytest.approx([-0.3 * 3 * 9.81, 3 * 9.81, 0.0])
    assert pressed.foot[5] == pytest.approx(result["touch_place"].to_numpy()[5])
    shown = next(t for t in draw(scene).figure.frames[5].data if np.isnan(t.x).any())
    tips = np.linalg.norm([shown.x[1] - shown.x[0], shown.y[1] - shown.y[0]])
    assert 0.05 * 2.2 < tips < 0.25 * 2.2  # of the plane and the way, 2.2 m
    assert any("N per metre" in str(t.name) for t in draw(scene).figure.data)


def vehicle() -> xr.Dataset:
    """A car body turned by a right angle about z on one axle that heads along y."""
    half = np.sqrt(0.5)
    body = {"x": 1.0, "y": 2.0, "z": 3.0, "e0": half, "e1": 0.0, "e2": 0.0, "e3": half}
    axle = {"x": 1.0, "y": 2.0, "z": 0.5, "yaw": np.pi / 2, "roll": 0.0, "turn": 0.0}
    values = {f"car body.{k}": v for k, v in body.items()} | {f"axle.{k}": v for k, v in axle.items()}
    force = np.tile([[[10.0, 20.0, 30.0], [1.0, 2.0, 3.0]]], (2, 1, 1, 1))
    return xr.Dataset(
        {
            "q": (("time", "coordinate"), np.tile(list(values.values()), (2, 1))),
            "place": (("time", "axle"), np.zeros((2, 1))),
            "wheel_force": (("time", "axle", "wheel", "direction"), force),
        },
        {"time": [0.0, 1.0], "coordinate": list(values), "axle": ["axle"]},
    )


def test_a_vehicle_stands_where_it_stood_and_is_pressed_where_its_wheels_are() -> None:
    scene = scene_of(vehicle())
    box = scene.strands[0].points[0]
    assert box.min(axis=0) == pytest.approx([-1.4, -1.8, 1.7])  # long along y, its middle 3 m up
    assert box.max(axis=0) == pytest.approx([1.4, 1.8, 4.3])
    assert box[0] == pytest.approx([1.4, -1.8, 1.7])  # the right corner of its tail
    (pressed,) = scene.arrows
    assert pressed.foot[0] == pytest.approx(np.array([[-0.75, 0, 0], [0.75, 0, 0]]))  # the left wheel is at −x
    assert pressed.force[0] == pytest.approx(np.array([[-20, 10, 30], [-2, 1, 3]]))


def test_what_has_no_geometry_is_refused() -> None:
    bare = Result.of(xr.Dataset({"q": (("time", "coordinate"), np.zeros((3, 1)))}, attrs={"title": "bare"}))
    with pytest.raises(ModelError, match=r"'bare' has no 3D geometry; results of the kinds motion"):
        bare.view()
    with pytest.raises(ModelError, match="no variant 'other'"):
        turning().view("other")


def test_without_plotly_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    with pytest.raises(ModelError, match=r"pip install 'panhead\[view\]'"):
        turning().view()


def test_the_command_writes_a_page_and_the_slider_moves_it(browser: Browser, tmp_path: Path) -> None:
    from panhead.files import results

    stored = results.save(turning(), tmp_path / "result.nc")
    said = CliRunner().invoke(app, ["view", str(stored), "--no-browser"], catch_exceptions=False)
    assert said.exit_code == 0
    page = tmp_path / "view.html"
    tab = browser.open(page)
    assert tab.evaluate(until(f"{DRAWN} && {SAYS % '0'}"))
    assert tab.evaluate(HEIGHT) == 0.0
    tab.evaluate(GRIP)
    assert tab.evaluate(until(f"{SAYS % '0.75'} && {HEIGHT} > 0"))
    assert tab.evaluate(HEIGHT) == pytest.approx(np.sin(0.75), abs=1e-6)
    assert [url for url in tab.requests if not url.startswith(("data:", "blob:"))] == [page.resolve().as_uri()]
    assert not [c for c in tab.complaints if "rror" in c]  # software drawing is complained of, nothing else


def test_a_notebook_shows_it_in_a_frame() -> None:
    shown = turning().view()._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert "turning bars" in shown
