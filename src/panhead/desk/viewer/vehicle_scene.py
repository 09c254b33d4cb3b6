"""3D scene of a rail vehicle, to scale: bodies as boxes, wheels, and wheel–rail forces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from panhead.desk.drawing import figures
from panhead.desk.reports.vehicle import column, drawn_length
from panhead.desk.viewer.scene import FRAMES, ForceArrows, Scene, Strand
from panhead.engine.rotations import matrix_of

if TYPE_CHECKING:
    import xarray as xr

_GAUGE: Final = 0.75  # half the distance of the wheels [m], a sketch
_WIDE: Final = {"car body": (1.4, 1.3)}  # half width and half height [m], sketches
_SLIM: Final = (0.9, 0.08)
_AXES: Final = ("x from the vehicle's middle (m)", "y (m)", "z (m)")
_BOX: Final = np.array(  # one stroke along all twelve edges
    [[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, -1, -1], [-1, -1, 1], [1, -1, 1], [1, -1, -1],
     [1, -1, 1], [1, 1, 1], [1, 1, -1], [1, 1, 1], [-1, 1, 1], [-1, 1, -1], [-1, 1, 1], [-1, -1, 1]], dtype=float
)  # fmt: skip


def vehicle_scene(dataset: xr.Dataset) -> Scene:
    """Bodies as boxes of guessed size where they were, wheels by their radius, the forces on them."""
    some = dataset.isel(time=slice(None, None, -(-dataset.sizes["time"] // FRAMES)))
    axles = [str(name) for name in some["axle"].to_numpy()]
    middle = np.mean([_place(some, axle) for axle in axles], axis=0) * np.array([1.0, 1.0, 0.0])
    bodies = [n.removesuffix(".e0") for n in map(str, some["coordinate"].to_numpy()) if n.endswith(".e0")]
    strands = [_box(some, name, middle) for name in bodies if "equalizer" not in name]
    wheels = [_axle(some, axle, middle) for axle in axles]
    strands += [Strand("wheelsets" if k == 0 else "", w, figures.GREY, 3.0) for k, w in enumerate(wheels)]
    title = str(dataset.attrs.get("title", "Vehicle"))
    note = "Positions and turns to scale; body sizes and gauge are schematic."
    return Scene(title, some["time"].to_numpy(), tuple(strands), (_forces(some, axles, middle),), _AXES, note=note)


def _place(dataset: xr.Dataset, name: str) -> np.ndarray:
    """(picture, 3) of a body's centre [m]."""
    return np.stack([column(dataset, f"{name}.{axis}") for axis in "xyz"], axis=-1)


def _box(dataset: xr.Dataset, name: str, middle: np.ndarray) -> Strand:
    turned = np.moveaxis(np.array(matrix_of([column(dataset, f"{name}.e{k}") for k in range(4)])), -1, 0)
    corners = _BOX * np.array([0.45 * drawn_length(dataset, name), *_WIDE.get(name, _SLIM)])
    points = (_place(dataset, name) - middle)[:, None] + np.einsum("tij,nj->tni", turned, corners)
    return Strand(name, points, figures.BLUE if name == "car body" else figures.ORANGE, 3.0)


def _across(dataset: xr.Dataset, axle: str) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors along the axle, + to the left, and along the way it heads, (picture, 3)."""
    yaw, roll = column(dataset, f"{axle}.yaw"), column(dataset, f"{axle}.roll")
    c, s = np.cos(yaw), np.sin(yaw)
    left = np.stack([-s * np.cos(roll), c * np.cos(roll), np.sin(roll)], axis=-1)
    return left, np.stack([c, s, np.zeros_like(c)], axis=-1)


def _axle(dataset: xr.Dataset, axle: str, middle: np.ndarray) -> np.ndarray:
    """Two wheels and what joins them as one stroke, (picture, point, 3)."""
    left, ahead = _across(dataset, axle)
    radius, turn = float(column(dataset, f"{axle}.z")[0]), np.linspace(0.0, 2.0 * np.pi, 25)
    rim = np.cos(turn)[:, None] * ahead[:, None] + np.sin(turn)[:, None] * np.cross(ahead, left)[:, None]
    centre = (_place(dataset, axle) - middle)[:, None]
    hubs = [centre + side * _GAUGE * left[:, None] for side in (1.0, -1.0)]
    gap = np.full_like(centre, np.nan)
    return np.concatenate([hubs[0] + radius * rim, gap, hubs[0], hubs[1], gap, hubs[1] + radius * rim], axis=1)


def _forces(dataset: xr.Dataset, axles: list[str], middle: np.ndarray) -> ForceArrows:
    """From the rails on the wheels, as recorded along, across and up."""
    feet, forces = [], []
    for k, axle in enumerate(axles):
        left, ahead = _across(dataset, axle)
        radius = float(column(dataset, f"{axle}.z")[0])
        below = _place(dataset, axle) - middle - radius * np.cross(ahead, left)
        level = np.stack([-ahead[:, 1], ahead[:, 0], np.zeros(len(ahead))], axis=-1)
        for j, side in enumerate((1.0, -1.0)):
            feet.append(below + side * _GAUGE * left)
            along, across, up = np.moveaxis(dataset["wheel_force"].to_numpy()[:, k, j, :, None], 1, 0)
            forces.append(along * ahead + across * level + up * np.array([0.0, 0.0, 1.0]))
    return ForceArrows("force of the rail on the wheel", np.stack(feet, axis=1), np.stack(forces, axis=1))
