"""Motion as a labelled dataset with its energy balance, common to all systems."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from panhead.engine.methods.trajectory import Trajectory
from panhead.engine.system import System
from panhead.errors import RunWarning

_UNBALANCED = 0.01  # share of the energy exchanged: a motion that misses more is not that of the model
_ROUNDING = 1e-11  # of the largest energy: a system at rest exchanges less
_JUMP = 5.0  # times the largest rate: what lies between two kept states may be quicker, not that much


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
    ledger = _ledger(energies, motion.work)
    _warn_if_unbalanced(system, ledger)
    _warn_of_jumps(system, motion)
    return variables | ledger, coordinates


def run_attributes(motion: Trajectory) -> dict[str, Any]:
    """Attributes of a dataset that say how the motion was computed: method, steps, iterations."""
    return {f"run_{name}": value for name, value in motion.notes.items()} | (
        {"run_method": motion.method} if motion.method else {}
    )


def _warn_if_unbalanced(system: System, ledger: dict[str, Any]) -> None:
    """RunWarning if more energy is unaccounted for than a hundredth of what is exchanged."""
    accounts = {name: np.asarray(values) for name, (_, values, _) in ledger.items()}
    missing = float(np.abs(accounts.pop("balance")).max())
    size = max(float(np.abs(values).max()) for values in accounts.values())
    accounts["potential"] = accounts["potential"] - accounts["potential"][0]
    exchanged = max(float(np.abs(values).max()) for values in accounts.values())
    if missing > max(_UNBALANCED * exchanged, _ROUNDING * size):
        warnings.warn(
            f"the energy balance of {system.name!r} is off by {missing:.3g} J, {missing / exchanged:.1%} of the energy "
            f"exchanged: the motion is not resolved. Use a shorter dt, or look for a jump in a prescribed motion",
            RunWarning,
            stacklevel=3,
        )


def _warn_of_jumps(system: System, motion: Trajectory) -> None:
    """RunWarning if a coordinate moves between kept states by much more than its rates allow."""
    if len(motion.t) < 2:
        return
    moved = np.abs(np.diff(motion.q, axis=0))
    allowed = _JUMP * np.diff(motion.t)[:, None] * np.abs(motion.v).max(axis=0)
    allowed += 1e-6 * np.abs(motion.q).max(axis=0) + 1e-9
    if not (moved > allowed).any():
        return
    at, k = np.unravel_index(int((moved - allowed).argmax()), moved.shape)
    warnings.warn(
        f"{system.coordinates[k]} of {system.name!r} jumps by {moved[at, k]:.3g} between t = {motion.t[at]:.6g} and "
        f"{motion.t[at + 1]:.6g} s, which no velocity explains, and no energy is counted for it. A prescribed motion "
        "must be continuous with a continuous rate: use a Table or a ramp",
        RunWarning,
        stacklevel=3,
    )


def _ledger(energies: np.ndarray, work: np.ndarray) -> dict[str, Any]:
    (kinetic, potential), (drivers, controls, dissipated) = energies, work.T
    total = kinetic + potential
    put_in = drivers + controls - dissipated
    balance = (total - total[0]) - (put_in - put_in[0])
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
