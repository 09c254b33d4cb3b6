"""The rail vehicle: how it stands, its modes, its ride over rough rails and through a curve."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panhead import scenarios
from panhead.cases.checks import Check, at_least, below, near
from panhead.vehicle.assembly import assemble
from panhead.vehicle.car_modes import named_modes
from panhead.vehicle.description import read_vehicle
from panhead.vehicle.running import stand
from panhead.vehicle.track import Section, Track

_GRAVITY = 9.81


def vehicle_statics() -> Sequence[Check]:
    """Wheel loads against the weight, and the car body's five modes."""
    vehicle = read_vehicle("s1-coach")
    standing = stand(assemble(vehicle, Track(sections=(Section(length=100.0),))))
    weight = vehicle.mass * _GRAVITY
    loads = standing.wheel_loads()
    checks = [
        near(
            "sum of the wheel loads",
            loads.sum(),
            weight,
            unit="N",
            rel=1e-9,
            source="weight of the parts",
        ),
        below(
            "largest difference between wheel loads, relative",
            np.ptp(loads) / loads.mean(),
            1e-6,
            unit="",
            source="symmetry of the vehicle",
        ),
    ]
    modes = named_modes(standing)
    for name in ("bounce", "pitch", "roll", "yaw", "sway"):
        k = modes.of(name)
        checks.append(
            Check(
                quantity=f"{name} of the car body",
                value=float(modes.frequency[k]),
                unit="Hz",
                reference=None,
                low=0.4,
                high=2.0,
                source="range of passenger coaches [Wickens03]",
            )
        )
    stiffness = 1.0 / (1.0 / (32 * 3.05e5) + 1.0 / (16 * 1.075e5))
    sprung = vehicle.car.mass + 2 * 1107.0
    checks.append(
        near(
            "bounce against one mass on springs in series",
            float(modes.frequency[modes.of("bounce")]),
            float(np.sqrt(stiffness / sprung) / (2 * np.pi)),
            unit="Hz",
            rel=0.03,
            source="closed form; inertia of the frames left out",
        )
    )
    return checks


def vehicle_straight() -> Sequence[Check]:
    """Ten seconds at 200 km/h over an irregular straight; a canted curve at 180 km/h."""
    rough = scenarios.read("vehicle-straight").simulate()
    curve = scenarios.read("vehicle-curve").simulate()
    up = rough["wheel_force"].sel(direction="up").sum(("axle", "wheel"))
    checks = [
        at_least(
            "seconds on the track at 200 km/h",
            float(rough["time"][-1]) if rough.attrs["outcome"] == "on the track" else 0.0,
            10.0,
            unit="s",
            source="the run's duration; no wheel lifted or derailed",
        ),
        below(
            "fastest growth of a mode at 200 km/h",
            max(0.0, float(rough.attrs["growth"])),
            1e-9,
            unit="1/s",
            source="hunting must decay",
        ),
        near(
            "mean load of all wheels",
            float(up.mean()),
            float(rough.attrs["weight"]),
            unit="N",
            rel=1e-3,
            source="weight; ten seconds of 1 Hz motion",
        ),
        near(
            "lateral force in the canted curve",
            float(curve.attrs["curve_lateral"]),
            float(curve.attrs["curve_needed"]),
            unit="N",
            rel=0.01,
            source="m (v²/R cos φ − g sin φ)",
        ),
    ]
    for name, result in (("straight", rough), ("curve", curve)):
        turned = max(float(np.ptp(result[n].to_numpy())) for n in ("kinetic", "dissipated"))
        missing = float(np.abs(result["balance"].to_numpy()).max()) / turned
        checks.append(
            below(
                f"energy not accounted for, {name}, relative",
                missing,
                2e-3,
                unit="",
                source="ledger: stored, put in by rails, lost by dampers and creep",
            )
        )
    return checks
