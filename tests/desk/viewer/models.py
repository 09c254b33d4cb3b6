"""Results to be shown: bars that turn, a run whose description has a line, a vehicle on one axle."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import xarray as xr

import panhead as ph
from desk.reports.synthetic import run
from panhead.files.parse import to_plain
from panhead.files.result import Result
from panhead.railway.line import TrackPoint

STAGGER, RADIUS, CANT, CHAINAGE = 0.2, 900.0, 0.09, 12_345.0


def turning(frames: int = 5, parts: int = 2) -> Result:
    """Bars about the x axis, each as long as its number."""
    times = np.linspace(0.0, 1.0, frames)
    radii = np.repeat(np.arange(1.0, parts + 1), 2) * np.tile([0.0, 1.0], parts)
    y, z = np.outer(np.cos(times), radii), np.outer(np.sin(times), radii)
    x = np.broadcast_to(np.repeat(np.arange(float(parts)), 2), y.shape)
    points = {f"outline_{a}": (("time", "outline"), v, {"units": "m"}) for a, v in zip("xyz", (x, y, z), strict=True)}
    names = np.repeat([f"bar {k}" for k in range(parts)], 2)
    coordinates = {"time": ("time", times, {"units": "s"}), "outline_part": ("outline", names)}
    return Result.of(xr.Dataset(points, coordinates, {"title": "turning bars", "inputs": "{}"}))


def described_run(pantographs: int = 1, *, curved: bool = False) -> Result:
    """The run of closed formulas with the description of a line of ten spans, staggered or in a left curve."""
    plain = ph.read_line("en50318-2002")
    bend = (TrackPoint(at=0.0, radius=RADIUS, cant=CANT),) if curved else ()
    support = replace(plain.support, stagger=0.0 if curved else STAGGER)
    line = replace(plain, support=support, alignment=bend, chainage=CHAINAGE)
    train = tuple(ph.OnTrain(pantograph="en50318-2002", behind=100.0 * k) for k in range(pantographs))
    described = ph.Run(line=line, speed=300 / 3.6, train=train, journey=ph.Journey(stop=480.0))
    inputs = to_plain(described) | {"kind": "run", "name": "synthetic"}
    return Result.of(run(pantographs).assign_attrs(inputs=json.dumps(inputs)))


def vehicle() -> xr.Dataset:
    """A car body turned by a right angle about z on one axle that heads along y."""
    half = np.sqrt(0.5)
    body = {"x": 1.0, "y": 2.0, "z": 3.0, "e0": half, "e1": 0.0, "e2": 0.0, "e3": half}
    axle = {"x": 1.0, "y": 2.0, "z": 0.5, "yaw": np.pi / 2, "roll": 0.0, "turn": 0.0}
    values = {f"car body.{k}": v for k, v in body.items()} | {f"axle.{k}": v for k, v in axle.items()}
    force = np.tile([[[10.0, 20.0, 30.0], [1.0, 2.0, 3.0]]], (2, 1, 1, 1))
    return xr.Dataset(
        {
            "q": (("time", "coordinate"), np.tile(list(values.values()), (2, 1))),
            "place": (("time", "axle"), np.zeros((2, 1))),
            "wheel_force": (("time", "axle", "wheel", "direction"), force),
        },
        {"time": [0.0, 1.0], "coordinate": list(values), "axle": ["axle"]},
    )
