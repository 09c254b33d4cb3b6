"""The line at rest around a run for the 3D view: strung again from the run's description, or as the result knows it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from panhead.desk.viewer.scene import Cantilever, RestWire, SceneDropper, ScenePost, TrackPath
from panhead.errors import PanheadError, RunWarning
from panhead.files import results

if TYPE_CHECKING:
    import xarray as xr

    from panhead.railway.line.layout import Layout, PlacedTensionLength
    from panhead.railway.line.line_description import Line
    from panhead.railway.line.strung_line import Strung

_LOOKS: Final = {  # role → motion that was recorded, colour, radius [m]
    "contact": ("contact", "contact", 0.0065),
    "contact2": ("contact", "contact", 0.0065),
    "messenger": ("messenger", "messenger", 0.006),
    "auxiliary": ("auxiliary", "auxiliary", 0.005),
    "stitch": ("stitch", "auxiliary", 0.004),
}
_BEYOND: Final = 200.0  # of the line shown at rest before and behind what was recorded [m]
_ALONG: Final = 2.0  # between points of a curved track [m]
_CURVED: Final = 1e-6  # curvature of a track that counts as a curve [1/m]


@dataclass(frozen=True, slots=True, kw_only=True)
class RestLine:
    """Wires, droppers and posts at rest, the track below them."""

    wires: tuple[RestWire, ...]
    droppers: tuple[SceneDropper, ...]
    posts: tuple[ScenePost, ...]
    path: TrackPath | None = None
    chainage: float = 0.0


def rest_line(dataset: xr.Dataset) -> RestLine:
    """The line of a run, as far as it is seen in its frames."""
    line = _line_of(dataset)
    x = dataset["frame_x"].to_numpy()
    seen = float(np.nanmin(x)) - _BEYOND, float(np.nanmax(x)) + _BEYOND
    found = _from_result(dataset) if line is None else _from_stringing(dataset, line, *seen)
    return RestLine(
        wires=found.wires,
        droppers=tuple(_with_slack(dataset, found.droppers)),
        posts=found.posts,
        path=found.path,
        chainage=found.chainage,
    )


def _line_of(dataset: xr.Dataset) -> Line | None:
    """The line of the run's description in its weather; None if the result holds none that can be read."""
    from panhead.railway.line.conditions import line_in
    from panhead.runs import scenarios
    from panhead.runs.description import Run
    from panhead.runs.resolve import resolve_line

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RunWarning)
            run = scenarios.from_plain(results.inputs_of(dataset), source="result").description
            if not isinstance(run, Run):
                return None
            line = resolve_line(run)
            return line if run.conditions is None else line_in(line, run.conditions)
    except PanheadError:
        return None


def _from_stringing(dataset: xr.Dataset, line: Line, start: float, end: float) -> RestLine:
    from panhead.railway.line import static_shape, string

    strung = string(line)
    layout = strung.layout
    spans = (
        layout.span_at(max(start, float(layout.mast_x[0]))),
        layout.span_at(min(end, float(layout.mast_x[-1]) - 1e-6)),
    )
    shape = static_shape(strung, spans=(spans[0], spans[1] + 1), element_length=1.0)
    number = {(wire.name, wire.role): k for k, wire in enumerate(shape.wires)}
    wires = tuple(_rest_wire(dataset, w.role, w.x, w.y, w.z, rail=line.wires.messenger is None) for w in shape.wires)
    droppers = tuple(_strung_droppers(strung, range(spans[0], spans[1] + 1), wires, number))
    posts = tuple(post for m in range(spans[0], spans[1] + 2) if (post := _post(layout, m, wires, number)) is not None)
    return RestLine(wires=wires, droppers=droppers, posts=posts, path=_path(line, start, end), chainage=line.chainage)


def _rest_wire(dataset: xr.Dataset, role: str, x: np.ndarray, y: np.ndarray, z: np.ndarray, *, rail: bool) -> RestWire:
    field, color, radius = _LOOKS[role]
    other = None
    if f"static_other_{field}_z" in dataset:
        at = dataset["static_x"].to_numpy()
        near, far = (
            np.abs(z - np.interp(x, at, np.nan_to_num(dataset[f"static_{name}_z"].to_numpy(), nan=1e3)))
            for name in (field, f"other_{field}")
        )
        other = (far < near).astype(np.float32)
    return RestWire(
        field=field, color=color, x=x, y=y, z=z, radius=radius, other=other, other_field=f"other_{field}", profile=rail
    )


