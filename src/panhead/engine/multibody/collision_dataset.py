"""Shapes that touched along a motion as labelled variables: how many, where, with what forces, how well solved."""

from __future__ import annotations

from typing import Any

import numpy as np

from panhead.engine.methods.trajectory import CollisionHistory

#: of each stored time: field of the history, unit, words
_OVER_TIME = {
    "collision_count": ("count", "1", "contacts that press"),
    "collision_residual": ("residual", "1", "residual of the laws of contact, of the largest impulse"),
    "collision_sweeps": ("sweeps", "1", "sweeps over all contacts in the step that took most"),
    "collision_overlap": ("overlap", "m", "deepest overlap found at the beginning of a step"),
}


def collision_variables(history: CollisionHistory) -> tuple[dict[str, Any], dict[str, Any]]:
    """Variables over (time) and over (touch): one entry for every contact at every stored time."""
    variables: dict[str, Any] = {
        name: ("time", getattr(history, field), {"units": unit, "long_name": words})
        for name, (field, unit, words) in _OVER_TIME.items()
    }
    for k, (name, word) in enumerate((("impacts", "in impacts"), ("rubbing", "by rubbing"))):
        labels = {"units": "J", "long_name": f"lost {word} (part of what is dissipated)"}
        variables[f"lost_{name}"] = ("time", history.lost[:, k], labels)
    if not len(history.pair):
        return variables, {}
    normal = history.forces[:, 0]
    for name, values, unit, words in (
        ("normal_force", normal, "N", "normal force"),
        ("friction_force", np.hypot(history.forces[:, 1], history.forces[:, 2]), "N", "size of the friction force"),
        ("gap", history.gaps, "m", "gap at the beginning of the step"),
    ):
        variables[f"collision_{name}"] = ("touch", values, {"units": unit, "long_name": words})
    for name, values, unit, words in (
        ("place", history.points, "m", "contact point"),
        ("normal", history.normals, "1", "normal from the first shape to the second"),
    ):
        variables[f"collision_{name}"] = (("touch", "axis"), values, {"units": unit, "long_name": words})
    names = np.array(history.names)
    at = np.repeat(np.arange(len(history.count)), history.count)
    coordinates: dict[str, Any] = {"axis": list("xyz"), "touch_time": ("touch", at, {"long_name": "index of the time"})}
    coordinates |= {f"touch_{side}": ("touch", names[history.pair[:, k]]) for k, side in enumerate(("first", "second"))}
    return variables, coordinates
