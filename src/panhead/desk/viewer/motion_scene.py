"""3D scene of a multibody motion: bodies as bars and links, beams and wires by their curve, springs, contact forces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from panhead.assess.number_text import long_name, unit_of
from panhead.desk.drawing.figures import thin_curve
from panhead.desk.reports.motion import outlines, outputs, part_looks
from panhead.desk.viewer.scene import (
    HUES,
    BodiesScene,
    BodyPart,
    ForceArrows,
    Shape,
    StripCurve,
    StripPanel,
    TimeStrip,
    round_number,
)
from panhead.errors import ModelError

if TYPE_CHECKING:
    import xarray as xr

_FRAMES: Final = 1000  # at most
_NUMBERS: Final = 1_500_000  # coordinates of points times frames: about 4 MB of page
_WIRE: Final = 8  # points from which on a part is a wire or a beam
_RIGID: Final = 0.01  # change of length, of the length, above which a part between two ends is a spring
_THICK, _THIN = 0.016, 0.009  # radius of a bar and of a wire, of the greatest extent
_STOUT: Final = 0.09  # radius of a bar at most, of the median length of all bars
_ARROW: Final = 0.3  # length of the largest force, of the greatest extent
_FLOOR: Final = 0.06  # of the greatest extent below everything
_STILL: Final = 1e-6  # motion of a place that counts as fixed, of the greatest extent
_MOST_NAMED: Final = 12  # parts that a camera may follow
_PANELS: Final = 2


def motion_scene(dataset: xr.Dataset) -> BodiesScene:
    """Bodies, beams, wires and forces with two ends, where they were."""
    frames, xyz = outlines(dataset, max(2, min(_FRAMES, _NUMBERS // (3 * dataset.sizes["outline"]))))
    planar = len(xyz) == 2
    points = np.stack(xyz if not planar else [xyz[0], np.zeros_like(xyz[0]), xyz[1]], axis=-1)
    parts = _parts(dataset, points, planar)
    arrows = _contact_arrows(dataset, frames, planar)
    curves = "bodies are drawn through the places that hold them, beams and wires by their shape."
    return with_frame(
        BodiesScene(
            title=str(dataset.attrs.get("title", "Motion")),
            note=f"To scale; {curves}",
            frames=frames,
            strip=motion_strip(dataset, frames),
            key=tuple(
                (look.label, part.hue) for look, part in zip(part_looks(dataset), parts, strict=False) if look.label
            )[:_MOST_NAMED],
            parts=parts,
            arrows=arrows,
            planar=planar,
        )
    )


def _parts(dataset: xr.Dataset, points: np.ndarray, planar: bool) -> tuple[BodyPart, ...]:
    """One for each part of the outline; thickness by the size of the model and of its bars."""
    low, high = extent([points])
    size = float((high - low).max()) or 1.0
    looks = part_looks(dataset)
    names = [str(dataset["outline_part"].to_numpy()[look.points[0]]) for look in looks]
    shapes = [_shape(name, points[:, look.points], planar) for name, look in zip(names, looks, strict=True)]
    bars = [_length(points[0, look.points]) for look, s in zip(looks, shapes, strict=True) if s in ("rod", "link")]
    bars = [length for length in bars if length > 0]
    thick = min(_THICK * size, _STOUT * float(np.median(bars))) if bars else _THICK * size
    hue = {look.color: look.color.removeprefix("var(--").removesuffix(")") for look in looks}
    found = []
    for k, (name, look, shape) in enumerate(zip(names, looks, shapes, strict=True)):
        radius = min(thick, _THIN * size) if shape == "wire" else thick
        found.append(
            BodyPart(
                name=name,
                shape=shape,
                points=points[:, look.points],
                hue=hue[look.color],
                radius=radius,
                layer=k % 3 - 1,
                follow=shape != "mark" and len(names) <= _MOST_NAMED,
            )
        )
    if "ground" not in names:
        found += _fixed_places(points, thick, size)
    return tuple(found)


def _fixed_places(points: np.ndarray, radius: float, size: float) -> list[BodyPart]:
    """Places of a model that never move: feet stand under them."""
    still = np.flatnonzero((np.ptp(points, axis=0) < _STILL * size).all(axis=-1))
    places = np.unique(np.round(points[0, still] / (_STILL * size)), axis=0) * (_STILL * size)
    if not 0 < len(places) <= _MOST_NAMED:
        return []
    held = np.broadcast_to(places, (len(points), *places.shape))
    return [BodyPart(name="ground", shape="mark", points=held, hue="grey", radius=radius, follow=False)]


def _shape(name: str, points: np.ndarray, planar: bool) -> Shape:
    """Shape of a part: two ends whose distance changes belong to a spring, many points to a wire."""
    if name == "ground":
        return "mark"
    if points.shape[1] >= _WIRE:
        return "wire"
    if points.shape[1] == 2:
        apart = np.linalg.norm(points[:, 1] - points[:, 0], axis=1)
        if np.ptp(apart) > _RIGID * float(apart.max()):
            return "spring"
    return "link" if planar else "rod"


def _length(points: np.ndarray) -> float:
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).max(initial=0.0))


def _contact_arrows(dataset: xr.Dataset, frames: np.ndarray, planar: bool) -> tuple[ForceArrows, ...]:
    """Contact forces on the second body of each contact, at the contact point; impacts are not included."""
    if "touch_force" not in dataset:
        return ()
    some = dataset[["touch_place", "touch_force"]].sel(time=frames)
    foot, force = (some[name].to_numpy() for name in ("touch_place", "touch_force"))
    if planar:  # their third axis points at the viewer
        foot, force = (np.stack([a[..., 0], -a[..., 2], a[..., 1]], axis=-1) for a in (foot, force))
    return (ForceArrows("contact force", foot, force),)


def extent(clouds: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Least and greatest coordinates of points (…, 3) that are numbers; ModelError if there are none."""
    points = np.concatenate([cloud.reshape(-1, 3) for cloud in clouds])
    points = points[np.isfinite(points).all(axis=1)]
    if not points.size:
        raise ModelError("view: none of the recorded positions is a number")
    return points.min(axis=0), points.max(axis=0)


