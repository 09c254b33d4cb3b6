"""Sensors of a model: named measures and functions of the state along a motion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from panhead.engine.bodies.measure import Along, measure, measure_function
from panhead.engine.bodies.stress_recovery import StressRecovery
from panhead.engine.methods.events import NamedState
from panhead.engine.methods.trajectory import Trajectory
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.errors import ModelError

Sensor = Along | StressRecovery | Callable[[NamedState], float]
"""A distance, a displacement or a coordinate, recorded with its rate; stresses by rows; or a function of the state."""


def sensor_variables(
    system: MultibodySystem, motion: Trajectory, sensors: Mapping[str, Sensor]
) -> dict[str, tuple[str, np.ndarray, dict[str, str]]]:
    """Curves of all sensors: NAME, and NAME_rate of measures; NAME_ROW of stresses."""
    found: dict[str, tuple[str, np.ndarray, dict[str, str]]] = {}
    for name, sensor in sensors.items():
        if not name.isidentifier():
            raise ModelError(f"sensor {name!r}: a name has letters, digits and _ only, and does not begin with a digit")
        if isinstance(sensor, StressRecovery):
            found |= _stresses(system, motion, name, sensor)
            continue
        if callable(sensor):
            values = [sensor(NamedState(system, *state)) for state in zip(motion.t, motion.q, motion.v, strict=True)]
            found[name] = ("time", np.array(values, dtype=float), {"long_name": name})
            continue
        value, rate = _measure_and_rate(system, motion, name, sensor)
        unit = (
            dict(zip(system.coordinates, system.packed.units, strict=True)).get(sensor, "m")
            if isinstance(sensor, str)
            else "m"
        )
        found[name] = ("time", value, {"long_name": name, "units": unit})
        found[f"{name}_rate"] = ("time", rate, {"long_name": f"rate of {name}", "units": f"{unit}/s"})
    return found


def _stresses(
    system: MultibodySystem, motion: Trajectory, name: str, sensor: StressRecovery
) -> dict[str, tuple[str, np.ndarray, dict[str, str]]]:
    k = len(sensor.body.structure.modes)
    missing = [n for n in sensor.body.own(*(f"w{i + 1}" for i in range(k))) if n not in system.coordinates]
    if missing:
        raise ModelError(f"sensor {name!r}: the body {sensor.body.name!r} is not in the model (no {missing[0]!r})")
    places = [system.place(n) for n in sensor.body.own(*(f"w{i + 1}" for i in range(k)))]
    values = sensor.values(motion.q[:, places])
    return {
        f"{name}_{row}": ("time", values[:, i], {"long_name": f"{name}, {row}", "units": sensor.unit})
        for i, row in enumerate(sensor.rows)
    }


def _measure_and_rate(
    system: MultibodySystem, motion: Trajectory, name: str, along: Any
) -> tuple[np.ndarray, np.ndarray]:
    """A measure and its rate at the kept times, (n,) each."""
    m = measure(f"sensor {name!r}", along)
    places = [system.place(n) for marker in m.markers for n in marker.coordinates]
    p = np.array([x for marker in m.markers for x in marker.numbers.values()], dtype=float)
    function = measure_function(m.kind, m.markers, m.write)
    columns = np.repeat(p[:, None], len(motion.t), axis=1)
    value, rate = function(motion.t[None], motion.q[:, places].T, motion.v[:, places].T, columns)
    return np.array(value)[0], np.array(rate)[0]
