"""A result in space: what is drawn is what was recorded, and what cannot be drawn is refused with its remedy."""

from __future__ import annotations

import base64

import numpy as np
import pytest
import xarray as xr

from desk.reports.synthetic import DROPPERS, SPAN, SPANS, run
from desk.viewer.models import CANT, RADIUS, STAGGER, described_run, turning, vehicle
from panhead.desk.viewer import scene_of
from panhead.desk.viewer.scene import BodiesScene, LineScene, round_number
from panhead.desk.viewer.scene_json import pack_array
from panhead.errors import ModelError
from panhead.files.result import Result
from panhead.validation.impact.model import block


def line_scene(result: xr.Dataset) -> LineScene:
    scene = scene_of(result)
    assert isinstance(scene, LineScene)
    return scene


def bodies_scene(result: xr.Dataset) -> BodiesScene:
    scene = scene_of(result)
    assert isinstance(scene, BodiesScene)
    return scene


def test_bodies_are_where_they_were_recorded() -> None:
    result = turning()
    scene = bodies_scene(result)
    recorded = np.stack([result[f"outline_{a}"].to_numpy() for a in "xyz"], axis=-1)
    for bar, part in enumerate(scene.parts[:2]):
        assert (part.name, part.shape) == (f"bar {bar}", "rod")
        assert part.points == pytest.approx(recorded[:, 2 * bar : 2 * bar + 2])
    assert scene.frames == pytest.approx(result["time"].to_numpy())


def test_what_never_moves_stands_on_feet() -> None:
    """The bars turn about places on the x axis."""
    (feet,) = (part for part in bodies_scene(turning()).parts if part.shape == "mark")
    assert feet.points[0] == pytest.approx(np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))


def test_a_plane_stands_upright_and_what_stretches_is_a_spring() -> None:
    flat = turning().drop_vars("outline_x").rename(outline_y="outline_x", outline_z="outline_y")
    stretched = flat["outline_x"].copy()
    stretched[:, 3] *= np.linspace(1.0, 1.5, 5)
    bar, spring = bodies_scene(flat.assign(outline_x=stretched)).parts[:2]
    assert (bar.shape, spring.shape) == ("link", "spring")
    assert bar.points[:, 1] == pytest.approx(
        np.stack([flat["outline_x"][:, 1], np.zeros(5), flat["outline_y"][:, 1]], axis=-1)
    )


def test_many_points_over_many_moments_stay_a_small_page() -> None:
    assert len(turning(2000, 600).view().html()) < 8e6


def unpacked(found: dict) -> np.ndarray:
    kind = {"f4": "<f4", "f8": "<f8", "u2": "<u2"}[found["kind"]]
    values = np.frombuffer(base64.b64decode(found["data"]), kind).reshape(found["shape"])
    if kind != "<u2":
        return values
    return np.where(values == 65535, np.nan, found["low"] + found["step"] * values.astype(float))


def test_arrays_keep_what_a_picture_needs() -> None:
    """Tables to half a step of 65 534, rows as they are; gaps stay gaps."""
    long = np.sin(np.arange(20_000.0)).reshape(100, 200)
    long[3, 4] = np.nan
    again = unpacked(pack_array(long))
    assert np.isnan(again[3, 4])
    assert np.nanmax(np.abs(again - long)) <= 0.51 * 2.0 / 65534
    far = np.array([1.0e5 + 1e-9, np.nan])
    assert np.array_equal(unpacked(pack_array(far)), far, equal_nan=True)


def test_wires_are_at_rest_plus_the_recorded_motion() -> None:
    result = run(pantographs=2)
    scene = line_scene(result)
    wire = next(w for w in scene.wires if w.field == "messenger")
    x = scene.motion.first[7] + scene.motion.apart * np.arange(scene.motion.fields["messenger"].shape[1])
    drawn = np.interp(x, wire.x, wire.z) + scene.motion.fields["messenger"][7]
    assert drawn == pytest.approx(result["frame_messenger_z"].to_numpy()[7], abs=1e-9)  # one grid: nothing between
    assert list(scene.frames) == result["frame_time"].to_numpy().tolist()


