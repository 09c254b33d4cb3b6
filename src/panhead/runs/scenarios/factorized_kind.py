"""Scenario kind ``factorized_kind``: one mechanism in factorized and in Euler–Lagrange form.

With ``moves`` the coordinates follow minimum-jerk moves and both forms give the torques (derivative
causality); without, the mechanism is left to itself from a start and both forms give the motion
(integral causality), noise-free and, where an external variable has noise, with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from panhead.engine.factorized.causality import FORMS, FactorizedModel, Scheme
from panhead.engine.factorized.noise import Sine, deviation, grid
from panhead.engine.jobs import Job
from panhead.engine.symbolic.mechanism import Mechanism
from panhead.errors import ModelError, require_positive
from panhead.files.units import RadiansPerSecond, Seconds
from panhead.runs.scenarios import ScenarioKind, SummaryRow, factorized_runs, shipped_models
from panhead.runs.scenarios.shipped_models import Value, coordinates_of, quantity

if TYPE_CHECKING:
    import xarray as xr


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """An external variable A sin Ωt + offset, measured with the disturbance a sin ωt on top."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    amplitude: Value  #: A
    frequency: RadiansPerSecond  #: Ω
    offset: Value = 0.0
    noise_amplitude: Value = 0.0  #: a
    noise_frequency: RadiansPerSecond = 0.0  #: ω

    def sine(self, unit: str, name: str) -> Sine:
        """Signal with numeric values."""
        where = f"external.{name}"
        return Sine(
            amplitude=quantity(self.amplitude, unit, where),
            offset=quantity(self.offset, unit, where),
            frequency=self.frequency,
            noise_amplitude=quantity(self.noise_amplitude, unit, where),
            noise_frequency=self.noise_frequency,
        )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A minimum-jerk move from one value to another: s = 10τ³ − 15τ⁴ + 6τ⁵, τ = t/duration."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    start: Value
    end: Value


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FactorizedRun:
    """Factorized scenario."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    mechanism: str
    duration: Seconds
    step: Seconds  #: sampling step of signals and of both forms
    about: str = ""
    parameters: Mapping[str, Value] = field(default_factory=dict)
    coordinates: Mapping[str, Value] = field(default_factory=dict)  #: initial coordinates; others are zero
    rates: Mapping[str, Value] = field(default_factory=dict)  #: initial velocities; others are zero
    external: Mapping[str, Signal] = field(default_factory=dict)  #: measured parameters
    moves: Mapping[str, Move] = field(default_factory=dict)  #: prescribed motion of coordinates
    scheme: Scheme = "central"  #: finite difference for the rate of a measured signal in the Euler–Lagrange form

    def __post_init__(self) -> None:
        require_positive(self, "duration", "step")
        if self.step > self.duration:
            raise ModelError(f"step {self.step:g} s is longer than duration {self.duration:g} s")
        if self.moves and (self.external or self.rates or self.coordinates):
            raise ModelError("moves prescribe the whole motion; remove external, coordinates and rates")
        mechanism = mechanism_of(self)
        FactorizedModel(mechanism, tuple(self.external))
        coordinates_of(mechanism, self.coordinates, "", "coordinates")
        coordinates_of(mechanism, self.rates, "/s", "rates")
        coordinates_of(mechanism, {n: m.start for n, m in self.moves.items()}, "", "moves")
        signals_of(self, mechanism)


def mechanism_of(description: FactorizedRun) -> Mechanism:
    """The mechanism with the scenario's parameters."""
    return shipped_models.mechanism(description.mechanism).with_parameters(description.parameters)


def signals_of(description: FactorizedRun, mechanism: Mechanism) -> list[Sine]:
    """External variables with numeric values."""
    units = mechanism.parameters.units
    return [signal.sine(units[name], name) for name, signal in description.external.items()]


def simulate(description: FactorizedRun, job: Job) -> xr.Dataset:
    """Both forms of the scenario side by side."""
    model = FactorizedModel(mechanism_of(description), tuple(description.external))
    mechanism, t = model.mechanism, grid(description.duration, description.step)
    if description.moves:
        first = coordinates_of(mechanism, {n: m.start for n, m in description.moves.items()}, "", "moves")
        last = coordinates_of(mechanism, {n: m.end for n, m in description.moves.items()}, "", "moves")
        made = factorized_runs.torques(model, t, first, last)
    else:
        start = (
            coordinates_of(mechanism, description.coordinates, "", "coordinates"),
            coordinates_of(mechanism, description.rates, "/s", "rates"),
        )
        made = factorized_runs.motions(model, t, start, signals_of(description, mechanism), description.scheme, job)
    job.progress(1.0, "")
    return made.assign_attrs(about=description.about, step=description.step)


def summarise(result: xr.Dataset) -> Sequence[SummaryRow]:
    """Differences between the two forms, and from known results."""
    if "torque" in result:
        return _torque_rows(result)
    rows = []
    energy = result["kinetic"].sel(form=FORMS[0])
    for case in result["case"].to_numpy():
        apart = deviation_of(result, str(case))
        rows.append(SummaryRow(f"{case}: Euler–Lagrange against factorized, mean", 100 * apart[0], "%"))
        rows.append(SummaryRow(f"{case}: Euler–Lagrange against factorized, largest", 100 * apart[1], "%"))
        kinetic = energy.sel(case=case).to_numpy()
        rows.append(
            SummaryRow(
                f"{case}: kinetic energy drift, factorized",
                float(np.abs(kinetic / kinetic[0] - 1).max()),
                "",
                "a free motion keeps it",
            )
        )
    return rows


def _torque_rows(result: xr.Dataset) -> Sequence[SummaryRow]:
    torque = result["torque"].to_numpy()
    rows = [
        SummaryRow(f"largest torque on {name}", float(np.abs(torque[0, :, i]).max()), "N m")
        for i, name in enumerate(result["coordinate"].to_numpy())
    ]
    rows.append(SummaryRow("largest difference between the forms", float(np.abs(torque[0] - torque[1]).max()), "N m"))
    if "returned" in result:
        off = float(np.abs(result["returned"] - result["q"]).max())
        rows.append(SummaryRow("motion made by these torques is off by", off, "rad", "second order in the step"))
    return rows


def deviation_of(result: xr.Dataset, case: str, name: str = "v") -> tuple[float, float]:
    """Mean and largest |Euler–Lagrange / factorized − 1| of an output; ``v``: the first rate."""
    series = result[name].sel(case=case)
    both = series.isel(coordinate=0) if "coordinate" in series.dims else series
    values = [both.sel(form=form).to_numpy() for form in FORMS]
    apart = deviation(values[1], values[0])
    return apart.mean, apart.largest


KIND = ScenarioKind("factorized", FactorizedRun, simulate, summarise)
