"""Scenario kind ``motion``: a shipped model or mechanism, its parameters, start and integration method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, final

import numpy as np

from panhead.engine.jobs import Job
from panhead.engine.methods.equilibrium import assemble_configuration, consistent_rates, equilibrium
from panhead.engine.methods.formulations import (
    Augmented,
    Baumgarte,
    Embedded,
    Formulation,
    Projection,
    Stabilisation,
    Unstabilised,
)
from panhead.engine.methods.integrators import Adaptive, Euler, GeneralizedAlpha, Method, MoreauJean, RungeKutta4
from panhead.engine.methods.simulate import simulate as simulate_system
from panhead.engine.methods.trajectory import State, Trajectory
from panhead.engine.multibody import model_dataset as of_bodies
from panhead.engine.symbolic import mechanism_dataset as of_positions
from panhead.engine.symbolic.symbolic_system import SymbolicSystem
from panhead.engine.system import System
from panhead.errors import ModelError, SimulationError, require_positive
from panhead.files.units import Seconds
from panhead.runs.checkpoints import RunCheckpoints
from panhead.runs.scenarios import ScenarioKind, SummaryRow
from panhead.runs.scenarios.shipped_models import Value, checked_parameters, coordinates_of, mechanism, shipped_model

if TYPE_CHECKING:
    import xarray as xr

MethodName = Literal[
    "euler", "rk4", "generalized-alpha", "moreau-jean", "RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA"
]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class MotionStart:
    """Start of a mechanism's motion: a guess that is assembled, or brought into equilibrium."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    coordinates: Mapping[str, Value] = field(default_factory=dict)  #: name → value; others are zero
    rates: Mapping[str, Value] = field(default_factory=dict)
    """Name → velocity; others follow from the constraints or are zero."""
    equilibrium: bool = False  #: start in static equilibrium near the given coordinates
    held: Mapping[str, Value] = field(default_factory=dict)  #: parameters changed while the equilibrium is computed


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedPlace:
    """A point in a body's axes, or one length along a wire; the body's centre without one."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    body: str
    point: tuple[float, ...] = ()  #: [m]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class MotionSteps:
    """Duration, step and method."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    duration: Seconds = 10.0
    step: Seconds = 1e-3
    keep: Seconds | None = None  #: time between stored states; none: every step
    method: MethodName | None = None
    """None: generalized-alpha for bodies and joints, moreau-jean where they may strike, rk4 for mechanisms."""
    formulation: Literal["augmented", "range-space", "embedded"] = "augmented"
    stabilisation: Literal["projection", "baumgarte", "none"] = "projection"
    baumgarte: tuple[float, float] = (20.0, 20.0)  #: α, β [1/s]
    rtol: float = 1e-9  #: adaptive methods
    atol: float = 1e-11  #: adaptive methods
    spectral_radius: float = 0.9  #: spectral radius of generalized-α at infinite frequency; 1: no damping
    tolerance: float = 1e-10  #: Newton tolerance of generalized-α [m, rad]
    factor: Literal["each step", "while it serves"] = "each step"  #: when generalized-α factorises its matrix
    rates: Literal["free", "projected"] = "free"
    """Velocities in generalized-α: as computed, or projected onto the constraints."""
    local_error: float | None = None
    """Local error of positions by which generalized-α chooses its steps [m, rad]; None: equal steps."""
    events: Literal["located", "stepped"] = "located"  #: moreau-jean: locate impacts within a step, or only at its end
    theta: float = 0.5  #: moreau-jean, ½ … 1; more than ½ damps high frequencies

    def __post_init__(self) -> None:
        require_positive(self, "duration", "step")
        if self.keep is not None:
            require_positive(self, "keep")
        self.integrator("generalized-alpha")

    def integrator(self, default: MethodName) -> Method:
        """The method as a value."""
        method = self.method or default
        if method == "generalized-alpha":
            return GeneralizedAlpha(
                spectral_radius=self.spectral_radius,
                tolerance=self.tolerance,
                factor=self.factor,
                rates=self.rates,
                local_error=self.local_error,
            )
        if method == "moreau-jean":
            return MoreauJean(events=self.events, theta=self.theta)
        if method == "euler":
            return Euler()
        if method == "rk4":
            return RungeKutta4()
        return Adaptive(method=method, rtol=self.rtol, atol=self.atol)

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
class MotionRun:
    """Motion scenario: either a model of bodies and joints or a mechanism in generalised coordinates."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    model: str = ""  #: shipped model of bodies and joints, with its initial state
    mechanism: str = ""  #: shipped mechanism in generalised coordinates
    about: str = ""
    parameters: Mapping[str, Value] = field(default_factory=dict)
    start: MotionStart = field(default_factory=MotionStart)  #: of a mechanism
    points: Mapping[str, WatchedPlace] = field(default_factory=dict)  #: observed points of a model, by name
    outputs: tuple[str, ...] = ()
    """Outputs of a model: coordinates, "rate NAME", constraints, or outputs of parts ("slide.arc")."""
    run: MotionSteps = field(default_factory=MotionSteps)

    def __post_init__(self) -> None:
        if bool(self.model) == bool(self.mechanism):
            raise ModelError("give either `model` (bodies and joints) or `mechanism`")
        if self.model and self.start != MotionStart():
            raise ModelError(f"start: the model {self.model!r} defines its own start; change its `parameters` instead")
        if self.mechanism and (self.points or self.outputs):
            raise ModelError(f"the mechanism {self.mechanism!r} defines its own outputs; remove `points` and `outputs`")
        if self.model:
            checked_parameters(self.model, self.parameters)
        else:
            mechanism(self.mechanism).with_parameters(self.parameters)


def system_of(description: MotionRun) -> SymbolicSystem:
    """A mechanism's system with the scenario's parameters."""
    return SymbolicSystem(mechanism(description.mechanism).with_parameters(description.parameters))


def start_of(description: MotionRun, system: SymbolicSystem) -> State:
    """A mechanism's starting state: assembled or in equilibrium, with consistent rates."""
    start, described = description.start, system.mechanism
    q = coordinates_of(described, start.coordinates, "", "start.coordinates")
    if start.equilibrium:
        held = system.with_parameters(**start.held)
        q, _ = equilibrium(held, q)
    q = assemble_configuration(system, q)
    wanted = coordinates_of(described, start.rates, "/s", "start.rates")
    return State(q=q, v=consistent_rates(system, q, wanted, keep=tuple(start.rates)))


