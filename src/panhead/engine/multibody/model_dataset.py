"""Motion of a model as a labelled dataset with its energy balance."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from panhead.engine.kernels.observables import add_accounts
from panhead.engine.methods.motion_dataset import motion_variables, run_attributes
from panhead.engine.methods.trajectory import Trajectory
from panhead.engine.multibody.collision_dataset import collision_variables
from panhead.engine.multibody.contact_dataset import contact_output, contact_variables
from panhead.engine.multibody.contact_tables import Contacts
from panhead.engine.multibody.model import Model
from panhead.engine.multibody.model_outputs import motion_outputs
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.engine.multibody.outline import MotionView, marker_on, motion_view, outline, positions
from panhead.engine.multibody.sensors import Sensor, sensor_variables
from panhead.engine.roles import Body, Marker, Row
from panhead.errors import ModelError

if TYPE_CHECKING:
    from panhead.engine.multibody.tree import Tree

Point = tuple[str, Sequence[float]]  #: body, place on it
_SLENDER = 0.1  # a path less high or wide than this share is a line that shows nothing
_ROUNDING = 1e-14  # of the largest coordinate: what moves less does not move
_TURNS = ("tilt", "turn", "twist")  # equations about directions: their multipliers are moments


def dataset(
    model: Model,
    system: MultibodySystem,
    motion: Trajectory,
    *,
    points: Mapping[str, Point | Marker] | None = None,
    sensors: Mapping[str, Sensor] | None = None,
    outputs: Sequence[str] = (),
    tree: Tree | None = None,
) -> xr.Dataset:
    """Coordinates, rates, multipliers, reactions, energies, residuals and outlines over time.

    ``points`` are watched places by name, ``sensors`` measures or functions of the state, ``outputs`` names of
    coordinates, constraints or observed quantities ("slide.arc") that matter most. If the system is that of a
    ``tree``, the model is the one the tree was made of: its bodies are drawn.
    """
    energies = accounts(system, motion)[:, :2].T
    variables, coordinates = motion_variables(system, motion, system.packed.units, energies)
    if system.constraints:
        _add_reactions(model, system, motion, variables, coordinates)
    if motion.collisions is not None:
        more, labels = collision_variables(motion.collisions)
        variables, coordinates = variables | more, coordinates | labels
    if motion.contacts is not None:
        assert isinstance(system.contacts, Contacts)
        more, labels = contact_variables(system.contacts, motion)
        variables, coordinates = variables | more, coordinates | labels
    view = motion_view(system, motion, tree)
    chosen, paths = _points(model, view, points or {})
    chosen |= sensor_variables(system, motion, sensors or {})
    chosen |= {_word(name): _output(system, motion, name) for name in outputs}
    _add_outline(model, view, variables, coordinates)
    attrs = run_attributes(motion) | {"outputs": list(chosen), "paths": json.dumps(paths)}
    return xr.Dataset(variables | chosen, coordinates, attrs)


def accounts(system: MultibodySystem, motion: Trajectory) -> np.ndarray:
    """T, V [J], power of drivers, of controls, dissipated [W] at every kept time, (n, 5)."""
    out = np.zeros((len(motion.t), 5))
    nothing = np.zeros(max(1, len(system.constraints) + len(system.controls)))
    t, q, v, a, lam, u = (
        np.ascontiguousarray(x, dtype=float) for x in (motion.t, motion.q, motion.v, motion.a, motion.lam, motion.u)
    )
    add_accounts(system.tables, system.work, system.slides, t, q, v, a, lam, u, nothing, out)
    return out


def _add_reactions(
    model: Model, system: MultibodySystem, motion: Trajectory, variables: dict[str, Any], coordinates: dict[str, Any]
) -> None:
    """Units of the multipliers, and the size of the force that each joint transmits."""
    units = multiplier_units(system)
    variables["multiplier_units"] = ("constraint", units)
    bodies = {item.name for item in model.items if isinstance(item, Body)}
    members: dict[str, list[int]] = {}
    for family in system.packed.families:
        for owner, row in zip(family.owners, family.rows, strict=True):
            mine = [system.constraints.index(name) for name in row.constraints]
            if owner not in bodies:
                key = _joint(owner, row)
                members.setdefault(key, []).extend(k for k in mine if units[k] == "N")
    joints = {name: columns for name, columns in members.items() if columns}
    if joints:
        sizes = [np.linalg.norm(motion.lam[:, columns], axis=1) for columns in joints.values()]
        labels = {"units": "N", "long_name": "reaction"}
        variables["reaction"] = (("time", "joint"), np.stack(sizes, axis=1), labels)
        coordinates["joint"] = list(joints)


def _joint(owner: str, row: Row) -> str:
    """Return the item a force belongs to: a joint, or the node of a wire at which coordinates are held."""
    tied = [n for m in row.markers if m.law == "coordinate" for n in m.coordinates]
    if len(tied) != 1:
        return owner
    body, _, coordinate = tied[0].rpartition(".")
    node = re.match(r"\d+", coordinate)
    return f"{owner} {body}.{node[0]}" if node else f"{owner} {body}"


def multiplier_units(system: MultibodySystem) -> list[str]:
    """N where a constraint is a length, N*m where it is an angle or a direction."""
    unit_of = dict(zip(system.coordinates, system.packed.units, strict=True))
    units = dict.fromkeys(system.constraints, "N")
    for family in system.packed.families:
        for row in family.rows:
            tied = [n for m in row.markers if m.law == "coordinate" for n in m.coordinates]
            for name in row.constraints:
                said = name.rsplit(".", 1)[-1].startswith(_TURNS) or name.endswith("unit length")
                if said or (tied and unit_of[tied[0]] != "m"):
                    units[name] = "N*m"
    return list(units.values())


def _points(
    model: Model, view: MotionView, points: Mapping[str, Point | Marker]
) -> tuple[dict[str, Any], dict[str, tuple[str, str]]]:
    """Coordinates of watched places as outputs, and which two of them draw each place's path."""
    found, paths = {}, {}
    for name, place in points.items():
        marker = place if isinstance(place, Marker) else marker_on(model, *place)
        p = positions(view, view, [marker])[:, 0]
        spans = np.ptp(p, axis=0)
        moving = [k for k in range(3) if spans[k] > _ROUNDING * np.abs(p).max()] or [0]
        for k in moving:
            labels = {"units": "m", "long_name": f"{name}, {'xyz'[k]}"}
            found[_word(f"{name}_{'xyz'[k]}")] = ("time", p[:, k], labels)
        across, up = moving[0], moving[-1]
        if across != up and min(spans[across], spans[up]) > _SLENDER * max(spans[across], spans[up], 1e-300):
            paths[name] = (_word(f"{name}_{'xyz'[across]}"), _word(f"{name}_{'xyz'[up]}"))
    return found, paths


