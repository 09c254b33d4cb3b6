"""Scenario kind ``control_kind``: optimal control of a mechanism for a minimum cost.

The same mechanism is run without and with the control found; both are in the result. A run can be
interrupted (the best so far is kept) and started again from its result file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, final

import numpy as np

from panhead.engine.control.control_comparison import our_numbers, printed_numbers
from panhead.engine.control.problem import ControlProblem
from panhead.engine.control.variables import Shape, Variables
from panhead.engine.jobs import Job
from panhead.engine.methods.formulations import Baumgarte
from panhead.engine.methods.integrators import Euler, GeneralizedAlpha, RungeKutta4
from panhead.errors import ModelError, SimulationError, require_positive
from panhead.files.units import Seconds
from panhead.runs.checkpoints import EvaluationCache
from panhead.runs.scenarios import ScenarioKind, SummaryRow, shipped_models
from panhead.runs.scenarios import control_runs as runs
from panhead.runs.scenarios.motion_kind import MotionRun, MotionStart, start_of, system_of
from panhead.runs.scenarios.shipped_models import Value

if TYPE_CHECKING:
    import xarray as xr


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CostTerm:
    """½ ``weight`` (y − ``reference``)², integrated over time or taken at the end."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    of: str  #: output, coordinate, "rate NAME", control or constraint
    weight: float
    reference: Value = 0.0  #: a quantity, or "mean": deviations from the mean of the run are penalised
    when: Literal["running", "end"] = "running"  #: integrated over the run, or at its end


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Controls:
    """Parametrisation of the controls."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    knots: int | None = None  #: values for each control; None: one for each step
    between: Literal["linear", "spline", "hold"] = "linear"  #: interpolation between the knots
    low: float | None = None  #: lower bound in the unit of the control
    high: float | None = None  #: upper bound in the unit of the control

    def shape(self) -> Shape:
        """Parametrisation as the optimisers need it."""
        return Shape(
            knots=self.knots,
            between=self.between,
            low=-np.inf if self.low is None else self.low,
            high=np.inf if self.high is None else self.high,
        )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ControlledRun:
    """Duration, step and method; the gradient is that of exactly these steps."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    duration: Seconds = 10.0
    step: Seconds = 5e-3
    method: Literal["rk4", "euler", "generalized-alpha"] = "rk4"
    baumgarte: tuple[float, float] = (20.0, 20.0)  #: α, β [1/s]; not for generalized-α
    spectral_radius: float = 0.9  #: generalized-α

    def __post_init__(self) -> None:
        require_positive(self, "duration", "step")

    def integrator(self) -> runs.Steps:
        """The method as a value."""
        if self.method == "generalized-alpha":
            return GeneralizedAlpha(spectral_radius=self.spectral_radius)
        return RungeKutta4() if self.method == "rk4" else Euler()

    def against_drift(self) -> Baumgarte | None:
        """The stabilisation as a value; generalized-α imposes the constraints themselves."""
        if self.method == "generalized-alpha":
            return None
        return Baumgarte(alpha=self.baumgarte[0], beta=self.baumgarte[1])


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Optimiser:
    """Optimiser, and where its search starts."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    method: Literal[
        "l-bfgs",
        "steepest-descent",
        "fletcher-reeves",
        "polak-ribiere",
        "polak-ribiere+",
        "hestenes-stiefel",
        "dai-yuan",
        "direct",
    ] = "l-bfgs"
    iterations: int = 200
    tolerance: float = 1e-5  #: relative decrease of the gradient at which the search ends
    restart: str = ""  #: earlier result file whose controls are the starting point

    def __post_init__(self) -> None:
        require_positive(self, "iterations", "tolerance")
        if self.restart and self.method == "direct":
            raise ModelError("optimiser: the direct method cannot restart; remove `restart`")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """Published mean and standard deviation of the assessed output, for comparison."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    source: str
    uncontrolled: tuple[float, float]  #: mean, deviation
    controlled: tuple[float, float]  #: mean, deviation


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ControlRun:
    """Control scenario."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    mechanism: str  #: shipped mechanism
    cost: tuple[CostTerm, ...]  #: terms of the cost
    about: str = ""
    parameters: Mapping[str, Value] = field(default_factory=dict)
    start: MotionStart = field(default_factory=MotionStart)
    run: ControlledRun = field(default_factory=ControlledRun)
    controls: Controls = field(default_factory=Controls)
    tuned: Mapping[str, tuple[float, float]] = field(
        default_factory=dict
    )  #: parameters optimised together with the controls: lowest and highest value, SI
    optimiser: Optimiser = field(default_factory=Optimiser)
    judged: str = ""  #: output whose mean and standard deviation are reported without and with control
    published: Published | None = None

    def __post_init__(self) -> None:
        mechanism = shipped_models.mechanism(self.mechanism).with_parameters(self.parameters)
        self.controls.shape()
        if self.optimiser.method == "direct" and self.run.method == "generalized-alpha":
            raise ModelError("optimiser: the direct method needs rk4 or euler steps; change run.method")
        outputs = [output.name for output in mechanism.outputs]
        if self.judged and self.judged not in outputs:
            raise ModelError(
                f"judged: {self.judged!r} is not an output of {self.mechanism!r}; it has {', '.join(outputs)}"
            )
        for term in self.cost:
            runs.term_of(mechanism, term.of, term.weight, term.reference, term.when)

    def plant(self) -> MotionRun:
        """Mechanism, its parameters and its start."""
        return MotionRun(mechanism=self.mechanism, parameters=self.parameters, start=self.start)


def problem_of(description: ControlRun) -> ControlProblem:
    """The optimal-control problem of a scenario."""
    plant, run = description.plant(), description.run
    system = system_of(plant)
    return ControlProblem(
        system,
        start_of(plant, system),
        [runs.term_of(system.mechanism, c.of, c.weight, c.reference, c.when) for c in description.cost],
        duration=run.duration,
        dt=run.step,
        method=run.integrator(),
        stabilisation=run.against_drift(),
        parameters=tuple(description.tuned),
    )


def simulate(description: ControlRun, job: Job) -> xr.Dataset:
    """Find the controls, then run without and with them; a failure carries the last controls tried."""
    problem = problem_of(description)
    variables = Variables(problem, description.controls.shape(), dict(description.tuned))
    chosen = description.optimiser
    start = runs.restart_from(variables, Path(chosen.restart)) if chosen.restart else variables.start()
    known = EvaluationCache(job, "controls", description).at
    try:
        found = runs.least_cost(variables, chosen.method, start, chosen.iterations, chosen.tolerance, job, known)
    except SimulationError as error:
        error.partial = runs.attempt(variables, start)
        raise
    run = description.run
    made = runs.comparison(problem, variables, found, run.integrator(), run.against_drift())
    attrs: dict[str, Any] = {"about": description.about, "judged": description.judged}
    attrs |= {"optimiser": chosen.method, "terms": [term.of for term in description.cost]}
    if description.published:
        published = description.published
        attrs |= {
            "published": published.source,
            "published_uncontrolled": list(published.uncontrolled),
            "published_controlled": list(published.controlled),
        }
    return made.assign_attrs(attrs)


def summarise(result: xr.Dataset) -> Sequence[SummaryRow]:
    """Effect and cost of the control."""
    rows = [
        SummaryRow("cost without control", float(result.attrs["cost_uncontrolled"])),
        SummaryRow("cost with control", float(result.attrs["cost"])),
        SummaryRow("iterations", float(result.sizes["iteration"] - 1), "", str(result.attrs["reason"])),
    ]
    if result.attrs["judged"]:
        rows += _judged_rows(result)
    for i, name in enumerate(result["control"].to_numpy()):
        u = result["u"].to_numpy()[:, i]
        rows.append(SummaryRow(f"control {name}: root mean square", float(np.sqrt(np.mean(u**2))), "N, N·m"))
        rows.append(SummaryRow(f"control {name}: largest", float(np.abs(u).max()), "N, N·m"))
    for name, value in zip(result["tuned"].to_numpy(), result["tuned_value"].to_numpy(), strict=True):
        rows.append(SummaryRow(f"parameter {name}", float(value), "SI"))
    return rows


def _judged_rows(result: xr.Dataset) -> list[SummaryRow]:
    j = our_numbers(result)
    unit, print_ = j.unit, printed_numbers(result)
    note = lambda x: "" if print_ is None else f"published {x:.5g}"
    p = print_ or j
    return [
        SummaryRow(f"{j.label}: mean without control", j.uncontrolled[0], unit, note(p.uncontrolled[0])),
        SummaryRow(f"{j.label}: mean with control", j.controlled[0], unit, note(p.controlled[0])),
        SummaryRow(f"{j.label}: mean moved", j.moved, "%", note(p.moved)),
        SummaryRow(f"{j.label}: deviation without control", j.uncontrolled[1], unit, note(p.uncontrolled[1])),
        SummaryRow(f"{j.label}: deviation with control", j.controlled[1], unit, note(p.controlled[1])),
        SummaryRow(f"{j.label}: deviation cut", j.cut, "%", note(p.cut)),
    ]  # fmt: skip


KIND = ScenarioKind("control", ControlRun, simulate, summarise)
