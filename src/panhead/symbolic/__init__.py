"""Mechanisms in generalised coordinates: write positions, everything else is derived."""

from panhead.symbolic.bodies import Body, rotation_x, rotation_y, rotation_z
from panhead.symbolic.derivation import Derivation, derive
from panhead.symbolic.forces import (
    Actuator,
    AppliedForce,
    Closure,
    ConstantForce,
    Damper,
    Force,
    Gravity,
    Potential,
    Spring,
)
from panhead.symbolic.mechanism import Mechanism, Output
from panhead.symbolic.parameters import Parameters, coordinates, time
from panhead.symbolic.system import SymbolicSystem

__all__ = [
    "Actuator",
    "AppliedForce",
    "Body",
    "Closure",
    "ConstantForce",
    "Damper",
    "Derivation",
    "Force",
    "Gravity",
    "Mechanism",
    "Output",
    "Parameters",
    "Potential",
    "Spring",
    "SymbolicSystem",
    "coordinates",
    "derive",
    "rotation_x",
    "rotation_y",
    "rotation_z",
    "time",
]
