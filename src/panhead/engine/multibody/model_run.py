"""A run of a model: start, redundant constraints, events, result."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, final

import numpy as np
import xarray as xr

from panhead.engine.methods.events import Event, EventAction, EventRecord, run_with_events
from panhead.engine.methods.formulations import Formulation, Stabilisation
from panhead.engine.methods.integrators import Method
from panhead.engine.methods.simulate import method_of, problem_of, simulate
from panhead.engine.methods.trajectory import State, Trajectory
from panhead.engine.multibody.model import Model
from panhead.engine.multibody.model_dataset import Point, dataset
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.engine.multibody.redundant_constraints import independent_system, with_all_multipliers
from panhead.engine.multibody.sensors import Sensor
from panhead.engine.plain_function import forget_failures, raise_failures
from panhead.engine.roles import Constraint, Marker
from panhead.engine.system import System
from panhead.errors import ModelError, RedundantConstraints, RunWarning, SimulationError

if TYPE_CHECKING:
    from panhead.files.result import Result

_SHOWN = 4  # names of constraints in a note


@final
@dataclass(frozen=True, slots=True)
class ShownQuantities:
    """Contents of a result besides the motion."""

    outputs: tuple[str, ...]
    points: Mapping[str, Point | Marker]
    sensors: Mapping[str, Sensor]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class _Segment:
    """A part of a motion and the system whose numbers it was computed with."""

    system: MultibodySystem
    motion: Trajectory


@final
class ModelRun:
    """Options of a run; see ``Model.simulate``."""

    def __init__(
        self,
        model: Model,
        *,
        duration: float,
        dt: float,
        keep: float | None,
        method: Method | None,
        controls: Callable[[float], np.ndarray] | None,
        formulation: Formulation | None,
        stabilisation: Stabilisation | None,
        events: tuple[Event, ...],
    ) -> None:
        self.model, self.method, self.events = model, method, events
        self.duration, self.dt, self.keep, self.controls = duration, dt, keep, controls
        self.formulation, self.stabilisation = formulation, stabilisation

    def result(self, q: Sequence[float] | None, v: Sequence[float] | None, recorded: ShownQuantities) -> Result:
        """Run from q and v, or from where the bodies are placed."""
        from panhead.files.result import Result

        system = self.model.system()
        start = _start(self.model, system, q, v)
        note = ""
        try:
            segments, happened = self._march(system, start)
        except RedundantConstraints:
            part, dropped = independent_system(system, self.model.items, self.model.gravity, start)
            found, happened = self._march(part, start)
            segments = [
                _Segment(system=_like(system, x.system), motion=with_all_multipliers(system, x.system, x.motion))
                for x in found
            ]
            note = _redundancy_note(system, dropped)
            warnings.warn(note, RunWarning, stacklevel=3)
        data = [
            dataset(self.model, x.system, x.motion, points=recorded.points, sensors=recorded.sensors,
                    outputs=recorded.outputs)
            for x in segments
        ]  # fmt: skip
        whole = data[0] if len(data) == 1 else _join_segments(data)
        if self.events:
            whole = whole.assign(_event_variables(happened))
        attrs = {"title": self.model.name} | ({"run_note": note} if note else {})
        return Result.of(whole).assign_attrs(attrs)

    def _march(self, system: MultibodySystem, start: State) -> tuple[list[_Segment], tuple[EventRecord, ...]]:
        if not self.events:
            motion = simulate(
                system, start, duration=self.duration, dt=self.dt, keep=self.keep, method=self.method,
                controls=self.controls, formulation=self.formulation, stabilisation=self.stabilisation,
            )  # fmt: skip
            return [_Segment(system=system, motion=motion)], ()
        problem = problem_of(
            system, start, duration=self.duration, dt=self.dt, keep=self.keep, controls=self.controls,
            formulation=self.formulation, stabilisation=self.stabilisation,
        )  # fmt: skip
        chosen = method_of(problem, self.method)
        forget_failures()
        try:
            found = run_with_events(problem, chosen, self.events, _JointChanges(self.model).rejoin)
        except SimulationError:
            raise_failures()
            raise
        raise_failures()
        words = repr(chosen) + ("" if self.method else ", chosen by default")
        segments = []
        for used, motion in found.segments:
            assert isinstance(used, MultibodySystem)
            segments.append(_Segment(system=used, motion=replace(motion, method=words)))
        return segments, found.events


@final
class _JointChanges:
    """Joints that the events of a run open and close."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def rejoin(self, system: System, action: EventAction) -> MultibodySystem:
        """The system with joints opened and closed; numbers that events have changed stay as they are."""
        assert isinstance(system, MultibodySystem)
        model = self.model
        unknown = set(action.releases) - {item.name for item in model.items if isinstance(item, Constraint)}
        if unknown:
            raise ModelError(f"model {model.name!r} has no closed joint called {', '.join(sorted(unknown))} to release")
        left = tuple(item for item in model.items if item.name not in action.releases)
        self.model = replace(model, items=(*left, *action.grips))
        made = self.model.system()
        if made.coordinates != system.coordinates:
            raise ModelError(
                f"model {model.name!r}: joints that open or close during a run must have no coordinates of their own; "
                "a sliding joint needs form='embedded'"
            )
        return made.changed({name: value for name, value in system.changes.items() if name in made.parameters})


