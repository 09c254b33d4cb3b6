"""Vehicle under a run: it is simulated first, and its roof motion drives the pantograph (one-way coupling).

The effect of the contact force on the vehicle, five hundred times heavier than a pantograph, is neglected here; the
solver "cables" solves both as one system.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from panhead.engine.jobs import Job
from panhead.errors import ModelError
from panhead.railway.vehicle.ride_dataset import watched_motion
from panhead.railway.vehicle.vehicle_description import read_vehicle
from panhead.railway.vehicle.vehicle_model import assemble
from panhead.railway.vehicle.vehicle_ride import Ride, ride, stand
from panhead.runs.checkpoints import RunCheckpoints
from panhead.runs.description import OnVehicle
from panhead.runs.resolve import ResolvedRun
from panhead.runs.timetable import Roof

FOLDER = ".ride"  #: of its checkpoints
_AHEAD = 25.0  # of track beyond the way, for the vehicle's own length [m]


def ride_under(resolved: ResolvedRun, on: OnVehicle, job: Job) -> tuple[Roof, dict[str, Any]]:
    """Motion of the pantograph's foot during a run, and the variables of the ride for the result."""
    journey = ride_along(resolved, on, job)
    roof, lateral = roof_of(journey, on.foot)
    variables = {
        "roof_z": ("roof_time", roof.height, {"units": "m", "long_name": "roof, up"}),
        "roof_rate": ("roof_time", roof.rate, {"units": "m/s", "long_name": "rate of the roof, up"}),
        "roof_y": ("roof_time", lateral, {"units": "m", "long_name": "roof, to the left"}),
        "roof_time": ("roof_time", roof.times, {"units": "s"}),
        "ride_outcome": ((), journey.outcome, {"long_name": journey.message}),
    }
    return roof, variables


def ride_along(resolved: ResolvedRun, on: OnVehicle, job: Job) -> Ride:
    """Simulate the vehicle for the duration of the run under the line."""
    speed = resolved.run.speed
    if speed is None:
        raise ModelError("vehicle: a vehicle rolls freely and cannot follow a speed_table; give `speed`")
    keep = on.numerics.keep
    duration = float(np.ceil(resolved.duration / keep) * keep)
    needed = on.start + _AHEAD + speed * duration
    if on.track.length < needed:
        raise ModelError(
            f"vehicle: the track is {on.track.length:.0f} m long, and the journey under the line needs {needed:.0f} m; "
            "lengthen the track or shorten the journey"
        )
    vehicle = read_vehicle(on.vehicle) if isinstance(on.vehicle, str) else on.vehicle
    aside = replace(job, out=job.out and job.out / FOLDER)
    return ride(
        stand(assemble(vehicle, on.track, at=on.start, gravity=resolved.line.gravity)),
        speed=speed,
        duration=duration,
        dt=on.numerics.step,
        keep=keep,
        method=on.numerics.method(),
        progress=job.progress,
        checkpoints=RunCheckpoints(aside, on, vehicle, speed, duration, resolved.line.gravity),
    )


def roof_of(journey: Ride, foot: tuple[float, float, float]) -> tuple[Roof, np.ndarray]:
    """Vertical motion of the pantograph's foot, and its lateral position (n,) [m]."""
    motion = watched_motion(journey, foot)
    times = journey.motion.t
    return Roof(times, motion[:, 2], np.gradient(motion[:, 2], times)), motion[:, 1]
