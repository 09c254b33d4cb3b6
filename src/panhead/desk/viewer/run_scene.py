"""3D scene of a run under a line, to scale, in coordinates moving with the train."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from panhead.desk.drawing import figures
from panhead.desk.reports.run_animation import line_curves, linkage_curves, with_fewer_frames
from panhead.desk.viewer.scene import ForceArrows, Scene, Strand, pictures

if TYPE_CHECKING:
    import xarray as xr

_REACH: Final = 12.0  # of line before the first and behind the last pantograph [m]
_APART: Final = 0.25  # of the points of a wire [m]
_STRIP: Final = 0.8  # half width of a head [m], a sketch
_ARMS: Final = ((-0.6, -1.5), (0.9, -0.8), (0.0, 0.0))  # along and down from the head [m], a sketch
_AXES: Final = ("along from the first pantograph (m)", "left (m)", "height (m)")


def run_scene(dataset: xr.Dataset) -> Scene:
    """Wires, droppers and supports about the pantographs, heads and members, the contact forces."""
    ends = dataset["frame_pantograph_x"].to_numpy()
    length = 2.0 * _REACH + float(np.ptp(ends, axis=1).max())
    some = with_fewer_frames(dataset, pictures(8 * round(length / _APART)))
    places = some["frame_pantograph_x"].to_numpy()  # (picture, pantograph)
    grid = places.min(axis=1)[:, None] - _REACH + np.linspace(0.0, length, round(length / _APART) + 1)
    line = [Strand(c.name, _in_train(some, places, c.x, c.y), c.color, c.width) for c in line_curves(some, grid)]
    members = [
        Strand(c.name, np.stack([c.x, np.zeros_like(c.x), c.y], axis=-1), c.color, c.width, c.dots)
        for c in linkage_curves(some)
    ]
    heads = [s for k in range(places.shape[1]) for s in _pantograph(some, places, k, bool(members) and k == 0)]
    title, speed = str(dataset.attrs.get("title", "Run")), dataset.attrs.get("speed")
    title += f", {3.6 * float(speed):.0f} km/h" if speed is not None else ""
    note = "To scale. All wires are drawn above the running contact wire; heads are schematic"
    note += "." if members else ", so are arms."
    times = some["frame_time"].to_numpy()
    return Scene(title, times, (*line, *members, *heads), (_forces(some, places),), axes=_AXES, note=note)


def _in_train(dataset: xr.Dataset, places: np.ndarray, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """(picture, point, 3): along from the first pantograph, across as the contact wire runs, height."""
    return np.stack([x - places[:, :1], stagger(dataset, x), z], axis=-1)


def stagger(dataset: xr.Dataset, x: np.ndarray) -> np.ndarray:
    """Lateral position of the contact wire: as met by the first pantograph, else straight between masts."""
    y = np.zeros_like(x)
    if "mast_y" in dataset:
        y = np.interp(x, dataset["mast_x"].to_numpy(), dataset["mast_y"].to_numpy())
    if "contact_y" in dataset:
        met, across = (dataset[name].to_numpy()[0] for name in ("contact_x", "contact_y"))
        known = np.isfinite(met) & np.isfinite(across)
        order = np.argsort(met[known], kind="stable")
        inside = (x >= met[known].min()) & (x <= met[known].max())
        y = np.where(inside, np.interp(x, met[known][order], across[known][order]), y)
    return np.asarray(np.where(np.isfinite(x), y, np.nan))


def _pantograph(dataset: xr.Dataset, places: np.ndarray, k: int, jointed: bool) -> list[Strand]:
    """The head across the track, and two arms below it if no members are known."""
    name, color = str(dataset["pantograph"].to_numpy()[k]), figures.hue(k)
    x, z = places[:, k] - places[:, 0], dataset["frame_head_z"].to_numpy()[:, k]
    head = np.stack([np.stack([x, np.full_like(x, side), z], axis=-1) for side in (-_STRIP, _STRIP)], axis=1)
    strands = [Strand(name, head, color, 7.0)]
    if not jointed:
        arms = np.stack([np.stack([x + dx, 0 * x, z + dz], axis=-1) for dx, dz in _ARMS], axis=1)
        strands.append(Strand("", arms, color, 4.0, dots=True))
    return strands


def _forces(dataset: xr.Dataset, places: np.ndarray) -> ForceArrows:
    """Contact force of each head on the wire, at the contact point."""
    times, t = dataset["frame_time"].to_numpy(), dataset["time"].to_numpy()
    pressed = np.stack([np.interp(times, t, row) for row in dataset["contact_force"].to_numpy()], axis=1)
    foot = _in_train(dataset, places, places, dataset["frame_head_z"].to_numpy())
    return ForceArrows("contact force", foot, pressed[..., None] * np.array([0.0, 0.0, 1.0]))
