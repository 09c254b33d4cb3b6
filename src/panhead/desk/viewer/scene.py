"""3D scenes: polylines and force arrows over time, in metres and newtons; scene of a multibody motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from panhead.desk.reports.motion import outlines, part_looks

if TYPE_CHECKING:
    import xarray as xr

FRAMES: Final = 200  #: pictures at most
_NUMBERS: Final = 600_000  # coordinates of points times pictures: about 3 MB of page
_AXES: Final = ("x (m)", "y (m)", "z (m)")


@dataclass(frozen=True, slots=True)
class Strand:
    """A polyline over time; NaN lifts the pen."""

    name: str  #: "" where another of its kind is named
    points: np.ndarray  #: (picture, point, 3) [m]
    color: str  #: of the pages' style sheet
    width: float = 3.0  #: [px]; 0: dots alone
    dots: bool = False


@dataclass(frozen=True, slots=True)
class ForceArrows:
    """Forces of one kind at places over time."""

    name: str
    foot: np.ndarray  #: (picture, arrow, 3) [m]
    force: np.ndarray  #: (picture, arrow, 3) [N]


@dataclass(frozen=True, slots=True)
class Scene:
    """All of it, with the words around it."""

    title: str
    times: np.ndarray  #: (picture,) [s]
    strands: tuple[Strand, ...]
    arrows: tuple[ForceArrows, ...] = ()
    axes: tuple[str, str, str] = _AXES
    planar: bool = False  #: seen along z, with y upright
    note: str = ""


def pictures(points: int) -> int:
    """Number of frames of so many points that a page can hold."""
    return max(2, min(FRAMES, _NUMBERS // (3 * max(1, points))))


def motion_scene(dataset: xr.Dataset) -> Scene:
    """Bodies, beams, wires and forces with two ends, where they were."""
    times, xyz = outlines(dataset, pictures(dataset.sizes["outline"]))
    planar = len(xyz) == 2
    points = np.stack([*xyz, np.zeros_like(xyz[0])] if planar else xyz, axis=-1)
    strands = tuple(Strand(p.label, points[:, p.points], p.color, p.width, p.dots) for p in part_looks(dataset))
    title = str(dataset.attrs.get("title", "Motion"))
    note = "Bodies are drawn through the places that hold them, wires and beams by their shape."
    return Scene(title, times, strands, _contact_arrows(dataset, times), planar=planar, note=note)


def _contact_arrows(dataset: xr.Dataset, times: np.ndarray) -> tuple[ForceArrows, ...]:
    """Contact forces on the second body of each contact, at the contact point; impacts are not included."""
    if "touch_force" not in dataset:
        return ()
    some = dataset[["touch_place", "touch_force"]].sel(time=times)
    return (ForceArrows("contact force", some["touch_place"].to_numpy(), some["touch_force"].to_numpy()),)
