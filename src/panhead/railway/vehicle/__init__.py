"""Rail vehicles: wheels on rails, the track they run on, and whole vehicles of bodies.

The names are loaded when they are first used: a run without a vehicle needs none of its kernels.
"""

from __future__ import annotations

import importlib
from typing import Any

__all__ = [
    "AntiRollBar",
    "Arc",
    "Assembled",
    "AxleBearing",
    "AxlePart",
    "Bogie",
    "BogiePlace",
    "Curve",
    "Elastic",
    "HeldOnRails",
    "MeasuredIrregularity",
    "NamedModes",
    "OnRails",
    "Part",
    "Pivot",
    "Profile",
    "ProfilePiece",
    "RailContactLaw",
    "Rails",
    "RandomIrregularity",
    "Ride",
    "RigidContact",
    "RollingWheelset",
    "Seen",
    "Spectrum",
    "Standing",
    "Strut",
    "Track",
    "TrackSection",
    "Vehicle",
    "WheelOnRail",
    "WheelRailContact",
    "Wheels",
    "Wheelset",
    "WheelsetRun",
    "aboard",
    "assemble",
    "central_height",
    "critical_speed",
    "damping_from_restitution",
    "eigenvalues",
    "equivalent_conicity",
    "hunting_eigenvalue",
    "hunting_speed",
    "kalker_coefficients",
    "kalker_table",
    "klingel_wavelength",
    "named_modes",
    "online",
    "patch_table",
    "read_measured",
    "read_profile",
    "read_spectrum",
    "read_vehicle",
    "ride",
    "rigid_contact",
    "run",
    "smooth_curve",
    "stand",
    "steady_rolling",
    "swing_wavelength",
    "wheels_on_rails",
]

_PLACES = {
    "vehicle_model": ("Assembled", "assemble"),
    "axle": ("HeldOnRails", "OnRails", "RollingWheelset"),
    "car_modes": ("NamedModes", "hunting_speed", "named_modes"),
    "conicity": ("RigidContact", "equivalent_conicity", "klingel_wavelength", "rigid_contact", "swing_wavelength"),
    "wheel_contact": (
        "RailContactLaw",
        "Rails",
        "WheelRailContact",
        "Wheels",
        "aboard",
        "central_height",
        "damping_from_restitution",
        "online",
    ),
    "vehicle_description": (
        "AntiRollBar",
        "AxleBearing",
        "AxlePart",
        "Bogie",
        "BogiePlace",
        "Elastic",
        "Part",
        "Pivot",
        "Strut",
        "Vehicle",
        "read_vehicle",
    ),
    "rail_irregularities": ("MeasuredIrregularity", "RandomIrregularity", "Spectrum", "read_measured", "read_spectrum"),
    "contact_patch": ("kalker_coefficients", "kalker_table", "patch_table"),
    "profiles": ("Arc", "Curve", "ProfilePiece", "Profile", "read_profile", "smooth_curve"),
    "vehicle_ride": ("Ride", "Seen", "Standing", "ride", "stand"),
    "track": ("TrackSection", "Track"),
    "wheel_on_rail": ("WheelOnRail", "wheels_on_rails"),
    "wheelset": (
        "WheelsetRun",
        "Wheelset",
        "critical_speed",
        "eigenvalues",
        "hunting_eigenvalue",
        "steady_rolling",
        "run",
    ),
}


def __getattr__(name: str) -> Any:
    for module, names in _PLACES.items():
        if name in names:
            return getattr(importlib.import_module(f"panhead.railway.vehicle.{module}"), name)
    raise AttributeError(f"module 'panhead.railway.vehicle' has no attribute {name!r}")