def test_pantographs_are_where_they_were_and_press_as_they_pressed() -> None:
    result = run(pantographs=2)
    scene = line_scene(result)
    t = result["time"].to_numpy()
    for k, pantograph in enumerate(scene.pantographs):
        assert pantograph.x == pytest.approx(np.interp(scene.fine, t, result["contact_x"].to_numpy()[k]))
        assert pantograph.wire == pytest.approx(np.interp(scene.fine, t, result["contact_z"].to_numpy()[k]))
        inside = (scene.fine > t[0] + 0.3) & (scene.fine < t[-1] - 0.3)  # away from the filter's ends
        # a span at 300 km/h is 1.4 Hz, far below the filter's 20 Hz; its dropper harmonic of 12.8 Hz loses some percent
        force = np.interp(scene.fine, t, result["contact_force"].to_numpy()[k])
        assert np.corrcoef(pantograph.force[inside], force[inside])[0, 1] > 0.98
    first, second = scene.strip.panels[0].curves
    assert (first.name, second.name) == ("pantograph 1", "pantograph 2")
    assert first.y is scene.pantographs[0].force


def test_droppers_are_slack_when_they_were_slack() -> None:
    for result in (run(), described_run()):
        scene = line_scene(result)
        which = int(result["slack_dropper"][5])
        place = float(result["dropper_x"][which])
        (dropper,) = (d for d in scene.droppers if abs(d.x - place) < 1e-6)
        mine = result["slack_dropper"].to_numpy() == which
        expected = zip(result["slack_start"].to_numpy()[mine], result["slack_end"].to_numpy()[mine], strict=True)
        assert list(dropper.slack) == [(float(a), float(b)) for a, b in expected]
        assert sum(len(d.slack) for d in scene.droppers) == result.sizes["slack"]


def test_a_described_line_hangs_over_its_masts() -> None:
    """Ten spans of 60 m: masts, stagger from side to side, arms that pull towards it, nine droppers a span."""
    scene = line_scene(described_run())
    wire = next(w for w in scene.wires if w.field == "contact")
    assert [post.x for post in scene.posts] == pytest.approx(SPAN * np.arange(SPANS + 1))
    signs = np.where(np.arange(SPANS + 1) % 2, -1, 1)
    assert np.interp([post.x for post in scene.posts], wire.x, wire.y) == pytest.approx(STAGGER * signs, abs=1e-9)
    inner = scene.posts[1:-1]
    assert [post.cantilevers[0].pulls for post in inner] == signs[1:-1].tolist()
    assert [post.cantilevers[0].anchor for post in scene.posts] == [True, *[False] * (SPANS - 1), True]
    assert len(scene.droppers) == SPANS * DROPPERS.size
    assert scene.path is None


def test_a_curved_track_bends_by_its_length_over_its_radius() -> None:
    scene = line_scene(described_run(curved=True))
    path = scene.path
    assert path is not None
    assert path.heading[-1] - path.heading[0] == pytest.approx((path.s[-1] - path.s[0]) / RADIUS)
    # distance of the points from the centre of the circle; the chords of 2 m are 0.6 mm inside it
    centre = np.array([path.x[0] - RADIUS * np.sin(path.heading[0]), path.y[0] + RADIUS * np.cos(path.heading[0])])
    assert np.hypot(path.x - centre[0], path.y - centre[1]) == pytest.approx(RADIUS, abs=2e-3)
    assert path.tilt == pytest.approx(np.arcsin(CANT / 1.5))
    assert {post.side for post in scene.posts} == {-1}  # masts of a left curve stand outside, to the right
    assert {arm.pulls for post in scene.posts[1:-1] for arm in post.cantilevers} == {-1}


