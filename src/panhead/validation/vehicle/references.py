"""Rail vehicle: statics, modes, ride over irregular track and through a curve."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panhead.railway.vehicle.car_modes import named_modes
from panhead.railway.vehicle.track import Track, TrackSection
from panhead.railway.vehicle.vehicle_description import read_vehicle
from panhead.railway.vehicle.vehicle_model import assemble
from panhead.railway.vehicle.vehicle_ride import stand
from panhead.runs import scenarios
from panhead.validation.checks import AFTER, BEFORE, CLOSED_FORM, Check, at_least, at_most, below, between, listed, near

_GRAVITY = 9.81
#: Typed from [Pappalardo16, table 3]: car body; frame, bolster, two equalizers and two wheelsets of each bogie.
_MASS = 24170.0 + 2.0 * (3214.0 + 1107.0 + 2 * 469.0 + 2 * 2091.0)  # [kg]
_BOLSTER = 1107.0  # [kg]
_RADIUS, _CANT, _RAILS, _FAST = 1500.0, 0.10, 1.5, 180.0 / 3.6  # curve [m], its cant, rails apart [m], speed [m/s]


def vehicle_statics() -> Sequence[Check]:
    """Wheel loads against the weight, and the car body's five modes."""
    vehicle = read_vehicle("s1-coach")
    standing = stand(assemble(vehicle, Track(sections=(TrackSection(length=100.0),))))
    weight = _MASS * _GRAVITY
    loads = standing.wheel_loads()
    checks = [
        near("sum of the wheel loads", loads.sum(), weight, "N", "sum of the printed masses by hand", rel=1e-9,
            by=BEFORE),
        below("largest difference between wheel loads, relative", np.ptp(loads) / loads.mean(), 1e-6, "",
            "symmetry of the vehicle", by=CLOSED_FORM),
    ]  # fmt: skip
    modes = named_modes(standing)
    for name in ("bounce", "pitch", "roll", "yaw", "sway"):
        found, called = float(modes.frequency[modes.of(name)]), f"{name} of the car body"
        checks.append(
            between(called, found, (1.0, 2.0), "Hz", "requirement: about 1–2 Hz", by=BEFORE)
            if name in ("bounce", "pitch", "roll")
            else listed(called, found, None, "Hz", "no range known beforehand")
        )  # fmt: skip
    stiffness = 1.0 / (1.0 / (32 * 3.05e5) + 1.0 / (16 * 1.075e5))
    sprung = 24170.0 + 2 * _BOLSTER
    checks.append(
        near("bounce against one mass on springs in series", float(modes.frequency[modes.of("bounce")]),
            float(np.sqrt(stiffness / sprung) / (2 * np.pi)), "Hz", "closed form; inertia of the frames neglected",
            rel=0.03, by=AFTER)
    )  # fmt: skip
    return checks


def vehicle_straight() -> Sequence[Check]:
    """Ten seconds at 200 km/h over an irregular straight; a canted curve at 180 km/h."""
    rough = scenarios.read("vehicle-straight").simulate()
    curve = scenarios.read("vehicle-curve").simulate()
    up = rough["wheel_force"].sel(direction="up").sum(("axle", "wheel"))
    checks = [
        at_least("seconds on the track at 200 km/h",
            float(rough["time"][-1]) if rough.attrs["outcome"] == "on the track" else 0.0, 10.0, "s",
            "the run's duration; no wheel lifted or derailed", by=BEFORE),
        at_most("fastest growth of a mode at 200 km/h", float(rough.attrs["growth"]), 1e-9, "1/s",
            "hunting must decay; rounding", by=CLOSED_FORM),
        near("mean load of all wheels", float(up.mean()), _MASS * _GRAVITY, "N",
            "sum of the printed masses by hand; ten seconds of 1 Hz motion", rel=1e-3, by=AFTER),
        near("lateral force in the canted curve", float(curve.attrs["curve_lateral"]), _lateral(), "N",
            "m (v²/R cos φ − g sin φ) by hand from the files", rel=0.01, by=BEFORE),
    ]  # fmt: skip
    for name, result in (("straight", rough), ("curve", curve)):
        turned = max(float(np.ptp(result[n].to_numpy())) for n in ("kinetic", "dissipated"))
        missing = float(np.abs(result["balance"].to_numpy()).max()) / turned
        checks.append(
            below(f"energy not accounted for, {name}, relative", missing, 2e-3, "",
                "energy balance: stored, input by rails, dissipated by dampers and creep", by=AFTER)
        )  # fmt: skip
    return checks


def _lateral() -> float:
    """Lateral force on the vehicle in the plane of the canted track [N]."""
    slope = np.arcsin(_CANT / _RAILS)
    return _MASS * float(_FAST**2 / _RADIUS * np.cos(slope) - _GRAVITY * np.sin(slope))
