"""Dataset of a run of the cable solver, with the variable names of every solver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.railway.vehicle.vehicle_ride import observe_rail_forces, outcome_of
from panhead.runs.cables.cables_assembly import CableSystem
from panhead.runs.cables.cables_march import CURVES, CableMarch
from panhead.runs.cables.observers import CONTACT_CURVES, HEAD_CURVES, WHOLE_CURVES, static_forces
from panhead.runs.linear.linear_dataset import recorded_variables

if TYPE_CHECKING:
    import xarray as xr

_COPIED = 256_000_000  # bytes up to which a streamed run is copied into memory


def dataset(march: CableMarch) -> xr.Dataset:
    """All output of the run, with units and names."""
    import xarray as xr

    whole, streams = march.whole, march.streams
    variables = _curves(march) | _energies(march)
    variables |= recorded_variables(whole.resolved, _Keys(whole), streams)
    variables |= _static_line(whole) | _roof(march)
    if streams.size() <= _COPIED:
        variables = {k: (dims, np.array(x), words) for k, (dims, x, words) in variables.items()}
    coordinates = {name: variables.pop(name) for name in ("time", "sample") if name in variables}
    names = np.array(whole.resolved.names, dtype=str)
    return xr.Dataset(variables, {**coordinates, "pantograph": ("pantograph", names)})


class _Keys:
    """Names of droppers and supports."""

    def __init__(self, whole: CableSystem) -> None:
        catenary = whole.line.catenary
        self.dropper_keys = tuple((d.span, d.name) for d in catenary.droppers)
        self.support_keys = tuple((s.mast, s.name) for s in catenary.supports)


def _of(dims: Any, values: Any, unit: str, words: str) -> Any:
    return dims, values, {"units": unit, "long_name": words}


def _curves(march: CableMarch) -> dict[str, Any]:
    whole, n = march.whole, len(march.whole.mechanics)
    table = march.streams.table(CURVES)
    t = np.arange(len(table)) * march.dt
    resolved, both = whole.resolved, ("pantograph", "time")
    x = resolved.timetable.position(t)[None] - resolved.behind[:, None]
    found = {
        "time": _of("time", t, "s", "time"),
        "contact_x": _of(both, x, "m", "place of the contact along the track"),
        "static_force": _of("pantograph", static_forces(whole), "N", "static contact force"),
    }
    first = 0
    for name in march.watch.names:
        unit, words = (CONTACT_CURVES | HEAD_CURVES | WHOLE_CURVES)[name]
        width = 1 if name in WHOLE_CURVES else n
        values = table[:, first : first + width].T if len(table) else np.zeros((width, 0))
        found[name] = _of("time", values[0], unit, words) if name in WHOLE_CURVES else _of(both, values, unit, words)
        first += width
    return found


def _energies(march: CableMarch) -> dict[str, Any]:
    """T, V and the energy imbalance since the first sample."""
    rows = march.streams.table("sample")
    if not len(rows):
        return {}
    table = march.streams.table(CURVES)
    at = np.minimum(np.round(rows[:, 0] / march.dt).astype(int), len(table) - 1)
    drivers, controls, lost = table[at, -4:-1].T
    given = drivers + controls - lost
    energy = rows[:, 1] + rows[:, 2]
    balance = energy - energy[0] - (given - given[0])
    return {
        "sample": _of("sample", rows[:, 0], "s", "time of the samples"),
        "kinetic": _of("sample", rows[:, 1], "J", "kinetic energy"),
        "potential": _of("sample", rows[:, 2], "J", "potential energy"),
        "balance": _of("sample", balance, "J", "energy not accounted for, since the first sample"),
    }


def _static_line(whole: CableSystem) -> dict[str, Any]:
    """Line at rest, and the tension of its wires."""
    line, cables = whole.line, whole.line.catenary.cables
    heights = {
        role: [line.places[f"{role}.{k}z"] for k in range(len(cables[role].nodes))] for role in ("contact", "messenger")
    }
    x = [p[0] for p in cables["contact"].nodes]
    names = [name for name in cables if not name.startswith("stitch")]
    return {
        "static_x": _of("station", x, "m", "static x"),
        "static_contact_z": _of("station", heights["contact"], "m", "static contact"),
        "static_messenger_z": _of("station", heights["messenger"], "m", "static messenger"),
        "wire_name": ("wire", np.array(names, dtype=str), {"long_name": "wire"}),
        "wire_tension": _of("wire", [line.tensions[name] for name in names], "N", "mean tension of the wire at rest"),
    }


def _roof(march: CableMarch) -> dict[str, Any]:
    """Motion of the roof at the pantograph, relative to its start."""
    rows = march.streams.table("roof")
    if not len(rows):
        return {}
    t, y, z, rate = rows[:, :4].T
    return _wheels(march, rows[:, 0], rows[:, 4:]) | {
        "roof_time": _of("roof_time", t, "s", "time"),
        "roof_y": _of("roof_time", y - y[0], "m", "roof, to the left"),
        "roof_z": _of("roof_time", z - z[0], "m", "roof, up"),
        "roof_rate": _of("roof_time", rate, "m/s", "rate of the roof, up"),
    }


def _wheels(march: CableMarch, t: np.ndarray, axles: np.ndarray) -> dict[str, Any]:
    """Wheel loads and motion of the vehicle; axles (n, …): positions, rates, normal forces of the wheelsets."""
    standing, system = march.whole.standing, march.whole.system
    assert standing is not None
    q, v, lam = np.zeros((len(t), system.nq)), np.zeros((len(t), system.nq)), np.zeros((len(t), system.nc))
    places, rails = march.watch.axles, march.watch.rails
    q[:, places], v[:, places], lam[:, rails] = np.split(axles, [len(places), 2 * len(places)], axis=1)
    seen = observe_rail_forces(standing.assembled, system, q, v, lam)
    outcome, message, _ = outcome_of(standing.assembled, t, seen)
    each = ("axle", "wheel")
    return {
        "axle_name": ("axle", [axle.name for axle in standing.assembled.wheelsets], {}),
        "wheel_name": ("wheel", ["left", "right"], {}),
        "wheel_load": _of(("roof_time", *each), seen.force[..., 2], "N", "upward force on the wheel"),
        "static_wheel_load": _of(each, standing.wheel_loads(), "N", "the same, standing under the line"),
        "ride_outcome": ((), outcome, {"long_name": message}),
    }
