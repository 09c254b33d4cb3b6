"""Actuator bound: the best possible actuator force for a run, free in time, bounded in size, rate and travel.

    min σ(u)   over   |u_k| ≤ U,   |u_{k+1} − u_k| ≤ R Δ

with u_k the force at times Δ apart, linear in between, that pushes a mass up and the one below it down. The
gradient by every u_k is exact, from one backward sweep. An actuator that knew the line and the future could achieve
this; a control law that only measures achieves less. With the modes of contacts and droppers fixed, σ² is convex in u,
and a linear programme gives a lower bound: σ*² ≥ σ² − 2 max_v ∇(σ²/2)·(u − v).
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from panhead.assess.judge import judge
from panhead.engine.jobs import Job
from panhead.errors import ModelError, RunWarning, require_not_negative, require_positive
from panhead.explore.designs.projected_gradient import LeastPoint, minimise_projected, nearest, steepest_room
from panhead.files.units import Metres, Newtons, Seconds, Unit
from panhead.files.variants import join
from panhead.railway.pantograph.pantograph_files import resolve_pantograph
from panhead.runs import scenarios
from panhead.runs.cables.cables_options import HeadLaw
from panhead.runs.checkpoints import EvaluationCache, finished_part
from panhead.runs.description import Run, Variant
from panhead.runs.force_histories import PushInTime
from panhead.runs.gradients.gradient import refuse
from panhead.runs.gradients.objectives import Objective, objective
from panhead.runs.linear.backward import slopes
from panhead.runs.linear.taped_run import RunTape, tape_run
from panhead.runs.resolve import ResolvedRun, resolve
from panhead.runs.scenarios import ScenarioKind
from panhead.runs.scenarios.run_kind import summarise
from panhead.runs.self_contained_run import run_with_contents
from panhead.runs.simulate import simulate_one

if TYPE_CHECKING:
    import xarray as xr

NewtonsPerSecond = Annotated[float, Unit("N/s")]
PASSIVE, BEST = "passive", "best force"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedLaw:
    """A shipped control law compared with the bound; it runs with solver "coupled"."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    name: str
    control: HeadLaw


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """Smallest standard deviation of the contact force that an actuator force could achieve in a run."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    run: str | Run  #: shipped scenario or FILE.toml, solver "linear"
    changes: Mapping[str, Any] = field(default_factory=dict)  #: changes of the run, merged into its tables
    force: Newtons  #: largest force of the actuator, U
    rate: NewtonsPerSecond | None = None  #: largest rate R of the actuator force; None: unlimited
    travel: Metres | None = None  #: stops of the stage, up and down from its static position; None: no stops
    pantograph: int = 1  #: 1 is the first of the train
    stage: int = 1  #: mass on which the actuator acts upwards, 1 is the head; the reaction acts on the mass below
    interval: Seconds = 0.01  #: time Δ between values of the force
    lead: Seconds = 0.5  #: time by which the actuator starts before the assessed section
    iterations: int = 30
    laws: tuple[ComparedLaw, ...] = ()  #: control laws to compare with the bound
    about: str = ""

    def __post_init__(self) -> None:
        require_positive(self, "force", "interval", "pantograph", "stage", "iterations")
        require_not_negative(self, "lead")
        for name in ("rate", "travel"):
            if getattr(self, name) is not None:
                require_positive(self, name)
        names = [law.name for law in self.laws]
        if len({*names, PASSIVE, BEST}) < len(names) + 2:
            raise ModelError(f"ceiling: laws must have unique names other than {PASSIVE!r} and {BEST!r}; got {names}")


def with_run(ceiling: Ceiling) -> Ceiling:
    """Copy that contains the run itself with all its parts."""
    run = (
        ceiling.run
        if isinstance(ceiling.run, Run)
        else scenarios.read(ceiling.run, changes=ceiling.changes).description
    )
    if not isinstance(run, Run) or run.variants:
        raise ModelError(f"ceiling: {ceiling.run!r} must be a single run under a line without variants")
    refuse(run)
    return replace(ceiling, run=_with_stops(ceiling, run_with_contents(run)), changes={}, travel=None)


def _with_stops(ceiling: Ceiling, run: Run) -> Run:
    """The run with the stops of the stage that the actuator moves."""
    if not 1 <= ceiling.pantograph <= len(run.train):
        raise ModelError(f"ceiling: there is no pantograph {ceiling.pantograph}; they are 1 … {len(run.train)}")
    on = run.train[ceiling.pantograph - 1]
    pantograph = resolve_pantograph(on.pantograph, on.changes)
    if not 1 <= ceiling.stage <= len(pantograph.stages):
        raise ModelError(
            f"ceiling: pantograph {pantograph.name!r} has stages 1 … {len(pantograph.stages)}, not {ceiling.stage}"
        )
    if ceiling.travel is None:
        return run
    stages = list(pantograph.stages)
    stages[ceiling.stage - 1] = replace(stages[ceiling.stage - 1], stop_up=ceiling.travel, stop_down=ceiling.travel)
    train = list(run.train)
    train[ceiling.pantograph - 1] = replace(on, pantograph=replace(pantograph, stages=tuple(stages)), changes={})
    return replace(run, train=tuple(train))


class FreeActuator:
    """σ of a run as a function of the forces u at the nodes, and its gradient."""

    def __init__(self, ceiling: Ceiling, model: ResolvedRun, job: Job | None = None) -> None:
        self.ceiling, self.model = ceiling, model
        self.values, self.slopes = (EvaluationCache(job or Job(), name, ceiling) for name in ("values", "slopes"))
        h = model.run.numerics.step
        begin, end = model.judged_times(ceiling.pantograph - 1)
        first = max(0.0, begin - ceiling.lead)
        count = max(2, round((end - first) / ceiling.interval) + 1)
        self.times = np.linspace(first, end, count)
        grid = PushInTime(table=tuple((float(t), 0.0) for t in self.times))
        self.weights = grid.weights(np.arange(model.steps + 1) * h)
        masses = [len(p.stages) for p in model.pantographs]
        self.masses = sum(masses)
        self.up = sum(masses[: ceiling.pantograph - 1]) + ceiling.stage - 1
        self.down = self.up + 1 if ceiling.stage < masses[ceiling.pantograph - 1] else None
        self.swing = None if ceiling.rate is None else ceiling.rate * float(self.times[1] - self.times[0])

    def half_square(self, u: np.ndarray) -> tuple[float, Callable[[], np.ndarray]]:
        """σ²/2 and, on demand, its gradient; values of an interrupted search are reused."""
        taped = functools.cache(lambda: self._tape(u))
        (value,) = self.values.at(u, lambda: np.array([0.5 * taped()[1].value ** 2]))
        return float(value), lambda: self.slopes.at(u, lambda: self._gradient(*taped()))

    def _tape(self, u: np.ndarray) -> tuple[RunTape, Objective]:
        """The run with the forces u, and σ of it."""
        push = np.zeros((self.model.steps + 1, self.masses))
        push[:, self.up] = self.weights @ u
        if self.down is not None:
            push[:, self.down] = -push[:, self.up]
        tape = tape_run(self.model, push=push)
        return tape, objective(tape, "deviation", self.ceiling.pantograph - 1)

    def _gradient(self, tape: RunTape, sigma: Objective) -> np.ndarray:
        by = slopes(tape, sigma.wanted).uplift
        whole = by[:, self.up] - (by[:, self.down] if self.down is not None else 0.0)
        return np.asarray(sigma.value * (self.weights.T @ whole))

    def pushes(self, u: np.ndarray) -> tuple[PushInTime, ...]:
        """The force as tables of a run."""
        at = lambda sign, stage: PushInTime(
            table=tuple((float(t), sign * float(x)) for t, x in zip(self.times, u, strict=True)),
            pantograph=self.ceiling.pantograph,
            stage=stage,
        )
        below = () if self.down is None else (at(-1.0, self.ceiling.stage + 1),)
        return (at(1.0, self.ceiling.stage), *below)


def simulate(ceiling: Ceiling, job: Job) -> xr.Dataset:
    """Find the best force; run without it, with it and with every control law, and assess all runs."""
    whole = with_run(ceiling)
    run = whole.run
    assert isinstance(run, Run)  # with_run has read it
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        actuator = FreeActuator(whole, resolve(run), job)
    size, swing = whole.force, actuator.swing
    told = lambda k, value: job.progress(
        0.8 * k / whole.iterations, f"best force, step {k}, deviation {np.sqrt(2 * value):.2f} N"
    )
    zero = np.zeros(actuator.times.size)
    end = minimise_projected(
        actuator.half_square, zero, lambda u: nearest(u, size, swing), size, whole.iterations, told
    )
    runs = {PASSIVE: run, BEST: replace(run, pushes=(*run.pushes, *actuator.pushes(end.x)))}
    runs |= {law.name: _with_head_law(run, law) for law in whole.laws}
    found = {}
    for k, (name, one) in enumerate(runs.items()):
        job.progress(0.8 + 0.2 * k / len(runs), name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore" if k else "default", RunWarning)  # said once
            found[name] = _run_in_folder(one, job, k)
    judged = judge(join({name: one.assign_attrs(about=ceiling.about) for name, one in found.items()}))
    return judged.assign(_variables(actuator, end, steepest_room(end.slope, end.x, size, swing)))


def _run_in_folder(run: Run, job: Job, number: int) -> xr.Dataset:
    """One of the runs, in a folder of its own within the job's."""
    out = None if job.out is None else job.out / f".variant{number}"
    aside = Job(out=out, resume=job.resume, say=job.say, trust=job.trust)
    return finished_part(run, aside, lambda: simulate_one(run, aside))


