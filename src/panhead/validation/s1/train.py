"""Coupled train of [Pappalardo16]: vehicle, pantograph and line in one system, reduced to four spans and 2 s."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.engine.jobs import Job
from panhead.railway.pantograph.linkage import read_linkage
from panhead.railway.vehicle import read_vehicle
from panhead.railway.vehicle.vehicle_description import Vehicle
from panhead.runs import scenarios
from panhead.runs.description import OnVehicle, Run
from panhead.runs.resolve import resolve
from panhead.runs.ride import ride_along, roof_of
from panhead.runs.simulate import simulate_one
from panhead.validation.checks import BEFORE, CLOSED_FORM, Check, below, listed, near

if TYPE_CHECKING:
    import xarray as xr

_GRAVITY, _HEAVIER = 9.81, 1000.0
_SHORT = (
    "line_changes.tension_lengths=[{name='T1',spans=[{length='56.25 m',count=4,dropper_count=8}]}]",
    "vehicle.track.sections=[{length=200.0}]",
    "journey.duration=2.0",
    "journey.judged_to=123.0",
    "variants=[]",
)


def s1_coupled_train() -> Sequence[Check]:
    """Statics, energy balance, effect of the roof on the contact and of the contact on the roof."""
    run: Run = scenarios.read("s1-coupled-train", _SHORT).description
    assert run.vehicle is not None
    assert isinstance(run.vehicle.vehicle, str)
    vehicle = read_vehicle(run.vehicle.vehicle)
    heavy = replace(run.vehicle, vehicle=scaled_vehicle(vehicle, _HEAVIER))
    both, level = simulate_one(run), simulate_one(replace(run, vehicle=None))
    one_way = simulate_one(replace(run, vehicle=heavy))
    force, still, carried = (x["contact_force"].to_numpy()[0] for x in (both, level, one_way))
    return [
        *_loads(run, vehicle, both),
        below("energy not accounted for, relative", _missing(both), 2e-3, "",
            "energy balance: stored, input by rails and uplift, lost by creep; bound of vehicle-straight", by=BEFORE),
        below("contact force, both ways against one way, rms", _rms(force - carried), 0.3, "N",
            "30 N on 24 t move the roof by 0.03 mm at 1 Hz, 0.03 N for 25 kg; ten times that", by=BEFORE),
        below("roof one way against the vehicle's ride alone, rms", 1e3 * _apart(run, run.vehicle, one_way), 0.01, "mm",
            "mass and stiffness scaled by 1000: same ride, no reaction from the pantograph", by=BEFORE),
        listed("contact force, moving against level roof, rms", _rms(force - still), None, "N", "rough track"),
        listed("mean force on the moving roof", float(force.mean()), float(still.mean()), "N", "on the level one"),
        listed("deviation on the moving roof", float(force.std()), float(still.std()), "N", "on the level one"),
    ]  # fmt: skip


def _loads(run: Run, vehicle: Vehicle, both: xr.Dataset) -> list[Check]:
    """Σ wheel loads = weight of vehicle and pantograph − uplift, which acts from outside, + what the wire presses."""
    linkage = read_linkage("cx-six-bodies")
    weight = (vehicle.mass + sum(body.mass for body in linkage.bodies)) * _GRAVITY
    outside = weight - float(run.train[0].changes["uplift"].split()[0])
    loads, standing = both["wheel_load"].to_numpy(), both["static_wheel_load"].to_numpy()
    pressed = float(both["static_force"][0]), float(both["contact_force"].mean())
    return [
        near("sum of the wheel loads, standing under the line", standing.sum(), outside + pressed[0], "N",
            "closed form: weights − uplift + static contact force", rel=1e-7, by=CLOSED_FORM),
        near("the same on the way, mean", loads.sum(axis=(1, 2)).mean(), outside + pressed[1], "N",
            "closed form with the mean force; 2 s of 1 Hz motion", rel=5e-3, by=CLOSED_FORM),
    ]  # fmt: skip


def _missing(both: xr.Dataset) -> float:
    turned = float(both["dissipated"][-1]) + abs(float(both["work_drivers"][-1]))
    return float(np.abs(both["balance"]).max()) / turned


def _apart(run: Run, on: OnVehicle, one_way: xr.Dataset) -> float:
    """Roof of the train that does not feel its pantograph, less the roof of the vehicle alone, rms [m]."""
    roof, _ = roof_of(ride_along(resolve(run), on, Job()), on.foot)
    z = one_way["roof_z"].to_numpy()
    alone = np.interp(one_way["roof_time"].to_numpy(), roof.times, roof.height)
    return _rms((z - z[0]) - (alone - alone[0]))


def _rms(x: np.ndarray) -> float:
    return float(np.sqrt(np.mean(x**2)))


def scaled_vehicle(vehicle: Vehicle, factor: float) -> Vehicle:
    """Scale masses, springs, dampers and contact stiffness by ``factor``, which leaves the ride unchanged.

    Every term of M a = f grows alike: Hertz's N and Kalker's creep forces with E, gravity with m.
    """
    grown = lambda x: tuple(factor * v for v in x) if isinstance(x, tuple) else factor * x
    fields = ("mass", "inertia", "spin_inertia", "stiffness", "damping")
    of_bearings = ("axial_stiffness", "axial_damping", "tilt_stiffness", "tilt_damping")

    def of(part: Any) -> Any:
        return replace(
            part, **{n: grown(getattr(part, n)) for n in (*fields, *of_bearings) if n in part.__dataclass_fields__}
        )

    bogie, law = vehicle.bogie, vehicle.contact.law
    kinds = ("bodies", "wheelsets", "bushings", "bearings", "struts", "anti_roll_bars", "pivots")
    parts = {kind: tuple(of(part) for part in getattr(bogie, kind)) for kind in kinds}
    steel = replace(vehicle.contact, law=replace(law, young=factor * law.young))
    return replace(vehicle, car=of(vehicle.car), bogie=replace(bogie, **parts), contact=steel)
