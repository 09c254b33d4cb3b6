"""A motion of a mechanism as a labelled dataset, with the ledger of its energy."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import xarray as xr

from panhead.methods.trajectory import Trajectory
from panhead.symbolic.system import SymbolicSystem


def dataset(system: SymbolicSystem, motion: Trajectory) -> xr.Dataset:
    """Coordinates, rates, multipliers, outputs, energies, residuals and outlines over time.

    balance = (T + V) − (T + V)₀ − work of drivers − work of controls + dissipated; zero but for the
    integrator's error.
    """
    kinetic, potential = system.energies(motion.t, motion.q, motion.v)
    total = kinetic + potential
    balance = total - total[0] - motion.work[:, 0] - motion.work[:, 1] + motion.work[:, 2]
    worst = lambda r: np.abs(r).max(axis=1) if r.shape[1] else np.zeros(len(r))
    J = {"units": "J"}
    variables: dict[str, Any] = {
        "q": (("time", "coordinate"), motion.q, {"long_name": "coordinates"}),
        "v": (("time", "coordinate"), motion.v, {"long_name": "rates of the coordinates"}),
        "a": (("time", "coordinate"), motion.a, {"long_name": "accelerations of the coordinates"}),
        "coordinate_units": ("coordinate", list(system.mechanism.units)),
        "kinetic": ("time", kinetic, J | {"long_name": "kinetic energy"}),
        "potential": ("time", potential, J | {"long_name": "potential energy"}),
        "work_drivers": (
            "time",
            motion.work[:, 0],
            J | {"long_name": "work of prescribed motions and applied forces"},
        ),
        "work_controls": ("time", motion.work[:, 1], J | {"long_name": "work of controls"}),
        "dissipated": (
            "time",
            motion.work[:, 2],
            J | {"long_name": "energy dissipated by dampers"},
        ),
        "balance": ("time", balance, J | {"long_name": "energy not accounted for"}),
        "constraint_residual": (
            "time",
            worst(motion.g),
            {"units": "m", "long_name": "largest constraint residual"},
        ),
        "velocity_residual": (
            "time",
            worst(motion.g_dot),
            {"units": "m/s", "long_name": "largest rate of a constraint"},
        ),
    }
    coordinates: dict[str, Any] = {
        "time": ("time", motion.t, {"units": "s", "long_name": "time"}),
        "coordinate": list(system.coordinates),
    }
    if system.constraints:
        variables["lam"] = (("time", "constraint"), motion.lam, {"long_name": "multipliers"})
        coordinates["constraint"] = list(system.constraints)
    if system.controls:
        variables["u"] = (("time", "control"), motion.u, {"long_name": "controls"})
        coordinates["control"] = list(system.controls)
    values = system.outputs(motion.t, motion.q, motion.v, motion.u)
    for output in system.mechanism.outputs:
        labels = {"units": output.unit, "long_name": output.about or output.name}
        variables[output.name] = ("time", values[output.name], labels)
    _add_outline(system, motion, variables, coordinates)
    notes = {f"run_{name}": value for name, value in motion.notes.items()}
    attrs: dict[str, Any] = {"outputs": [o.name for o in system.mechanism.outputs], **notes}
    if system.mechanism.paths:
        attrs["paths"] = json.dumps(dict(system.mechanism.paths))
    return xr.Dataset(variables, coordinates, attrs)


def _add_outline(
    system: SymbolicSystem,
    motion: Trajectory,
    variables: dict[str, Any],
    coordinates: dict[str, Any],
) -> None:
    """The drawn points of every part over time, each labelled with the part it belongs to."""
    parts = system.outline(motion.t, motion.q)
    if not parts:
        return
    names = [name for name, (x, _) in parts.items() for _ in range(x.shape[1])]
    for axis, k in (("x", 0), ("y", 1)):
        points = np.hstack([xy[k] for xy in parts.values()])
        variables[f"outline_{axis}"] = (("time", "outline"), points, {"units": "m"})
    coordinates["outline_part"] = ("outline", names)
