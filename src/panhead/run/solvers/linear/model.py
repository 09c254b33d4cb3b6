"""A run with everything decided: names become lines and pantographs, defaults become numbers."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from panhead.errors import ModelError
from panhead.files import door
from panhead.line.description import Line
from panhead.line.files import shipped_lines
from panhead.line.layout import droppers_of
from panhead.line.speed import SHARE_ALLOWED, check_speed
from panhead.line.strung import Strung, string
from panhead.pantograph.lumped import LumpedPantograph, read_pantograph
from panhead.run.solvers.linear.description import LineRun, OnTrain
from panhead.run.solvers.linear.timetable import Roof, Timetable

_WHOLE = 5000.0  # a line up to this long is computed as a whole [m]


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """Everything a run needs."""

    run: LineRun
    line: Line
    strung: Strung
    names: tuple[str, ...]  #: of the pantographs
    pantographs: tuple[LumpedPantograph, ...]
    behind: np.ndarray  #: (np,) distance behind the first [m]
    timetable: Timetable
    steps: int
    stop: float  #: where the first pantograph is at the end [m]
    judged: tuple[float, float]  #: part of the first pantograph's way that is judged [m]
    moving: bool  #: a window moves with the train

    @property
    def fastest(self) -> float:
        """Highest speed of the run [m/s]."""
        return float(self.timetable.speeds.max())

    @property
    def judged_times(self) -> tuple[float, float]:
        """When the first pantograph enters and leaves the judged part [s]."""
        h = self.run.numerics.step
        first, last = (self.timetable.steps_to(x, h) * h for x in self.judged)
        return first, last


def resolve(run: LineRun, roof: Roof | None = None) -> Model:
    """Decide everything a description leaves open, and refuse what cannot be run.

    ``roof`` moves under the pantograph, of which there must be one then.
    """
    line = resolve_line(run)
    pantographs = tuple(_pantograph(p) for p in run.pantographs)
    strung = string(line)
    behind = np.array([p.behind for p in run.pantographs])
    start, stop, first, last = _places(run, strung, float(behind[-1]))
    if roof is not None:
        _check_foot(pantographs)
    timetable = replace(
        Timetable.of(run.speed, run.speed_table, start, run.journey.ramp), roof=roof
    )
    steps = timetable.steps_to(stop, run.numerics.step)
    if steps < 0:
        reached = timetable.position(timetable.times[-1:])[0]
        raise ModelError(
            f"speed_table: the train stops at {reached:g} m, before the journey's stop at {stop:g} m"
        )
    length = float(strung.layout.mast_x[-1])
    wanted = run.numerics.window
    model = Model(
        run=run,
        line=line,
        strung=strung,
        names=_names(pantographs),
        pantographs=pantographs,
        behind=behind,
        timetable=timetable,
        steps=steps,
        stop=stop,
        judged=(_after_run_in(run, timetable, stop) if first is None else first, last),
        moving=wanted == "moving" or (wanted == "auto" and length > _WHOLE),
    )
    _check(model)
    return model


def _check_foot(pantographs: Sequence[LumpedPantograph]) -> None:
    """The roof moves only what stands on it by a spring and a damper."""
    foot = pantographs[0].stages[-1]
    if len(pantographs) > 1:
        raise ModelError("a moving roof carries one pantograph; take the others off the train")
    if foot.friction or foot.stop_up is not None or foot.stop_down is not None:
        raise ModelError(
            f"pantograph {pantographs[0].name!r}: friction and stops of its lowest stage are not offered on a "
            "roof that moves; leave them out"
        )


def resolve_line(run: LineRun) -> Line:
    """The line of a run with its changes applied."""
    changes = dict(run.line_changes)
    if isinstance(run.line, Line):
        return (
            door.build(Line, door.to_plain(run.line) | changes, source="line")
            if changes
            else run.line
        )
    path = shipped_lines().get(run.line, Path(run.line))
    if run.line not in shipped_lines() and not path.exists():
        raise ModelError(
            f"line: {run.line!r} is neither a file nor a shipped line. Shipped: {', '.join(shipped_lines())}"
        )
    return door.build(Line, door.read_toml(path) | changes, source=path)


def _pantograph(place: OnTrain) -> LumpedPantograph:
    return (
        place.model if isinstance(place.model, LumpedPantograph) else read_pantograph(place.model)
    )


def _names(pantographs: Sequence[LumpedPantograph]) -> tuple[str, ...]:
    if len(pantographs) == 1:
        return (pantographs[0].name,)
    return tuple(f"{k}: {p.name}" for k, p in enumerate(pantographs, 1))


def _places(run: LineRun, strung: Strung, train: float) -> tuple[float, float, float | None, float]:
    """Start, stop and judged part (None: after the run-in) of the first pantograph."""
    masts, j = strung.layout.mast_x, run.journey
    start = float(0.5 * (masts[0] + masts[1]) + train) if j.start is None else j.start
    stop = float(0.5 * (masts[-2] + masts[-1])) if j.stop is None else j.stop
    last = stop - float(masts[-1] - masts[-2]) if j.judged_to is None else j.judged_to
    if start - train < masts[0] or stop >= masts[-1]:
        raise ModelError(
            f"journey: from {start:g} m to {stop:g} m with {train:g} m of train the pantographs leave the line "
            f"{run.line if isinstance(run.line, str) else run.line.name!r}, which goes from {masts[0]:g} m to "
            f"{masts[-1]:g} m. Move start and stop, or lengthen the line"
        )
    if stop <= start:
        raise ModelError(
            f"journey: stop {stop:g} m must lie beyond start {start:g} m; is the line too short?"
        )
    return start, stop, j.judged_from, last


def _after_run_in(run: LineRun, timetable: Timetable, stop: float) -> float:
    begin = float(timetable.position(np.array([run.journey.ramp]))[0]) + run.journey.run_in
    if begin >= stop:
        raise ModelError(
            f"journey: lifting ({run.journey.ramp:g} s) and run-in ({run.journey.run_in:g} m) end at {begin:.0f} m, "
            f"beyond the stop at {stop:g} m: the line is too short for this run, or ramp and run_in are too long"
        )
    return begin


def _check(model: Model) -> None:
    first, last = model.judged
    if not model.timetable.start <= first < last <= model.stop:
        raise ModelError(
            f"journey: the judged part {first:g} … {last:g} m must lie between start {model.timetable.start:g} m "
            f"and stop {model.stop:g} m; the line is too short for this run, or judged_from/judged_to are wrong"
        )
    _check_speed(model)
    _check_step(model)
    _check_droppers(model)
    for name, p in zip(model.names, model.pantographs, strict=True):
        for speed in (float(model.timetable.speeds.min()), model.fastest):
            if p.total_uplift(speed) <= 0.0:
                raise ModelError(
                    f"pantograph {name!r} is lifted with {p.total_uplift(speed):.3g} N at {3.6 * speed:.4g} km/h: "
                    "it never touches the wire. Raise its static_force"
                )


def _check_speed(model: Model) -> None:
    found = check_speed(model.line, model.fastest)
    waves = f"the waves in the contact wire of line {model.line.name!r} run at {3.6 * found.wave_speed:.4g} km/h"
    if found.share >= 1.0:
        raise ModelError(
            f"speed: {3.6 * model.fastest:.4g} km/h, but {waves}; no steady contact exists at or above that. "
            "Lower the speed or raise the wire's tension"
        )
    if found.share > SHARE_ALLOWED:
        warnings.warn(
            f"speed: {3.6 * model.fastest:.4g} km/h is {100 * found.share:.0f} % of the wave speed; {waves}, and "
            f"EN 50119 allows {100 * SHARE_ALLOWED:.0f} %",
            stacklevel=4,
        )


def _check_step(model: Model) -> None:
    h, cell = model.run.numerics.step, model.run.numerics.element_length
    passed = model.fastest * h
    if passed > cell:
        raise ModelError(
            f"numerics.step: {1e3 * h:g} ms is too long, the train passes {passed:.3g} m in it, more than an element "
            f"of {cell:g} m. Take at most {1e3 * 0.25 * cell / model.fastest:.2g} ms"
        )
    for name, p in zip(model.names, model.pantographs, strict=True):
        k = (
            p.contact_stiffness
            if model.run.contact.stiffness is None
            else model.run.contact.stiffness
        )
        swing = h * np.sqrt(k / min(p.stages[0].mass, model.line.wires.contact.mu * cell))
        linear = model.run.contact.kind == "linear"
        if (linear and swing > 1.0) or passed > 0.5 * cell:
            warnings.warn(
                f"numerics.step: {1e3 * h:g} ms is long for the contact of pantograph {name!r} "
                f"({swing:.2f} rad of its fastest swing, {passed / cell:.2f} elements passed); halve it",
                stacklevel=4,
            )


def _check_droppers(model: Model) -> None:
    pieces = model.strung.layout.pieces
    empty = [
        f"span {k} of {piece.name!r}"
        for piece in pieces
        for k, span in enumerate(piece.spans, 1)
        if not droppers_of(span)
    ]
    if empty:
        total = sum(len(piece.spans) for piece in pieces)
        warnings.warn(
            f"line {model.line.name!r}: {len(empty)} of {total} spans have no dropper, the first is {empty[0]}; there "
            "the contact wire hangs on nothing but its supports. Give dropper_positions, dropper_count or droppers",
            stacklevel=4,
        )