def with_frame(scene: BodiesScene, floor: float | None = None, arrow: float = _ARROW) -> BodiesScene:
    """The scene with its middle, size, ground and arrows that fit it; the key names their scale.

    ``floor``: height of the ground [m]; ``arrow``: length of the largest force, of the greatest extent.
    """
    low, high = extent([part.points for part in scene.parts])
    size = float((high - low).max()) or 1.0
    middle = 0.5 * (low + high)
    arrows, key = [], list(scene.key)
    for one in scene.arrows:
        most = float(np.nanmax(np.linalg.norm(one.force, axis=-1), initial=0.0))
        newtons = round_number(most / (arrow * size)) if most > 0 else 1.0
        arrows.append(replace(one, metres_per_newton=1.0 / newtons, radius=0.022 * arrow * size))
        key.append((f"{one.name}, 1 m for {newtons:g} N", "red"))
    return replace(
        scene,
        middle=(float(middle[0]), float(middle[1]), float(middle[2])),
        size=size,
        height=float(high[2] - low[2]),
        floor=float(low[2]) - _FLOOR * size if floor is None else floor,
        mesh=round_number(size / 12.0),
        arrows=tuple(arrows),
        key=tuple(key),
    )


def motion_strip(dataset: xr.Dataset, frames: np.ndarray) -> TimeStrip:
    """Outputs of the first units, forces first; without outputs the energies."""
    start, end = float(frames[0]), float(frames[-1])
    names = sorted(outputs(dataset), key=lambda n: unit_of(dataset, n) != "N")
    names = names or [n for n in ("kinetic", "potential") if n in dataset and dataset[n].dims == ("time",)]
    by_unit: dict[str, list[str]] = {}
    for name in names:
        by_unit.setdefault(unit_of(dataset, name), []).append(name)
    panels = [_panel(dataset, unit, mine[:4]) for unit, mine in list(by_unit.items())[:_PANELS]]
    return TimeStrip(start=start, end=end, panels=tuple(panels))


def _panel(dataset: xr.Dataset, unit: str, names: Sequence[str]) -> StripPanel:
    t: Any = dataset["time"].to_numpy()
    rows = [thin_curve(t, dataset[name].to_numpy()) for name in names]
    values = np.concatenate([y for _, y in rows])
    values = values[np.isfinite(values)] if np.isfinite(values).any() else np.zeros(1)
    low, high = float(values.min()), float(values.max())
    margin = 0.06 * (high - low or 1.0)
    words = [long_name(dataset, name) for name in names]
    alone = len(names) == 1
    curves = tuple(
        StripCurve("" if alone else w, HUES[k], *row) for k, (w, row) in enumerate(zip(words, rows, strict=True))
    )
    digits = int(np.clip(2 - np.floor(np.log10(high - low or 1.0)), 0, 6))
    return StripPanel(words[0] if alone else "", unit, digits, curves, (low - margin, high + margin))