def _start(model: Model, system: MultibodySystem, q: Sequence[float] | None, v: Sequence[float] | None) -> State:
    given = [put if x is None else np.array(x, float) for x, put in ((q, system.start.q), (v, system.start.v))]
    for name, value in zip("qv", given, strict=True):
        if value.shape != (system.nq,) or not np.isfinite(value).all():
            raise ModelError(
                f"model {model.name!r}: {name} must be {system.nq} finite numbers, in the order "
                f"{', '.join(system.coordinates[:8])}{' …' if system.nq > 8 else ''}; got shape {value.shape}"
            )
    return State(q=given[0], v=given[1])


def _like(full: MultibodySystem, part: MultibodySystem) -> MultibodySystem:
    """The full system with the numbers that events have given to its part."""
    return full.changed(part.changes) if part.changes else full


def _redundancy_note(system: MultibodySystem, dropped: Sequence[str]) -> str:
    named = ", ".join(dropped[:_SHOWN]) + (" …" if len(dropped) > _SHOWN else "")
    return (
        f"{len(dropped)} of {system.nc} constraints of {system.name!r} are redundant ({named}). The motion does not "
        "depend on them; single reactions are not unique: those of least norm are given. For reactions of their own "
        "model the flexibility of a part, or use a joint that leaves more free"
    )


def _join_segments(data: Sequence[xr.Dataset]) -> xr.Dataset:
    """One dataset of all segments, its energy balance over all of them."""
    whole = xr.concat(
        data, dim="time", data_vars="minimal", coords="minimal", compat="override", combine_attrs="override",
        join="outer",
    )  # fmt: skip
    total = whole["kinetic"] + whole["potential"] - whole["work_drivers"] - whole["work_controls"] + whole["dissipated"]
    attrs = whole["balance"].attrs
    return whole.assign(balance=(total - total[0]).assign_attrs(attrs))


def _event_variables(happened: Sequence[EventRecord]) -> dict[str, xr.DataArray]:
    rows = {
        "event_name": np.array([x.name for x in happened], dtype=object if not happened else None),
        "event_time": np.array([x.t for x in happened], dtype=float),
        "event_added_energy": np.array([x.added_energy for x in happened], dtype=float),
    }
    labels = {"event_time": {"units": "s"}, "event_added_energy": {"units": "J"}}
    if not happened:
        rows.pop("event_name")
    return {name: xr.DataArray(x, dims="event", attrs=labels.get(name, {})) for name, x in rows.items()}
