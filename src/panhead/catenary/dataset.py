"""Runs with different laws side by side, as one labelled dataset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from panhead.catenary.run import Record
from panhead.catenary.watch import CURVES
from panhead.joints import Held


def dataset(records: Mapping[str, Record]) -> xr.Dataset:
    """Curves (law, time), shapes of the line (law, shape, ·), balance of energy (law, shape).

    Runs are cut to the shortest, so that one that was interrupted can stand beside the others.
    """
    first = next(iter(records.values()))
    n = min(len(r.time) for r in records.values())
    m = min(len(r.shape_time) for r in records.values())
    stacked = lambda pick: np.stack([pick(r) for r in records.values()])
    variables: dict[str, Any] = {
        name: (("law", "time"), stacked(lambda r, name=name: r.curves[name][:n]), _words(name))
        for name in CURVES
    }
    coordinates: dict[str, Any] = {
        "law": list(records),
        "time": ("time", first.time[:n], {"units": "s", "long_name": "time"}),
        "shape_time": ("shape_time", first.shape_time[:m], {"units": "s", "long_name": "time"}),
    }
    if m:
        _add_shapes(
            first, variables, coordinates, lambda name: stacked(lambda r: r.shapes[name][:m])
        )
        variables["balance"] = (
            ("law", "shape_time"),
            stacked(lambda r: _balance(r)[:m]),
            {"units": "J", "long_name": "energy not accounted for, since the first shape"},
        )
    static = [r.made.static_force for r in records.values()]
    variables["static_force"] = ("law", static, {"units": "N", "long_name": "static contact force"})
    return xr.Dataset(
        variables,
        coordinates,
        {"speed": first.made.ride.speed, "start": first.made.ride.pantograph.x},
    )


def _words(name: str) -> dict[str, str]:
    unit, words = CURVES[name]
    return {"units": unit, "long_name": words}


def _add_shapes(
    first: Record, variables: dict[str, Any], coordinates: dict[str, Any], take: Any
) -> None:
    catenary = first.made.hung.catenary
    for role in ("contact", "messenger"):
        cable = catenary.cables[role]
        coordinates[f"{role}_x"] = (f"{role}_x", [p[0] for p in cable.nodes], {"units": "m"})
        heights = take(f"{role} height").astype(np.float32)
        words = {"units": "m", "long_name": f"height of the {role} wire"}
        variables[f"{role}_height"] = (("law", "shape_time", f"{role}_x"), heights, words)
        rest = [first.made.hung.places[f"{role}.{k}z"] for k in range(len(cable.nodes))]
        variables[f"{role}_at_rest"] = (f"{role}_x", rest, words)
    variables["mast"] = ("contact_x", _at_masts(first), {"long_name": "whether a mast stands here"})
    variables["dropper_force"] = (
        ("law", "shape_time", "dropper"),
        take("dropper force").astype(np.float32),
        {"units": "N", "long_name": "force of a dropper"},
    )


def _at_masts(record: Record) -> np.ndarray:
    """Nodes of the contact wire under which the messenger is held; the anchors are left out."""
    held = next(item for item in record.made.hung.catenary.items if isinstance(item, Held)).values
    n = len(record.made.hung.catenary.contact.nodes)
    return np.array([f"messenger.{k}z" in held and 0 < k < n - 1 for k in range(n)])


def _balance(record: Record) -> np.ndarray:
    """(T + V) − work of drivers − work of controls + dissipated, since the first shape."""
    energy = record.shapes["energies"].sum(axis=1)
    at = np.searchsorted(record.time, record.shape_time - 1e-9).clip(max=len(record.time) - 1)
    c = record.curves
    given = (c["work_drivers"] + c["work_controls"] - c["dissipated"])[at]
    return np.asarray(energy - energy[0] - (given - given[0]))
