"""Runs of one pantograph with different members flexible, side by side in one labelled dataset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from panhead.pantograph.cx_flexible import member_structure
from panhead.pantograph.cx_model import CxModel
from panhead.pantograph.member_modes import arm_modes, beam_modes
from panhead.structures import ReducedStructure

#: what ``CxModel.flexible`` is called in a result, and its number in [Ambrosio11]
MODELS = {"none": "rigid", "top arm": "flexible top arm", "head": "flexible head"}
_CURVES = ("contact_force", "strip_height", "lateral", "iterations", "interface_energy_error")
_NUMBERS = ("losses", "regains", "moment", "distance_max", "distance_rms")


def compared(runs: Mapping[str, xr.Dataset], pantographs: Mapping[str, CxModel]) -> xr.Dataset:
    """Curves (model, time), deformations by mode (mode, time), uplifts, pictures of the line of the first run.

    ``runs`` and ``pantographs`` go by ``CxModel.flexible``. Runs are cut to the shortest, so that one that was
    interrupted can stand beside the others.
    """
    n = min(run.sizes["time"] for run in runs.values())
    cut = {key: run.isel(time=slice(0, n)) for key, run in runs.items()}
    first = next(iter(cut.values()))
    stacked = lambda name: np.stack([_over_strips(run, name) for run in cut.values()])
    variables: dict[str, Any] = {
        name: (("model", "time"), stacked(name), first[name].attrs) for name in _CURVES
    }
    variables["support_uplift"] = (
        ("model", "support_x"),
        np.stack([run["support_uplift"].to_numpy() for run in cut.values()]),
        first["support_uplift"].attrs,
    )
    if first.sizes["strip"] > 1:
        each = np.stack([run["contact_force"].to_numpy().T for run in cut.values()])
        words = {"units": "N", "long_name": "contact force of each strip"}
        variables["strip_force"] = (("model", "strip", "time"), each, words)
    for name in _NUMBERS:
        values = [float(run.attrs.get(name, np.nan)) for run in runs.values()]
        variables[name] = ("model", values)
    passed = [float(run["interface_energy"][-1]) for run in cut.values()]
    variables["interface_energy_through"] = ("model", passed, {"units": "J"})
    for key, run in cut.items():
        variables |= _deformation(run, pantographs[key])
    shown = ["contact_x", "frame_time", "wire_z", "static_z", "dropper_x"]
    shown += [str(name) for name in first if str(name).startswith("side ")]
    variables |= {name: first[name].variable for name in shown}
    frames = first["frame_time"].to_numpy() <= float(first["time"][-1]) + 1e-9
    coordinates: dict[str, Any] = {
        "model": [MODELS[key] for key in cut],
        "time": first["time"].variable,
        "support_x": first["support_x"].variable,
        "station": first["station"].variable,
    }
    keep = ("scheme", "exchange_step", "speed", "start", "strip_x", "base_z", "wave_speed")
    attributes = {name: first.attrs[name] for name in keep}
    return xr.Dataset(variables, coordinates, attributes).isel(frame=frames)


def _over_strips(run: xr.Dataset, name: str) -> np.ndarray:
    """A curve (time,): forces of several strips add up, of places the first strip's is told."""
    values = run[name]
    if "strip" not in values.dims:
        return values.to_numpy()
    return (values.sum("strip") if name == "contact_force" else values.isel(strip=0)).to_numpy()


def _deformation(run: xr.Dataset, pantograph: CxModel) -> dict[str, Any]:
    """How far each mode alone moves the node it moves most, (mode, time) [m]; nothing for rigid bodies."""
    bending = pantograph.parts().bending
    if bending is None:
        return {}
    structure, member = bending.structure, bending.member
    reach = np.linalg.norm(structure.displacements, axis=1).max(axis=0)
    names = [f"{member}.w{k + 1}" for k in range(len(structure.modes))]
    w = run["q"].sel(coordinate=names).to_numpy().T
    frequency = np.array([mode.frequency for mode in structure.modes])
    dimension = f"{member} mode"
    return {
        f"{member} deformation": (
            (dimension, "time"),
            w * reach[:, None],
            {"units": "m", "long_name": f"{member}: displacement by one mode where it moves most"},
        ),
        f"{member} frequency": (dimension, frequency, {"units": "Hz"}),
        f"{member} words": (dimension, np.array(_in_words(pantograph, structure))),
    }


def _in_words(pantograph: CxModel, structure: ReducedStructure) -> list[str]:
    """What every mode is: vibrations by what they do, corrections by the load they belong to."""
    member = pantograph.flexible
    assert member != "none"
    named = arm_modes if member == "top arm" else beam_modes
    kinds = [f"{m.kind}, {m.number}" for m in named(member_structure(pantograph.linkage, member))]
    vibrating = [mode.words.startswith("free–free") for mode in structure.modes]
    return [
        kinds[k] if vibrates else mode.words
        for k, (mode, vibrates) in enumerate(zip(structure.modes, vibrating, strict=True))
    ]
