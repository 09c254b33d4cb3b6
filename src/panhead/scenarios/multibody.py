"""Scenarios of the kind ``multibody``: a shipped model of bodies and joints, its parameters and a method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, final

import numpy as np

from panhead.errors import SimulationError, require_positive
from panhead.files.units import Seconds
from panhead.jobs import Job
from panhead.methods.integrators import GeneralizedAlpha
from panhead.methods.simulate import simulate as simulate_system
from panhead.methods.trajectory import Trajectory
from panhead.multibody.recording import dataset
from panhead.scenarios import Kind, Row
from panhead.scenarios.models import Shipped, Value, checked, shipped

if TYPE_CHECKING:
    import xarray as xr

    from panhead.report.page import Page


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A watched place: a point in a body's axes, or one length along a wire; its centre without one."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    body: str
    point: tuple[float, ...] = ()  #: [m]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Duration, step and the numbers of the generalized-α method."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    duration: Seconds = 1.0
    step: Seconds = 1e-3
    keep: Seconds | None = None  #: time between stored states; none: every step
    spectral_radius: float = 0.9  #: of the highest frequencies; 1: no numerical damping
    tolerance: float = 1e-10  #: of a Newton step [m, rad]
    factor: Literal["each step", "while it serves"] = "each step"
    rates: Literal["free", "projected"] = "free"
    local_error: float | None = None  #: of positions in a step [m, rad]; none: equal steps

    def __post_init__(self) -> None:
        require_positive(self, "duration", "step")
        self.method()

    def method(self) -> GeneralizedAlpha:
        """The method as a value."""
        return GeneralizedAlpha(
            spectral_radius=self.spectral_radius,
            tolerance=self.tolerance,
            factor=self.factor,
            rates=self.rates,
            local_error=self.local_error,
        )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class MultibodyRun:
    """A whole scenario."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    model: str
    about: str = ""
    parameters: Mapping[str, Value] = field(default_factory=dict)
    points: Mapping[str, Place] = field(default_factory=dict)  #: watched places by name
    outputs: tuple[
        str, ...
    ] = ()  #: coordinates, "rate NAME", constraints, what parts show ("slide.arc")
    run: Run = field(default_factory=Run)

    def __post_init__(self) -> None:
        checked(self.model, self.parameters)


def simulate(description: MultibodyRun, job: Job) -> xr.Dataset:
    """Run the scenario; a failure carries the dataset up to it."""
    case, run = shipped(description.model, description.parameters), description.run
    try:
        motion = simulate_system(
            case.system,
            case.start,
            duration=run.duration,
            dt=run.step,
            keep=run.keep,
            method=run.method(),
            progress=job.progress,
        )
    except SimulationError as error:
        if isinstance(error.partial, Trajectory):
            error.partial = recorded(description, case, error.partial)
        raise
    return recorded(description, case, motion)


def recorded(description: MultibodyRun, case: Shipped, motion: Trajectory) -> xr.Dataset:
    """The motion with what the scenario wants to see of it."""
    points = {name: (place.body, place.point) for name, place in description.points.items()}
    result = dataset(
        case.model,
        case.system,
        motion,
        points=points,
        outputs=description.outputs,
        tree=case.tree,
    )
    return result.assign_attrs(about=description.about)


def summarise(result: xr.Dataset) -> Sequence[Row]:
    """Ranges and ends of the outputs, the largest reaction, and the trust the run deserves."""
    rows = []
    for name in np.atleast_1d(result.attrs["outputs"]):
        series = result[name]
        label, unit = series.attrs["long_name"], series.attrs["units"]
        rows.append(Row(f"{label}: range", f"{series.min():.5g} … {series.max():.5g}", unit))
        rows.append(Row(f"{label}: at the end", float(series[-1]), unit))
    if "reaction" in result:
        peak = result["reaction"].max("time").to_numpy()
        joint = str(result["joint"].to_numpy()[peak.argmax()])
        rows.append(Row("largest reaction", float(peak.max()), "N", f"in {joint}"))
    turned = max(float(np.ptp(result[name].to_numpy())) for name in ("kinetic", "potential"))
    share = float(np.abs(result["balance"].to_numpy()).max()) / max(turned, 1e-300)
    rows.append(Row("energy not accounted for, relative", share, "", "should be small"))
    if "lam" in result:
        rows.append(
            Row("largest constraint residual", float(result["constraint_residual"].max()), "m")
        )
    return rows


def page(result: xr.Dataset) -> Page:
    """The report's content."""
    from panhead.report import multibody as report

    return report.page(result)


KIND = Kind("multibody", MultibodyRun, simulate, summarise, page)
