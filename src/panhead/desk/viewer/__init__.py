"""3D view of a result: bodies, beams, wires and contact forces in one offline page to rotate, zoom and play."""

from __future__ import annotations

from typing import TYPE_CHECKING

from panhead.errors import ModelError
from panhead.files.variants import separate

if TYPE_CHECKING:
    import xarray as xr

    from panhead.desk.viewer.plotly_view import SpaceView
    from panhead.desk.viewer.scene import Scene


def view(dataset: xr.Dataset, variant: str = "") -> SpaceView:
    """3D view of a result; of a result with variants the named one, otherwise the first."""
    from panhead.desk.viewer.plotly_view import draw

    return draw(scene_of(dataset, variant))


def scene_of(dataset: xr.Dataset, variant: str = "") -> Scene:
    """Build the 3D scene of a result; ModelError if it has no geometry."""
    results = separate(dataset)
    if variant and variant not in results:
        raise ModelError(
            f"view: there is no variant {variant!r}; available: {', '.join(filter(None, results)) or 'none'}"
        )
    one = results[variant or next(iter(results))]
    if "outline_part" in one and "outline_x" in one:
        from panhead.desk.viewer.scene import motion_scene

        return motion_scene(one)
    if "wheel_force" in one and "place" in one:
        from panhead.desk.viewer.vehicle_scene import vehicle_scene

        return vehicle_scene(one)
    from panhead.desk.reports.run_animation import has_pictures

    if has_pictures(one):
        from panhead.desk.viewer.run_scene import run_scene

        return run_scene(one)
    raise ModelError(
        f"view: {str(dataset.attrs.get('title', 'this result'))!r} has no 3D geometry; results of the kinds motion, "
        "control and vehicle have it, and runs under a line with stored animation frames"
    )
