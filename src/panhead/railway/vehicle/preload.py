"""Static preloads of the springs of a standing vehicle."""

from __future__ import annotations

import numpy as np

from panhead.errors import ModelError
from panhead.railway.vehicle.vehicle_description import CAR, AxleBearing, BogiePlace, Elastic, Part, Vehicle

Column = tuple[str, str, str, float, float, tuple[int, ...]]  # name, a, b, x, y, rows


def static_loads(vehicle: Vehicle, gravity: float) -> dict[str, float]:
    """Upward force of ``a`` on ``b`` in every bushing and bearing, by its full name [N].

    Balance of vertical force, roll and pitch moments of every body above the wheelsets, as described; where
    springs share a load in more than one way, the smallest forces are taken.
    """
    bodies = _bodies(vehicle)
    columns = [c for place in vehicle.bogies for c in _columns(vehicle, place)]
    row = {name: 3 * k for k, name in enumerate(bodies)}
    A, b = np.zeros((3 * len(bodies), len(columns))), np.zeros(3 * len(bodies))
    for name, (mass, _, _) in bodies.items():
        b[row[name]] = mass * gravity
    for k, (_, lower, upper, x, y, rows) in enumerate(columns):
        for body, sign in ((lower, -1.0), (upper, 1.0)):
            if body in row:
                _, cx, cy = bodies[body]
                # a vertical force with its moments, or a pure moment of a joint
                effect = np.array([1.0, y - cy, -(x - cx)]) if rows == (0,) else np.eye(3)[rows[0]]
                A[row[body] : row[body] + 3, k] += sign * effect
    loads, *_ = np.linalg.lstsq(A, b, rcond=None)
    left = A @ loads - b
    worst = int(np.abs(left).argmax())
    if np.abs(left[worst]) > 1e-6 * b.max():
        name = list(bodies)[worst // 3]
        raise ModelError(
            f"Vehicle {vehicle.name!r}: its springs cannot carry {name!r} (residual {abs(left[worst]):.3g} N or N·m); "
            "give them vertical stiffness, or check their positions"
        )
    return {c[0]: float(x) for c, x in zip(columns, loads, strict=True) if c[5] == (0,)}


def _bodies(vehicle: Vehicle) -> dict[str, tuple[float, float, float]]:
    """Mass and place of everything above the wheelsets."""
    found = {CAR: _entry(vehicle.car, 0.0)}
    for place in vehicle.bogies:
        for part in vehicle.bogie.bodies:
            found[_full(place, part.name)] = _entry(part, place.x)
    return found


def _entry(part: Part, x: float) -> tuple[float, float, float]:
    return part.mass, x + part.centre[0], part.centre[1]


def _columns(vehicle: Vehicle, place: BogiePlace) -> list[Column]:
    """One unknown per spring, and three per joint: a force and two moments (a ball has none)."""
    bogie = vehicle.bogie
    columns: list[Column] = []
    springs: list[tuple[Elastic | AxleBearing, float]] = []
    springs += [(x, x.stiffness[2]) for x in bogie.bushings]
    springs += [(x, x.stiffness) for x in bogie.bearings]
    for link, stiffness in springs:
        for k, (x, y, _) in enumerate(link.at):
            if stiffness > 0.0:
                name = _full(place, link.name) + (f" {k + 1}" if len(link.at) > 1 else "")
                ends = _full(place, link.a), _full(place, link.b)
                columns.append((name, *ends, place.x + x, y, (0,)))
    for pivot in bogie.pivots:
        ends = _full(place, pivot.a), _full(place, pivot.b)
        for r in (0, 1, 2) if pivot.kind == "revolute" else (0,):
            at = place.x + pivot.at[0], pivot.at[1]
            columns.append((f"{pivot.name} {r}", *ends, *at, (r,)))
    return columns


def _full(place: BogiePlace, name: str) -> str:
    return name if name == CAR else f"{place.name} {name}"