def _strung_droppers(
    strung: Strung, spans: range, wires: Sequence[RestWire], number: dict[tuple[str, str], int]
) -> Iterator[SceneDropper]:
    for k in spans:
        for piece in strung.layout.tension_lengths_at(k):
            span = strung.span(piece, k, element_length=1.0)
            for j, link in enumerate(span.mesh.links):
                x = float(strung.layout.mast_x[k] + span.mesh.x[span.mesh.link_station[j]])
                ends = number[piece.name, link.upper], number[piece.name, link.lower]
                yield _dropper(x, *ends, wires, f"{piece.name}.span{k - piece.first + 1} {link.label}")


def _dropper(x: float, upper: int, lower: int, wires: Sequence[RestWire], name: str) -> SceneDropper:
    (y1, z1), (y0, z0) = ((np.interp(x, w.x, w.y), np.interp(x, w.x, w.z)) for w in (wires[upper], wires[lower]))
    return SceneDropper(x=x, upper=upper, lower=lower, length=float(np.hypot(y1 - y0, z1 - z0)), name=name)


def _with_slack(dataset: xr.Dataset, droppers: Sequence[SceneDropper]) -> Iterator[SceneDropper]:
    """Add to each dropper when it was slack: the recorded one at its place, by its number among those there."""
    places = dataset["dropper_x"].to_numpy() if "dropper_x" in dataset else np.empty(0)
    times: dict[int, list[tuple[float, float]]] = {}
    if "slack_dropper" in dataset:
        columns = (dataset[name].to_numpy().tolist() for name in ("slack_dropper", "slack_start", "slack_end"))
        for which, begin, end in zip(*columns, strict=True):
            times.setdefault(int(which), []).append((begin, end))
    taken: dict[float, int] = {}
    for one in droppers:
        here = np.flatnonzero(np.abs(places - one.x) < 1e-3)
        turn = taken.get(round(one.x, 3), 0)
        taken[round(one.x, 3)] = turn + 1
        slack = tuple(times.get(int(here[turn]), ())) if turn < here.size else ()
        yield SceneDropper(x=one.x, upper=one.upper, lower=one.lower, length=one.length, slack=slack, name=one.name)


def _post(layout: Layout, mast: int, wires: Sequence[RestWire], number: dict[tuple[str, str], int]) -> ScenePost | None:
    from panhead.railway.line.span_plan import post_of

    line, x = layout.line, float(layout.mast_x[mast])
    near = {p.index: p for k in (mast - 1, mast) if 0 <= k < layout.n_spans for p in layout.tension_lengths_at(k)}
    pieces = [p for p in near.values() if (p.name, "contact") in number and p.first <= mast <= p.stop]
    if not pieces:
        return None
    name = layout.mast_name(pieces[0], mast)
    contact = number[pieces[0].name, "contact"]
    if line.wires.messenger is None:
        support = post_of(layout, pieces[0], mast - pieces[0].first).support
        return ScenePost(
            x=x, name=name, side=1, top=0.0, cantilevers=(), kind="hanger", contact=contact,
            encumbrance=support.encumbrance,
        )  # fmt: skip
    bend = _curvature(line, x)
    side = -1 if bend > _CURVED else 1
    arms = tuple(_cantilever(layout, p, mast, wires, number, side) for p in pieces)
    top = max(
        float(np.interp(x, wires[k].x, wires[k].z)) for a in arms for k in (a.contact, a.messenger) if k is not None
    )
    return ScenePost(x=x, name=name, side=side, top=top, cantilevers=arms)


