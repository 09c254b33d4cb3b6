"""Scenarios of the kind ``cosimulation``: line and CX pantograph as two codes, rigid and flexible side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, final

from panhead.errors import ModelError, SimulationError, require_positive
from panhead.files.units import Metres, MetresPerSecond, Newtons, Seconds
from panhead.jobs import Job
from panhead.line import read_line, string
from panhead.line.linear import LinearLine, linear_line
from panhead.pantograph.cx_model import CxModel
from panhead.run.description import ContactLaw
from panhead.run.solvers.coupled.compared import MODELS, compared
from panhead.run.solvers.coupled.cosimulate import Clocks
from panhead.run.solvers.coupled.cx_under_line import CxRide, ridden
from panhead.run.solvers.coupled.schemes import GaussSeidel, Iterated, Jacobi, Scheme
from panhead.scenarios import Kind, Row

if TYPE_CHECKING:
    import xarray as xr

    from panhead.report.page import Page


_CONTACT = ContactLaw(kind="lankarani-nikravesh", stiffness=1e6)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Coupling:
    """How the two codes exchange."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    scheme: Literal["jacobi", "gauss-seidel", "iterated"] = "iterated"
    extrapolation: Literal["constant", "linear"] = "linear"
    exchange_step: Seconds = 1e-3
    tolerance: Newtons = 1e-6  #: of contact forces, where the exchange is iterated
    spectral_radius: float = 0.7  #: of both codes' generalized-α; 1: trapezoidal rule
    own_error: Metres | None = (
        None  #: by which the pantograph chooses its steps; none: the exchange step
    )
    truth: Seconds = (
        0.2  #: length of the run in one piece that the co-simulation is measured by; 0: none
    )

    def __post_init__(self) -> None:
        require_positive(self, "exchange_step", "tolerance")

    def made(self) -> Scheme:
        """The scheme."""
        if self.scheme == "iterated":
            return Iterated(tolerance=self.tolerance)
        kind = Jacobi if self.scheme == "jacobi" else GaussSeidel
        return kind(extrapolation=self.extrapolation)

    def clocks(self) -> Clocks:
        """Steps of both codes; the line's is the exchange step."""
        return Clocks(
            step=self.exchange_step,
            spectral_radius=self.spectral_radius,
            local_error=self.own_error,
        )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Journey:
    """Where the strip starts, how long it runs, which part is judged."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    start: Metres = 50.0
    duration: Seconds = 10.0
    judged_from: Seconds = 4.0

    def __post_init__(self) -> None:
        require_positive(self, "duration")
        if not 0.0 <= self.judged_from < self.duration:
            raise ModelError(
                f"journey: judged_from {self.judged_from:g} s must lie in the run of {self.duration:g} s"
            )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CoSimulation:
    """A whole scenario."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    line: str = "stitched-25kv"  #: shipped name or file
    speed: MetresPerSecond = 300 / 3.6
    models: tuple[Literal["none", "top arm", "head"], ...] = ("none",)  #: which member is flexible
    force: Newtons = 157.3  #: static contact force; the moment on the lower arm follows
    height: Metres = 1.51  #: of the strip above the base at the start
    strips: Literal[1, 2] = 1
    element_length: Metres = 1.0
    lateral: bool = False  #: also let the wires move sideways
    contact: ContactLaw = _CONTACT
    coupling: Coupling = field(default_factory=Coupling)
    journey: Journey = field(default_factory=Journey)
    about: str = ""

    def __post_init__(self) -> None:
        require_positive(self, "speed", "force", "height", "element_length")
        if not self.models or len(set(self.models)) < len(self.models):
            raise ModelError(f"models: each once, at least one, got {self.models!r}")

    def pantographs(self) -> dict[str, CxModel]:
        """One for every model."""
        turns: Literal["roll", "roll and pitch"] = "roll" if self.strips == 1 else "roll and pitch"
        return {
            flexible: CxModel(flexible=flexible, strips=self.strips, head_turns=turns)
            for flexible in self.models
        }

    def ride(self, pantograph: CxModel, line: LinearLine) -> CxRide:
        """The run of one model."""
        return CxRide(
            line=line,
            pantograph=pantograph,
            law=self.contact,
            speed=self.speed,
            start=self.journey.start,
            duration=self.journey.duration,
            force=self.force,
            height=self.height,
            scheme=self.coupling.made(),
            clocks=self.coupling.clocks(),
        )


def simulate(description: CoSimulation, job: Job) -> xr.Dataset:
    """Every model in turn; a failure carries what was done before it."""
    line = linear_line(
        string(read_line(description.line)),
        element_length=description.element_length,
        lateral=description.lateral,
    )
    pantographs, runs = description.pantographs(), {}
    for k, (flexible, pantograph) in enumerate(pantographs.items()):
        progress = lambda share, text, k=k, name=MODELS[flexible]: job.progress(
            (k + share) / len(pantographs), f"{name}, {text}"
        )
        ride = description.ride(pantograph, line)
        try:
            part = replace(job, progress=progress)
            runs[flexible] = ridden(ride, part, truth=description.coupling.truth)
        except SimulationError as error:
            if error.partial is not None and error.partial.sizes["time"] > 1:
                runs[flexible] = error.partial
            error.partial = _told(description, runs, pantographs) if runs else None
            raise
    return _told(description, runs, pantographs)


def _told(
    description: CoSimulation, runs: dict[str, xr.Dataset], pantographs: dict[str, CxModel]
) -> xr.Dataset:
    return compared(runs, pantographs).assign_attrs(
        about=description.about, judged_from=description.journey.judged_from
    )


def summarise(result: xr.Dataset) -> Sequence[Row]:
    """Mean, deviation and coupling of every model."""
    from panhead.report.cosimulation import judged

    rows = []
    for model in judged(result):
        rows.append(Row(f"{model.name}: mean force", model.mean, "N"))
        note = "" if model.change is None else f"{100 * model.change:+.2f} % against rigid"
        rows.append(Row(f"{model.name}: deviation, to 20 Hz", model.filtered, "N", note))
        rows.append(Row(f"{model.name}: time without contact", 100 * model.loss, "%"))
        rows.append(Row(f"{model.name}: distance from one piece", model.distance, "N"))
        rows.append(Row(f"{model.name}: interface energy error", model.energy_error, "J"))
    return rows


def page(result: xr.Dataset) -> Page:
    """The report's content."""
    from panhead.report import cosimulation

    return cosimulation.page(result)


KIND = Kind("cosimulation", CoSimulation, simulate, summarise, page)
