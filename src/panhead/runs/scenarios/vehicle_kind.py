"""Scenario kind ``vehicle``: a rail vehicle running along a track."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from panhead.engine.jobs import Job
from panhead.errors import Interrupted, ModelError, require_positive
from panhead.files.embed import NAMES
from panhead.files.units import Metres, MetresPerSecond, Seconds
from panhead.railway.vehicle.car_modes import NamedModes, named_modes
from panhead.railway.vehicle.ride_dataset import ride_dataset
from panhead.railway.vehicle.ride_numerics import RideNumerics
from panhead.railway.vehicle.track import Track
from panhead.railway.vehicle.vehicle_description import Vehicle, read_vehicle
from panhead.railway.vehicle.vehicle_model import assemble
from panhead.railway.vehicle.vehicle_ride import Ride, ride, stand
from panhead.runs.checkpoints import RunCheckpoints
from panhead.runs.scenarios import ScenarioKind, SummaryRow

if TYPE_CHECKING:
    import xarray as xr


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class VehicleRun:
    """A vehicle rolls freely along a track, from a speed."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    vehicle: str | Vehicle = field(metadata={NAMES: "panhead.railway.vehicle.vehicle_description:read_vehicle"})
    """Shipped name, file, or the description itself."""
    track: Track
    speed: MetresPerSecond
    duration: Seconds = 10.0
    start: Metres = 5.0  #: initial position of the vehicle's origin on the track [m]
    watched: tuple[Metres, Metres, Metres] = (0.0, 0.0, 0.0)
    """Point on the car body whose motion is recorded, such as a pantograph's foot, in the vehicle's axes."""
    numerics: RideNumerics = field(default_factory=RideNumerics)
    about: str = ""

    def __post_init__(self) -> None:
        require_positive(self, "speed", "duration", "start")
        vehicle = self.resolved()
        front = max(place.x for place in vehicle.bogies) + max(axle.x for axle in vehicle.bogie.wheelsets)
        level = 0.0
        for section in self.track.sections:
            if section.radius is not None or section.transition:
                break
            level += section.length
        if self.start + front > level:
            raise ModelError(
                f"VehicleRun: the vehicle must start on straight level track, but its first axle is at "
                f"{self.start + front:.1f} m and the first straight ends at {level:.1f} m; change `start` or the track"
            )

    def resolved(self) -> Vehicle:
        """Vehicle description."""
        return read_vehicle(self.vehicle) if isinstance(self.vehicle, str) else self.vehicle


def simulate(description: VehicleRun, job: Job) -> xr.Dataset:
    """Run the scenario; the outcome of the ride is part of the result."""
    assembled = assemble(description.resolved(), description.track, at=description.start)
    job.progress(0.0, "static equilibrium of the vehicle")
    standing = stand(assembled)
    numerics = description.numerics

    def outcome_dataset(journey: Ride) -> xr.Dataset:
        result = ride_dataset(journey, description.watched)
        modes = named_modes(standing), named_modes(standing, speed=description.speed)
        return _with_modes(result, *modes).assign_attrs(about=description.about, speed=description.speed)

    try:
        return outcome_dataset(
            ride(
                standing,
                speed=description.speed,
                duration=description.duration,
                dt=numerics.step,
                keep=numerics.keep,
                method=numerics.method(),
                progress=job.progress,
                checkpoints=RunCheckpoints(job, description),
            )
        )
    except Interrupted as stop:
        if isinstance(stop.partial, Ride):
            stop.partial = outcome_dataset(stop.partial)
        raise


def _with_modes(result: xr.Dataset, resting: NamedModes, running: NamedModes) -> xr.Dataset:
    """Add modes at rest and at speed; the fastest growth shows whether the vehicle hunts."""
    for when, modes in (("rest", resting), ("speed", running)):
        dim = f"mode_at_{when}"
        result = result.assign_coords({dim: list(modes.names)}).assign(
            {
                f"frequency_at_{when}": (dim, modes.frequency, {"units": "Hz"}),
                f"damping_at_{when}": (dim, modes.damping, {"units": ""}),
                f"car_share_at_{when}": (dim, modes.car_share, {"units": ""}),
            }
        )
    return result.assign_attrs(growth=float(running.eigenvalues.real.max()))


def summarise(result: xr.Dataset) -> Sequence[SummaryRow]:
    """Outcome, wheel loads, car body modes, curves, and accuracy checks."""
    up = result["wheel_force"].sel(direction="up")
    rows = [
        SummaryRow("outcome", str(result.attrs["outcome"]), "", str(result.attrs["message"])),
        SummaryRow("way", float(result["place"].isel(axle=0)[-1] - result["place"].isel(axle=0)[0]), "m"),
        SummaryRow("wheel load", f"{float(up.min()):.4g} … {float(up.max()):.4g}", "N"),
        SummaryRow("largest lateral displacement of an axle", float(abs(result["lateral"]).max()), "m"),
        SummaryRow(
            "static wheel loads over weight, less 1",
            float(result["static_load"].sum()) / result.attrs["weight"] - 1.0,
            "",
            "≤ 1e-9",
        ),
    ]
    names = result["mode_at_rest"].to_numpy()
    for name in ("bounce", "pitch", "roll", "yaw", "sway"):
        for k in np.flatnonzero(names == name):
            damping = float(result["damping_at_rest"][k])
            rows.append(SummaryRow(name, float(result["frequency_at_rest"][k]), "Hz", f"damping {damping:.2f}"))
    rows.append(SummaryRow("fastest growth of a mode at speed", result.attrs["growth"], "1/s", "< 0: no hunting"))
    if "curve_lateral" in result.attrs:
        found, needed = result.attrs["curve_lateral"], result.attrs["curve_needed"]
        rows.append(SummaryRow("lateral force in the curve", found, "N", f"balance asks for {needed:.5g}"))
    turned = max(float(np.ptp(result[name].to_numpy())) for name in ("kinetic", "dissipated"))
    share = float(np.abs(result["balance"].to_numpy()).max()) / max(turned, 1e-300)
    rows.append(SummaryRow("energy not accounted for, relative", share, "", "should be small"))
    return rows


KIND = ScenarioKind("vehicle", VehicleRun, simulate, summarise)