def _output(system: MultibodySystem, motion: Trajectory, name: str) -> Any:
    """A coordinate, a rate ("rate NAME"), a multiplier or an output of an item, with its unit."""
    units = dict(zip(system.coordinates, system.packed.units, strict=True))
    bare = name.removeprefix("rate ")
    if motion.contacts is not None and (shown := contact_output(motion.contacts, name)) is not None:
        return shown
    if name in system.constraints:
        k = system.constraints.index(name)
        labels = {"units": multiplier_units(system)[k], "long_name": f"reaction {name}"}
        return "time", motion.lam[:, k], labels
    if bare not in units:
        parts = motion_outputs(system, motion)
        if name in parts:
            labels = {"units": "N" if name.endswith("force") else "m", "long_name": name}
            return "time", parts[name], labels
        raise ModelError(
            f"output {name!r} is neither a coordinate nor a constraint of {system.name!r}; it has "
            f"{_some(system.coordinates)} and {_some(system.constraints)}"
        )
    values = motion.q if bare == name else motion.v
    unit = units[bare] or "1"
    labels = {"units": unit if bare == name else f"{unit}/s", "long_name": name}
    return "time", values[:, system.place(bare)], labels


def _some(names: Sequence[str], most: int = 20) -> str:
    return ", ".join(names[:most]) + (" …" if len(names) > most else "")


def _word(name: str) -> str:
    """A name valid in both netCDF and Python."""
    return name.replace(".", "_").replace(" ", "_").replace("'", "_slope_")


def _add_outline(model: Model, view: MotionView, variables: dict[str, Any], coordinates: dict[str, Any]) -> None:
    """The drawn points of every part over time, each labelled with the part it belongs to."""
    parts = outline(model, view, view)
    if not parts:
        return
    points = np.concatenate(list(parts.values()), axis=1)
    spatial = np.ptp(points[..., 2]) > _ROUNDING * np.abs(points).max()
    for axis, k in (("x", 0), ("y", 1), *((("z", 2),) if spatial else ())):
        variables[f"outline_{axis}"] = (("time", "outline"), points[..., k], {"units": "m"})
    names = [name for name, p in parts.items() for _ in range(p.shape[1])]
    coordinates["outline_part"] = ("outline", names)
