"""Helpers for validation of motions: simulate a shipped model with a step and half of it, observed order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import Trajectory
from panhead.engine.multibody.model_dataset import accounts
from panhead.engine.multibody.outline import marker_on, positions
from panhead.engine.system import Vector
from panhead.runs.scenarios.shipped_models import Value, shipped_model
from panhead.validation.checks import BoundBy, Check, near

if TYPE_CHECKING:
    import xarray as xr

BENCHMARK = "IFToMM benchmark, closed form or converged reference"
CONSERVATION = "conservation of energy"
JOINTS = "closure of the joints"
MINIMAL = "independent solution in minimal coordinates, eighth order, error below 1e-9"


def energy_residual(result: xr.Dataset) -> float:
    """Largest unaccounted energy relative to the largest energy."""
    total = np.abs(result["kinetic"] + result["potential"]).max()
    return float(np.abs(result["balance"]).max() / total)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class MotionCase:
    """Model, simulated time, and the point on it that is compared."""

    model: str
    duration: float
    body: str
    place: tuple[float, ...]
    parameters: Mapping[str, Value] | None = None


@final
@dataclass(frozen=True, slots=True)
class MotionResult:
    place: np.ndarray  # (3,) of the place at the end [m]
    energy: float  # largest change over what is turned over
    residual: float  # largest of any constraint
    motion: Trajectory


def run_at_step(case: MotionCase, dt: float) -> MotionResult:
    made = shipped_model(case.model, case.parameters)
    motion = simulate(
        made.system, made.start, duration=case.duration, dt=dt, keep=case.duration / 50, method=GeneralizedAlpha()
    )
    kinetic, potential = accounts(made.system, motion)[:, :2].T
    total = kinetic + potential
    drift = float(np.abs(total - total[0]).max() / np.ptp(potential))
    watched = positions(made.system, motion, [marker_on(made.model, case.body, case.place)])
    return MotionResult(watched[-1, 0], drift, float(np.abs(motion.g).max()), motion)


def extrapolate(coarse: MotionResult, fine: MotionResult) -> np.ndarray:
    """Richardson extrapolation of a second-order method, from a step and half of it."""
    return fine.place + (fine.place - coarse.place) / 3


def observed_order(coarse: MotionResult, fine: MotionResult, reference: np.ndarray) -> float:
    error = lambda found: float(np.abs(found.place - reference).max())
    return float(np.log2(error(coarse) / error(fine)))


def place_checks(
    what: str, value: np.ndarray, reference: Vector | Sequence[float], *, by: BoundBy, tol: float, source: str
) -> list[Check]:
    """Check each coordinate of a position."""
    return [
        near(f"{what}, {axis}", x, r, "m", source, by=by, tol=tol)
        for axis, x, r in zip("xyz"[: len(reference)], value[: len(reference)], reference, strict=True)
    ]
