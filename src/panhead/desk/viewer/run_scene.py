"""3D scene of a run under a line: the line around the train as recorded, the pantographs and the contact forces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from panhead.assess import low_pass
from panhead.assess.filters import sampling_step
from panhead.desk.reports.run_animation import static_height
from panhead.desk.viewer.rest_line import RestLine, rest_line
from panhead.desk.viewer.scene import (
    HUES,
    KeyEntry,
    LineScene,
    ScenePantograph,
    StripCurve,
    StripMark,
    StripPanel,
    TimeStrip,
    WireMotion,
    round_number,
)

if TYPE_CHECKING:
    import xarray as xr

_RATE: Final = 200.0  # of the pantographs' motion, at most [1/s]
_MOST: Final = 3000  # moments of it
_CAR: Final = 26.0  # from car to car, about [m]
_BOGIE: Final = 7.8  # of a pantograph before the middle of its car [m]
_ROOF: Final = 1.4  # below the lowest contact wire, if no linkage says where [m]
_BASE: Final = 0.32  # of a linkage above the roof [m]
_ROOFS: Final = (2.4, 4.4)  # lowest and highest roof [m]
_ARROW: Final = 0.55  # length of the mean force [m]
_STRIP: Final = 0.62  # least length of a strip, of the head's
_HORN: Final = 0.25  # least length of a horn, across [m]


def run_scene(dataset: xr.Dataset) -> LineScene:
    """Line, train and contact forces over the recorded frames."""
    rest, frames = rest_line(dataset), dataset["frame_time"].to_numpy()
    count = int(np.clip(_RATE * (frames[-1] - frames[0]), 2, _MOST))
    fine = np.linspace(frames[0], frames[-1], count)
    pantographs = tuple(_pantographs(dataset, fine))
    forces = np.array([p.force for p in pantographs])
    mean = float(np.nanmean(np.abs(forces))) if np.isfinite(forces).any() else 0.0
    newtons = round_number(mean / _ARROW) if mean > 0 else 200.0
    sides = [post.side for post in rest.posts]
    return LineScene(
        title=_title(dataset),
        note=_note(rest, any(p.members for p in pantographs)),
        frames=frames,
        fine=fine,
        strip=_strip(rest, pantographs, fine),
        key=_key(pantographs, newtons, bool(rest.droppers)),
        pantographs=pantographs,
        wires=rest.wires,
        droppers=rest.droppers,
        posts=rest.posts,
        motion=_motion(dataset),
        roof=_roof(pantographs),
        cars=_cars(dataset["frame_pantograph_x"].to_numpy()[0]),
        path=rest.path,
        side=1 if sum(sides) >= 0 else -1,
        metres_per_newton=1.0 / newtons,
        chainage=rest.chainage,
    )


def _title(dataset: xr.Dataset) -> str:
    title, speed = str(dataset.attrs.get("title", "Run")), dataset.attrs.get("speed")
    return f"{title}, {3.6 * float(speed):.0f} km/h" if speed is not None else title


def _note(rest: RestLine, jointed: bool) -> str:
    drawn = "masts, cars and heads" if jointed else "masts, cars and pantographs"
    bent = "" if rest.path is None else " Curve and cant are those of the track."
    return f"Wires, droppers and forces as computed; {drawn} are schematic.{bent}"


def _key(pantographs: Sequence[ScenePantograph], newtons: float, droppers: bool) -> tuple[KeyEntry, ...]:
    several = [(p.name, p.hue) for p in pantographs] if len(pantographs) > 1 else []
    hung = [("dropper", "green"), ("slack dropper", "orange")] if droppers else []
    return (*several, *hung, (f"contact force, 1 m for {newtons:g} N", "red"))


def _pantographs(dataset: xr.Dataset, fine: np.ndarray) -> Iterator[ScenePantograph]:
    """Resampled in time; the force is filtered as it is judged, without the filter's lag."""
    t = dataset["time"].to_numpy()
    frames = dataset["frame_time"].to_numpy()
    for k, name in enumerate(dataset["pantograph"].to_numpy()):
        x = np.interp(fine, t, dataset["contact_x"].to_numpy()[k])
        force = low_pass(dataset["contact_force"].to_numpy()[k], sampling_step(t), zero_phase=True)
        heads = dataset["frame_head_z"].to_numpy()[:, k]
        recorded = "head_z" in dataset
        head = np.interp(fine, *((t, dataset["head_z"].to_numpy()[k]) if recorded else (frames, heads)))
        rest = (
            static_height(dataset, "contact", x) if "static_x" in dataset else np.full_like(x, float(np.nanmin(head)))
        )
        length, width = (
            _size(dataset, name, k, default) for name, default in (("head_length", 1.6), ("working_width", 1.2))
        )
        yield ScenePantograph(
            name=str(name),
            hue=HUES[k % len(HUES)],
            x=x,
            rest=rest,
            wire=np.interp(fine, t, dataset["contact_z"].to_numpy()[k]) if "contact_z" in dataset else head,
            head=head,
            force=np.maximum(np.interp(fine, t, force), 0.0),
            length=length,
            width=min(max(width, _STRIP * length), length - 2 * _HORN),
            members=_members(dataset) if k == 0 else (),
        )


