"""Runs with different laws side by side, as one labelled dataset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from panhead.joints import Held
from panhead.run.solvers.cables.run import Record
from panhead.run.solvers.cables.watch import CURVES

Pick = Callable[[Record], np.ndarray]
Stack = Callable[[str, Pick, type], np.ndarray]
HELD = 256_000_000  # bytes up to which a result is held in memory


def size(records: Mapping[str, Record]) -> int:
    """Bytes of all that was kept."""
    kept = (a for r in records.values() for a in (*r.curves.values(), *r.shapes.values()))
    return sum(a.nbytes for a in kept)


def dataset(records: Mapping[str, Record], folder: Path | None = None) -> xr.Dataset:
    """Curves (law, time), shapes of the line (law, shape, ·), balance of energy (law, shape).

    Runs are cut to the shortest, so that one that was interrupted can stand beside the others. A large result is
    mapped from files in ``folder``.
    """
    first = next(iter(records.values()))
    n = min(len(r.time) for r in records.values())
    m = min(len(r.shape_time) for r in records.values())
    stacked = _stack(records, folder)
    variables: dict[str, Any] = {
        name: (
            ("law", "time"),
            stacked(name, _curve(name, n), np.float64),
            _words(name),
        )
        for name in CURVES
    }
    coordinates: dict[str, Any] = {
        "law": list(records),
        "time": ("time", first.time[:n], {"units": "s", "long_name": "time"}),
        "shape_time": ("shape_time", first.shape_time[:m], {"units": "s", "long_name": "time"}),
    }
    if m:
        shapes = lambda name: stacked(name, lambda r: r.shapes[name][:m], np.float32)
        _add_shapes(first, variables, coordinates, shapes)
        variables["balance"] = (
            ("law", "shape_time"),
            stacked("balance", lambda r: _balance(r)[:m], np.float64),
            {"units": "J", "long_name": "energy not accounted for, since the first shape"},
        )
    static = [r.made.static_force for r in records.values()]
    variables["static_force"] = ("law", static, {"units": "N", "long_name": "static contact force"})
    return xr.Dataset(
        variables,
        coordinates,
        {"speed": first.made.ride.speed, "start": first.made.ride.pantograph.x},
    )


def _curve(name: str, n: int) -> Pick:
    return lambda record: record.curves[name][:n]


def _stack(records: Mapping[str, Record], folder: Path | None) -> Stack:
    """How one quantity of every record becomes one array: in memory, or law by law into a mapped file."""
    if folder is None or size(records) <= HELD:
        return lambda name, pick, kind: np.stack([pick(r).astype(kind) for r in records.values()])

    def mapped(name: str, pick: Pick, kind: type) -> np.ndarray:
        rows = [pick(r) for r in records.values()]
        shape = (len(rows), *rows[0].shape)
        out = np.lib.format.open_memmap(folder / f"{name}.npy", mode="w+", dtype=kind, shape=shape)
        for k, row in enumerate(rows):
            out[k] = row
        return out

    return mapped


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
        heights = take(f"{role} height")
        words = {"units": "m", "long_name": f"height of the {role} wire"}
        variables[f"{role}_height"] = (("law", "shape_time", f"{role}_x"), heights, words)
        rest = [first.made.hung.places[f"{role}.{k}z"] for k in range(len(cable.nodes))]
        variables[f"{role}_at_rest"] = (f"{role}_x", rest, words)
    variables["mast"] = ("contact_x", _at_masts(first), {"long_name": "whether a mast stands here"})
    variables["dropper_force"] = (
        ("law", "shape_time", "dropper"),
        take("dropper force"),
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
