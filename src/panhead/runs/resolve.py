"""Resolve a run: names become lines and pantographs, defaults become numbers."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from panhead.assess import limits
from panhead.errors import ModelError, RunWarning
from panhead.files import parse
from panhead.files.inventory import Stated, stated_fields
from panhead.railway.line.conditions import line_in
from panhead.railway.line.layout import Layout
from panhead.railway.line.line_description import Line
from panhead.railway.line.line_files import read_line
from panhead.railway.line.line_places import MastPlaces
from panhead.railway.line.line_speed import check_speed, run_in_length
from panhead.railway.line.running_wire import RunningWire, running_wire
from panhead.railway.line.strung_line import Strung, string
from panhead.railway.pantograph.pantograph_files import resolve_pantograph
from panhead.runs import run_checks
from panhead.runs.capabilities import CapabilityQuery, require
from panhead.runs.description import JOURNEY_PLACES, Journey, Run
from panhead.runs.memory_estimate import check_memory
from panhead.runs.part_checks import check_foot, check_linear_parts
from panhead.runs.timetable import Roof, Timetable

_SLACK = 1e-6  # by which a place may miss a mast and still be there [m]
_WHOLE = 5000.0  # a line up to this long is computed as a whole [m]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedRun:
    """Resolved run: everything a solver needs."""

    run: Run
    line: Line
    strung: Strung
    names: tuple[str, ...]  #: of the pantographs
    pantographs: tuple[Any, ...]  #: descriptions by ``panhead.railway.pantograph.pantograph_protocol``
    behind: np.ndarray  #: (np,) distance behind the first [m]
    timetable: Timetable
    steps: int
    stop: float  #: where the first pantograph is at the end [m]
    judged: tuple[float, float]  #: part of the line on which each pantograph is judged [m]
    running_wire: RunningWire  #: under which the pantographs run
    warnings: tuple[str, ...] = ()  #: what should be known of the run before it starts

    def require(self, path: str) -> None:
        """ModelError if the run has a feature that a path does not support."""
        require(CapabilityQuery(self.run, self.line, self.pantographs), path)

    @property
    def fastest(self) -> float:
        """Highest speed of the run [m/s]."""
        return float(self.timetable.speeds.max())

    @property
    def duration(self) -> float:
        """Duration of the run [s]."""
        return self.steps * self.run.numerics.step

    def judged_times(self, k: int = 0) -> tuple[float, float]:
        """Times at which pantograph k enters and leaves the assessed section, or the run ends [s]."""
        h, behind = self.run.numerics.step, float(self.behind[k])
        first, last = (min(self.timetable.steps_to(x + behind, h), self.steps) * h for x in self.judged)
        return first, last

    @property
    def settled_from(self) -> tuple[float, float]:
        """Positions of the first pantograph when it is raised, and when the run-in ends [m]."""
        return _settled_from(self.run, self.line, self.timetable)

    def places(self, t: np.ndarray) -> np.ndarray:
        """Positions of all pantographs at times t (n,), (n, np) [m]."""
        return np.asarray(self.timetable.position(t)[:, None] - self.behind)

    @property
    def moving(self) -> bool:
        """True if a window of the line moves with the train (solver "linear")."""
        wanted, length = self.run.numerics.window, float(self.strung.layout.mast_x[-1])
        return wanted == "moving" or (wanted == "auto" and length > _WHOLE)

    def inventory(self) -> dict[str, list[Stated]]:
        """All inputs as used in the computation, grouped by run, line and pantograph."""
        rest = replace(
            self.run, line="", line_changes={}, train=self.run.train[:1], variants=(), standard="", reference=None,
            title_block=None,
        )  # fmt: skip
        whole = [row for row in stated_fields(rest) if not row[0].startswith("train.")]
        edition = limits.read(limits.to_json(self.run.standard))
        decided: list[Stated] = [("standard", [edition.name, *edition.includes], "")]
        decided += [("train.behind", self.behind.tolist(), "m")]
        decided += [("journey.start", self.timetable.start, "m"), ("journey.stop", self.stop, "m")]
        decided += [("journey.judged_from", self.judged[0], "m"), ("journey.judged_to", self.judged[1], "m")]
        run = {path: (path, value, unit) for path, value, unit in [*whole, *decided]}
        found: dict[str, list[Stated]] = {"Run": list(run.values()), "Line": list(stated_fields(self.line))}
        for name, pantograph in zip(self.names, self.pantographs, strict=True):
            found[f"Pantograph {name}"] = list(stated_fields(pantograph))
        return found

    def variables(self) -> dict[str, Any]:
        """Dataset variables of the line and of each pantograph that every solver adds."""
        wire, windows = self.running_wire, np.array([self.judged_times(k) for k in range(len(self.names))])
        layout, last = self.strung.layout, self.strung.layout.mast_x.size - 1
        passing = [layout.tension_lengths_at(min(k, last - 1))[-1] for k in range(last + 1)]  # passes on from the mast
        masts = [layout.mast_name(piece, k) for k, piece in enumerate(passing)]
        heads = [p.pan_head for p in self.pantographs]
        of = lambda dim, values, unit, words: (dim, values, {"units": unit, "long_name": words})
        return {
            "mast_x": of("mast", wire.x, "m", "place of the mast"),
            "mast_name": of("mast", np.array(masts, dtype=str), "1", "name of the mast"),
            "mast_y": of("mast", wire.y, "m", "stagger of the running contact wire, + to the left"),
            "mast_z": of("mast", wire.z, "m", "height of the running contact wire at rest"),
            "span_overlap": of("span", wire.overlap.astype(np.int64), "1", "whether two tension lengths pass the span"),
            "judged_from": of("pantograph", windows[:, 0], "s", "when it enters the assessed section"),
            "judged_to": of("pantograph", windows[:, 1], "s", "when it leaves the assessed section"),
            "head_length": of("pantograph", np.array([h.length for h in heads]), "m", "length of the pan-head"),
            "working_width": of("pantograph", np.array([h.working_width for h in heads]), "m", "working width of it"),
        }

    def attributes(self, *, inventory: bool = True) -> dict[str, Any]:
        """Dataset attributes of the run that every solver adds, with or without its inventory."""
        begin, end = self.judged_times()
        found = {
            "about": self.run.about,
            "source": self.run.source,
            "line": self.line.name,
            "chainage": float(self.line.chainage),
            "solver": self.run.solver,
            "speed": self.fastest,
            "judged_from": begin,
            "judged_to": end,
            "run_in_end": self.settled_from[1],
            "supply": str(self.line.supply),
            "edition": limits.to_json(self.run.standard),
            "step": self.run.numerics.step,
            "element_length": self.run.numerics.element_length,
            "warnings": json.dumps(self.warnings, ensure_ascii=False),
        }
        if self.run.reference is not None:
            found["reference"] = limits.to_json(self.run.reference)
        if self.run.title_block is not None:
            found["title_block"] = json.dumps(parse.to_plain(self.run.title_block), ensure_ascii=False)
        if inventory:
            found["inventory"] = json.dumps(self.inventory(), ensure_ascii=False)
        waves = check_speed(self.line, self.fastest)
        if waves is not None:
            found["wave_speed"] = waves.wave_speed
        if self.line.uplift_space is not None:
            found["uplift_space"] = self.line.uplift_space
        if self.line.chainage:
            found["chainage"] = self.line.chainage
        return found


def resolve(run: Run, roof: Roof | None = None) -> ResolvedRun:
    """Decide everything a description leaves open, and refuse what cannot be run.

    ``roof`` moves under the pantograph, of which there must be one then; without it the run's own roof does.
    """
    limits.to_json(run.standard)  # refused now rather than after the run
    if run.reference is not None:
        limits.to_json(run.reference)
    asked = capability_query(run)
    line, pantographs = asked.line, asked.pantographs
    require(asked, run.solver)
    if run.solver == "linear":
        check_linear_parts(run, pantographs)
    if run.conditions is not None:
        line = line_in(line, run.conditions)
    strung = string(line)
    run = replace(run, journey=journey_in_metres(run.journey, strung.layout))
    behind = np.array([p.behind for p in run.train])
    roof = Roof.of(run.roof) if roof is None and run.roof else roof
    start = _start(run, strung, float(behind[-1]))
    if roof is not None:
        check_foot(pantographs)
    timetable = replace(
        Timetable.of(run.speed, run.speed_table, start, run.journey.ramp),
        roof=roof,
        pushes=run.pushes,
        tunnels=line.tunnels,
    )
    steps, stop = _end(run, strung, timetable, pantographs)
    resolved = ResolvedRun(
        run=run,
        line=line,
        strung=strung,
        names=tuple(p.name if len(pantographs) == 1 else f"{k}: {p.name}" for k, p in enumerate(pantographs, 1)),
        pantographs=pantographs,
        behind=behind,
        timetable=timetable,
        steps=steps,
        stop=stop,
        judged=_judged_parts(run, strung, timetable, stop, _settled_from(run, line, timetable)),
        running_wire=running_wire(strung.layout),
    )
    if run.solver == "linear" and resolved.moving:
        require(asked, "window")
    found = tuple(run_checks.warnings_before(resolved, asked.line))
    for words in found:
        warnings.warn(words, RunWarning, stacklevel=3)
    return replace(resolved, warnings=found)


def capability_query(run: Run) -> CapabilityQuery:
    """Run with its line and pantographs as described, for the capability checks."""
    return CapabilityQuery(
        run, resolve_line(run), tuple(resolve_pantograph(p.pantograph, p.changes) for p in run.train)
    )


def resolve_line(run: Run) -> Line:
    """Line of a run with its changes applied."""
    changes = dict(run.line_changes)
    if isinstance(run.line, Line):
        plain = parse.to_plain(run.line)
        source = f"line {run.line.name!r} with line_changes"
        return parse.build(Line, parse.merge(plain, changes), source=source) if changes else run.line
    return read_line(run.line, changes)


def journey_in_metres(journey: Journey, layout: Layout) -> Journey:
    """A journey whose places are metres from the first mast."""
    said = {name: getattr(journey, name) for name in JOURNEY_PLACES}
    text = {name: place for name, place in said.items() if isinstance(place, str)}
    places = MastPlaces.from_layout(layout) if text else None
    found: dict[str, Any] = {}
    if places is not None:
        found = {name: places.position(place, f"journey.{name}") for name, place in text.items()}
    return replace(journey, **found)


def metres(place: float | str | None, otherwise: float) -> float:
    """A place of a journey in metres, which ``resolve`` has made of it."""
    assert not isinstance(place, str)
    return otherwise if place is None else place


def _start(run: Run, strung: Strung, train: float) -> float:
    """Start position of the first pantograph [m]; ``train``: distance of the last one behind it [m]."""
    masts, j = strung.layout.mast_x, run.journey
    start = metres(j.start, float(0.5 * (masts[0] + masts[1]) + train))
    if start - train < masts[0]:
        raise _off_line_error(run, strung, f"starting at {start:g} m with a train {train:g} m long,")
    return start


def _end(run: Run, strung: Strung, timetable: Timetable, pantographs: Sequence[Any]) -> tuple[int, float]:
    """Number of steps, and stop position of the first pantograph [m]."""
    masts, j, h = strung.layout.mast_x, run.journey, run.numerics.step
    if j.duration is not None:
        stop = float(timetable.position(np.array([j.duration]))[0])
    else:
        stop = metres(j.stop, float(0.5 * (masts[-2] + masts[-1])))
    if not stop < masts[-1]:
        raise _off_line_error(run, strung, f"stopping at {stop:g} m,")
    seconds = timetable.longest(stop) if j.duration is None else j.duration
    check_memory(run, pantographs, seconds, float(masts[-1] - masts[0]))
    if j.duration is None:
        steps = timetable.steps_to(stop, h)
    else:
        steps = max(1, round(j.duration / h))
        stop = float(timetable.position(np.array([steps * h]))[0])
    if stop <= timetable.start:
        raise ModelError(
            f"journey: stop {stop:g} m must lie beyond start {timetable.start:g} m; change start or stop, "
            "or lengthen the line"
        )
    if steps < 0:
        reached = timetable.position(timetable.times[-1:])[0]
        raise ModelError(
            f"speed_table: the train comes to a stand at {reached:g} m, before journey.stop at {stop:g} m; lengthen "
            "the table or move journey.stop"
        )
    return steps, stop


def _off_line_error(run: Run, strung: Strung, way: str) -> ModelError:
    masts = strung.layout.mast_x
    name = run.line if isinstance(run.line, str) else run.line.name
    return ModelError(
        f"journey: {way} the pantographs leave the line {name!r}, which extends from {masts[0]:g} m to {masts[-1]:g} "
        "m. Change journey.start or journey.stop, or lengthen the line"
    )


def _settled_from(run: Run, line: Line, timetable: Timetable) -> tuple[float, float]:
    """Positions of the first pantograph when it is raised, and when the run-in ends [m]."""
    lifted = float(timetable.position(np.array([0.0 if starts_settled(run) else run.journey.ramp]))[0])
    given = run.journey.run_in
    return lifted, lifted + (run_in_length(line, float(timetable.speeds.max())) if given is None else given)


def _judged_parts(
    run: Run, strung: Strung, timetable: Timetable, stop: float, settled_from: tuple[float, float]
) -> tuple[float, float]:
    """Assessed section of the line [m]; by default whole spans, at least two if they fit.

    They begin after the run-in and end a span before the last pantograph's stop. Where fewer than two fit and no run-in
    is given, the section begins earlier, but not before the end of the force ramp; whether σ has settled is checked.
    """
    masts, j, (lifted, clean) = strung.layout.mast_x, run.journey, settled_from
    train = max(p.behind for p in run.train)
    last = metres(j.judged_to, stop - max(float(masts[-1] - masts[-2]), train))
    if 0.0 < last - stop <= run.numerics.step * float(timetable.speeds.max()):
        last = stop  # within a step of the end
    begin = metres(j.judged_from, clean)
    after = lifted if j.judged_from is None and j.run_in is None else begin
    whole = masts[(masts >= after - _SLACK) & (masts <= last + _SLACK)]
    if j.judged_to is None and whole.size > 1:
        last = float(whole[-1])
    if j.judged_from is None and whole.size > 1:
        late = int(np.searchsorted(whole, clean - _SLACK))
        return float(whole[max(0, min(late, whole.size - 3))]), last
    if begin >= stop and j.judged_from is not None:
        raise ModelError(
            f"journey: judged_from {begin:g} m lies beyond the stop at {stop:g} m; reduce judged_from, or move the stop"
        )
    if begin >= stop:
        raise ModelError(
            f"journey: the pantograph is raised until {lifted:.6g} m and the run-in ends at {clean:.6g} m, beyond the "
            f"stop at {stop:g} m. Lengthen the line, or shorten journey.ramp and journey.run_in"
        )
    return begin, last


def starts_settled(run: Run) -> bool:
    """True if the run starts in static equilibrium under the line."""
    wanted = run.journey.settled
    return run.solver != "linear" if wanted is None else wanted
