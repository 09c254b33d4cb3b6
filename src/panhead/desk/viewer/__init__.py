"""3D view of a result: line, train, bodies and forces in one offline page to turn, zoom and play."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from panhead.errors import ModelError
from panhead.files.variants import separate

if TYPE_CHECKING:
    import xarray as xr

    from panhead.desk.viewer.scene import Scene
    from panhead.desk.viewer.space_view import SpaceView


def view(dataset: xr.Dataset, variant: str = "") -> SpaceView:
    """3D view of a result; of a result with variants the named one, otherwise the first."""
    from panhead.desk.viewer.space_view import SpaceView

    return SpaceView(scene_of(dataset, variant))


def scene_of(dataset: xr.Dataset, variant: str = "") -> Scene:
    """Build the 3D scene of a result; ModelError if it has no geometry."""
    results = separate(dataset)
    if variant and variant not in results:
        raise ModelError(
            f"view: there is no variant {variant!r}; available: {', '.join(filter(None, results)) or 'none'}"
        )
    name = variant or next(iter(results))
    scene = _scene(results[name])
    return replace(scene, title=f"{scene.title}, {name}") if name else scene


def _scene(one: xr.Dataset) -> Scene:
    if "outline_part" in one and "outline_x" in one:
        from panhead.desk.viewer.motion_scene import motion_scene

        return motion_scene(one)
    if "wheel_force" in one and "place" in one:
        from panhead.desk.viewer.vehicle_scene import vehicle_scene

        return vehicle_scene(one)
    from panhead.desk.reports.run_animation import has_pictures

    if has_pictures(one):
        from panhead.desk.viewer.run_scene import run_scene

        return run_scene(one)
    raise ModelError(_refusal(one))


def _refusal(dataset: xr.Dataset) -> str:
    """Why a result cannot be shown, and what to do about it."""
    title = repr(str(dataset.attrs.get("title", "this result")))
    if "contact_force" in dataset:
        return (
            f"view: {title} holds contact forces but no animation frames of the line, as runs of studies, designs and "
            "batches do; run its scenario alone (panhead run FILE.toml) and view that result"
        )
    if "coordinate" in dataset.dims:
        return (
            f"view: {title} holds coordinates but no outlines of its parts; give the mechanism an outline (a table "
            "of points of each part), or describe it by bodies and joints, whose results hold theirs"
        )
    return (
        f"view: {title} has no 3D geometry; results of the kinds run, motion, control and vehicle have it. "
        "panhead report shows the others"
    )
