"""Events of a motion: detect where a function of the state passes zero, act, go on.

Signs are compared at the ends of all steps dt; an event inside a step is located by Brent's method on the length of a
shorter step from its beginning. After an action the motion starts again from the new state. What an action adds to the
energy counts as work of drivers. Two crossings within one step are not seen: choose dt accordingly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, final

import numpy as np
import scipy.optimize

from panhead.engine.methods.equilibrium import consistent_rates, require_consistent
from panhead.engine.methods.impacts import rates_after_closing
from panhead.engine.methods.integrators import Method
from panhead.engine.methods.trajectory import Problem, State, Trajectory
from panhead.engine.roles import Item
from panhead.engine.system import System, Vector
from panhead.errors import ModelError, NotConverged, require_one_of

_FIRST_CHUNK, _LONGEST_CHUNK = 16, 4096  # steps between two looks at the events
_JUST_PAST, _PAST = 1e-6, 1e-3  # shares of a step after which an event that has just happened is looked at again
_TOO_MANY = 200  # events within one step


@final
@dataclass(frozen=True, slots=True)
class NamedState:
    """A state by names: ``state["body.x"]``, ``state.rate("body.x")``, or as arrays t, q, v."""

    system: System
    t: float  #: [s]
    q: Vector
    v: Vector

    def __getitem__(self, coordinate: str) -> float:
        return float(self.q[self._place(coordinate)])

    def rate(self, coordinate: str) -> float:
        """Rate of a coordinate."""
        return float(self.v[self._place(coordinate)])

    def _place(self, coordinate: str) -> int:
        if coordinate not in self.system.coordinates:
            raise ModelError(f"{self.system.name!r} has no coordinate {coordinate!r}")
        return self.system.coordinates.index(coordinate)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class EventAction:
    """Changes an event makes, by name; rates that are not named follow from the constraints, as near as they can."""

    values: Mapping[str, float] = field(default_factory=dict)  #: coordinates
    rates: Mapping[str, float] = field(default_factory=dict)  #: rates of coordinates
    parameters: Mapping[str, float] = field(default_factory=dict)  #: numbers of the model, as in ``system.parameters``
    releases: tuple[str, ...] = ()  #: joints that open, by name
    grips: tuple[Item, ...] = ()  #: joints that close where the bodies are now; they take the rates by a plastic impact
    stop: bool = False  #: the run ends here


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something happens where ``when`` passes zero."""

    name: str
    when: Callable[[NamedState], float]
    act: Callable[[NamedState], EventAction | None] | None = None  #: None: the event is recorded only
    direction: Literal["both", "rising", "falling"] = "both"

    def __post_init__(self) -> None:
        require_one_of(self, ("both", "rising", "falling"), "direction")

    def crosses(self, before: float, after: float) -> bool:
        """True if ``when`` passes zero in the direction asked for."""
        rising, falling = before < 0.0 <= after, before > 0.0 >= after
        return (rising and self.direction != "falling") or (falling and self.direction != "rising")


@final
@dataclass(frozen=True, slots=True)
class EventRecord:
    """One event that happened."""

    name: str
    t: float  # [s]
    added_energy: float  #: by the action [J]


@final
@dataclass(frozen=True, slots=True)
class EventMotion:
    """A motion in segments, each with the system whose numbers it was computed with, and its events."""

    segments: tuple[tuple[System, Trajectory], ...]
    events: tuple[EventRecord, ...]


#: The system after joints of an action have opened and closed.
Rejoin = Callable[[System, EventAction], System]


def run_with_events(
    problem: Problem, method: Method, events: Sequence[Event], rejoin: Rejoin | None = None
) -> EventMotion:
    """March over the grid of a problem, chunk by chunk, and act on events."""
    if problem.system.contacts is not None:
        raise ModelError(f"{problem.system.name!r}: events cannot be combined with contacts that strike")
    return _EventMarch(problem, method, tuple(events), rejoin).run()


