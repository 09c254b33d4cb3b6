"""What the Exudyn models share: quiet generalized-α runs, sensors, extrapolation in the step.

Exudyn is the test extra's independent program; its generalized-α is of second order in the step,
so two or three runs with halved steps give a better value and an estimate of its error.
"""

from collections.abc import Callable
from typing import Any

import exudyn as exu
import numpy as np
from exudyn import itemInterface as item

Histories = dict[str, np.ndarray]
KIND = exu.OutputVariableType


def new_system() -> Any:
    """An empty model; warnings of the C++ side are silenced."""
    exu.config.suppressWarnings = True
    return exu.SystemContainer().AddSystem()


def ground_coordinate(mbs: Any) -> int:
    """Marker of a coordinate that stays zero."""
    node = mbs.AddNode(item.NodePointGround())
    return mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=node, coordinate=0))


def hold(mbs: Any, zero: int, node: int, coordinate: int) -> int:
    """One node coordinate held at its reference value."""
    mark = mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=node, coordinate=coordinate))
    return mbs.AddObject(item.ObjectConnectorCoordinate(markerNumbers=[zero, mark]))


def watch_node(mbs: Any, node: int, kind: Any = KIND.Position) -> int:
    return mbs.AddSensor(
        item.SensorNode(nodeNumber=node, storeInternal=True, writeToFile=False, outputVariableType=kind)
    )


def watch_body(mbs: Any, body: int, local: Any, kind: Any = KIND.Position) -> int:
    return mbs.AddSensor(
        item.SensorBody(
            bodyNumber=body, localPosition=list(local), storeInternal=True, writeToFile=False, outputVariableType=kind
        )
    )


def settings_for(*, sparse: bool) -> Any:
    settings = exu.SimulationSettings()
    kind = exu.LinearSolverType
    settings.linearSolver.solverType = kind.EigenSparse if sparse else kind.EXUdense
    settings.solution.file.write = False
    settings.parallel.numberOfThreads = 1
    return settings


def march(
    mbs: Any,
    *,
    dt: float,
    duration: float,
    rho: float = 0.9,
    sparse: bool = False,
    rtol: float = 1e-10,
    atol: float = 1e-12,
    index2: bool = False,
) -> None:
    """Generalized-α with a constant step and a full Newton iteration."""
    settings = settings_for(sparse=sparse)
    settings.solution.sensors.writePeriod = dt
    steps = round(duration / dt)
    run = settings.timeIntegration
    run.endTime, run.numberOfSteps = duration, steps
    run.adaptiveStep = run.automaticStepSize = False
    run.newton.relativeTolerance, run.newton.absoluteTolerance = rtol, atol
    run.newton.useModifiedNewton = False
    run.discontinuous.maxIterations = 5
    run.discontinuous.iterationTolerance = 1e-6
    run.generalizedAlpha.spectralRadius = rho
    run.generalizedAlpha.computeInitialAccelerations = True
    run.generalizedAlpha.useIndex2Constraints = index2
    run.verboseMode = 0
    mbs.SolveDynamic(settings, autoAssemble=False)


def at_times(mbs: Any, sensor: int, times: Any) -> np.ndarray:
    """A sensor's values (nt, …) at the times, which are whole numbers of steps."""
    data = np.asarray(mbs.GetSensorStoredData(sensor))
    rows = [int(np.argmin(np.abs(data[:, 0] - t))) for t in times]
    np.testing.assert_allclose(data[rows, 0], times, atol=1e-9)
    return data[rows, 1:]


def extrapolated(run: Callable[[float], Histories], dt: float, *, order: int = 2) -> tuple[Histories, Histories]:
    """Values for dt → 0 and their errors, from runs with dt, dt/2 and dt/4.

    order 2: x₀ = x(dt/4) + (x(dt/4) − x(dt/2))/3 and its distance from the same with dt, dt/2;
    order 1: the terms in dt and dt² are both taken away, x₀ = (8x(dt/4) − 6x(dt/2) + x(dt))/3, and
    the error is the distance from 2x(dt/4) − x(dt/2).
    """
    coarse, middle, fine = (run(dt / k) for k in (1, 2, 4))
    value, error = {}, {}
    for name in fine:
        a, b, c = coarse[name], middle[name], fine[name]
        best = c + (c - b) / 3 if order == 2 else (8 * c - 6 * b + a) / 3
        other = b + (b - a) / 3 if order == 2 else 2 * c - b
        value[name], error[name] = best, np.abs(best - other)
    return value, error
