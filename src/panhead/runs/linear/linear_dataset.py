"""Dataset of a finished or failed run, with the variable names of every solver."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from panhead.runs.linear.frames import FrameRecorder, wires_of, wires_shown
from panhead.runs.linear.session import Session
from panhead.runs.linear.step.step_arrays import ENERGIES, LEDGER, W_TRAIN, W_UPLIFT, W_WIND
from panhead.runs.linear.window import Window
from panhead.runs.resolve import ResolvedRun
from panhead.runs.streams import Streams

if TYPE_CHECKING:
    import xarray as xr

_IN = np.array([W_UPLIFT, W_TRAIN, W_WIND])  # of the ledger's works, those that come in
_COPIED = 256_000_000  # bytes up to which a streamed run is copied into memory

_LEDGER_NAMES = {
    "uplift": ("work_uplift", "work of the lifting forces"),
    "train": ("work_train", "work of the train along the wire's slope"),
    "line_damping": ("dissipated_line", "lost in the wires"),
    "absorbed": ("dissipated_window", "left through the ends of the window"),
    "droppers": ("dissipated_droppers", "lost in the droppers"),
    "pantograph_damping": ("dissipated_pantograph", "lost in the pantographs"),
    "contact_damping": ("dissipated_contact", "lost in the contact"),
    "numerical": ("dissipated_numerical", "lost by the integrator"),
    "wind": ("work_wind", "work of the gusts on the wires"),
}
_ENERGY_NAMES = {
    "line_kinetic": ("kinetic", "kinetic energy of the line"),
    "line_potential": ("potential", "potential energy of the line about its rest"),
    "pantograph": ("pantograph_energy", "energy of the pantographs"),
    "contact": ("contact_energy", "energy of the contact springs"),
}

Variable = tuple[Any, Any, dict[str, str]]


def dataset(session: Session, streams: Streams) -> xr.Dataset:
    """All output of the run, with units and names."""
    import xarray as xr

    variables: dict[str, Variable] = {}
    for part in (_contact, _energy):
        variables |= dict(part(session, streams))
    variables |= line_variables(session.model, session.window, streams)
    if streams.size() <= _COPIED:
        variables = {name: (dims, np.array(values), attrs) for name, (dims, values, attrs) in variables.items()}
    coords = {name: variables.pop(name) for name in ("time", "sample") if name in variables}
    names = "pantograph", np.array(session.model.names, dtype=str)
    return xr.Dataset(variables, coords=coords | {"pantograph": names})


class LineKeys(Protocol):
    """Names of droppers and supports."""

    @property
    def dropper_keys(self) -> tuple[tuple[int, str], ...]:
        """Number of the span and name of every dropper."""

    @property
    def support_keys(self) -> tuple[tuple[int, str], ...]:
        """Number of the mast and name of every support."""


def line_variables(model: ResolvedRun, window: Window, streams: Streams) -> dict[str, Variable]:
    """Supports, droppers, frames and the line at rest, from the streams ``support`` … of either solver."""
    return recorded_variables(model, window, streams) | dict(_static_line(model, window, streams))


def recorded_variables(model: ResolvedRun, keys: LineKeys, streams: Streams) -> dict[str, Variable]:
    """Supports, droppers and frames, from the streams ``support`` … of any solver."""
    found: dict[str, Variable] = {}
    for part in (support_variables, _droppers, _pictures):
        found |= dict(part(model, keys, streams))
    return found


def _of(dims: Any, values: Any, unit: str, name: str) -> Variable:
    return dims, values, {"units": unit, "long_name": name}


def contact_variables(model: ResolvedRun, rows: np.ndarray) -> Iterator[tuple[str, Variable]]:
    """Position, force, height, lateral position and uplift of every contact from rows (steps, np, 5)."""
    t = (np.arange(rows.shape[0]) + 1) * model.run.numerics.step
    yield "time", _of("time", t, "s", "time")
    yield "speed_of_train", _of("time", model.timetable.speed(t), "m/s", "speed")
    for k, (name, unit, text) in enumerate(
        (
            ("contact_x", "m", "place of the contact along the track"),
            ("contact_force", "N", "contact force, unfiltered"),
            ("contact_z", "m", "height of the contact wire at the contact point"),
            ("contact_y", "m", "place of the contact across the strip, + to the left"),
            ("contact_uplift", "m", "uplift of the contact wire at the contact point"),
        )
    ):
        yield name, _of(("pantograph", "time"), rows[:, :, k].T, unit, text)


def _contact(session: Session, streams: Streams) -> Iterator[tuple[str, Variable]]:
    model = session.model
    yield from contact_variables(model, streams.table("contact").reshape(-1, len(model.names), 5))
    masses = streams.table("masses")
    head, first = session.train.head, session.first_strip
    z = masses[:, head["mass"]].T + head["height"][:, None]
    z = z if first.size == head.size else np.add.reduceat(z, first) / np.diff([*first, head.size])[:, None]
    yield "head_z", _of(("pantograph", "time"), z, "m", "height of the head")
    if first.size < head.size:
        strips = streams.table("strips").reshape(-1, head.size, 2)
        owner = np.array(model.names)[np.searchsorted(first, np.arange(head.size), side="right") - 1]
        yield "strip_of", _of("strip", owner, "1", "pantograph of the strip, foremost first")
        yield "strip_force", _of(("strip", "time"), strips[:, :, 0].T, "N", "contact force of the strip")
        yield "strip_y", _of(("strip", "time"), strips[:, :, 1].T, "m", "place of the wire on the strip")
    rolls = head["roll"][head["roll"] > 0] - 1
    if rolls.size:
        yield "strip_roll", _of(("rolling", "time"), masses[:, rolls].T, "rad", "roll of the strip, + left side up")
    yield ("mass_z", _of(("mass", "time"), masses.T, "m", "position of the masses from rest, head first"))


def _energy(session: Session, streams: Streams) -> Iterator[tuple[str, Variable]]:
    rows = streams.table("energy")
    if not rows.size:
        return
    stored, works = rows[:, 1 : 1 + len(ENERGIES)], rows[:, 1 + len(ENERGIES) :]
    yield "sample", _of("sample", rows[:, 0], "s", "time of the samples")
    for k, key in enumerate(ENERGIES):
        yield _ENERGY_NAMES[key][0], _of("sample", stored[:, k], "J", _ENERGY_NAMES[key][1])
    for k, key in enumerate(LEDGER):
        if k == W_WIND and not works[:, k].any():
            continue
        yield _LEDGER_NAMES[key][0], _of("sample", works[:, k], "J", _LEDGER_NAMES[key][1])
    came, went = works[:, _IN].sum(axis=1), np.delete(works, _IN, axis=1).sum(axis=1)
    balance = stored.sum(axis=1) - session.energy0 - came + went
    yield "balance", _of("sample", balance, "J", "energy not accounted for")


def support_variables(model: ResolvedRun, keys: LineKeys, streams: Streams) -> Iterator[tuple[str, Variable]]:
    """The largest uplift of every support, from the stream ``support``; its history, if there is one."""
    rows = streams.table("support")
    if not rows.size:
        return
    order = np.argsort(rows[:, 1], kind="stable")
    rows = rows[order]
    first, last = model.judged
    inside = (rows[:, 1] >= first - 1e-6) & (rows[:, 1] <= last + 1e-6)
    yield "support_x", _of("support", rows[:, 1], "m", "place of the support")
    yield "support_uplift", _of("support", rows[:, 2], "m", "largest uplift at the support")
    yield "support_time", _of("support", rows[:, 3], "s", "moment of the largest uplift")
    yield ("support_judged", _of("support", inside.astype(np.int64), "1", "whether the support is assessed"))
    history = streams.table("support_history")
    if history.size:
        yield ("support_history", _of(("sample", "support"), history[:, order], "m", "uplift at the support"))
        names = np.array([name for _, name in keys.support_keys], dtype=str)[order]
        yield "support_name", _of("support", names, "1", "name of the support")


def _droppers(model: ResolvedRun, keys: LineKeys, streams: Streams) -> Iterator[tuple[str, Variable]]:
    rows = streams.table("dropper")
    if not rows.size:
        return
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    for k, (name, unit, text) in enumerate(
        (
            ("x", "m", "place of the dropper"),
            ("static_force", "N", "force of the dropper at rest"),
            ("min_force", "N", "smallest force of the dropper"),
            ("max_force", "N", "largest force of the dropper"),
            ("slack_time", "s", "time the dropper was slack"),
        )
    ):
        yield f"dropper_{name}", _of("dropper", rows[:, 2 + k], unit, text)
    yield "dropper_span", _of("dropper", rows[:, 1].astype(np.int64), "1", "number of the span")
    history = streams.table("dropper_history")
    if history.size:
        yield "dropper_force", _of(("sample", "dropper"), history, "N", "force of the dropper")
        names = np.array([name for _, name in keys.dropper_keys], dtype=str)
        yield "dropper_name", _of("dropper", names, "1", "name of the dropper")
    slack = streams.table("slack").reshape(-1, 3)
    yield ("slack_dropper", _of("slack", slack[:, 0].astype(np.int64), "1", "which dropper was slack"))
    yield "slack_start", _of("slack", slack[:, 1], "s", "moment it went slack")
    yield "slack_end", _of("slack", slack[:, 2], "s", "moment it was taut again")


def _pictures(model: ResolvedRun, keys: LineKeys, streams: Streams) -> Iterator[tuple[str, Variable]]:
    rows = streams.table("frame")
    if not rows.size:
        return
    camera, n = FrameRecorder.of(model), len(model.names)
    shown = wires_shown(model.line)[: (rows.shape[1] - 1 - 2 * n) // camera.points - 1]
    parts = np.split(rows, np.cumsum([1, n, n, *[camera.points] * len(shown)]), axis=1)
    yield "frame_time", _of("frame", parts[0][:, 0], "s", "time of the picture")
    for name, values, text in (
        ("pantograph_x", parts[1], "place of the pantograph"),
        ("head_z", parts[2], "height of the head"),
    ):
        yield f"frame_{name}", _of(("frame", "pantograph"), values, "m", text)
    both = ("frame", "frame_point")
    yield "frame_x", _of(both, parts[3], "m", "places of the picture")
    for wire, values in zip(shown, parts[4:], strict=True):
        yield f"frame_{wire}_z", _of(both, values, "m", f"height of the {wire.replace('_', ' ')} wire")


def _static_line(model: ResolvedRun, window: Window, streams: Streams) -> Iterator[tuple[str, Variable]]:
    """Line at rest where frames were recorded, and the tension of its wires."""
    layout = model.strung.layout
    first, last = model.judged
    reach = 2.0 * FrameRecorder.of(model).half
    a, b = layout.span_at(first - reach), layout.span_at(min(last, first + 1500.0) + reach) + 1
    linear = window.linear.window(a, b)
    yield "static_x", _of("station", linear.x, "m", "static")
    for wire, (heights, _) in zip(wires_shown(model.line), wires_of(linear), strict=True):
        yield f"static_{wire}_z", _of("station", heights, "m", f"static {wire.replace('_', ' ')}")
    named = {"contact": model.line.wires.contact, "messenger": model.line.wires.messenger}
    wires = {name: wire for name, wire in named.items() if wire is not None}
    yield "wire_name", ("wire", np.array(list(wires), dtype=str), {"long_name": "wire"})
    yield (
        "wire_tension",
        _of("wire", np.array([w.tension for w in wires.values()]), "N", "tension of the wire, kept by its tensioner"),
    )
