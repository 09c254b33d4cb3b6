"""Motion of a mechanism as a labelled dataset with its energy balance."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import xarray as xr

from panhead.engine.methods.motion_dataset import motion_variables, run_attributes
from panhead.engine.methods.trajectory import Trajectory
from panhead.engine.symbolic.symbolic_system import SymbolicSystem


def dataset(system: SymbolicSystem, motion: Trajectory) -> xr.Dataset:
    """Coordinates, rates, multipliers, outputs, energies, residuals and outlines over time."""
    energies = system.energies(motion.t, motion.q, motion.v)
    variables, coordinates = motion_variables(system, motion, system.mechanism.units, energies)
    values = system.outputs(motion.t, motion.q, motion.v, motion.u)
    for output in system.mechanism.outputs:
        labels = {"units": output.unit, "long_name": output.about or output.name}
        variables[output.name] = ("time", values[output.name], labels)
    _add_outline(system, motion, variables, coordinates)
    attrs = run_attributes(motion) | {"outputs": [o.name for o in system.mechanism.outputs]}
    if system.mechanism.paths:
        attrs["paths"] = json.dumps(dict(system.mechanism.paths))
    return xr.Dataset(variables, coordinates, attrs)


def _add_outline(
    system: SymbolicSystem, motion: Trajectory, variables: dict[str, Any], coordinates: dict[str, Any]
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