def _size(dataset: xr.Dataset, name: str, k: int, default: float) -> float:
    value = float(dataset[name].to_numpy()[k]) if name in dataset else default
    return value if np.isfinite(value) else default


def _members(dataset: xr.Dataset) -> tuple[np.ndarray, ...]:
    """Joints of the members of the first pantograph, if it is a linkage."""
    names = [str(name) for name in dataset.data_vars if str(name).startswith("linkage_")]
    return tuple(dataset[name].to_numpy().astype(np.float32) for name in names)


def _motion(dataset: xr.Dataset) -> WireMotion:
    """Motion from rest of every recorded wire, on points that are equally far apart."""
    x = dataset["frame_x"].to_numpy()
    frames = dataset.sizes["frame"]
    x = np.broadcast_to(x, (frames, x.shape[-1]))
    apart = float(np.nanmedian(np.diff(x, axis=1)))
    even = x[:, :1] + apart * np.arange(x.shape[1])
    fields = {}
    for variable in map(str, dataset.data_vars):
        wire = variable.removeprefix("frame_").removesuffix("_z")
        if variable != f"frame_{wire}_z" or wire == "head":
            continue
        z = dataset[variable].to_numpy()
        rest = static_height(dataset, wire, x, gaps=True) if "static_x" in dataset else z[:1]
        motion = np.nan_to_num(z - rest)
        rows = [np.interp(even[k], x[k], motion[k]) for k in range(frames)]
        fields[wire] = np.array(rows)
    return WireMotion(first=even[:, 0].copy(), apart=apart, fields=fields)


def _roof(pantographs: Sequence[ScenePantograph]) -> float:
    joints = [m[..., 1].min() for p in pantographs for m in p.members]
    if joints:
        return float(min(joints)) - _BASE
    lowest = min(float(np.nanmin(p.rest)) for p in pantographs)
    return float(np.clip(lowest - _ROOF, *_ROOFS))


def _cars(places: np.ndarray) -> dict[str, object]:
    """Cars of one length, so that every pantograph is over a bogie; one before the first, two behind the last."""
    apart = float(np.ptp(places))
    length = apart / max(1, round(apart / _CAR)) if apart > _CAR / 2 else _CAR
    count = round(apart / length) if apart > _CAR / 2 else 0
    return {"length": length, "behind": [_BOGIE + k * length for k in range(-1, count + 3)]}


def _strip(rest: RestLine, pantographs: Sequence[ScenePantograph], fine: np.ndarray) -> TimeStrip:
    """Force and uplift of every pantograph; the moments at which the first one passes masts."""
    names = [f"pantograph {k}" if len(pantographs) > 1 else "" for k in range(1, len(pantographs) + 1)]
    forces = [p.force for p in pantographs]
    uplifts = [1e3 * (p.wire - p.rest) for p in pantographs]
    first = pantographs[0]
    posts = [post for post in rest.posts if first.x[0] <= post.x <= first.x[-1]]
    marks = tuple(StripMark(float(np.interp(p.x, first.x, fine)), p.name) for p in posts)
    curves = lambda rows: tuple(
        StripCurve(name, p.hue, fine, row) for name, p, row in zip(names, pantographs, rows, strict=True)
    )
    return TimeStrip(
        start=float(fine[0]),
        end=float(fine[-1]),
        panels=(
            StripPanel("contact force, filtered to 20 Hz", "N", 0, curves(forces), _range(forces, 0.0)),
            StripPanel("uplift of the contact wire at the contact", "mm", 1, curves(uplifts), _range(uplifts)),
        ),
        marks=marks,
    )


def _range(rows: Sequence[np.ndarray], include: float | None = None) -> tuple[float, float]:
    values = np.concatenate([*rows, [] if include is None else [include]])
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    margin = 0.06 * (high - low or 1.0)
    return low - (margin if include is None else 0.0), high + margin