def _with_head_law(run: Run, law: ComparedLaw) -> Run:
    """Copy of the run with a control law of the head, as a co-simulation with the same static uplift force."""
    changes: dict[str, Any] = {"solver": "coupled", "control": law.control, "journey": {"settled": False}}
    return run.variant(Variant(name=law.name, changes=changes))


def _variables(actuator: FreeActuator, end: LeastPoint, room: float) -> dict[str, Any]:
    of = lambda dims, values, unit, words: (dims, np.asarray(values), {"units": unit, "long_name": words})
    least = float(np.sqrt(max(0.0, 2.0 * (end.value - room))))
    c = actuator.ceiling
    return {
        "ceiling_time": of("node", actuator.times, "s", "time of a force"),
        "ceiling_force": of("node", end.x, "N", "best force of the actuator"),
        "ceiling_history": of("ceiling_step", np.sqrt(2.0 * np.array(end.history)), "N", "σ over the steps"),
        "ceiling_least": of((), least, "N", "no force could bring σ below, contacts and droppers as they are"),
        "ceiling_size": of((), c.force, "N", "largest force of the actuator"),
        "ceiling_rate": of((), np.nan if c.rate is None else c.rate, "N/s", "largest change of it"),
    }


KIND = ScenarioKind("ceiling", Ceiling, simulate, summarise, with_run)
