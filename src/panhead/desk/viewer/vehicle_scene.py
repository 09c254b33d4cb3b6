"""3D scene of a rail vehicle, to scale: bodies as boxes, wheels on rails, and wheel–rail forces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from panhead.desk.reports.vehicle import column, drawn_length
from panhead.desk.viewer.motion_scene import motion_strip, with_frame
from panhead.desk.viewer.scene import BodiesScene, BodyPart, ForceArrows
from panhead.engine.rotations import matrix_of

if TYPE_CHECKING:
    import xarray as xr

_FRAMES: Final = 1000  # at most
_GAUGE: Final = 0.75  # half the distance of the wheels [m], a sketch
_WIDE: Final = {"car body": (1.4, 0.95)}  # half width and half height [m], sketches
_RAISED: Final = {"car body": 0.4}  # of the drawn box above the centre of mass [m]
_ARROW: Final = 0.16  # length of the largest force, of the greatest extent
_SLIM: Final = (0.9, 0.08)
_RAIL: Final = 6.0  # of rail before the first and behind the last wheel [m]


def vehicle_scene(dataset: xr.Dataset) -> BodiesScene:
    """Bodies as boxes of guessed size where they were, wheels by their radius, the forces on them."""
    some = dataset.isel(time=slice(None, None, -(-dataset.sizes["time"] // _FRAMES)))
    axles = [str(name) for name in some["axle"].to_numpy()]
    middle = np.mean([_place(some, axle) for axle in axles], axis=0) * np.array([1.0, 1.0, 0.0])
    bodies = [n.removesuffix(".e0") for n in map(str, some["coordinate"].to_numpy()) if n.endswith(".e0")]
    parts = [_box(some, name, middle) for name in bodies if "equalizer" not in name]
    parts += [_axle(some, axle, middle) for axle in axles]
    parts += [_rail(some, axles, middle, side) for side in (1.0, -1.0)]
    times = some["time"].to_numpy()
    return with_frame(
        BodiesScene(
            title=str(dataset.attrs.get("title", "Vehicle")),
            note="Positions and turns to scale, seen from the moving vehicle; sizes of bodies and gauge are schematic.",
            frames=times,
            strip=motion_strip(dataset, times),
            key=(),
            parts=tuple(parts),
            arrows=(_forces(some, axles, middle),),
        ),
        floor=-0.2,
        arrow=_ARROW,
    )


def _place(dataset: xr.Dataset, name: str) -> np.ndarray:
    """(frame, 3) of a body's centre [m]."""
    return np.stack([column(dataset, f"{name}.{axis}") for axis in "xyz"], axis=-1)


def _box(dataset: xr.Dataset, name: str, middle: np.ndarray) -> BodyPart:
    """A box: its centre and the tips of its half axes."""
    turned = np.moveaxis(np.array(matrix_of([column(dataset, f"{name}.e{k}") for k in range(4)])), -1, 0)
    half = np.array([0.45 * drawn_length(dataset, name), *_WIDE.get(name, _SLIM)])
    centre = (_place(dataset, name) - middle + _RAISED.get(name, 0.0) * turned[:, :, 2])[:, None]
    tips = centre + np.einsum("tij,j->tji", turned, half)
    hue = "sky" if name == "car body" else "orange"
    return BodyPart(name=name, shape="box", points=np.concatenate([centre, tips], axis=1), hue=hue, radius=0.1)


def _across(dataset: xr.Dataset, axle: str) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors along the axle, + to the left, and along the way it heads, (frame, 3)."""
    yaw, roll = column(dataset, f"{axle}.yaw"), column(dataset, f"{axle}.roll")
    c, s = np.cos(yaw), np.sin(yaw)
    left = np.stack([-s * np.cos(roll), c * np.cos(roll), np.sin(roll)], axis=-1)
    return left, np.stack([c, s, np.zeros_like(c)], axis=-1)


def _axle(dataset: xr.Dataset, axle: str, middle: np.ndarray) -> BodyPart:
    """Middles of the two wheels, and a point of the first one's rim that turns with it."""
    left, ahead = _across(dataset, axle)
    radius, turn = float(column(dataset, f"{axle}.z")[0]), column(dataset, f"{axle}.turn")[:, None]
    centre = _place(dataset, axle) - middle
    hub = centre + _GAUGE * left
    rim = hub + radius * (np.cos(turn) * ahead - np.sin(turn) * np.cross(ahead, left))
    points = np.stack([hub, centre - _GAUGE * left, rim], axis=1)
    return BodyPart(name=axle, shape="axle", points=points, hue="grey", radius=radius, follow=False)


def _feet(dataset: xr.Dataset, axle: str, middle: np.ndarray, side: float) -> np.ndarray:
    """(frame, 3): lowest point of a wheel, where it stands on the rail."""
    left, ahead = _across(dataset, axle)
    radius = float(column(dataset, f"{axle}.z")[0])
    return _place(dataset, axle) - middle - radius * np.cross(ahead, left) + side * _GAUGE * left


def _rail(dataset: xr.Dataset, axles: list[str], middle: np.ndarray, side: float) -> BodyPart:
    """The rail through the places where the wheels of one side stand, and straight on from there."""
    feet = {axle: _feet(dataset, axle, middle, side) for axle in axles}
    order = sorted(axles, key=lambda axle: float(feet[axle][0] @ _across(dataset, axle)[1][0]))
    ends = [(order[0], -_RAIL), (order[-1], _RAIL)]
    first, last = (feet[axle] + far * _across(dataset, axle)[1] for axle, far in ends)
    points = np.stack([first, *(feet[axle] for axle in order), last], axis=1) - np.array([0.0, 0.0, 0.05])
    return BodyPart(name="rail", shape="wire", points=points, hue="ink", radius=0.05, follow=False)


def _forces(dataset: xr.Dataset, axles: list[str], middle: np.ndarray) -> ForceArrows:
    """From the rails on the wheels, as recorded along, across and up."""
    feet, forces = [], []
    for k, axle in enumerate(axles):
        _, ahead = _across(dataset, axle)
        level = np.stack([-ahead[:, 1], ahead[:, 0], np.zeros(len(ahead))], axis=-1)
        for j, side in enumerate((1.0, -1.0)):
            feet.append(_feet(dataset, axle, middle, side))
            along, across, up = np.moveaxis(dataset["wheel_force"].to_numpy()[:, k, j, :, None], 1, 0)
            forces.append(along * ahead + across * level + up * np.array([0.0, 0.0, 1.0]))
    return ForceArrows("force of the rail on the wheel", np.stack(feet, axis=1), np.stack(forces, axis=1))
