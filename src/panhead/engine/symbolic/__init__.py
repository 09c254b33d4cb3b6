"""Mechanisms in generalised coordinates: write positions, everything else is derived."""

from panhead.engine.symbolic.bodies import PlacedBody, rotation_x, rotation_y, rotation_z
from panhead.engine.symbolic.derivation import Derivation, derive
from panhead.engine.symbolic.forces import (
    AppliedForce,
    Closure,
    ConstantForce,
    Damper,
    Gravity,
    Potential,
    Spring,
    StrokeActuator,
    StrokeForce,
)
from panhead.engine.symbolic.mechanism import Mechanism, Output
from panhead.engine.symbolic.parameters import Parameters, coordinates, time
from panhead.engine.symbolic.symbolic_system import SymbolicSystem

__all__ = [
    "AppliedForce",
    "Closure",
    "ConstantForce",
    "Damper",
    "Derivation",
    "Gravity",
    "Mechanism",
    "Output",
    "Parameters",
    "PlacedBody",
    "Potential",
    "Spring",
    "StrokeActuator",
    "StrokeForce",
    "SymbolicSystem",
    "coordinates",
    "derive",
    "rotation_x",
    "rotation_y",
    "rotation_z",
    "time",
]