def _cantilever(
    layout: Layout, piece: PlacedTensionLength, mast: int, wires: Sequence[RestWire],
    number: dict[tuple[str, str], int], side: int,
) -> Cantilever:  # fmt: skip
    """Its steady arm pulls against the wire, which wants to be straight: to the side of the kink."""
    contact, messenger = number[piece.name, "contact"], number.get((piece.name, "messenger"))
    wire, at = wires[contact], layout.mast_x
    y = lambda m: float(np.interp(at[m], wire.x, wire.y))
    before, after = max(mast - 1, piece.first), min(mast + 1, piece.stop)
    kink = sum((y(mast) - y(m)) / abs(at[mast] - at[m]) for m in (before, after) if m != mast)
    kink -= _curvature(layout.line, float(at[mast])) * 0.5 * float(at[after] - at[before])
    pulls = int(np.sign(kink)) if abs(kink) > 1e-4 else side
    return Cantilever(contact=contact, messenger=messenger, pulls=pulls, anchor=mast in (piece.first, piece.stop))


def _curvature(line: Line, x: float) -> float:
    points = line.alignment
    return float(np.interp(x, [p.at for p in points], [p.curvature for p in points])) if points else 0.0


def _path(line: Line, start: float, end: float) -> TrackPath | None:
    """Heading ∫κ ds and place of the track; None if it is straight and not canted."""
    if not any(p.curvature or p.tilt for p in line.alignment):
        return None
    s = np.linspace(start, end, max(2, round((end - start) / _ALONG) + 1))
    at = [p.at for p in line.alignment]
    kappa = np.interp(s, at, [p.curvature for p in line.alignment])
    tilt = np.interp(s, at, [p.tilt for p in line.alignment])
    step = np.diff(s)
    heading = np.concatenate([[0.0], np.cumsum(0.5 * (kappa[1:] + kappa[:-1]) * step)])
    heading -= heading[heading.size // 2]
    middle = 0.5 * (heading[1:] + heading[:-1])
    x, y = (np.concatenate([[0.0], np.cumsum(f(middle) * step)]) for f in (np.cos, np.sin))
    return TrackPath(s=s, x=x, y=y, heading=heading, tilt=tilt)


def _from_result(dataset: xr.Dataset) -> RestLine:
    """The line as the result alone knows it: heights at rest, masts and droppers."""
    x = dataset["static_x" if "static_x" in dataset else "frame_x"].to_numpy().ravel()
    x = np.unique(x[np.isfinite(x)])
    masts = dataset["mast_x" if "mast_x" in dataset else "support_x"].to_numpy() if _has_masts(dataset) else np.empty(0)
    aside = dataset["mast_y"].to_numpy() if "mast_y" in dataset else np.zeros(masts.size)
    y = np.interp(x, masts, aside) if masts.size else np.zeros(x.size)
    roles = [
        role for role in _LOOKS if f"static_{role}_z" in dataset or (role == "contact" and "static_x" not in dataset)
    ]
    rail = "messenger" not in roles
    wires = tuple(_rest_wire(dataset, role, x, y, _height(dataset, role, x), rail=rail) for role in roles)
    above = next((k for k, role in enumerate(roles) if role in ("messenger", "auxiliary")), None)
    hung = above is not None and "dropper_x" in dataset
    droppers = np.unique(dataset["dropper_x"].to_numpy()) if hung else np.empty(0)
    return RestLine(
        wires=wires,
        droppers=tuple(_dropper(float(at), above or 0, 0, wires, "") for at in droppers),
        posts=tuple(_plain_post(float(at), k, wires, above, 1 if aside[k] > 0 else -1) for k, at in enumerate(masts)),
    )


def _has_masts(dataset: xr.Dataset) -> bool:
    return "mast_x" in dataset or "support_x" in dataset


def _height(dataset: xr.Dataset, role: str, x: np.ndarray) -> np.ndarray:
    """At rest; without a record of it the first frame."""
    if "static_x" in dataset:
        return np.interp(x, dataset["static_x"].to_numpy(), dataset[f"static_{role}_z"].to_numpy())
    z = dataset[f"frame_{role}_z"].to_numpy()
    return np.interp(x, np.broadcast_to(dataset["frame_x"].to_numpy(), z.shape)[0], z[0])


def _plain_post(x: float, k: int, wires: Sequence[RestWire], above: int | None, pulls: int) -> ScenePost:
    if above is None:
        return ScenePost(x=x, name=f"{k + 1}", side=1, top=0.0, cantilevers=(), kind="hanger")
    top = float(np.interp(x, wires[above].x, wires[above].z))
    return ScenePost(
        x=x, name=f"{k + 1}", side=1, top=top, cantilevers=(Cantilever(contact=0, messenger=above, pulls=pulls),)
    )
