"""Scenarios of the kind ``train``: a vehicle on rough rails carries a pantograph under an overhead line.

The vehicle rides first; how its roof moves where the pantograph stands is then felt by the pantograph. What
the contact force does to a vehicle five hundred times heavier than a pantograph is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from panhead.errors import ModelError
from panhead.files.units import Metres
from panhead.jobs import Job
from panhead.run.solvers.linear.description import LineRun
from panhead.run.solvers.linear.model import resolve
from panhead.run.solvers.linear.simulate import simulate as simulate_line
from panhead.run.solvers.linear.timetable import Roof
from panhead.scenarios import Kind, Row, kind
from panhead.scenarios.vehicle import Numerics, VehicleRun
from panhead.vehicle.assembly import assemble
from panhead.vehicle.description import Vehicle
from panhead.vehicle.recording import watched_motion
from panhead.vehicle.running import Ride, ride, stand
from panhead.vehicle.track import Track

if TYPE_CHECKING:
    import xarray as xr

    from panhead.report.page import Page


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TrainRun:
    """A vehicle, its track, and a run under a line at constant speed."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    vehicle: str | Vehicle  #: shipped name, file, or the description itself
    track: Track
    line: LineRun
    foot: tuple[Metres, Metres, Metres]  #: where the pantograph stands, in the vehicle's axes [m]
    start: Metres = 5.0  #: where the vehicle's origin stands on the track at the start [m]
    numerics: Numerics = field(default_factory=Numerics)  #: of the vehicle
    about: str = ""

    def __post_init__(self) -> None:
        if self.line.speed is None:
            raise ModelError(
                "TrainRun: give line.speed; a vehicle rolls freely and follows no speed_table"
            )
        needed = self.start + 25.0 + self.line.speed * self.duration
        if self.track.length < needed:
            raise ModelError(
                f"TrainRun: the track is {self.track.length:.0f} m long, and the journey under the line needs "
                f"{needed:.0f} m; lengthen the track or shorten the journey"
            )
        self.vehicle_run()

    @property
    def duration(self) -> float:
        """Of the journey under the line [s]."""
        keep = self.numerics.keep
        time = resolve(self.line).steps * self.line.numerics.step
        return float(np.ceil(time / keep) * keep)

    def vehicle_run(self) -> VehicleRun:
        """The ride of the vehicle alone."""
        speed = self.line.speed or 0.0
        return VehicleRun(
            vehicle=self.vehicle, track=self.track, speed=speed, start=self.start, watched=self.foot
        )


def simulate(description: TrainRun, job: Job) -> xr.Dataset:
    """The run under the line with the roof moving, beside the same run with it level."""
    journey = ridden(description, job)
    roof, lateral = roof_of(journey, description.foot)
    part = replace(job, out=None, error_bars=False)
    result = simulate_line(description.line, part, roof=roof)
    level = simulate_line(description.line, part)
    labels = {"units": "N", "long_name": "contact force with the roof level"}
    return result.assign(
        contact_force_level=(("pantograph", "time"), level["contact_force"].to_numpy(), labels),
        roof_vertical=("roof_time", roof.height, {"units": "m", "long_name": "roof, up"}),
        roof_rate=("roof_time", roof.rate, {"units": "m/s", "long_name": "rate of the roof, up"}),
        roof_lateral=("roof_time", lateral, {"units": "m", "long_name": "roof, to the left"}),
        roof_time=("roof_time", roof.times, {"units": "s"}),
    ).assign_attrs(about=description.about, outcome=journey.outcome, message=journey.message)


def ridden(description: TrainRun, job: Job) -> Ride:
    """The vehicle's ride."""
    numerics, alone = description.numerics, description.vehicle_run()
    standing = stand(assemble(alone.resolved(), description.track, at=description.start))
    return ride(
        standing,
        speed=alone.speed,
        duration=description.duration,
        dt=numerics.step,
        keep=numerics.keep,
        method=numerics.method(),
        progress=job.progress,
    )


def roof_of(journey: Ride, foot: tuple[float, float, float]) -> tuple[Roof, np.ndarray]:
    """How the pantograph's foot moves up and down, and sideways (n,) [m]."""
    motion = watched_motion(journey, foot)
    times = journey.motion.t
    return Roof(times, motion[:, 2], np.gradient(motion[:, 2], times)), motion[:, 1]


def forces_in_judged(result: xr.Dataset) -> dict[str, np.ndarray]:
    """Contact forces of the first pantograph with the roof moving and level, in the judged part."""
    times = result["time"].to_numpy()
    part = (times >= result.attrs["judged_from"]) & (times <= result.attrs["judged_to"])
    return {
        "roof moving": result["contact_force"].to_numpy()[0, part],
        "roof level": result["contact_force_level"].to_numpy()[0, part],
    }


def summarise(result: xr.Dataset) -> Sequence[Row]:
    """Statistics of both runs, then what a run under a line tells."""
    rows = [
        Row("outcome of the ride", str(result.attrs["outcome"]), "", str(result.attrs["message"])),
        Row("roof, deviation up and down", float(result["roof_vertical"].std()), "m"),
    ]
    for name, force in forces_in_judged(result).items():
        rows.append(Row(f"contact force, {name}: mean", float(force.mean()), "N"))
        rows.append(Row(f"contact force, {name}: deviation", float(force.std()), "N"))
        rows.append(
            Row(f"contact force, {name}: range", f"{force.min():.4g} … {force.max():.4g}", "N")
        )
    return [*rows, *kind("line").summarise(result)]


def page(result: xr.Dataset) -> Page:
    """The report's content."""
    from panhead.report import train as report

    return report.page(result, forces_in_judged(result))


KIND = Kind("train", TrainRun, simulate, summarise, page)
