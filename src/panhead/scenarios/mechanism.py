"""Scenarios of the kind ``mechanism``: a shipped mechanism, its parameters, a start and a method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, final

import numpy as np

from panhead.errors import ModelError, SimulationError, require_positive
from panhead.files.units import Seconds, Unit
from panhead.jobs import Job
from panhead.methods.equilibrium import assembled, consistent_rates, equilibrium
from panhead.methods.formulations import (
    Augmented,
    Baumgarte,
    Embedded,
    Formulation,
    Projection,
    Stabilisation,
    Unstabilised,
)
from panhead.methods.integrators import Adaptive, Euler, GeneralizedAlpha, Method, RungeKutta4
from panhead.methods.simulate import simulate as simulate_system
from panhead.methods.trajectory import State, Trajectory
from panhead.scenarios import Kind, Row, models
from panhead.symbolic.recording import dataset
from panhead.symbolic.system import SymbolicSystem

if TYPE_CHECKING:
    import xarray as xr

    from panhead.report.page import Page

Value = float | str


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Where the motion starts: a guess that is assembled, or brought into equilibrium."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    coordinates: Mapping[str, Value] = field(
        default_factory=dict
    )  #: name → value; others start at zero
    rates: Mapping[str, Value] = field(
        default_factory=dict
    )  #: name → value; others follow or are zero
    equilibrium: bool = False  #: start in static equilibrium near the coordinates given
    held: Mapping[str, Value] = field(
        default_factory=dict
    )  #: parameters changed while the equilibrium is sought


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Duration, step and method."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    duration: Seconds = 10.0
    step: Seconds = 1e-3
    keep: Seconds = 1e-2  #: time between stored states
    method: Literal[
        "euler", "rk4", "generalized-alpha", "RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA"
    ] = "rk4"
    formulation: Literal["augmented", "range-space", "embedded"] = "augmented"
    stabilisation: Literal["projection", "baumgarte", "none"] = "projection"
    rtol: float = 1e-9  #: adaptive methods
    atol: float = 1e-11  #: adaptive methods
    spectral_radius: float = 0.9  #: generalized-α
    baumgarte: tuple[float, float] = (20.0, 20.0)  #: α, β [1/s]

    def __post_init__(self) -> None:
        require_positive(self, "duration", "step", "keep")

    def integrator(self) -> Method:
        """The method as a value."""
        if self.method == "euler":
            return Euler()
        if self.method == "rk4":
            return RungeKutta4()
        if self.method == "generalized-alpha":
            return GeneralizedAlpha(spectral_radius=self.spectral_radius)
        return Adaptive(method=self.method, rtol=self.rtol, atol=self.atol)

    def form(self) -> Formulation:
        """The formulation as a value."""
        if self.formulation == "embedded":
            return Embedded()
        return Augmented(solver="saddle" if self.formulation == "augmented" else "range-space")

    def against_drift(self) -> Stabilisation:
        """The stabilisation as a value."""
        if self.stabilisation == "baumgarte":
            return Baumgarte(alpha=self.baumgarte[0], beta=self.baumgarte[1])
        return Projection() if self.stabilisation == "projection" else Unstabilised()


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class MechanismRun:
    """A whole scenario."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    mechanism: str
    about: str = ""
    parameters: Mapping[str, Value] = field(default_factory=dict)
    start: Start = field(default_factory=Start)
    run: Run = field(default_factory=Run)

    def __post_init__(self) -> None:
        models.mechanism(self.mechanism).with_parameters(self.parameters)


def system_of(description: MechanismRun) -> SymbolicSystem:
    """The system with the scenario's parameters."""
    return SymbolicSystem(
        models.mechanism(description.mechanism).with_parameters(description.parameters)
    )


def start_of(description: MechanismRun, system: SymbolicSystem) -> State:
    """The starting state: assembled or in equilibrium, with consistent rates."""
    start = description.start
    q = _values(system, start.coordinates, "")
    if start.equilibrium:
        held = system.with_parameters(**start.held)
        q, _ = equilibrium(held, q)
    q = assembled(system, q)
    wanted = _values(system, start.rates, "/s")
    return State(q=q, v=consistent_rates(system, q, wanted, keep=tuple(start.rates)))


def _values(system: SymbolicSystem, given: Mapping[str, Value], per: str) -> np.ndarray:
    values = np.zeros(len(system.coordinates))
    for name, value in given.items():
        if name not in system.coordinates:
            raise ModelError(
                f"start: {name!r} is not a coordinate of {system.name!r}; it has "
                f"{', '.join(system.coordinates)}"
            )
        i = system.coordinates.index(name)
        try:
            values[i] = Unit(system.mechanism.units[i] + per).parse(value)
        except ValueError as error:
            raise ModelError(f"start: {name}: {error}") from None
    return values


def simulate(description: MechanismRun, job: Job) -> xr.Dataset:
    """Run the scenario; a failure carries the dataset up to it."""
    system = system_of(description)
    start, run = start_of(description, system), description.run
    try:
        motion = simulate_system(
            system,
            start,
            duration=run.duration,
            dt=run.step,
            keep=run.keep,
            method=run.integrator(),
            formulation=run.form(),
            stabilisation=run.against_drift(),
            progress=job.progress,
        )
    except SimulationError as error:
        if isinstance(error.partial, Trajectory):
            error.partial = dataset(system, error.partial).assign_attrs(about=description.about)
        raise
    return dataset(system, motion).assign_attrs(about=description.about)


def summarise(result: xr.Dataset) -> Sequence[Row]:
    """The end state, the outputs' statistics and the trust the run deserves."""
    rows = []
    for name in np.atleast_1d(result.attrs["outputs"]):
        series = result[name]
        label, unit = series.attrs["long_name"], series.attrs["units"]
        rows.append(Row(f"{label}: mean", float(series.mean()), unit))
        rows.append(Row(f"{label}: standard deviation", float(series.std()), unit))
    energy = max(float(np.abs(result[name]).max()) for name in ("kinetic", "potential"))
    share = float(np.abs(result["balance"]).max()) / max(energy, 1e-300)
    rows.append(Row("energy not accounted for, relative", share, "", "should be small"))
    if "lam" in result:
        rows.append(
            Row("largest constraint residual", float(result["constraint_residual"].max()), "m")
        )
    return rows


def page(result: xr.Dataset) -> Page:
    """The report's content."""
    from panhead.report import mechanism as report

    return report.page(result)


KIND = Kind("mechanism", MechanismRun, simulate, summarise, page)
