"""Run of an episode, resolved and advanced to the moment at which control starts; the last ones are remembered."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass, replace

import numpy as np

from panhead.errors import ModelError, RunWarning
from panhead.explore.environment.plant import Plant, pair_of_masses
from panhead.explore.environment.task import ControlTask, PantographActuator
from panhead.files import parse
from panhead.railway.line.lru import LruCache
from panhead.railway.pantograph.pantograph_files import resolve_pantograph
from panhead.runs import scenarios
from panhead.runs.description import Run
from panhead.runs.linear.session import packed_line
from panhead.runs.linear.window import PackedLine
from panhead.runs.resolve import ResolvedRun, resolve

_LEAST = 10  # control intervals of the assessed section
_PREPARED: LruCache[PreparedRun] = LruCache(16)


@dataclass(frozen=True, slots=True)
class Schedule:
    """Steps at which an episode begins, is assessed and ends."""

    first: int  #: step at which control starts
    judged: int  #: first assessed step
    last: int  #: step at which the episode ends
    each: int  #: steps of a control interval

    @property
    def actions(self) -> int:
        """Control intervals of the episode."""
        return (self.last - self.first) // self.each


@dataclass(frozen=True, slots=True)
class PreparedRun:
    """A run at the moment at which control starts."""

    model: ResolvedRun
    packed: PackedLine
    schedule: Schedule
    pair: tuple[int, int | None]  #: masses between which the actuator acts
    state: dict[str, np.ndarray]  #: of the plant
    force: np.ndarray  #: (first, np) contact forces until then [N]
    places: np.ndarray  #: (actions + 1,) place in the span of the controlled pantograph at every observation, 0 … 1
    speeds: np.ndarray  #: (actions + 1,) of the train then [m/s]

    def plant(self) -> Plant:
        """A plant at this moment."""
        found = Plant(self.model, self.packed)
        found.restore(self.state)
        return found


def named_run(task: ControlTask) -> Run:
    """The run of a task that has one, with the stops of its actuator."""
    assert isinstance(task.runs, Run | str)  # a family draws its own
    found = task.runs if isinstance(task.runs, Run) else scenarios.read(task.runs, changes=task.changes).description
    if not isinstance(found, Run):
        raise ModelError(f'ControlTask: {task.runs!r} is not a run under a line; name a scenario of the kind "run"')
    return found


def prepare(run: Run, task: ControlTask) -> PreparedRun:
    """Resolve a run and advance it to the start of control."""
    run = with_stops(run, task.actuator)
    key = json.dumps([parse.to_plain(run), task.interval, task.lead, parse.to_plain(task.actuator)], sort_keys=True)
    return _PREPARED.get(key, lambda: _prepare(run, task))


def _prepare(run: Run, task: ControlTask) -> PreparedRun:
    if run.solver != "linear":
        raise ModelError(
            f"solver: a control environment steps the solver 'linear', not {run.solver!r}; change `solver`"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        model = resolve(run)
    model.require("environment")
    found = schedule(model, task)
    stages = len(model.pantographs[task.actuator.pantograph - 1].stages)
    pair = pair_of_masses(model, task.actuator.pantograph, stages if task.actuator.on == "frame" else 1)
    if task.actuator.on == "damper" and pair[1] is None:
        raise ModelError('PantographActuator: a damper needs two masses, and this pantograph has one; use on = "head"')
    plant = Plant(model, packed := packed_line(model))
    force = plant.advance(found.first) if found.first else np.zeros((0, len(model.names)))
    times = (found.first + found.each * np.arange(found.actions + 1)) * model.run.numerics.step
    places = _span_positions(model, times, task.actuator.pantograph - 1)
    return PreparedRun(model, packed, found, pair, plant.save(), force, places, model.timetable.speed(times))


def _span_positions(model: ResolvedRun, times: np.ndarray, pantograph: int) -> np.ndarray:
    """Distance behind the last mast as a share of the span, at these times."""
    x, masts = model.places(times)[:, pantograph], model.strung.layout.mast_x
    i = np.clip(np.searchsorted(masts, x, side="right") - 1, 0, masts.size - 2)
    return np.asarray((x - masts[i]) / (masts[i + 1] - masts[i]))


def schedule(model: ResolvedRun, task: ControlTask) -> Schedule:
    """Steps of an episode: it ends with the assessed section, and starts ``lead`` or a little more before it."""
    h = model.run.numerics.step
    each = round(task.interval / h)
    if each < 1 or abs(each * h - task.interval) > 1e-9:
        raise ModelError(
            f"ControlTask: the control interval {task.interval:g} s must be a multiple of the time step {h:g} s; "
            "change `interval` or numerics.step"
        )
    begin, end = (round(t / h) for t in model.judged_times(task.actuator.pantograph - 1))
    if end - begin < _LEAST * each:
        raise ModelError(
            f"journey: the assessed section lasts {(end - begin) * h:.3g} s, less than {_LEAST} control intervals of "
            f"{task.interval:g} s; lengthen it (journey.judged_from, judged_to), or shorten `interval`"
        )
    count = min(-(-(end - begin + round(task.lead / h)) // each), end // each)
    return Schedule(end - count * each, begin, end, each)


def with_stops(run: Run, actuator: PantographActuator) -> Run:
    """The run with the stops of the suspension that an actuator moves, if its travel is limited."""
    if not 1 <= actuator.pantograph <= len(run.train):
        raise ModelError(
            f"PantographActuator: there is no pantograph {actuator.pantograph}; the train has 1 … {len(run.train)}"
        )
    if actuator.travel is None:
        return run
    on = run.train[actuator.pantograph - 1]
    pantograph = resolve_pantograph(on.pantograph, on.changes)
    stages, k = list(pantograph.stages), -1 if actuator.on == "frame" else 0
    stages[k] = replace(stages[k], stop_up=actuator.travel, stop_down=actuator.travel)
    train = list(run.train)
    train[actuator.pantograph - 1] = replace(on, pantograph=replace(pantograph, stages=tuple(stages)), changes={})
    return replace(run, train=tuple(train))