@final
class _EventMarch:
    """State of a march with events."""

    def __init__(self, problem: Problem, method: Method, events: tuple[Event, ...], rejoin: Rejoin | None) -> None:
        self.problem, self.method, self.events, self.rejoin = problem, method, events, rejoin
        self.system, self.state = problem.system, problem.start
        self.work = np.zeros(3)
        self._here: set[int] = set()  # events at the present time
        self._sides = np.zeros(len(events))  # signs before the last event
        self.parts: list[Trajectory] = []
        self.segments: list[tuple[System, Trajectory]] = []
        self.records: list[EventRecord] = []

    def run(self) -> EventMotion:
        grid, at, chunk = self.problem.t, 0, _FIRST_CHUNK
        while at < len(grid) - 1:
            last = min(at + chunk, len(grid) - 1)
            motion = self._march(grid[at : last + 1])
            hit = self._first_crossing(motion)
            done = at + hit if hit is not None else last
            self._keep(motion, at, done)
            if hit is None:
                at, chunk = last, min(2 * chunk, _LONGEST_CHUNK)
            elif self._pass_step(float(grid[done]), float(grid[done + 1]), done + 1):
                break
            else:
                at, chunk = done + 1, _FIRST_CHUNK
            self.problem.progress(at / (len(grid) - 1), f"t = {grid[at]:.3g} s")
        self._close_segment()
        return EventMotion(tuple(self.segments), tuple(self.records))

    def _march(self, t: Vector) -> Trajectory:
        """The motion from the present state over the times t, every step of it."""
        u = np.array([np.interp(t, self.problem.t, column) for column in self.problem.u.T]).T.reshape(len(t), -1)
        start = State(q=self.state.q, v=self.state.v, t=float(t[0]))
        problem = replace(self.problem, system=self.system, start=start, t=t, u=u, every=1, progress=_silent)
        return self.method.run(problem)

    def _values(self, t: float, q: Vector, v: Vector) -> np.ndarray:
        state = NamedState(self.system, t, q, v)
        return np.array([float(event.when(state)) for event in self.events])

    def _values_at(self, begin: float, t: float) -> np.ndarray:
        """Values after one step from the present state."""
        motion = self._march(np.array([begin, t]))
        return self._values(t, motion.q[-1], motion.v[-1])

    def _first_crossing(self, motion: Trajectory) -> int | None:
        """First step of a motion in which an event lies."""
        before = self._values(float(motion.t[0]), motion.q[0], motion.v[0])
        for k in range(1, len(motion.t)):
            after = self._values(float(motion.t[k]), motion.q[k], motion.v[k])
            if any(e.crosses(a, b) for e, a, b in zip(self.events, before, after, strict=True)):
                return k - 1
            before = after
        return None

    def _keep(self, motion: Trajectory, first: int, last: int) -> None:
        """Keep grid points first + 1 … last of a motion that begins at ``first``; go on from the last."""
        begin = 0 if first == 0 and not self.parts and not self.segments else 1
        count = last - first
        rows = [k for k in range(begin, count + 1) if (first + k) % self.problem.every == 0]
        work = self.work + motion.work
        self.parts.append(_rows(replace(motion, work=work), rows))
        self.state = State(q=motion.q[count], v=motion.v[count], t=float(motion.t[count]))
        self.work = work[count]

    def _pass_step(self, begin: float, end: float, index: int) -> bool:
        """Pass the events within one step and come to its end; True if one of them ends the run."""
        recent: set[int] = set()
        for _ in range(_TOO_MANY):
            found = self._locate(begin, end, recent)
            if found is None:
                if end > begin:
                    motion = self._march(np.array([begin, end]))
                    rows = [1] if index % self.problem.every == 0 else []
                    work = self.work + motion.work
                    self.parts.append(_rows(replace(motion, work=work), rows))
                    self.state, self.work = State(q=motion.q[-1], v=motion.v[-1], t=end), work[-1]
                return False
            begin = found
            if self._act(begin, sorted(self._here)):
                return True
            recent = self._here
        raise self._accumulation(begin, end)

    def _accumulation(self, begin: float, end: float) -> NotConverged:
        return NotConverged(
            f"events of {self.system.name!r} accumulate between t = {begin:.6g} and {end:.6g} s. Let an action stop "
            "the run or hold what comes to rest there, or use a contact with an ImpactLaw"
        )

    def _locate(self, begin: float, end: float, recent: set[int]) -> float | None:
        """Earliest event after ``begin``, to which the state is brought; those just passed are looked at later."""
        span = end - begin
        if span <= 0.0:
            return None
        state, work = self.state, self.work
        start, ending = self._values(begin, state.q, state.v), self._values_at(begin, end)
        if recent:
            soon, later = (self._values_at(begin, begin + share * span) for share in (_JUST_PAST, _PAST))
            if any(soon[k] * self._sides[k] > 0.0 >= later[k] * self._sides[k] for k in recent):
                raise self._accumulation(begin, end)
            start = np.array([later[k] if k in recent else x for k, x in enumerate(start)])
        best: float | None = None
        for k, event in enumerate(self.events):
            if event.crosses(start[k], ending[k]):
                low = _PAST * span if k in recent else 0.0
                root = self._root(k, begin, low, span, float(start[k]), float(ending[k]))
                best = root if best is None else min(best, root)
        if best is None:
            return None
        t = begin + best
        if best > 0.0:
            motion = self._march(np.array([begin, t]))
            self.state, self.work = State(q=motion.q[-1], v=motion.v[-1], t=t), work + motion.work[-1]
        now = self._values(t, self.state.q, self.state.v)
        scale = np.maximum(np.abs(start), np.abs(ending)) + 1e-300
        crossing = [e.crosses(a, b) for e, a, b in zip(self.events, start, ending, strict=True)]
        self._here = {k for k in range(len(now)) if crossing[k] and abs(now[k]) <= 1e-6 * scale[k]}
        self._sides = np.sign(start)
        return t

    def _root(self, k: int, begin: float, low: float, span: float, a: float, b: float) -> float:
        """Time after ``begin`` at which event k passes zero."""

        def value(h: float) -> float:
            if h == low:
                return a
            if h == span:
                return b
            return float(self._values_at(begin, begin + h)[k])

        if b == 0.0:
            return span
        return float(scipy.optimize.brentq(value, low, span, xtol=1e-13 * max(1.0, begin), rtol=1e-13))

    def _act(self, t: float, which: Sequence[int]) -> bool:
        """Let events act; True if the run ends."""
        stop = False
        for k in which:
            event = self.events[k]
            action = event.act(NamedState(self.system, t, self.state.q, self.state.v)) if event.act else None
            before = sum(self.system.energy(t, self.state.q, self.state.v))
            if action is not None:
                self._apply(event, action, t)
                stop = stop or action.stop
            added = sum(self.system.energy(t, self.state.q, self.state.v)) - before
            self.work = self.work + np.array([added, 0.0, 0.0])
            self.records.append(EventRecord(event.name, t, float(added)))
        return stop

    def _apply(self, event: Event, action: EventAction, t: float) -> None:
        if not isinstance(action, EventAction):
            raise ModelError(f"event {event.name!r}: act must return an EventAction or None, got {action!r:.60}")
        if action.parameters:
            self._close_segment()
            self.system = self.system.with_parameters(**dict(action.parameters))
        if action.releases or action.grips:
            self._rejoin(event, action, t)
        q, v = self.state.q.copy(), self.state.v.copy()
        view = NamedState(self.system, t, q, v)
        for name, value in action.values.items():
            q[view._place(name)] = value
        for name, value in action.rates.items():
            v[view._place(name)] = value
        if action.rates or action.values:
            v = consistent_rates(self.system, q, v, t=t, keep=tuple(action.rates))
        self.state = State(q=q, v=v, t=t)
        require_consistent(self.system, self.state)

    def _rejoin(self, event: Event, action: EventAction, t: float) -> None:
        """Open and close joints; what closes takes the rates by a plastic impact."""
        if self.rejoin is None:
            raise ModelError(f"event {event.name!r}: {self.system.name!r} has no joints that can open or close")
        self._close_segment()
        self.system = self.rejoin(self.system, action)
        q, v = self.state.q, self.state.v
        self.state = State(q=q, v=rates_after_closing(self.system, t, q, v), t=t)

    def _close_segment(self) -> None:
        """Close the segment that was computed with the present numbers."""
        joined = _join(self.parts)
        if joined is not None:
            self.segments.append((self.system, joined))
        self.parts = []


def _silent(share: float, text: str) -> None:
    pass


_SERIES = ("t", "q", "v", "a", "lam", "u", "work", "g", "g_dot")


def _rows(motion: Trajectory, rows: Sequence[int]) -> Trajectory:
    picked = {name: getattr(motion, name)[list(rows)] for name in _SERIES}
    return replace(motion, **picked)


def _join(parts: Sequence[Trajectory]) -> Trajectory | None:
    """One trajectory after the other; counts of steps and iterations add up."""
    if not any(len(part.t) for part in parts):
        return None
    joined: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _SERIES}
    notes: dict[str, float] = {}
    for part in parts:
        for name, value in part.notes.items():
            notes[name] = notes.get(name, 0.0) + value
    return replace(parts[0], **joined, notes=notes)
