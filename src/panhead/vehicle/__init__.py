"""Rail vehicles: wheels on rails, and the track they run on."""

from panhead.vehicle.conicity import (
    RigidContact,
    equivalent_conicity,
    klingel_wavelength,
    rigid_contact,
    swing_wavelength,
)
from panhead.vehicle.contact import (
    ContactLaw,
    Rails,
    WheelRailContact,
    Wheels,
    aboard,
    central_height,
    damping_from_restitution,
    online,
)
from panhead.vehicle.irregularities import (
    MeasuredIrregularity,
    RandomIrregularity,
    Spectrum,
    read_measured,
    read_spectrum,
)
from panhead.vehicle.patch import kalker_coefficients, kalker_table, patch_table
from panhead.vehicle.profiles import Arc, Curve, Piece, Profile, read_profile, smooth_curve
from panhead.vehicle.track import Section, Track
from panhead.vehicle.wheelset import (
    Run,
    Wheelset,
    critical_speed,
    eigenvalues,
    hunting,
    rolling,
    run,
)

__all__ = [
    "Arc",
    "ContactLaw",
    "Curve",
    "MeasuredIrregularity",
    "Piece",
    "Profile",
    "Rails",
    "RandomIrregularity",
    "RigidContact",
    "Run",
    "Section",
    "Spectrum",
    "Track",
    "WheelRailContact",
    "Wheels",
    "Wheelset",
    "aboard",
    "central_height",
    "critical_speed",
    "damping_from_restitution",
    "eigenvalues",
    "equivalent_conicity",
    "hunting",
    "kalker_coefficients",
    "kalker_table",
    "klingel_wavelength",
    "online",
    "patch_table",
    "read_measured",
    "read_profile",
    "read_spectrum",
    "rigid_contact",
    "rolling",
    "run",
    "smooth_curve",
    "swing_wavelength",
]