def test_members_of_a_linkage_take_the_place_of_the_sketched_arms() -> None:
    result = run()
    arm = np.tile([[0.3, 4.0], [1.2, 4.5], [0.0, 5.0]], (result.sizes["frame"], 1, 1))
    jointed = line_scene(result.assign(linkage_lower_arm=(("frame", "joint", "axis"), arm)))
    (member,) = jointed.pantographs[0].members
    assert member == pytest.approx(arm.astype(np.float32))
    assert jointed.roof == pytest.approx(4.0 - 0.32)
    assert line_scene(result).pantographs[0].members == ()


def test_a_conductor_rail_hangs_from_posts_and_has_no_droppers() -> None:
    rail = run().drop_vars(["frame_messenger_z", "static_messenger_z", "dropper_x", "slack_dropper"])
    scene = line_scene(rail)
    assert [wire.profile for wire in scene.wires] == [True]
    assert {post.kind for post in scene.posts} == {"hanger"}
    assert scene.droppers == ()


def test_contacts_of_a_motion_press_where_they_touch() -> None:
    """A block that slides on a level floor, a scene as flat as rounding: arrows that can be seen, from its feet."""
    result = block(speed=2.0, friction=0.3).simulate(duration=0.1, dt=0.01)
    scene = bodies_scene(result)
    (pressed,) = scene.arrows
    assert pressed.force[5].sum(axis=0) == pytest.approx([-0.3 * 3 * 9.81, 0.0, 3 * 9.81], abs=1e-9)
    x, y, z = np.moveaxis(result["touch_place"].to_numpy()[5], -1, 0)
    assert pressed.foot[5] == pytest.approx(np.stack([x, -z, y], axis=-1))  # y of a plane is up
    longest = np.linalg.norm(pressed.force, axis=-1).max() * pressed.metres_per_newton
    assert 0.1 * scene.size < longest < 0.6 * scene.size
    assert any("1 m for" in words for words, _ in scene.key)


def test_scales_of_arrows_are_round_numbers() -> None:
    assert [round_number(value) for value in (0.9, 1.3, 1.6, 34.0, 680.0)] == pytest.approx(
        [1.0, 1.0, 2.0, 50.0, 500.0]
    )


def test_a_vehicle_stands_where_it_stood_and_is_pressed_where_its_wheels_are() -> None:
    scene = bodies_scene(vehicle())
    centre, *tips = scene.parts[0].points[0]
    assert centre == pytest.approx([0.0, 0.0, 3.4])  # drawn 0.4 m above the centre of mass
    assert tips[0] - centre == pytest.approx([0.0, 1.8, 0.0])  # long along y
    axle = next(part for part in scene.parts if part.shape == "axle")
    assert axle.points[0, :2] == pytest.approx(
        np.array([[-0.75, 0.0, 0.5], [0.75, 0.0, 0.5]])
    )  # the left wheel is at −x
    (pressed,) = scene.arrows
    assert pressed.foot[0] == pytest.approx(np.array([[-0.75, 0, 0], [0.75, 0, 0]]))
    assert pressed.force[0] == pytest.approx(np.array([[-20, 10, 30], [-2, 1, 3]]))


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"q": (("time", "coordinate"), np.zeros((3, 1)))}, "'bare' holds coordinates but no outlines"),
        ({"contact_force": (("pantograph", "time"), np.zeros((1, 3)))}, "'bare' holds contact forces but no animation"),
        ({"frequency": ("mode", np.ones(3))}, "'bare' has no 3D geometry; results of the kinds run, motion"),
    ],
)
def test_what_has_no_geometry_is_refused_with_the_remedy(variables: dict, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        Result.of(xr.Dataset(variables, attrs={"title": "bare"})).view()


def test_a_variant_that_is_not_there_is_refused() -> None:
    with pytest.raises(ModelError, match="no variant 'other'"):
        turning().view("other")