def simulate(description: MotionRun, job: Job) -> xr.Dataset:
    """Run the scenario; a failure carries the dataset up to it."""
    run = description.run
    system, start, record = _model(description) if description.model else _mechanism(description)
    method = run.integrator(_usual_method(system, description))
    if isinstance(method, Adaptive) and not method.resumable:
        job.restarts(f"the history that {method.method} keeps")
    try:
        motion = simulate_system(
            system,
            start,
            duration=run.duration,
            dt=run.step,
            keep=run.keep,
            method=method,
            formulation=run.form(),
            stabilisation=run.against_drift(),
            progress=job.progress,
            checkpoints=RunCheckpoints(job, description),
        )
    except SimulationError as error:
        if isinstance(error.partial, Trajectory):
            error.partial = record(error.partial).assign_attrs(about=description.about)
        raise
    return record(motion).assign_attrs(about=description.about)


def _usual_method(system: System, description: MotionRun) -> MethodName:
    if system.contacts is not None:
        return "moreau-jean"
    return "generalized-alpha" if description.model else "rk4"


_Prepared = tuple[System, State, "Callable[[Trajectory], xr.Dataset]"]


def _mechanism(description: MotionRun) -> _Prepared:
    system = system_of(description)
    return (system, start_of(description, system), lambda motion: of_positions.dataset(system, motion))


def _model(description: MotionRun) -> _Prepared:
    case = shipped_model(description.model, description.parameters)
    points = {name: (place.body, place.point) for name, place in description.points.items()}

    def record(motion: Trajectory) -> xr.Dataset:
        return of_bodies.dataset(
            case.model, case.system, motion, points=points, outputs=description.outputs, tree=case.tree
        )

    return case.system, case.start, record


def summarise(result: xr.Dataset) -> Sequence[SummaryRow]:
    """Range and statistics of the outputs, the largest reaction, and accuracy checks."""
    rows = []
    for name in np.atleast_1d(result.attrs["outputs"]):
        series = result[name]
        label, unit = series.attrs["long_name"], series.attrs["units"]
        mean, deviation, end = float(series.mean()), float(series.std()), float(series[-1])
        note = f"mean {mean:.5g}, standard deviation {deviation:.5g}, at the end {end:.5g}"
        rows.append(SummaryRow(label, f"{series.min():.5g} … {series.max():.5g}", unit, note))
    if "reaction" in result:
        peak = result["reaction"].max("time").to_numpy()
        joint = str(result["joint"].to_numpy()[peak.argmax()])
        rows.append(SummaryRow("largest reaction", float(peak.max()), "N", f"in {joint}"))
    if "lost_impacts" in result:
        struck = result.sizes.get("strike", 0)
        rows.append(SummaryRow("energy lost in impacts", float(result["lost_impacts"][-1]), "J", f"{struck} impacts"))
        rows.append(SummaryRow("energy lost by rubbing", float(result["lost_rubbing"][-1]), "J"))
    turned = max(float(np.ptp(result[name].to_numpy())) for name in ("kinetic", "potential"))
    share = float(np.abs(result["balance"].to_numpy()).max()) / max(turned, 1e-300)
    rows.append(SummaryRow("energy not accounted for, relative", share, "", "should be small"))
    if "lam" in result:
        residual = float(result["constraint_residual"].max())
        rows.append(SummaryRow("largest constraint residual", residual, "m"))
    return rows


KIND = ScenarioKind("motion", MotionRun, simulate, summarise)
