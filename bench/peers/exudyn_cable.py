"""A stretched wire under a moving force in Exudyn: planar ANCF elements of 1 m.

Two ways to move the force: ``joint``, a point of 1 g on Exudyn's sliding joint carries it, all in
compiled code; ``prestep``, consistent nodal loads set by a Python function before every step.
"""

from math import pi
from typing import Any

from peers import exudyn_child as child

LENGTH, TENSION, LINE_MASS = 100.0, 20e3, 1.35  # m, N, kg/m
FORCE, SPEED, START = 100.0, 100 / 3.6, 0.5  # N, m/s, m
AREA, YOUNG = 144e-6, 1.2e11  # m², Pa
EA, EI = YOUNG * AREA, YOUNG * AREA**2 / (4 * pi)  # N, N·m²
POINT_MASS = 1e-3  # kg, of the point that carries the force in `joint`


def time_per_step(
    n: int = 100, *, mode: str = "joint", dt: float = 1e-3, rtol: float = 1e-6, atol: float = 1e-8, rho: float = 0.9
) -> dict[str, Any]:
    """Milliseconds a step for n elements, Newton iterations, and the mid-point's lift [m].

    ``lift_max`` over the whole run; ``lift`` at the quarters of the run.
    """
    arguments = {"n": n, "mode": mode, "dt": dt, "rtol": rtol, "atol": atol, "rho": rho}
    return child.run_alone("peers.exudyn_cable", arguments)


def wire(item: Any, mbs: Any, n: int) -> tuple[int, list[int], list[int]]:
    """Ground marker, nodes and elements; both ends held in x, y and the slope's y."""
    ground = mbs.AddNode(item.NodePointGround())
    fixed = mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
    le = LENGTH / n
    nodes = [mbs.AddNode(item.NodePoint2DSlope1(referenceCoordinates=[i * le, 0.0, 1.0, 0.0])) for i in range(n + 1)]
    elements = [
        mbs.AddObject(
            item.ObjectANCFCable2D(
                length=le,
                massPerLength=LINE_MASS,
                bendingStiffness=EI,
                axialStiffness=EA,
                referenceAxialStrain=-TENSION / EA,
                nodeNumbers=[nodes[i], nodes[i + 1]],
            )
        )
        for i in range(n)
    ]
    for node in (nodes[0], nodes[-1]):
        for coordinate in (0, 1, 3):
            held = item.MarkerNodeCoordinate(nodeNumber=node, coordinate=coordinate)
            mbs.AddObject(item.ObjectConnectorCoordinate(markerNumbers=[fixed, mbs.AddMarker(held)]))
    return fixed, nodes, elements


def carried(item: Any, mbs: Any, fixed: int, elements: list[int]) -> None:
    """The force on a light point that slides along the wire at a prescribed speed."""
    le = LENGTH / len(elements)
    node = mbs.AddNode(item.NodePoint2D(referenceCoordinates=[START, 0.0], initialVelocities=[SPEED, 0.0]))
    point = mbs.AddObject(item.ObjectMassPoint2D(mass=POINT_MASS, nodeNumber=node))
    at = mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=point))
    along = mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=node, coordinate=0))
    mbs.AddObject(item.ObjectConnectorCoordinate(markerNumbers=[fixed, along], velocityLevel=True, offset=SPEED))
    mbs.AddLoad(item.LoadForceVector(markerNumber=at, loadVector=[0.0, FORCE, 0.0]))
    cables = [mbs.AddMarker(item.MarkerBodyCable2DCoordinates(bodyNumber=e)) for e in elements]
    first = int(START / le)
    data = item.NodeGenericData(initialCoordinates=[first, START], numberOfDataCoordinates=2)
    mbs.AddObject(
        item.ObjectJointSliding2D(
            markerNumbers=[at, cables[first]],
            slidingMarkerNumbers=cables,
            slidingMarkerOffsets=[i * le for i in range(len(elements))],
            nodeNumber=mbs.AddNode(data),
            useClassicalFormulation=True,
        )
    )


def pushed(item: Any, mbs: Any, nodes: list[int]) -> None:
    """The force as consistent nodal loads, set by Python before every step."""
    le = LENGTH / (len(nodes) - 1)

    def loads(coordinate: int) -> list[int]:
        marks = [mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=node, coordinate=coordinate)) for node in nodes]
        return [mbs.AddLoad(item.LoadCoordinate(markerNumber=m, load=0.0)) for m in marks]

    shift, turn, last = loads(1), loads(3), [0]

    def before_step(mbs: Any, t: float) -> bool:
        x = START + SPEED * t
        i = min(int(x / le), len(nodes) - 2)
        z = x / le - i
        if last[0] != i:
            for k in (last[0], last[0] + 1):
                mbs.SetLoadParameter(shift[k], "load", 0.0)
                mbs.SetLoadParameter(turn[k], "load", 0.0)
        last[0] = i
        mbs.SetLoadParameter(shift[i], "load", FORCE * (1 - 3 * z**2 + 2 * z**3))
        mbs.SetLoadParameter(turn[i], "load", FORCE * le * (z - 2 * z**2 + z**3))
        mbs.SetLoadParameter(shift[i + 1], "load", FORCE * (3 * z**2 - 2 * z**3))
        mbs.SetLoadParameter(turn[i + 1], "load", FORCE * le * (z**3 - z**2))
        return True

    mbs.SetPreStepUserFunction(before_step)


def run(n: int, mode: str, dt: float, rtol: float, atol: float, rho: float) -> dict[str, Any]:
    """One run in this process."""
    exu = child.exudyn()
    from exudyn import itemInterface as item

    mbs = exu.SystemContainer().AddSystem()
    fixed, nodes, elements = wire(item, mbs, n)
    carried(item, mbs, fixed, elements) if mode == "joint" else pushed(item, mbs, nodes)
    middle = mbs.AddSensor(
        item.SensorNode(
            nodeNumber=nodes[n // 2],
            storeInternal=True,
            writeToFile=False,
            outputVariableType=exu.OutputVariableType.Displacement,
        )
    )
    mbs.Assemble()
    steps = round((LENGTH - 2 * START) / SPEED / dt)
    settings = child.quiet_settings(exu, sparse=True)
    settings.solution.sensors.active = True
    settings.solution.sensors.writePeriod = dt
    march = child.fixed_steps(settings, dt=dt, steps=steps, rtol=rtol, atol=atol, rho=rho)
    march.newton.useModifiedNewton = True
    march.newton.modifiedNewtonContractivity = 0.8
    march.newton.maxModifiedNewtonIterations = 20
    march.discontinuous.maxIterations = 3
    march.discontinuous.iterationTolerance = 1e-3
    march.generalizedAlpha.computeInitialAccelerations = False
    figures = child.timed(mbs, settings, steps)
    lift = mbs.GetSensorStoredData(middle)[:, 2]
    quarters = [float(lift[round(k * (len(lift) - 1) / 4)]) for k in range(1, 5)]
    return figures | {"lift_max": float(lift.max()), "lift": quarters, "exudyn": exu.GetVersionString()}


if __name__ == "__main__":
    child.answer(run)
