"""Motion as a labelled dataset with its energy balance, common to all systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from panhead.engine.methods.trajectory import Trajectory
from panhead.engine.system import System


def motion_variables(
    system: System, motion: Trajectory, units: Sequence[str], energies: np.ndarray
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Variables and coordinates of a dataset: coordinates, rates, multipliers, controls, residuals, energies.

    ``units`` of the coordinates; ``energies`` (2, n), kinetic and potential [J].
    balance = (T + V) − (T + V)₀ − work of drivers − work of controls + dissipated; zero but for the
    integrator's error.
    """
    both = ("time", "coordinate")
    variables: dict[str, Any] = {
        "q": (both, motion.q, {"long_name": "coordinates"}),
        "v": (both, motion.v, {"long_name": "rates of the coordinates"}),
        "a": (both, motion.a, {"long_name": "accelerations of the coordinates"}),
        "coordinate_units": ("coordinate", list(units)),
        "constraint_residual": _curve(_worst(motion.g), "m", "largest constraint residual"),
        "velocity_residual": _curve(_worst(motion.g_dot), "m/s", "largest rate of a constraint"),
    }
    coordinates: dict[str, Any] = {"time": _curve(motion.t, "s", "time"), "coordinate": list(system.coordinates)}
    if system.constraints:
        variables["lam"] = (("time", "constraint"), motion.lam, {"long_name": "multipliers"})
        coordinates["constraint"] = list(system.constraints)
    if system.controls:
        variables["u"] = (("time", "control"), motion.u, {"long_name": "controls"})
        coordinates["control"] = list(system.controls)
    return variables | _ledger(energies, motion.work), coordinates


def _ledger(energies: np.ndarray, work: np.ndarray) -> dict[str, Any]:
    (kinetic, potential), (drivers, controls, dissipated) = energies, work.T
    total = kinetic + potential
    balance = total - total[0] - drivers - controls + dissipated
    return {
        "kinetic": _curve(kinetic, "J", "kinetic energy"),
        "potential": _curve(potential, "J", "potential energy"),
        "work_drivers": _curve(drivers, "J", "work of prescribed motions and applied forces"),
        "work_controls": _curve(controls, "J", "work of controls"),
        "dissipated": _curve(dissipated, "J", "energy dissipated by dampers"),
        "balance": _curve(balance, "J", "energy not accounted for"),
    }


def _curve(values: np.ndarray, unit: str, words: str) -> Any:
    return "time", values, {"units": unit, "long_name": words}


def _worst(residual: np.ndarray) -> np.ndarray:
    return np.abs(residual).max(axis=1) if residual.shape[1] else np.zeros(len(residual))
