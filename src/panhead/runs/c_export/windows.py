"""Windows of the line that a train passes, with equal sizes: those with fewer stations are filled up with idle ones.

An idle station has no matrices and nothing to carry, an idle dropper hangs on nothing and is bilateral, an idle contact
wire begins where it ends. None of them changes a digit of what is computed elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from panhead.runs.linear.near_spans import bands_at, spans_at
from panhead.runs.linear.run_driver import chunk_steps
from panhead.runs.linear.session import Session, ends_of, is_window, window_at
from panhead.runs.linear.step.step_arrays import Ends
from panhead.runs.linear.window import Window
from panhead.runs.linear.window_shift import common
from panhead.runs.resolve import ResolvedRun


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of the arrays of all windows."""

    stations: int
    wires: int
    droppers: int
    ties: tuple[int, int, int]  #: entries beside the pairs of M, C, K


@dataclass(frozen=True, slots=True)
class WindowTables:
    """Constants of one window, and how the state comes over from the one before."""

    begin: float  #: place of the first pantograph from which it is used [m]
    ends: Ends
    arrays: dict[str, np.ndarray]  #: of equal shape in all windows
    stations: int  #: without idle ones
    common: tuple[int, int, int]  #: first common station before and now, and how many
    dropper_from: np.ndarray  #: (droppers,) row before, or −1
    wire_from: np.ndarray  #: (wires,)
    far: bool  #: has superelements, which C does not


def windows_of(session: Session) -> list[WindowTables]:
    """All windows from the start of a run to its end; the session ends in the last."""
    found = list(_windows_in_order(session))
    sizes = Sizes(
        stations=max(w.linear.ns for w, _, _ in found),
        wires=max(w.line.path.size for w, _, _ in found),
        droppers=max(w.drop.size for w, _, _ in found),
        ties=tuple(max(getattr(w.line, m).value.size for w, _, _ in found) for m in "MCK"),  # type: ignore[arg-type]
    )
    before: Window | None = None
    tables = []
    for window, begin, ends in found:
        tables.append(_tables(before, window, begin, ends, sizes))
        before = window
    return tables


def _windows_in_order(session: Session) -> Iterator[tuple[Window, float, Ends]]:
    """Windows in the order in which a run reaches them, with the place at which it looks for the first time."""
    yield session.window, -np.inf, ends_of(session)
    model = session.model
    if not model.moving:
        return
    chunk, before = chunk_steps(model, session.sc.h), -np.inf
    for step in range(0, model.steps, chunk):
        spans, bands = spans_at(model, step), bands_at(model, step)
        if not is_window(session.window, spans, bands):
            session.window = window_at(session, spans, bands)
            yield session.window, _last_mast(model, before, _front(model, step, session.sc.h)), ends_of(session)
        before = _front(model, step, session.sc.h)


def _last_mast(model: ResolvedRun, before: float, now: float) -> float:
    """Place of the first pantograph, between two, at which it or the last one last passed a mast."""
    masts = model.strung.layout.mast_x
    places = np.concatenate([masts, masts + float(model.behind[-1])])
    return float(places[(places > before) & (places <= now)].max(initial=-np.inf))


def _front(model: ResolvedRun, step: int, h: float) -> float:
    return float(model.timetable.position(np.array([step * h]))[0])


def _tables(before: Window | None, window: Window, begin: float, ends: Ends, sizes: Sizes) -> WindowTables:
    old, new = window if before is None else before, window
    source, target = common(old.row_keys, new.row_keys)
    dropper_from = np.full(sizes.droppers, -1)
    dropper_from[target] = source
    source, target = common(old.path_keys, new.path_keys)
    wire_from = np.full(sizes.wires, -1)
    wire_from[target] = source
    return WindowTables(
        begin=begin,
        ends=ends,
        arrays=_pad_window(window, sizes),
        stations=window.linear.ns,
        common=_common_stations(old, new),
        dropper_from=dropper_from,
        wire_from=wire_from,
        far=bool(window.linear.far),
    )


def _common_stations(old: Window, new: Window) -> tuple[int, int, int]:
    """First common station of two windows in each, and how many there are."""
    here, there = old.linear, new.linear
    first, stop = max(here.first_span, there.first_span), min(here.stop_span, there.stop_span)
    if first >= stop:
        return 0, 0, 0
    a, z = here.stations(first).start, there.stations(first).start
    return a, z, here.stations(stop - 1).stop - a


def _pad_window(window: Window, sizes: Sizes) -> dict[str, np.ndarray]:
    """Arrays of a window, filled up."""
    line, linear, ns = window.line, window.linear, sizes.stations
    idle = ns - linear.ns
    found: dict[str, np.ndarray] = {"x": np.concatenate([line.x, line.x[-1] + 1.0 + np.arange(idle)])}
    for name, ties in zip("MCK", sizes.ties, strict=True):
        paired = getattr(line, name)
        found[f"{name}_pair"] = _stretch(paired.pair, 0, ns)
        found[f"{name}_place"] = _stretch(paired.place, 0, ties)
        found[f"{name}_value"] = _stretch(paired.value, 0, ties)
    found["F"] = _stretch(line.F, 0, ns)
    found["path"] = _stretch(line.path, 0, sizes.wires)
    found["shape"] = _stretch(_stretch(line.shape, 1, ns), 0, sizes.wires)
    found["drop"] = _stretch(window.drop, 0, sizes.droppers)
    found["drop"]["bilateral"][window.drop.size :] = 1
    found["drop"]["mode"][window.drop.size :] = 1
    found["drop"]["k"][window.drop.size :] = 1.0
    held = np.zeros((ns, line.F.shape[2] * 4), dtype=np.int64)
    held[: linear.ns, : linear.b] = ~linear.active
    found["held"] = held.reshape(ns, -1, 4)
    return found


def _stretch(array: np.ndarray, axis: int, size: int) -> np.ndarray:
    """The array, longer by zeros along one axis."""
    shape = list(array.shape)
    shape[axis] = size
    found = np.zeros(shape, array.dtype)
    found[tuple(slice(0, n) for n in array.shape)] = array
    return found
